//! How many edges vertices have: a histogram for each vertex label, edge label and direction.
//!
//! ```text
//! bucket    0   1    2     3  …  31
//! degree    1  2–3  4–7  8–15 …  2³¹ and more        vertices without such edges are in no bucket
//! ```
//!
//! The one writer keeps them as it applies commits: a change of a list moves its vertex only when its degree crosses a
//! power of two. Numbers may be negative for a while after a crash (see [`DegreeTable::is_exact`]); who asks sees none.

use rustc_hash::FxHashMap;

use super::names::{Dir, EdgeLabelId, VertexLabelId};

/// Buckets of a histogram: degrees have 32 bits.
const BUCKETS: usize = 32;

/// How many edges of one label, one way, the vertices of one label have.
#[derive(Clone, Debug, Default)]
pub struct DegreeHistogram {
    /// Edges of all vertices.
    edges: i64,
    /// Vertices by the power of two that their degree has reached, as far as one has reached any: a graph may have a histogram for each
    /// of very many labels, and most are short.
    buckets: Vec<i64>,
}

impl PartialEq for DegreeHistogram {
    fn eq(&self, other: &Self) -> bool {
        self.edges == other.edges && self.needed() == other.needed()
    }
}

impl Eq for DegreeHistogram {}

impl DegreeHistogram {
    /// The buckets up to the last one that is not empty.
    fn needed(&self) -> &[i64] {
        let end = self.buckets.iter().rposition(|vertices| *vertices != 0).map_or(0, |last| last + 1);
        &self.buckets[..end]
    }

    /// Makes room for so many buckets.
    fn grow(&mut self, buckets: usize) {
        if self.buckets.len() < buckets {
            self.buckets.reserve_exact(buckets - self.buckets.len());
            self.buckets.resize(buckets, 0);
        }
    }

    fn count(&mut self, bucket: usize, vertices: i64) {
        self.grow(bucket + 1);
        self.buckets[bucket] += vertices;
    }

    /// Counts a vertex with so many edges.
    pub(crate) fn add_vertex(&mut self, degree: u64) {
        self.edges += degree as i64;
        if let Some(bucket) = bucket_of(degree) {
            self.count(bucket, 1);
        }
    }

    /// A vertex that had so many edges has one more, or one less.
    #[inline]
    fn change(&mut self, before: u64, after: u64) {
        self.edges += after as i64 - before as i64;
        let (from, to) = (bucket_of(before), bucket_of(after));
        if from != to {
            from.into_iter().for_each(|bucket| self.count(bucket, -1));
            to.into_iter().for_each(|bucket| self.count(bucket, 1));
        }
    }

    /// Counts the vertices of another histogram as well, or (`sign` -1) no more.
    pub(crate) fn combine(&mut self, other: &Self, sign: i64) {
        self.edges += sign * other.edges;
        self.grow(other.buckets.len());
        self.buckets.iter_mut().zip(&other.buckets).for_each(|(own, other)| *own += sign * other);
    }

    /// The number of edges.
    pub fn edges(&self) -> u64 {
        self.edges.max(0) as u64
    }

    /// The number of vertices that have any.
    pub fn vertices(&self) -> u64 {
        self.buckets().map(|(_, vertices)| vertices).sum()
    }

    /// The smallest degree of each bucket and the number of vertices in it, those without vertices left out.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> {
        let vertices = self.buckets.iter().map(|vertices| (*vertices).max(0) as u64);
        vertices.enumerate().map(|(bucket, vertices)| (1 << bucket, vertices)).filter(|(_, n)| *n > 0)
    }

    /// The average number of edges of the vertices that have any; 0 if none has.
    pub fn average(&self) -> f64 {
        match self.vertices() {
            0 => 0.0,
            vertices => self.edges() as f64 / vertices as f64,
        }
    }

    /// The most edges that a vertex can have, as far as its bucket says; 0 if none has any.
    pub fn most(&self) -> u64 {
        self.buckets().last().map_or(0, |(least, _)| (2 * least - 1).min(self.edges().max(least)))
    }

    pub(crate) fn numbers(&self) -> impl ExactSizeIterator<Item = u64> {
        let numbers: Vec<u64> =
            [self.edges].iter().chain(self.needed()).map(|number| *number as u64).collect();
        numbers.into_iter()
    }

    pub(crate) fn from_numbers(numbers: &[u64]) -> Option<Self> {
        let (edges, buckets) = numbers.split_first()?;
        let is_one = buckets.len() <= BUCKETS;
        let buckets = || buckets.iter().map(|vertices| *vertices as i64).collect();
        is_one.then(|| Self { edges: *edges as i64, buckets: buckets() })
    }
}

/// The bucket of a degree; none for none.
#[inline]
fn bucket_of(degree: u64) -> Option<usize> {
    degree.checked_ilog2().map(|bucket| (bucket as usize).min(BUCKETS - 1))
}

