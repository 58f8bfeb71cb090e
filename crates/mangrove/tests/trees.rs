//! `tree` and `subgraph`: what traversers have been through, in one object.

use mangrove::{
    Database,
    values::{GType, Map, Value},
};

fn database() -> Database {
    let db = Database::in_memory().unwrap();
    let setup = "g.addV('p').property('n', 'a').as('a').addV('p').property('n', 'b').as('b').addV('q').as('c').\
        addE('k').from('a').to('b').property('w', 1).addE('k').from('b').to('c').addE('l').from('a').to('c')";
    ask(&db, setup);
    db
}

fn ask(db: &Database, traversal: &str) -> Vec<Value> {
    let results = db.query(traversal).unwrap_or_else(|error| panic!("{traversal}: {error}"));
    results.map(|value| value.unwrap_or_else(|error| panic!("{traversal}: {error}"))).collect()
}

fn text(traversal: &str) -> String {
    ask(&database(), traversal).iter().map(Value::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_tree_is_of_the_paths_that_reach_it() {
    assert_eq!(text("g.V().has('n', 'a').out('k').out('k').tree().by(label)"), "{p={p={q={}}}}");
    assert_eq!(text("g.V().has('n', 'a').out('k').tree().by('n')"), "{a={b={}}}");
    // What a by() has nothing for is left out.
    assert_eq!(text("g.V().has('n', 'a').out('k').out('k').tree().by('n')"), "{a={b={}}}");
    assert_eq!(text("g.V().has('n', 'zz').tree()"), "{}");
    assert_eq!(
        text("g.V().hasLabel('p').order().by('n').local(out('k').tree().by('n').by(label))"),
        "{a={p={}}} {b={q={}}}"
    );
    assert_eq!(text("g.V().has('n', 'a').out().tree('t').by(label).cap('t').count(local)"), "1");
    assert_eq!(text("g.V().has('n', 'a').out().tree('t').by(label).select('t').count(local)"), "1 1");
    // But not where it is a side-effect, as in TinkerPop.
    let missing = database()
        .query("g.V().has('n', 'a').out().tree('t').by('n')")
        .and_then(Iterator::collect::<Result<Vec<_>, _>>);
    assert!(missing.is_err());
    assert_eq!(ask(&database(), "g.V().tree()")[0].gtype(), Some(GType::Tree));
    assert_eq!(text("g.V().tree().is(typeOf(GType.TREE)).count()"), "1");
}

#[test]
fn a_path_that_is_too_long_for_a_tree_is_an_error() {
    let db = database();
    ask(&db, "g.V().has('n', 'a').as('a').addE('self').from('a').to('a')");
    for traversal in
        ["repeat(out('self')).times(300).tree()", "repeat(out('self')).times(300).tree('t').cap('t')"]
    {
        let mut results = db.query(&format!("g.V().has('n', 'a').{traversal}")).unwrap();
        let error = results.find_map(Result::err).expect("an error").to_string();
        assert!(error.contains("too long for a tree"), "{error}");
    }
}

#[test]
fn a_subgraph_has_the_edges_that_reach_it_and_their_ends() {
    let graph = |traversal: &str| match &ask(&database(), traversal)[..] {
        [Value::Map(graph)] => (graph.elements(Map::VERTICES).count(), graph.elements(Map::EDGES).count()),
        other => panic!("{other:?}"),
    };
    assert_eq!(graph("g.E().hasLabel('l').subgraph('s').cap('s')"), (2, 1));
    assert_eq!(graph("g.V().repeat(bothE().subgraph('s').otherV()).times(3).cap('s')"), (3, 3));
    assert_eq!(graph("g.E().hasLabel('zz').subgraph('s').cap('s')"), (0, 0));
    let db = database();
    let result = ask(&db, "g.E().hasLabel('k').has('w').subgraph('s').cap('s')");
    assert_eq!(result[0].gtype(), Some(GType::Graph));
    let Value::Map(map) = &result[0] else { panic!() };
    // Its elements come with their properties.
    let properties = map.elements(Map::EDGES).map(|edge| match edge {
        Value::Edge(edge) => edge.properties.len(),
        other => panic!("{other}"),
    });
    assert_eq!(properties.collect::<Vec<_>>(), [1]);
    let mut results = db.query("g.V().subgraph('s')").unwrap();
    assert!(results.find_map(Result::err).unwrap().to_string().contains("it takes edges"));
}
