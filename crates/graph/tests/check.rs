//! `graph::check` finds nothing in a sound graph, and whatever is wrong in another.

mod naive;

use std::sync::Arc;

use graph::{Finding, Graph, GraphOptions};
use naive::steps::{KEYS, LABELS, Shape, write};
use naive::{Naive, Random};
use store::{
    Bytes, Durability, KeyRange, Keyspace, KeyspaceShape, MemoryStore, ScanOrder, Store, WriteBatch,
};

const SHAPE: Shape = Shape { vertices: 25, edges: 60, hubs: 3 };

/// Keys with their values.
type Pairs = Vec<(Bytes, Bytes)>;

fn open(store: &Arc<dyn Store>) -> Graph {
    let options = GraphOptions { merge_versions: 3, ..GraphOptions::default() };
    Graph::open(Arc::clone(store), options).unwrap()
}

fn work(graph: &Graph, model: &mut Naive, random: &mut Random, transactions: usize) {
    for _ in 0..transactions {
        let transaction = graph.begin();
        for _ in 0..6 {
            write(&transaction, model, random, SHAPE).unwrap();
        }
        transaction.commit().unwrap();
    }
}

fn check(store: &Arc<dyn Store>) -> Vec<Finding> {
    graph::check(store, &mut |_| {}).unwrap()
}

fn pairs(store: &Arc<dyn Store>, keyspace: &Keyspace) -> Pairs {
    let snapshot = store.snapshot().unwrap();
    snapshot.scan(keyspace, KeyRange::all(), ScanOrder::Ascending).unwrap().map(Result::unwrap).collect()
}

fn set(store: &Arc<dyn Store>, keyspace: &Keyspace, key: &Bytes, value: Option<Bytes>) {
    let mut batch = WriteBatch::new();
    match value {
        Some(value) => batch.put(keyspace, key.clone(), value),
        None => batch.delete(keyspace, key.clone()),
    }
    store.write_batch(batch, Durability::Sync).unwrap();
}

/// A graph that was flushed twice, its sections as of the first time, and what is in it.
fn flushed_twice() -> (Arc<dyn Store>, Keyspace, Pairs, Naive) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    let (mut model, mut random) = (Naive::default(), Random::new(8));
    for label in LABELS {
        KEYS.iter().for_each(|key| graph.create_index(label, key).unwrap());
    }
    work(&graph, &mut model, &mut random, 30);
    graph.flush().unwrap();
    let sections = store.keyspace("sections", KeyspaceShape::Large).unwrap();
    let before = pairs(&store, &sections);
    work(&graph, &mut model, &mut random, 30);
    graph.flush().unwrap();
    (store, sections, before, model)
}

#[test]
fn a_sound_graph_has_no_findings_flushed_or_not() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    assert_eq!(check(&store), [], "a store without a graph");
    let graph = open(&store);
    assert_eq!(check(&store), [], "an empty graph");
    let (mut model, mut random) = (Naive::default(), Random::new(3));
    for round in 0..10 {
        work(&graph, &mut model, &mut random, 10);
        graph.create_index(LABELS[round % 2], KEYS[round % 3]).unwrap();
        assert_eq!(check(&store), [], "round {round}, in the log");
        graph.flush().unwrap();
        assert_eq!(check(&store), [], "round {round}, flushed");
    }
}

#[test]
fn every_section_that_is_missing_is_named() {
    let (store, sections, ..) = flushed_twice();
    for (key, value) in pairs(&store, &sections) {
        set(&store, &sections, &key, None);
        let findings = check(&store);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].problem.contains("missing"), "{}", findings[0]);
        set(&store, &sections, &key, Some(value));
    }
    assert_eq!(check(&store), []);
}

#[test]
fn every_flipped_bit_of_a_section_the_log_or_the_root_is_found() {
    let (store, sections, _, mut model) = flushed_twice();
    let graph = open(&store);
    work(&graph, &mut model, &mut Random::new(9), 3);
    drop(graph);
    let mut random = Random::new(10);
    let small = ["meta", "log"].map(|name| store.keyspace(name, KeyspaceShape::Small).unwrap());
    for keyspace in small.iter().chain([&sections]) {
        for (key, value) in pairs(&store, keyspace) {
            // The header of a section that has one part says nothing else.
            let from = if keyspace.name() == "sections" { 10 } else { 0 };
            let mut damaged = value.to_vec();
            damaged[from + random.below(value.len() - from)] ^= 1 << random.below(8);
            set(&store, keyspace, &key, Some(damaged.into()));
            assert_ne!(check(&store), [], "{} {key:?}", keyspace.name());
            set(&store, keyspace, &key, Some(value));
        }
    }
}

/// A disk that forgets a write leaves an old section, whole and with the right checksum.
#[test]
fn an_old_version_of_a_list_an_index_or_the_vertices_is_found() {
    let (store, sections, before, _) = flushed_twice();
    let snapshot = store.snapshot().unwrap();
    let (mut lists, mut others) = (0, 0);
    for (key, old) in before {
        let new = snapshot.get(&sections, &key).unwrap().unwrap();
        // The bodies begin with the stamp, which differs wherever anything does. Columns may differ unseen, unless an
        // index speaks of them; adjacency sections do not.
        let kind = key[4] >> 4;
        if old == new || key[0] == b'b' && kind == 1 {
            continue;
        }
        set(&store, &sections, &key, Some(old.clone()));
        let findings = check(&store);
        if old[28..] != new[28..] && key[0] == b'b' && kind == 2 {
            assert_ne!(findings, [], "{key:?}");
            lists += 1;
        }
        others += usize::from(!findings.is_empty());
        set(&store, &sections, &key, Some(new));
    }
    assert!(lists > 20 && others > lists, "{lists} lists, {others} in all");
    assert_eq!(check(&store), []);
}
