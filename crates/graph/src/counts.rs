//! How many vertices and edges there are, as of every commit.

use std::sync::Arc;

use parking_lot::RwLock;

use crate::{EdgeLabelId, Tick, VertexLabelId};

/// Vertices and edges per label, by label id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) vertices: Vec<u64>,
    pub(crate) edges: Vec<u64>,
}

impl Counts {
    pub(crate) fn vertices(&self, label: Option<VertexLabelId>) -> u64 {
        count(&self.vertices, label.map(VertexLabelId::index))
    }

    pub(crate) fn edges(&self, label: Option<EdgeLabelId>) -> u64 {
        count(&self.edges, label.map(EdgeLabelId::index))
    }

    pub(crate) fn change_vertices(&mut self, label: VertexLabelId, by: i64) {
        change(&mut self.vertices, label.index(), by);
    }

    pub(crate) fn change_edges(&mut self, label: EdgeLabelId, by: i64) {
        change(&mut self.edges, label.index(), by);
    }
}

fn count(counts: &[u64], label: Option<usize>) -> u64 {
    match label {
        Some(label) => counts.get(label).copied().unwrap_or(0),
        None => counts.iter().sum(),
    }
}

fn change(counts: &mut Vec<u64>, label: usize, by: i64) {
    if counts.len() <= label {
        counts.resize(label + 1, 0);
    }
    counts[label] = counts[label].saturating_add_signed(by);
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
