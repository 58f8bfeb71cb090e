//! Counters per operator, for `profile()` and for tests that watch scopes at work.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The counters of one operator of the plan, summed over all its instances and executors.
#[derive(Debug, Default)]
pub struct Counters {
    /// Batches received.
    pub batches: AtomicU64,
    /// Rows received.
    pub rows: AtomicU64,
    /// Edges that an expansion to vertices or edges has looked at.
    pub read: AtomicU64,
    /// Rows sent.
    pub rows_out: AtomicU64,
    /// Traversers sent: rows times bulk.
    pub traversers: AtomicU64,
    /// Scope instances opened, for a scope.
    pub opened: AtomicU64,
    /// Scope instances terminated before their input was exhausted.
    pub cancelled: AtomicU64,
    /// Most concurrent instances of one operator, to be held against MAX_SI.
    pub concurrent: AtomicU64,
    /// Pieces that another executor ran, for an exchange.
    pub shipped: AtomicU64,
    /// Time in nanoseconds, children included. Measured only when the query is profiled.
    pub nanos: AtomicU64,
}

impl Counters {
    pub(crate) fn add(counter: &AtomicU64, n: u64) {
        counter.fetch_add(n, Ordering::Relaxed);
    }

    /// The time spent, children included.
    pub fn time(&self) -> Duration {
        Duration::from_nanos(self.nanos.load(Ordering::Relaxed))
    }
}

/// The counters of a query, by [`planner::physical::Op::id`].
#[derive(Debug)]
pub struct Profile {
    /// One entry per operator of the plan; empty when the query counts nothing.
    counters: Vec<Counters>,
    /// Whether time is measured too.
    pub timed: bool,
}

impl Profile {
    /// Counters for `ops` operators, timed or not.
    pub fn new(ops: u32, timed: bool) -> Self {
        Self { counters: (0..ops).map(|_| Counters::default()).collect(), timed }
    }

    /// No counters: what a query runs with when nobody will look.
    pub fn off() -> Self {
        Self { counters: Vec::new(), timed: false }
    }

    /// Whether the query counts.
    pub(crate) fn is_on(&self) -> bool {
        !self.counters.is_empty()
    }

    /// The counters of an operator, if the query counts.
    #[inline]
    pub fn of(&self, op: u32) -> Option<&Counters> {
        self.counters.get(op as usize)
    }
}
