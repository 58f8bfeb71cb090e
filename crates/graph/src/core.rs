//! The shared state of an open graph.

use crate::commit::CommitQueue;
use crate::define::DefinitionLock;
use crate::error::Result;
use crate::flush::Files;
use crate::model::GraphOptions;
use crate::write::HeldBytes;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Store;

/// Everything that the handles of one open graph share.
pub(crate) struct Core {
    /// What is in memory, and the files behind it.
    pub(crate) files: Arc<Files>,
    pub(crate) commits: CommitQueue,
    /// What open transactions have written.
    pub(crate) held: Arc<HeldBytes>,
    /// Held by whoever changes the schema or the indexes: one at a time.
    pub(crate) defining: DefinitionLock,
    /// Where the clock of those that wait for their turn begins.
    opened: Instant,
}

impl std::ops::Deref for Core {
    type Target = Arc<Files>;
    fn deref(&self) -> &Arc<Files> {
        &self.files
    }
}

impl Core {
    /// Opens the graph in `store`.
    pub(crate) fn open(store: Arc<dyn Store>, options: GraphOptions) -> Result<Self> {
        let files = Arc::new(crate::restart::open(store, options)?);
        Ok(Self {
            held: HeldBytes::new(files.options.held_bytes),
            commits: CommitQueue::new(files.catalog().revision()),
            files,
            defining: DefinitionLock::default(),
            opened: Instant::now(),
        })
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
