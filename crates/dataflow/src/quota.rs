//! CPU time handed down the operator tree (Banyan, section 4.2).

use std::time::Duration;

/// Time of one turn of a query. Long enough to work through some hundred batches' worth of traversers, short enough
/// that a point query behind a dozen heavy ones still answers within milliseconds.
pub const TURN: Duration = Duration::from_micros(500);

/// Where the engine reads the time from. Tests inject their own, so that scheduling is deterministic.
pub trait Clock: Send + Sync {
    /// Time since some fixed moment.
    fn now(&self) -> Duration;
}

/// The machine's monotonic clock.
#[derive(Debug)]
pub struct MonotonicClock(std::time::Instant);

impl Default for MonotonicClock {
    fn default() -> Self {
        Self(std::time::Instant::now())
    }
}

impl Clock for MonotonicClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The time a scheduled operator may use in this round. A parent gives it to a child; when it is spent the child yields.
#[derive(Clone, Copy)]
pub struct Quota<'a> {
    clock: &'a dyn Clock,
    deadline: Duration,
}

impl<'a> Quota<'a> {
    /// A quota of `time` from now on.
    pub fn new(clock: &'a dyn Clock, time: Duration) -> Self {
        Self { clock, deadline: clock.now().saturating_add(time) }
    }

    /// A part of this quota: at most `time`, and never more than is left here.
    pub fn part(&self, time: Duration) -> Self {
        Self { clock: self.clock, deadline: self.clock.now().saturating_add(time).min(self.deadline) }
    }

    /// Whether it is spent.
    pub fn is_spent(&self) -> bool {
        self.clock.now() >= self.deadline
    }
}
