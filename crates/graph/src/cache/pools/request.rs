//! On whose behalf something is loaded.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::pool::Class;
use super::waiter::Waiter;
use super::{HeavyTurn, Parked, Pools};

/// What one query asks of the store. Reads of a [`crate::read::Snapshot`] that serves a request
/// ([`crate::read::Snapshot::on_behalf_of`]) load through the graph's I/O pools: the light one until the request has asked for
/// more loads than [`crate::model::PoolOptions::heavy_after`], the heavy one from then on.
///
/// A request that is over, since it was ended or its deadline has passed, waits for nothing any more: its reads fail
/// with [`crate::error::GraphError::Interrupted`].
pub struct Request {
    pools: Arc<Pools>,
    deadline: Option<Instant>,
    ended: AtomicBool,
    /// Loads that it has asked for.
    asked: AtomicU64,
    /// How its loads went.
    loads: Mutex<Option<Loaded>>,
    /// Its threads that wait at the moment.
    waiting: Mutex<Vec<Arc<Waiter>>>,
    timed_out: AtomicBool,
    /// Whether a read was not answered since it was over.
    interrupted: AtomicBool,
}

/// How the loads of a request went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// How many there were.
    pub count: u64,
    /// How long they took together, with the waiting for a turn; several may have gone on at a time.
    pub time: Duration,
    /// When the first one began.
    pub begun: Instant,
    /// When the last one was over.
    pub ended: Instant,
}

impl Request {
    /// One that is over at `deadline`.
    pub(crate) fn new(pools: &Arc<Pools>, deadline: Option<Instant>) -> Arc<Self> {
        Arc::new(Self {
            pools: Arc::clone(pools),
            deadline,
            ended: AtomicBool::new(false),
            asked: AtomicU64::new(0),
            loads: Mutex::default(),
            waiting: Mutex::default(),
            timed_out: AtomicBool::new(false),
            interrupted: AtomicBool::new(false),
        })
    }

    /// Ends the request: whatever waits on its behalf stops waiting at once.
    pub fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        let waiting = self.waiting.lock();
        waiting.iter().for_each(|waiter| waiter.nudge());
    }

    /// Whether it was ended, or its deadline has passed.
    pub fn is_over(&self) -> bool {
        self.ended.load(Ordering::SeqCst) || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The moment from which on it is over.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Loads that it has asked for so far.
    pub fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    /// How its loads went that are over, if there were any.
    pub fn loaded(&self) -> Option<Loaded> {
        *self.loads.lock()
    }

    /// One of its loads is over, or somebody else's that it has waited for.
    pub(crate) fn has_loaded(&self, begun: Instant) {
        let ended = Instant::now();
        let mut loaded = self.loads.lock();
        let so_far = loaded.get_or_insert(Loaded { count: 0, time: Duration::ZERO, begun, ended });
        so_far.count += 1;
        so_far.time += ended - begun;
        (so_far.begun, so_far.ended) = (so_far.begun.min(begun), so_far.ended.max(ended));
    }

    /// Whether it has asked for so many that its loads go to the heavy pool.
    pub fn is_heavy(&self) -> bool {
        self.asked() > self.pools.heavy_after
    }

    /// Tells the pools, once, that the request was not done in time: while light ones are not, the heavy pool does not grow.
    pub fn note_time_out(&self) {
        if !self.timed_out.swap(true, Ordering::Relaxed) {
            self.pools.count_time_out(self.class());
        }
    }

    /// Room for the request to go on. A heavy one of which many wait already had better wait without a thread.
    ///
    /// # Errors
    /// If there is no room: keep what is returned while the request waits. `bell` is called when there may be room.
    pub fn heavy_turn(&self, bell: &Bell) -> Result<HeavyTurn, Parked> {
        HeavyTurn::begin(&self.pools, bell)
    }

    /// Remembers that a read of the request saw nothing where there may be something.
    pub(crate) fn note_interrupted(&self) {
        self.interrupted.store(true, Ordering::Release);
    }

    pub(crate) fn was_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Acquire)
    }

    pub(crate) fn class(&self) -> Class {
        if self.is_heavy() { Class::Heavy } else { Class::Light }
    }

    /// Counts something that it asks for.
    pub(crate) fn ask(&self, tasks: u64) {
        self.asked.fetch_add(tasks, Ordering::Relaxed);
    }

    /// Waits until woken, or until the request is over; whether it was woken.
    pub(crate) fn wait(&self, waiter: &Arc<Waiter>) -> bool {
        self.waiting.lock().push(Arc::clone(waiter));
        let woken = waiter.wait(Some(self));
        self.waiting.lock().retain(|other| !Arc::ptr_eq(other, waiter));
        woken
    }
}

/// Told when heavy requests that were refused a turn may ask again. Called from any thread; it must not block.
pub type Bell = Arc<dyn Fn() + Send + Sync>;

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request")
            .field("asked", &self.asked())
            .field("over", &self.is_over())
            .finish_non_exhaustive()
    }
}
