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
fn patterns_that_are_none_are_refused() {
    for (traversal, part) in [
        ("g.V().match(out().as('x'))", "single start label"),
        ("g.V().match(as('x').as('y').out())", "single start label"),
        ("g.V().match(as('x').out().as('y', 'z'))", "at most one label"),
        ("g.V().match(as('x').out().as('y'), as('u').out().as('v'))", "unsolvable"),
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
