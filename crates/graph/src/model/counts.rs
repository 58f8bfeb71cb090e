//! How many vertices and edges there are, as of every commit.

use std::sync::Arc;

use parking_lot::RwLock;

use super::Tick;
use super::names::{EdgeLabelId, VertexLabelId};

/// Labels of a part.
const PART: usize = 256;

/// Numbers by label id. A copy shares the parts that it does not change, so a commit does not copy what is known of all labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByLabel {
    /// All but the last are full.
    parts: Vec<Arc<Vec<u64>>>,
    total: u64,
}

impl ByLabel {
    pub(crate) fn get(&self, label: usize) -> u64 {
        self.parts.get(label / PART).and_then(|part| part.get(label % PART)).copied().unwrap_or(0)
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = u64> {
        let len = self.parts.last().map_or(0, |last| (self.parts.len() - 1) * PART + last.len());
        (0..len).map(|label| self.get(label))
    }

    fn change(&mut self, label: usize, by: i64) {
        while self.parts.len() <= label / PART {
            if let Some(last) = self.parts.last_mut() {
                Arc::make_mut(last).resize(PART, 0);
            }
            self.parts.push(Arc::default());
        }
        let part = Arc::make_mut(&mut self.parts[label / PART]);
        if part.len() <= label % PART {
            part.resize(label % PART + 1, 0);
        }
        let before = part[label % PART];
        part[label % PART] = before.saturating_add_signed(by);
        self.total = self.total - before + part[label % PART];
    }

    /// Whether the numbers of some label are so, here and in `other`. Parts that both share are not looked at.
    pub(crate) fn differs_by(&self, other: &Self, so: impl Fn(u64, u64) -> bool) -> bool {
        let number = |part: Option<&Arc<Vec<u64>>>, label: usize| {
            part.and_then(|part| part.get(label)).copied().unwrap_or_default()
        };
        (0..self.parts.len().max(other.parts.len())).any(|n| {
            let (a, b) = (self.parts.get(n), other.parts.get(n));
            let shared = matches!((a, b), (Some(a), Some(b)) if Arc::ptr_eq(a, b));
            let len = a.map_or(0, |part| part.len()).max(b.map_or(0, |part| part.len()));
            !shared && (0..len).any(|label| so(number(a, label), number(b, label)))
        })
    }
}

impl FromIterator<u64> for ByLabel {
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> Self {
        let numbers: Vec<u64> = numbers.into_iter().collect();
        let total = numbers.iter().fold(0, |total: u64, number| total.saturating_add(*number));
        Self { parts: numbers.chunks(PART).map(|part| Arc::new(part.to_vec())).collect(), total }
    }
}

/// Vertices and edges per label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) vertices: ByLabel,
    pub(crate) edges: ByLabel,
}

impl Counts {
    pub(crate) fn vertices(&self, label: Option<VertexLabelId>) -> u64 {
        label.map_or(self.vertices.total, |label| self.vertices.get(label.index()))
    }

    pub(crate) fn edges(&self, label: Option<EdgeLabelId>) -> u64 {
        label.map_or(self.edges.total, |label| self.edges.get(label.index()))
    }

    pub(crate) fn change_vertices(&mut self, label: VertexLabelId, by: i64) {
        self.vertices.change(label.index(), by);
    }

    pub(crate) fn change_edges(&mut self, label: EdgeLabelId, by: i64) {
        self.edges.change(label.index(), by);
    }
}

/// The counts of the last two commits: the one that readers see and, while the writer publishes, the next.
pub(crate) struct PublishedCounts {
    last: RwLock<[(Tick, Arc<Counts>); 2]>,
}

impl PublishedCounts {
    pub(crate) fn new(tick: Tick, counts: Counts) -> Self {
        let counts = Arc::new(counts);
        Self { last: RwLock::new([(tick, Arc::clone(&counts)), (tick, counts)]) }
    }

    /// The counts after the commit at `tick`, unless two later ones were published meanwhile.
    pub(crate) fn at(&self, tick: Tick) -> Option<Arc<Counts>> {
        let last = self.last.read();
        last.iter().rev().find(|(published, _)| *published == tick).map(|(_, counts)| Arc::clone(counts))
    }

    /// The newest counts.
    pub(crate) fn newest(&self) -> Arc<Counts> {
        Arc::clone(&self.last.read()[1].1)
    }

    /// Publishes the counts after the commit at `tick`; call it before the commit becomes visible.
    pub(crate) fn publish(&self, tick: Tick, counts: Arc<Counts>) {
        let mut last = self.last.write();
        last.swap(0, 1);
        last[1] = (tick, counts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_many_labels_are_kept_in_parts_that_copies_share() {
        let mut counts = Counts::default();
        for label in [700, 3, 255, 256, 700] {
            counts.change_vertices(VertexLabelId(label), 2);
        }
        counts.change_vertices(VertexLabelId(3), -1);
        let at = |label| counts.vertices(Some(VertexLabelId(label)));
        assert_eq!([at(3), at(255), at(256), at(700), at(701), at(9_999)], [1, 2, 2, 4, 0, 0]);
        assert_eq!((counts.vertices(None), counts.vertices.iter().len()), (9, 701));
        assert_eq!(counts.vertices.iter().collect::<ByLabel>(), counts.vertices);
        let mut copy = counts.clone();
        copy.change_vertices(VertexLabelId(300), 5);
        assert!(counts.vertices.differs_by(&copy.vertices, |a, b| (a, b) == (0, 5)));
        assert!(!counts.vertices.differs_by(&copy.vertices, |a, b| a > b));
        let shared =
            counts.vertices.parts.iter().zip(&copy.vertices.parts).filter(|(a, b)| Arc::ptr_eq(a, b));
        assert_eq!(shared.count(), 2);
    }
}
