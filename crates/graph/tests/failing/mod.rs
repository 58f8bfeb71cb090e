//! A store that stops.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use store::{
    ApproximateSize, Durability, Ingested, Keyspace, KeyspaceShape, Pairs, Snapshot, Store, StoreError,
    StoreLimits, Transaction, WriteBatch,
};

/// A store whose writes fail from the n-th on, as if the machine had stopped there.
pub struct Failing {
    pub inner: Arc<dyn Store>,
    /// Writes that still succeed; [`usize::MAX`] once one has failed.
    pub left: AtomicUsize,
    /// Whether the first write that fails reaches the disk all the same: a crash between fsync and acknowledgement.
    pub last_reaches_disk: bool,
}

impl Failing {
    fn may_write(&self) -> bool {
        let next = |left| if left == usize::MAX { None } else { usize::checked_sub(left, 1) };
        self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next).is_ok()
    }
}

fn stopped() -> StoreError {
    StoreError::Halted { cause: "the test pulled the plug".into() }
}

impl Store for Failing {
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
        if self.may_write() {
            return self.inner.write_batch(batch, durability);
        }
        if self.left.swap(usize::MAX, Ordering::SeqCst) == 0 && self.last_reaches_disk {
            self.inner.write_batch(batch, durability)?;
        }
        Err(stopped())
    }
    fn ingest(&self, keyspace: &Keyspace, pairs: &mut Pairs<'_>) -> Result<Ingested, StoreError> {
        if self.may_write() { self.inner.ingest(keyspace, pairs) } else { Err(stopped()) }
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
