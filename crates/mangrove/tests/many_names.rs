//! Of a graph with many edge labels, what goes along all of them finds what it finds along each by its name.

mod queries;

use mangrove::Database;

use queries::{refusal, texts};

/// More than are looked for one by one.
const LABELS: usize = 45;

fn name(label: usize) -> String {
    format!("'l{label}'")
}

/// 60 vertices and some hundreds of edges, a few of each label, some of them loops, some twice.
fn graph() -> Database {
    let db = Database::in_memory().unwrap();
    drop(
        db.query("g.inject(0).repeat(union(identity(), identity())).times(6).limit(60).addV('v').iterate()")
            .unwrap(),
    );
    let ids = texts(&db, "g.V().id()");
    let mut state = 11_usize;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..400 {
        let (label, from, to) = (next(LABELS), next(50), next(50));
        add(&db, label, &ids[from], &ids[if label % 7 == 0 { from } else { to }]);
    }
    db
}

fn add(db: &Database, label: usize, from: &str, to: &str) {
    drop(db.query(&format!("g.V({from}).addE({}).to(__.V({to})).iterate()", name(label))).unwrap());
}

#[test]
fn along_all_labels_is_along_each_of_them() {
    let db = graph();
    let all = (0..LABELS).map(name).collect::<Vec<_>>().join(",");
    let mut compared = 0;
    for query in [
        "g.V().out(*).id()",
        "g.V().in(*).id()",
        "g.V().both(*).id()",
        "g.V().outE(*).id()",
        "g.V().bothE(*).otherV().id()",
        "g.V().out(*).count()",
        "g.V().out(*).out(*).count()",
        "g.V().both(*).in(*).dedup().count()",
        "g.V().as('a').both(*).where(eq('a')).count()",
        "g.V().as('a').out(*).in(*).where(eq('a')).count()",
        "g.V().local(both(*).limit(3).count())",
        "g.V().both(*).groupCount().by(id).unfold()",
        "g.V().repeat(both(*)).times(3).count()",
        "g.V().repeat(out(*).simplePath()).times(2).path().by(id)",
        "g.V().where(bothE(*).count().is(gt(12))).id()",
        "g.V().connectedComponent().with(ConnectedComponent.edges, __.bothE(*)).values('gremlin.connectedComponentVertexProgram.component')",
        "g.V().shortestPath().with(ShortestPath.edges, __.outE(*)).with(ShortestPath.maxDistance, 2).count(local)",
        // What the transaction itself has written.
        "g.V().as('a').addE('l41').to('a').outV().both(*).count()",
        "g.V().as('a').addE('l3').to('a').outV().out(*).out(*).count()",
        "g.V().sideEffect(outE('l41').drop()).both(*).count()",
    ] {
        // On a graph of its own each: some of them write.
        let [along_all, along_each] = ["", &all].map(|labels| {
            let db = if query.contains("addE") || query.contains("drop") { graph() } else { db.clone() };
            let mut found = texts(&db, &query.replace('*', labels));
            found.sort();
            found
        });
        assert_eq!(along_all, along_each, "{query}");
        assert!(!along_all.is_empty(), "{query}");
        compared += along_all.len();
    }
    assert!(compared > 1_000, "{compared}");
}

#[test]
fn a_vertex_goes_with_the_few_edges_it_has() {
    let db = graph();
    let count = |query: &str| texts(&db, query)[0].parse::<u64>().unwrap();
    let (before, gone) = (count("g.E().count()"), count("g.V().limit(5).bothE().dedup().count()"));
    drop(db.query("g.V().limit(5).drop().iterate()").unwrap());
    assert_eq!(count("g.E().count()"), before - gone);
    assert_eq!(count("g.V().both().count()"), 2 * (before - gone));
}

#[test]
fn what_goes_along_all_labels_ends_when_its_time_is_over() {
    let endless =
        "g.with('evaluationTimeout', 50).V().repeat(bothE().otherV()).until(constant(1).is(2)).count()";
    assert!(refusal(&graph(), endless).contains("evaluation timeout"));
}
