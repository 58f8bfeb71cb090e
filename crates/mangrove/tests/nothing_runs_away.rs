//! Traversals that would run away: in time, in memory, in depth. Each ends soon, with an error that says why.

use std::time::{Duration, Instant};

use mangrove::values::{BulkSet, Set, Value};
use mangrove::{Database, DatabaseOptions, Error};

/// A database whose queries may take 200 ms and hold 64 MiB.
fn small() -> Database {
    with(TIMEOUT, 64 << 20)
}

/// A database whose queries are ended by their bound of memory.
fn patient(memory_per_query: u64) -> Database {
    with(Duration::from_secs(60), memory_per_query)
}

fn with(timeout: Duration, memory_per_query: u64) -> Database {
    let options = DatabaseOptions {
        timeout: Some(timeout),
        memory_per_query,
        executors: 2,
        ..DatabaseOptions::default()
    };
    let db = Database::in_memory_with(options).unwrap();
    db.query("g.addV('a').property('name','x').as('a').addV('b').property('name','y').addE('e').to('a')")
        .unwrap();
    db
}

const TIMEOUT: Duration = Duration::from_millis(200);

/// How long a query may take that is ended by its deadline, in a debug build beside other tests.
const LATE: Duration = Duration::from_millis(700);

/// How long one may take that is ended by its bound of memory.
const SOON: Duration = Duration::from_secs(20);

/// Runs a query to its end, which must come when its deadline has passed; its error.
fn ends(db: &Database, query: &str) -> Option<String> {
    ends_within(LATE, db, query)
}

/// Runs a query to its end, which must come soon; its error.
fn ends_within(time: Duration, db: &Database, query: &str) -> Option<String> {
    let began = Instant::now();
    let outcome: Result<usize, Error> = db.query(query).and_then(|mut results| {
        let mut count = 0;
        while results.next_bulk()?.is_some() {
            count += 1;
        }
        Ok(count)
    });
    let took = began.elapsed();
    assert!(took < time, "{query} took {took:?}: {outcome:?}");
    outcome.err().map(|error| error.to_string())
}

/// Values that are twice as large with every iteration, and what is then done with them.
const DOUBLING: [&str; 5] = [
    "repeat(path())",
    "repeat(project('a','b').by().by())",
    "repeat(local(union(identity(),identity()).fold()))",
    "repeat(map(union(identity(),identity()).fold()))",
    "repeat(as('x').select('x','x').map(union(identity(),identity()).fold()))",
];

#[test]
fn what_doubles_is_refused_by_the_bound_of_memory_whatever_is_done_with_it() {
    let db = patient(1 << 20);
    for doubling in DOUBLING {
        for then in [
            "groupCount().count()",
            "dedup().count()",
            "order().count()",
            "group().count()",
            "barrier().count()",
            "aggregate('all').cap('all')",
            "asString()",
            "unfold().dedup().count()",
            "order(local)",
            "identity()",
            "fold()",
            "where(eq('x'))",
            "is(1)",
        ] {
            let query = format!("g.inject(1).as('x').{doubling}.times(60).{then}");
            let error = ends_within(SOON, &db, &query).unwrap_or_default();
            assert!(error.contains("engine.memory_per_query"), "{query}: {error}");
        }
    }
}

