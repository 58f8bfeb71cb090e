//! The threads on which services are called.
//!
//! A service may wait, so it has a thread of its own; but a client that calls thousands at once has not as many threads, and cannot
//! take all of them:
//!
//! ```text
//!   call ──▶ a thread, if its client has none, or fewer than OWN and no more than all together leave of MOST
//!     └────▶ waits ──▶ the thread of a call that is over
//!                └───▶ the clock, when its time is over or nobody wants it any more
//! ```
//!
//! It must never know what a service does.

use std::{
    collections::{HashMap, VecDeque},
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, LazyLock},
    thread,
    time::Duration,
};

use parking_lot::Mutex;
use server::Holder;

/// Calls at a time.
const MOST: usize = 64;

/// Those of one client, if others leave that many: a call may take as long as a traversal that gives its parameters, and a few clients
/// must not have all threads for that time.
const OWN: usize = 16;

/// How often it is looked whether the time of one that waits is over.
const LOOK: Duration = Duration::from_millis(50);

/// A service that is to be called.
pub(crate) trait Call: Send + 'static {
    /// On whose account; `None`: the application's.
    fn holder(&self) -> Option<Holder>;

    /// Whether its time is over, or nobody wants it any more. Once it is, it stays so.
    fn is_over(&self) -> bool;

    /// Calls it, or tells why not if it is over.
    fn run(self: Box<Self>);
}

/// The threads of the process: they are as many however many graphs it has open.
pub(crate) static SERVICE_THREADS: LazyLock<Arc<ServiceThreads>> =
    LazyLock::new(|| ServiceThreads::new(MOST, OWN));

/// See the module.
pub(crate) struct ServiceThreads {
    state: Mutex<State>,
    most: usize,
    own: usize,
}

#[derive(Default)]
struct State {
    /// Calls that run, of each client that has some.
    running: HashMap<Option<Holder>, usize>,
    waiting: VecDeque<Box<dyn Call>>,
    /// Whether somebody looks at those that wait.
    has_clock: bool,
}

impl ServiceThreads {
    fn new(most: usize, own: usize) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), most, own })
    }

    /// Calls a service on a thread, now or when there is one.
    ///
    /// # Errors
    /// If the system has no thread for it.
    pub(crate) fn call(self: &Arc<Self>, call: Box<dyn Call>) -> io::Result<()> {
        let holder = call.holder();
        {
            let mut state = self.state.lock();
            if !self.takes(&mut state, &holder) {
                state.waiting.push_back(call);
                let needs_clock = !std::mem::replace(&mut state.has_clock, true);
                drop(state);
                if needs_clock {
                    self.start_clock();
                }
                return Ok(());
            }
        }
        self.start(call, holder)
    }

    /// Calls a service on a thread of its own, which its client has taken.
    fn start(self: &Arc<Self>, call: Box<dyn Call>, holder: Option<Holder>) -> io::Result<()> {
        let threads = self.clone();
        let of = holder.clone();
        let spawned = thread::Builder::new().name("service".into()).spawn(move || threads.work(call, of));
        if spawned.is_err() {
            self.state.lock().leaves(&holder);
        }
        spawned.map(drop)
    }

    /// Takes a thread for a client, if he may have one more.
    fn takes(&self, state: &mut State, holder: &Option<Holder>) -> bool {
        if !self.may_have_one(state, holder) {
            return false;
        }
        *state.running.entry(holder.clone()).or_default() += 1;
        true
    }

    /// Whether there is a thread for a client: the first one if any is left, and further ones if those of all would leave him as many as
    /// he has then.
    fn may_have_one(&self, state: &State, holder: &Option<Holder>) -> bool {
        let own = state.running.get(holder).copied().unwrap_or_default();
        let left = self.most.saturating_sub(state.running.values().sum());
        left > 0 && (own == 0 || own < self.own && left > own + 1)
    }

    /// Calls services until none waits that may have this thread.
    fn work(self: &Arc<Self>, call: Box<dyn Call>, holder: Option<Holder>) {
        let mut now = Some((call, holder));
        while let Some((call, holder)) = now {
            run(call);
            let mut state = self.state.lock();
            state.leaves(&holder);
            now = self.next(&mut state);
            // One that ends may leave room for two: its client has fewer, and others may have more.
            let is_alone = now.is_none() || self.place_of_next(&state).is_none();
            drop(state);
            if !is_alone {
                self.start_another();
            }
        }
    }

    /// Where the first one waits that may have a thread: those of a client who has enough are passed over.
    fn place_of_next(&self, state: &State) -> Option<usize> {
        state.waiting.iter().position(|call| self.may_have_one(state, &call.holder()))
    }

    /// Takes a thread for that.
    fn next(&self, state: &mut State) -> Option<(Box<dyn Call>, Option<Holder>)> {
        let call = self.place_of_next(state).and_then(|place| state.waiting.remove(place))?;
        let holder = call.holder();
        *state.running.entry(holder.clone()).or_default() += 1;
        Some((call, holder))
    }

    /// Has one more thread look for a service to call. Without one, it is called later.
    fn start_another(self: &Arc<Self>) {
        let threads = self.clone();
        let work = move || {
            let next = threads.next(&mut threads.state.lock());
            if let Some((call, holder)) = next {
                threads.work(call, holder);
            }
        };
        let _ = thread::Builder::new().name("service".into()).spawn(work);
    }

    /// Has a thread look at those that wait, as long as there are some.
    fn start_clock(self: &Arc<Self>) {
        let threads = self.clone();
        let watch = move || {
            while threads.end_those_that_are_over() {
                thread::sleep(LOOK);
            }
        };
        if thread::Builder::new().name("service-clock".into()).spawn(watch).is_err() {
            // They are told when a thread comes to them.
            self.state.lock().has_clock = false;
        }
    }

    /// Ends calls whose time was over before there was a thread; whether others wait.
    fn end_those_that_are_over(&self) -> bool {
        let (over, any_left) = {
            let mut state = self.state.lock();
            let waiting = std::mem::take(&mut state.waiting);
            let (over, left): (VecDeque<_>, VecDeque<_>) =
                waiting.into_iter().partition(|call| call.is_over());
            state.has_clock = !left.is_empty();
            state.waiting = left;
            (over, state.has_clock)
        };
        // To tell a client takes locks of its own.
        over.into_iter().for_each(run);
        any_left
    }
}

