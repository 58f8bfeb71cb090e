//! Statistics: what the planner, and people, can know about a graph without looking at it.
//!
//! ```text
//!  counts (model/counts.rs)  exact, with every commit
//!  degrees ── the writer, as a degree crosses a power of two ─┐
//!  values ─── a thread looks through an index ────────────────┼─▶ Statistics ─▶ plans
//!             when it is ready, or twice as large ────────────┤    epoch
//!  analyze ── all of it exactly, on request ──────────────────┘
//! ```
//!
//! * *Published* ([`Statistics`]) is one consistent set with a number, its epoch. Plans are kept by it, so it changes only
//!   when some number has moved by a factor of two, or somebody has analyzed: a graph that grows to a million vertices one
//!   by one has its plans made some fifteen times again. Every number is compared with the published one and not with a
//!   fixed bound, so one that goes to and fro changes nothing.
//! * *Stored* beside the checkpoint and in the same batch, so what is read at opening is as of the stamp from which the log
//!   is replayed, and replaying keeps it up.
//! * *Never part of an answer*: whatever they say, and whether or not they could be read, a plan is right.
//!
//! It must never know what a plan makes of them.

mod analyze;
mod layout;
mod sizes;
mod survey;

pub use layout::{SectionKind, SectionSizes};
pub use sizes::GraphStats;
pub(crate) use survey::Scrutiny;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::model::{Counts, DegreeTable, Index, IndexState, Statistics, ValueTable};
use crate::read::Snapshot;
use crate::resident::{Memory, Task};

impl Memory {
    /// What is known; published anew first, if that is long ago.
    pub(crate) fn statistics(&self) -> Arc<Statistics> {
        let published = self.known.published();
        if published.epoch > 0 && !published.is_outdated(&self.counts.newest()) {
            return published;
        }
        // Who applies a commit right now may take a while, and a plan need not be the best one.
        match self.try_lock_writer() {
            Some(writer) => self.publish_statistics(&writer.degrees),
            None => published,
        }
    }

    /// Publishes what is known now, and asks for a look at indexes that have become much larger or smaller. The writer
    /// must be held.
    pub(crate) fn publish_statistics(&self, degrees: &DegreeTable) -> Arc<Statistics> {
        let counts = Counts::clone(&self.counts.newest());
        self.request_surveys(&counts);
        self.known.publish(counts, degrees.clone())
    }

    /// Indexes that are ready and about which nothing is known, or something that is not true any more.
    fn unknown_indexes(&self, counts: &Counts) -> Vec<Index> {
        let is_unknown = |index: &&Index| {
            let vertices = counts.vertices(Some(index.definition.label));
            index.state == IndexState::Ready && !self.known.knows(index.number, vertices)
        };
        self.catalog().indexes().iter().filter(is_unknown).cloned().collect()
    }

    fn request_surveys(&self, counts: &Counts) {
        if !self.unknown_indexes(counts).is_empty() && !self.known.surveying.swap(true, Ordering::AcqRel) {
            self.indexing.add(Task::Survey);
        }
    }

    /// Looks through the indexes about which too little is known.
    pub(crate) fn survey_indexes(&self) {
        self.known.surveying.store(false, Ordering::Release);
        let counts = self.counts.newest();
        let unknown = self.unknown_indexes(&counts);
        if unknown.is_empty() {
            return;
        }
        for index in &unknown {
            let vertices = counts.vertices(Some(index.definition.label));
            match self.survey(index, vertices, Scrutiny::Estimate) {
                Ok(values) => self.known.learn(index.number, values),
                // Plans do without.
                Err(error) => {
                    tracing::warn!(index = index.number, %error, "an index could not be looked through")
                }
            }
        }
        let writer = self.lock_writer();
        self.publish_statistics(&writer.degrees);
    }

    /// Keeps what was found out about indexes that are there, and of those only.
    pub(crate) fn set_values(&self, mut values: ValueTable) {
        let catalog = self.catalog();
        values.retain(|number, _| catalog.indexes().iter().any(|index| index.number == *number));
        self.known.restore(values);
    }
}

impl Snapshot {
    /// What is known about the graph, from some moment not long before this snapshot or after it: for plans, which are
    /// right whatever it says.
    pub fn statistics(&self) -> Arc<Statistics> {
        self.memory().statistics()
    }
}

/// How far [`crate::graph::Graph::analyze`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AnalyzeProgress {
    /// Vertices that were looked at.
    pub done: u64,
    /// Vertices in all.
    pub total: u64,
}
