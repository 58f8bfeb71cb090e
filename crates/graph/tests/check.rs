//! `graph::check` finds nothing in a sound graph, and whatever is wrong in another.

mod naive;

use std::sync::Arc;

use graph::{
    Cardinality, Finding, Graph, GraphOptions, IndexDescription, IndexKind, TreeBounds, Value, VertexRef,
};
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

/// A graph with an index of each kind, and lists in trees: some by arrival, some by a property.
fn with_trees_and_indexes() -> (Graph, Arc<dyn Store>) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let tree = TreeBounds { min: 4, max: 8, fan_out: 4 };
    let graph = Graph::open(Arc::clone(&store), GraphOptions { tree, ..GraphOptions::default() }).unwrap();
    for (key, kind) in [
        ("a", IndexKind::Equality),
        ("b", IndexKind::Unique),
        ("a", IndexKind::Range),
        ("b", IndexKind::Range),
    ] {
        let index = IndexDescription { label: "v".into(), keys: vec![key.into()], kind };
        graph.declare_index(&index).unwrap();
        graph.await_index(&index).unwrap();
    }
    graph
        .change_schema(|schema| {
            schema.edges.entry("sorted".into()).or_default().sort_key = Some("weight".into());
            Ok(())
        })
        .unwrap();
    grow(&graph, 0..150);
    (graph, store)
}

/// Adds vertices with values under both keys, each with an edge of two labels to and from the first.
fn grow(graph: &Graph, numbers: std::ops::Range<i64>) {
    let hub = VertexRef(0);
    for n in numbers {
        let transaction = graph.begin();
        let v = transaction.add_vertex(None, "v").unwrap();
        for (key, value) in [("a", n % 7), ("b", n)] {
            transaction.set_vertex_property(v, Cardinality::Single, key, Value::Long(value), &[]).unwrap();
        }
        for label in ["arrived", "sorted"] {
            for (from, to) in [(v, hub), (hub, v)] {
                let e = transaction.add_edge(None, label, from, to).unwrap();
                transaction.set_edge_property(e, "weight", Value::Long(n * 37 % 101)).unwrap();
            }
        }
        transaction.commit().unwrap();
    }
}

/// What is found when a pair is as it was before more was written, for each pair that differs.
fn found_in_old_pairs(keyspace: &str) -> Vec<(Bytes, Vec<Finding>)> {
    let (graph, store) = with_trees_and_indexes();
    graph.flush().unwrap();
    let keyspace = store.keyspace(keyspace, KeyspaceShape::Large).unwrap();
    let before = pairs(&store, &keyspace);
    grow(&graph, 150..200);
    graph.flush().unwrap();
    drop(graph);
    assert_eq!(check(&store), []);
    let after: std::collections::BTreeMap<Bytes, Bytes> = pairs(&store, &keyspace).into_iter().collect();
    let changed = before.into_iter().filter(|(key, old)| after.get(key).is_some_and(|new| new != old));
    changed
        .map(|(key, old)| {
            set(&store, &keyspace, &key, Some(old));
            let findings = check(&store);
            set(&store, &keyspace, &key, Some(after[&key].clone()));
            (key, findings)
        })
        .collect()
}

#[test]
fn an_old_version_of_any_section_of_a_graph_with_trees_and_indexes_is_found() {
    let found = found_in_old_pairs("sections");
    let mut kinds: Vec<u8> = found.iter().map(|(key, _)| key[0]).collect();
    kinds.dedup();
    assert_eq!(kinds.len(), 4, "blocks, indexes by hash, indexes in order and trees: {kinds:?}");
    for (key, findings) in &found {
        // Values that are missing in a column nobody else speaks of: an index may have more than there is.
        let is_column = key[0] == b'b' && key[4] >> 4 == 1;
        assert!(is_column || !findings.is_empty(), "{key:?}");
    }
    let says = |what: &str| found.iter().flat_map(|(_, f)| f).any(|f| f.to_string().contains(what));
    for what in ["does not have all combinations", "does not have its value", "edge-tree"] {
        assert!(says(what), "nothing says '{what}': {found:?}");
    }
}

#[test]
fn an_old_root_would_give_out_references_and_numbers_again() {
    let found: Vec<Finding> =
        found_in_old_pairs("meta").into_iter().flat_map(|(_, findings)| findings).collect();
    let says = |what: &str| found.iter().any(|finding| finding.to_string().contains(what));
    assert!(says("its reference is to be given out again"), "{found:?}");
    assert!(says("a number that is to be given out again"), "{found:?}");
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
