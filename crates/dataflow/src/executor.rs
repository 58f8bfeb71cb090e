//! Executors: one thread per core, each with a forest of operator trees (Banyan, section 4.2).
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
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use values::Str;

use crate::error::QueryError;
use crate::instance::Progress;
use crate::query::Helpers;
use crate::quota::{Clock, Quota};
use crate::result::{ResultSink, Results};
use crate::running::RunningQuery;
use crate::scope::{PieceSource, PieceTask};

/// Time of one turn of a query. Long enough to work through some hundred batches' worth of traversers, short enough
/// that a point query behind a dozen heavy ones still answers within milliseconds.
pub const TURN: Duration = Duration::from_micros(500);

/// A query on its executor.
pub(crate) struct Task {
    pub tenant: Str,
    pub query: RunningQuery,
    pub sink: Box<dyn ResultSink>,
    /// Set when its handle was dropped.
    pub abandoned: Arc<AtomicBool>,
    /// Results that the sink has not taken yet; of a writing query, all results until its commit.
    pub held: Results,
    pub finished: bool,
}

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

    fn ring(&self) {
        self.rung.store(true, Ordering::Release);
        self.bell.notify_one();
    }
}

/// What the executors of an engine share.
#[derive(Default)]
pub(crate) struct Floor {
    pub desks: Vec<Arc<Desk>>,
    /// Exchanges that have pieces to give away.
    offers: Mutex<VecDeque<Arc<PieceSource>>>,
    idle: AtomicUsize,
    /// Threads of the application that run queries of their own at the moment, each on a core.
    callers: AtomicUsize,
}

/// A caller's thread at work.
pub(crate) struct AtWork<'a>(&'a Floor);

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.callers.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Floor {
    pub(crate) fn new(executors: usize) -> Self {
        Self { desks: (0..executors).map(|_| Arc::default()).collect(), ..Self::default() }
    }

    /// Counts the calling thread as one that takes a core, for as long as what this returns lives.
    pub(crate) fn at_work(&self) -> AtWork<'_> {
        self.callers.fetch_add(1, Ordering::Relaxed);
        AtWork(self)
    }

    /// Number of executors that sleep or are about to.
    pub(crate) fn sleeping(&self) -> usize {
        self.idle.load(Ordering::Relaxed)
    }

    /// Whether there may be a piece to take.
    fn has_offers(&self) -> bool {
        !self.offers.lock().is_empty()
    }

    /// Takes a piece from the oldest offer that still has one.
    fn take_piece(&self) -> Option<PieceTask> {
        let mut offers = self.offers.lock();
        while let Some(source) = offers.front() {
            if let Some(task) = PieceTask::take(source) {
                return Some(task);
            }
            offers.pop_front();
        }
        None
    }
}

impl Helpers for Floor {
    fn idle(&self) -> usize {
        // A caller that runs its query itself takes a core from an executor that sleeps: if that one woke up to help, it
        // would only take turns with somebody.
        self.sleeping().saturating_sub(self.callers.load(Ordering::Relaxed))
    }

