//! What statistics cost and what they are for: keeping up degrees as edges are written and imported, counting everything, and
//! the first few of an index in order beside a scan and a sort (the limit).
//!
//! `cargo bench -p graph --bench statistics`

use std::sync::Arc;
use std::time::{Duration, Instant};

use graph::{
    BulkColumn, BulkValues, Graph, GraphOptions, IndexDescription, IndexKind, OrderCursor, RangeQuery,
    ScanCursor, Value, VertexRef,
};
use store::MemoryStore;

const VERTICES: usize = 500_000;
const EDGES: usize = 5_000_000;
const WRITES: usize = 500_000;
const PER_COMMIT: usize = 1_000;

fn main() {
    let graph = written();
    drop(graph);
    let graph = imported();
    counted(&graph);
    in_order(&graph);
}

fn report(what: &str, amount: f64, unit: &str) {
    println!("{what:<44} {amount:>10.2} {unit}");
}

/// Numbers as they come.
fn random(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 11) as usize
}

fn open() -> Graph {
    Graph::open(Arc::new(MemoryStore::new()), GraphOptions::default()).expect("an empty store opens")
}

/// Edges between a few thousand vertices, in memory: nothing is waited for.
fn written() -> Graph {
    let graph = open();
    let transaction = graph.begin();
    let add = |_| transaction.add_vertex(None, "person").expect("there is room");
    let vertices: Vec<VertexRef> = (0..50_000).map(add).collect();
    transaction.commit().expect("nobody else writes");
    let mut state = 88_172_645_463_325_252;
    let mut committing = Duration::ZERO;
    for _ in 0..WRITES / PER_COMMIT {
        let transaction = graph.begin();
        for _ in 0..PER_COMMIT {
            let (a, b) = (random(&mut state) % vertices.len(), random(&mut state) % vertices.len());
            transaction.add_edge(None, "knows", vertices[a], vertices[b]).expect("there is room");
        }
        let begun = Instant::now();
        transaction.commit().expect("nobody else writes");
        committing += begun.elapsed();
    }
    report("commit, per edge", committing.as_secs_f64() * 1e9 / WRITES as f64, "ns");
    graph
}

/// A load with ages, a few thousand values in no order.
fn imported() -> Graph {
    let graph = open();
    let mut load = graph.bulk_load().expect("it is empty");
    let mut state = 362_436_069;
    let ages = (0..VERTICES).map(|_| Some((random(&mut state) % 5_000) as i32)).collect();
    let column = BulkColumn { key: "age".into(), values: BulkValues::Int(ages) };
    let vertices = load.vertices("person", None, vec![column]).expect("there is room");
    let mut end = || (0..EDGES).map(|_| vertices[random(&mut state) % VERTICES]).collect::<Vec<_>>();
    let (src, dst) = (end(), end());
    load.edges("knows", &src, &dst, None, Vec::new()).expect("there is room");
    let begun = Instant::now();
    load.finish(&|_| {}).expect("nobody else writes");
    report("import, the half after the input", begun.elapsed().as_secs_f64() * 1e3, "ms");
    graph
}

fn counted(graph: &Graph) {
    let index = IndexDescription { label: "person".into(), keys: vec!["age".into()], kind: IndexKind::Range };
    graph.declare_index(&index).expect("it can be");
    graph.await_index(&index).expect("it can be built");
    graph.await_indexes();
    let begun = Instant::now();
    graph.analyze(&mut |_| {}).expect("it is in memory");
    report("analyze, half a million vertices", begun.elapsed().as_secs_f64() * 1e3, "ms");
    let snapshot = graph.snapshot();
    let begun = Instant::now();
    for _ in 0..100_000 {
        std::hint::black_box(snapshot.statistics());
    }
    report("statistics of a snapshot", begun.elapsed().as_secs_f64() * 1e9 / 1e5, "ns");
}

fn in_order(graph: &Graph) {
    let snapshot = graph.snapshot();
    let catalog = snapshot.catalog();
    let (label, key) =
        (catalog.vertex_label("person").expect("it is there"), catalog.key("age").expect("so is it"));
    let begun = Instant::now();
    for _ in 0..100 {
        let query = RangeQuery { label, keys: &[key], equal: &[], low: None, high: None };
        let mut found = Vec::new();
        let reader = snapshot.reader();
        reader
            .range_in_order(query, true, &mut OrderCursor::default(), 10, &mut found)
            .expect("there is an index");
        assert!(found.len() >= 10);
    }
    report("the first ten in order, by the index", begun.elapsed().as_secs_f64() * 1e6 / 100.0, "µs");
    let begun = Instant::now();
    let (reader, mut all) = (snapshot.reader(), Vec::new());
    while reader.scan_vertices(Some(label), &mut ScanCursor::default(), usize::MAX >> 1, &mut all) {}
    let mut values: Vec<(i64, VertexRef)> = all
        .into_iter()
        .filter_map(|v| Some((reader.value(v, key).as_ref().and_then(Value::as_i64)?, v)))
        .collect();
    values.select_nth_unstable_by(10, |a, b| b.cmp(a));
    report("the same by a scan", begun.elapsed().as_secs_f64() * 1e6, "µs");
}
