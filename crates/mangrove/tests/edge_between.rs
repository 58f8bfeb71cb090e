//! Edges between two vertices that are known: the same answers whichever side they are looked for from, and stars are not
//! looked through.

use std::path::Path;

use fastrand::Rng;
use mangrove::values::Value;
use mangrove::{Database, DatabaseOptions};

const PEOPLE: i64 = 60;
/// Followers of person 0, most of whom are others than the people.
const FANS: i64 = 2_000;

fn open(directory: &Path) -> Database {
    let mut options = DatabaseOptions { executors: 2, ..DatabaseOptions::default() };
    options.graph.tree = graph::TreeBounds { min: 50, max: 100, fan_out: 4 };
    Database::open_with(directory, options).unwrap()
}

/// Adds edges between random people, some of them twice and some from a vertex to itself.
fn befriend(db: &Database, rng: &mut Rng, edges: usize) {
    for _ in 0..edges {
        let (a, b) = (rng.i64(0..PEOPLE), rng.i64(0..PEOPLE));
        let label = ["follows", "likes"][rng.usize(..2)];
        let text = format!("g.V(a).addE('{label}').to(__.V(b)).iterate()");
        db.query_with(&text, [("a", Value::Long(a)), ("b", Value::Long(b))]).unwrap();
    }
}

fn build(directory: &Path, rng: &mut Rng) -> Database {
    let db = open(directory);
    for id in 0..PEOPLE {
        db.query_with("g.addV('person').property(T.id, i)", [("i", Value::Long(id))]).unwrap();
    }
    let (snapshot, mut people) = (db.snapshot(), Vec::new());
    snapshot.reader().scan_vertices(None, &mut graph::ScanCursor::default(), 1, &mut people);
    let transaction = db.graph().begin();
    for _ in 0..FANS {
        let fan = transaction.add_vertex(None, "fan").unwrap();
        transaction.add_edge(None, "follows", fan, people[0]).unwrap();
    }
    transaction.commit().unwrap();
    drop(snapshot);
    befriend(&db, rng, 150);
    db.close().unwrap();
    let db = open(directory);
    befriend(&db, rng, 50);
    db
}

const QUERIES: [&str; 9] = [
    "g.V(a).out('follows').hasId(b).id()",
    "g.V(a).in('follows').hasId(b).id()",
    "g.V(a).both('follows', 'likes').hasId(b).id()",
    "g.V(a).both().hasId(b).count()",
    "g.V(a, b).out().hasId(b).path().by(T.id)",
    "g.V(a).as('x').out('follows').where(__.both('likes').where(eq('x'))).id().order()",
    "g.V(a).as('x').out().in().out().where(eq('x')).id()",
    "g.V(a).where(__.out('likes').hasId(b)).id()",
    "g.V(b).where(__.in('likes').hasId(a)).out().hasId(0L).hasLabel('person').count()",
];

fn ask(db: &Database, text: &str, (a, b): (i64, i64)) -> Vec<Value> {
    let results = db.query_with(text, [("a", Value::Long(a)), ("b", Value::Long(b))]).unwrap();
    results.map(Result::unwrap).collect()
}

#[test]
fn both_sides_have_the_same_edges() {
    let directory = tempfile::tempdir().unwrap();
    let mut rng = Rng::with_seed(7);
    let db = build(directory.path(), &mut rng);
    let profile = db.profile("g.V(0L).in('follows').hasId(5L).count()").unwrap();
    assert!(!profile.contains("filter("), "the list is looked through, and filtered:\n{profile}");
    let mut answered = 0;
    for n in 0..150 {
        let pair =
            if n % 3 == 0 { (0, rng.i64(0..PEOPLE)) } else { (rng.i64(0..PEOPLE), rng.i64(0..PEOPLE)) };
        for query in QUERIES {
            let off = query.replacen("g.", "g.with('mangrove.rules.off', 'expand-into').", 1);
            let (with, without) = (ask(&db, query, pair), ask(&db, &off, pair));
            assert_eq!(with, without, "{query} of {pair:?}");
            answered += usize::from(!with.is_empty());
        }
    }
    assert!(answered > 300, "{answered} answers had results");
}

#[test]
fn a_transaction_sees_its_own_edges_and_conflicts_with_those_of_others() {
    let db = Database::in_memory().unwrap();
    db.query("g.addV('p').property(T.id, 1).addV('p').property(T.id, 2).addV('p').property(T.id, 3)")
        .unwrap();
    let count = |db: &mangrove::Transaction<'_>| {
        db.query("g.V(1).out().hasId(2).count()").unwrap().next().unwrap().unwrap()
    };
    let add = "g.V(1).addE('e').to(__.V(2)).iterate()";
    let transaction = db.transaction();
    assert_eq!(count(&transaction), Value::Long(0));
    transaction.query(add).unwrap();
    assert_eq!(count(&transaction), Value::Long(1));
    transaction.rollback();
    db.query(add).unwrap();
    let transaction = db.transaction();
    assert_eq!(count(&transaction), Value::Long(1));
    transaction.query("g.V(3).property('seen', 1)").unwrap();
    db.query("g.V(1).outE().drop()").unwrap();
    assert!(transaction.commit().is_err(), "what it has seen is no longer so");
}

#[test]
fn an_id_means_the_vertices_that_a_filter_by_it_lets_pass() {
    let db = Database::in_memory().unwrap();
    for id in ["7", "'7'", "'seven'", "'0d9ea1f6-3d5c-4b8e-9f64-0a1b2c3d4e5f'"] {
        db.query(&format!("g.addV('p').property(T.id, {id})")).unwrap();
    }
    db.query("g.addV('p').property(T.id, 1).as('a').V().as('b').addE('e').from('a').to('b').iterate()")
        .unwrap();
    for id in [
        "7",
        "7L",
        "'7'",
        "'007'",
        "'+7'",
        "7.0d",
        "'seven'",
        "'SEVEN'",
        "8",
        "'0D9EA1F6-3D5C-4B8E-9F64-0A1B2C3D4E5F'",
    ] {
        for query in ["g.V(1).out().hasId(ID).count()", "g.V().out().hasId(ID).order().by(T.id).id()"] {
            let query = query.replace("ID", id);
            let off = query.replacen("g.", "g.with('mangrove.rules.off', 'expand-into').", 1);
            let all = |text: &str| db.query(text).unwrap().map(Result::unwrap).collect::<Vec<_>>();
            assert_eq!(all(&query), all(&off), "{query}");
        }
    }
}
