//! What an expansion to edges, or with values of edges, has found.

use std::ops::Range;
use std::sync::Arc;

use graph::{Run, ValueRef};
use planner::physical::{ExpandTo, op};
use values::{EdgeRef, Value, VertexRef};

use crate::batch::{Batch, Column};

use super::super::column_builder::ColumnBuilder;
use super::super::row_origins::Origins;
use super::super::seen::Seen;

/// Bytes of texts after which what was found is to leave: it is weighed when it does, and texts are copied for it.
const HEAVY: usize = 2 << 20;

/// Output under construction.
#[derive(Default)]
pub(super) struct Found {
    vertices: Vec<VertexRef>,
    edges: Vec<EdgeRef>,
    from: Vec<VertexRef>,
    fetched: Vec<ColumnBuilder>,
    /// Bytes of the texts among them.
    copied: usize,
}

impl Found {
    pub(super) fn for_way(way: &op::Expand, rows: usize) -> Self {
        let fetched = way.fetch.iter().map(|_| ColumnBuilder::with_capacity(rows)).collect();
        Self { fetched, ..Self::default() }
    }

    /// Edges so far.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.vertices.len() + self.edges.len()
    }

    /// Whether it is to leave, although there is room for more rows.
    #[inline]
    pub(super) fn is_heavy(&self) -> bool {
        self.copied >= HEAVY
    }

    /// Adds the edges of a stretch of a run; how many, since it may become heavy before the last.
    pub(super) fn push_all(
        &mut self,
        v: VertexRef,
        run: &Run<'_>,
        mut edges: Range<usize>,
        way: &op::Expand,
    ) -> usize {
        let (rows, most) = (self.len(), most_of_column(way));
        for ((key, _), column) in way.fetch.iter().zip(&mut self.fetched) {
            match run.longs(*key) {
                Some(longs) => column.extend_longs(longs[edges.clone()].iter().copied()),
                None => {
                    let values = edges.clone().map(|i| run.value_ref(i, *key));
                    let (pushed, copied) = push_values(column, values, most);
                    edges.end = edges.start + pushed;
                    self.copied += copied;
                }
            }
        }
        let pushed = edges.len();
        self.keep_fetched(rows + pushed);
        match &way.to {
            ExpandTo::Vertices => self.vertices.extend_from_slice(&run.neighbours()[edges]),
            ExpandTo::Edges { from } => self.push_edges(v, run, edges, from.is_some()),
        }
        pushed
    }

    /// Adds some edges of a run; how many, likewise.
    pub(super) fn push_some(
        &mut self,
        v: VertexRef,
        run: &Run<'_>,
        edges: &[u32],
        way: &op::Expand,
    ) -> usize {
        let (rows, most) = (self.len(), most_of_column(way));
        let (mut edges, place) = (edges, |i: &u32| *i as usize);
        for ((key, _), column) in way.fetch.iter().zip(&mut self.fetched) {
            match run.longs(*key) {
                Some(longs) => column.extend_longs(edges.iter().map(place).map(|i| longs[i])),
                None => {
                    let values = edges.iter().map(place).map(|i| run.value_ref(i, *key));
                    let (pushed, copied) = push_values(column, values, most);
                    edges = &edges[..pushed];
                    self.copied += copied;
                }
            }
        }
        let (pushed, places) = (edges.len(), edges.iter().map(place));
        self.keep_fetched(rows + pushed);
        match &way.to {
            ExpandTo::Vertices => self.vertices.extend(places.map(|i| run.neighbour(i))),
            ExpandTo::Edges { from } => self.push_edges(v, run, places, from.is_some()),
        }
        pushed
    }

    /// Forgets what was fetched of edges for which another column had no room.
    fn keep_fetched(&mut self, rows: usize) {
        self.fetched.iter_mut().for_each(|column| column.truncate(rows));
    }

    fn push_edges(
        &mut self,
        v: VertexRef,
        run: &Run<'_>,
        edges: impl ExactSizeIterator<Item = usize>,
        wants_from: bool,
    ) {
        if wants_from {
            self.from.resize(self.from.len() + edges.len(), v);
        }
        self.edges.extend(edges.map(|i| run.edge(i)));
    }

    pub(super) fn finish(self, batch: &Batch, origins: &Origins, way: &op::Expand) -> Batch {
        let mut produced = match &way.to {
            ExpandTo::Vertices => origins.derive(batch, Column::Vertices(self.vertices)),
            ExpandTo::Edges { .. } => origins.derive(batch, Column::Edges(self.edges)),
        };
        if let ExpandTo::Edges { from: Some(slot) } = &way.to {
            produced.set_slot(*slot, Arc::new(Column::Vertices(self.from)));
        }
        for ((_, slot), column) in way.fetch.iter().zip(self.fetched) {
            produced.set_slot(*slot, Arc::new(column.finish()));
        }
        if way.distinct {
            produced.bulk = None;
        }
        produced
    }
}

/// Bytes of texts for which there is room in one column at a time. What was met before would not be found again: there, all stay.
fn most_of_column(way: &op::Expand) -> usize {
    if way.distinct { usize::MAX } else { HEAVY / way.fetch.len().max(1) }
}

/// Adds values to a column until their texts have so many bytes; how many, and of how many bytes.
fn push_values<'v>(
    column: &mut ColumnBuilder,
    values: impl Iterator<Item = Option<ValueRef<'v>>>,
    most: usize,
) -> (usize, usize) {
    let (mut pushed, mut copied) = (0, 0);
    for value in values {
        if let Some(ValueRef::Str(text)) = &value {
            copied += text.len();
        }
        column.push(value);
        pushed += 1;
        if copied >= most {
            break;
        }
    }
    (pushed, copied)
}

pub(super) fn is_new(
    seen: &mut Seen,
    single_tag: bool,
    tag: u32,
    to: &ExpandTo,
    run: &Run<'_>,
    i: usize,
) -> bool {
    match to {
        ExpandTo::Vertices => seen.insert_vertex(single_tag, tag, run.neighbour(i)),
        ExpandTo::Edges { .. } => seen.insert(single_tag, tag, Value::EdgeRef(run.edge(i))),
    }
}
