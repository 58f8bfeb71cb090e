//! Two I/O pools, so that requests that load much do not starve those that load little (ByteGraph, section 4.3.1).
//!
//! ```text
//!                  loads asked for so far                       sizes
//! request ─▶ read ─▶ at most `heavy_after` ─▶ light pool   ── fixed
//!              │ └─▶ more ────────────────────▶ heavy pool   ── equation 1, every 250 ms
//!              │                                  ▲
//!              └─ commit of many writes ──────────┘
//! ```
//!
//! * *A request* is what a query asks of the store ([`Request`]); its tasks are the loads it has asked for, and the writes
//!   of its commit. Reads of a snapshot that serves no request, and the writer's own, load past the pools: nobody who
//!   holds the writer ever waits for a turn.
//! * *A pool* ([`pool`]) gives out turns. Whoever has one loads on its own thread and is a thread of the pool meanwhile:
//!   to let another thread do it would cost two switches, as much as a load from the page cache. What else the thread has
//!   to do is up to whoever runs it ([`on_load()`]).
//! * *Sizes* ([`controller`]): the heavy pool begins small and follows the pressures of both, as long as light requests
//!   are done in time.
//! * *Shared loads* (`loads.rs`): who needs what somebody loads already waits for that load, without a turn. Who
//!   waits for a turn has not begun to load, so a light request never waits in the heavy queue.

mod controller;
mod on_load;
mod pool;
mod request;
mod waiter;

pub(crate) use on_load::Away;
pub use on_load::{OnLoad, on_load};
pub(crate) use pool::Class;
pub use request::{Bell, Loaded, Request};
pub(crate) use waiter::Waiter;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

use self::controller::{Controller, Period};
use self::pool::Pool;
use crate::error::{GraphError, Result};
use crate::model::PoolOptions;

/// How often the size of the heavy pool is adjusted, while anything is loaded.
const PERIOD: Duration = Duration::from_millis(250);
/// Announcements of readers that are noted after a load without another one.
const ANNOUNCEMENTS: u32 = 1024;
/// How long a heavy commit waits for its turn before it goes on without one.
const LONGEST_COMMIT_WAIT: Duration = Duration::from_secs(1);
/// A load is expected to take long if lately they took longer than this: about what it costs to hand a thread's other work
/// to another thread, ten times over.
const LONG: Duration = Duration::from_micros(250);

/// What the pools of a graph are doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// The pool of light requests.
    pub light: PoolCounts,
    /// The pool of heavy requests.
    pub heavy: PoolCounts,
}

/// What one pool is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolCounts {
    /// Loads that it does at a time.
    pub size: usize,
    /// Loads under way.
    pub running: usize,
    /// Loads that wait for their turn; of the heavy pool, requests that wait for room as well.
    pub waiting: usize,
    /// Loads that it has done since the graph was opened.
    pub loads: u64,
    /// Requests that were not done in time since the graph was opened.
    pub time_outs: u64,
}

/// The pools of an open graph.
pub(crate) struct Pools {
    heavy_after: u64,
    adapts: bool,
    state: Mutex<State>,
    /// How long loads took lately, in nanoseconds.
    load_time: AtomicU64,
    /// How many more announcements are worth noting though nothing was loaded since (see [`Pools::foresees_loads`]).
    noting: AtomicU32,
}

struct State {
    light: Pool,
    heavy: Pool,
    controller: Controller,
    /// When the size was adjusted last, and how many light requests had timed out by then.
    adjusted: (Instant, u64),
    /// Heavy requests that have a turn of their executor at the moment.
    turns: usize,
    /// Heavy requests that wait for one.
    parked: usize,
    /// Whom to tell when there is room.
    bells: Vec<Bell>,
    loads: [u64; 2],
    time_outs: [u64; 2],
}

impl State {
    fn pool(&mut self, class: Class) -> &mut Pool {
        match class {
            Class::Light => &mut self.light,
            Class::Heavy => &mut self.heavy,
        }
    }

    /// Whether another heavy request may go on. One that waits for its load takes a thread, so no more may than keep the
    /// pool busy.
    fn has_room(&self) -> bool {
        self.turns < 2 * self.heavy.size && self.heavy.waiting() < self.heavy.size
    }

    /// Those to be told that there is room, if there is.
    fn take_bells(&mut self) -> Vec<Bell> {
        if self.has_room() { std::mem::take(&mut self.bells) } else { Vec::new() }
    }

    fn counts(&self, class: Class, pool: &Pool) -> PoolCounts {
        let (at, parked) = (class as usize, if class == Class::Heavy { self.parked } else { 0 });
        PoolCounts {
            size: pool.size,
            running: pool.running,
            waiting: pool.waiting() + parked,
            loads: self.loads[at],
            time_outs: self.time_outs[at],
        }
    }
}

impl Pools {
    pub(crate) fn new(options: &PoolOptions) -> Self {
        let now = Instant::now();
        let controller = Controller::new(options.heavy, options.most_heavy.max(options.heavy));
        let state = State {
            light: Pool::new(options.light.max(1), now),
            heavy: Pool::new(controller.size(), now),
            controller,
            adjusted: (now, 0),
            turns: 0,
            parked: 0,
            bells: Vec::new(),
            loads: [0; 2],
            time_outs: [0; 2],
        };
        Self {
            heavy_after: options.heavy_after,
            adapts: options.most_heavy > options.heavy,
            state: Mutex::new(state),
            load_time: AtomicU64::new(0),
            noting: AtomicU32::new(0),
        }
    }

    pub(crate) fn stats(&self) -> PoolStats {
        let state = self.state.lock();
        PoolStats {
            light: state.counts(Class::Light, &state.light),
            heavy: state.counts(Class::Heavy, &state.heavy),
        }
    }

