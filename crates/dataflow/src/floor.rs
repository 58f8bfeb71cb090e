//! What executors share: a desk each, where queries are put, and the pieces of queries that any of them may take.
//!
//! ```text
//! desk of executor 0 │ queries, bell, load │      offers │ exchange of query 7: pieces │ pieces that were begun │
//! desk of executor 1 │ queries, bell, load │
//! ```

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::query::{Helpers, Sharing};
use crate::quota::Clock;
use crate::scope::{PieceSource, PieceTask};
use crate::seat::Seat;
use crate::task::Task;

/// Time after the end of a query within which its sender is expected to send another one, at most.
const LULL: Duration = Duration::from_millis(1);

/// Longest sleep: within it the time-out of a suspended query is noticed.
const SLEEP_BOUND: Duration = Duration::from_millis(20);

/// What an executor's owner may put on its desk.
#[derive(Default)]
struct Inbox {
    tasks: Vec<Task>,
    woken: bool,
    stop: bool,
}

/// The part of an executor that other threads see.
#[derive(Default)]
pub(crate) struct Desk {
    inbox: Mutex<Inbox>,
    bell: Condvar,
    /// Set with the bell, for an executor that watches rather than sleeps.
    rung: AtomicBool,
    /// Whether the executor has nothing to do.
    idle: AtomicBool,
    /// The core that it is bound to, and one; 0: none that is known.
    core: AtomicUsize,
    /// Queries that live here.
    pub load: AtomicUsize,
    /// For who works for long on behalf of one of them.
    pub long: Seat,
}

impl Desk {
    pub(crate) fn submit(&self, task: Task) {
        self.load.fetch_add(1, Ordering::Relaxed);
        self.inbox.lock().tasks.push(task);
        self.ring();
    }

    pub(crate) fn wake(&self) {
        self.inbox.lock().woken = true;
        self.ring();
    }

    pub(crate) fn stop(&self) {
        self.inbox.lock().stop = true;
        self.ring();
    }

    /// Takes a query back that lives here and had its turn elsewhere.
    pub(crate) fn give_back(&self, task: Task) {
        let mut inbox = self.inbox.lock();
        if inbox.stop {
            drop(inbox);
            return drop(task);
        }
        inbox.tasks.push(task);
        drop(inbox);
        self.ring();
    }

    /// Remembers on which core the calling thread works for this executor.
    pub(crate) fn note_core(&self) {
        if let Some(core) = crate::pin::current_core() {
            self.core.store(core + 1, Ordering::Relaxed);
        }
    }

    /// Drops the queries that nobody will take any more.
    pub(crate) fn clear(&self) {
        let tasks = std::mem::take(&mut self.inbox.lock().tasks);
        drop(tasks);
    }

    /// Takes what was put here, and whether the executor is to stop.
    pub(crate) fn collect(&self) -> (Vec<Task>, bool) {
        self.rung.store(false, Ordering::Release);
        let mut inbox = self.inbox.lock();
        inbox.woken = false;
        (std::mem::take(&mut inbox.tasks), inbox.stop)
    }

    /// Whether something was put here since it was last collected.
    pub(crate) fn is_rung(&self) -> bool {
        self.rung.load(Ordering::Acquire)
    }

    /// Sleeps until something is put here.
    pub(crate) fn sleep(&self, is_needed: impl FnOnce() -> bool) {
        let mut inbox = self.inbox.lock();
        // An offer made before the executor counted as idle has not rung.
        let is_needed = is_needed();
        if inbox.tasks.is_empty() && !inbox.woken && !inbox.stop && !is_needed {
            // The timeout only guards queries whose deadline passes while they are suspended.
            self.bell.wait_for(&mut inbox, SLEEP_BOUND);
        }
    }

    fn ring(&self) {
        self.rung.store(true, Ordering::Release);
        self.bell.notify_one();
    }
}