impl State {
    fn leaves(&mut self, holder: &Option<Holder>) {
        if let Some(count) = self.running.get_mut(holder) {
            *count -= 1;
            if *count == 0 {
                self.running.remove(holder);
            }
        }
    }
}

/// A call that panics ends alone: its thread goes on with the others.
fn run(call: Box<dyn Call>) {
    if catch_unwind(AssertUnwindSafe(|| call.run())).is_err() {
        tracing::error!("a service panicked");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc::{Receiver, Sender, channel},
    };

    use super::*;

    /// What calls have come to.
    #[derive(Default)]
    struct Seen {
        running: AtomicUsize,
        most: AtomicUsize,
    }

    /// One that tells its name and then waits for leave.
    struct Waits {
        name: &'static str,
        holder: Option<Holder>,
        over: Arc<AtomicBool>,
        seen: Arc<Seen>,
        told: Sender<(&'static str, bool)>,
        leave: Arc<Mutex<Receiver<()>>>,
    }

    impl Call for Waits {
        fn holder(&self) -> Option<Holder> {
            self.holder.clone()
        }

        fn is_over(&self) -> bool {
            self.over.load(SeqCst)
        }

        fn run(self: Box<Self>) {
            if self.is_over() {
                return self.told.send((self.name, true)).unwrap();
            }
            let running = self.seen.running.fetch_add(1, SeqCst) + 1;
            self.seen.most.fetch_max(running, SeqCst);
            self.told.send((self.name, false)).unwrap();
            self.leave.lock().recv().unwrap();
            self.seen.running.fetch_sub(1, SeqCst);
            assert_ne!(self.name, "panics");
        }
    }

    fn user(name: &str) -> Option<Holder> {
        Some(Holder::User(name.into()))
    }

    #[test]
    fn calls_wait_for_a_thread_and_no_client_takes_all() {
        let threads = ServiceThreads::new(5, 2);
        let ((told, tells), (leave, leaves)) = (channel(), channel());
        let (seen, leaves) = (Arc::new(Seen::default()), Arc::new(Mutex::new(leaves)));
        let over = Arc::new(AtomicBool::new(false));
        let call = |name, holder, over: &Arc<AtomicBool>| {
            let (over, seen, told, leave) = (over.clone(), seen.clone(), told.clone(), leaves.clone());
            threads.call(Box::new(Waits { name, holder, over, seen, told, leave })).unwrap();
        };
        let never = Arc::new(AtomicBool::new(false));
        let next = || tells.recv_timeout(Duration::from_secs(30)).unwrap();
        for name in ["panics", "second", "third"] {
            call(name, user("ada"), &never);
        }
        let mut first = [next(), next()];
        first.sort_unstable();
        assert_eq!(first, [("panics", false), ("second", false)]);
        // The third of ada's waits, while bob's has a thread at once; a second one of his would leave fewer than he has.
        call("bob's", user("bob"), &never);
        assert_eq!(next(), ("bob's", false));
        call("late", user("bob"), &over);
        over.store(true, SeqCst);
        assert_eq!(next(), ("late", true), "the clock tells it");
        for _ in 0..3 {
            leave.send(()).unwrap();
        }
        assert_eq!(next(), ("third", false), "also where one before it panicked");
        leave.send(()).unwrap();
        let begun = std::time::Instant::now();
        while !threads.state.lock().running.is_empty() {
            assert!(begun.elapsed() < Duration::from_secs(30), "they go");
            thread::yield_now();
        }
        assert_eq!(seen.most.load(SeqCst), 3);
    }
}
