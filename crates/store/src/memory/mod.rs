//! The store in memory: for tests, and for graphs that need not outlive the process.

mod versions;

use std::sync::Arc;

use parking_lot::RwLock;

#[cfg(feature = "simulation")]
pub(crate) use self::versions::Versions;
pub(crate) use self::versions::{SharedVersions, View};
use crate::batch::Write;
use crate::group_commit::{CommitQueue, CommitSink};
use crate::ingest::Ascending;
use crate::keyspace::{KeyspaceId, next_store_number};
use crate::local::{Engine, LocalStore};
use crate::snapshot::SnapshotSource;
use crate::transaction::Footprint;
use crate::{
    ApproximateSize, Durability, Ingested, Keyspace, KeyspaceShape, Pairs, StoreError, StoreLimits,
    WriteBatch,
};

/// How many pairs of an ingestion become visible at a time.
const INGEST_PORTION: usize = 4_096;

/// A store in memory, with the same semantics as the durable one: versions, snapshots, conflicts, bounds.
/// Durability is the life of the process.
pub type MemoryStore = LocalStore<MemoryEngine>;

/// The engine of a [`MemoryStore`].
pub struct MemoryEngine {
    number: u32,
    versions: SharedVersions,
}

impl MemoryStore {
    /// An empty store with the default bounds.
    pub fn new() -> Self {
        Self::with_limits(StoreLimits::default())
    }

    /// An empty store with the given bounds.
    pub fn with_limits(limits: StoreLimits) -> Self {
        Self::over(
            MemoryEngine { number: next_store_number(), versions: Arc::new(RwLock::default()) },
            limits,
        )
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl CommitSink for MemoryEngine {
    fn apply(&self, writes: Vec<Write>, _durability: Durability) -> Result<(), StoreError> {
        self.versions.write().apply(writes);
        Ok(())
    }

    fn store_number(&self) -> u32 {
        self.number
    }

    fn keyspace_name(&self, keyspace: KeyspaceId) -> String {
        self.versions.read().name(keyspace.index as usize).to_owned()
    }
}

impl Engine for MemoryEngine {
    fn keyspace(&self, name: &str, _shape: KeyspaceShape) -> Result<Keyspace, StoreError> {
        let index = self.versions.write().open_table(name);
        Ok(Keyspace::new(KeyspaceId { store: self.number, index }, name))
    }

    fn keyspace_names(&self) -> Vec<String> {
        self.versions.read().names()
    }

    fn view(queue: &Arc<CommitQueue<Self>>) -> Arc<dyn SnapshotSource> {
        Arc::new(View::open(&queue.sink().versions, queue.sink().number))
    }

    fn ingest(
        queue: &CommitQueue<Self>,
        keyspace: &Keyspace,
        pairs: &mut Pairs<'_>,
    ) -> Result<Ingested, StoreError> {
        keyspace.index_in(queue.sink().number)?;
        let mut ascending = Ascending::new(keyspace, queue.limits());
        let mut portion = WriteBatch::new();
        let flush = |portion: &mut WriteBatch| {
            let bytes = portion.bytes();
            let writes = std::mem::take(portion).into_writes();
            queue.commit(Footprint { writes, locks: Vec::new(), bytes }, None, Durability::Buffered)
        };
        for pair in pairs {
            let (key, value) = ascending.accept(pair?)?;
            portion.put(keyspace, key, value);
            if portion.len() == INGEST_PORTION {
                flush(&mut portion)?;
            }
        }
        flush(&mut portion)?;
        Ok(ascending.ingested())
    }

    fn sync(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn approximate_size(&self, keyspace: &Keyspace) -> Result<ApproximateSize, StoreError> {
        let index = keyspace.index_in(self.number)?;
        Ok(self.versions.read().size(index))
    }
}
