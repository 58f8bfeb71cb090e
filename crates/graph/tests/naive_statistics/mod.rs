//! What statistics should say, found by looking at everything.

use std::collections::BTreeMap;

use graph::{DegreeHistogram, Dir, Direction, EdgeLabelId, Graph, ScanCursor, VertexLabelId, VertexRef};

pub type Degrees = BTreeMap<(VertexLabelId, EdgeLabelId, Dir), Summary>;

/// A histogram as one can see it from outside.
#[derive(Debug, PartialEq, Eq)]
pub struct Summary {
    edges: u64,
    buckets: BTreeMap<u64, u64>,
}

impl Summary {
    fn of(histogram: &DegreeHistogram) -> Self {
        Self { edges: histogram.edges(), buckets: histogram.buckets().collect() }
    }

    /// The largest degree that a vertex has at least.
    pub fn most(&self) -> u64 {
        self.buckets.last_key_value().map_or(0, |(least, _)| *least)
    }
}

fn vertices(graph: &Graph, label: VertexLabelId) -> Vec<VertexRef> {
    let mut found = Vec::new();
    let snapshot = graph.snapshot();
    while snapshot.reader().scan_vertices(Some(label), &mut ScanCursor::default(), usize::MAX, &mut found) {}
    found
}

/// What the graph knows. It may have published less: analyzing publishes without changing what is kept.
pub fn known_degrees(graph: &Graph) -> Degrees {
    let statistics = graph.current_statistics();
    statistics
        .degrees()
        .iter()
        .map(|(v, e, dir, histogram)| ((*v, *e, *dir), Summary::of(histogram)))
        .collect()
}

/// What there is.
pub fn counted_degrees(graph: &Graph) -> Degrees {
    let snapshot = graph.snapshot();
    let (reader, mut degrees) = (snapshot.reader(), Degrees::new());
    for (label, _) in snapshot.catalog().vertex_labels() {
        for v in vertices(graph, label) {
            for (edge, _) in snapshot.catalog().edge_labels() {
                for (dir, direction) in [(Dir::Out, Direction::Out), (Dir::In, Direction::In)] {
                    let degree = reader.degree(v, direction, &[edge]);
                    if degree > 0 {
                        let summary = degrees
                            .entry((label, edge, dir))
                            .or_insert_with(|| Summary { edges: 0, buckets: BTreeMap::new() });
                        summary.edges += degree;
                        *summary.buckets.entry(1 << degree.ilog2()).or_default() += 1;
                    }
                }
            }
        }
    }
    degrees
}

/// How many values there are, and how often each.
pub fn counted_values(graph: &Graph, label: &str, key: &str) -> (u64, BTreeMap<i32, u64>) {
    let snapshot = graph.snapshot();
    let (label, key) =
        (snapshot.catalog().vertex_label(label).unwrap(), snapshot.catalog().key(key).unwrap());
    let reader = snapshot.reader();
    let mut counts = BTreeMap::new();
    for v in vertices(graph, label) {
        if let Some(graph::Value::Int(value)) = reader.value(v, key) {
            *counts.entry(value).or_default() += 1;
        }
    }
    (counts.values().sum(), counts)
}
