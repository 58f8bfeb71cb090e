//! Many threads: readers that never wait, committers that share the log.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use graph::{
    Cardinality, Dir, Direction, Graph, GraphError, GraphOptions, Place, ReadUnit, Value, VertexRef,
};
use store::{MemoryStore, Store};

fn open(store: &Arc<dyn Store>) -> Graph {
    let options = GraphOptions { log_bytes: 100_000, merge_versions: 8, ..GraphOptions::default() };
    Graph::open(Arc::clone(store), options).unwrap()
}

/// Money moves between accounts, along with an edge for each move: every snapshot has the same sum, and as many edges
/// as the accounts remember.
#[test]
fn every_snapshot_is_consistent_while_writers_commit_flush_and_merge() {
    const ACCOUNTS: usize = 20;
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    let setup = graph.begin();
    let accounts: Vec<VertexRef> = (0..ACCOUNTS)
        .map(|_| {
            let v = setup.add_vertex(None, "account").unwrap();
            setup.set_vertex_property(v, Cardinality::Single, "balance", Value::Long(100), &[]).unwrap();
            setup.set_vertex_property(v, Cardinality::Single, "moves", Value::Long(0), &[]).unwrap();
            v
        })
        .collect();
    setup.commit().unwrap();
    let (stop, conflicts, checks) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let check = |graph: &Graph| {
        let snapshot = graph.snapshot();
        let reader = snapshot.reader();
        let key = |name| snapshot.catalog().key(name).unwrap();
        let sum = |name| {
            accounts.iter().map(|&v| reader.value(v, key(name)).unwrap().as_i64().unwrap()).sum::<i64>()
        };
        assert_eq!(sum("balance"), 100 * ACCOUNTS as i64);
        let moves = sum("moves");
        assert_eq!(snapshot.edge_count(None), moves as u64);
        let degrees: u64 = accounts.iter().map(|&v| reader.degree(v, Direction::Out, &[])).sum();
        assert_eq!(degrees, moves as u64);
        if let Some(label) = snapshot.catalog().edge_label("move") {
            let into: usize = accounts.iter().map(|&v| reader.list(v, label, Dir::In).len()).sum();
            assert_eq!(into, moves as usize);
        }
        snapshot.check().unwrap();
    };
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3usize)
            .map(|writer| {
                let (graph, accounts, conflicts) = (graph.clone(), &accounts, &conflicts);
                scope.spawn(move || {
                    for n in 0..300usize {
                        let (from, to) =
                            (accounts[(n * 7 + writer) % ACCOUNTS], accounts[(n * 3 + 1) % ACCOUNTS]);
                        if from != to {
                            move_money(&graph, from, to, conflicts);
                        }
                        if n % 50 == 0 {
                            graph.flush().unwrap();
                        }
                    }
                })
            })
            .collect();
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    check(&graph);
                    checks.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let outcomes: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        stop.store(true, Ordering::Relaxed);
        assert!(outcomes.iter().all(Result::is_ok), "a writer panicked");
    });
    println!("{} checks, {} conflicts", checks.into_inner(), conflicts.into_inner());
    check(&graph);
    drop(graph);
    check(&open(&store));
}

fn move_money(graph: &Graph, from: VertexRef, to: VertexRef, conflicts: &AtomicU64) {
    loop {
        let transaction = graph.begin();
        let snapshot = transaction.snapshot();
        let reader = snapshot.reader();
        let value = |v, name| {
            transaction.note_read(ReadUnit::VertexRecord(v));
            reader.value(v, snapshot.catalog().key(name).unwrap()).unwrap().as_i64().unwrap()
        };
        let set = |v, name: &str, value: i64| {
            transaction.set_vertex_property(v, Cardinality::Single, name, Value::Long(value), &[]).unwrap();
        };
        set(from, "balance", value(from, "balance") - 1);
        set(to, "balance", value(to, "balance") + 1);
        set(from, "moves", value(from, "moves") + 1);
        transaction.add_edge(None, "move", from, to).unwrap();
        drop(reader);
        match transaction.commit() {
            Ok(_) => return,
            Err(GraphError::Conflict(_)) => conflicts.fetch_add(1, Ordering::Relaxed),
            Err(error) => panic!("{error}"),
        };
    }
}

#[test]
fn a_hub_of_three_hundred_thousand_edges_is_built_read_and_dropped() {
    const EDGES: usize = 300_000;
    const BATCH: usize = 10_000;
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = Graph::open(Arc::clone(&store), GraphOptions::default()).unwrap();
    let setup = graph.begin();
    let hub = setup.add_vertex(None, "hub").unwrap();
    let fans: Vec<VertexRef> = (0..BATCH).map(|_| setup.add_vertex(None, "fan").unwrap()).collect();
    setup.commit().unwrap();
    let mut edges = Vec::with_capacity(EDGES);
    for _ in 0..EDGES / BATCH {
        let transaction = graph.begin();
        edges.extend(fans.iter().map(|&fan| transaction.add_edge(None, "likes", hub, fan).unwrap()));
        transaction.commit().unwrap();
    }
    let early = graph.snapshot();
    let likes = early.catalog().edge_label("likes").unwrap();
    let transaction = graph.begin();
    for (n, e) in edges.iter().enumerate().step_by(1000) {
        transaction.set_edge_property(*e, "weight", Value::Long(n as i64)).unwrap();
    }
    (500..700).for_each(|n| transaction.drop_edge(edges[n]).unwrap());
    transaction.commit().unwrap();
    let check = |graph: &Graph| {
        let snapshot = graph.snapshot();
        let reader = snapshot.reader();
        let list = reader.list(hub, likes, Dir::Out);
        let at = |position: usize| {
            let run = reader.run(hub, likes, Dir::Out, &mut Place::at(position));
            let i = position - run.first();
            (run.edge(i), run.value(i, snapshot.catalog().key("weight").unwrap()))
        };
        assert_eq!((list.len(), reader.degree(hub, Direction::Out, &[])), (EDGES - 200, EDGES as u64 - 200));
        let weight = snapshot.catalog().key("weight").unwrap();
        assert_eq!(at(800).0, edges[1000]);
        assert_eq!(at(800).1.and_then(|v| v.as_i64()), Some(1000));
        assert_eq!(reader.edge_value(edges[299_000], weight).and_then(|v| v.as_i64()), Some(299_000));
        assert!(reader.edge_exists(edges[499]) && !reader.edge_exists(edges[500]));
        assert_eq!(reader.list(fans[600], likes, Dir::In).len(), EDGES / BATCH - 1);
    };
    check(&graph);
    assert_eq!(early.reader().list(hub, likes, Dir::Out).len(), EDGES);
    drop(early);
    graph.flush().unwrap();
    check(&graph);
    drop(graph);
    let graph = Graph::open(store, GraphOptions::default()).unwrap();
    check(&graph);
    let transaction = graph.begin();
    transaction.drop_vertex(hub).unwrap();
    transaction.commit().unwrap();
    let snapshot = graph.snapshot();
    assert_eq!((snapshot.edge_count(None), snapshot.vertex_count(None)), (0, BATCH as u64));
    assert!(snapshot.reader().list(fans[0], likes, Dir::In).is_empty());
}
