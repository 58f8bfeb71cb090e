//! Notes: bytes that are durable together with a transaction, or not at all.

use std::sync::Arc;

use graph::{Graph, GraphError, GraphOptions};
use store::{MemoryStore, Store};

fn open(store: &Arc<MemoryStore>) -> Graph {
    Graph::open(Arc::clone(store) as Arc<dyn Store>, GraphOptions::default()).unwrap()
}

fn names(graph: &Graph, prefix: &str) -> Vec<String> {
    let mut names = Vec::new();
    graph
        .each_note(prefix, |name, content| {
            assert_eq!(graph.note(name)?, Some(content));
            names.push(name.to_owned());
            Ok(())
        })
        .unwrap();
    names
}

#[test]
fn a_note_is_there_with_its_commit_and_after_a_restart() {
    let store = Arc::new(MemoryStore::new());
    let graph = open(&store);
    assert_eq!(graph.note("a").unwrap(), None);
    assert!(!store.keyspace_names().contains(&"notes".to_owned()), "to ask makes nothing");
    let transaction = graph.begin();
    transaction.add_vertex(None, "person").unwrap();
    transaction.leave_note("a", Some(b"one".to_vec())).unwrap();
    transaction.leave_note("b", Some(Vec::new())).unwrap();
    transaction.leave_note("a", Some(b"two".to_vec())).unwrap();
    assert_eq!(graph.note("a").unwrap(), None);
    transaction.commit().unwrap();
    for graph in [graph, open(&store)] {
        assert_eq!(graph.note("a").unwrap(), Some(b"two".to_vec()));
        assert_eq!(graph.note("b").unwrap(), Some(Vec::new()));
        assert_eq!(graph.snapshot().vertex_count(None), 1);
        graph.flush().unwrap();
    }
    let graph = open(&store);
    let transaction = graph.begin();
    transaction.leave_note("a", None).unwrap();
    transaction.leave_note("a/1", Some(vec![1; 1000])).unwrap();
    transaction.commit().unwrap();
    assert_eq!(
        (names(&graph, "a"), names(&graph, "")),
        (vec!["a/1".to_owned()], vec!["a/1".into(), "b".into()])
    );
    drop(graph);
    let findings = graph::check(&(store as Arc<dyn Store>), &mut |_| {}).unwrap();
    assert!(findings.is_empty(), "{findings:?}");
}

#[test]
fn a_transaction_that_is_rolled_back_or_refused_leaves_none() {
    let graph = open(&Arc::default());
    graph.begin().leave_note("a", Some(b"dropped".to_vec())).unwrap();
    let [first, second, other] = [(); 3].map(|()| graph.begin());
    for (transaction, name) in [(&first, "a"), (&second, "a"), (&other, "b")] {
        transaction.leave_note(name, Some(name.into())).unwrap();
    }
    first.commit().unwrap();
    assert!(matches!(second.commit(), Err(GraphError::Conflict(_))));
    other.commit().unwrap();
    assert_eq!(names(&graph, ""), ["a", "b"]);
    let transaction = graph.begin();
    for (name, bytes) in [("x".repeat(2_000), 1), ("x".into(), 17 << 20)] {
        let refused = transaction.leave_note(&name, Some(vec![0; bytes])).unwrap_err();
        assert!(matches!(refused, GraphError::LimitExceeded { .. }), "{refused}");
    }
}

#[test]
fn a_backup_has_the_notes_of_its_moment() {
    let graph = open(&Arc::default());
    let note = |content: &str| {
        let transaction = graph.begin();
        transaction.add_vertex(None, "person").unwrap();
        transaction.leave_note("a", Some(content.into())).unwrap();
        transaction.commit().unwrap();
    };
    note("one");
    let dir = tempfile::tempdir().unwrap();
    graph.backup(dir.path()).unwrap();
    note("two");
    let store = Arc::new(MemoryStore::new());
    graph::restore(dir.path(), None, &(Arc::clone(&store) as Arc<dyn Store>)).unwrap();
    let restored = open(&store);
    assert_eq!(restored.note("a").unwrap(), Some(b"one".to_vec()));
    assert_eq!(restored.snapshot().vertex_count(None), 1);
}
