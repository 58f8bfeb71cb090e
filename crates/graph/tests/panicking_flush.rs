//! A flush that panics: what it was to write is in the log, and stays there.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graph::{Graph, GraphError, GraphOptions};
use store::{
    ApproximateSize, Durability, Ingested, Keyspace, KeyspaceShape, MemoryStore, Pairs, Snapshot, Store,
    StoreError, StoreLimits, Transaction, WriteBatch,
};

/// A store in whose next write something panics, if that is to be.
struct Panicking {
    inner: MemoryStore,
    next: AtomicBool,
}

impl Store for Panicking {
    fn keyspace(&self, name: &str, shape: KeyspaceShape) -> Result<Keyspace, StoreError> {
        self.inner.keyspace(name, shape)
    }
    fn keyspace_names(&self) -> Vec<String> {
        self.inner.keyspace_names()
    }
    fn snapshot(&self) -> Result<Snapshot, StoreError> {
        self.inner.snapshot()
    }
    fn begin(&self) -> Result<Transaction, StoreError> {
        self.inner.begin()
    }
    fn write_batch(&self, batch: WriteBatch, durability: Durability) -> Result<(), StoreError> {
        assert!(!self.next.swap(false, Ordering::SeqCst), "as the test wants it");
        self.inner.write_batch(batch, durability)
    }
    fn ingest(&self, keyspace: &Keyspace, pairs: &mut Pairs<'_>) -> Result<Ingested, StoreError> {
        self.inner.ingest(keyspace, pairs)
    }
    fn sync(&self) -> Result<(), StoreError> {
        self.inner.sync()
    }
    fn approximate_size(&self, keyspace: &Keyspace) -> Result<ApproximateSize, StoreError> {
        self.inner.approximate_size(keyspace)
    }
    fn limits(&self) -> StoreLimits {
        self.inner.limits()
    }
    fn close(&self) -> Result<(), StoreError> {
        self.inner.close()
    }
}

fn add(graph: &Graph) -> Result<(), GraphError> {
    let transaction = graph.begin();
    transaction.add_vertex(None, "person")?;
    transaction.commit().map(drop)
}

#[test]
fn what_a_flush_that_panicked_was_to_write_is_there_when_the_graph_is_opened_again() {
    let store = Arc::new(Panicking { inner: MemoryStore::new(), next: AtomicBool::new(false) });
    let open = || {
        let options = GraphOptions { keeper: false, ..GraphOptions::default() };
        Graph::open(Arc::clone(&store) as Arc<dyn Store>, options).unwrap()
    };
    let graph = open();
    add(&graph).unwrap();
    store.next.store(true, Ordering::SeqCst);
    catch_unwind(AssertUnwindSafe(|| graph.flush())).unwrap_err();
    for refused in [graph.flush(), add(&graph)] {
        assert!(matches!(refused, Err(GraphError::LogFailed(_))), "{refused:?}");
    }
    assert_eq!(graph.snapshot().vertex_count(None), 1, "it is read");
    drop(graph);
    let graph = open();
    let snapshot = graph.snapshot();
    assert_eq!(snapshot.vertex_count(None), 1);
    snapshot.check().unwrap();
    add(&graph).unwrap();
}
