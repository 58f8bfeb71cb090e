//! `mergeV` and `mergeE`: each finds what is there, what the traversers before it have created, and creates what is not.

use mangrove::{
    Database,
    graph::{IndexDescription, IndexKind},
};

fn ask(db: &Database, traversal: &str) -> Vec<String> {
    db.query(traversal).unwrap().map(|value| value.unwrap().to_string()).collect()
}

/// What one of the traversals after the setup answers, in order of texts.
fn answers(setup: &str, traversal: &str) -> Vec<String> {
    let db = Database::in_memory().unwrap();
    if !setup.is_empty() {
        ask(&db, setup);
    }
    let mut all = ask(&db, traversal);
    all.sort();
    all
}

fn error(setup: &str, traversal: &str) -> String {
    let db = Database::in_memory().unwrap();
    if !setup.is_empty() {
        ask(&db, setup);
    }
    match db.query(traversal) {
        Err(error) => error.to_string(),
        Ok(mut results) => results.find_map(Result::err).expect("an error").to_string(),
    }
}

const NAMES: &str = "[name: 'a', (T.label): 'p'], [name: 'b', (T.label): 'p'], [name: 'a', (T.label): 'p']";
const KNOWS: &str = "g.addV('p').property(id, 1).as('a').addV('p').property(id, 2).as('b').\
    addE('knows').from('a').to('b').property('w', 1).addE('knows').from('a').to('b').property('w', 2)";

#[test]
fn a_merge_finds_what_the_traversers_before_it_have_created() {
    let merged = format!("g.inject({NAMES}).mergeV()");
    assert_eq!(answers("", &format!("{merged}.dedup().count()")), ["2"]);
    // Who comes later sees more: one of one vertex, two of two.
    assert_eq!(answers("", &format!("{merged}.V().count()")), ["5"]);
    let chain = "g.mergeV([name: 'a']).mergeV([name: 'a']).mergeV([name: 'b']).V().count()";
    assert_eq!(answers("", chain), ["2"]);
    // In one traversal as often as traversers say, merged or not.
    assert_eq!(answers("", "g.inject(1, 1, 1).barrier().mergeV([name: 'a']).dedup().count()"), ["1"]);
}

#[test]
fn of_several_that_match_all_leave_and_each_is_updated() {
    let setup = "g.addV('p').property('n', 1).addV('p').property('n', 1).addV('q').property('n', 1)";
    let merged = "g.mergeV([(T.label): 'p', n: 1]).option(onMatch, [seen: true])";
    assert_eq!(answers(setup, &format!("{merged}.values('seen')")), ["true", "true"]);
    assert_eq!(answers(setup, &format!("{merged}.count()")), ["2"]);
    assert_eq!(answers(setup, "g.mergeV([n: 1]).label()"), ["p", "p", "q"]);
    assert_eq!(answers(setup, "g.mergeV([:]).count()"), ["3"]);
    assert_eq!(answers("", "g.mergeV([:]).label()"), ["vertex"]);
    assert_eq!(answers("", "g.mergeV(null).label()"), ["vertex"]);
}

#[test]
fn thousands_that_match_leave_in_batches_and_each_is_updated_once() {
    let db = Database::in_memory().unwrap();
    ask(
        &db,
        "g.inject(1).repeat(union(identity(), identity())).times(12).barrier().addV('p').property('n', 1)",
    );
    let merged = "g.inject(1, 1).mergeV([n: 1]).option(onMatch, [seen: list(1)]).count()";
    assert_eq!(ask(&db, merged), ["8192"]);
    assert_eq!(ask(&db, "g.V().local(properties('seen').count()).dedup()"), ["2"]);
    assert_eq!(ask(&db, "g.V().count()"), ["4096"]);
}

#[test]
fn one_of_several_values_is_enough() {
    let setup = "g.addV('p').property(list, 'n', 1).property(list, 'n', 2)";
    assert_eq!(answers(setup, "g.mergeV([n: 2]).values('n')"), ["1", "2"]);
    assert_eq!(answers(setup, "g.mergeV([n: 2L]).V().count()"), ["1"]);
    assert_eq!(answers(setup, "g.mergeV([n: '2']).V().count()"), ["2"]);
}

