//! What other threads put before an executor.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::query::Task;
use crate::quota::TURN;
use crate::seat::Seat;

/// Longest sleep: within it an executor that nobody rings sees that there is a core for pieces on offer.
pub(super) const SLEEP_BOUND: Duration = Duration::from_millis(20);

#[derive(Default)]
struct Contents {
    tasks: Vec<Task>,
    woken: bool,
    stop: bool,
}

/// The part of an executor that other threads see.
#[derive(Default)]
pub(crate) struct Inbox {
    contents: Mutex<Contents>,
    bell: Condvar,
    /// Set with the bell, for an executor that watches rather than sleeps.
    rung: AtomicBool,
    /// Whether the executor has nothing to do.
    pub(super) idle: AtomicBool,
    /// The core that it is bound to, and one; 0: none that is known.
    pub(super) core: AtomicUsize,
    /// Queries that live here.
    pub load: AtomicUsize,
    /// For who works for long on behalf of one of them.
    pub long: Seat,
}

impl Inbox {
    pub(crate) fn submit(&self, task: Task) {
        self.load.fetch_add(1, Ordering::Relaxed);
        self.contents.lock().tasks.push(task);
        self.ring();
    }

    pub(crate) fn wake(&self) {
        self.contents.lock().woken = true;
        self.ring();
    }

    pub(crate) fn stop(&self) {
        self.contents.lock().stop = true;
        self.ring();
    }

    /// Takes a query back that lives here and had its turn elsewhere.
    pub(crate) fn give_back(&self, task: Task) {
        let mut contents = self.contents.lock();
        if contents.stop {
            drop(contents);
            return drop(task);
        }
        contents.tasks.push(task);
        drop(contents);
        self.ring();
    }

    /// Remembers on which core the calling thread works for this executor.
    pub(crate) fn note_core(&self) {
        if let Some(core) = super::pin::current_core() {
            self.core.store(core + 1, Ordering::Relaxed);
        }
    }

    /// Drops the queries that nobody will take any more.
    pub(crate) fn clear(&self) {
        let tasks = std::mem::take(&mut self.contents.lock().tasks);
        drop(tasks);
    }

    /// Takes what was put here, and whether the executor is to stop.
    pub(crate) fn collect(&self) -> (Vec<Task>, bool) {
        self.rung.store(false, Ordering::Release);
        let mut contents = self.contents.lock();
        contents.woken = false;
        (std::mem::take(&mut contents.tasks), contents.stop)
    }

    /// Whether something was put here since it was last collected.
    pub(crate) fn is_rung(&self) -> bool {
        self.rung.load(Ordering::Acquire)
    }

    /// Sleeps until something is put here, or for `most`; that, if nothing has come.
    pub(super) fn sleep(&self, most: Duration, is_needed: impl FnOnce() -> bool) -> Option<Duration> {
        let mut contents = self.contents.lock();
        // An offer made before the executor counted as idle has not rung.
        let is_needed = is_needed();
        if contents.tasks.is_empty() && !contents.woken && !contents.stop && !is_needed {
            let ended = self.bell.wait_for(&mut contents, most);
            return ended.timed_out().then_some(most);
        }
        None
    }

    /// Sleeps until something is put here, or for a moment: who made room for a piece's results does not ring.
    pub(super) fn pause(&self) {
        let mut contents = self.contents.lock();
        if contents.tasks.is_empty() && !contents.woken && !contents.stop {
            self.bell.wait_for(&mut contents, TURN);
        }
    }

    fn ring(&self) {
        self.rung.store(true, Ordering::Release);
        self.bell.notify_one();
    }
}
