//! The life of an index: declared, built while writes go on, ready, dropped, gone.
//!
//! ```text
//!  declare ─▶ building ──────────────────────────────────▶ ready ──▶ dropped ──▶ reclaimed
//!             │ every commit maintains it                  │ asked   │ not maintained; who still holds an
//!             │ a thread adds what was there before        │ by      │ older catalog may ask it
//!             │ unique: looks for duplicates               │ plans   └ until nobody does, then it is deleted
//! ```
//!
//! * *Declaring* commits the definition and refuses, as by a conflict, the transactions that began before and write:
//!   whatever commits after it has put its values under the index's units ([`crate::model::index_key`]).
//! * *Building* reads one column of one block at a time, under no lock, and adds the entries to the partitions, a
//!   partition at a time under the writer's lock. An entry that has become stale meanwhile does no harm: entries are a
//!   superset, and readers compare.
//! * *Ready* is published after a flush, so that no crash finds a ready index without its entries. After a crash an
//!   index that was being built is built again.
//! * A snapshot is never older than the catalog it carries, so who finds an index ready needs nothing that was
//!   overwritten before that.
//!
//! It must never know how an index is read: that is the reader's.

mod build;
mod declare;
mod duplicates;
mod fill;
mod reclaim;
mod turns;
mod worker;

pub(crate) use turns::in_turns;
pub(crate) use worker::IndexWorker;

use std::collections::BTreeMap;

use parking_lot::{Condvar, Mutex};
use values::Value;

use crate::error::GraphError;
use crate::model::{IndexDescription, IndexState};

/// How far an index is.
#[derive(Clone, Debug)]
pub struct IndexStatus {
    /// Which index.
    pub index: IndexDescription,
    /// Whether it may be asked. An index whose building failed stays in the state of being built.
    pub state: IndexState,
    /// The part of the blocks that has been looked at, from 0 to 1.
    pub progress: f64,
    /// Why building it failed, if it did. A unique index over values that are not unique is dropped again; it is
    /// listed until it is declared again.
    pub failure: Option<GraphError>,
}

impl IndexStatus {
    /// As a map: the fields of [`IndexDescription::to_value`], `state`, `progress` and perhaps `failure`.
    pub fn to_value(&self) -> Value {
        let mut map = self.index.to_value().as_map().cloned().unwrap_or_default();
        let state = match (self.state, &self.failure) {
            (IndexState::Ready, _) => "ready",
            (IndexState::Building, None) => "building",
            (IndexState::Building, Some(_)) => "failed",
        };
        map.insert("state", state);
        map.insert("progress", self.progress);
        if let Some(failure) = &self.failure {
            map.insert("failure", failure.to_string());
        }
        map.into()
    }
}

/// What is known about indexes that are not simply ready.
#[derive(Default)]
pub(crate) struct Indexing {
    state: Mutex<State>,
    /// Told whenever the state changes.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    tasks: std::collections::VecDeque<Task>,
    /// Whether a task is being done.
    works: bool,
    /// What is being built; it may have left the catalog already, if that has failed.
    building: Option<IndexDescription>,
    /// By number: blocks looked at, and blocks in all.
    progress: BTreeMap<u32, (usize, usize)>,
    failures: BTreeMap<IndexDescription, GraphError>,
    stop: bool,
}

/// What the worker has to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Task {
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
    fn add(&self, task: Task) {
        self.state.lock().tasks.push_back(task);
        self.changed.notify_all();
    }

    /// Has the worker look through the indexes about which too little is known.
    pub(crate) fn add_survey(&self) {
        self.add(Task::Survey);
    }

    fn set_progress(&self, number: u32, done: usize, total: usize) {
        self.state.lock().progress.insert(number, (done, total));
    }

    fn begin(&self, description: &IndexDescription) {
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
    fn end(&self, number: u32, failure: Option<(IndexDescription, GraphError)>) {
        let mut state = self.state.lock();
        state.progress.remove(&number);
        state.building = None;
        state.failures.extend(failure);
        self.changed.notify_all();
    }

    fn is_stopping(&self) -> bool {
        self.state.lock().stop
    }
}
