//! A thread's place in the crew: the executor that it works for, and what becomes of it while the thread loads.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use graph::{OnLoad, Request};
use parking_lot::Mutex;

use crate::crew::Crew;
use crate::executor::Executor;
use crate::floor::Desk;
use crate::scope::PieceTask;
use crate::task::{Next, Task};

/// See the module.
pub(crate) struct Post {
    pub(crate) crew: Arc<Crew>,
    /// The executor, while a query of it has its turn and loads nothing.
    held: RefCell<Option<Box<Executor>>>,
    lent: Arc<Lent>,
    /// Whether the load under way began with an executor to lend.
    has_lent: Cell<bool>,
    /// Where the thread's executor belongs, or belonged.
    desk: RefCell<Option<Arc<Desk>>>,
    /// The core that the thread is bound to.
    core: Cell<Option<usize>>,
}

/// What a thread has lent while it loads.
#[derive(Default)]
pub(crate) struct Lent {
    slot: Mutex<Slot>,
}

#[derive(Default)]
struct Slot {
    executor: Option<Box<Executor>>,
    /// On whose behalf it loads.
    request: Option<Arc<Request>>,
    /// Loads so far: tells one from the next.
    loads: u64,
}

impl Post {
    pub(crate) fn new(crew: Arc<Crew>, lent: Arc<Lent>) -> Self {
        Self {
            crew,
            held: RefCell::new(None),
            lent,
            has_lent: Cell::new(false),
            desk: RefCell::new(None),
            core: Cell::new(None),
        }
    }

    /// Makes the thread that of an executor.
    pub(crate) fn take_up(&self, executor: &Executor) {
        self.desk.replace(Some(Arc::clone(&executor.desk)));
        if self.core.replace(Some(executor.index)) != Some(executor.index) {
            self.crew.cores.bind(executor.index);
        }
        executor.desk.note_core();
    }

    /// Keeps the executor while a query has its turn.
    pub(crate) fn hold(&self, executor: Box<Executor>) {
        self.held.replace(Some(executor));
    }

    /// The executor, unless another thread has taken over.
    pub(crate) fn release(&self) -> Option<Box<Executor>> {
        self.held.take()
    }

    /// Files a query that had its turn while another thread took over its executor.
    pub(crate) fn give_back(&self, task: Task, next: Next) {
        let Some(desk) = &*self.desk.borrow() else { return };
        let ran = task.query.time();
        match next {
            // A suspended one is run once more, and suspended there.
            Next::Again | Next::Suspend => desk.give_back(task),
            Next::Gone => {
                task.free();
                self.crew.floor.retire(desk, ran);
            }
            Next::Commit => {
                self.crew.floor.retire(desk, ran);
                self.crew.committers.commit(task);
            }
        }
    }

    /// Gives a piece of a query back that is not done.
    pub(crate) fn give_back_piece(&self, piece: PieceTask) {
        self.crew.floor.give_back(piece);
        if let Some(desk) = &*self.desk.borrow() {
            desk.wake();
        }
    }
}

impl OnLoad for Post {
    fn begin(&self, request: Option<&Arc<Request>>, others_may_go_on: bool) {
        let executor = if others_may_go_on { self.held.take() } else { None };
        let lends = executor.is_some();
        self.has_lent.set(lends);
        if self.crew.is_stopped()
            && let Some(request) = request
        {
            request.end();
        }
        {
            let mut slot = self.lent.slot.lock();
            slot.executor = executor;
            slot.request = request.cloned();
            slot.loads += 1;
        }
        if lends {
            self.crew.tell_lookout();
        }
    }

    fn expect_long(&self) -> bool {
        let has_work = |executor: &Executor| executor.has_work(&self.crew.floor);
        if self.held.borrow().as_deref().is_some_and(has_work) {
            return false;
        }
        let mut slot = self.lent.slot.lock();
        !slot.executor.as_deref().is_some_and(has_work) || slot.hand_over(&self.crew)
    }

    fn end(&self) {
        let executor = {
            let mut slot = self.lent.slot.lock();
            slot.request = None;
            slot.executor.take()
        };
        if !self.has_lent.replace(false) {
            return;
        }
        if executor.is_none() {
            // Whoever has it now has the core as well.
            self.crew.cores.unbind();
            self.core.set(None);
        }
        self.held.replace(executor);
    }
}

impl Lent {
    /// Hands the executor over if it is lent for the load that was seen last time, and has other work; whether one is lent.
    pub(crate) fn look(&self, crew: &Arc<Crew>, seen: &mut u64) -> bool {
        let mut slot = self.slot.lock();
        let is_same = std::mem::replace(seen, slot.loads) == slot.loads;
        let Some(executor) = &slot.executor else { return false };
        if is_same && executor.has_work(&crew.floor) {
            slot.hand_over(crew);
        }
        true
    }

    /// Ends the request on whose behalf something is loaded.
    pub(crate) fn end_request(&self) {
        if let Some(request) = &self.slot.lock().request {
            request.end();
        }
    }
}

impl Slot {
    /// Lets another thread go on with the executor; false if there is none.
    fn hand_over(&mut self, crew: &Arc<Crew>) -> bool {
        let Some(executor) = self.executor.take() else { return true };
        self.executor = crew.hand_over(executor).err();
        self.executor.is_none()
    }
}
