//! How much memory the buffers of the keyspaces take.
//!
//! ```text
//! keyspace ─▶ buffer n      takes what is written
//!             buffer n - 1  sealed ─┐
//!             buffer n - 2  sealed ─┴─▶ tables, all at once
//! ```
//!
//! The engine counts this itself, but only approximately: what an ingestion makes tables on its way is never taken off, and
//! what is made a table before it was added stays as well. Over days that count goes up for good, and whoever waits for it to
//! go down waits for ever. Here the buffers are asked for their size. The engine shows only the one that takes writes, so each is
//! remembered from when it was that.

use std::sync::{Arc, Weak};

use fjall::AbstractTree;
use parking_lot::Mutex;

/// The bytes in the buffers of one keyspace.
type Gauge = Box<dyn FnMut() -> u64 + Send>;

/// The bytes in the buffers of all keyspaces. What was sealed before a keyspace was added is not counted.
#[derive(Default)]
pub(super) struct Gauges(Mutex<Vec<Gauge>>);

impl Gauges {
    pub(super) fn add(&self, keyspace: &fjall::Keyspace) {
        self.0.lock().push(gauge(keyspace.clone()));
    }

    /// Bytes that are not in tables yet. To be asked for at least once for each buffer that is filled: before each write.
    pub(super) fn bytes(&self) -> u64 {
        self.0.lock().iter_mut().map(|gauge| gauge()).sum()
    }
}

fn gauge(keyspace: fjall::Keyspace) -> Gauge {
    // The last ones that took writes, the newest last; not kept in memory by this.
    let mut buffers: Vec<Weak<_>> = Vec::new();
    Box::new(move || {
        let active = keyspace.tree.active_memtable();
        if buffers.last().is_none_or(|last| last.as_ptr() != Arc::as_ptr(&active)) {
            buffers.push(Arc::downgrade(&active));
        }
        // Older ones are in tables, though a snapshot may have them still.
        let in_tables = buffers.len().saturating_sub(keyspace.tree.sealed_memtable_count() + 1);
        buffers.drain(..in_tables);
        buffers.iter().filter_map(Weak::upgrade).map(|buffer| buffer.size()).sum()
    })
}

#[cfg(test)]
mod tests {
    use crate::{
        Durability, FjallOptions, FjallStore, Keyspace, KeyspaceShape, Store, StoreError, WriteBatch,
    };

    fn put(store: &FjallStore, keyspace: &Keyspace, n: u32) {
        let mut batch = WriteBatch::new();
        batch.put(keyspace, n.to_be_bytes(), vec![n as u8; 1 << 20]);
        store.write_batch(batch, Durability::Buffered).unwrap();
    }

    #[test]
    fn what_an_ingestion_makes_a_table_counts_no_more() {
        let directory = tempfile::tempdir().unwrap();
        let store = FjallStore::open(directory.path(), FjallOptions::default()).unwrap();
        let keyspace = store.keyspace("sections", KeyspaceShape::Large).unwrap();
        for round in 1..=3 {
            (0..8).for_each(|n| put(&store, &keyspace, n));
            let bytes = store.buffered_bytes().unwrap();
            assert!((8 << 20..9 << 20).contains(&bytes), "{bytes} bytes in round {round}");
            let key = (100 + round as u32).to_be_bytes();
            let mut pairs = std::iter::once(Ok::<_, StoreError>((key.into(), vec![1; 10].into())));
            store.ingest(&keyspace, &mut pairs).unwrap();
            let bytes = store.buffered_bytes().unwrap();
            assert!(bytes < 1 << 20, "{bytes} bytes behind the ingestion of round {round}");
        }
    }

    #[test]
    fn sealed_buffers_count_until_they_are_tables() {
        let directory = tempfile::tempdir().unwrap();
        let store = FjallStore::open(directory.path(), FjallOptions::default()).unwrap();
        let keyspace = store.keyspace("sections", KeyspaceShape::Large).unwrap();
        let inner = store.engine().unwrap().engine_keyspace(&keyspace).unwrap();
        let held = fjall::AbstractTree::get_flush_lock(&inner.tree);
        for _ in 0..2 {
            (0..4).for_each(|n| put(&store, &keyspace, n));
            inner.rotate_memtable().unwrap();
        }
        (0..4).for_each(|n| put(&store, &keyspace, n));
        let bytes = store.buffered_bytes().unwrap();
        assert!((12 << 20..13 << 20).contains(&bytes), "{bytes} bytes in three buffers");
        drop(held);
        while fjall::AbstractTree::sealed_memtable_count(&inner.tree) > 0 {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let bytes = store.buffered_bytes().unwrap();
        assert!((4 << 20..5 << 20).contains(&bytes), "{bytes} bytes in one buffer");
    }
}
