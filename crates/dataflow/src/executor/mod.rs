//! Executors: one per core, each with a thread (`threads.rs`) and a forest of operator trees (Banyan, section 4.2).
//!
//! ```text
//! executor ─┬─ address 10.0.0.7 ─┬─ connection 3 ─┬─ query 7 ── root instance ── scopes ── operators
//!           │                    │                └─ query 9
//!           │                    └─ connection 4 ─── query 8
//!           └─ a piece taken from a query of another executor
//! ```
//!
//! Scheduling is cooperative and hierarchical (`turns.rs`): addresses take turns, their connections do, their queries do, and
//! each turn is a quota of time that the query hands down its tree. So neither a heavy query nor a client with many queries
//! can starve the others. An executor without work of its own takes pieces of others' (see `scope/exchange.rs`), then sleeps.
//! Whose piece it is waits for it, so once it is taken it has every other turn, whatever comes to this executor meanwhile;
//! its time counts for whoever the query is run for.
//!
//! It must never know what an operator does: it gives turns to queries, and takes what they have left of them.

mod committers;
mod handoff;
mod idle;
mod inbox;
mod peers;
mod pin;
mod steal;
#[cfg(test)]
mod tests;
mod threads;
mod turns;
mod watchdog;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use graph::Bell;
use values::{begin_spell, give_way};

use crate::housekeeping::Slept;
use crate::instance::Progress;
use crate::memory::reclaim;
use crate::query::{Next, Piece, Task, panicked};
use crate::quota::{Clock, Quota, TURN};

pub(crate) use inbox::Inbox;
use inbox::SLEEP_BOUND;

pub(crate) use committers::Committers;
pub(crate) use handoff::LongStep;
use handoff::Worker;
pub(crate) use peers::Peers;
pub(crate) use threads::Threads;
use turns::Turns;

/// How often those that wait for a turn are asked whether they are over: whose deadline has passed, or whose client has gone,
/// must not wait for the others before it ends.
const LOOK: Duration = Duration::from_millis(2);

/// The state of an executor, which belongs to the thread that works for it: see `threads.rs`.
pub(crate) struct Executor {
    pub(crate) index: usize,
    pub(crate) inbox: Arc<Inbox>,
    /// Rung when queries that load much may find room.
    room: Bell,
    /// Queries that can go on.
    turns: Turns<Task>,
    /// Queries that wait for a piece, for their sink, or for room among those that load much.
    suspended: Vec<Task>,
    piece: Option<Box<dyn Piece>>,
    /// Whether the piece that it worked on last could not go on.
    is_held_up: bool,
    /// Whether a query of its own has had a turn since the last piece.
    owes_piece: bool,
    /// When those that wait are asked next whether they are over.
    look: Duration,
}

impl Executor {
    pub(crate) fn new(index: usize, peers: &Peers) -> Box<Self> {
        let inbox = peers.inboxes[index].clone();
        let bell = Arc::downgrade(&inbox);
        let room: Bell = Arc::new(move || {
            if let Some(inbox) = bell.upgrade() {
                inbox.wake();
            }
        });
        let (turns, suspended) = (Turns::default(), Vec::new());
        Box::new(Self {
            index,
            inbox,
            room,
            turns,
            suspended,
            piece: None,
            is_held_up: false,
            owes_piece: false,
            look: Duration::ZERO,
        })
    }

    /// Works until told to stop, or until another thread has taken over.
    pub(crate) fn run(mut self: Box<Self>, worker: &Worker) {
        let (mut helped, mut slept) = (false, Slept::default());
        slept.begin();
        begin_spell();
        while self.read_inbox() {
            let kept = if let Some(task) = self.one_that_is_over(&*worker.threads.clock) {
                self.run_task(task, worker)
            } else if let Some(piece) = self.piece_that_is_due(&worker.threads.peers) {
                self.help(piece, worker)
            } else if let Some(task) = self.turns.next() {
                self.run_task(task, worker)
            } else if let Some(piece) = self.piece.take().or_else(|| worker.threads.peers.take_piece()) {
                helped = true;
                self.help(piece, worker)
            } else {
                let soon = std::mem::take(&mut helped) || !self.suspended.is_empty();
                let most = self.longest_sleep(&*worker.threads.clock);
                match self.rest(&worker.threads.peers, soon, most) {
                    Some(time) => slept.note(time),
                    None => slept.begin(),
                }
                Some(self)
            };
            let Some(executor) = kept else { return };
            self = executor;
            give_way();
        }
    }

    /// Whether there is something to do beside what its thread is doing.
    pub(crate) fn has_work(&self, peers: &Peers) -> bool {
        !self.turns.is_empty() || self.inbox.is_rung() || peers.has_offers()
    }

    /// Takes new queries and wakes suspended ones; `false` when told to stop.
    fn read_inbox(&mut self) -> bool {
        let (tasks, stop) = self.inbox.collect();
        for task in tasks {
            self.turns.come(task.path(), task);
        }
        let room = Arc::clone(&self.room);
        let mut is_full = false;
        for mut task in std::mem::take(&mut self.suspended) {
            let may_go_on = task.is_parked() && !is_full && task.may_go_on(&room);
            is_full |= task.is_parked();
            if may_go_on || task.may_hold_more() || task.query.state().waker.take() || task.is_over() {
                self.turns.come(task.path(), task);
            } else {
                self.suspended.push(task);
            }
        }
        !stop
    }

