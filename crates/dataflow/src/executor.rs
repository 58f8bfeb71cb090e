//! Executors: one per core, each with a thread (`crew.rs`) and a forest of operator trees (Banyan, section 4.2).
//!
//! ```text
//! executor ─┬─ tenant "social" ─┬─ query 7 ── root instance ── scopes ── operators
//!           │                   └─ query 9
//!           ├─ tenant "fraud" ───── query 8
//!           └─ pieces taken from queries of other executors
//! ```
//!
//! Scheduling is cooperative and hierarchical: tenants take turns, a tenant's queries take turns, and each turn is a
//! quota of time that the query hands down its tree. So neither a heavy query nor a tenant with many queries can starve
//! the others. An executor without work of its own takes pieces of others' (see `scope/exchange.rs`), then sleeps.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use graph::Bell;
use parking_lot::{Condvar, Mutex};
use values::Str;

use crate::instance::Progress;
use crate::post::Post;
use crate::query::{Helpers, Sharing};
use crate::quota::{Clock, Quota};
use crate::scope::{PieceSource, PieceTask};
use crate::task::{Next, Task, panicked};

/// Time of one turn of a query. Long enough to work through some hundred batches' worth of traversers, short enough
/// that a point query behind a dozen heavy ones still answers within milliseconds.
pub const TURN: Duration = Duration::from_micros(500);

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

    /// Number of executors that sleep or are about to.
    pub(crate) fn sleeping(&self) -> usize {
        self.idle.load(Ordering::Relaxed)
    }

    /// Whether there may be a piece to take.
    fn has_offers(&self) -> bool {
        let offers = self.offers.lock();
        !offers.sources.is_empty() || !offers.begun.is_empty()
    }

    /// Takes a piece back that was begun.
    pub(crate) fn give_back(&self, piece: PieceTask) {
        self.offers.lock().begun.push(piece);
    }

    /// Takes a piece from the oldest offer that still has one.
    fn take_piece(&self) -> Option<PieceTask> {
        let mut offers = self.offers.lock();
        if let Some(piece) = offers.begun.pop() {
            return Some(piece);
        }
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

/// The queries of one tenant, whose turn comes round-robin.
struct Tenant {
    name: Str,
    tasks: VecDeque<Task>,
}

/// The state of an executor, which belongs to the thread that works for it: see `crew.rs`.
pub(crate) struct Executor {
    pub(crate) index: usize,
    pub(crate) desk: Arc<Desk>,
    /// Rung when queries that load much may find room.
    room: Bell,
    /// Tenants with runnable queries; the front one has the next turn.
    tenants: VecDeque<Tenant>,
    /// Queries that wait for a piece, for their sink, or for room among those that load much.
    suspended: Vec<Task>,
    piece: Option<PieceTask>,
}

impl Executor {
    pub(crate) fn new(index: usize, floor: &Floor) -> Box<Self> {
        let desk = floor.desks[index].clone();
        let bell = Arc::downgrade(&desk);
        let room: Bell = Arc::new(move || {
            if let Some(desk) = bell.upgrade() {
                desk.wake();
            }
        });
        let (tenants, suspended) = (VecDeque::new(), Vec::new());
        Box::new(Self { index, desk, room, tenants, suspended, piece: None })
    }

    /// Works until told to stop, or until another thread has taken over.
    pub(crate) fn run(mut self: Box<Self>, post: &Post) {
        let mut helped = false;
        while self.read_inbox() {
            let kept = if let Some(task) = self.next_task() {
                self.run_task(task, post)
            } else if let Some(piece) = self.piece.take().or_else(|| post.crew.floor.take_piece()) {
                helped = true;
                self.help(piece, post)
            } else {
                self.rest(&post.crew.floor, std::mem::take(&mut helped) || !self.suspended.is_empty());
                Some(self)
            };
            let Some(executor) = kept else { return };
            self = executor;
        }
    }

    /// Whether there is something to do beside what its thread is doing.
    pub(crate) fn has_work(&self, floor: &Floor) -> bool {
        !self.tenants.is_empty() || self.desk.rung.load(Ordering::Acquire) || floor.has_offers()
    }

    /// Takes new queries and wakes suspended ones; `false` when told to stop.
    fn read_inbox(&mut self) -> bool {
        self.desk.rung.store(false, Ordering::Release);
        let (tasks, stop) = {
            let mut inbox = self.desk.inbox.lock();
            inbox.woken = false;
            (std::mem::take(&mut inbox.tasks), inbox.stop)
        };
        for task in tasks {
            self.enqueue(task);
        }
        let room = Arc::clone(&self.room);
        let mut is_full = false;
        for mut task in std::mem::take(&mut self.suspended) {
            let may_go_on = task.is_parked() && !is_full && task.may_go_on(&room);
            is_full |= task.is_parked();
            if may_go_on || task.query.state().waker.take() || task.is_over() {
                self.enqueue(task);
            } else {
                self.suspended.push(task);
            }
        }
        !stop
    }

    fn enqueue(&mut self, task: Task) {
        match self.tenants.iter_mut().find(|t| t.name == task.tenant) {
            Some(tenant) => tenant.tasks.push_back(task),
            None => {
                self.tenants.push_back(Tenant { name: task.tenant.clone(), tasks: VecDeque::from([task]) })
            }
        }
    }

    /// The query whose turn it is.
    fn next_task(&mut self) -> Option<Task> {
        let mut tenant = self.tenants.pop_front()?;
        let task = tenant.tasks.pop_front();
        if !tenant.tasks.is_empty() {
            self.tenants.push_back(tenant);
        }
        task
    }

    /// Gives a query its turn. `None` if another thread has taken over meanwhile.
    fn run_task(mut self: Box<Self>, mut task: Task, post: &Post) -> Option<Box<Self>> {
        if !task.may_go_on(&self.room) {
            self.suspended.push(task);
            return Some(self);
        }
        post.hold(self);
        let next = task.turn(Quota::new(&*post.crew.clock, TURN));
        let ran = task.query.time();
        let Some(mut executor) = post.release() else {
            post.give_back(task, next);
            return None;
        };
        match next {
            Next::Again => executor.enqueue(task),
            Next::Suspend => executor.suspended.push(task),
            Next::Gone => {
                drop(task);
                post.crew.floor.retire(&executor.desk, ran);
            }
            Next::Commit => {
                post.crew.floor.retire(&executor.desk, ran);
                post.crew.committers.commit(task);
            }
        }
        Some(executor)
    }

    /// Works on a piece of another executor's query. `None` if another thread has taken over meanwhile.
    fn help(self: Box<Self>, piece: PieceTask, post: &Post) -> Option<Box<Self>> {
        post.hold(self);
        post.crew.floor.helping.fetch_add(1, Ordering::Relaxed);
        let piece = work_on(piece, Quota::new(&*post.crew.clock, TURN));
        post.crew.floor.helping.fetch_sub(1, Ordering::Relaxed);
        let mut executor = post.release();
        match (&mut executor, piece) {
            (Some(executor), piece) => executor.piece = piece,
            (None, Some(piece)) => post.give_back_piece(piece),
            (None, None) => {}
        }
        executor
    }

    /// Waits for something to do: watches first, if there is reason to think that it comes soon.
    fn rest(&self, floor: &Floor, soon: bool) {
        floor.idle.fetch_add(1, Ordering::Relaxed);
        self.desk.idle.store(true, Ordering::Release);
        if !soon || !watch(|| self.desk.rung.load(Ordering::Acquire)) {
            self.sleep(floor);
        }
        self.desk.idle.store(false, Ordering::Release);
        floor.idle.fetch_sub(1, Ordering::Relaxed);
    }

    fn sleep(&self, floor: &Floor) {
        let mut inbox = self.desk.inbox.lock();
        // An offer made before this executor counted as idle has not rung.
        let is_needed = floor.has_offers();
        if inbox.tasks.is_empty() && !inbox.woken && !inbox.stop && !is_needed {
            // The timeout only guards queries whose deadline passes while they are suspended.
            self.desk.bell.wait_for(&mut inbox, SLEEP_BOUND);
        }
    }
}

/// Works on a piece for the quota; what is left of it.
fn work_on(mut piece: PieceTask, quota: Quota<'_>) -> Option<PieceTask> {
    match std::panic::catch_unwind(AssertUnwindSafe(|| piece.run(quota))) {
        Ok(Progress::Complete) => None,
        // Its home must make room for results first.
        Ok(Progress::Blocked) => {
            std::thread::yield_now();
            Some(piece)
        }
        Ok(_) => Some(piece),
        Err(panic) => {
            piece.fail(panicked(&panic));
            None
        }
    }
}

/// Time after the end of a query within which its sender is expected to send another one, at most.
const LULL: Duration = Duration::from_millis(1);

/// Time for which something is watched that is expected soon, before the thread sleeps. Going to sleep and being woken
/// takes some tens of microseconds, much of it on the way of whoever wakes.
const WATCH: Duration = Duration::from_micros(60);

/// Looks again and again until `happened`, for some time; whether it has.
pub(crate) fn watch(happened: impl Fn() -> bool) -> bool {
    let began = std::time::Instant::now();
    loop {
        for _ in 0..32 {
            if happened() {
                return true;
            }
            std::hint::spin_loop();
        }
        if began.elapsed() >= WATCH {
            return false;
        }
    }
}

/// Longest sleep: within it the time-out of a suspended query is noticed.
const SLEEP_BOUND: Duration = Duration::from_millis(20);

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