/// Whose histogram it is: vertex label, edge label, direction.
pub(crate) type DegreeKey = (VertexLabelId, EdgeLabelId, Dir);

/// The histograms of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DegreeTable {
    pub(crate) histograms: FxHashMap<DegreeKey, DegreeHistogram>,
    /// Whether they are of the whole graph. Not so in a graph that an older version has written.
    pub(crate) is_known: bool,
    /// Whether every change was seen.
    pub(crate) is_exact: bool,
}

impl Default for DegreeTable {
    /// Those of an empty graph.
    fn default() -> Self {
        Self { histograms: FxHashMap::default(), is_known: true, is_exact: true }
    }
}

impl DegreeTable {
    /// Of a graph about which nothing is known.
    pub(crate) fn unknown() -> Self {
        Self { is_known: false, is_exact: false, ..Self::default() }
    }

    /// The histograms, if they are of the whole graph.
    pub(crate) fn known(&self) -> Option<&FxHashMap<DegreeKey, DegreeHistogram>> {
        self.is_known.then_some(&self.histograms)
    }

    /// Whether the numbers are exact. They are not once a crash has come between the sections of a flush and its
    /// checkpoint: some of the changes that are replayed are in the sections already, and what the degrees were before
    /// them is not known any more.
    pub(crate) fn is_exact(&self) -> bool {
        self.is_known && self.is_exact
    }

    /// A vertex has one edge more, or one less.
    #[inline]
    pub(crate) fn change(&mut self, key: DegreeKey, before: u64, after: u64) {
        self.histograms.entry(key).or_default().change(before, after);
    }

    /// A vertex has so many edges more, and how many it had is not known.
    pub(crate) fn miss(&mut self, key: DegreeKey, by: i64) {
        self.histogram(key).edges += by;
        self.is_exact = false;
    }

    /// The histogram to count a vertex in.
    pub(crate) fn histogram(&mut self, key: DegreeKey) -> &mut DegreeHistogram {
        self.histograms.entry(key).or_default()
    }

    /// Adds what has changed according to another table, which began empty.
    pub(crate) fn add(&mut self, changes: &Self) {
        self.combine(changes, 1);
        self.is_exact &= changes.is_exact;
    }

    /// Adds the numbers of another table, or (`sign` -1) takes them away.
    pub(crate) fn combine(&mut self, other: &Self, sign: i64) {
        for (key, histogram) in &other.histograms {
            self.histogram(*key).combine(histogram, sign);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: DegreeKey = (VertexLabelId(1), EdgeLabelId(2), Dir::In);

    #[test]
    fn a_vertex_is_in_the_bucket_of_its_degree_however_it_got_there() {
        let mut table = DegreeTable::default();
        for degree in 0..9 {
            table.change(KEY, degree, degree + 1);
        }
        for degree in [0, 1, 2] {
            table.change(KEY, degree, degree + 1);
        }
        let histogram = table.histogram(KEY).clone();
        assert_eq!(histogram.buckets().collect::<Vec<_>>(), [(2, 1), (8, 1)]);
        assert_eq!((histogram.edges(), histogram.vertices(), histogram.average()), (12, 2, 6.0));
        assert_eq!(histogram.most(), 12);
        for degree in (1..10).rev() {
            table.change(KEY, degree, degree - 1);
        }
        let mut counted = DegreeHistogram::default();
        counted.add_vertex(3);
        counted.add_vertex(0);
        assert_eq!(*table.histogram(KEY), counted);
    }

    #[test]
    fn what_changes_while_somebody_counts_is_added_to_what_he_found() {
        let mut kept = DegreeTable::unknown();
        kept.change(KEY, 7, 8);
        let when_counting_began = kept.clone();
        kept.change(KEY, 1, 0);
        kept.change(KEY, 3, 4);
        let mut counted = DegreeTable::default();
        [1, 3, 8].into_iter().for_each(|degree| counted.histogram(KEY).add_vertex(degree));
        counted.combine(&kept, 1);
        counted.combine(&when_counting_began, -1);
        let mut expected = DegreeTable::default();
        [0, 4, 8].into_iter().for_each(|degree| expected.histogram(KEY).add_vertex(degree));
        assert_eq!(counted, expected);
    }

    #[test]
    fn numbers_come_back() {
        let mut histogram = DegreeHistogram::default();
        [1, 5, 70_000, u64::from(u32::MAX)].into_iter().for_each(|degree| histogram.add_vertex(degree));
        let numbers: Vec<u64> = histogram.numbers().collect();
        assert_eq!(DegreeHistogram::from_numbers(&numbers), Some(histogram));
        assert_eq!(DegreeHistogram::from_numbers(&[0; BUCKETS + 2]), None);
        assert_eq!(DegreeHistogram::from_numbers(&[]), None);
    }
}
