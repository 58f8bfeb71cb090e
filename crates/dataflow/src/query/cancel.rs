//! Ending a query before its time.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use graph::Request;

use crate::error::QueryError;

/// A flag that ends a query. Clones share it. Operators see it between two batches,
/// long work on values in the middle (`values::watch`), and who waits for a load at once.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    shared: Arc<Shared>,
    request: Option<Arc<Request>>,
}

#[derive(Debug, Default)]
struct Shared {
    /// [`CANCELLED`], [`FAILED`], or both; 0 nearly always, which one look tells.
    ended: AtomicU8,
    failure: OnceLock<QueryError>,
}

/// The end was asked for.
const CANCELLED: u8 = 1;
/// There is a failure.
const FAILED: u8 = 2;

impl CancelToken {
    /// A token of a query that loads what it misses on behalf of `request`.
    pub fn of(request: Arc<Request>) -> Self {
        Self { request: Some(request), ..Self::default() }
    }

    /// Asks for the end. The first reason given stands.
    pub fn cancel(&self) {
        self.shared.ended.fetch_or(CANCELLED, Ordering::Release);
        if let Some(request) = &self.request {
            request.end();
        }
    }

    /// Ends the query with an error that is found where none can be handed on. The first one stands. No result that comes
    /// after it leaves.
    pub(crate) fn fail(&self, error: QueryError) {
        // A later failure than the first adds nothing.
        let _ = self.shared.failure.set(error);
        self.shared.ended.fetch_or(FAILED, Ordering::Release);
    }

    /// The error that the query is to end with.
    #[inline]
    pub(crate) fn failure(&self) -> Option<&QueryError> {
        if self.ended() & FAILED == 0 { None } else { self.shared.failure.get() }
    }

    /// Whether the end was asked for.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.ended() & CANCELLED != 0
    }

    #[inline]
    fn ended(&self) -> u8 {
        self.shared.ended.load(Ordering::Acquire)
    }

    /// The request that ends with the query.
    #[inline]
    pub fn request(&self) -> Option<&Arc<Request>> {
        self.request.as_ref()
    }
}
