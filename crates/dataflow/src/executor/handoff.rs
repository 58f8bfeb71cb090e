//! An executor changes threads while a load waits: which executor a thread works for, and what becomes of it while the thread loads,
//! or works for long on something that cannot be left in the middle.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use graph::{OnLoad, Request};
use parking_lot::Mutex;

use super::Executor;
use super::inbox::Inbox;
use super::threads::Threads;
use crate::query::{Next, Piece, Task};
use crate::seat::Seated;

/// See the module.
pub(crate) struct Worker {
    pub(crate) threads: Arc<Threads>,
    /// The executor, while a query of it has its turn and loads nothing.
    held: RefCell<Option<Box<Executor>>>,
    handoff: Arc<Handoff>,
    /// Whether the load under way began with an executor to lend.
    has_lent: Cell<bool>,
    /// Where the thread's executor belongs, or belonged.
    inbox: RefCell<Option<Arc<Inbox>>>,
    /// The core that the thread is bound to.
    core: Cell<Option<usize>>,
}

thread_local! {
    static WORKER: RefCell<Option<Rc<Worker>>> = const { RefCell::new(None) };
}

/// Lives while its thread works on something that may outlast a turn by far and cannot be left, such as the making of one large
/// text: the executor is lent meanwhile, as for a load, so another thread may go on with its other queries. Both are on one core
/// then, which the system divides among them: one thread that works for long, and no more, for each executor.
#[derive(Default)]
pub(crate) struct LongStep {
    seated: Option<Seated>,
    /// Given back after the seat: who takes that has an executor to give away.
    _lent: Option<Lending>,
}

/// What is lent comes back at its end.
struct Lending(Rc<Worker>);

impl LongStep {
    /// Waits for those who work for long in the same place. Whoever calls this holds no lock that other queries wait for.
    ///
    /// # Errors
    /// Those of `check`, which says whether the query must end.
    pub(crate) fn begin<E>(check: impl FnMut() -> Result<(), E>) -> Result<Self, E> {
        let Some(worker) = WORKER.with_borrow(Clone::clone).filter(|worker| worker.lend()) else {
            return Ok(Self::default());
        };
        let inbox = worker.inbox.borrow().clone();
        let _lent = Some(Lending(worker));
        let seated = inbox.map(|inbox| inbox.long.take(check)).transpose()?;
        Ok(Self { seated, _lent })
    }
}

impl Drop for LongStep {
    fn drop(&mut self) {
        self.seated = None;
    }
}

impl Drop for Lending {
    fn drop(&mut self) {
        self.0.take_back();
    }
}

/// What a thread has lent while it loads.
#[derive(Default)]
pub(crate) struct Handoff {
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

impl Worker {
    pub(crate) fn new(threads: Arc<Threads>, handoff: Arc<Handoff>) -> Self {
        Self {
            threads,
            held: RefCell::new(None),
            handoff,
            has_lent: Cell::new(false),
            inbox: RefCell::new(None),
            core: Cell::new(None),
        }
    }

    /// Makes this the place of the calling thread.
    pub(crate) fn on_this_thread(self: &Rc<Self>) {
        WORKER.set(Some(Rc::clone(self)));
    }

    /// Lends the executor; whether there was one to lend.
    fn lend(&self) -> bool {
        let Some(executor) = self.held.take() else { return false };
        {
            let mut slot = self.handoff.slot.lock();
            slot.executor = Some(executor);
            slot.loads += 1;
        }
        self.threads.watchdog.tell();
        true
    }

    /// Takes back what was lent, unless another thread has it now.
    fn take_back(&self) {
        let executor = self.handoff.slot.lock().executor.take();
        if executor.is_none() {
            // Whoever has it now has the core as well.
            self.threads.cores.unbind();
            self.core.set(None);
        }
        self.held.replace(executor);
    }

    /// Makes the thread that of an executor.
    pub(crate) fn take_up(&self, executor: &Executor) {
        self.inbox.replace(Some(Arc::clone(&executor.inbox)));
        if self.core.replace(Some(executor.index)) != Some(executor.index) {
            self.threads.cores.bind(executor.index);
        }
        executor.inbox.note_core();
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
        let Some(inbox) = &*self.inbox.borrow() else { return };
        let (ran, [party, ..]) = (task.query.time(), task.path());
        match next {
            // A suspended one is run once more, and suspended there.
            Next::Again | Next::Suspend => inbox.give_back(task),
            Next::Gone => {
                task.free();
                self.threads.peers.retire(inbox, party, ran);
            }
            Next::Commit => {
                self.threads.peers.retire(inbox, party, ran);
                self.threads.committers.commit(task);
            }
        }
    }

