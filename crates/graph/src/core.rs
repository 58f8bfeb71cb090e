//! The shared state of an open graph.

use crate::commit::CommitQueue;
use crate::define::DefinitionLock;
use crate::durable::{Log, Meta, SectionStore};
use crate::flush::Manifest;
use crate::model::{Declared, GraphOptions, PublishedCounts};
use crate::resident::Memory;
use crate::write::HeldBytes;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};
use store::Store;
use timeline::Timeline;

/// Everything that the handles of one open graph share.
pub(crate) struct Core {
    /// What reading takes.
    pub(crate) memory: Arc<Memory>,
    pub(crate) meta: Meta,
    pub(crate) log: Log,
    pub(crate) commits: CommitQueue,
    /// What open transactions have written.
    pub(crate) held: Arc<HeldBytes>,
    /// Held by whoever flushes, one at a time: what is stored.
    pub(crate) flushing: Mutex<Manifest>,
    /// How many sections the last checkpoint names, for those who cannot wait for a flush.
    pub(crate) sections_stored: AtomicU64,
    pub(crate) store: Arc<dyn Store>,
    /// Held by whoever changes the schema or the indexes: one at a time.
    pub(crate) defining: DefinitionLock,
    /// Where the clock of those that wait for their turn begins.
    opened: Instant,
}

impl std::ops::Deref for Core {
    type Target = Arc<Memory>;
    fn deref(&self) -> &Arc<Memory> {
        &self.memory
    }
}

impl Core {
    #[allow(clippy::too_many_arguments, reason = "these are the parts that opening has made ready")]
    pub(crate) fn new(
        options: GraphOptions,
        store: Arc<dyn Store>,
        meta: Meta,
        log: Log,
        sections: SectionStore,
        timeline: Timeline,
        counts: PublishedCounts,
        declared: Declared,
    ) -> Self {
        Self {
            held: HeldBytes::new(options.held_bytes),
            commits: CommitQueue::new(declared.definitions().revision),
            memory: Arc::new(Memory::new(options, sections, timeline, counts, declared)),
            meta,
            log,
            flushing: Mutex::default(),
            sections_stored: AtomicU64::new(0),
            store,
            defining: DefinitionLock::default(),
            opened: Instant::now(),
        }
    }

    /// The time, on the clock on which turns end.
    pub(crate) fn now(&self) -> Duration {
        self.opened.elapsed()
    }

    /// A moment of that clock.
    pub(crate) fn at(&self, time: Duration) -> Instant {
        self.opened + time
    }
}
