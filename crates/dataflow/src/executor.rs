//! Executors: one per core, each with a thread (`crew.rs`) and a forest of operator trees (Banyan, section 4.2).
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

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use graph::Bell;

use crate::floor::{Desk, Floor};
use crate::instance::Progress;
use crate::post::Post;
use crate::quota::{Clock, Quota};
use crate::scope::PieceTask;
use crate::task::{Next, Task, panicked};
use crate::turns::Turns;

/// Time of one turn of a query. Long enough to work through some hundred batches' worth of traversers, short enough
/// that a point query behind a dozen heavy ones still answers within milliseconds.
pub const TURN: Duration = Duration::from_micros(500);

/// How often those that wait for a turn are asked whether they are over: whose deadline has passed, or whose client has gone,
/// must not wait for the others before it ends.
const LOOK: Duration = Duration::from_millis(2);

/// The state of an executor, which belongs to the thread that works for it: see `crew.rs`.
pub(crate) struct Executor {
    pub(crate) index: usize,
    pub(crate) desk: Arc<Desk>,
    /// Rung when queries that load much may find room.
    room: Bell,
    /// Queries that can go on.
    turns: Turns<Task>,
    /// Queries that wait for a piece, for their sink, or for room among those that load much.
    suspended: Vec<Task>,
    piece: Option<PieceTask>,
    /// Whether a query of its own has had a turn since the last piece.
    owes_piece: bool,
    /// When those that wait are asked next whether they are over.
    look: Duration,
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
        let (turns, suspended) = (Turns::default(), Vec::new());
        Box::new(Self {
            index,
            desk,
            room,
            turns,
            suspended,
            piece: None,
            owes_piece: false,
            look: Duration::ZERO,
        })
    }

    /// Works until told to stop, or until another thread has taken over.
    pub(crate) fn run(mut self: Box<Self>, post: &Post) {
        let mut helped = false;
        while self.read_inbox() {
            let kept = if let Some(task) = self.one_that_is_over(&*post.crew.clock) {
                self.run_task(task, post)
            } else if let Some(piece) = self.piece_that_is_due(&post.crew.floor) {
                self.help(piece, post)
            } else if let Some(task) = self.turns.next() {
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
        !self.turns.is_empty() || self.desk.is_rung() || floor.has_offers()
    }

    /// Takes new queries and wakes suspended ones; `false` when told to stop.
    fn read_inbox(&mut self) -> bool {
        let (tasks, stop) = self.desk.collect();
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
    fn piece_that_is_due(&mut self, floor: &Floor) -> Option<PieceTask> {
        if !std::mem::take(&mut self.owes_piece) {
            return None;
        }
        self.piece.take().or_else(|| floor.take_begun())
    }

    /// Gives a query its turn. `None` if another thread has taken over meanwhile.
    fn run_task(mut self: Box<Self>, mut task: Task, post: &Post) -> Option<Box<Self>> {
        if !task.may_go_on(&self.room) {
            self.suspended.push(task);
            return Some(self);
        }
        post.hold(self);
        let (path, before) = (task.path(), task.query.time());
        let next = task.turn(Quota::new(&*post.crew.clock, TURN));
        let ran = task.query.time();
        let Some(mut executor) = post.release() else {
            post.give_back(task, next);
            return None;
        };
        executor.turns.count(path, ran - before);
        executor.owes_piece = true;
        match next {
            Next::Again => executor.turns.come_again(path, task),
            Next::Suspend => executor.suspended.push(task),
            Next::Gone => {
                task.free();
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
        let (path, clock) = (piece.path(), &*post.crew.clock);
        let began = clock.now();
        let piece = post.crew.floor.while_helping(|| work_on(piece, Quota::new(clock, TURN)));
        let mut executor = post.release();
        match (&mut executor, piece) {
            (Some(executor), piece) => {
                executor.turns.count(path, clock.now().saturating_sub(began));
                executor.piece = piece;
            }
            (None, Some(piece)) => post.give_back_piece(piece),
            (None, None) => {}
        }
        executor
    }

    /// Waits for something to do: watches first, if there is reason to think that it comes soon.
    fn rest(&self, floor: &Floor, soon: bool) {
        floor.while_idle(&self.desk, || {
            if !soon || !watch(|| self.desk.is_rung()) {
                self.desk.sleep(|| floor.has_offers());
            }
        });
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
