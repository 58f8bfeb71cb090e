//! What wakes the thread that makes room.

use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// What wakes the keeper.
#[derive(Default)]
pub(crate) struct Signal {
    state: Mutex<State>,
    changed: Condvar,
}

/// Why the keeper wakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Woken {
    /// There is something to do.
    Rung,
    /// It has waited for as long as it wanted to.
    Idle,
    /// The graph is being closed.
    Stopped,
}

#[derive(Default)]
struct State {
    rung: bool,
    /// Rung, and the budget is spent.
    urgent: bool,
    stop: bool,
}

impl Signal {
    /// Wakes the keeper, if it sleeps; if it pauses, only when that is urgent.
    pub(crate) fn ring(&self, urgent: bool) {
        let mut state = self.state.lock();
        let is_news = !state.rung || urgent && !state.urgent;
        state.rung = true;
        state.urgent |= urgent;
        if is_news {
            self.changed.notify_all();
        }
    }

    pub(crate) fn stop(&self) {
        self.state.lock().stop = true;
        self.changed.notify_all();
    }

    /// Waits until there is something to do, for so long at most.
    pub(crate) fn wait(&self, longest: Duration) -> Woken {
        let until = Instant::now() + longest;
        let mut state = self.state.lock();
        while !state.rung && !state.stop && !self.changed.wait_until(&mut state, until).timed_out() {}
        state.urgent = false;
        match (state.stop, std::mem::take(&mut state.rung)) {
            (true, _) => Woken::Stopped,
            (false, true) => Woken::Rung,
            (false, false) => Woken::Idle,
        }
    }

    /// Waits for a while, or for the end; not so long if something is urgent, unless that would be `in_vain`.
    pub(crate) fn pause(&self, pause: Duration, in_vain: bool) {
        let until = Instant::now() + pause;
        let mut state = self.state.lock();
        while !state.stop && (in_vain || !state.urgent) {
            if self.changed.wait_until(&mut state, until).timed_out() {
                return;
            }
        }
    }
}
