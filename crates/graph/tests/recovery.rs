//! Crashes at every write, and damaged bytes.

mod failing;
mod naive;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use failing::Failing;
use graph::{Cardinality, Graph, GraphError, GraphOptions, IndexDescription, IndexKind, Value, VertexRef};
use naive::{Naive, Random};
use store::{
    Durability, FjallOptions, FjallStore, KeyRange, Keyspace, KeyspaceShape, MemoryStore, ScanOrder, Store,
    WriteBatch,
};

fn options() -> GraphOptions {
    // Every section is a write of its own, so a crash can separate any two.
    GraphOptions { merge_versions: 4, flush_batch_bytes: 1, ..GraphOptions::default() }
}

/// Commits a fixed sequence of transactions, with flushes between; the states after each, and how many were
/// acknowledged before the first failure.
fn script(graph: &Graph) -> (Vec<Naive>, usize) {
    let (mut states, mut model) = (vec![Naive::default()], Naive::default());
    let mut acknowledged = 0;
    let mut failed = false;
    if graph.create_index("person", "age").is_err() {
        // Building it may have failed where no commit did, and the log would still take the next one.
        return (states, 0);
    }
    for round in 0..14i64 {
        let transaction = graph.begin();
        let id = Value::str(format!("person {round}"));
        let v = transaction.add_vertex(Some(id.clone()), "person").unwrap();
        model.add_vertex(v, "person", Some(id));
        let age = Value::Long(round % 3);
        let property =
            transaction.set_vertex_property(v, Cardinality::List, "age", age.clone(), &[]).unwrap();
        model.set_vertex_property(v, Cardinality::List, "age", age, &[], property);
        let others: Vec<VertexRef> = model.vertices.keys().map(|&v| VertexRef(v)).collect();
        for &other in others.iter().rev().take(4) {
            if transaction.snapshot().reader().exists(other) {
                let e = transaction.add_edge(None, "knows", v, other).unwrap();
                model.add_edge(e, "knows", None);
                transaction.set_edge_property(e, "since", Value::Long(round)).unwrap();
                model.edge_mut(e).properties.insert("since".into(), Value::Long(round));
            }
        }
        // An indexed value that changes back and forth.
        if let Some(&changed) =
            others.get(round as usize % 3).filter(|v| transaction.snapshot().reader().exists(**v))
        {
            let age = Value::Long(round % 4);
            let property = transaction
                .set_vertex_property(changed, Cardinality::Single, "age", age.clone(), &[])
                .unwrap();
            model.set_vertex_property(changed, Cardinality::Single, "age", age, &[], property);
        }
        if round % 5 == 4 && transaction.snapshot().reader().exists(others[1]) {
            transaction.drop_vertex(others[1]).unwrap();
            model.drop_vertex(others[1]);
        }
        match transaction.commit() {
            Ok(_) => {
                assert!(!failed, "a commit succeeded after one had failed");
                states.push(model.clone());
                acknowledged = states.len() - 1;
            }
            Err(error) => {
                assert!(matches!(error, GraphError::Store(_) | GraphError::LogFailed(_)), "{error}");
                if !failed {
                    states.push(model.clone());
                }
                failed = true;
            }
        }
        if failed {
            break;
        }
        // Another index comes, and goes while the graph is used; whoever waits for it sees the failure.
        let name =
            IndexDescription { label: "person".into(), keys: vec!["name".into()], kind: IndexKind::Unique };
        let changed = match round {
            3 => graph.declare_index(&name).and_then(|()| graph.await_index(&name)),
            8 => graph.drop_index(&name),
            _ => Ok(()),
        };
        if changed.is_err() {
            break;
        }
        if round % 4 == 3 {
            // A flush that fails loses nothing.
            let _ = graph.flush();
        }
    }
    (states, acknowledged)
}

/// A thread in which a panic only means that two graphs differ.
const COMPARISON: &str = "comparison";