    /// Whether what is loaded now will probably take long.
    pub(crate) fn expects_long(&self) -> bool {
        self.load_time.load(Ordering::Relaxed) > LONG.as_nanos() as u64
    }

    /// Whether it is worth noting what a reader announces that it will ask for: there was a load not many announcements ago.
    /// Once all is in memory, nobody pays for what nobody loads.
    #[inline]
    pub(crate) fn foresees_loads(&self) -> bool {
        let left = self.noting.load(Ordering::Relaxed);
        if left > 0 {
            // Of two who count down at once one may be lost.
            self.noting.store(left - 1, Ordering::Relaxed);
        }
        left > 0
    }

    fn count_time_out(&self, class: Class) {
        self.state.lock().time_outs[class as usize] += 1;
    }

    /// Waits for a turn in the pool of the request. Whoever has other work that nobody else can take over meanwhile, as
    /// `away` says, gets one at once.
    pub(crate) fn take_turn(self: &Arc<Self>, request: &Request, away: &Away) -> Result<Turn> {
        let class = request.class();
        if !self.state.lock().pool(class).try_take() {
            let can_wait = away.expect_long();
            self.queue_up(class, request, can_wait)?;
        }
        Ok(Turn { pools: Arc::clone(self), class, began: Some(Instant::now()) })
    }

    /// Waits for a turn in the heavy pool, but not for ever, if a commit has so many writes that it is heavy. Small commits need
    /// none: as many as come at the same time share one write of the log.
    pub(crate) fn commit_turn(self: &Arc<Self>, writes: usize) -> Option<Turn> {
        if writes as u64 <= self.heavy_after {
            return None;
        }
        // Who waits for one may have those that it waits for itself: of commits that it has submitted and not waited for.
        let request = Request::new(self, Some(Instant::now() + LONGEST_COMMIT_WAIT));
        request.ask(writes as u64);
        let mut turn = self.take_turn(&request, &Away::begin(None, true)).ok()?;
        turn.began = None;
        Some(turn)
    }

    fn queue_up(&self, class: Class, request: &Request, can_wait: bool) -> Result<()> {
        let waiter = Arc::new(Waiter::default());
        {
            let mut state = self.state.lock();
            let pool = state.pool(class);
            if pool.try_take() {
                return Ok(());
            }
            if !can_wait {
                pool.running += 1;
                return Ok(());
            }
            pool.enqueue(&waiter);
            self.adjust(&mut state, Instant::now());
        }
        if request.wait(&waiter) {
            return Ok(());
        }
        let mut state = self.state.lock();
        if !state.pool(class).leave(&waiter) {
            // It had just got its turn.
            state.pool(class).give_back();
        }
        Err(GraphError::Interrupted)
    }

    /// Adjusts the size of the heavy pool, if a period has passed.
    fn adjust(&self, state: &mut MutexGuard<'_, State>, now: Instant) {
        let (since, timed_out) = state.adjusted;
        let period = now.saturating_duration_since(since);
        if !self.adapts || period < PERIOD {
            return;
        }
        let seen = Period {
            light: state.light.pressure.average(now, period),
            heavy: state.heavy.pressure.average(now, period),
            light_time_outs: state.time_outs[Class::Light as usize] - timed_out,
        };
        state.adjusted = (now, state.time_outs[Class::Light as usize]);
        state.controller.step(&seen);
        state.heavy.size = state.controller.size();
        state.heavy.hand_out();
    }

    fn end_turn(&self, class: Class, began: Option<Instant>) {
        let now = Instant::now();
        let mut state = self.state.lock();
        if let Some(began) = began {
            let took = now.saturating_duration_since(began).as_nanos() as u64;
            let before = self.load_time.load(Ordering::Relaxed);
            self.load_time.store(before - before / 8 + took / 8, Ordering::Relaxed);
            self.noting.store(ANNOUNCEMENTS, Ordering::Relaxed);
            state.loads[class as usize] += 1;
        }
        state.pool(class).give_back();
        self.adjust(&mut state, now);
        let bells = state.take_bells();
        drop(state);
        bells.iter().for_each(|ring| ring());
    }
}

/// A turn in a pool: the right to load, or to commit.
pub(crate) struct Turn {
    pools: Arc<Pools>,
    class: Class,
    /// When the load began.
    began: Option<Instant>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.pools.end_turn(self.class, self.began);
    }
}

/// Held by a heavy request while it goes on: see [`Request::heavy_turn`].
pub struct HeavyTurn(Arc<Pools>);

impl HeavyTurn {
    fn begin(pools: &Arc<Pools>, bell: &Bell) -> Result<Self, Parked> {
        let mut state = pools.state.lock();
        if state.has_room() {
            state.turns += 1;
            return Ok(Self(Arc::clone(pools)));
        }
        if !state.bells.iter().any(|other| Arc::ptr_eq(other, bell)) {
            state.bells.push(Arc::clone(bell));
        }
        state.parked += 1;
        state.heavy.pressure.change(1);
        Err(Parked(Arc::clone(pools)))
    }
}

impl Drop for HeavyTurn {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.turns -= 1;
        let bells = state.take_bells();
        drop(state);
        bells.iter().for_each(|ring| ring());
    }
}

/// Held for a heavy request that waits for room: it counts to the pressure of the heavy pool.
pub struct Parked(Arc<Pools>);

impl Drop for Parked {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.parked -= 1;
        state.heavy.pressure.change(-1);
    }
}

impl std::fmt::Debug for HeavyTurn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HeavyTurn")
    }
}

impl std::fmt::Debug for Parked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Parked")
    }
}
