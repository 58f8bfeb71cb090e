//! How plans run: what is fetched and kept, what is isolated, with which policy, and what may spread over executors.

mod social_network;

use planner::Options;
use planner::physical::{InterPolicy, Op, OpKind};
use social_network::{guessed_with, physical, physical_with, planned_with};

#[track_caller]
fn lowers(text: &str, expected: &[&str]) {
    assert_eq!(physical(text).lines().collect::<Vec<_>>(), expected, "{text}");
}

#[track_caller]
fn lowers_with(text: &str, options: &Options, expected: &[&str]) {
    assert_eq!(physical_with(text, options).lines().collect::<Vec<_>>(), expected, "{text}");
}

#[test]
fn a_point_query_is_a_lookup_and_a_read() {
    lowers(
        "g.V().has('Person','id',933).values('firstName')",
        &["IndexLookup(Person.id = 933)", "Properties(values firstName)"],
    );
}

#[test]
fn several_labels_are_looked_up_in_the_index_of_each() {
    lowers(
        "g.V().hasLabel('Post','Comment').has('id',7)",
        &[
            "UnionScope [per stream, inter bfs, intra dfs, max 64]",
            "  branch:",
            "    IndexLookup(Post.id = 7)",
            "  branch:",
            "    IndexLookup(Comment.id = 7)",
        ],
    );
}

#[test]
fn a_part_of_an_object_is_fetched_once() {
    lowers(
        "g.V().order().by('age').project('a','b').by('age').by(values('age'))",
        &["ScanVertices()", "Fetch(it.age) → s0", "Order(s0 asc)", "Project(a: s0, b: s0)"],
    );
}

#[test]
fn a_name_that_nobody_asks_for_is_not_kept() {
    lowers("g.V().as('a').out().as('b')", &["ScanVertices()", "Expand(out )"]);
    lowers(
        "g.V().as('a').out().as('b').select('b').out()",
        &["ScanVertices()", "Expand(out )", "Store → s0", "Load(s0)", "Forget(s0)", "Expand(out )"],
    );
}

#[test]
fn what_nobody_reads_any_more_is_forgotten_before_it_is_copied() {
    lowers(
        "g.V().as('a').out().where(neq('a')).out()",
        &["ScanVertices()", "Store → s0", "Expand(out )", "Filter(it != s0)", "Forget(s0)", "Expand(out )"],
    );
}

#[test]
fn only_what_is_read_inside_enters_a_subquery() {
    let text = "g.V().as('a').out().as('b').project('x','y','z').by(select('a').out().count()).by(out().out().values('age').sum())\
                .by(where('a', neq('b')).both().both().fold()).select('x','y').as('c').select('a','b','c')";
    let plan = planned_with(text, &Options::default()).unwrap().plan;
    let reads = |op: &Op| match &op.kind {
        OpKind::Scope(scope) => scope.reads.as_ref().map(Vec::len),
        _ => None,
    };
    let reads: Vec<_> = plan.root.ops.iter().filter_map(reads).collect();
    assert_eq!(reads, [1, 0, 2], "{}", physical(text));
}

#[test]
fn a_value_read_in_every_iteration_is_kept_through_the_loop() {
    lowers(
        "g.V().as('a').repeat(out().where(neq('a'))).times(2)",
        &[
            "ScanVertices()",
            "Store → s0",
            "RepeatScope after: until 2 times [per iteration, inter dfs, intra dfs, max 64]",
            "  Expand(out )",
            "  Filter(it != s0)",
        ],
    );
}

#[test]
fn a_value_that_must_be_there_is_asked_for() {
    lowers(
        "g.V().as('a').select('a').by('age')",
        &["ScanVertices()", "Store → s0", "Fetch(s0.age) → s1", "Load(s1)"],
    );
    lowers(
        "g.V().dedup().by('age')",
        &["ScanVertices()", "Fetch(it.age) → s0", "Filter(present s0)", "Dedup(s0)"],
    );
}

