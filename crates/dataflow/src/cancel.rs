//! Ending a query before its time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// A flag that ends a query. Clones share it. Operators see it between two batches.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicU8>);

impl CancelToken {
    /// Asks for the end. The first reason given stands.
    pub fn cancel(&self) {
        self.0.store(1, Ordering::Release);
    }

    /// Whether the end was asked for.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire) != 0
    }
}
