//! Waking a suspended query.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tells the executor of a query that something it waits for has happened. Clones wake the same query.
#[derive(Clone)]
pub struct Waker(Arc<Shared>);

struct Shared {
    /// Set by a wake, cleared when the query is run next.
    woken: AtomicBool,
    notify: Box<dyn Fn() + Send + Sync>,
}

impl std::fmt::Debug for Waker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Waker").field(&self.0.woken.load(Ordering::Relaxed)).finish()
    }
}

impl Waker {
    /// A waker that calls `notify` when a wake finds the query not yet woken.
    pub fn new(notify: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(Shared { woken: AtomicBool::new(false), notify: Box::new(notify) }))
    }

    /// Wakes the query.
    pub fn wake(&self) {
        if !self.0.woken.swap(true, Ordering::AcqRel) {
            (self.0.notify)();
        }
    }

    /// Whether it was woken since the last [`Waker::take`].
    pub(crate) fn is_woken(&self) -> bool {
        self.0.woken.load(Ordering::Acquire)
    }

    /// Whether it was woken since the last call.
    pub(crate) fn take(&self) -> bool {
        self.0.woken.swap(false, Ordering::AcqRel)
    }
}
