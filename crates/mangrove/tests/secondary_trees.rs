//! Filters of long lists by properties that they are not sorted by: the same answers without secondary edge-trees, with
//! them, and after their edges have changed.

use std::time::{Duration, Instant};

use graph::{NodeBounds, SecondaryOptions, Value};
use mangrove::{Database, DatabaseOptions};

/// Each buys from the shop; more than fit a packed list.
const BUYERS: i64 = 6_000;

fn options(secondary: SecondaryOptions) -> DatabaseOptions {
    let mut options = DatabaseOptions { executors: 2, ..DatabaseOptions::default() };
    options.graph.secondary = secondary;
    options
}

/// Trees are thought about when a test says so.
fn by_hand() -> DatabaseOptions {
    options(SecondaryOptions { builders: 0, share: 1.0, ..SecondaryOptions::default() })
}

fn texts(results: Result<Vec<Value>, mangrove::Error>, text: &str) -> Vec<String> {
    let results = results.unwrap_or_else(|error| panic!("{text}: {error}"));
    results.iter().map(ToString::to_string).collect()
}

fn ask(db: &Database, text: &str) -> Vec<String> {
    texts(db.query(text).and_then(|results| results.collect()), text)
}

/// Weights of every type that can be compared, large ones that doubles and floats round, and some that cannot.
fn weight(n: i64) -> Option<Value> {
    Some(match n % 23 {
        0 => return None,
        1 => Value::str(format!("heavy{}", n % 7)),
        2 => Value::Double(n as f64 % 97.0 + 0.1),
        3 => Value::Float(n as f32 % 97.0 + 0.1),
        4 => Value::Long((1 << 53) + n % 5),
        5 => Value::Int((1 << 24) + (n % 5) as i32),
        6 => Value::Float(((1 << 24) + n % 5) as f32),
        7 => Value::Bool(n % 2 == 0),
        8 => Value::Double((1i64 << 53) as f64 + (n % 3 * 2) as f64),
        9..=15 => Value::Double((n * 7_919 % 1_000) as f64 / 10.0),
        _ => Value::Int((n * 7_919 % 100) as i32),
    })
}

/// A shop, and who buys from it.
fn shop(options: DatabaseOptions) -> Database {
    fill(Database::in_memory_with(options).unwrap())
}

fn fill(db: Database) -> Database {
    let transaction = db.graph().begin();
    let shop = transaction.add_vertex(Some(Value::Long(0)), "shop").unwrap();
    for n in 1..=BUYERS {
        let buyer = transaction.add_vertex(Some(Value::Long(n)), "buyer").unwrap();
        let buys = transaction.add_edge(None, "buys", buyer, shop).unwrap();
        if let Some(weight) = weight(n) {
            transaction.set_edge_property(buys, "weight", weight).unwrap();
        }
        transaction.set_edge_property(buys, "price", Value::Long(n * 31 % 500)).unwrap();
    }
    transaction.commit().unwrap();
    db
}

const QUERIES: &[&str] = &[
    "V(0).inE('buys').has('weight', 7).count()",
    "V(0).inE('buys').has('weight', 0.5d).outV().id().order()",
    "V(0).inE('buys').has('weight', 5.1d).outV().id().order()",
    "V(0).inE('buys').has('weight', 5.1f).outV().id().order()",
    "V(0).inE('buys').has('weight', gt(99.5d)).outV().id().order()",
    "V(0).inE('buys').has('weight', between(10, 11.5d)).outV().id().order()",
    "V(0).inE('buys').has('weight', between(10, 12)).outV().id().order()",
    "V(0).inE('buys').has('weight', inside(10, 12)).count()",
    "V(0).inE('buys').has('weight', 16777217).outV().id().order()",
    "V(0).inE('buys').has('weight', gt(16777217)).outV().id().order()",
    "V(0).inE('buys').has('weight', lt(16777217)).outV().id().order()",
    "V(0).inE('buys').has('weight', 16777216f).outV().id().order()",
    "V(0).inE('buys').has('weight', 9007199254740993L).outV().id().order()",
    "V(0).inE('buys').has('weight', 9007199254740992d).outV().id().order()",
    "V(0).inE('buys').has('weight', gte(9007199254740993d)).outV().id().order()",
    "V(0).inE('buys').has('weight', 'heavy3').outV().id().order()",
    "V(0).inE('buys').has('weight', gt('heavy')).count()",
    "V(0).inE('buys').has('weight', true).count()",
    "V(0).inE('buys').has('weight', between(5, 'heavy3')).count()",
    "V(0).inE('buys').has('price', 17).has('weight', gt(50)).outV().id().order()",
    "V(0).inE('buys').has('price', between(17, 19)).values('price').sum()",
    "V(0).in('buys').count()",
    "V(0).inE('buys').values('price').sum()",
    "V(0).inE('buys').order().by('price', desc).limit(30).values('price')",
    "V(0).inE('buys').order().by('price').limit(30).values('price')",
    "V(0).inE('buys').has('price', lt(100)).order().by('price', desc).limit(30).values('price')",
    "V(0).inE('buys').has('weight', lt(3)).order().by('price', desc).limit(30).values('price')",
    "V(0,1,2).bothE('buys').has('price', lt(100)).count()",
    "V().hasLabel('buyer').outE('buys').has('price', 31).count()",
    "V(0).inE('buys').has('weight', 7).limit(1).count()",
    "V(0).inE('buys').has('price', 31).outV().dedup().id().order()",
    "inject(1).V(0).inE('buys').has('price', 31).outV().values('nothing').count()",
];

fn compare(asked: impl Fn(&str) -> Vec<String>, when: &str) {
    for query in QUERIES {
        let with = asked(&format!("g.{query}"));
        let without = asked(&format!("g.with('mangrove.rules.off', 'secondary-trees').{query}"));
        assert_eq!(with, without, "{query} {when}");
    }
}