/// Whether a graph is in a state of the model.
fn is_state(model: &Naive, graph: &Graph) -> bool {
    std::thread::scope(|scope| {
        let compare = || model.check(&graph.snapshot(), 0, "");
        std::thread::Builder::new()
            .name(COMPARISON.into())
            .spawn_scoped(scope, compare)
            .unwrap()
            .join()
            .is_ok()
    })
}

#[test]
fn a_crash_at_any_write_keeps_every_acknowledged_commit_whole_and_no_other_in_part() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().name() != Some(COMPARISON) {
            report(info);
        }
    }));
    for last_reaches_disk in [false, true] {
        let mut complete = false;
        for writes in 0..2000 {
            let disk: Arc<dyn Store> = Arc::new(MemoryStore::new());
            let left = AtomicUsize::new(writes);
            let failing = Arc::new(Failing { inner: Arc::clone(&disk), left, last_reaches_disk });
            let Ok(graph) = Graph::open(failing, options()) else { continue };
            let (states, acknowledged) = script(&graph);
            drop(graph);
            complete = acknowledged == 14;
            let reopened = Graph::open(Arc::clone(&disk), options()).unwrap();
            let at = states[acknowledged..].iter().position(|state| is_state(state, &reopened));
            assert!(
                at.is_some(),
                "after {writes} writes, {acknowledged} acknowledged: neither the state before nor after"
            );
            // And it goes on from there, through another flush and restart.
            // (A unique index that is built again refuses, once, who began before it was whole.)
            let v = loop {
                let transaction = reopened.begin();
                let v = transaction.add_vertex(None, "person").unwrap();
                match transaction.commit() {
                    Ok(_) => break v,
                    Err(error) => assert!(error.is_retryable(), "{error}"),
                }
            };
            reopened.flush().unwrap();
            drop(reopened);
            let mut expected = states[acknowledged + at.unwrap()].clone();
            expected.add_vertex(v, "person", None);
            let again = Graph::open(disk, options()).unwrap();
            assert!(is_state(&expected, &again), "after {writes} writes, a commit, a flush and a restart");
            if complete {
                break;
            }
        }
        assert!(complete, "the script never ran to its end: raise the number of writes");
    }
}

#[test]
fn a_graph_on_disk_recovers_with_and_without_a_flush() {
    let directory = tempfile::tempdir().unwrap();
    let open = || {
        let store: Arc<dyn Store> =
            Arc::new(FjallStore::open(directory.path(), FjallOptions::default()).unwrap());
        Graph::open(store, options()).unwrap()
    };
    let graph = open();
    let (states, acknowledged) = script(&graph);
    assert_eq!(acknowledged, 14);
    drop(graph);
    let graph = open();
    states[14].check(&graph.snapshot(), 0, "recovered from the log");
    graph.flush().unwrap();
    assert!(graph.stats().log_bytes == 0 && graph.stats().sections_stored > 0);
    drop(graph);
    let graph = open();
    assert_eq!(graph.stats().sections_loaded, 0, "sections are loaded when they are needed");
    states[14].check(&graph.snapshot(), 0, "recovered from sections");
    assert!(graph.stats().sections_loaded > 0);
}

/// All pairs of a keyspace.
fn pairs(store: &Arc<dyn Store>, keyspace: &Keyspace) -> Vec<(store::Bytes, store::Bytes)> {
    let snapshot = store.snapshot().unwrap();
    snapshot.scan(keyspace, KeyRange::all(), ScanOrder::Ascending).unwrap().map(Result::unwrap).collect()
}

