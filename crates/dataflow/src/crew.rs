//! The threads of an engine: each has a post, and an executor only while it is needed there.
//!
//! ```text
//!   thread 1 ── post ── executor 0 ── query that loads ─ ─ ─ lent: anyone may take it over
//!   thread 2 ── post ── executor 1                                   │
//!   thread 3 ── post ── (spare) ◀────────────────────────────────────┘ goes on with executor 0's other queries
//! ```
//!
//! A read that misses is deep in the stack of its operators, so the thread stays with its query and the executor changes
//! threads instead (as in Go's scheduler a processor does while its thread is in a system call):
//!
//! * A load that is expected to take long, or that waits for its turn, hands the executor over at once, if there is other
//!   work on its desk.
//! * Of a load that is expected to be short, the executor is lent: put where others find it, which costs a lock that
//!   nobody waits for. The *lookout*, a thread that is awake while anything is loaded, hands it over if after
//!   [`LOOK`] the load is still under way and there is other work.
//!
//! A step of an operator that is known to take long, and cannot be left in the middle (the making of a text of megabytes), is
//! like such a load: see [`crate::post::Long`].
//!
//! A thread that finds its executor gone when its load has ended finishes the turn of its query, puts the query back on the
//! desk and becomes a spare.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::thread::JoinHandle;
use std::time::Duration;

use graph::OnLoad;
use parking_lot::{Condvar, Mutex};

use crate::commit::Committers;
use crate::executor::Executor;
use crate::floor::Floor;
use crate::pin::Cores;
use crate::post::{Lent, Post};
use crate::quota::Clock;
use crate::reclaim;
use crate::scheduling;

/// How often the lookout looks: half a turn, so that a load holds up other queries no longer than another query would.
const LOOK: Duration = Duration::from_micros(250);
/// How often the lookout finds nothing to do before it sleeps.
const QUIET_LOOKS: u32 = 40;

/// What the threads of an engine share.
pub(crate) struct Crew {
    pub(crate) floor: Arc<Floor>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) committers: Arc<Committers>,
    pub(crate) cores: Cores,
    /// Most threads.
    most: usize,
    muster: Mutex<Muster>,
    /// Rung for a spare thread.
    called: Condvar,
    lookout: Lookout,
    handovers: AtomicU64,
    stopped: AtomicBool,
}

#[derive(Default)]
struct Muster {
    /// Executors that wait for a thread.
    handed: VecDeque<Box<Executor>>,
    /// Threads without an executor that stand by.
    spare: usize,
    /// What each thread has lent.
    lent: Vec<Arc<Lent>>,
    threads: Vec<JoinHandle<()>>,
}

/// Whether the lookout is awake, and how it is woken.
#[derive(Default)]
struct Lookout {
    awake: AtomicBool,
    rung: Mutex<bool>,
    bell: Condvar,
}

impl Lookout {
    fn ring(&self) {
        *self.rung.lock() = true;
        self.bell.notify_one();
    }
}

impl Crew {
    pub(crate) fn new(
        floor: Arc<Floor>,
        clock: Arc<dyn Clock>,
        committers: Arc<Committers>,
        pin: bool,
        spares: usize,
    ) -> Arc<Self> {
        Arc::new(Self {
            most: floor.desks.len() + spares,
            floor,
            clock,
            committers,
            cores: Cores::new(pin),
            muster: Mutex::default(),
            called: Condvar::new(),
            lookout: Lookout::default(),
            handovers: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
        })
    }

    /// Starts the executors, each on a thread of its own, and the lookout.
    pub(crate) fn start(self: &Arc<Self>) -> std::io::Result<()> {
        let mut muster = self.muster.lock();
        for index in 0..self.floor.desks.len() {
            muster.handed.push_back(Executor::new(index, &self.floor));
            self.start_thread(&mut muster)?;
        }
        let crew = Arc::clone(self);
        let lookout =
            std::thread::Builder::new().name("lookout".into()).spawn(move || crew.keep_a_lookout())?;
        muster.threads.push(lookout);
        Ok(())
    }

    /// Starts a thread for the executors that are handed over.
    fn start_thread(self: &Arc<Self>, muster: &mut Muster) -> std::io::Result<()> {
        let (crew, lent) = (Arc::clone(self), Arc::new(Lent::default()));
        muster.lent.push(Arc::clone(&lent));
        let name = format!("executor-{}", muster.lent.len());
        let thread = std::thread::Builder::new().name(name).spawn(move || {
            let post = Rc::new(Post::new(crew, lent));
            post.on_this_thread();
            graph::on_load(Some(Rc::clone(&post) as Rc<dyn OnLoad>));
            reclaim::on_this_thread();
            scheduling::be_prompt();
            while let Some(executor) = post.crew.stand_by() {
                post.take_up(&executor);
                executor.run(&post);
            }
        });
        match thread {
            Ok(thread) => muster.threads.push(thread),
            Err(error) => {
                muster.lent.pop();
                return Err(error);
            }
        }
        Ok(())
    }

