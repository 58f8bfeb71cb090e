//! Statistics against a naive model: under random inserts, changes and drops, across restarts and crashes, after an
//! import, and while somebody else writes.

mod naive;
mod naive_statistics;

use std::sync::Arc;

use graph::{
    BulkColumn, BulkValues, Cardinality, Graph, GraphOptions, IndexDescription, IndexKind, TreeBounds, Value,
};
use naive::Random;
use naive_statistics::{counted_degrees, counted_values, known_degrees};
use store::{MemoryStore, Store};

/// Small trees and frequent merges, so that lists go through all the forms that they can have.
fn options() -> GraphOptions {
    GraphOptions {
        merge_versions: 8,
        tree: TreeBounds { max: 16, min: 4, ..TreeBounds::default() },
        ..GraphOptions::default()
    }
}

fn index(label: &str, key: &str, kind: IndexKind) -> IndexDescription {
    IndexDescription { label: label.into(), keys: vec![key.into()], kind }
}

/// One transaction that adds and drops vertices and edges, and changes values.
fn change(graph: &Graph, random: &mut Random, ids: &mut Vec<i64>) {
    let transaction = graph.begin();
    let vertex = |id: i64| transaction.snapshot().reader().vertex_by_id(&Value::Long(id));
    for _ in 0..random.below(12) + 1 {
        match random.below(10) {
            0..3 => {
                let id = ids.last().map_or(0, |last| last + 1);
                let label = ["person", "post"][random.below(2)];
                let v = transaction.add_vertex(Some(Value::Long(id)), label).unwrap();
                let age = Value::Int(random.below(20) as i32);
                transaction.set_vertex_property(v, Some(Cardinality::Single), "age", age, &[]).unwrap();
                ids.push(id);
            }
            3..7 if !ids.is_empty() => {
                // Some vertices are hubs.
                let hub = ids[random.below(ids.len().min(3))];
                let (Some(a), Some(b)) = (vertex(ids[random.below(ids.len())]), vertex(hub)) else {
                    continue;
                };
                transaction.add_edge(None, ["knows", "likes"][random.below(2)], a, b).unwrap();
            }
            7 if !ids.is_empty() => {
                let Some(v) = vertex(ids[random.below(ids.len())]) else { continue };
                let age = Value::Int(random.below(20) as i32);
                transaction.set_vertex_property(v, Some(Cardinality::Single), "age", age, &[]).unwrap();
            }
            8 if !ids.is_empty() => {
                let snapshot = transaction.snapshot();
                let Some(v) = vertex(ids[random.below(ids.len())]) else { continue };
                let knows = snapshot.catalog().edge_label("knows");
                let edges: Vec<_> = knows
                    .into_iter()
                    .flat_map(|knows| {
                        let reader = snapshot.reader();
                        let list = reader.list(v, knows, graph::Dir::In);
                        list.runs()
                            .flat_map(|run| (0..run.neighbours().len()).map(move |i| run.edge(i)))
                            .collect::<Vec<_>>()
                    })
                    .collect();
                for edge in edges.iter().take(random.below(6)) {
                    transaction.drop_edge(*edge).unwrap();
                }
            }
            9 if ids.len() > 20 => {
                let id = ids.swap_remove(random.below(ids.len()));
                if let Some(v) = vertex(id) {
                    transaction.drop_vertex(v).unwrap();
                }
                ids.sort_unstable();
            }
            _ => {}
        }
    }
    transaction.commit().unwrap();
}

#[test]
fn degrees_are_exact_after_any_commits_and_restarts() {
    for seed in 1..=6 {
        let mut random = Random::new(seed);
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let (mut graph, mut ids) = (Graph::open(Arc::clone(&store), options()).unwrap(), Vec::new());
        for round in 0..240 {
            change(&graph, &mut random, &mut ids);
            match random.below(20) {
                // What was not flushed comes from the log.
                0 => {
                    drop(graph);
                    graph = Graph::open(Arc::clone(&store), options()).unwrap();
                }
                1 => graph.flush().unwrap(),
                _ => {}
            }
            if round % 10 == 0 {
                assert_eq!(known_degrees(&graph), counted_degrees(&graph), "seed {seed}, round {round}");
                assert!(graph.snapshot().statistics().degrees_are_exact());
            }
        }
        assert!(
            known_degrees(&graph).values().any(|histogram| histogram.most() >= 32),
            "no list became a tree"
        );
    }
}

#[test]
fn values_are_exact_when_they_were_counted_and_nearly_so_otherwise() {
    let mut random = Random::new(77);
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let (mut graph, mut ids) = (Graph::open(Arc::clone(&store), options()).unwrap(), Vec::new());
    let kinds = [IndexKind::Equality, IndexKind::Range];
    for kind in kinds {
        graph.declare_index(&index("person", "age", kind)).unwrap();
    }
    graph.await_indexes();
    for round in 0..12 {
        (0..40).for_each(|_| change(&graph, &mut random, &mut ids));
        let analyzed = graph.analyze(&mut |_| {}).unwrap();
        if round % 3 == 2 {
            drop(graph);
            graph = Graph::open(Arc::clone(&store), options()).unwrap();
        }
        for statistics in [analyzed, graph.snapshot().statistics()] {
            let (entries, counts) = counted_values(&graph, "person", "age");
            for index in graph.snapshot().catalog().indexes() {
                let known = statistics.values(index).expect("it was counted");
                assert!(known.is_exact());
                assert_eq!(
                    (known.entries(), known.distinct(1)),
                    (entries, counts.len() as u64),
                    "round {round}"
                );
                if index.definition.kind == IndexKind::Range {
                    continue;
                }
                for (age, count) in &counts {
                    let estimate = known.equal(Some(&Value::Int(*age)));
                    assert!(
                        (estimate - *count as f64).abs() <= 2.0 + *count as f64,
                        "{age}: {estimate}, not {count}"
                    );
                }
            }
        }
    }
}

