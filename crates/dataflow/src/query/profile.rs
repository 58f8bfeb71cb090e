//! Counters per operator, for `profile()` and for tests that watch scopes at work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use graph::{Loaded, Request};

use crate::memory::ByOperator;

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
    /// Time in nanoseconds, children included. Measured only when the query is timed, as what follows.
    pub nanos: AtomicU64,
    /// When it was called for the first time: nanoseconds after the query had begun, and one, so that zero is never.
    first: AtomicU64,
    /// When its latest call had ended.
    last: AtomicU64,
}

impl Counters {
    pub(crate) fn add(counter: &AtomicU64, n: u64) {
        counter.fetch_add(n, Ordering::Relaxed);
    }

    /// Counts a call that began and ended so long after the query had begun.
    pub(crate) fn called(&self, begun: Duration, ended: Duration) {
        let nanos = |time: Duration| time.as_nanos() as u64;
        Self::add(&self.nanos, nanos(ended.saturating_sub(begun)));
        self.last.fetch_max(nanos(ended) + 1, Ordering::Relaxed);
        if self.first.load(Ordering::Relaxed) == 0 {
            // Executors that help may call it at the same moment; either will do.
            let _ = self.first.compare_exchange(0, nanos(begun) + 1, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// From when to when it was called, after the query had begun; `None` if it was not, or nobody looked at the clock.
    pub fn span(&self) -> Option<(Duration, Duration)> {
        let at = |nanos: &AtomicU64| nanos.load(Ordering::Relaxed).checked_sub(1).map(Duration::from_nanos);
        at(&self.first).zip(at(&self.last))
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
    /// When the query had begun, by the engine's clock.
    begun: Duration,
    /// On whose behalf it loads.
    request: Option<Arc<Request>>,
    /// How much memory operators hold, if it is timed.
    held: Option<Arc<ByOperator>>,
}

impl Profile {
    /// Counters for `ops` operators, timed or not.
    pub fn new(ops: u32, timed: bool) -> Self {
        let counters = (0..ops).map(|_| Counters::default()).collect();
        let held = timed.then(|| Arc::new(ByOperator::new(ops)));
        Self { counters, timed, begun: Duration::ZERO, request: None, held }
    }

    /// The same of a query that begins at a moment of the engine's clock, and loads on behalf of a request.
    pub(crate) fn beginning(self, begun: Duration, request: Option<Arc<Request>>) -> Self {
        Self { begun, request, ..self }
    }

    /// No counters: what a query runs with when nobody will look.
    pub fn off() -> Self {
        Self { counters: Vec::new(), timed: false, begun: Duration::ZERO, request: None, held: None }
    }

    /// Whether the query counts.
    pub(crate) fn is_on(&self) -> bool {
        !self.counters.is_empty()
    }

    /// When the query had begun.
    pub(crate) fn begun(&self) -> Duration {
        self.begun
    }

    /// Where it is counted how much memory operators hold, if it is.
    pub(crate) fn held(&self) -> Option<&Arc<ByOperator>> {
        self.held.as_ref()
    }

    /// Most bytes that the state of all instances of an operator took at once, children not included; 0 if the query is not timed.
    pub fn peak_memory(&self, op: u32) -> u64 {
        self.held.as_ref().map_or(0, |held| held.peak(op))
    }

    /// What it has loaded, if anything.
    pub fn loaded(&self) -> Option<Loaded> {
        self.request.as_ref().and_then(|request| request.loaded())
    }

    /// The counters of an operator, if the query counts.
    #[inline]
    pub fn of(&self, op: u32) -> Option<&Counters> {
        self.counters.get(op as usize)
    }
}