#[test]
fn what_doubles_and_is_still_within_the_bound_ends_with_the_deadline_or_an_answer() {
    let db = small();
    for times in [16, 18, 19] {
        for doubling in DOUBLING {
            for then in ["groupCount()", "dedup()", "order()", "asString()", "order(local)", "identity()"] {
                // Twice the same, but not shared, so that both are compared to the end.
                let query = format!("g.inject(1,1,1,1).map({doubling}.times({times})).{then}.count()");
                if let Some(error) = ends(&db, &query) {
                    assert!(
                        error.contains("timeout") || error.contains("memory_per_query"),
                        "{query}: {error}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_waits_for_a_loop_to_let_it_in_is_weighed() {
    // Of the iterations of a loop a bounded number is open: what the last of them makes waits for the first to end, and it does not.
    let db = patient(1 << 20);
    for body in ["union(both(),both())", "union(identity(),identity())"] {
        let query = format!("g.V().repeat({body}).until(hasLabel('none'))");
        let error = ends_within(SOON, &db, &query).unwrap_or_default();
        assert!(error.contains("engine.memory_per_query"), "{query}: {error}");
    }
}

#[test]
fn deep_nesting_is_refused_and_dropped() {
    let db = patient(64 << 20);
    let error = ends_within(SOON, &db, "g.inject(1).repeat(local(fold())).times(5000).count(local)").unwrap();
    assert!(error.contains("inside one another"), "{error}");
    assert_eq!(
        ends_within(
            SOON,
            &db,
            "g.inject(1).repeat(local(fold())).times(100).dedup().groupCount().asString()"
        ),
        None
    );
}

#[test]
fn text_that_doubles_is_weighed() {
    for grow in [
        "replace('a','aa')",
        "as('t').format('%{t}%{t}')",
        "local(union(identity(),identity()).fold().conjoin('-'))",
    ] {
        let query = format!("g.inject('a').repeat({grow}).times(40).count()");
        let error = ends_within(SOON, &patient(1 << 20), &query).unwrap_or_default();
        assert!(error.contains("engine.memory_per_query"), "{query}: {error}");
    }
    // One text of 4 KiB that 4,096 traversers share is 4 KiB; texts of their own are 16 MiB.
    let shared =
        "g.inject('a').repeat(replace('a','aa')).times(12).repeat(union(identity(),identity())).times(12)";
    let db = patient(6 << 20);
    assert_eq!(ends_within(SOON, &db, &format!("{shared}.count()")), None);
    assert!(ends_within(SOON, &db, &format!("{shared}.map(concat('b')).fold().count(local)")).is_some());
}

#[test]
fn functions_of_text_and_sorts_end_with_the_deadline() {
    let db = small();
    for text in ["replace('a','aa')", "split('')", "order(local)", "toUpper().toLower()"] {
        let long = "g.inject('a').repeat(replace('a','aa')).times(18)";
        let query =
            format!("{long}.union(identity(),identity(),identity(),identity()).{text}.dedup().count()");
        if let Some(error) = ends(&db, &query) {
            assert!(error.contains("timeout") || error.contains("memory"), "{query}: {error}");
        }
    }
    let many = "g.inject('ab').repeat(union(concat('a'),concat('b'))).times(20).order().count()";
    assert!(ends(&db, many).is_some_and(|error| error.contains("timeout") || error.contains("memory")));
}

#[test]
fn copies_of_one_result_end_with_the_deadline() {
    let db = small();
    let began = Instant::now();
    let mut copies = 0_u64;
    let error = db
        .query("g.inject(1).repeat(union(identity(),identity()).barrier()).times(40)")
        .unwrap()
        .inspect(|_| copies += 1)
        .find_map(Result::err);
    assert!(error.is_some_and(|error| error.to_string().contains("timeout")));
    assert!(began.elapsed() < LATE, "{:?}", began.elapsed());
    assert!(copies > 0);
}

#[test]
fn results_share_what_they_shared_before() {
    let db = small();
    let nested = "g.V().limit(1).repeat(project('a','b').by().by()).times(12)";
    let results: Vec<Value> = db.query(nested).unwrap().map(Result::unwrap).collect();
    let [Value::Map(map)] = &results[..] else { panic!("one map, not {results:?}") };
    let parts: Vec<_> = map.iter().map(|(_, part)| part.address()).collect();
    assert_eq!(parts[0], parts[1], "4,096 vertices are not copied");
}

#[test]
fn functions_of_one_long_text_end_with_the_deadline() {
    let db = small();
    let long = "inject('xy').repeat(replace('x','xx')).times(23)";
    let many =
        ".union(identity(),identity(),identity(),identity(),identity(),identity(),identity(),identity())";
    for function in
        ["toUpper()", "toLower()", "reverse()", "substring(1)", "trim()", "length()", "split('q')"]
    {
        // Whether it is done in time or not, it does not go on.
        ends(&db, &format!("g.{long}{many}{many}.{function}.count()"));
    }
    ends(&db, &format!("g.{long}.repeat(is(containing('yx')).or(identity(),identity())).times(100).count()"));
    let digits = "g.inject('9').repeat(replace('9','99')).times(16).asNumber()";
    let error = ends_within(SOON, &patient(64 << 20), digits).unwrap();
    assert!(error.contains("at most 20000 digits"), "{error}");
}

#[test]
fn members_of_a_collection_are_not_copied_before_somebody_asks_how_many_there_are() {
    let db = patient(1 << 20);
    // A bulk set of 2⁴⁰ members, of which each is there once.
    let billions = "inject(1).repeat(union(identity(),identity())).times(40).aggregate('x').cap('x')";
    for function in ["index()", "reverse()", "order(local)", "combine([1])", "product([1,2])"] {
        let error = ends_within(SOON, &db, &format!("g.{billions}.{function}"));
        assert!(error.is_none_or(|error| error.contains("memory_per_query")), "{function}");
    }
}

#[test]
fn a_bag_of_more_than_a_long_can_count_is_an_error() {
    let db = patient(1 << 20);
    let times = |times: u32, fill: &str| {
        format!("g.inject(1).repeat(union(identity(),identity()).barrier()).times({times}).{fill}")
    };
    for fill in ["aggregate('x').cap('x')", "aggregate(local,'x').cap('x')"] {
        assert!(ends_within(SOON, &db, &times(62, fill)).is_none(), "{fill}");
        for over in [63, 64, 70] {
            let error = ends_within(SOON, &db, &times(over, fill)).unwrap();
            assert!(error.contains("long overflow"), "{fill}: {error}");
        }
    }
    let assigned = times(70, "aggregate('x').cap('x')").replace("g.", "g.withSideEffect('x', [], assign).");
    let error = ends_within(SOON, &db, &assigned).unwrap();
    assert!(error.contains("long overflow"), "{error}");
}

#[test]
fn scopes_inside_one_another_end_with_the_deadline() {
    let db = small();
    db.query("g.inject(1,2,3,4,5,6).addV('c').count()").unwrap();
    db.query("g.V().hasLabel('c').as('a').V().hasLabel('c').addE('c').from('a').count()").unwrap();
    for innermost in ["out('none')", "identity()", "out('c').out('none')"] {
        let nested = |step: &str| (0..40).fold(innermost.to_owned(), |inner, _| format!("{step}({inner})"));
        for step in
            ["both('c').where", "where", "not", "both('c').map", "optional", "local", "both('c').coalesce"]
        {
            ends(&db, &format!("g.V().hasLabel('c').{}.count()", nested(step)));
        }
    }
}

#[test]
fn loops_in_loops_are_planned_at_once() {
    let db = small();
    let loops = (0..20).fold("identity()".to_owned(), |body, _| format!("repeat({body}).times(7)"));
    let error = ends(&db, &format!("g.inject(1).{loops}.count()")).unwrap();
    assert!(error.contains("evaluation timeout"), "{error}");
}

#[test]
fn a_scan_of_what_is_hardly_there_ends_with_the_deadline() {
    let db = with(TIMEOUT, 256 << 20);
    for part in 0..8 {
        let names = format!("inject('l{part}').repeat(union(concat('a'),concat('b'))).times(7)");
        db.query(&format!("g.with('evaluationTimeout',60000L).{names}.as('l').addV('n').as('v').addE(select('l')).from('v').to('v').drop()"))
            .unwrap();
    }
    for _ in 0..4 {
        // Vertices without edges, each with thousands of empty lists.
        db.query("g.with('evaluationTimeout',60000L).inject(1).repeat(union(identity(),identity())).times(12).addV('n')").unwrap();
    }
    ends(&db, "g.E().count()");
    ends(&db, "g.E().drop()");
    ends(&db, "g.V().repeat(V()).times(3).count()");
}

#[test]
fn a_plan_for_any_label_takes_no_longer_for_thousands_of_labels() {
    let db = Database::in_memory().unwrap();
    let names = |first: char| format!("inject('{first}').repeat(union(concat('a'),concat('b'))).times(11)");
    db.query(&format!("g.{}.as('l').addV(select('l')).count()", names('v'))).unwrap();
    let edges =
        format!("g.V().limit(1).as('v').{}.as('l')", names('e').replacen("inject('e')", "constant('e')", 1));
    db.query(&format!("{edges}.addE(select('l')).from('v').to('v').count()")).unwrap();
    assert_eq!(db.graph().snapshot().catalog().vertex_labels().count(), 1 << 11);
    let begun = Instant::now();
    db.explain("g.V().both().both().both().both()").unwrap();
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
}

#[test]
fn planning_ends_with_the_deadline() {
    let timeout = Some(Duration::from_millis(2));
    let db = Database::in_memory_with(DatabaseOptions { timeout, ..DatabaseOptions::default() }).unwrap();
    let long = format!("g.V(){}.count()", ".out()".repeat(6_000));
    for outcome in [db.query(&long).map(drop), db.explain(&long).map(drop)] {
        let error = outcome.unwrap_err().to_string();
        assert!(error.contains("evaluation timeout"), "{error}");
    }
}

#[test]
fn a_plan_of_thousands_of_steps_takes_as_long_as_many_of_few() {
    let db = Database::in_memory().unwrap();
    let time = |steps: usize| {
        let text = format!("g.V(){}.count()", ".out()".repeat(steps));
        let begun = Instant::now();
        db.explain(&text).unwrap();
        begun.elapsed()
    };
    let (few, many) = (time(500), time(4_000));
    assert!(many < few * 32, "500 steps take {few:?}, eight times as many {many:?}");
}

#[test]
fn tests_of_all_members_end_with_the_deadline() {
    let db = with(TIMEOUT, 1 << 30);
    for test in ["all(neq('x'))", "none(eq('x'))", "any(eq('x'))"] {
        let query = format!("g.inject(s).split(''){}.count(local)", format!(".{test}").repeat(100));
        let began = Instant::now();
        let outcome = db.query_with(&query, [("s", Value::str("ab".repeat(500_000)))]);
        let outcome = outcome.and_then(|results| results.collect::<Result<Vec<_>, _>>());
        assert!(began.elapsed() < 2 * LATE, "{test} took {:?}: {outcome:?}", began.elapsed());
    }
}

#[test]
fn what_a_plan_is_known_by_does_not_grow_with_the_values_in_it() {
    let db = with(Duration::from_secs(60), 64 << 20);
    let with_each = (0..300).map(|n| format!("withSideEffect('b{n}', xs).")).collect::<String>();
    let xs = Value::list((0..200_000).map(Value::Int).collect::<Vec<_>>());
    let began = Instant::now();
    let count = db.query_with(&format!("g.{with_each}V().count()"), [("xs", xs)]).unwrap();
    assert_eq!(count.collect::<Result<Vec<_>, _>>().unwrap(), [Value::Long(2)]);
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}

#[test]
fn labels_of_paths_and_names_that_are_said_again_are_weighed_or_said_once() {
    let db = patient(4 << 20);
    db.query("g.inject(1).repeat(addV('c')).times(1).union(identity(), addV('c')).count()").unwrap();
    (0..10).for_each(|_| drop(db.query("g.V().addV('c')").unwrap()));
    let labels = (0..2_000).map(|n| format!(".as('k{n}')")).collect::<String>();
    let refused = ends_within(SOON, &db, &format!("g.V(){labels}.path()")).expect("each has 2,000 labels");
    assert!(refused.contains("engine.memory_per_query"), "{refused}");
    let again = vec!["'a'"; 20_000].join(",");
    assert_eq!(ends_within(SOON, &db, &format!("g.V().as('a').dedup({again}).count()")), None);
}

/// Each of the expansions has a batch that it is not through with: they count while it works on them.
#[test]
fn what_operators_are_not_through_with_is_weighed() {
    let db = patient(16 << 20);
    db.query("g.inject(0).repeat(union(identity(), identity())).times(8).addV('c')").unwrap();
    db.query("g.V().hasLabel('c').as('a').V().hasLabel('c').limit(16384).addE('e').from('a')").unwrap();
    let pattern = |n: usize| format!("__.as('k{n}').out().as('k{}')", n + 1);
    let patterns = (0..120).map(pattern).collect::<Vec<_>>().join(",");
    let refused = ends_within(SOON, &db, &format!("g.V().match({patterns}).count()")).expect("it explodes");
    assert!(refused.contains("engine.memory_per_query"), "{refused}");
}

#[test]
fn what_is_added_to_a_given_value_very_often_ends() {
    // A bulk of 2^62.
    let many = "V().hasLabel('b').union(identity(),identity()).repeat(both().union(identity(),identity()).barrier()).times(61)";
    let db = with(TIMEOUT, 64 << 20);
    for (query, answer) in [
        (format!("g.withSideEffect('x', 0L, sum).{many}.constant(0L).aggregate('x').count()"), true),
        (format!("g.withSideEffect('x', 0L, sum).{many}.constant(0L).aggregate(local, 'x').count()"), true),
        (format!("g.{many}.constant(0L).fold(0L, sum)"), true),
        (format!("g.withSideEffect('x', 1.0d, sum).{many}.constant(0.5d).aggregate('x').count()"), false),
        (format!("g.{many}.constant(0.5d).fold(0.5d, sum)"), false),
        (format!("g.withSideEffect('x', []).{many}.aggregate('x').count()"), false),
        (format!("g.withSideEffect('x', []).{many}.aggregate(local, 'x').count()"), false),
    ] {
        let error = ends(&db, &query);
        assert_eq!(error.is_none(), answer, "{query}: {error:?}");
        if let Some(error) = error {
            assert!(error.contains("timeout") || error.contains("memory_per_query"), "{query}: {error}");
        }
    }
}

#[test]
fn what_side_effects_and_sacks_hold_is_weighed() {
    let db = patient(32 << 20);
    let text = "g.inject('a').repeat(replace('a','aa')).times(16)";
    for query in [
        format!("{text}.repeat(concat('b').groupCount('m')).times(5000).cap('m').count(local)"),
        format!("{text}.repeat(concat('b').group('m').by().by(count())).times(5000).cap('m').count(local)"),
        format!("{text}.repeat(concat('b').group('m').by(count())).times(5000).cap('m').count(local)"),
        format!("{text}.as('t').constant(0).repeat(math('_ + 1').group('m').by().by(select('t').concat('x').fold())).times(5000).cap('m').count(local)"),
        "g.withSack([1,2,3,4,5,6,7,8], addAll).V().repeat(both().barrier()).times(1).repeat(union(identity(),identity(),identity(),identity()).barrier()).times(30).sack().count(local).sum()".to_owned(),
    ] {
        let error = ends_within(SOON, &db, &query).unwrap_or_default();
        assert!(error.contains("engine.memory_per_query"), "{query}: {error}");
    }
    // The same key again and again is held once.
    let same = format!("{text}.repeat(groupCount('m')).times(3000).cap('m').count(local)");
    assert_eq!(ends_within(SOON, &db, &same), None);
}

#[test]
fn copies_of_a_large_property_are_weighed_while_they_are_made() {
    let db = patient(64 << 20);
    db.query("g.addV('big').property('t', __.constant('a').repeat(replace('a','aa')).times(20))").unwrap();
    db.query("g.inject(0).repeat(union(identity(), identity())).times(11).addV('c')").unwrap();
    // With `values('t')` they leave before they are many: see `chunks_of_large_values_end_early`.
    for then in ["valueMap('t')", "elementMap('t')", "project('t').by('t')", "order().by('t').by(id)"] {
        let query =
            format!("g.V().hasLabel('big').as('b').V().hasLabel('c').skip(600).select('b').{then}.count()");
        if let Some(error) = ends_within(SOON, &db, &query) {
            assert!(error.contains("engine.memory_per_query"), "{query}: {error}");
        }
    }
}

#[test]
fn long_paths_and_large_keys_end_with_the_deadline() {
    let db = with(TIMEOUT, 512 << 20);
    for query in [
        "g.inject(1).repeat(constant(1)).times(60000).repeat(V().limit(2)).times(6).simplePath().count()",
        "g.inject('a').repeat(replace('a','aa')).times(22).as('t').V().union(identity(),identity(),identity()).order().by(select('t').concat('x')).id()",
        "g.V().V().V().V().V().V().V().V().V().V().sample(1000000000).count()",
    ] {
        if let Some(error) = ends(&db, query) {
            assert!(error.contains("timeout") || error.contains("memory_per_query"), "{query}: {error}");
        }
    }
    let formula = vec!["tan(_)"; 2000].join("+");
    let formula =
        format!("g.inject(1).repeat(union(identity(),identity())).times(12).math('{formula}').count()");
    let error = ends(&db, &formula);
    assert!(error.is_none_or(|error| error.contains("timeout")));
}

/// A bulk set of one member, which is there so many times.
fn many_times(member: impl Into<Value>, times: u64) -> Value {
    BulkSet::from_iter([(member.into(), times)]).into()
}

#[test]
fn ids_that_are_there_very_often_are_looked_for_piece_by_piece() {
    let db = small();
    let id = db.query("g.V().limit(1).id()").unwrap().next().unwrap().unwrap();
    for id in [id, Value::from("nobody")] {
        let began = Instant::now();
        let found = db.query_with("g.V(ids).count()", [("ids", many_times(id, 1 << 60))]).unwrap().next();
        assert!(found.is_some_and(|found| found.unwrap_err().to_string().contains("timeout")));
        assert!(began.elapsed() < LATE, "{:?}", began.elapsed());
    }
}

#[test]
fn members_that_are_there_very_often_are_reduced_at_once() {
    let db = small();
    let often = many_times(2, 1 << 50);
    for (query, answer) in [
        ("sum(local)", Value::Long(1 << 51)),
        ("mean(local)", Value::Double(2.0)),
        ("max(local)", Value::Int(2)),
        ("min(local)", Value::Int(2)),
        ("range(local, 1, 1125899906842624).count(local)", Value::Long(1)),
    ] {
        let began = Instant::now();
        let outcome = db.query_with(&format!("g.inject(often).{query}"), [("often", often.clone())]);
        let results = outcome.unwrap().collect::<Result<Vec<_>, _>>();
        assert_eq!(results.unwrap(), [answer], "{query}");
        assert!(began.elapsed() < LATE, "{query} took {:?}", began.elapsed());
    }
}

#[test]
fn edges_that_an_algorithm_finds_are_weighed_together_and_found_piece_by_piece() {
    let db = patient(64 << 20);
    let merged = "bothE('e').repeat(union(identity(), identity()).barrier())";
    for times in [19, 40] {
        let query = format!("g.V().pageRank().with(PageRank.edges, {merged}.times({times})).count()");
        let error = ends_within(SOON, &db, &query).unwrap_or_default();
        assert!(error.contains("memory_per_query") || error.contains("edges"), "{query}: {error}");
    }
    // Of a hub how long its edges are is asked some thousands at a time.
    let leaves = "repeat(union(identity(), identity())).times(15).addV('leaf').as('l')";
    let hub = format!(
        "g.V().hasLabel('a').as('h').{leaves}.addE('long').property('w', 2).from('h').to('l').count()"
    );
    db.query(&hub).unwrap();
    let paths = "with(ShortestPath.edges, outE('long')).with(ShortestPath.distance, values('w'))";
    let far = format!("g.V().hasLabel('a').shortestPath().{paths}.with(ShortestPath.maxDistance, 2).count()");
    let count = db.query(&far).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(count, [Value::Long((1 << 15) + 1)]);
}

#[test]
fn many_travellers_along_many_paths_leave_piece_by_piece() {
    let db = small();
    for layer in 0..10 {
        db.query(&format!("g.inject(0, 1).addV('layer{layer}').count()")).unwrap();
    }
    for layer in 0..9 {
        let next = layer + 1;
        let edges =
            format!("V().hasLabel('layer{layer}').as('a').V().hasLabel('layer{next}').addE('on').from('a')");
        db.query(&format!("g.{edges}.count()")).unwrap();
    }
    // From each of two vertices 512 paths, for each of two to the power of `times` who are there.
    let along = |times: usize| {
        let who = format!("inject('a').repeat(union(concat('a'), concat('b'))).times({times}).as('who')");
        let paths = "shortestPath().with(ShortestPath.target, hasLabel('layer9')).with(ShortestPath.edges, Direction.OUT)";
        format!(
            "g.{who}.V().hasLabel('layer0').{paths}.groupCount().by(select('who')).unfold().select(values)"
        )
    };
    let counts = db.query(&along(3)).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(counts, vec![Value::Long(1024); 8]);
    let error = ends(&db, &along(14)).unwrap();
    assert!(error.contains("timeout") || error.contains("memory_per_query"), "{error}");
}

/// A chunk is weighed when it has left whoever makes it: of large values it ends before it would be too large.
#[test]
fn chunks_of_large_values_end_early() {
    let db = patient(12 << 20);
    db.query("g.addV('big').property('t', __.constant('a').repeat(replace('a','aa')).times(18))").unwrap();
    let sixteen = "V().hasLabel('big').as('b').repeat(union(identity(), identity())).times(4)";
    let edges = "addE('own').property('n', 1).property('t', select('b').values('t')).from('b').to('b')";
    (0..4).for_each(|_| drop(db.query(&format!("g.{sixteen}.{edges}.iterate()")).unwrap()));
    for query in [
        "g.V().hasLabel('big').outE('own').values('t').count()",
        "g.V().hasLabel('big').outE('own').has('n', 1).values('t').count()",
        "g.V().hasLabel('big').outE('own').properties('t').count()",
        "g.V().hasLabel('big').as('b').outE('own').select('b').values('t').count()",
    ] {
        let counted = db.query(query).and_then(|results| results.collect::<Result<Vec<_>, _>>());
        assert_eq!(counted.unwrap_or_else(|error| panic!("{query}: {error}")), [Value::Long(64)], "{query}");
    }
}

#[test]
fn what_a_side_effect_takes_over_is_charged_once() {
    // Its 256 keys take 8 MiB, and so do their traversers, which wait until all have come.
    let keys =
        "inject('a').repeat(replace('a','aa')).times(15).repeat(union(concat('a'),concat('b'))).times(8)";
    let query = format!("g.{keys}.group('m').by().by(count()).count()");
    assert_eq!(ends_within(SOON, &patient(22 << 20), &query), None);
}

#[test]
fn sets_that_sacks_merge_are_charged_for_what_they_hold() {
    let db = patient(8 << 20);
    let xs: Value = (0..10_000).map(Value::Int).collect::<Set>().into();
    let objects = (0..64).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    let query = format!("g.withSack(xs, addAll).inject({objects}).constant(0).barrier().sack().count(local)");
    let counts = db.query_with(&query, [("xs", xs)]).unwrap().collect::<Result<Vec<_>, _>>();
    assert_eq!(counts.unwrap(), vec![Value::Long(10_000); 64]);
}