    /// A query that is over, and only has to say so.
    fn one_that_is_over(&mut self, clock: &dyn Clock) -> Option<Task> {
        let now = clock.now();
        if now < self.look {
            return None;
        }
        let over = self.turns.out_of_turn(Task::is_over);
        if over.is_none() {
            self.look = now + LOOK;
        }
        over
    }

    /// The piece that has the next turn, since a query of this executor has had the last.
    fn piece_that_is_due(&mut self, peers: &Peers) -> Option<Box<dyn Piece>> {
        if !std::mem::take(&mut self.owes_piece) {
            return None;
        }
        self.piece.take().or_else(|| peers.take_begun())
    }

    /// Gives a query its turn. `None` if another thread has taken over meanwhile.
    fn run_task(mut self: Box<Self>, mut task: Task, worker: &Worker) -> Option<Box<Self>> {
        if !task.may_go_on(&self.room) {
            self.suspended.push(task);
            return Some(self);
        }
        worker.hold(self);
        let (path, before) = (task.path(), task.query.time());
        let next = task.turn(Quota::new(&*worker.threads.clock, TURN));
        let ran = task.query.time();
        let Some(mut executor) = worker.release() else {
            worker.give_back(task, next);
            return None;
        };
        executor.turns.count(path, ran - before);
        executor.owes_piece = true;
        match next {
            Next::Again => executor.turns.come_again(path, task),
            Next::Suspend => executor.suspended.push(task),
            Next::Gone => {
                task.free();
                worker.threads.peers.retire(&executor.inbox, path[0], ran);
            }
            Next::Commit => {
                worker.threads.peers.retire(&executor.inbox, path[0], ran);
                worker.threads.committers.commit(task);
            }
        }
        Some(executor)
    }

    /// Works on a piece of another executor's query. `None` if another thread has taken over meanwhile.
    fn help(self: Box<Self>, piece: Box<dyn Piece>, worker: &Worker) -> Option<Box<Self>> {
        worker.hold(self);
        let (path, clock) = (piece.path(), &*worker.threads.clock);
        let began = clock.now();
        let (piece, is_blocked) =
            worker.threads.peers.while_helping(|| work_on(piece, Quota::new(clock, TURN)));
        let mut executor = worker.release();
        match (&mut executor, piece) {
            (Some(executor), piece) => {
                executor.turns.count(path, clock.now().saturating_sub(began));
                executor.keep(piece, is_blocked, &worker.threads.peers);
            }
            (None, Some(piece)) => worker.give_back_piece(piece),
            (None, None) => {}
        }
        executor
    }

    /// Keeps a piece for its next turn. One that cannot go on gives way to one that was begun and is nobody's, whose home waits
    /// for nothing else.
    fn keep(&mut self, piece: Option<Box<dyn Piece>>, is_blocked: bool, peers: &Peers) {
        let was_blocked = std::mem::replace(&mut self.is_held_up, is_blocked);
        let other = if is_blocked { peers.take_begun() } else { None };
        let gives_way = other.is_some();
        self.piece = match (other, piece) {
            (Some(other), Some(piece)) => {
                peers.give_back(piece);
                Some(other)
            }
            (other, piece) => other.or(piece),
        };
        // Two of which neither can go on do not give way to each other all the time.
        if is_blocked && (was_blocked || !gives_way) && self.turns.is_empty() {
            self.inbox.pause();
        }
    }

    /// For how long it may sleep unless somebody rings.
    fn longest_sleep(&self, clock: &dyn Clock) -> Duration {
        if self.suspended.is_empty() {
            return SLEEP_BOUND;
        }
        let now = clock.now();
        self.suspended.iter().map(|task| task.may_rest(now)).fold(SLEEP_BOUND, Duration::min)
    }

    /// Waits for something to do, for `most` at most: watches first, if there is reason to think that it comes soon. How long, if
    /// nothing has come.
    fn rest(&self, peers: &Peers, soon: bool, most: Duration) -> Option<Duration> {
        let slept = peers.while_idle(&self.inbox, || {
            let comes = soon && watch(|| self.inbox.is_rung());
            if comes { None } else { self.inbox.sleep(most, || peers.has_offers_for_sleeper()) }
        });
        begin_spell();
        slept
    }
}

/// Works on a piece for the quota; what is left of it, and whether its home must make room for results first.
fn work_on(mut piece: Box<dyn Piece>, quota: Quota<'_>) -> (Option<Box<dyn Piece>>, bool) {
    match std::panic::catch_unwind(AssertUnwindSafe(|| piece.run(quota))) {
        Ok(Progress::Complete) => {
            // It may be the last that has what its query held.
            let bytes = piece.left_behind();
            reclaim::free(piece, bytes);
            (None, false)
        }
        Ok(progress) => (Some(piece), progress == Progress::Blocked),
        Err(panic) => {
            piece.fail(panicked(&panic));
            (None, false)
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