#[test]
fn other_vertices_remember_where_the_edge_was_reached_from() {
    lowers(
        "g.V().bothE('knows').as('e').otherV().path()",
        &["ScanVertices()", "Expand(bothE knows; from s0) as e", "EdgeVertex(other than s0)", "Path()"],
    );
}

#[test]
fn tests_of_properties_are_applied_where_an_expansion_meets_its_ends() {
    lowers(
        "g.V(1).out('knows').has('age',gt(3)).has('name',within('x','y')).fold()",
        &[
            "VerticesById(1)",
            "Expand(out knows; ends with (age > 3 and name within ('x', 'y')))",
            "Aggregate(fold)",
        ],
    );
    lowers(
        "g.V(1).out('knows').has('name','x').path()",
        &["VerticesById(1)", "Expand(out knows; ends with name = 'x')", "Path()"],
    );
    let mut off = Options::default();
    off.disabled_rules.insert("end-test").unwrap();
    let apart = &["VerticesById(1)", "Expand(out knows)", "Filter(name = 'x')"];
    lowers_with("g.V(1).out('knows').has('name','x')", &off, apart);
}

#[test]
fn an_end_that_is_known_is_looked_for_from_both_sides() {
    lowers("g.V(1).out('knows').hasId(3)", &["VerticesById(1)", "ExpandInto(out knows; T.id = 3)"]);
    lowers(
        "g.V(1).both('knows').hasId(3).has('age',3).values('name')",
        &[
            "VerticesById(1)",
            "ExpandInto(both knows; T.id = 3)",
            "Filter(age = 3)",
            "Properties(values name)",
        ],
    );
    let plan = physical("g.V(1).as('x').out('knows').out('knows').where(eq('x'))");
    assert!(plan.contains("ExpandInto(out knows; it = s"), "{plan}");
    for text in [
        "g.V(1).out('knows').hasId(3).optional(limit(1))",
        "g.V(1).flatMap(out('knows').hasId(3)).optional(limit(1))",
        "g.withSack(1,sum).V(1).out('knows').hasId(3).barrier().sack()",
    ] {
        let plan = physical(text);
        assert!(plan.contains("ExpandInto(out knows; T.id = 3; each apart)"), "{text}\n{plan}");
    }
    for text in [
        "g.V(1).out('knows').hasId(neq(3))",
        "g.V(1).out('knows').dedup().hasId(3)",
        "g.V(1).outE('knows').has('since',3).inV().hasId(3)",
        "g.V(1).as('x').out('knows').where(neq('x'))",
    ] {
        let plan = physical(text);
        assert!(!plan.contains("ExpandInto"), "{text}\n{plan}");
    }
    let mut off = Options::default();
    off.disabled_rules.insert("expand-into").unwrap();
    let apart = &["VerticesById(1)", "Expand(out knows)", "Filter(T.id = 3)"];
    lowers_with("g.V(1).out('knows').hasId(3)", &off, apart);
}

#[test]
fn other_tests_stay_behind_the_expansion() {
    for (text, filter) in [
        ("g.V(1).out('knows').hasId(within(3, 4))", "Filter(T.id within (3, 4))"),
        ("g.V(1).out('knows').as('a').has('age',3).select('a')", "Filter(age = 3)"),
        ("g.V(1).out('knows').or(has('age',3),has('name','x'))", "Filter((age = 3 or name = 'x'))"),
        ("g.V(1).outE('knows').has('since',3).inV().has('age',3)", "Filter(age = 3)"),
        ("g.V(1).out('knows').dedup().has('age',3)", "Filter(age = 3)"),
    ] {
        let plan = physical(text);
        assert!(plan.contains(filter) && !plan.contains("ends with"), "{text}\n{plan}");
    }
}

#[test]
fn a_subquery_that_does_little_shares_an_instance() {
    lowers(
        "g.V().hasLabel('Person').where(out('isLocatedIn').out('isPartOf').has('name','x'))",
        &[
            "ScanVertices(Person)",
            "FilterScope(all) [per batch, inter bfs, intra dfs, max 64]",
            "  Expand(out isLocatedIn)",
            "  Expand(out isPartOf; ends with name = 'x')",
        ],
    );
}

