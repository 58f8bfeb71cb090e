//! Along edges: the expert of `out`, `in`, `both` and their edge forms, and of what only needs degrees.

mod best;
mod cursor;
mod degree;
mod edges;
mod ends;
mod found;
mod into;
mod neighbours;
mod pace;
mod packed;
mod sorted;
mod visitor;
mod walks;

pub(super) use degree::{bulk_by_degree, degree};
pub(super) use ends::{BothEnds, one_end};
pub(super) use into::ExpandInto;
pub(super) use neighbours::Expand;
pub(super) use walks::Walks;

use graph::{Dir, EdgeLabelId, ReadUnit};
use planner::physical::EdgeLabels;
use values::{Direction, Value, VertexRef};

use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::operator::Context;

use super::element::find_vertex;
use super::view::Graph;

/// The current vertex of a row.
#[inline]
fn vertex_of(
    batch: &Batch,
    row: usize,
    graph: &Graph<'_>,
    cx: &Context<'_>,
) -> Result<VertexRef, QueryError> {
    match &*batch.current {
        Column::Vertices(vertices) => Ok(vertices[row]),
        other => match other.vertex(row) {
            Some(v) => Ok(v),
            None => detached(&other.value(row), graph, cx),
        },
    }
}

#[cold]
fn detached(object: &Value, graph: &Graph<'_>, cx: &Context<'_>) -> Result<VertexRef, QueryError> {
    let found = match object {
        Value::Vertex(_) => find_vertex(object, graph),
        _ => None,
    };
    found.ok_or_else(|| {
        let message = match object {
            Value::Vertex(v) => format!("the vertex {} is not in the graph", v.id),
            other => format!("needs a vertex, but the traverser is at a value of type {}", other.type_name()),
        };
        QueryError::step(&cx.op.step, message)
    })
}

/// Which way and along which label the nth list of a vertex goes, directions first.
#[inline]
fn list_at(list: usize, dirs: &[Dir], labels: &[EdgeLabelId]) -> (Dir, EdgeLabelId) {
    match labels {
        // Most often there is one, and a division costs as much as following an edge.
        [label] => (dirs[list], *label),
        _ => (dirs[list / labels.len()], labels[list % labels.len()]),
    }
}

/// The edge labels to follow from the vertices of a batch. If these are all and there are none yet, that is noted, since no list
/// will be looked at.
fn labels_of(
    direction: Direction,
    labels: &EdgeLabels,
    batch: &Batch,
    graph: &Graph<'_>,
    into: &mut Vec<EdgeLabelId>,
) {
    into.clear();
    match labels {
        EdgeLabels::Only(labels) => into.extend_from_slice(labels),
        EdgeLabels::All => {
            into.extend((0..graph.reader.snapshot().catalog().edge_label_bound() as u16).map(EdgeLabelId));
            if into.is_empty() && graph.is_noted() {
                for v in (0..batch.len).filter_map(|row| batch.current.vertex(row)) {
                    Dir::of(direction).iter().for_each(|&dir| graph.note(|| ReadUnit::AnyList(v, dir)));
                }
            }
        }
    }
}
