//! A store in memory, and what is done before each of its writes.

use store::{
    ApproximateSize, Durability, Ingested, Keyspace, KeyspaceShape, MemoryStore, Pairs, Snapshot, Store,
    StoreError, StoreLimits, Transaction, WriteBatch,
};

/// See the module.
pub struct Hooked<F> {
    inner: MemoryStore,
    before_write: F,
}

impl<F: Fn() + Send + Sync + 'static> Hooked<F> {
    pub fn new(before_write: F) -> Self {
        Self { inner: MemoryStore::new(), before_write }
    }
}

impl<F: Fn() + Send + Sync + 'static> Store for Hooked<F> {
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
        (self.before_write)();
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
