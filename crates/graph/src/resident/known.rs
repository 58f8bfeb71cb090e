//! What is known of an open graph beside its counts.

use crate::model::{Counts, DegreeTable, Statistics, ValueStatistics, ValueTable, has_moved};
use parking_lot::{Mutex, MutexGuard, RwLock};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The statistics of an open graph, but for the degrees: the writer has them.
#[derive(Default)]
pub(crate) struct Known {
    published: RwLock<Arc<Statistics>>,
    values: Mutex<ValueTable>,
    /// Whether the worker has been asked to look through indexes.
    pub(crate) surveying: AtomicBool,
    /// Held by whoever analyzes, one at a time.
    analyzing: Mutex<()>,
}

impl Known {
    /// What was published last.
    pub(crate) fn published(&self) -> Arc<Statistics> {
        Arc::clone(&self.published.read())
    }

    /// Publishes what is known now, under the next epoch.
    pub(crate) fn publish(&self, counts: Counts, degrees: DegreeTable) -> Arc<Statistics> {
        let values = self.values();
        let mut published = self.published.write();
        *published = Arc::new(Statistics { epoch: published.epoch + 1, counts, degrees, values });
        Arc::clone(&published)
    }

    /// Waits until nobody analyzes, and lets nobody until the guard is dropped: what one has counted another would count again.
    pub(crate) fn hold_analysis(&self) -> MutexGuard<'_, ()> {
        self.analyzing.lock()
    }

    /// Whether something is known of the values under an index, and still true if its label has so many vertices.
    pub(crate) fn knows(&self, index: u32, vertices: u64) -> bool {
        self.values.lock().get(&index).is_some_and(|known| !has_moved(known.vertices(), vertices))
    }

    /// Takes in what a checkpoint, or somebody who analyzed, brought.
    pub(crate) fn restore(&self, values: ValueTable) {
        *self.values.lock() = values;
    }

    /// Notes what a look through an index has found, unless somebody who analyzed has found more meanwhile.
    pub(crate) fn learn(&self, index: u32, found: ValueStatistics) {
        let mut values = self.values.lock();
        if values.get(&index).is_none_or(|known| has_moved(known.vertices(), found.vertices())) {
            values.insert(index, Arc::new(found));
        }
    }

    /// The values as they are to be stored.
    pub(crate) fn values(&self) -> ValueTable {
        self.values.lock().clone()
    }
}
