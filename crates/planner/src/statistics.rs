//! What the planner asks about how much there is of what.

use std::cell::OnceCell;
use std::sync::Arc;

use graph::{
    Dir, Direction, EdgeLabelId, Index, IndexKind, IndexState, KeyId, RangeQuery, ScanCursor, Snapshot,
    VertexLabelId,
};
use values::Value;

use crate::lists::Lists;
use crate::physical::{IndexedRange, Operand};
use crate::thresholds::RANGE_END_LEAVES;

/// Numbers that the planner's choices depend on. They may be out of date: a plan is right whatever they say.
pub trait Statistics {
    /// Changes whenever plans may have to be made differently.
    fn epoch(&self) -> u64 {
        0
    }
    /// Number of vertices of a label, or of all.
    fn vertices(&self, label: Option<VertexLabelId>) -> u64;
    /// Number of edges of a label, or of all.
    fn edges(&self, label: Option<EdgeLabelId>) -> u64;
    /// Average number of such edges, of the vertices that have any: 1 for what every vertex has one of.
    fn degree(&self, label: EdgeLabelId, dir: Dir) -> f64;
    /// The vertex labels, where it is known which edges their vertices have.
    fn vertex_labels(&self) -> Vec<VertexLabelId> {
        Vec::new()
    }
    /// Number of such edges of all the vertices of a label, and how many of these have any; `None` if not known.
    fn edges_of(&self, _vertex: VertexLabelId, _edge: EdgeLabelId, _dir: Dir) -> Option<(u64, u64)> {
        None
    }
    /// The most such edges that one vertex of a label may have, of all edge labels together if none is given; `None` if not
    /// known.
    fn most_edges(&self, _vertex: VertexLabelId, _edge: Option<EdgeLabelId>, _dir: Dir) -> Option<u64> {
        None
    }
    /// Vertices of a label that an equality index finds for a value, on average for one that is not known. `None` if
    /// nobody has looked.
    fn equal(&self, _label: VertexLabelId, _key: KeyId, _value: &Operand) -> Option<f64> {
        None
    }
    /// Vertices of a label that a range index finds. `None` if nobody has looked.
    fn range(&self, _label: VertexLabelId, _range: &IndexedRange) -> Option<f64> {
        None
    }
    /// Different values that the first keys of a range index have, one more than `equal` says. `None` if nobody has looked.
    fn distinct(&self, _label: VertexLabelId, _keys: &[KeyId], _equal: usize) -> Option<f64> {
        None
    }
}

/// What is known about the graph that a snapshot sees, and the values that one query has for a plan's parameters.
///
/// A plan is made for the values of the query that needs it first; see [`crate::PlanCache`] for the others.
pub struct Known<'a> {
    snapshot: &'a Snapshot,
    statistics: Arc<graph::Statistics>,
    params: &'a [Value],
    /// Made when a plan first asks for them.
    lists: OnceCell<Option<Lists>>,
}

impl<'a> Known<'a> {
    /// What is known now. `params` are the values of the parameters, as far as there are any.
    pub fn new(snapshot: &'a Snapshot, params: &'a [Value]) -> Self {
        Self { snapshot, statistics: snapshot.statistics(), params, lists: OnceCell::new() }
    }

    fn lists(&self) -> Option<&Lists> {
        self.lists.get_or_init(|| Lists::of(&self.statistics)).as_ref()
    }

    fn value<'v>(&'v self, operand: &'v Operand) -> Option<&'v Value> {
        match operand {
            Operand::Const(value) => Some(value),
            Operand::Param(number) => self.params.get(*number as usize),
            Operand::Slot(_) | Operand::SideEffect(_) => None,
        }
    }

    /// What is known about an index, and by what its entries have become more or fewer since.
    fn index(
        &self,
        label: VertexLabelId,
        keys: &[KeyId],
        is_range: bool,
    ) -> Option<(&graph::ValueStatistics, f64)> {
        let is_it = |index: &&Index| {
            index.definition.label == label
                && *index.definition.keys == *keys
                && (index.definition.kind == IndexKind::Range) == is_range
                && index.state == IndexState::Ready
        };
        let values = self.statistics.values(self.snapshot.catalog().indexes().iter().find(is_it)?)?;
        let vertices = self.snapshot.vertex_count(Some(label));
        Some((values, vertices as f64 / values.vertices().max(1) as f64))
    }
}