#[test]
fn cardinalities_are_those_of_the_map_or_of_the_option() {
    let setup = "g.addV('p').property('k', 1).property('n', 1)";
    let on_match = |map: &str| format!("g.mergeV([k: 1]).option(onMatch, {map}).values('n')");
    assert_eq!(answers(setup, &on_match("[n: 2]")), ["2"]);
    assert_eq!(answers(setup, &on_match("[n: list(2)]")), ["1", "2"]);
    assert_eq!(answers(setup, &on_match("[n: 2], list")), ["1", "2"]);
    assert_eq!(answers(setup, &on_match("[n: single(2)], list")), ["2"]);
    assert_eq!(answers(setup, &on_match("[n: null]")), [""; 0]);
    assert_eq!(answers("", "g.mergeV([k: 1]).option(onCreate, [n: set(2)]).values('n')"), ["2"]);
}

#[test]
fn options_that_are_traversals_run_only_where_they_are_wanted() {
    let created = "g.mergeV([k: 1]).option(onCreate, sideEffect(addV('c')).constant([n: 1])).\
        option(onMatch, sideEffect(addV('m')).constant([n: 2])).V().label()";
    assert_eq!(answers("", created), ["c", "vertex"]);
    assert_eq!(answers("g.addV('p').property('k', 1)", created), ["m", "p"]);
    // onMatch begins at what was found, onCreate at what came.
    let setup = "g.addV('p').property('k', 1).property('n', 5)";
    let at_found = "g.inject('x').mergeV([k: 1]).option(onMatch, project('m').by(values('n').math('_ + 1'))).values('m')";
    assert_eq!(answers(setup, at_found), ["6.0"]);
    let at_incoming =
        "g.inject('x').mergeV([k: 2]).option(onCreate, project('m').by(identity())).values('m')";
    assert_eq!(answers(setup, at_incoming), ["x"]);
    let by_name = "g.inject([k: 1]).as('a').mergeV(select('a')).option(onMatch, select('a')).values('k')";
    assert_eq!(answers(setup, by_name), ["1"]);
    // Each traverser has its own.
    let two = "g.inject(1, 2, 1).as('x').mergeV(project('k').by(select('x'))).option(onMatch, project('n').by(constant(9))).values('k')";
    assert_eq!(answers("", two), ["1", "1", "2"]);
}

#[test]
fn edges_are_found_by_their_ends_either_way_and_by_what_they_have() {
    let merge = |map: &str| format!("g.mergeE({map}).values('w')");
    for (map, found) in [
        ("[(OUT): 1, (IN): 2, (T.label): 'knows']", &["1", "2"][..]),
        ("[(OUT): 1, (IN): 2, (T.label): 'knows', w: 2]", &["2"]),
        ("[(OUT): 1]", &["1", "2"]),
        ("[(IN): 2, w: 1]", &["1"]),
        ("[(T.label): 'knows']", &["1", "2"]),
        ("[w: 1]", &["1"]),
    ] {
        assert_eq!(answers(KNOWS, &merge(map)), found, "{map}");
    }
    let made = "g.mergeE([(OUT): 2, (IN): 1, (T.label): 'knows']).option(onCreate, [w: 7]).values('w')";
    assert_eq!(answers(KNOWS, made), ["7"]);
    assert_eq!(answers(KNOWS, "g.mergeE([(OUT): 1, (IN): 1, (T.label): 'self']).E().count()"), ["3"]);
    let twice = "g.inject(1, 1).mergeE([(OUT): 2, (IN): 1, (T.label): 'x']).dedup().count()";
    assert_eq!(answers(KNOWS, twice), ["1"]);
}

#[test]
fn ends_may_come_from_options() {
    let map = "[(OUT): Merge.outV, (IN): Merge.inV, (T.label): 'likes']";
    let named = format!(
        "g.V(1).as('x').V(2).as('y').mergeE({map}).option(outV, select('y')).option(inV, select('x'))"
    );
    assert_eq!(answers(KNOWS, &format!("{named}.inV().id()")), ["1"]);
    let searched = format!("g.mergeE({map}).option(outV, [(T.id): 1]).option(inV, [(T.id): 2]).outV().id()");
    assert_eq!(answers(KNOWS, &searched), ["1"]);
    let only_created = "g.mergeE([(T.label): 'likes']).option(onCreate, [(OUT): 1, (IN): Merge.inV]).\
        option(inV, [(T.id): 2]).inV().id()";
    assert_eq!(answers(KNOWS, only_created), ["2"]);
    let of_merged = "g.mergeV([name: 'a']).as('a').mergeV([name: 'b']).as('b').\
        mergeE([(OUT): Merge.outV, (IN): Merge.inV, (T.label): 'e']).option(outV, select('a')).option(inV, select('b'))";
    assert_eq!(answers("", &format!("{of_merged}.outV().values('name')")), ["a"]);
}