#[test]
fn damaged_bytes_are_an_error_and_never_a_wrong_answer() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = Graph::open(Arc::clone(&store), options()).unwrap();
    let (states, _) = script(&graph);
    graph.flush().unwrap();
    // And one commit for the log.
    let transaction = graph.begin();
    let v = transaction.add_vertex(None, "person").unwrap();
    transaction.commit().unwrap();
    drop(graph);
    let mut expected = states.last().unwrap().clone();
    expected.add_vertex(v, "person", None);
    let mut random = Random::new(5);
    let (mut refused, mut noticed, mut harmless) = (0, 0, 0);
    for (name, shape) in
        [("meta", KeyspaceShape::Small), ("log", KeyspaceShape::Small), ("sections", KeyspaceShape::Large)]
    {
        let keyspace = store.keyspace(name, shape).unwrap();
        for (key, value) in pairs(&store, &keyspace) {
            for _ in 0..6 {
                let mut damaged = value.to_vec();
                match random.below(4) {
                    0 => damaged.truncate(random.below(damaged.len())),
                    _ => damaged[random.below(value.len())] ^= 1 << random.below(8),
                }
                write(&store, &keyspace, &key, damaged);
                match Graph::open(Arc::clone(&store), options()) {
                    Err(_) => refused += 1,
                    Ok(graph) => match read_everything(&graph) {
                        Err(GraphError::Corrupt { .. }) => noticed += 1,
                        Err(error) => panic!("{error}"),
                        Ok(()) => {
                            harmless += 1;
                            expected.check(&graph.snapshot(), 0, "with a flipped bit");
                        }
                    },
                }
                write(&store, &keyspace, &key, value.to_vec());
            }
        }
    }
    println!("{refused} refused at open, {noticed} noticed when read, {harmless} in bytes that say nothing");
    assert!(refused > 10 && noticed > 100);
}

fn write(store: &Arc<dyn Store>, keyspace: &Keyspace, key: &store::Bytes, value: Vec<u8>) {
    let mut batch = WriteBatch::new();
    batch.put(keyspace, key.clone(), value);
    store.write_batch(batch, Durability::Sync).unwrap();
}

/// Reads all there is, so that every section is loaded.
fn read_everything(graph: &Graph) -> Result<(), GraphError> {
    let snapshot = graph.snapshot();
    let reader = snapshot.reader();
    let (mut vertices, mut properties) = (Vec::new(), Vec::new());
    let mut cursor = graph::ScanCursor::default();
    while reader.scan_vertices(None, &mut cursor, 10, &mut vertices) {}
    // Also those that the scan did not find: a damaged presence section hides its vertices.
    for v in (0..30).map(VertexRef) {
        reader.vertex_properties(v, &[], &mut properties);
        for dir in [graph::Dir::Out, graph::Dir::In] {
            reader.for_each_label(v, dir, |_, list| {
                list.edges().for_each(|e| drop(reader.edge_id(e)));
            });
        }
    }
    for n in 0..500 {
        reader.vertex_by_id(&Value::str(format!("person {n}")));
        for index in snapshot.catalog().indexes() {
            reader.index_lookup(
                index.definition.label,
                index.definition.keys[0],
                &Value::Long(n),
                &mut vertices,
            );
        }
    }
    snapshot.check()
}

#[test]
fn a_failed_read_inside_a_transaction_refuses_its_commit() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = Graph::open(Arc::clone(&store), options()).unwrap();
    let transaction = graph.begin();
    let v = transaction.add_vertex(None, "person").unwrap();
    let w = transaction.add_vertex(None, "person").unwrap();
    transaction.set_vertex_property(v, Cardinality::Single, "age", Value::Long(3), &[]).unwrap();
    transaction.commit().unwrap();
    graph.flush().unwrap();
    drop(graph);
    let keyspace = store.keyspace("sections", KeyspaceShape::Large).unwrap();
    for (key, value) in pairs(&store, &keyspace) {
        write(&store, &keyspace, &key, vec![0; value.len()]);
    }
    let graph = Graph::open(Arc::clone(&store), options()).unwrap();
    let transaction = graph.begin();
    assert!(matches!(transaction.add_edge(None, "knows", v, w), Err(GraphError::Corrupt { .. })));
    transaction.add_vertex(None, "person").unwrap();
    let refused = transaction.commit().unwrap_err();
    assert!(refused.to_string().contains("restore"), "{refused}");
}
