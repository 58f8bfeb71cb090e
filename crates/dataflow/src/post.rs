//! A thread's place in the crew: the executor that it works for, and what becomes of it while the thread loads, or works for long
//! on something that cannot be left in the middle.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use graph::{OnLoad, Request};
use parking_lot::Mutex;

use crate::crew::Crew;
use crate::executor::Executor;
use crate::floor::Desk;
use crate::scheduling;
use crate::scope::PieceTask;
use crate::seat::Seated;
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

thread_local! {
    static POST: RefCell<Option<Rc<Post>>> = const { RefCell::new(None) };
}

/// Lives while its thread works on something that may outlast a turn by far and cannot be left, such as the making of one large
/// text: the executor is lent meanwhile, as for a load, so another thread may go on with its other queries. Both are on one core
/// then, which the system divides among them: one thread that works for long, and no more, for each executor.
#[derive(Default)]
pub(crate) struct Long {
    seated: Option<Seated>,
    /// Given back after the seat: who takes that has an executor to give away.
    _lent: Option<Lending>,
}

/// What is lent comes back at its end.
struct Lending(Rc<Post>);

impl Long {
    /// Waits for those who work for long in the same place. Whoever calls this holds no lock that other queries wait for.
    ///
    /// # Errors
    /// Those of `check`, which says whether the query must end.
    pub(crate) fn begin<E>(check: impl FnMut() -> Result<(), E>) -> Result<Self, E> {
        let Some(post) = POST.with_borrow(Clone::clone).filter(|post| post.lend()) else {
            return Ok(Self::default());
        };
        let desk = post.desk.borrow().clone();
        let _lent = Some(Lending(post));
        let seated = desk.map(|desk| desk.long.take(check)).transpose()?;
        scheduling::be_patient();
        Ok(Self { seated, _lent })
    }
}

impl Drop for Long {
    fn drop(&mut self) {
        if self.seated.take().is_some() {
            scheduling::be_prompt();
        }
    }
}

impl Drop for Lending {
    fn drop(&mut self) {
        self.0.take_back();
    }
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

    /// Makes this the place of the calling thread.
    pub(crate) fn on_this_thread(self: &Rc<Self>) {
        POST.set(Some(Rc::clone(self)));
    }

    /// Lends the executor; whether there was one to lend.
    fn lend(&self) -> bool {
        let Some(executor) = self.held.take() else { return false };
        {
            let mut slot = self.lent.slot.lock();
            slot.executor = Some(executor);
            slot.loads += 1;
        }
        self.crew.tell_lookout();
        true
    }

    /// Takes back what was lent, unless another thread has it now.
    fn take_back(&self) {
        let executor = self.lent.slot.lock().executor.take();
        if executor.is_none() {
            // Whoever has it now has the core as well.
            self.crew.cores.unbind();
            self.core.set(None);
        }
        self.held.replace(executor);
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
        if self.crew.is_stopped()
            && let Some(request) = request
        {
            request.end();
        }
        {
            let mut slot = self.lent.slot.lock();
            slot.request = request.cloned();
            slot.loads += 1;
        }
        // What is lent for longer than this load stays lent.
        self.has_lent.set(others_may_go_on && self.lend());
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
        self.lent.slot.lock().request = None;
        if self.has_lent.replace(false) {
            self.take_back();
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commit::Committers;
    use crate::floor::Floor;
    use crate::query::Sharing;
    use crate::quota::{Clock, MonotonicClock};

    /// A post whose thread has an executor, of a crew that has no threads.
    fn post() -> Rc<Post> {
        let clock: Arc<dyn Clock> = Arc::new(MonotonicClock::default());
        let floor = Arc::new(Floor::new(1, Sharing::default(), clock.clone()));
        let committers = Arc::new(Committers::start(1, 1).unwrap());
        let executor = Executor::new(0, &floor);
        let crew = Crew::new(floor, clock, committers, false, 0);
        let post = Rc::new(Post::new(crew, Arc::default()));
        post.take_up(&executor);
        post.hold(executor);
        post
    }

    fn begin() -> Long {
        Long::begin(|| Ok::<_, ()>(())).unwrap()
    }

    fn is_lent(post: &Post) -> bool {
        post.lent.slot.lock().executor.is_some()
    }

    #[test]
    fn what_is_lent_for_long_work_stays_lent_through_loads_and_comes_back_once() {
        let post = post();
        post.on_this_thread();
        let long = begin();
        assert!(is_lent(&post) && post.held.borrow().is_none());
        for others_may_go_on in [true, false] {
            let inner = begin();
            post.begin(None, others_may_go_on);
            assert!(is_lent(&post));
            post.end();
            drop(inner);
            assert!(is_lent(&post), "it is lent for longer than the load");
        }
        drop(long);
        assert!(!is_lent(&post) && post.release().is_some());
        post.crew.committers.stop();
    }

    #[test]
    fn who_comes_back_from_long_work_and_finds_another_in_place_has_no_executor() {
        let post = post();
        post.on_this_thread();
        let long = begin();
        let taken = post.lent.slot.lock().executor.take();
        drop(long);
        assert!(taken.is_some() && post.release().is_none());
        post.crew.committers.stop();
    }

    #[test]
    fn who_works_for_long_waits_for_another_in_its_place_but_not_beyond_its_deadline() {
        let post = post();
        post.on_this_thread();
        let desk = post.desk.borrow().clone().unwrap();
        let other = desk.long.take_soon();
        assert!(other.is_some());
        assert_eq!(Long::begin(|| Err("late")).err(), Some("late"));
        assert!(!is_lent(&post) && post.held.borrow().is_some(), "it came back");
        drop(other);
        let long = begin();
        assert!(desk.long.take_soon().is_none());
        drop(long);
        assert!(desk.long.take_soon().is_some());
        post.crew.committers.stop();
    }
}
