//! How many executors are idle, and will be for a while.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crate::quota::Clock;

/// Time after the end of a query within which its sender is expected to send another one, at most.
const LULL: Duration = Duration::from_millis(1);

/// Counts those who sleep, help, or run queries of their own, and remembers whether each core had a query a moment ago.
pub(super) struct Idleness {
    executors: usize,
    sleeping: AtomicUsize,
    /// Executors that work on pieces of others' queries at the moment.
    helping: AtomicUsize,
    /// Threads of the application that run queries of their own at the moment, each on a core.
    callers: AtomicUsize,
    /// Until when a core whose query has ended does not count as idle: nanoseconds of `clock`.
    crowded: AtomicU64,
    clock: Arc<dyn Clock>,
}

/// A caller's thread at work.
pub(crate) struct AtWork<'a> {
    idleness: &'a Idleness,
    /// For how long its query has run.
    ran: Duration,
}

impl AtWork<'_> {
    /// Says for how long the caller's query has run.
    pub(crate) fn has_run_for(&mut self, time: Duration) {
        self.ran = time;
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.idleness.note_end(self.ran);
        self.idleness.callers.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Idleness {
    pub(super) fn new(executors: usize, clock: Arc<dyn Clock>) -> Self {
        Self {
            executors,
            sleeping: AtomicUsize::new(0),
            helping: AtomicUsize::new(0),
            callers: AtomicUsize::new(0),
            crowded: AtomicU64::new(0),
            clock,
        }
    }

    /// Counts the calling thread as one that takes a core, for as long as what this returns lives.
    pub(super) fn at_work(&self) -> AtWork<'_> {
        self.callers.fetch_add(1, Ordering::Relaxed);
        AtWork { idleness: self, ran: Duration::ZERO }
    }

    /// Notes that a query leaves its core, for good or until its results have been taken, if each core has one of its own.
    /// Whoever sent it asks for more soon, most likely, and the core is not idle till then; at most for as long as the query
    /// ran, so that a few short ones do not keep a core from helping.
    pub(super) fn note_end(&self, ran: Duration) {
        let others = self.sleeping() + self.helping.load(Ordering::Relaxed);
        if self.executors > 1 && self.callers.load(Ordering::Relaxed) >= others {
            let until = self.clock.now() + ran.min(LULL);
            self.crowded.fetch_max(until.as_nanos() as u64, Ordering::Relaxed);
        }
    }

    /// Whether a moment ago each core had a query of its own.
    fn was_crowded(&self) -> bool {
        self.clock.now() < Duration::from_nanos(self.crowded.load(Ordering::Relaxed))
    }

    /// Counts an executor as one that helps, for as long as `work` takes.
    pub(super) fn while_helping<R>(&self, work: impl FnOnce() -> R) -> R {
        self.helping.fetch_add(1, Ordering::Relaxed);
        let done = work();
        self.helping.fetch_sub(1, Ordering::Relaxed);
        done
    }

    /// Counts an executor as one that sleeps, for as long as `wait` takes.
    pub(super) fn while_sleeping<R>(&self, wait: impl FnOnce() -> R) -> R {
        self.sleeping.fetch_add(1, Ordering::Relaxed);
        let waited = wait();
        self.sleeping.fetch_sub(1, Ordering::Relaxed);
        waited
    }

    /// Number of executors that sleep or are about to.
    pub(super) fn sleeping(&self) -> usize {
        self.sleeping.load(Ordering::Relaxed)
    }

    /// Whether a core is left for an executor that is awake, beside the callers and the others that are. Each wakes up now and then,
    /// asked or not; one too many would take turns with a caller on its core, and whatever one of them makes the other must wait for.
    pub(super) fn has_core(&self) -> bool {
        self.callers.load(Ordering::Relaxed) <= self.sleeping()
    }

    /// The same for one that counts as sleeping, and asks whether to wake up.
    pub(super) fn has_core_for_sleeper(&self) -> bool {
        self.callers.load(Ordering::Relaxed) < self.sleeping()
    }

    /// Number of executors that have time to help.
    pub(super) fn idle(&self) -> usize {
        // A caller that runs its query itself takes a core from an executor that sleeps: if that one woke up to help, it
        // would only take turns with somebody.
        let idle = self.sleeping().saturating_sub(self.callers.load(Ordering::Relaxed));
        if idle > 0 && self.was_crowded() { 0 } else { idle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock that is set by hand, in microseconds.
    #[derive(Default)]
    struct Hands(AtomicU64);

    impl Clock for Hands {
        fn now(&self) -> Duration {
            Duration::from_micros(self.0.load(Ordering::Relaxed))
        }
    }

    #[test]
    fn no_more_help_than_there_are_cores_beside_the_callers() {
        let idleness = Idleness::new(2, Arc::new(Hands::default()));
        assert!(idleness.has_core(), "two executors, and nobody else");
        let first = idleness.at_work();
        idleness.sleeping.store(2, Ordering::Relaxed);
        assert!(idleness.has_core_for_sleeper());
        idleness.sleeping.store(1, Ordering::Relaxed);
        assert!(idleness.has_core(), "one is awake, who has the other core");
        assert!(!idleness.has_core_for_sleeper(), "the other has none");
        idleness.sleeping.store(0, Ordering::Relaxed);
        assert!(!idleness.has_core(), "both are awake");
        drop(first);
        assert!(idleness.has_core(), "the caller has gone");
    }

    #[test]
    fn a_core_whose_client_is_about_to_send_its_next_query_is_not_idle() {
        let hands = Arc::new(Hands::default());
        let idleness = Idleness::new(2, hands.clone());
        let pass = |micros| hands.0.fetch_add(micros, Ordering::Relaxed);
        idleness.sleeping.store(2, Ordering::Relaxed);
        let first = idleness.at_work();
        assert_eq!(idleness.idle(), 1, "one client, two cores");
        let mut second = idleness.at_work();
        assert_eq!(idleness.idle(), 0);
        second.has_run_for(Duration::from_micros(300));
        drop(second);
        assert_eq!(idleness.idle(), 0, "a moment after the second client's query");
        pass(299);
        assert_eq!(idleness.idle(), 0, "it may still come back");
        pass(1);
        assert_eq!(idleness.idle(), 1, "it has not come back for as long as it was at work");
        let mut second = idleness.at_work();
        second.has_run_for(Duration::from_secs(1));
        drop(second);
        pass(999);
        assert_eq!(idleness.idle(), 0);
        pass(1);
        assert_eq!(idleness.idle(), 1, "nobody is waited for longer than a millisecond");
        drop(first);
        let mut first = idleness.at_work();
        assert_eq!(idleness.idle(), 1, "one client alone leaves a core idle between its queries, too");
        idleness.sleeping.store(1, Ordering::Relaxed);
        idleness.helping.store(1, Ordering::Relaxed);
        first.has_run_for(LULL);
        drop(first);
        idleness.helping.store(0, Ordering::Relaxed);
        idleness.sleeping.store(2, Ordering::Relaxed);
        assert_eq!(idleness.idle(), 2, "whoever helped has no client");
    }
}
