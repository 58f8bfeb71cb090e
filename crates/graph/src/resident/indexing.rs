//! How far indexes are, and what is still to be done for them.

use crate::error::GraphError;
use crate::model::IndexDescription;
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeMap;
use std::time::Duration;

/// How long to wait before looking again whether an index that was dropped is still asked.
const AGAIN: Duration = Duration::from_millis(50);

/// What is known about indexes that are not simply ready.
#[derive(Default)]
pub(crate) struct Indexing {
    state: Mutex<State>,
    /// Told whenever the state changes.
    changed: Condvar,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) tasks: std::collections::VecDeque<Task>,
    /// Whether a task is being done.
    works: bool,
    /// What is being built; it may have left the catalog already, if that has failed.
    pub(crate) building: Option<IndexDescription>,
    /// By number: blocks looked at, and blocks in all.
    pub(crate) progress: BTreeMap<u32, (usize, usize)>,
    pub(crate) failures: BTreeMap<IndexDescription, GraphError>,
    stop: bool,
}

/// What the worker has to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Task {
    /// Build the index with this number.
    Build(u32),
    /// Look through the indexes about which too little is known.
    Survey,
    /// Log that the index with this number is no more, and reclaim it.
    Forget(u32),
    /// Delete what is stored of the index with this number, once no snapshot before this stamp is left.
    Reclaim(u32, crate::model::Tick),
}

impl Indexing {
    pub(crate) fn add(&self, task: Task) {
        self.state.lock().tasks.push_back(task);
        self.changed.notify_all();
    }

    pub(crate) fn set_progress(&self, number: u32, done: usize, total: usize) {
        self.state.lock().progress.insert(number, (done, total));
    }

    pub(crate) fn begin(&self, description: &IndexDescription) {
        self.state.lock().building = Some(description.clone());
    }

    /// Waits until nothing is left to build.
    pub(crate) fn await_all(&self) {
        let mut state = self.state.lock();
        let builds = |task: &Task| matches!(task, Task::Build(_));
        while !state.stop && (state.works || state.tasks.iter().any(builds)) {
            self.changed.wait(&mut state);
        }
    }

    /// Notes how building ended, and tells who waits for it.
    pub(crate) fn end(&self, number: u32, failure: Option<(IndexDescription, GraphError)>) {
        let mut state = self.state.lock();
        state.progress.remove(&number);
        state.building = None;
        state.failures.extend(failure);
        self.changed.notify_all();
    }

    /// Looks at how far indexes are at one moment.
    pub(crate) fn look<R>(&self, look: impl FnOnce(&State) -> R) -> R {
        look(&self.state.lock())
    }

    /// Waits until `look` finds something; it looks again whenever the state has changed.
    pub(crate) fn await_that<R>(&self, look: impl Fn(&State) -> Option<R>) -> R {
        let mut state = self.state.lock();
        loop {
            if let Some(found) = look(&state) {
                return found;
            }
            self.changed.wait(&mut state);
        }
    }

    /// Forgets that building an index has failed; whether it had.
    pub(crate) fn forget_failure(&self, description: &IndexDescription) -> bool {
        self.state.lock().failures.remove(description).is_some()
    }

    /// Forgets how far an index is, which `remove` takes out of the catalog, and notes why if that is for a failure: at one moment.
    pub(crate) fn forget(
        &self,
        number: u32,
        failure: Option<(IndexDescription, GraphError)>,
        remove: impl FnOnce(),
    ) {
        let mut state = self.state.lock();
        remove();
        state.progress.remove(&number);
        state.failures.extend(failure);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.state.lock().stop
    }

    /// The next task; none when the graph is being closed.
    pub(crate) fn next(&self) -> Option<Task> {
        let mut state = self.state.lock();
        loop {
            if state.stop {
                return None;
            }
            if let Some(task) = state.tasks.pop_front() {
                state.works = true;
                return Some(task);
            }
            self.changed.wait(&mut state);
        }
    }

    /// A task is done.
    pub(crate) fn rest(&self) {
        self.state.lock().works = false;
        self.changed.notify_all();
    }

    /// Puts a task behind the others, after a while or when there is something new.
    pub(crate) fn postpone(&self, task: Task) {
        let mut state = self.state.lock();
        let waits = |task: &Task| matches!(task, Task::Reclaim(..) | Task::Forget(_));
        if state.tasks.iter().all(waits) && !state.stop {
            self.changed.wait_for(&mut state, AGAIN);
        }
        state.tasks.push_back(task);
    }

    pub(crate) fn stop(&self) {
        self.state.lock().stop = true;
        self.changed.notify_all();
    }
}