    fn offer(&self, source: Arc<PieceSource>, wanted: usize) {
        self.offers.lock().push_back(source);
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

/// The thread's own state.
pub(crate) struct Executor {
    desk: Arc<Desk>,
    floor: Arc<Floor>,
    clock: Arc<dyn Clock>,
    committers: Arc<crate::commit::Committers>,
    /// Tenants with runnable queries; the front one has the next turn.
    tenants: VecDeque<Tenant>,
    /// Queries that wait for a piece, or for their sink.
    suspended: Vec<Task>,
    piece: Option<PieceTask>,
}

impl Executor {
    pub(crate) fn new(
        index: usize,
        floor: Arc<Floor>,
        clock: Arc<dyn Clock>,
        committers: Arc<crate::commit::Committers>,
    ) -> Self {
        let desk = floor.desks[index].clone();
        Self { desk, floor, clock, committers, tenants: VecDeque::new(), suspended: Vec::new(), piece: None }
    }

    /// Works until told to stop.
    pub(crate) fn run(mut self) {
        if let Some(core) = crate::pin::current_core() {
            self.desk.core.store(core + 1, Ordering::Relaxed);
        }
        let mut helped = false;
        while self.read_inbox() {
            if self.turn() {
                continue;
            }
            if self.help() {
                helped = true;
                continue;
            }
            self.rest(std::mem::take(&mut helped) || !self.suspended.is_empty());
        }
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
        let (woken, rest): (Vec<Task>, Vec<Task>) = std::mem::take(&mut self.suspended)
            .into_iter()
            .partition(|t| t.query.state().waker.take() || t.is_over());
        self.suspended = rest;
        for task in woken {
            self.enqueue(task);
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

    /// Gives one query its turn; `false` if there is none.
    fn turn(&mut self) -> bool {
        let Some(mut tenant) = self.tenants.pop_front() else { return false };
        let Some(task) = tenant.tasks.pop_front() else { return true };
        if !tenant.tasks.is_empty() {
            self.tenants.push_back(tenant);
        }
        self.run_task(task);
        true
    }

    fn run_task(&mut self, mut task: Task) {
        let quota = Quota::new(&*self.clock, TURN);
        loop {
            match task.advance(quota) {
                Next::Again if quota.is_spent() => return self.enqueue(task),
                Next::Again => {}
                Next::Suspend => return self.suspended.push(task),
                Next::Gone => return self.retire(),
                Next::Commit => {
                    self.retire();
                    return self.committers.commit(task);
                }
            }
        }
    }

    fn retire(&self) {
        self.desk.load.fetch_sub(1, Ordering::Relaxed);
    }

    /// Works on a piece of another executor's query; `false` if there is none.
    fn help(&mut self) -> bool {
        let Some(mut piece) = self.piece.take().or_else(|| self.floor.take_piece()) else { return false };
        let quota = Quota::new(&*self.clock, TURN);
        match std::panic::catch_unwind(AssertUnwindSafe(|| piece.run(quota))) {
            Ok(Progress::Complete) => {}
            // Its home must make room for results first.
            Ok(Progress::Blocked) => {
                self.piece = Some(piece);
                std::thread::yield_now();
            }
            Ok(_) => self.piece = Some(piece),
            Err(panic) => piece.fail(panicked(&panic)),
        }
        true
    }

    /// Waits for something to do: watches first, if there is reason to think that it comes soon.
    fn rest(&self, soon: bool) {
        self.floor.idle.fetch_add(1, Ordering::Relaxed);
        self.desk.idle.store(true, Ordering::Release);
        if !soon || !watch(|| self.desk.rung.load(Ordering::Acquire)) {
            self.sleep();
        }
        self.desk.idle.store(false, Ordering::Release);
        self.floor.idle.fetch_sub(1, Ordering::Relaxed);
    }

    fn sleep(&self) {
        let mut inbox = self.desk.inbox.lock();
        // An offer made before this executor counted as idle has not rung.
        let is_needed = self.floor.has_offers();
        if inbox.tasks.is_empty() && !inbox.woken && !inbox.stop && !is_needed {
            // The timeout only guards queries whose deadline passes while they are suspended.
            self.desk.bell.wait_for(&mut inbox, SLEEP_BOUND);
        }
    }
}

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

/// What is to be done with a task after a step.
enum Next {
    Again,
    Suspend,
    Gone,
    Commit,
}

impl Task {
    /// Whether it must be run to notice its end.
    fn is_over(&self) -> bool {
        self.abandoned.load(Ordering::Acquire) || self.query.state().check().is_err()
    }

    fn advance(&mut self, quota: Quota<'_>) -> Next {
        if self.abandoned.load(Ordering::Acquire) {
            return Next::Gone;
        }
        if let Some(next) = self.deliver_held() {
            return next;
        }
        let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| self.query.run(quota)));
        match outcome {
            Err(panic) => self.end(Err(panicked(&panic))),
            Ok(Err(error)) => self.end(Err(error)),
            Ok(Ok((progress, results))) => self.take(progress, results),
        }
    }

    /// Offers results that wait to the sink; `Some` if the query cannot go on.
    fn deliver_held(&mut self) -> Option<Next> {
        if self.is_writing() || self.held.is_empty() {
            return None;
        }
        if let Err(error) = self.query.state().check() {
            return Some(self.end(Err(error)));
        }
        match self.sink.push(std::mem::take(&mut self.held)) {
            Ok(()) if self.finished => {
                let summary = self.query.summary();
                Some(self.end(Ok(summary)))
            }
            Ok(()) => None,
            Err(back) => {
                self.held = back;
                Some(Next::Suspend)
            }
        }
    }

    fn take(&mut self, progress: Progress, results: Results) -> Next {
        if self.is_writing() {
            self.held.extend(results);
        } else if !results.is_empty() {
            self.held = results;
        }
        self.finished = progress == Progress::Complete;
        if self.finished && self.is_writing() {
            return Next::Commit;
        }
        if let Some(next) = self.deliver_held() {
            return next;
        }
        if self.finished {
            let summary = self.query.summary();
            return self.end(Ok(summary));
        }
        if progress == Progress::Blocked { Next::Suspend } else { Next::Again }
    }

    fn end(&mut self, outcome: Result<crate::result::Summary, QueryError>) -> Next {
        if !self.abandoned.load(Ordering::Acquire) {
            self.sink.finish(outcome);
        }
        Next::Gone
    }

    fn is_writing(&self) -> bool {
        self.query.state().transaction().is_some()
    }
}

/// A panic as an error of the one query it happened in.
pub(crate) fn panicked(panic: &Box<dyn std::any::Any + Send>) -> QueryError {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let message =
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic".to_owned());
    tracing::error!(message, "a query panicked");
    QueryError::Internal { step: "?".to_owned(), message }
}