#[test]
fn what_is_wrong_is_said() {
    for (traversal, part) in [
        ("g.mergeV([(T.label): null])", "mergeV() does not allow null Map values - check: label"),
        ("g.mergeV([(T.key): 1])", "to be either String or [id, label] - check: key"),
        ("g.mergeV([(OUT): 1])", "to be either String or [id, label] - check: OUT"),
        ("g.mergeV([(T.label): 1])", "T.label value to be of String"),
        ("g.mergeV([:]).option(onMatch, [(T.id): 1])", "option(onMatch) expects keys in Map to be of String"),
        ("g.mergeV([k: 1]).option(onCreate, [k: 2])", "option(onCreate) cannot override values"),
        ("g.mergeV(constant(1))", "needs a Map"),
        ("g.inject(1).mergeV()", "needs a Map"),
        ("g.mergeV(V().hasLabel('zz').valueMap())", "does not map to a value"),
        ("g.mergeV()", "a map or a traversal that gives one"),
        ("g.mergeV([k: 1]).option(outV, [k: 2])", "Option outV for Merge is not supported"),
        ("g.mergeE([(T.label): 'e'])", "Out Vertex not specified in onCreate"),
        ("g.mergeE([(OUT): 1, (T.label): 'e'])", "In Vertex not specified in onCreate"),
        ("g.mergeE([(OUT): 1, (IN): 77, (T.label): 'e'])", "Vertex id could not be resolved from mergeE"),
        ("g.mergeE([(OUT): Merge.outV])", "option(outV) must be specified if it is used for OUT"),
        ("g.mergeE([(OUT): Merge.inV])", "Only Merge.outV token may be used for Direction.OUT"),
        ("g.mergeE([(OUT): Merge.outV]).option(outV, [k: 77])", "Could not resolve vertex for option(outV)"),
        (
            "g.mergeE([(OUT): 2, (IN): 1, (T.label): 'e']).option(onCreate, [w: list(1)])",
            "neither a cardinality",
        ),
    ] {
        let said = error(KNOWS, traversal);
        assert!(said.contains(part), "{traversal}: {said}");
    }
}

/// A graph with an index, and how it was asked.
fn indexed(kind: IndexKind, keys: &[&str]) -> Database {
    let db = Database::in_memory().unwrap();
    let keys = keys.iter().map(|key| (*key).into()).collect();
    let index = IndexDescription { label: "p".into(), keys, kind };
    db.graph().declare_index(&index).unwrap();
    db.graph().await_index(&index).unwrap();
    db
}

#[test]
fn an_index_of_any_kind_finds_the_same() {
    let kinds = [
        (IndexKind::Equality, &["k"][..]),
        (IndexKind::Unique, &["k"]),
        (IndexKind::Range, &["k"]),
        (IndexKind::Range, &["k", "n"]),
        (IndexKind::Range, &["x", "k"]),
    ];
    for (kind, keys) in kinds {
        let db = indexed(kind, keys);
        let merged =
            "g.inject(1, 2, 3, 2, 1).as('k').mergeV(project('k').by()).option(onMatch, [n: 1]).count()";
        ask(&db, "g.inject([(T.label): 'p', k: 1], [(T.label): 'p', k: 2L, n: 4]).mergeV()");
        assert_eq!(
            ask(&db, "g.inject([(T.label): 'p', k: 2], [(T.label): 'p', k: 3]).mergeV().V().count()"),
            ["5"]
        );
        assert_eq!(ask(&db, "g.mergeV([(T.label): 'p', k: 2, n: 4]).V().count()"), ["3"]);
        assert_eq!(ask(&db, "g.mergeV([k: 3]).V().count()"), ["3"], "whatever label");
        assert_eq!(ask(&db, merged), ["5"]);
        assert_eq!(ask(&db, "g.V().count()"), ["3"], "{kind:?} {keys:?}");
    }
}
