//! How many rows leave at once.

use crate::batch::Batch;
use crate::operator::Context;

/// Rows in the first batch of a stream.
const FIRST: usize = 64;

/// Factor from one batch to the next.
const GROWTH: usize = 8;

/// Sizes of the batches that an operator emits: small at first, so that a consumer that needs little (`limit`, a
/// decided `where`) costs little, and growing to [`Batch::TARGET_ROWS`] once the stream has proved long.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkSize(usize);

impl Default for ChunkSize {
    fn default() -> Self {
        Self(FIRST)
    }
}

impl ChunkSize {
    /// Rows for the next batch: no more than the query wants to see in one.
    #[inline]
    pub(super) fn rows(self, cx: &Context<'_>) -> usize {
        #[cfg(test)]
        if let Some(forced) = FORCED.get() {
            return forced;
        }
        cx.query.plan.batch.map_or(self.0, |most| self.0.min(most as usize))
    }

    /// So many rows have come at once: the stream has proved long before.
    #[inline]
    pub(super) fn expect(&mut self, rows: usize) {
        self.0 = self.0.max(rows.min(Batch::TARGET_ROWS));
    }

    /// A full batch has left.
    #[inline]
    pub(super) fn grow(&mut self) {
        self.0 = (self.0 * GROWTH).min(Batch::TARGET_ROWS);
    }
}

#[cfg(test)]
thread_local! {
    static FORCED: std::cell::Cell<Option<usize>> = const { std::cell::Cell::new(None) };
}

/// The number of rows that every chunk is forced to have.
#[cfg(test)]
pub(super) fn forced() -> Option<usize> {
    FORCED.get()
}

/// Runs `f` with every chunk of exactly `rows` rows.
#[cfg(test)]
pub(super) fn with_chunks_of<R>(rows: usize, f: impl FnOnce() -> R) -> R {
    FORCED.set(Some(rows));
    let result = f();
    FORCED.set(None);
    result
}