    /// Gives a piece of a query back that is not done.
    pub(crate) fn give_back_piece(&self, piece: Box<dyn Piece>) {
        self.threads.peers.give_back(piece);
        if let Some(inbox) = &*self.inbox.borrow() {
            inbox.wake();
        }
    }
}

impl OnLoad for Worker {
    fn begin(&self, request: Option<&Arc<Request>>, others_may_go_on: bool) {
        if self.threads.is_stopped()
            && let Some(request) = request
        {
            request.end();
        }
        {
            let mut slot = self.handoff.slot.lock();
            slot.request = request.cloned();
            slot.loads += 1;
        }
        // What is lent for longer than this load stays lent.
        self.has_lent.set(others_may_go_on && self.lend());
    }

    fn expect_long(&self) -> bool {
        let has_work = |executor: &Executor| executor.has_work(&self.threads.peers);
        if self.held.borrow().as_deref().is_some_and(has_work) {
            return false;
        }
        let mut slot = self.handoff.slot.lock();
        !slot.executor.as_deref().is_some_and(has_work) || slot.hand_over(&self.threads)
    }

    fn end(&self) {
        self.handoff.slot.lock().request = None;
        if self.has_lent.replace(false) {
            self.take_back();
        }
    }
}

impl Handoff {
    /// Hands the executor over if it is lent for the load that was seen last time, and has other work; whether one is lent.
    pub(crate) fn look(&self, threads: &Arc<Threads>, seen: &mut u64) -> bool {
        let mut slot = self.slot.lock();
        let is_same = std::mem::replace(seen, slot.loads) == slot.loads;
        let Some(executor) = &slot.executor else { return false };
        if is_same && executor.has_work(&threads.peers) {
            slot.hand_over(threads);
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
    fn hand_over(&mut self, threads: &Arc<Threads>) -> bool {
        let Some(executor) = self.executor.take() else { return true };
        self.executor = threads.hand_over(executor).err();
        self.executor.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::super::committers::Committers;
    use super::super::peers::Peers;
    use super::*;
    use crate::query::Sharing;
    use crate::quota::{Clock, MonotonicClock};

    /// A worker whose thread has an executor, of a threads that has no threads.
    fn worker() -> Rc<Worker> {
        let clock: Arc<dyn Clock> = Arc::new(MonotonicClock::default());
        let peers = Arc::new(Peers::new(1, Sharing::default(), clock.clone()));
        let committers = Arc::new(Committers::start(1, 1).unwrap());
        let executor = Executor::new(0, &peers);
        let threads = Threads::new(peers, clock, committers, false, 0);
        let worker = Rc::new(Worker::new(threads, Arc::default()));
        worker.take_up(&executor);
        worker.hold(executor);
        worker
    }

    fn begin() -> LongStep {
        LongStep::begin(|| Ok::<_, ()>(())).unwrap()
    }

    fn is_lent(worker: &Worker) -> bool {
        worker.handoff.slot.lock().executor.is_some()
    }

    #[test]
    fn what_is_lent_for_long_work_stays_lent_through_loads_and_comes_back_once() {
        let worker = worker();
        worker.on_this_thread();
        let long = begin();
        assert!(is_lent(&worker) && worker.held.borrow().is_none());
        for others_may_go_on in [true, false] {
            let inner = begin();
            worker.begin(None, others_may_go_on);
            assert!(is_lent(&worker));
            worker.end();
            drop(inner);
            assert!(is_lent(&worker), "it is lent for longer than the load");
        }
        drop(long);
        assert!(!is_lent(&worker) && worker.release().is_some());
        worker.threads.committers.stop();
    }

    #[test]
    fn who_comes_back_from_long_work_and_finds_another_in_place_has_no_executor() {
        let worker = worker();
        worker.on_this_thread();
        let long = begin();
        let taken = worker.handoff.slot.lock().executor.take();
        drop(long);
        assert!(taken.is_some() && worker.release().is_none());
        worker.threads.committers.stop();
    }

    #[test]
    fn who_works_for_long_waits_for_another_in_its_place_but_not_beyond_its_deadline() {
        let worker = worker();
        worker.on_this_thread();
        let inbox = worker.inbox.borrow().clone().unwrap();
        let other = inbox.long.take_soon();
        assert!(other.is_some());
        assert_eq!(LongStep::begin(|| Err("late")).err(), Some("late"));
        assert!(!is_lent(&worker) && worker.held.borrow().is_some(), "it came back");
        drop(other);
        let long = begin();
        assert!(inbox.long.take_soon().is_none());
        drop(long);
        assert!(inbox.long.take_soon().is_some());
        worker.threads.committers.stop();
    }
}
