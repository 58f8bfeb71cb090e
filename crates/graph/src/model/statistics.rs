//! What is known about a graph, as plain data.

use super::counts::Counts;
use super::degrees::{DegreeHistogram, DegreeTable};
use super::names::{Dir, EdgeLabelId, VertexLabelId};
use super::schema::Index;
use super::statistics_bytes::ValueTable;
use super::value_statistics::ValueStatistics;

/// What is known about a graph, as of some commit.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    pub(crate) epoch: u64,
    pub(crate) counts: Counts,
    pub(crate) degrees: DegreeTable,
    pub(crate) values: ValueTable,
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
    pub(crate) fn is_outdated(&self, counts: &Counts) -> bool {
        self.counts.vertices.differs_by(&counts.vertices, has_moved)
            || self.counts.edges.differs_by(&counts.edges, has_moved)
    }
}

/// Numbers that differ by less than this are alike: whatever is planned for them is done at once.
pub(crate) const NEGLIGIBLE: u64 = 32;

/// Whether a number has moved by a factor of two.
pub(crate) fn has_moved(old: u64, new: u64) -> bool {
    new > 2 * old + NEGLIGIBLE || old > 2 * new + NEGLIGIBLE
}
