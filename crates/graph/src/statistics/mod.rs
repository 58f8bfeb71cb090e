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
mod survey;

pub(crate) use survey::Scrutiny;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, RwLock};

use crate::core::Core;
use crate::error::{GraphError, Result};
use crate::model::{
    Counts, DegreeHistogram, DegreeTable, Dir, EdgeLabelId, Index, IndexState, ValueStatistics, ValueTable,
    VertexLabelId,
};
use crate::read::Snapshot;

/// What is known about a graph, as of some commit.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    epoch: u64,
    counts: Counts,
    degrees: DegreeTable,
    values: ValueTable,
}

impl Statistics {
    /// Grows by one whenever something has moved so far that plans may be made differently.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// How many edges of a label, one way, the vertices of a label have. `None` if that is not known: the graph comes
    /// from a version that kept no statistics, and was not analyzed since.
    pub fn degree(&self, vertex: VertexLabelId, edge: EdgeLabelId, dir: Dir) -> Option<DegreeHistogram> {
        Some(self.degrees.known()?.get(&(vertex, edge, dir)).cloned().unwrap_or_default())
    }

    /// The histograms that there are, in no order. `None` as for [`Statistics::degree`].
    pub fn each_degree(
        &self,
    ) -> Option<impl Iterator<Item = (VertexLabelId, EdgeLabelId, Dir, &DegreeHistogram)>> {
        let known = self.degrees.known()?;
        Some(known.iter().map(|((vertex, edge, dir), histogram)| (*vertex, *edge, *dir, histogram)))
    }

    /// All histograms that have edges, ascending by vertex label, edge label and direction.
    pub fn degrees(&self) -> Vec<(VertexLabelId, EdgeLabelId, Dir, DegreeHistogram)> {
        let known = self.degrees.known().into_iter().flatten();
        let all = known.map(|((vertex, edge, dir), histogram)| (*vertex, *edge, *dir, histogram.clone()));
        let mut all: Vec<_> = all.filter(|(.., histogram)| histogram.edges() > 0).collect();
        all.sort_by_key(|(vertex, edge, dir, _)| (*vertex, *edge, *dir));
        all
    }

    /// Whether the histograms of degrees are exact, and not only nearly so.
    pub fn degrees_are_exact(&self) -> bool {
        self.degrees.is_exact()
    }

    /// How the values under an index are distributed, if somebody has looked.
    pub fn values(&self, index: &Index) -> Option<&ValueStatistics> {
        self.values.get(&index.number).map(|values| &**values)
    }

    /// Whether some number is not nearly what it was.
    fn is_outdated(&self, counts: &Counts) -> bool {
        self.counts.vertices.differs_by(&counts.vertices, has_moved)
            || self.counts.edges.differs_by(&counts.edges, has_moved)
    }
}

/// Numbers that differ by less than this are alike: whatever is planned for them is done at once.
const NEGLIGIBLE: u64 = 32;

/// Whether a number has moved by a factor of two.
fn has_moved(old: u64, new: u64) -> bool {
    new > 2 * old + NEGLIGIBLE || old > 2 * new + NEGLIGIBLE
}

/// The statistics of an open graph, but for the degrees: the writer has them.
#[derive(Default)]
pub(crate) struct Known {
    published: RwLock<Arc<Statistics>>,
    values: Mutex<ValueTable>,
    /// Whether the worker has been asked to look through indexes.
    surveying: AtomicBool,
    /// Held by whoever analyzes, one at a time.
    analyzing: Mutex<()>,
}

impl Known {
    /// What a checkpoint brought.
    pub(crate) fn restored(values: ValueTable) -> Self {
        Self { values: Mutex::new(values), ..Self::default() }
    }

    /// Notes what a look through an index has found, unless somebody who analyzed has found more meanwhile.
    fn learn(&self, index: u32, found: ValueStatistics) {
        let mut values = self.values.lock();
        if values.get(&index).is_none_or(|known| has_moved(known.vertices(), found.vertices())) {
            values.insert(index, Arc::new(found));
        }
    }

    /// The values as they are to be stored.
    pub(crate) fn values(&self) -> ValueTable {
        self.values.lock().clone()
    }
}

impl Core {
    /// What is known; published anew first, if that is long ago.
    pub(crate) fn statistics(&self) -> Arc<Statistics> {
        let published = Arc::clone(&self.known.published.read());
        if published.epoch > 0 && !published.is_outdated(&self.counts.newest()) {
            return published;
        }
        // Who applies a commit right now may take a while, and a plan need not be the best one.
        match self.writer.try_lock() {
            Some(writer) => self.publish_statistics(&writer.degrees),
            None => published,
        }
    }

    /// Publishes what is known now, and asks for a look at indexes that have become much larger or smaller. The writer
    /// must be held.
    pub(crate) fn publish_statistics(&self, degrees: &DegreeTable) -> Arc<Statistics> {
        let counts = Counts::clone(&self.counts.newest());
        self.request_surveys(&counts);
        let values = self.known.values();
        let mut published = self.known.published.write();
        let epoch = published.epoch + 1;
        *published = Arc::new(Statistics { epoch, counts, degrees: degrees.clone(), values });
        Arc::clone(&published)
    }

    /// Indexes that are ready and about which nothing is known, or something that is not true any more.
    fn unknown_indexes(&self, counts: &Counts) -> Vec<Index> {
        let values = self.known.values.lock();
        let is_unknown = |index: &&Index| {
            let vertices = counts.vertices(Some(index.definition.label));
            index.state == IndexState::Ready
                && values.get(&index.number).is_none_or(|known| has_moved(known.vertices(), vertices))
        };
        self.catalog().indexes().iter().filter(is_unknown).cloned().collect()
    }

    fn request_surveys(&self, counts: &Counts) {
        if !self.unknown_indexes(counts).is_empty() && !self.known.surveying.swap(true, Ordering::AcqRel) {
            self.indexing.add_survey();
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
        let writer = self.writer.lock();
        self.publish_statistics(&writer.degrees);
    }

    /// Keeps what was found out about indexes that are there, and of those only.
    pub(crate) fn set_values(&self, mut values: ValueTable) {
        let catalog = self.catalog();
        values.retain(|number, _| catalog.indexes().iter().any(|index| index.number == *number));
        *self.known.values.lock() = values;
    }
}

impl Snapshot {
    /// What is known about the graph, from some moment not long before this snapshot or after it: for plans, which are
    /// right whatever it says.
    pub fn statistics(&self) -> Arc<Statistics> {
        self.core().statistics()
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

impl crate::graph::Graph {
    /// What is known as of the last commit, published anew. It waits for the writer, and plans are made again: for people
    /// and tests; for plans there is [`Snapshot::statistics`].
    pub fn current_statistics(&self) -> Arc<Statistics> {
        let writer = self.core().writer.lock();
        self.core().publish_statistics(&writer.degrees)
    }

    /// Counts every degree, and every value of every index that is ready, as of now and while reads and writes go on. What
    /// commits change of the degrees meanwhile is counted in. The result is stored.
    ///
    /// # Errors
    /// If something cannot be read, or the result not be stored.
    pub fn analyze(&self, progress: &mut dyn FnMut(AnalyzeProgress)) -> Result<Arc<Statistics>, GraphError> {
        self.core().analyze(progress)
    }
}
