//! What changing definitions takes.

use crate::commit::Committer;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;

/// The commits of an open graph, and who may change its schema and its indexes.
pub(crate) struct Definer {
    committer: Arc<Committer>,
    /// Held by whoever changes the schema or the indexes: one at a time.
    defining: Mutex<()>,
}

impl std::ops::Deref for Definer {
    type Target = Arc<Committer>;
    #[inline]
    fn deref(&self) -> &Arc<Committer> {
        &self.committer
    }
}

impl Definer {
    /// Nobody changes a definition yet.
    pub(crate) fn new(committer: Arc<Committer>) -> Self {
        Self { committer, defining: Mutex::default() }
    }

    /// Waits until nobody changes a definition, and lets nobody until the guard is dropped: the schema, indexes and sort keys have
    /// one order of versions.
    pub(crate) fn hold_definitions(&self) -> MutexGuard<'_, ()> {
        self.defining.lock()
    }
}
