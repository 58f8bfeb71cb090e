//! `match`: patterns between variables.

use std::time::{Duration, Instant};

use mangrove::Database;

fn database() -> Database {
    let db = Database::in_memory().unwrap();
    let setup = "g.addV('p').property('n', 'a').as('a').addV('p').property('n', 'b').as('b').addV('p').property('n', 'c').as('c').\
        addV('p').property('n', 'd').as('d').addE('k').from('a').to('b').addE('k').from('b').to('c').addE('k').from('a').to('c').\
        addE('k').from('c').to('d').addE('l').from('d').to('a')";
    ask(&db, setup);
    db
}

fn ask(db: &Database, traversal: &str) -> Vec<String> {
    let results = db.query(traversal).unwrap_or_else(|error| panic!("{traversal}: {error}"));
    let mut all: Vec<_> = results.map(|value| value.unwrap().to_string()).collect();
    all.sort();
    all
}

fn error(traversal: &str) -> String {
    match database().query(traversal) {
        Err(error) => error.to_string(),
        Ok(mut results) => results.find_map(Result::err).expect("an error").to_string(),
    }
}

#[test]
fn what_a_reducer_inside_of_a_pattern_makes_is_of_one_traverser_and_forgets_nothing() {
    let db = database();
    for (traversal, expected) in [
        ("g.V().match(as('x').union(group())).select('x').by('n')", ["a", "b", "c", "d"]),
        (
            "g.V().match(as('x').count().as('c'), as('c').local(max())).select('x').by('n')",
            ["a", "b", "c", "d"],
        ),
        ("g.V().match(as('x').optional(out().count()).as('c')).select('c')", ["1", "1", "1", "2"]),
    ] {
        let found = ask(&db, traversal);
        assert_eq!(found, expected, "{traversal}");
    }
}

const TRIANGLE: &str = "as('x').out('k').as('y'), as('y').out('k').as('z'), as('x').out('k').as('z')";

#[test]
fn patterns_are_found_in_whatever_order_they_are_written() {
    let db = database();
    let patterns: Vec<_> = TRIANGLE.split(", ").collect();
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0], [0, 2, 1], [2, 0, 1]] {
        let written = order.map(|at| patterns[at]).join(", ");
        let found = format!("g.V().match({written}).select('x', 'y', 'z').by('n')");
        assert_eq!(ask(&db, &found), ["{x=a, y=b, z=c}"], "{written}");
    }
}

#[test]
fn a_triangle_is_an_expansion_to_a_vertex_that_is_known() {
    let explained = ask(&database(), &format!("g.V().match({TRIANGLE}).explain()")).concat();
    assert!(explained.contains("ExpandInto"), "{explained}");
}

#[test]
fn variables_that_were_named_before_are_those() {
    let db = database();
    let found = "g.V().has('n', 'a').as('x').out().as('y').match(as('x').out().as('z'), as('y').out().as('z')).select('z').by('n')";
    assert_eq!(ask(&db, found), ["c"]);
    let found = "g.V().as('x').out('l').match(as('x').in('k').as('y')).select('x', 'y').by('n')";
    assert_eq!(ask(&db, found), ["{x=d, y=c}"]);
}

#[test]
fn entries_of_maps_are_taken_for_no_variables() {
    let db = database();
    let found = "g.inject([x: 1, y: 2]).match(as('x').select('y').as('y'), as('x').select('x').as('z')).select('y', 'z')";
    assert_eq!(ask(&db, found), ["{y=2, z=1}"]);
}

/// TinkerPop's modern graph.
fn modern() -> Database {
    let db = Database::in_memory().unwrap();
    let person = |id, name, age| {
        format!("addV('person').property(T.id, {id}).property('name', '{name}').property('age', {age})")
    };
    let software = |id, name| format!("addV('software').property(T.id, {id}).property('name', '{name}')");
    let edge = |label, from, to| format!("addE('{label}').from(V({from})).to(V({to}))");
    let steps = [
        person(1, "marko", 29),
        person(2, "vadas", 27),
        software(3, "lop"),
        person(4, "josh", 32),
        software(5, "ripple"),
        person(6, "peter", 35),
        edge("knows", 1, 2),
        edge("knows", 1, 4),
        edge("created", 1, 3),
        edge("created", 4, 5),
        edge("created", 4, 3),
        edge("created", 6, 3),
    ];
    ask(&db, &format!("g.{}", steps.join(".")));
    db
}

