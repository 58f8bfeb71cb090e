//! What is known of an open graph beside its counts.

use crate::model::{Statistics, ValueStatistics, ValueTable, has_moved};
use parking_lot::{Mutex, RwLock};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The statistics of an open graph, but for the degrees: the writer has them.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) published: RwLock<Arc<Statistics>>,
    pub(crate) values: Mutex<ValueTable>,
    /// Whether the worker has been asked to look through indexes.
    pub(crate) surveying: AtomicBool,
    /// Held by whoever analyzes, one at a time.
    pub(crate) analyzing: Mutex<()>,
}

impl Known {
    /// Takes in what a checkpoint brought.
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