#[test]
fn a_subquery_that_may_do_much_is_isolated_unless_scopes_are_off() {
    let text = "g.V().hasLabel('Person').where(__.in('hasCreator').out('hasTag').has('name','x'))";
    let plan = |grain: &str| {
        vec![
            "ScanVertices(Person)".to_string(),
            format!("FilterScope(all) [{grain}, inter bfs, intra dfs, max 64]"),
            "  Expand(in hasCreator)".to_string(),
            "  Expand(out hasTag; ends with name = 'x')".to_string(),
        ]
    };
    assert_eq!(physical(text).lines().collect::<Vec<_>>(), plan("per traverser"));
    let off = Options { scopes: false, ..Options::default() };
    assert_eq!(physical_with(text, &off).lines().collect::<Vec<_>>(), plan("per batch"));
    let by_query = text.replacen("g.", "g.with('mangrove.scopes','off').", 1);
    assert_eq!(physical(&by_query).lines().collect::<Vec<_>>(), plan("per batch"));
}

#[test]
fn who_wants_few_results_shares_less() {
    let few = physical("g.V().where(out('knows').has('age',3)).limit(5)");
    assert!(few.contains("FilterScope(all) [per traverser, inter bfs, intra dfs, max 8]"), "{few}");
    let all = physical("g.V().where(out('knows').has('age',3)).count()");
    assert!(all.contains("FilterScope(all) [per batch, inter bfs, intra dfs, max 64]"), "{all}");
}

#[test]
fn existence_is_a_degree() {
    lowers(
        "g.V().where(out('knows')).not(__.in('likes'))",
        &[
            "ScanVertices()",
            "Degree(out knows) → s0",
            "Filter((present s0 and s0 > 0))",
            "Degree(in likes) → s1",
            "Filter((present s1 and s1 not (> 0)))",
        ],
    );
}

#[test]
fn a_loop_goes_deep_for_its_end_and_broad_for_what_is_on_the_way() {
    let at_end = physical("g.V().repeat(out('knows')).times(5).limit(3)");
    assert!(at_end.contains("RepeatScope after: until 5 times [per iteration, inter dfs"), "{at_end}");
    let on_the_way = physical("g.V().repeat(out('knows')).emit().times(5).limit(3)");
    assert!(on_the_way.contains("emit always [per iteration, inter bfs"), "{on_the_way}");
    let apart = physical("g.V().repeat(out('knows').simplePath()).until(has('age',3)).limit(3)");
    assert!(apart.contains("[per iteration, inter both ends"), "{apart}");
    let all = physical("g.V().repeat(out('knows')).times(5).count()");
    assert!(all.contains("until 5 times [per iteration, inter bfs"), "{all}");
    let kept_apart = physical("g.V().repeat(out('knows').simplePath()).times(5).path().count()");
    assert!(kept_apart.contains("until 5 times [per iteration, inter dfs"), "{kept_apart}");
    let gathering = physical("g.V().repeat(out('knows').dedup()).times(5).path()");
    assert!(gathering.contains("until 5 times [per iteration, inter bfs"), "{gathering}");
}

#[test]
fn a_query_sets_its_own_policies() {
    let text =
        "g.with('mangrove.policy.inter','dfs').with('mangrove.policy.intra','bfs').with('mangrove.maxSi',3).
        V().repeat(out('knows')).emit().times(5).limit(3)";
    let plan = physical(text);
    assert!(plan.contains("[per iteration, inter dfs, intra bfs, max 3]"), "{plan}");
    let options = Options { inter: Some(InterPolicy::DepthFirst), ..Options::default() };
    let plan = physical_with("g.V().repeat(out('knows')).emit().times(5)", &options);
    assert!(plan.contains("inter dfs, intra dfs, max 64"), "{plan}");
}