fn answers_as_tinkerpop(cases: &[(&str, &[&str])]) {
    let db = modern();
    for (traversal, expected) in cases {
        assert_eq!(&ask(&db, traversal), expected, "{traversal}");
    }
}

/// It begins at the name that the traverser has, and a `by` of an object that is looked up knows of no name.
#[test]
fn a_match_in_a_by_knows_the_names_that_the_by_sees() {
    const BACK: &str = "match(as('c').both('knows').as('a'), as('a').both('knows').as('c')).count()";
    let db = modern();
    for (steps, expected) in [
        ("V().as('a').project('y').by(BACK).select('y')", vec!["0", "0", "0", "1", "1", "2"]),
        ("V(1).as('a').out('knows').group().by(BACK).by(count())", vec!["{2=2}"]),
        ("V(1).as('a').out('knows').math('_').by(BACK)", vec!["2.0", "2.0"]),
        ("V().as('a').out().dedup().by(BACK).count()", vec!["3"]),
        ("V().as('a').out().groupCount().by(BACK).unfold()", vec!["{0=1}", "{1=2}", "{2=3}"]),
        ("V().as('a').out().aggregate('q').by(BACK).cap('q').unfold()", vec!["0", "1", "1", "2", "2", "2"]),
        ("V(1).as('a').out('knows').values('name').order().by(BACK)", vec!["josh", "vadas"]),
    ] {
        let traversal = format!("g.{}", steps.replace("BACK", BACK));
        assert_eq!(ask(&db, &traversal), expected, "{traversal}");
    }
    answers_as_tinkerpop(&[
        (
            "g.V().as('a').out().as('z').select('a','z').by(match(as('c').both().as('a')).count())",
            &["{a=1, z=3}", "{a=3, z=1}", "{a=3, z=1}", "{a=3, z=3}", "{a=3, z=3}", "{a=3, z=3}"],
        ),
        (
            "g.V().as('a').out().as('z').simplePath().by(match(as('c').both().as('a')).count()).count()",
            &["3"],
        ),
        // The traverser itself has had the name; what is called 'a' has not.
        (
            "g.V().as('a').out().as('z').where(eq('a')).by(match(as('c').both().as('a')).count()).count()",
            &["1"],
        ),
        (
            "g.V().as('a').out().as('z').where('a',eq('z')).by(match(as('c').both().as('a')).count()).count()",
            &["3"],
        ),
    ]);
}

/// What `matching/` says of each step's `by` is what `bind/` does.
#[test]
fn a_match_in_a_by_knows_a_name_where_select_finds_it() {
    let db = modern();
    let (selected, matched) =
        ("coalesce(select('a'), identity()).id()", "match(as('a').identity()).select('a').id()");
    for form in [
        "project('y').BY",
        "group().BY.by(count())",
        "group().by(label).by(BYX.fold())",
        "groupCount().BY",
        "group('m').BY.by(count()).cap('m')",
        "groupCount('m').BY.cap('m')",
        "select('z').BY",
        "select(last, 'a', 'z').BY",
        "path().BY",
        "path().from('z').BY",
        "tree().BY",
        "order().BY.values('name')",
        "fold().order(local).BY",
        "dedup().BY.values('name')",
        "dedup('a').BY.values('name')",
        "fold().dedup(local).unfold().id()",
        "aggregate('q').BY.cap('q')",
        "sack(assign).BY.sack()",
        "math('_ + 1').BY",
        "math('z + _').BY.BY",
        "format('%{_}').BY",
        "simplePath().BY.values('name')",
        "cyclicPath().BY.values('name')",
        "where(eq('z')).BY.values('name')",
        "where('a', neq('z')).BY.values('name')",
        "where(gt('a')).BY.by(id).values('name')",
    ] {
        let ask = |by: &str| {
            let steps = form.replace("BYX", by).replace("BY", &format!("by({by})"));
            ask(&db, &format!("g.withSack(0).V().order().by(id).as('a').out().as('z').{steps}"))
        };
        assert_eq!(ask(matched), ask(selected), "{form}");
    }
    // An object that is called by its name has no past.
    let found = ask(&db, &format!("g.V().as('a').out().as('z').math('z + 0').by({selected})"));
    assert_eq!(found, ["2.0", "3.0", "3.0", "3.0", "4.0", "5.0"]);
}

