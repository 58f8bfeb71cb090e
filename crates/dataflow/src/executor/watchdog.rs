//! The watchdog: a thread that is awake while anything is loaded, and hands over the executors of those who load for long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::handoff::Handoff;
use super::threads::Threads;
use crate::scheduling;

/// How often it looks: half a turn, so that a load holds up other queries no longer than another query would.
const LOOK: Duration = Duration::from_micros(250);
/// How often it finds nothing to do before it sleeps.
const QUIET_LOOKS: u32 = 40;

/// Whether the watchdog is awake, and how it is woken.
#[derive(Default)]
pub(super) struct Watchdog {
    awake: AtomicBool,
    rung: Mutex<bool>,
    bell: Condvar,
}

impl Watchdog {
    /// Wakes it.
    pub(super) fn ring(&self) {
        *self.rung.lock() = true;
        self.bell.notify_one();
    }

    /// Lets it know that an executor has been lent.
    pub(super) fn tell(&self) {
        // Either it sees what was lent, in its last look before it sleeps, or it is seen to sleep here.
        fence(Ordering::SeqCst);
        if !self.awake.load(Ordering::Relaxed) && !self.awake.swap(true, Ordering::SeqCst) {
            self.ring();
        }
    }

    /// Sleeps until something is lent; `false` at the end.
    fn sleep(&self, is_stopped: impl Fn() -> bool) -> bool {
        let mut rung = self.rung.lock();
        while !*rung && !is_stopped() {
            self.bell.wait(&mut rung);
        }
        *rung = false;
        !is_stopped()
    }
}

/// What its thread does.
pub(super) fn watch(threads: &Arc<Threads>) {
    scheduling::be_prompt();
    let watchdog = &threads.watchdog;
    let mut seen = Vec::new();
    while watchdog.sleep(|| threads.is_stopped()) {
        let mut quiet = 0;
        while quiet < QUIET_LOOKS {
            // Nobody rings while it is awake: who lends would pay for that with each load. It looks instead.
            std::thread::sleep(LOOK);
            quiet = if look(threads, &mut seen) { 0 } else { quiet + 1 };
            if threads.is_stopped() {
                return;
            }
        }
        watchdog.awake.store(false, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        if look(threads, &mut seen) {
            watchdog.tell();
        }
    }
}

/// Hands over what has been lent since the look before and has other work; whether anything is lent. `seen` is what each
/// thread has been loading.
fn look(threads: &Arc<Threads>, seen: &mut Vec<(Arc<Handoff>, u64)>) -> bool {
    seen.extend(threads.lent_since(seen.len()).into_iter().map(|handoff| (handoff, 0)));
    let mut any = false;
    for (handoff, load) in seen {
        any |= handoff.look(threads, load);
    }
    any
}