#[test]
fn a_large_part_of_a_query_may_spread_over_executors() {
    let four = Options { executors: 4, ..Options::default() };
    let text = "g.V().hasLabel('Person').out('knows').out('knows').has('age',3).fold()";
    lowers_with(
        text,
        &four,
        &[
            "ScanVertices(Person)",
            "ExchangeScope [per batch, inter bfs, intra dfs, max 16]",
            "  Expand(out knows)",
            "  Expand(out knows; ends with age = 3)",
            "Aggregate(fold)",
        ],
    );
    for (text, options) in [
        (text.to_string(), Options::default()),
        (text.replacen("g.", "g.with('mangrove.parallelism',1).", 1), four.clone()),
        (text.replace("fold()", "property('age',4)"), four.clone()),
        ("g.V().has('Person','id',1).out('knows').count()".to_string(), four.clone()),
    ] {
        let plan = physical_with(&text, &options);
        assert!(!plan.contains("ExchangeScope"), "{text}\n{plan}");
    }
}

#[test]
fn duplicates_are_left_out_in_each_piece_and_again_behind_it() {
    let four = Options { executors: 4, ..Options::default() };
    lowers_with(
        "g.V().hasLabel('Person').out('knows').dedup().count()",
        &four,
        &[
            "ScanVertices(Person)",
            "ExchangeScope [per batch, inter bfs, intra dfs, max 16]",
            "  Expand(out knows; distinct)",
            "Dedup(it; done in pieces)",
            "Aggregate(count)",
        ],
    );
    for text in [
        // In order, each piece has a memory of its own.
        "g.V().hasLabel('Person').order().by('age').out('knows').dedup().limit(3)",
        "g.V().hasLabel('Person').outE('knows').has('since',3).inV().dedup().count()",
    ] {
        let plan = physical_with(text, &four);
        assert!(plan.contains("ExchangeScope") && plan.contains("Dedup(it)"), "{text}\n{plan}");
    }
}

#[test]
fn each_piece_has_a_sum_of_its_own() {
    let four = Options { executors: 4, ..Options::default() };
    for step in ["sum", "min", "max"] {
        let whole = format!("Aggregate({step})");
        lowers_with(
            &format!("g.V().hasLabel('Person').outE('knows').values('age').{step}()"),
            &four,
            &[
                "ScanVertices(Person)",
                "ExchangeScope [per batch, inter bfs, intra dfs, max 16]",
                "  Expand(out knows; age → s0)",
                "  Load(s0)",
                &format!("  {whole}"),
                &whole,
            ],
        );
    }
    let plan = physical_with("g.V().hasLabel('Person').out('knows').values('age').mean()", &four);
    assert_eq!(
        plan.matches("Aggregate").count(),
        1,
        "the means of the pieces say nothing of their mean:\n{plan}"
    );
}

#[test]
fn pieces_of_what_is_sorted_stay_in_order() {
    let four = Options { executors: 4, ..Options::default() };
    let plan = physical_with(
        "g.V().hasLabel('Person').order().by('age').out('knows').out('knows').values('age')",
        &four,
    );
    assert!(plan.contains("ExchangeScope [per batch, inter bfs, intra dfs, max 16, in order]"), "{plan}");
}

#[test]
fn pieces_of_what_is_only_counted_or_added_up_need_no_order() {
    let four = Options { executors: 4, ..Options::default() };
    for (behind, ordered) in [
        ("has('age',3).count()", false),
        ("dedup().count()", false),
        ("has('age',3).out('knows').dedup().count()", false),
        ("values('age').sum()", false),
        ("values('age').mean()", false),
        ("values('age').max()", false),
        ("values('age').fold()", true),
        ("dedup().limit(3).count()", true),
        ("fold()", true),
    ] {
        let text = format!("g.V().hasLabel('Person').order().by('age').both('knows').both('knows').{behind}");
        let plan = physical_with(&text, &four);
        let exchanges: Vec<&str> = plan.lines().filter(|line| line.contains("ExchangeScope")).collect();
        assert!(!exchanges.is_empty(), "{text}\n{plan}");
        assert!(exchanges.iter().all(|line| line.contains("in order]") == ordered), "{text}\n{plan}");
    }
}

