//! One list that several executors share answers as it does on one.

use std::sync::Arc;

use dataflow::{Engine, EngineOptions, Sharing};
use graph::{Cardinality, TreeBounds, Value};
use mangrove::{Database, DatabaseOptions, Transaction};

/// Edges of the hub; enough for several executors to share them.
const EDGES: usize = 12_000;
const FANS: usize = 5_000;

/// A database with trees of many small nodes.
fn open(executors: usize) -> Database {
    // They help each other as soon as they can.
    let eager = EngineOptions { executors, sharing: Sharing::EAGER, ..EngineOptions::default() };
    let engine = Some(Arc::new(Engine::start(&eager).unwrap()));
    let mut options = DatabaseOptions { engine, executors, ..DatabaseOptions::default() };
    options.graph.tree = TreeBounds { min: 20, max: 50, fan_out: 30 };
    Database::in_memory_with(options).unwrap()
}

/// Vertex 0 rates fans, some of them several times, and fans follow it, in the order of `since`. Some edges lack the
/// property.
fn hub(executors: usize) -> Database {
    let db = open(executors);
    db.graph()
        .change_schema(|schema| {
            schema.edges.entry("follows".into()).or_default().sort_key = Some("since".into());
            Ok(())
        })
        .unwrap();
    let transaction = db.graph().begin();
    let hub = transaction.add_vertex(Some(Value::Long(0)), "star").unwrap();
    let mut fans = Vec::new();
    for n in 1..=FANS {
        let fan = transaction.add_vertex(Some(Value::Long(n as i64)), "fan").unwrap();
        let age = Value::Long((n % 90) as i64);
        transaction.set_vertex_property(fan, Cardinality::Single, "age", age, &[]).unwrap();
        fans.push(fan);
    }
    transaction.commit().unwrap();
    for first in (0..EDGES).step_by(4_000) {
        let transaction = db.graph().begin();
        for n in first..first + 4_000 {
            let fan = fans[n * 7919 % FANS];
            let rated = transaction.add_edge(None, "rated", hub, fan).unwrap();
            let follows = transaction.add_edge(None, "follows", fan, hub).unwrap();
            if n % 50 > 0 {
                transaction.set_edge_property(rated, "score", Value::Long((n * 31 % 100) as i64)).unwrap();
                let since = Value::Int((n * 7919 % 2_000) as i32);
                transaction.set_edge_property(follows, "since", since).unwrap();
            }
            // On average, a vertex has few such edges.
            if n < FANS {
                let rated = transaction.add_edge(None, "rated", fans[n], fans[n * 31 % FANS]).unwrap();
                transaction.set_edge_property(rated, "score", Value::Long(1)).unwrap();
            }
            if n % 9 == 0 {
                transaction.add_edge(None, "knows", fan, fans[n * 31 % FANS]).unwrap();
            }
        }
        transaction.commit().unwrap();
    }
    db
}

/// Queries, and whether the plan is one in which the hub's list may be shared.
const QUERIES: &[(&str, bool)] = &[
    ("V(0).outE('rated').has('score', gt(49L)).count()", true),
    ("V(0).outE('rated').values('score').sum()", true),
    ("V(0).outE('rated').has('score', lt(3L)).values('score')", true),
    ("V(0).out('rated').has('age', lt(5L)).id()", true),
    ("V(0).out('rated').dedup().count()", true),
    ("V(0).out('rated').dedup().id()", true),
    ("V(0).out('rated').id()", true),
    ("V(0).out('rated').order().by('age').by(id).id()", true),
    ("V(0).outE('rated').order().by('score').values('score')", true),
    ("V(0).both('rated', 'follows').id()", true),
    ("V(0).bothE().count()", false),
    ("V(0).both().id().dedup().count()", true),
    ("V(0).in('follows').id()", true),
    ("V(0).inE('follows').values('since')", true),
    ("V(0).inE('follows').has('since', between(100, 1900)).values('since')", true),
    ("V(0).inE('follows').order().by('since', desc).limit(7).values('since')", false),
    ("V(0).out('rated').limit(20).id()", false),
    ("V(0).out('rated').tail(20).id()", true),
    ("V(0).out('rated').out('knows').count()", true),
    ("V(0).out('rated').out('knows').id()", true),
    ("V(0).as('a').out('rated').has('age', 3L).as('b').select('a', 'b').by(id)", true),
    ("V(0).out('rated').path().count()", true),
    ("V(0).out('rated').has('age', 3L).path().by(id)", true),
    ("V(0, 5, 0).out('rated', 'knows').id()", true),
    ("V().hasLabel('star').out('rated').groupCount().by('age').order(local).by(keys)", true),
    ("V().hasLabel('star').repeat(out('rated', 'knows')).times(2).id().dedup().count()", true),
    ("V(0).outE('rated').inV().in('rated').count()", true),
];