#[test]
fn names_that_some_traversers_have_are_asked_of_each() {
    let inner = "match(as('a').match(as('a').out().as('b'))).select('b')";
    let (twice, looped) = (
        format!("g.V(1).optional({inner}).optional({inner}).id()"),
        format!("g.V(1).repeat({inner}).times(2).id()"),
    );
    answers_as_tinkerpop(&[
        (&twice, &["2", "3", "4"]),
        (&looped, &["2", "3", "4"]),
        ("g.V(1).repeat(optional(match(as('a').out().as('b')).select('b'))).times(2).id()", &["2", "3", "4"]),
        (
            "g.V(1).as('a').optional(out('knows').as('b')).match(as('c').match(as('c').both('knows').as('b'))).count()",
            &["0"],
        ),
        (
            "g.V().as('a').choose(has('age'),out().as('b'),identity()).match(as('c').match(as('c').both().as('b'))).count()",
            &["4"],
        ),
        // Who has a name that patterns start with begins there.
        (
            "g.V(1).as('a').optional(out('knows').as('b')).match(as('c').both().as('b'),as('b').both().as('c')).count()",
            &["4"],
        ),
        (
            "g.V().as('a').choose(has('age'),out().as('b'),identity()).match(as('c').both().as('b'),as('b').both().as('c')).count()",
            &["18"],
        ),
        (
            "g.V().choose(has('age'),as('a').out(),as('b').in()).match(as('a').both().as('b')).count()",
            &["20"],
        ),
    ]);
    let unsolvable = "g.V().choose(has('age'),as('a').out(),as('b').in()).match(as('a').both().as('c'),as('b').both().as('c'))";
    let told = modern().query(unsolvable).unwrap().find_map(Result::err).expect("an error").to_string();
    assert!(told.contains("unsolvable"), "{told}");
}

#[test]
fn so_many_names_that_some_traversers_have_are_refused() {
    let names: Vec<_> = (0..8).map(|name| format!("optional(out().as('n{name}'))")).collect();
    let patterns: Vec<_> = (0..7).map(|name| format!("as('n{name}').both().as('n{}')", name + 1)).collect();
    let told = error(&format!("g.V().{}.match({})", names.join("."), patterns.join(",")));
    assert!(told.contains("variables of a match()"), "{told}");
    // Inside one another they would double with each level.
    let named: Vec<_> = (0..5).map(|name| format!("optional(out().as('n{name}'))")).collect();
    let patterns = |level: usize| {
        let path =
            |name: usize| format!("as('n{name}x{level}').{}.as('n{}x{level}')", named[name % 5], name + 1);
        (0..4).map(path).collect::<Vec<_>>().join(",")
    };
    let names = |level: usize| {
        let name = |name: usize| format!("optional(out().as('n{name}x{level}'))");
        (0..5).map(name).collect::<Vec<_>>().join(".")
    };
    let deep = (0..6).fold("id()".to_owned(), |inside, level| {
        format!("{}.match({},as('n0x{level}').map({inside}).as('m{level}'))", names(level), patterns(level))
    });
    let told = error(&format!("g.V().{deep}"));
    assert!(told.contains("match()es"), "{told}");
}

#[test]
fn a_match_of_conditions_alone_begins_at_the_traverser_in_a_loop_too() {
    answers_as_tinkerpop(&[
        (
            "g.V(1).as('d').repeat(out('created').match(not(as('d').out('created'))).select('d')).times(1).id()",
            &["3"],
        ),
        (
            "g.V(1).as('d').repeat(out('created').match(where(as('d').in('created'))).select('d')).times(1).id()",
            &["3"],
        ),
    ]);
}

#[test]
fn conditions_that_begin_with_variables_look_into_no_map() {
    let of_a_map =
        |patterns: &str| format!("g.V(4).as('c').in().as('e').project('c').by().match({patterns}).count()");
    let [not, is, left, right] = [
        "as('c').values('age').as('d'), not(as('c').in('knows'))",
        "as('c').values('age').as('d'), where(as('c').in('knows'))",
        "as('c').out().as('d'), where('c', neq('e'))",
        "as('c').out().as('d'), where('e', eq('c'))",
    ]
    .map(of_a_map);
    answers_as_tinkerpop(&[(&not, &["0"]), (&is, &["1"]), (&left, &["2"]), (&right, &["0"])]);
}

