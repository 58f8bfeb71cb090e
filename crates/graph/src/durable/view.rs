//! One keyspace of the store, with the errors of the graph.

use std::sync::Arc;

use store::{Bytes, Durability, KeyRange, Keyspace, KeyspaceShape, ScanOrder, Snapshot, Store, WriteBatch};

use crate::error::Result;

/// A keyspace, as log, sections and root see it.
pub(super) struct View {
    store: Arc<dyn Store>,
    pub(super) keyspace: Keyspace,
}

impl View {
    /// The keyspace of this name, which is made if it is not there.
    pub(super) fn open(store: Arc<dyn Store>, name: &str, shape: KeyspaceShape) -> Result<Self> {
        let keyspace = store.keyspace(name, shape).map_err(Arc::new)?;
        Ok(Self { store, keyspace })
    }

    /// The store as it is now: for who reads several keys of one moment.
    pub(super) fn snapshot(&self) -> Result<Snapshot> {
        Ok(self.store.snapshot().map_err(Arc::new)?)
    }

    /// The value under a key.
    pub(super) fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        Ok(self.snapshot()?.get(&self.keyspace, key).map_err(Arc::new)?)
    }

    /// Hands out the pairs of a range in ascending order, as they are now, as long as `take` wants more.
    pub(super) fn scan(
        &self,
        range: KeyRange,
        mut take: impl FnMut(Bytes, Bytes) -> Result<bool>,
    ) -> Result<()> {
        let snapshot = self.snapshot()?;
        for pair in snapshot.scan(&self.keyspace, range, ScanOrder::Ascending).map_err(Arc::new)? {
            let (key, value) = pair.map_err(Arc::new)?;
            if !take(key, value)? {
                break;
            }
        }
        Ok(())
    }

    /// Writes all of a batch, or nothing.
    pub(super) fn write(&self, batch: WriteBatch, durability: Durability) -> Result<()> {
        Ok(self.store.write_batch(batch, durability).map_err(Arc::new)?)
    }

    /// Deletes what is in a range, however much, in batches of so many.
    pub(super) fn delete(&self, range: KeyRange, most: usize) -> Result<()> {
        let mut batch = WriteBatch::new();
        self.scan(range, |key, _| {
            batch.delete(&self.keyspace, key);
            if batch.len() >= most {
                self.write(std::mem::take(&mut batch), Durability::Buffered)?;
            }
            Ok(true)
        })?;
        if batch.is_empty() { Ok(()) } else { self.write(batch, Durability::Buffered) }
    }

    /// Writes pairs, in the order of their keys, past the store's log; durable when it returns.
    pub(super) fn ingest(&self, pairs: impl Iterator<Item = (Vec<u8>, Vec<u8>)>) -> Result<()> {
        let mut pairs = pairs.map(|(key, value)| Ok((Bytes::from(key), Bytes::from(value))));
        Ok(self.store.ingest(&self.keyspace, &mut pairs).map(drop).map_err(Arc::new)?)
    }
}