#[test]
fn ends_that_pass_a_test_and_are_counted_are_not_made() {
    lowers(
        "g.V().hasLabel('Person').out('knows').has('age',gt(3)).has('lang','x').count()",
        &[
            "ScanVertices(Person)",
            "BulkByEnds(out knows; ends with (age > 3 and lang = 'x'))",
            "Aggregate(count)",
        ],
    );
    for text in ["values('age').count()", "dedup().count()", "fold()"] {
        let plan = physical(&format!("g.V(1).out('knows').has('age',gt(3)).{text}"));
        assert!(!plan.contains("BulkByEnds"), "{plan}");
    }
}

#[test]
fn a_choice_by_a_test_reads_a_mark() {
    lowers(
        "g.V().choose(hasLabel('Person'),out('knows'),identity())",
        &[
            "ScanVertices()",
            "FilterScope(all) → s0 [per batch, inter bfs, intra dfs, max 64]",
            "  Filter(label in (Person))",
            "ChooseScope(s0) [per stream, inter bfs, intra dfs, max 64]",
            "  then:",
            "    Forget(s0)",
            "    Expand(out knows)",
            "  else:",
            "    Filter(true)",
        ],
    );
}

#[test]
fn an_unknown_name_matches_nothing_until_the_traversal_itself_may_create_it() {
    lowers("g.V().out('new')", &["ScanVertices()", "Expand(out no label)"]);
    lowers("g.V().has('new',1)", &["ScanVertices()", "Filter(new = 1)"]);
    lowers(
        "g.addV('x').out('new').hasLabel('Fresh')",
        &["AddVertex('x')", "Expand(out ; edges with T.label = 'new')", "Filter(T.label = 'Fresh')"],
    );
}

#[test]
fn literals_that_were_lifted_are_parameters() {
    let mut traversal = gremlin::parse_traversal(
        "g.V().has('Person','id',933).has('age',within(1,2)).out('knows').limit(3)",
        &Default::default(),
    )
    .unwrap();
    gremlin::parameterize(&mut traversal);
    let network = &social_network::SocialNetwork;
    let planned =
        planner::plan(&traversal, network, network, &Options { explain: true, ..Options::default() })
            .unwrap();
    assert_eq!(planned.plan.params, 2);
    assert!(planned.reusable);
    let text = planned.explanation.unwrap().to_string();
    assert!(text.contains("IndexLookup(Person.id = $0)"), "{text}");
    assert!(text.contains("Filter(age within all of ($1))"), "{text}");
}

#[test]
fn an_explanation_shows_every_stage_that_changed_something() {
    let text = "g.V().has('Person','id',1).out('knows').count()";
    let mut traversal = gremlin::parse_traversal(text, &Default::default()).unwrap();
    // As bytecode has it; in text it is a terminal, which the server sees to.
    traversal.steps.push(gremlin::Instruction {
        name: gremlin::StepName::Explain,
        args: Vec::new(),
        at: None,
    });
    let network = &social_network::SocialNetwork;
    let planned = planner::plan(&traversal, network, network, &Options::default()).unwrap();
    assert!(planned.explains);
    let explanation = planned.explanation.unwrap();
    let stages: Vec<&str> = explanation.stages().map(|(stage, _)| stage).collect();
    assert_eq!(stages, ["traversal", "logical plan", "index-lookup", "degree", "physical plan"]);
}

#[test]
fn pieces_inside_a_loop_behind_an_order_keep_it_too() {
    let four = Options { executors: 4, ..Options::default() };
    for behind in ["values('age')", "dedup().count()"] {
        let text =
            format!("g.V().hasLabel('Person').order().by('age').repeat(out('knows')).times(2).{behind}");
        let plan = physical_with(&text, &four);
        let exchanges = plan.lines().filter(|line| line.contains("ExchangeScope"));
        assert!(plan.contains("RepeatScope") && exchanges.clone().count() > 0, "{plan}");
        assert!(exchanges.clone().all(|line| line.contains("in order]")), "{plan}");
        // In order, each piece has a memory of its own.
        assert!(!plan.contains("done in pieces"), "{plan}");
    }
}