/// What the executors of an engine share.
pub(crate) struct Floor {
    pub desks: Vec<Arc<Desk>>,
    sharing: Sharing,
    /// Exchanges that have pieces to give away, and pieces to go on with.
    offers: Mutex<Offers>,
    /// How many pieces in `offers` were begun.
    begun: AtomicUsize,
    idle: AtomicUsize,
    /// Executors that work on pieces of others' queries at the moment.
    helping: AtomicUsize,
    /// Threads of the application that run queries of their own at the moment, each on a core.
    callers: AtomicUsize,
    /// Until when a core whose query has ended does not count as idle: nanoseconds of `clock`.
    crowded: AtomicU64,
    clock: Arc<dyn Clock>,
}

/// Work that any executor may take.
#[derive(Default)]
struct Offers {
    sources: VecDeque<Arc<PieceSource>>,
    /// Pieces that were begun, and are nobody's at the moment.
    begun: Vec<PieceTask>,
}

/// A caller's thread at work.
pub(crate) struct AtWork<'a> {
    floor: &'a Floor,
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
        self.floor.note_end(self.ran);
        self.floor.callers.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Floor {
    pub(crate) fn new(executors: usize, sharing: Sharing, clock: Arc<dyn Clock>) -> Self {
        Self {
            sharing,
            desks: (0..executors).map(|_| Arc::default()).collect(),
            offers: Mutex::default(),
            begun: AtomicUsize::new(0),
            idle: AtomicUsize::new(0),
            helping: AtomicUsize::new(0),
            callers: AtomicUsize::new(0),
            crowded: AtomicU64::new(0),
            clock,
        }
    }

    /// Counts the calling thread as one that takes a core, for as long as what this returns lives.
    pub(crate) fn at_work(&self) -> AtWork<'_> {
        self.callers.fetch_add(1, Ordering::Relaxed);
        AtWork { floor: self, ran: Duration::ZERO }
    }

    /// Notes that a query leaves its core, for good or until its results have been taken, if each core has one of its own.
    /// Whoever sent it asks for more soon, most likely, and the core is not idle till then; at most for as long as the query
    /// ran, so that a few short ones do not keep a core from helping.
    fn note_end(&self, ran: Duration) {
        let others = self.sleeping() + self.helping.load(Ordering::Relaxed);
        if self.desks.len() > 1 && self.callers.load(Ordering::Relaxed) >= others {
            let until = self.clock.now() + ran.min(LULL);
            self.crowded.fetch_max(until.as_nanos() as u64, Ordering::Relaxed);
        }
    }

    /// One query less lives at a desk, which ran for so long.
    pub(crate) fn retire(&self, desk: &Desk, ran: Duration) {
        self.note_end(ran);
        desk.load.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether a moment ago each core had a query of its own.
    fn was_crowded(&self) -> bool {
        self.clock.now() < Duration::from_nanos(self.crowded.load(Ordering::Relaxed))
    }

    /// Counts an executor as one that helps, for as long as `work` takes.
    pub(crate) fn while_helping<R>(&self, work: impl FnOnce() -> R) -> R {
        self.helping.fetch_add(1, Ordering::Relaxed);
        let done = work();
        self.helping.fetch_sub(1, Ordering::Relaxed);
        done
    }

    /// Counts the executor of a desk as idle, for as long as `wait` takes.
    pub(crate) fn while_idle(&self, desk: &Desk, wait: impl FnOnce()) {
        self.idle.fetch_add(1, Ordering::Relaxed);
        desk.idle.store(true, Ordering::Release);
        wait();
        desk.idle.store(false, Ordering::Release);
        self.idle.fetch_sub(1, Ordering::Relaxed);
    }

    /// Number of executors that sleep or are about to.
    pub(crate) fn sleeping(&self) -> usize {
        self.idle.load(Ordering::Relaxed)
    }

    /// Whether there may be a piece to take.
    pub(crate) fn has_offers(&self) -> bool {
        let offers = self.offers.lock();
        !offers.sources.is_empty() || !offers.begun.is_empty()
    }

    /// Takes a piece back that was begun.
    pub(crate) fn give_back(&self, piece: PieceTask) {
        let mut offers = self.offers.lock();
        offers.begun.push(piece);
        self.begun.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes a piece that was begun and is nobody's at the moment.
    pub(crate) fn take_begun(&self) -> Option<PieceTask> {
        if self.begun.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut offers = self.offers.lock();
        let piece = offers.begun.pop()?;
        self.begun.fetch_sub(1, Ordering::Relaxed);
        Some(piece)
    }

    /// Takes a piece from the oldest offer that still has one.
    pub(crate) fn take_piece(&self) -> Option<PieceTask> {
        if let Some(piece) = self.take_begun() {
            return Some(piece);
        }
        let mut offers = self.offers.lock();
        while let Some(source) = offers.sources.front() {
            if let Some(task) = PieceTask::take(source) {
                return Some(task);
            }
            offers.sources.pop_front();
        }
        None
    }
}

impl Helpers for Floor {
    fn sharing(&self) -> Sharing {
        self.sharing
    }

    fn idle(&self) -> usize {
        // A caller that runs its query itself takes a core from an executor that sleeps: if that one woke up to help, it
        // would only take turns with somebody.
        let idle = self.sleeping().saturating_sub(self.callers.load(Ordering::Relaxed));
        if idle > 0 && self.was_crowded() { 0 } else { idle }
    }

    fn offer(&self, source: Arc<PieceSource>, wanted: usize) {
        self.offers.lock().sources.push_back(source);
        // Not whoever would take this very core from the query, unless there is nobody else.
        let here = crate::pin::current_core().map_or(0, |core| core + 1);
        let idle = |desk: &&Arc<Desk>| desk.idle.load(Ordering::Acquire);
        let near = |desk: &&Arc<Desk>| here > 0 && desk.core.load(Ordering::Relaxed) == here;
        let (local, elsewhere): (Vec<_>, Vec<_>) = self.desks.iter().filter(idle).partition(near);
        elsewhere.into_iter().chain(local).take(wanted).for_each(|desk| desk.wake());
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
    fn a_core_whose_client_is_about_to_send_its_next_query_is_not_idle() {
        let hands = Arc::new(Hands::default());
        let floor = Floor::new(2, Sharing::default(), hands.clone());
        let pass = |micros| hands.0.fetch_add(micros, Ordering::Relaxed);
        floor.idle.store(2, Ordering::Relaxed);
        let first = floor.at_work();
        assert_eq!(floor.idle(), 1, "one client, two cores");
        let mut second = floor.at_work();
        assert_eq!(floor.idle(), 0);
        second.has_run_for(Duration::from_micros(300));
        drop(second);
        assert_eq!(floor.idle(), 0, "a moment after the second client's query");
        pass(299);
        assert_eq!(floor.idle(), 0, "it may still come back");
        pass(1);
        assert_eq!(floor.idle(), 1, "it has not come back for as long as it was at work");
        let mut second = floor.at_work();
        second.has_run_for(Duration::from_secs(1));
        drop(second);
        pass(999);
        assert_eq!(floor.idle(), 0);
        pass(1);
        assert_eq!(floor.idle(), 1, "nobody is waited for longer than a millisecond");
        drop(first);
        let mut first = floor.at_work();
        assert_eq!(floor.idle(), 1, "one client alone leaves a core idle between its queries, too");
        floor.idle.store(1, Ordering::Relaxed);
        floor.helping.store(1, Ordering::Relaxed);
        first.has_run_for(LULL);
        drop(first);
        floor.helping.store(0, Ordering::Relaxed);
        floor.idle.store(2, Ordering::Relaxed);
        assert_eq!(floor.idle(), 2, "whoever helped has no client");
    }
}