impl Statistics for Known<'_> {
    fn epoch(&self) -> u64 {
        self.statistics.epoch()
    }

    fn vertices(&self, label: Option<VertexLabelId>) -> u64 {
        self.snapshot.vertex_count(label)
    }

    fn edges(&self, label: Option<EdgeLabelId>) -> u64 {
        self.snapshot.edge_count(label)
    }

    fn degree(&self, label: EdgeLabelId, dir: Dir) -> f64 {
        match self.lists() {
            Some(lists) => lists.degree(label, dir),
            None => sampled_degree(self.snapshot, label, dir),
        }
    }

    fn vertex_labels(&self) -> Vec<VertexLabelId> {
        self.snapshot.catalog().vertex_labels().map(|(label, _)| label).collect()
    }

    fn edges_of(&self, vertex: VertexLabelId, edge: EdgeLabelId, dir: Dir) -> Option<(u64, u64)> {
        let histogram = self.statistics.degree(vertex, edge, dir)?;
        Some((histogram.edges(), histogram.vertices()))
    }

    fn most_edges(&self, vertex: VertexLabelId, edge: Option<EdgeLabelId>, dir: Dir) -> Option<u64> {
        match edge {
            Some(edge) => Some(self.statistics.degree(vertex, edge, dir)?.most()),
            None => Some(self.lists()?.most(vertex, dir)),
        }
    }

    fn equal(&self, label: VertexLabelId, key: KeyId, value: &Operand) -> Option<f64> {
        let (values, growth) = self.index(label, &[key], false)?;
        Some(values.equal(self.value(value)) * growth)
    }

    fn range(&self, label: VertexLabelId, range: &IndexedRange) -> Option<f64> {
        let (values, growth) = self.index(label, &range.keys, true)?;
        let equal: Option<Vec<Value>> =
            range.equal.iter().map(|operand| self.value(operand).cloned()).collect();
        let ends = [&range.low, &range.high];
        let known = ends.map(|end| end.as_ref().and_then(|operand| self.value(operand)));
        let all_known = ends.iter().zip(&known).all(|(end, value)| end.is_some() == value.is_some());
        let found = equal.filter(|_| all_known).and_then(|equal| {
            let [low, high] = known;
            values.range(RangeQuery { label, keys: &range.keys, equal: &equal, low, high })
        });
        let ends = ends.iter().filter(|end| end.is_some()).count();
        let guess = || values.equal_keys(range.equal.len()) * RANGE_END_LEAVES.powi(ends as i32);
        Some(found.unwrap_or_else(guess) * growth)
    }

    fn distinct(&self, label: VertexLabelId, keys: &[KeyId], equal: usize) -> Option<f64> {
        let (values, _) = self.index(label, keys, true)?;
        Some(values.distinct(equal + 1) as f64)
    }
}

/// Vertices of each label that are looked at to learn how many edges a vertex has.
const SAMPLE: usize = 16;

/// Most labels whose vertices are looked at.
const SAMPLED_LABELS: usize = 64;

/// The average number of edges of the vertices that have any, learnt from the first few vertices of each label, in a graph
/// that has kept no statistics: a bounded number of looks at records.
fn sampled_degree(snapshot: &Snapshot, label: EdgeLabelId, dir: Dir) -> f64 {
    let reader = snapshot.reader();
    let direction = if dir == Dir::Out { Direction::Out } else { Direction::In };
    let (mut edges, mut sources) = (0u64, 0u64);
    let mut vertices = Vec::with_capacity(SAMPLE);
    for (vertex_label, _) in snapshot.catalog().vertex_labels().take(SAMPLED_LABELS) {
        vertices.clear();
        reader.scan_vertices(Some(vertex_label), &mut ScanCursor::default(), SAMPLE, &mut vertices);
        for vertex in &vertices {
            let degree = reader.degree(*vertex, direction, &[label]);
            edges += degree;
            sources += u64::from(degree > 0);
        }
    }
    if sources > 0 { edges as f64 / sources as f64 } else { 0.0 }
}
