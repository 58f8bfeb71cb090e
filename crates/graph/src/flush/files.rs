//! A graph that is open: what of it is in memory, and the files behind that.

use super::Manifest;
use crate::durable::{Log, Meta};
use crate::error::{GraphError, Result};
use crate::model::PublishedCounts;
use crate::resident::Memory;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use store::Store;
use timeline::{Stamp, Timeline};

/// What writing takes to the files of a graph: its memory, and where what differs in it goes.
///
/// ```text
/// Definer ─▶ Committer ─▶ Files ─▶ Memory          each leads to the one below, and knows nothing of the one above
/// ```
pub(crate) struct Files {
    memory: Arc<Memory>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) log: Log,
    pub(crate) meta: Meta,
    /// Held by whoever flushes, one at a time: what is stored.
    flushing: Mutex<Manifest>,
    /// How many sections the last checkpoint names, for those who cannot wait for a flush.
    sections_stored: AtomicU64,
    /// The first stamp that could not be committed, and why: none after it can, and nothing is flushed any more.
    failure: Mutex<Option<(Stamp, String)>>,
}

impl std::ops::Deref for Files {
    type Target = Arc<Memory>;
    #[inline]
    fn deref(&self) -> &Arc<Memory> {
        &self.memory
    }
}

impl Files {
    /// The files of a graph of which nothing is in memory yet.
    pub(crate) fn new(memory: Memory, store: Arc<dyn Store>, log: Log, meta: Meta) -> Self {
        let (memory, flushing) = (Arc::new(memory), Mutex::default());
        let (sections_stored, failure) = (AtomicU64::new(0), Mutex::default());
        Self { memory, store, log, meta, flushing, sections_stored, failure }
    }

    /// These are the sections that are stored: while the graph is opened.
    pub(crate) fn begin_with(&mut self, manifest: Manifest) {
        self.note_stored(&manifest);
        self.flushing = Mutex::new(manifest);
    }

    /// Stamps and counts go on from here: while the graph is opened.
    pub(crate) fn begin_at(&mut self, timeline: Timeline, counts: PublishedCounts) {
        let Some(memory) = Arc::get_mut(&mut self.memory) else {
            unreachable!("nobody else has the graph while it is opened")
        };
        memory.timeline = timeline;
        memory.counts = counts;
    }

    /// Waits until nobody flushes, and lets nobody until the guard is dropped: for who changes what is stored, or must not have it
    /// change. Several wings do, each more than a closure could say.
    pub(crate) fn hold_flushes(&self) -> MutexGuard<'_, Manifest> {
        self.flushing.lock()
    }

    /// The same if nobody flushes.
    pub(super) fn try_hold_flushes(&self) -> Option<MutexGuard<'_, Manifest>> {
        self.flushing.try_lock()
    }

    pub(super) fn note_stored(&self, manifest: &Manifest) {
        self.sections_stored.store(manifest.len(), Ordering::Relaxed);
    }

    /// How many sections the last checkpoint names. It waits for nobody.
    pub(crate) fn sections_stored(&self) -> u64 {
        self.sections_stored.load(Ordering::Relaxed)
    }

    /// From this stamp on nothing can be committed: nobody knows whether the log has it. With [`Stamp::MAX`], what has a stamp already
    /// can. Only the first cause counts, and the first stamp.
    pub(crate) fn fail(&self, first: Stamp, cause: String) {
        let mut failure = self.failure.lock();
        // That it failed before is no news.
        let (from, _) = failure.get_or_insert((first, cause));
        *from = first.min(*from);
    }

    /// Why nothing can be committed any more, if so.
    pub(crate) fn refuse_if_failed(&self) -> Result<()> {
        self.refuse_if_failed_at(Stamp::MAX)
    }

    /// Why nothing can be committed at a stamp, if so.
    pub(crate) fn refuse_if_failed_at(&self, stamp: Stamp) -> Result<()> {
        match &*self.failure.lock() {
            Some((from, cause)) if stamp >= *from => Err(GraphError::LogFailed(cause.clone())),
            _ => Ok(()),
        }
    }
}
