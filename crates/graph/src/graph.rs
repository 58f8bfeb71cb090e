//! A graph: open, begin, flush.

use std::sync::Arc;

use store::Store;

use crate::bulk::BulkLoad;
use crate::core::Core;
use crate::{GraphError, GraphStats, Result, SectionSizes, Snapshot, Transaction};

/// Bounds and sizes of a graph.
#[derive(Clone, Debug)]
pub struct GraphOptions {
    /// Bytes of log after which dirty sections are flushed and the log is trimmed.
    pub log_bytes: u64,
    /// Bytes of sections that a flush gathers for one write to the store; at most 24 MiB.
    pub flush_batch_bytes: usize,
    /// Versions that a section's delta must exceed, and a quarter of its base, before it is merged into the base.
    pub merge_versions: usize,
    /// Most writes that one transaction can buffer.
    pub transaction_writes: usize,
    /// Most bytes that one transaction can buffer; at most 48 MiB, since its log record is written at once.
    pub transaction_bytes: usize,
}

impl Default for GraphOptions {
    /// 256 MiB of log, flushed by 16 MiB; deltas of 256 versions; a million writes and 48 MiB per transaction.
    fn default() -> Self {
        Self {
            log_bytes: 256 << 20,
            flush_batch_bytes: 16 << 20,
            merge_versions: 256,
            transaction_writes: 1 << 20,
            transaction_bytes: MAX_TRANSACTION_BYTES,
        }
    }
}

const MAX_TRANSACTION_BYTES: usize = 48 << 20;

/// A durable, transactional property graph. Cheap to clone: clones are the same graph.
#[derive(Clone)]
pub struct Graph {
    core: Arc<Core>,
}

impl Graph {
    /// Opens the graph that is kept in `store`, an empty one if there is none, and replays its log. One graph at a
    /// time may be open on a store.
    ///
    /// # Errors
    /// If the store fails, holds a newer format, or is damaged.
    pub fn open(store: Arc<dyn Store>, mut options: GraphOptions) -> Result<Self> {
        options.transaction_bytes = options.transaction_bytes.min(MAX_TRANSACTION_BYTES);
        options.flush_batch_bytes = options.flush_batch_bytes.min(MAX_TRANSACTION_BYTES / 2);
        Ok(Self { core: Arc::new(Core::open(store, options)?) })
    }

    /// The latest committed state.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::latest(&self.core)
    }

    /// Begins a transaction on the latest committed state.
    pub fn begin(&self) -> Transaction {
        Transaction::begin(&self.core)
    }

    /// Begins a bulk load. Nothing else may write to the graph until it is finished or dropped.
    ///
    /// # Errors
    /// [`GraphError::NotEmpty`] if the graph has vertices.
    pub fn bulk_load(&self) -> Result<BulkLoad> {
        let vertices = self.snapshot().vertex_count(None);
        if vertices > 0 {
            return Err(GraphError::NotEmpty { vertices });
        }
        BulkLoad::begin(&self.core)
    }

    /// Writes dirty sections, advances the checkpoint and trims the log.
    ///
    /// # Errors
    /// If the store fails; nothing is lost then, the log still has it.
    pub fn flush(&self) -> Result<()> {
        self.core.flush()
    }

    /// Sizes and counters. It visits every section: for people and monitoring, not for hot paths.
    pub fn stats(&self) -> GraphStats {
        GraphStats::of(&self.core)
    }

    /// Loads every section that the last flush left on disk, and says what each kind of them takes there and in memory.
    /// It reads the whole graph: for benchmarks, and for people who ask where the bytes are.
    ///
    /// # Errors
    /// If the store fails, or a section is damaged.
    pub fn layout(&self) -> Result<Vec<SectionSizes>> {
        self.core.layout()
    }

    /// Creates an equality index over the values of `key` of the vertices with `label`, existing ones included.
    /// Creating one that is there does nothing. Commits wait while it is built; reads do not.
    ///
    /// # Errors
    /// If a name cannot be one, or the store fails.
    pub fn create_index(&self, label: &str, key: &str) -> Result<()> {
        self.core.create_index(label, key)
    }

    /// The store that the graph is kept in.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.core.store
    }
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Graph").field("visible", &self.core.timeline.visible()).finish_non_exhaustive()
    }
}