/// Asks until the graph has decided.
fn adapt(db: &Database) {
    for _ in 0..20 {
        ask(db, "g.V(0).inE('buys').has('weight', 7).count()");
        ask(db, "g.V(0).inE('buys').has('price', 17).count()");
    }
    db.graph().adapt_secondary_trees().unwrap();
}

fn keys(db: &Database) -> Vec<String> {
    let mut keys: Vec<_> = db.graph().secondary_trees().iter().map(|tree| tree.key.to_string()).collect();
    keys.sort();
    keys
}

#[test]
fn of_several_trees_the_one_is_read_that_takes_the_fewest_nodes() {
    let db = Database::in_memory_with(by_hand()).unwrap();
    db.graph()
        .change_schema(|schema| {
            schema.edges.entry("buys".into()).or_default().nodes = Some(NodeBounds { min: 20, max: 50 });
            Ok(())
        })
        .unwrap();
    let db = fill(db);
    adapt(&db);
    assert_eq!(keys(&db), ["price", "weight"]);
    let nodes_read = || -> u64 { db.stats().tree_use.iter().map(|(_, tree)| tree.nodes_read).sum() };
    for tests in ["has('weight', gt(0)).has('price', 17)", "has('price', 17).has('weight', gt(0))"] {
        let before = nodes_read();
        let found = ask(&db, &format!("g.V(0).inE('buys').{tests}.count()"));
        assert!(found[0].parse::<i64>().unwrap() > 0);
        let read = nodes_read() - before;
        assert!((1..=4).contains(&read), "{tests}: {read} nodes of some 200");
    }
}

#[test]
fn answers_are_the_same_with_and_without_secondary_trees() {
    let db = shop(by_hand());
    compare(|text| ask(&db, text), "without trees");
    adapt(&db);
    assert_eq!(keys(&db), ["price", "weight"]);
    compare(|text| ask(&db, text), "with trees");
    let transaction = db.transaction();
    let write = |text: &str| texts(transaction.query(text).and_then(|results| results.collect()), text);
    compare(|text| write(text), "in a transaction that has written nothing");
    write("g.V(0).inE('buys').has('price', lt(5)).property('weight', 7)");
    write("g.V(0).inE('buys').has('weight', between(10, 11)).drop()");
    write("g.V(0).inE('buys').has('weight', 'heavy2').property('price', 31L)");
    write("g.V(17).addE('buys').to(V(0)).property('price', 17L).property('weight', 0.5d)");
    compare(|text| write(text), "in a transaction");
    transaction.commit().unwrap();
    compare(|text| ask(&db, text), "after a commit");
    db.graph().adapt_secondary_trees().unwrap();
    let trees = db.graph().secondary_trees();
    assert!(trees.iter().all(|tree| tree.benefit > 0.01), "they were read: {trees:?}");
}

#[test]
fn a_filter_reads_only_what_it_wants_once_there_is_a_tree() {
    let db = shop(by_hand());
    adapt(&db);
    let query = "g.V(0).inE('buys').has('price', 17L).count()";
    let explained = db.explain(query).unwrap();
    assert!(explained.contains("secondary by price"), "{explained}");
    assert_eq!(ask(&db, query), ["12"]);
    db.graph().adapt_secondary_trees().unwrap();
    let looked = |trees: &[graph::SecondaryStatus]| trees.iter().map(|tree| tree.benefit).sum::<f64>();
    // Busy with it alone: nearly all that is not read is what it saves.
    (0..200).for_each(|_| assert_eq!(ask(&db, query), ["12"]));
    db.graph().adapt_secondary_trees().unwrap();
    let trees = db.graph().secondary_trees();
    assert!(looked(&trees) > 1.0, "{trees:?}");
}

/// What a transaction has read by a property must not change unnoticed: it reads the primary tree, and notes every edge.
#[test]
fn a_filter_in_a_transaction_is_validated_at_commit() {
    let db = shop(by_hand());
    adapt(&db);
    let reads = db.transaction();
    let none = "g.V(0).inE('buys').has('price', gt(5000L)).count()";
    assert_eq!(texts(reads.query(none).and_then(|results| results.collect()), none), ["0"]);
    reads.query("g.addV('Expensive')").unwrap();
    db.query("g.V(0).inE('buys').has('price', 3L).limit(1).property('price', 6000L)").unwrap();
    let error = reads.commit().expect_err("an edge was moved into what was read");
    assert_eq!(error.kind(), mangrove::ErrorKind::Conflict, "{error}");
}

#[test]
fn trees_are_built_and_dropped_while_queries_and_writes_go_on() {
    let period = Duration::from_millis(20);
    let secondary = SecondaryOptions { period, patience: 2, ..SecondaryOptions::default() };
    let db = shop(options(secondary));
    let until = Instant::now() + Duration::from_secs(60);
    let mut asked = 0i64;
    while keys(&db).is_empty() || db.graph().secondary_trees()[0].state != graph::SecondaryState::Ready {
        assert!(Instant::now() < until, "no tree was built in a minute");
        assert_eq!(ask(&db, "g.V(0).inE('buys').has('price', 17L).count()"), ["12"]);
        ask(&db, "g.V(5).outE('buys').property('weight', 3)");
        asked += 1;
    }
    assert!(asked > 1);
    while !keys(&db).is_empty() {
        assert!(Instant::now() < until, "the tree was not dropped in a minute");
        ask(&db, "g.V(0).inE('buys').values('weight').count()");
    }
    assert_eq!(ask(&db, "g.V(0).inE('buys').has('price', 17L).count()"), ["12"]);
}
