//! A store that tells of its reads and writes.

use std::path::Path;
use std::sync::Arc;

use crate::{
    ApproximateSize, Durability, Ingested, Keyspace, KeyspaceShape, Pairs, Scratch, Snapshot, Store,
    StoreError, StoreLimits, Transaction, WriteBatch,
};

/// Another store, and something that is called before each snapshot of it is taken, on the thread that takes it, and perhaps
/// before each batch is written. A snapshot should be short-lived, so that is before every few reads: for tests and benchmarks of
/// stores that are slow, or stuck.
pub struct ObservedStore {
    store: Arc<dyn Store>,
    before_snapshot: Hook,
    before_write: Hook,
}

type Hook = Box<dyn Fn() + Send + Sync>;

impl ObservedStore {
    /// `store`, observed.
    pub fn new(store: Arc<dyn Store>, before_snapshot: impl Fn() + Send + Sync + 'static) -> Self {
        Self { store, before_snapshot: Box::new(before_snapshot), before_write: Box::new(|| ()) }
    }

    /// Calls something before each batch is written, on the thread that writes it.
    #[must_use]
    pub fn before_writes(mut self, hook: impl Fn() + Send + Sync + 'static) -> Self {
        self.before_write = Box::new(hook);
        self
    }
}

impl std::fmt::Debug for ObservedStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ObservedStore")
    }
}

impl Store for ObservedStore {
    fn keyspace(&self, name: &str, shape: KeyspaceShape) -> Result<Keyspace, StoreError> {
        self.store.keyspace(name, shape)
    }

    fn keyspace_names(&self) -> Vec<String> {
        self.store.keyspace_names()
    }

    fn snapshot(&self) -> Result<Snapshot, StoreError> {
        (self.before_snapshot)();
        self.store.snapshot()
    }

    fn begin(&self) -> Result<Transaction, StoreError> {
        self.store.begin()
    }

    fn write_batch(&self, batch: WriteBatch, durability: Durability) -> Result<(), StoreError> {
        (self.before_write)();
        self.store.write_batch(batch, durability)
    }

    fn ingest(&self, keyspace: &Keyspace, pairs: &mut Pairs<'_>) -> Result<Ingested, StoreError> {
        self.store.ingest(keyspace, pairs)
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.store.sync()
    }

    fn rest(&self) {
        self.store.rest();
    }

    fn approximate_size(&self, keyspace: &Keyspace) -> Result<ApproximateSize, StoreError> {
        self.store.approximate_size(keyspace)
    }

    fn scratch(&self) -> Result<Option<Scratch>, StoreError> {
        self.store.scratch()
    }

    fn check_room(&self, directory: &Path, bytes: usize) -> Result<(), StoreError> {
        self.store.check_room(directory, bytes)
    }

    fn limits(&self) -> StoreLimits {
        self.store.limits()
    }

    fn close(&self) -> Result<(), StoreError> {
        self.store.close()
    }
}