#[test]
fn values_that_share_a_hash_are_counted_apart() {
    let graph = Graph::open(Arc::new(MemoryStore::new()), options()).unwrap();
    graph.declare_index(&index("person", "age", IndexKind::Equality)).unwrap();
    graph.await_indexes();
    let transaction = graph.begin();
    for n in [1, 2, 3, 3, 3] {
        let v = transaction.add_vertex(None, "person").unwrap();
        let list = Value::list(vec![Value::Int(n)]);
        transaction.set_vertex_property(v, Cardinality::Single, "age", list, &[]).unwrap();
    }
    transaction.commit().unwrap();
    let known = graph.analyze(&mut |_| {}).unwrap();
    let snapshot = graph.snapshot();
    let values = known.values(&snapshot.catalog().indexes()[0]).unwrap();
    assert_eq!((values.entries(), values.distinct(1)), (5, 3));
}

#[test]
fn statistics_are_there_after_a_restart_and_whoever_cannot_read_them_does_without() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let (mut random, mut ids) = (Random::new(5), Vec::new());
    {
        let graph = Graph::open(Arc::clone(&store), options()).unwrap();
        (0..60).for_each(|_| change(&graph, &mut random, &mut ids));
        graph.create_index("person", "age").unwrap();
        graph.await_indexes();
        graph.flush().unwrap();
    }
    let graph = Graph::open(Arc::clone(&store), options()).unwrap();
    let statistics = graph.snapshot().statistics();
    assert!(
        statistics.degrees_are_exact()
            && statistics.values(&graph.snapshot().catalog().indexes()[0]).is_some()
    );
    assert_eq!(known_degrees(&graph), counted_degrees(&graph));
    drop(graph);
    // As an older version leaves a graph.
    let meta = store.keyspace("meta", store::KeyspaceShape::Small).unwrap();
    let mut batch = store::WriteBatch::new();
    batch.put(&meta, "statistics", "damaged");
    store.write_batch(batch, store::Durability::Sync).unwrap();
    let graph = Graph::open(store, options()).unwrap();
    let snapshot = graph.snapshot();
    let labels = (graph::VertexLabelId(0), graph::EdgeLabelId(0));
    assert_eq!(snapshot.statistics().degree(labels.0, labels.1, graph::Dir::Out), None);
    assert!(!snapshot.statistics().degrees_are_exact() && snapshot.statistics().degrees().is_empty());
    (0..20).for_each(|_| change(&graph, &mut random, &mut ids));
    graph.analyze(&mut |_| {}).unwrap();
    assert_eq!(known_degrees(&graph), counted_degrees(&graph));
    (0..20).for_each(|_| change(&graph, &mut random, &mut ids));
    assert_eq!(known_degrees(&graph), counted_degrees(&graph));
}

#[test]
fn analyzing_counts_in_what_is_written_meanwhile() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = Graph::open(store, options()).unwrap();
    let (mut random, mut ids) = (Random::new(9), Vec::new());
    (0..100).for_each(|_| change(&graph, &mut random, &mut ids));
    let mut calls = 0;
    graph
        .analyze(&mut |_| {
            calls += 1;
            (0..15).for_each(|_| change(&graph, &mut random, &mut ids));
        })
        .unwrap();
    assert!(calls > 2);
    assert_eq!(known_degrees(&graph), counted_degrees(&graph));
}

#[test]
fn an_import_leaves_good_statistics_behind() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = Graph::open(Arc::clone(&store), options()).unwrap();
    graph.declare_index(&index("person", "age", IndexKind::Range)).unwrap();
    let mut load = graph.bulk_load().unwrap();
    let ages = (0..500).map(|n| Some(Value::Int(n / 5))).collect();
    let column = BulkColumn { key: "age".into(), values: BulkValues::Any(ages) };
    let persons = load.vertices("person", None, vec![column]).unwrap();
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for (n, v) in persons.iter().enumerate() {
        for other in 0..n % 40 {
            from.push(*v);
            to.push(persons[other * 3]);
        }
    }
    load.edges("knows", &from, &to, None, Vec::new()).unwrap();
    load.index("person", "age").unwrap();
    load.finish(&|_| {}).unwrap();
    for graph in [graph.clone(), {
        drop(graph);
        Graph::open(store, options()).unwrap()
    }] {
        assert_eq!(known_degrees(&graph), counted_degrees(&graph));
        let statistics = graph.snapshot().statistics();
        let snapshot = graph.snapshot();
        assert_eq!(snapshot.catalog().indexes().len(), 2);
        for index in snapshot.catalog().indexes() {
            let values = statistics.values(index).unwrap();
            assert_eq!((values.entries(), values.distinct(1)), (500, 100));
            assert!(values.is_exact());
        }
    }
}

/// A graph that grows step by step must not have its plans made again at every step.
#[test]
fn the_epoch_moves_when_a_number_has_moved_by_a_factor() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = Graph::open(store, options()).unwrap();
    let (mut random, mut ids) = (Random::new(3), Vec::new());
    let mut epochs = std::collections::BTreeSet::new();
    for _ in 0..400 {
        change(&graph, &mut random, &mut ids);
        epochs.insert(graph.snapshot().statistics().epoch());
    }
    let vertices = graph.snapshot().vertex_count(None);
    assert!(vertices > 400, "{vertices}");
    assert!((3..=20).contains(&epochs.len()), "{epochs:?}");
    let before = graph.snapshot().statistics().epoch();
    graph.analyze(&mut |_| {}).unwrap();
    assert!(graph.snapshot().statistics().epoch() > before);
}