fn texts(results: Result<mangrove::Results<'_>, mangrove::Error>, text: &str) -> Vec<String> {
    let results = results.and_then(|results| results.collect::<Result<Vec<Value>, _>>());
    let results = results.unwrap_or_else(|error| panic!("{text}: {error}"));
    results.iter().map(ToString::to_string).collect()
}

/// Every query, with all executors and with one.
fn compare(ask: impl Fn(&str) -> Vec<String>, explain: impl Fn(&str) -> String, when: &str) {
    for (query, spreads) in QUERIES {
        let plan = explain(&format!("g.{query}"));
        assert_eq!(plan.contains("ExchangeScope"), *spreads, "{query} {when}:\n{plan}");
        let alone = ask(&format!("g.with('mangrove.parallelism', 1).{query}"));
        assert!(!alone.is_empty(), "{query}");
        for _ in 0..3 {
            let together = ask(&format!("g.{query}"));
            assert!(together == alone, "{query} {when}: {} results and {}", together.len(), alone.len());
        }
    }
}

fn compare_in(transaction: &Transaction<'_>, when: &str) {
    compare(|text| texts(transaction.query(text), text), |text| transaction.explain(text).unwrap(), when);
}

#[test]
fn several_executors_that_share_a_list_answer_as_one_does() {
    let db = hub(4);
    let compare_all =
        |when| compare(|text| texts(db.query(text), text), |text| db.explain(text).unwrap(), when);
    compare_all("with changes on top");
    db.graph().flush().unwrap();
    compare_all("flushed");
    let transaction = db.transaction();
    compare_in(&transaction, "in a transaction");
    let write = |text: &str| texts(transaction.query(text), text);
    write("g.V(0).outE('rated').has('score', 17L).drop()");
    write("g.V(0).inE('follows').has('since', lt(20)).property('since', 1999)");
    write("g.V(17).addE('follows').to(V(0)).property('since', 2)");
    write("g.V(0).addE('rated').to(V(18)).property('score', 99L)");
    compare_in(&transaction, "in a transaction that has changed it");
    transaction.commit().unwrap();
    compare_all("afterwards");
}

/// Commits split and join nodes while executors read them; each drops an edge and adds one.
#[test]
fn a_list_that_changes_meanwhile_is_read_as_it_was() {
    let db = hub(4);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for n in 0..60i64 {
                let transaction = db.transaction();
                let at = (n * 191) % 11_000;
                let text = format!("g.V(0).outE('rated').range({at}, {}).drop()", at + 20);
                texts(transaction.query(&text), &text);
                let text = format!("g.V(0).as('h').V().hasLabel('fan').limit(20).addE('rated').from('h').property('score', {n}L)");
                texts(transaction.query(&text), &text);
                transaction.commit().unwrap();
            }
        });
        let mut rounds = 0;
        while !writer.is_finished() || rounds < 10 {
            let found = texts(db.query("g.V(0).out('rated').has('age', gte(0L)).count()"), "count");
            assert_eq!(found, [EDGES.to_string()]);
            rounds += 1;
        }
    });
}

#[test]
fn results_that_are_not_wanted_any_more_end_the_pieces() {
    let db = hub(4);
    for round in 0..60 {
        let mut results = db.query("g.V(0).out('rated').id()").unwrap();
        for _ in 0..round * 150 {
            results.next().unwrap().unwrap();
        }
    }
    assert_eq!(texts(db.query("g.V(0).out('rated').id().count()"), "count"), [EDGES.to_string()]);
}

/// Whoever shares the edges of a hub with other executors has also read that there are none in the other direction.
#[test]
fn an_empty_list_beside_one_that_is_shared_is_read() {
    for follow in ["both('follows')", "both()", "both('follows', 'knows')"] {
        let db = open(4);
        let transaction = db.graph().begin();
        let [hub, other, third] =
            [0, 1, 2].map(|id| transaction.add_vertex(Some(Value::Long(id)), "v").unwrap());
        transaction.add_edge(None, "knows", other, third).unwrap();
        for _ in 0..EDGES {
            transaction.add_edge(None, "follows", other, hub).unwrap();
        }
        transaction.commit().unwrap();
        let one = db.transaction();
        let seen = one.query(&format!("g.V(0).{follow}.out('knows').count()")).unwrap();
        let seen: Vec<_> = seen.map(Result::unwrap).collect();
        assert_eq!(seen, [Value::Long(EDGES as i64)], "{follow}");
        drop(one.query("g.V(2).property('n', 1)").unwrap());
        drop(db.query("g.V(0).addE('follows').to(V(2))").unwrap());
        assert!(one.commit().is_err(), "{follow}");
    }
}
