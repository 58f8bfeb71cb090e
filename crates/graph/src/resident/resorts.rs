//! Lists that are on their way into another order: what is known of them while the graph is open.

use super::building::Building;
use super::orders::{Orders, Turn};
use crate::model::{EdgeLabelId, Tick};
use crate::sections::TreeName;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// What is known of lists that are on their way into another order.
#[derive(Default)]
pub(crate) struct Resorts {
    pub(crate) orders: Arc<Orders>,
    /// The tree that is being built, if one is.
    pub(crate) building: Building,
    /// Trees that have a former root, and the last snapshot that reads it.
    formers: Mutex<Vec<(TreeName, Tick)>>,
    /// How far each label is.
    sweeps: Mutex<BTreeMap<EdgeLabelId, Sweep>>,
    /// Held by whoever sweeps: one at a time.
    sweeping: Mutex<()>,
    tasks: Mutex<Tasks>,
    /// Told whenever there is something to do.
    changed: Condvar,
}

#[derive(Default)]
struct Tasks {
    /// Something has changed since the thread looked last.
    is_new: bool,
    stop: bool,
}

impl Resorts {
    /// Whether lists of a label are on their way into another order.
    pub(crate) fn is_turning(&self, label: EdgeLabelId) -> bool {
        self.orders.newest(label).is_some()
    }

    /// Waits until nobody sweeps, and lets nobody until the guard is dropped.
    pub(crate) fn hold_sweeps(&self) -> MutexGuard<'_, ()> {
        self.sweeping.lock()
    }

    /// How far a label is on its way into this turn, if anybody has begun.
    pub(crate) fn sweep(&self, label: EdgeLabelId, turn: Turn) -> Option<Sweep> {
        self.sweeps.lock().get(&label).filter(|sweep| sweep.turn == turn).cloned()
    }

    pub(crate) fn note_sweep(&self, label: EdgeLabelId, sweep: Sweep) {
        self.sweeps.lock().insert(label, sweep);
    }

    /// A tree has a former root, which snapshots up to `until` read.
    pub(crate) fn note_former(&self, name: TreeName, until: Tick) {
        self.formers.lock().push((name, until));
    }

    /// Trees that have a former root, and the last snapshot that reads it.
    pub(crate) fn formers(&self) -> Vec<(TreeName, Tick)> {
        self.formers.lock().clone()
    }

    pub(crate) fn forget_former(&self, name: TreeName) {
        self.formers.lock().retain(|(known, _)| *known != name);
    }

    /// The graph is being closed.
    pub(crate) fn stop(&self) {
        self.tasks.lock().stop = true;
        self.changed.notify_all();
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.tasks.lock().stop
    }

    /// Tells the thread that there is something to do.
    pub(crate) fn ring(&self) {
        self.tasks.lock().is_new = true;
        self.changed.notify_all();
    }

    /// Waits for so long, or until there is something new; false when the graph is being closed.
    pub(crate) fn rest(&self, pause: Option<Duration>) -> bool {
        let mut tasks = self.tasks.lock();
        while !tasks.stop && !tasks.is_new {
            match pause {
                None => self.changed.wait(&mut tasks),
                Some(pause) => {
                    self.changed.wait_for(&mut tasks, pause);
                    break;
                }
            }
        }
        tasks.is_new = false;
        !tasks.stop
    }
}

/// How far a label is.
#[derive(Clone, Debug)]
pub(crate) struct Sweep {
    pub(crate) turn: Turn,
    pub(crate) phase: Phase,
    /// Whether a snapshot was in the way when it was looked at last.
    pub(crate) waiting: bool,
    /// Sections that were gone through in this phase, and those there are.
    pub(crate) gone_through: (usize, usize),
}

/// What is being done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    Packed,
    Trees,
    /// All lists lie so for new snapshots.
    Formers,
    Done,
}

impl Sweep {
    /// The part that is done, from 0 to 1.
    pub(crate) fn progress(&self) -> f64 {
        let (done, all) = self.gone_through;
        let part = if all == 0 { 0.0 } else { done as f64 / all as f64 / 2.0 };
        match self.phase {
            Phase::Packed => part,
            Phase::Trees => 0.5 + part,
            Phase::Formers | Phase::Done => 1.0,
        }
    }
}
