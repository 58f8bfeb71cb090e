//! Ending a query before its time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use graph::Request;

/// A flag that ends a query. Clones share it. Operators see it between two batches,
/// long work on values in the middle (`values::watch`), and who waits for a load at once.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    cancelled: Arc<AtomicU8>,
    request: Option<Arc<Request>>,
}

impl CancelToken {
    /// A token of a query that loads what it misses on behalf of `request`.
    pub fn of(request: Arc<Request>) -> Self {
        Self { cancelled: Arc::default(), request: Some(request) }
    }

    /// Asks for the end. The first reason given stands.
    pub fn cancel(&self) {
        self.cancelled.store(1, Ordering::Release);
        if let Some(request) = &self.request {
            request.end();
        }
    }

    /// Whether the end was asked for.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire) != 0
    }

    /// The request that ends with the query.
    #[inline]
    pub fn request(&self) -> Option<&Arc<Request>> {
        self.request.as_ref()
    }
}