#[test]
fn scopes_behind_an_order_keep_it() {
    let filter = physical("g.V().order().by('age').where(out('knows').out('knows').has('age',1))");
    assert!(
        filter.contains("FilterScope(all) [per traverser, inter bfs, intra dfs, max 64, in order]"),
        "{filter}"
    );
    let union = physical("g.V().order().by('age').union(out('knows'),identity())");
    assert!(
        union.contains("FlatMapScope [per traverser, inter bfs, intra dfs, max 64, in order]"),
        "{union}"
    );
    let of_the_stream = physical("g.V().order().by('age').union(out('knows').count(),count())");
    assert!(!of_the_stream.contains("in order"), "{of_the_stream}");
    let of_one = physical("g.V().order().by('age').count().union(identity(),identity())");
    assert!(!of_one.contains("in order"), "{of_one}");
}

#[test]
fn every_operator_says_how_many_rows_it_is_expected_to_send() {
    let guessed = guessed_with(
        "g.V().hasLabel('Person').as('a').out('knows').where(out('likes')).limit(20)",
        &Options::default(),
    );
    let expected = [
        "ScanVertices(Person)  ~1.5k",
        "Expand(out knows)  ~28k",
        "Degree(out likes) → s0  ~28k",
        "Filter((present s0 and s0 > 0))  ~8.5k",
        "Range limit(20)  ~20",
    ];
    assert_eq!(guessed.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_subquery_says_what_it_sends_for_all_traversers_together() {
    let guessed = guessed_with("g.V(1, 2, 3).local(out('knows').limit(2))", &Options::default());
    assert!(guessed.lines().nth(1).unwrap().ends_with("  ~6"), "{guessed}");
    assert_eq!(guessed.lines().last().map(str::trim), Some("Range limit(2)  ~6"), "{guessed}");
}

#[test]
fn guessing_what_loops_in_loops_cost_takes_no_longer_than_reading_them() {
    let loops = |body: &str| (0..40).fold(body.to_owned(), |body, _| format!("repeat({body}).times(9)"));
    let began = std::time::Instant::now();
    assert!(physical(&format!("g.V().{}.count()", loops("out('knows')"))).contains("Repeat"));
    assert!(physical(&format!("g.inject(1).{}.count()", loops("identity()"))).contains("Repeat"));
    assert!(began.elapsed().as_secs() < 20, "nine to the power of forty guesses");
}

/// Subqueries inside one another, in each place where a step may have one.
const NESTED: &[&str] = &[
    "project('a').by(@)",
    "order().by(@.label())",
    "dedup().by(@)",
    "group().by(@.label())",
    "group().by(label()).by(@.count())",
    "groupCount().by(@.label())",
    "aggregate('x').by(@)",
    "as('a').select('a').by(@)",
    "sample(1).by(@.count())",
    "where(@)",
    "not(@)",
    "local(@)",
    "map(@)",
    "coalesce(@, out())",
    "union(@, out())",
    "optional(@)",
    "choose(@, out(), in())",
    "choose(label()).option('a', @)",
    "sideEffect(@)",
    "repeat(@).times(2)",
    "repeat(out()).until(@)",
    "repeat(out()).emit(@).times(2)",
    "emit(@).repeat(out()).times(2)",
    "until(@).repeat(out())",
    "as('a').repeat(where(neq('a')).as('b').local(@)).until(where(eq('b')))",
    "property('n', @.count())",
];

#[test]
fn the_time_to_plan_does_not_double_with_each_subquery_inside_another() {
    for place in NESTED {
        let nested = |times| {
            format!("g.V().{}", (0..times).fold("out()".to_owned(), |inner, _| place.replace('@', &inner)))
        };
        // Beyond what can be planned, it is refused.
        let deepest = (1..60).rev().map(nested).find(|text| planned_with(text, &Options::default()).is_ok());
        assert!(deepest.is_some_and(|text| text.matches(&place[..4]).count() > 10), "{place}");
    }
}