    /// How often an executor has changed threads.
    pub(crate) fn handovers(&self) -> u64 {
        self.handovers.load(Ordering::Relaxed)
    }

    /// Number of threads that have an executor, finish a turn without one, or stand by.
    pub(crate) fn threads(&self) -> usize {
        self.muster.lock().lent.len()
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Waits for an executor that needs a thread; `None` at the end.
    fn stand_by(&self) -> Option<Box<Executor>> {
        let mut muster = self.muster.lock();
        muster.spare += 1;
        while !self.is_stopped() {
            if let Some(executor) = muster.handed.pop_front() {
                muster.spare -= 1;
                return Some(executor);
            }
            self.called.wait(&mut muster);
        }
        None
    }

    /// Lets another thread go on with an executor.
    ///
    /// # Errors
    /// The executor, if there is no thread for it.
    pub(crate) fn hand_over(self: &Arc<Self>, executor: Box<Executor>) -> Result<(), Box<Executor>> {
        let mut muster = self.muster.lock();
        if self.is_stopped() {
            return Err(executor);
        }
        if muster.spare <= muster.handed.len() {
            if muster.lent.len() >= self.most {
                return Err(executor);
            }
            if let Err(error) = self.start_thread(&mut muster) {
                tracing::warn!(%error, "no thread could be started in place of one that waits for a load");
                return Err(executor);
            }
        }
        muster.handed.push_back(executor);
        drop(muster);
        self.called.notify_one();
        self.handovers.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Lets the lookout know that an executor has been lent.
    pub(crate) fn tell_lookout(&self) {
        // Either the lookout sees what was lent, in its last look before it sleeps, or it is seen to sleep here.
        fence(Ordering::SeqCst);
        if !self.lookout.awake.load(Ordering::Relaxed) && !self.lookout.awake.swap(true, Ordering::SeqCst) {
            self.lookout.ring();
        }
    }

    /// What the lookout does.
    fn keep_a_lookout(self: &Arc<Self>) {
        scheduling::be_prompt();
        let mut seen = Vec::new();
        while self.sleep_until_something_is_lent() {
            let mut quiet = 0;
            while quiet < QUIET_LOOKS {
                std::thread::sleep(LOOK);
                quiet = if self.look(&mut seen) { 0 } else { quiet + 1 };
                if self.is_stopped() {
                    return;
                }
            }
            self.lookout.awake.store(false, Ordering::SeqCst);
            fence(Ordering::SeqCst);
            if self.look(&mut seen) {
                self.tell_lookout();
            }
        }
    }

    fn sleep_until_something_is_lent(&self) -> bool {
        let mut rung = self.lookout.rung.lock();
        while !*rung && !self.is_stopped() {
            self.lookout.bell.wait(&mut rung);
        }
        *rung = false;
        !self.is_stopped()
    }

    /// Hands over what has been lent since the look before and has other work; whether anything is lent. `seen` is what each
    /// thread has been loading.
    fn look(self: &Arc<Self>, seen: &mut Vec<(Arc<Lent>, u64)>) -> bool {
        let new = self.muster.lock().lent.get(seen.len()..).map_or_else(Vec::new, <[Arc<Lent>]>::to_vec);
        seen.extend(new.into_iter().map(|lent| (lent, 0)));
        let mut any = false;
        for (lent, load) in seen {
            any |= lent.look(self, load);
        }
        any
    }

    /// Stops all threads and waits for them. What waits for a load on behalf of a query waits no longer.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.floor.desks.iter().for_each(|desk| desk.stop());
        let lent = {
            let muster = self.muster.lock();
            self.called.notify_all();
            muster.lent.clone()
        };
        lent.iter().for_each(|lent| lent.end_request());
        self.lookout.ring();
        let next = || self.muster.lock().threads.pop();
        while let Some(thread) = next() {
            // The last handle of the engine may have been a query's own.
            if thread.thread().id() != std::thread::current().id() {
                let _ = thread.join();
            }
        }
        let left = std::mem::take(&mut self.muster.lock().handed);
        drop(left);
        self.floor.desks.iter().for_each(|desk| desk.clear());
    }
}
