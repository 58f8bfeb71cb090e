//! Filters of edges by their properties, against the same filters by hand.

use std::path::Path;

use mangrove::values::Value;
use mangrove::{Database, DatabaseOptions};

/// Edges that the long list begins with; the other one has a fiftieth.
const EDGES: i64 = 3_000;

/// What an edge has under each key.
fn value(key: &str, n: i64) -> Option<Value> {
    let long = n * 7_919 % 100;
    match key {
        // All edges have a long, most of them, or some have numbers of other types.
        "all" => Some(Value::Long(long)),
        "most" => (n % 5 > 0).then_some(Value::Long(long)),
        "mixed" => Some(match n % 3 {
            0 => Value::Long(long),
            1 => Value::Int(long as i32),
            _ => Value::Double(long as f64 + 0.5),
        }),
        _ => None,
    }
}

fn open(directory: &Path) -> Database {
    let mut options = DatabaseOptions { executors: 1, ..DatabaseOptions::default() };
    options.graph.tree = graph::TreeBounds { min: 100, max: 200, fan_out: 4 };
    Database::open_with(directory, options).unwrap()
}

/// Two vertices, one with a list that is packed and one whose list is an edge-tree. Each list has columns that were read
/// from disk, and later edges that are not merged with them.
fn build(directory: &Path) -> Database {
    let db = open(directory);
    db.query("g.addV('hub').property('id', 0).addV('hub').property('id', 1).addV('end')").unwrap();
    for first in (0..EDGES).step_by(500) {
        add(&db, first..first + 500);
    }
    db.close().unwrap();
    let db = open(directory);
    add(&db, EDGES..EDGES + 100);
    db
}

/// Adds edges to the first hub, and of every fiftieth number to the second.
fn add(db: &Database, numbers: std::ops::Range<i64>) {
    let (snapshot, mut vertices) = (db.snapshot(), Vec::new());
    snapshot.reader().scan_vertices(None, &mut graph::ScanCursor::default(), 16, &mut vertices);
    let transaction = db.graph().begin();
    for n in numbers {
        for hub in [0, 1].into_iter().filter(|hub| *hub == 0 || n % 50 == 0) {
            let edge = transaction.add_edge(None, "rated", vertices[hub], vertices[2]).unwrap();
            transaction.set_edge_property(edge, "n", Value::Long(n)).unwrap();
            for key in ["all", "most", "mixed"] {
                if let Some(value) = value(key, n) {
                    transaction.set_edge_property(edge, key, value).unwrap();
                }
            }
        }
    }
    transaction.commit().unwrap();
}

fn number(value: &Value) -> f64 {
    value.as_i64().map_or_else(|| if let Value::Double(d) = value { *d } else { f64::NAN }, |n| n as f64)
}

type Holds = fn(f64) -> bool;

const PREDICATES: [(&str, Holds); 9] = [
    ("gt(49L)", |x| x > 49.0),
    ("gte(49L)", |x| x >= 49.0),
    ("lt(3)", |x| x < 3.0),
    ("lte(3L)", |x| x <= 3.0),
    ("eq(42L)", |x| x == 42.0),
    ("neq(42L)", |x| x != 42.0),
    ("between(10L, 20L)", |x| (10.0..20.0).contains(&x)),
    ("inside(10L, 20.5d)", |x| x > 10.0 && x < 20.5),
    ("outside(10L, 90L)", |x| !(10.0..=90.0).contains(&x)),
];

#[test]
fn they_find_the_same_edges() {
    let directory = tempfile::tempdir().unwrap();
    let db = build(directory.path());
    for (hub, step) in [(0, 1), (1, 50)] {
        let numbers = || (0..EDGES + 100).step_by(step);
        for key in ["all", "most", "mixed"] {
            for (predicate, holds) in PREDICATES {
                let passes = |n: &i64| value(key, *n).is_some_and(|value| holds(number(&value)));
                let expected: Vec<i64> = numbers().filter(passes).collect();
                let longs = |query: &str| -> Vec<i64> {
                    db.query(query).unwrap().map(|n| n.unwrap().as_i64().unwrap()).collect()
                };
                let edges = format!("g.V().has('hub','id',{hub}).outE('rated').has('{key}',{predicate})");
                assert_eq!(longs(&format!("{edges}.values('n')")), expected, "{edges}");
                assert_eq!(longs(&format!("{edges}.count()")), [expected.len() as i64], "{edges}");
                let even = format!("{edges}.has('n', lt(1500L)).inV().count()");
                assert_eq!(longs(&even), [expected.iter().filter(|n| **n < 1_500).count() as i64], "{even}");
                let few = format!("{edges}.limit(3).values('n')");
                assert_eq!(longs(&few), expected[..expected.len().min(3)], "{few}");
            }
            let all = format!("g.V().has('hub','id',{hub}).outE('rated').values('{key}')");
            let found: Vec<Value> = db.query(&all).unwrap().map(Result::unwrap).collect();
            assert_eq!(found, numbers().filter_map(|n| value(key, n)).collect::<Vec<_>>(), "{all}");
        }
    }
}
