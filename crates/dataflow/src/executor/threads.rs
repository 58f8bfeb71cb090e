//! The threads of an engine: each is a worker, and has an executor only while it is needed there.
//!
//! ```text
//!   thread 1 ── worker ── executor 0 ── query that loads ─ ─ ─ lent: anyone may take it over
//!   thread 2 ── worker ── executor 1                                   │
//!   thread 3 ── worker ── (spare) ◀────────────────────────────────────┘ goes on with executor 0's other queries
//! ```
//!
//! A read that misses is deep in the stack of its operators, so the thread stays with its query and the executor changes
//! threads instead (as in Go's scheduler a processor does while its thread is in a system call):
//!
//! * A load that is expected to take long, or that waits for its turn, hands the executor over at once, if there is other
//!   work for it.
//! * Of a load that is expected to be short, the executor is lent: put where others find it, which costs a lock that
//!   nobody waits for. The [watchdog](super::watchdog) hands it over if the load is still under way soon after, and there is
//!   other work.
//!
//! A step of an operator that is known to take long, and cannot be left in the middle (the making of a text of megabytes), is
//! like such a load: see [`super::handoff::LongStep`].
//!
//! A thread that finds its executor gone when its load has ended finishes the turn of its query, puts the query back into the
//! executor's inbox and becomes a spare.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use graph::OnLoad;
use parking_lot::{Condvar, Mutex, MutexGuard};

use super::Executor;
use super::committers::Committers;
use super::handoff::{Handoff, Worker};
use super::peers::Peers;
use super::pin::Cores;
use super::watchdog::{self, Watchdog};
use crate::housekeeping::{IDLE, be_idle};
use crate::memory::reclaim;
use crate::quota::Clock;
use crate::scheduling;

/// What the threads of an engine share.
pub(crate) struct Threads {
    pub(crate) peers: Arc<Peers>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) committers: Arc<Committers>,
    pub(crate) cores: Cores,
    /// Most threads.
    most: usize,
    state: Mutex<State>,
    /// Rung for a spare thread.
    called: Condvar,
    pub(super) watchdog: Watchdog,
    handovers: AtomicU64,
    stopped: AtomicBool,
}

#[derive(Default)]
struct State {
    /// Executors that wait for a thread.
    handed: VecDeque<Box<Executor>>,
    /// Threads without an executor that stand by.
    spare: usize,
    /// What each thread has lent.
    handoffs: Vec<Arc<Handoff>>,
    threads: Vec<JoinHandle<()>>,
}

impl Threads {
    pub(crate) fn new(
        peers: Arc<Peers>,
        clock: Arc<dyn Clock>,
        committers: Arc<Committers>,
        pin: bool,
        spares: usize,
    ) -> Arc<Self> {
        Arc::new(Self {
            most: peers.inboxes.len() + spares,
            peers,
            clock,
            committers,
            cores: Cores::new(pin),
            state: Mutex::default(),
            called: Condvar::new(),
            watchdog: Watchdog::default(),
            handovers: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
        })
    }

    /// Starts the executors, each on a thread of its own, and the watchdog.
    pub(crate) fn start(self: &Arc<Self>) -> std::io::Result<()> {
        let mut state = self.state.lock();
        for index in 0..self.peers.inboxes.len() {
            state.handed.push_back(Executor::new(index, &self.peers));
            self.start_thread(&mut state)?;
        }
        let threads = Arc::clone(self);
        let watchdog =
            std::thread::Builder::new().name("watchdog".into()).spawn(move || watchdog::watch(&threads))?;
        state.threads.push(watchdog);
        Ok(())
    }

    /// Starts a thread for the executors that are handed over.
    fn start_thread(self: &Arc<Self>, state: &mut State) -> std::io::Result<()> {
        let (threads, lent) = (Arc::clone(self), Arc::new(Handoff::default()));
        state.handoffs.push(Arc::clone(&lent));
        let name = format!("executor-{}", state.handoffs.len());
        let thread = std::thread::Builder::new().name(name).spawn(move || {
            let worker = Rc::new(Worker::new(threads, lent));
            worker.on_this_thread();
            graph::on_load(Some(Rc::clone(&worker) as Rc<dyn OnLoad>));
            reclaim::on_this_thread();
            scheduling::be_prompt_in_turns();
            while let Some(executor) = worker.threads.stand_by() {
                worker.take_up(&executor);
                executor.run(&worker);
            }
        });
        match thread {
            Ok(thread) => state.threads.push(thread),
            Err(error) => {
                state.handoffs.pop();
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
        self.state.lock().handoffs.len()
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Waits for an executor that needs a thread; `None` at the end.
    fn stand_by(&self) -> Option<Box<Executor>> {
        let mut state = self.state.lock();
        state.spare += 1;
        let mut is_idle = false;
        while !self.is_stopped() {
            if let Some(executor) = state.handed.pop_front() {
                state.spare -= 1;
                return Some(executor);
            }
            if is_idle {
                self.called.wait(&mut state);
            } else if self.called.wait_for(&mut state, IDLE).timed_out() {
                is_idle = true;
                MutexGuard::unlocked(&mut state, be_idle);
            }
        }
        None
    }

    /// Lets another thread go on with an executor.
    ///
    /// # Errors
    /// The executor, if there is no thread for it.
    pub(crate) fn hand_over(self: &Arc<Self>, executor: Box<Executor>) -> Result<(), Box<Executor>> {
        let mut state = self.state.lock();
        if self.is_stopped() {
            return Err(executor);
        }
        if state.spare <= state.handed.len() {
            if state.handoffs.len() >= self.most {
                return Err(executor);
            }
            if let Err(error) = self.start_thread(&mut state) {
                tracing::warn!(%error, "no thread could be started in place of one that waits for a load");
                return Err(executor);
            }
        }
        state.handed.push_back(executor);
        drop(state);
        self.called.notify_one();
        self.handovers.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// The executors that threads have lent since the first so many.
    pub(super) fn lent_since(&self, known: usize) -> Vec<Arc<Handoff>> {
        self.state.lock().handoffs.get(known..).map_or_else(Vec::new, <[Arc<Handoff>]>::to_vec)
    }

    /// Stops all threads and waits for them. What waits for a load on behalf of a query waits no longer.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.peers.inboxes.iter().for_each(|inbox| inbox.stop());
        let lent = {
            let state = self.state.lock();
            self.called.notify_all();
            state.handoffs.clone()
        };
        lent.iter().for_each(|lent| lent.end_request());
        self.watchdog.ring();
        let next = || self.state.lock().threads.pop();
        while let Some(thread) = next() {
            // The last handle of the engine may have been a query's own.
            if thread.thread().id() != std::thread::current().id() {
                let _ = thread.join();
            }
        }
        let left = std::mem::take(&mut self.state.lock().handed);
        drop(left);
        self.peers.inboxes.iter().for_each(|inbox| inbox.clear());
    }
}
