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
    /// Queries that live here.
    pub load: AtomicUsize,
}

impl Desk {
    pub(crate) fn submit(&self, task: Task) {
        self.load.fetch_add(1, Ordering::Relaxed);
        self.inbox.lock().tasks.push(task);
        self.bell.notify_one();
    }

    pub(crate) fn wake(&self) {
        self.inbox.lock().woken = true;
        self.bell.notify_one();
    }

    pub(crate) fn stop(&self) {
        self.inbox.lock().stop = true;
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
}

impl Floor {
    pub(crate) fn new(executors: usize) -> Self {
        Self { desks: (0..executors).map(|_| Arc::default()).collect(), ..Self::default() }
    }

    /// Number of executors that sleep.
    pub(crate) fn sleeping(&self) -> usize {
        self.idle.load(Ordering::Relaxed)
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
        // Whoever asks is busy with a core, be it an executor's or, where a query runs on its caller's thread, not.
        self.sleeping().min(self.desks.len().saturating_sub(1))
    }

    fn offer(&self, source: Arc<PieceSource>) {
        self.offers.lock().push_back(source);
        self.desks.iter().for_each(|desk| desk.wake());
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
        while self.read_inbox() {
            let worked = self.turn();
            if !worked && !self.help() {
                self.sleep();
            }
        }
    }

    /// Takes new queries and wakes suspended ones; `false` when told to stop.
    fn read_inbox(&mut self) -> bool {
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

    fn sleep(&self) {
        self.floor.idle.fetch_add(1, Ordering::Relaxed);
        let mut inbox = self.desk.inbox.lock();
        if inbox.tasks.is_empty() && !inbox.woken && !inbox.stop {
            // The timeout only guards queries whose deadline passes while they are suspended.
            self.desk.bell.wait_for(&mut inbox, SLEEP_BOUND);
        }
        self.floor.idle.fetch_sub(1, Ordering::Relaxed);
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