#[test]
fn conditions_wait_for_their_variables() {
    let db = database();
    let asked = |patterns: &str| ask(&db, &format!("g.V().match({patterns}).select('x', 'y').by('n')"));
    assert_eq!(asked("where('x', neq('y')), not(as('y').out('k')), as('x').out().as('y')"), ["{x=c, y=d}"]);
    assert_eq!(asked("where(as('y').out('l')), as('x').out('k').as('y')"), ["{x=c, y=d}"]);
    assert_eq!(
        asked("as('x').out('k').as('y'), and(as('y').has('n', 'b'), as('x').has('n', 'a'))"),
        ["{x=a, y=b}"]
    );
    assert_eq!(
        asked("as('x').out('k').as('y'), or(as('y').has('n', 'b'), as('x').has('n', 'c'))"),
        ["{x=a, y=b}", "{x=c, y=d}"]
    );
    assert_eq!(
        asked("as('x').out('k').as('y'), as('y').has('n', 'b').or().as('y').has('n', 'd')"),
        ["{x=a, y=b}", "{x=c, y=d}"]
    );
}

#[test]
fn barriers_inside_a_pattern_see_what_one_traverser_brings() {
    let db = database();
    let found = "g.V().match(as('x').out('k').count().as('y')).select('x', 'y').by('n').by()";
    assert_eq!(ask(&db, found), ["{x=a, y=2}", "{x=b, y=1}", "{x=c, y=1}", "{x=d, y=0}"]);
    let found = "g.V().match(as('x').out('k').order().by('n', desc).limit(1).as('y')).select('y').by('n')";
    assert_eq!(ask(&db, found), ["c", "c", "d"]);
}

#[test]
fn what_only_some_branches_find_is_in_the_map_where_it_was_found() {
    let found = "g.V().match(as('x').out('k').as('y'), or(as('y').out('l').as('z'), as('y').has('n', 'b')))";
    let found = ask(&database(), &format!("{found}.count(local)"));
    assert_eq!(found, ["2", "3"]);
}

#[test]
fn nothing_of_it_is_seen_on_a_path() {
    let found =
        ask(&database(), "g.V().has('n', 'a').match(as('x').out('l').as('y').in('l').as('x')).path()");
    assert!(found.is_empty());
    let db = database();
    let labels = "g.V().has('n', 'd').match(as('x').out('l').as('y')).path().count(local)";
    assert_eq!(ask(&db, labels).len(), 1);
    let path = ask(&db, "g.V().has('n', 'd').match(as('x').out('l').as('y')).path()");
    assert!(!path.concat().contains('\u{2063}'), "{path:?}");
}

#[test]
fn a_condition_may_begin_with_what_only_some_traversers_have() {
    let db = database();
    for before in [
        "local(out('k').as('z'))",
        "union(out('k').as('z'))",
        "flatMap(out('k')).optional(identity().as('z'))",
    ] {
        let found = format!(
            "g.V().has('n', 'a').{before}.match(as('x').in('k').as('y'), where('z', neq('y'))).count()"
        );
        assert_eq!(ask(&db, &found), ["3"], "{found}");
    }
    let not_all = "g.V().has('n', 'a').union(identity(), out('k').as('z')).match(as('x').out('k').as('y'), where('z', neq('y')))";
    let said = error(not_all);
    assert!(said.contains("unsolvable"), "{said}");
}

#[test]
fn patterns_that_are_none_are_refused() {
    for (traversal, part) in [
        ("g.V().match(out().as('x'))", "single start label"),
        ("g.V().match(as('x').as('y').out())", "single start label"),
        ("g.V().match(as('x').out().as('y', 'z'))", "at most one label"),
        ("g.V().match(as('x').out().as('y'), as('u').out().as('v'))", "unsolvable"),
        ("g.V().hasLabel('none').match(as('x').out(), not(as('u')))", "unsolvable"),
        ("g.V().match(as('x').out(), where(as('u').in()))", "unsolvable"),
        ("g.V().match(as('x').out().as('y')).by('n')", "it modulates nothing here"),
        ("g.V().match(as('x').out().as('y')).as('z').by('n')", "it modulates nothing here"),
    ] {
        let said = error(traversal);
        assert!(said.contains(part), "{traversal}: {said}");
    }
}

#[test]
fn branches_inside_branches_are_planned_in_time_that_does_not_double() {
    let mut pattern = "as('y').has('n')".to_owned();
    for _ in 0..40 {
        pattern = format!("or({pattern}, as('x').has('n', 'zz'))");
    }
    let began = Instant::now();
    let found = ask(&database(), &format!("g.V().match(as('x').out('k').as('y'), {pattern}).count()"));
    assert_eq!(found, ["4"]);
    let many: Vec<_> = (0..400).map(|i| format!("as('v{i}').out('k').as('v{}')", i + 1)).collect();
    assert_eq!(ask(&database(), &format!("g.V().match({}).count()", many.join(", "))), ["0"]);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}
