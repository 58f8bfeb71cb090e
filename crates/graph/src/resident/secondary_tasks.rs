//! What the threads that build secondary trees have to do.

use crate::sections::TreeName;
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Periods are at least and at most so long.
pub(crate) const SHORTEST_PERIOD: Duration = Duration::from_millis(1);

pub(crate) const LONGEST_PERIOD: Duration = Duration::from_secs(86_400);

/// What the threads have to do.
#[derive(Default)]
pub(crate) struct Tasks {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<TreeTask>,
    period: Option<Instant>,
    stop: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TreeTask {
    Build(TreeName),
    Drop(TreeName),
    /// The period has ended.
    Decide,
}

impl Tasks {
    pub(crate) fn begin_period(&self) {
        self.state.lock().period = Some(Instant::now());
    }

    pub(crate) fn stop(&self) {
        self.state.lock().stop = true;
        self.changed.notify_all();
    }

    /// Whether the graph is being closed.
    pub(crate) fn is_stopping(&self) -> bool {
        self.state.lock().stop
    }

    pub(crate) fn add(&self, tasks: impl IntoIterator<Item = TreeTask>) {
        let mut state = self.state.lock();
        for task in tasks {
            if !state.queue.contains(&task) {
                state.queue.push_back(task);
            }
        }
        self.changed.notify_all();
    }

    /// The next task; none when the graph is being closed.
    pub(crate) fn next(&self, period: Duration) -> Option<TreeTask> {
        let mut state = self.state.lock();
        loop {
            if state.stop {
                return None;
            }
            let now = Instant::now();
            let period = period.clamp(SHORTEST_PERIOD, LONGEST_PERIOD);
            let end = state.period.unwrap_or(now) + period;
            if now >= end {
                state.period = Some(now);
                return Some(TreeTask::Decide);
            }
            if let Some(task) = state.queue.pop_front() {
                return Some(task);
            }
            self.changed.wait_until(&mut state, end);
        }
    }
}
