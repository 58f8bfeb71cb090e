//! What is known about the lists of a graph, added up by what a plan asks for.

use graph::{Dir, EdgeLabelId, VertexLabelId};
use rustc_hash::FxHashMap;

/// Sums over the histograms of degrees. They are made once for a plan, in one pass over the lists that there are: of thousands
/// of vertex labels and thousands of edge labels few go together, and to ask about each pair takes seconds.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    edges: FxHashMap<(EdgeLabelId, Dir), Edges>,
    most: FxHashMap<(VertexLabelId, Dir), u64>,
}

/// Edges of one label, one way, from vertices of all labels.
#[derive(Clone, Copy, Debug, Default)]
struct Edges {
    edges: u64,
    vertices: u64,
}

impl Lists {
    /// `None` if nothing is known about the degrees of a graph.
    pub(crate) fn of(statistics: &graph::Statistics) -> Option<Self> {
        let mut lists = Self::default();
        for (vertex, edge, dir, histogram) in statistics.each_degree()? {
            let all = lists.edges.entry((edge, dir)).or_default();
            (all.edges, all.vertices) = (all.edges + histogram.edges(), all.vertices + histogram.vertices());
            *lists.most.entry((vertex, dir)).or_default() += histogram.most();
        }
        Some(lists)
    }

    /// Edges of a label per vertex that has any.
    pub(crate) fn degree(&self, edge: EdgeLabelId, dir: Dir) -> f64 {
        match self.edges.get(&(edge, dir)) {
            Some(Edges { edges, vertices }) if *vertices > 0 => *edges as f64 / *vertices as f64,
            _ => 0.0,
        }
    }

    /// The most edges of all labels together that one vertex of a label may have.
    pub(crate) fn most(&self, vertex: VertexLabelId, dir: Dir) -> u64 {
        self.most.get(&(vertex, dir)).copied().unwrap_or(0)
    }
}
