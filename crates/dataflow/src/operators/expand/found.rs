//! What an expansion to edges, or with values of edges, has found.

use std::ops::Range;
use std::sync::Arc;

use graph::Run;
use planner::physical::{ExpandTo, op};
use values::{EdgeRef, Value, VertexRef};

use crate::batch::{Batch, Column};

use super::super::column_builder::ColumnBuilder;
use super::super::row_origins::Origins;
use super::super::seen::Seen;

/// Output under construction.
#[derive(Default)]
pub(super) struct Found {
    vertices: Vec<VertexRef>,
    edges: Vec<EdgeRef>,
    from: Vec<VertexRef>,
    fetched: Vec<ColumnBuilder>,
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

    /// Adds all edges of a stretch of a run.
    pub(super) fn push_all(&mut self, v: VertexRef, run: &Run<'_>, edges: Range<usize>, way: &op::Expand) {
        for ((key, _), column) in way.fetch.iter().zip(&mut self.fetched) {
            match run.longs(*key) {
                Some(longs) => column.extend_longs(longs[edges.clone()].iter().copied()),
                None => edges.clone().for_each(|i| column.push(run.value_ref(i, *key))),
            }
        }
        match &way.to {
            ExpandTo::Vertices => self.vertices.extend_from_slice(&run.neighbours()[edges]),
            ExpandTo::Edges { from } => self.push_edges(v, run, edges, from.is_some()),
        }
    }

    /// Adds some edges of a run.
    pub(super) fn push_some(&mut self, v: VertexRef, run: &Run<'_>, edges: &[u32], way: &op::Expand) {
        let places = edges.iter().map(|i| *i as usize);
        for ((key, _), column) in way.fetch.iter().zip(&mut self.fetched) {
            match run.longs(*key) {
                Some(longs) => column.extend_longs(places.clone().map(|i| longs[i])),
                None => places.clone().for_each(|i| column.push(run.value_ref(i, *key))),
            }
        }
        match &way.to {
            ExpandTo::Vertices => self.vertices.extend(places.map(|i| run.neighbour(i))),
            ExpandTo::Edges { from } => self.push_edges(v, run, places, from.is_some()),
        }
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
