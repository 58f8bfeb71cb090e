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

/// The same for the next row of a call; `None` if that fails and rows before it `have_made` something: this leaves first, and the next
/// call fails. The input is gone if this one has not brought it, so nobody could do those rows again.
#[inline]
fn next_vertex_of(
    batch: &Batch,
    row: usize,
    have_made: bool,
    graph: &Graph<'_>,
    cx: &Context<'_>,
) -> Result<Option<VertexRef>, QueryError> {
    match vertex_of(batch, row, graph, cx) {
        Ok(v) => Ok(Some(v)),
        Err(error) if have_made && error.is_of_traverser() => Ok(None),
        Err(error) => Err(error),
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
            Value::Vertex(v) => format!("the vertex {} is not in the graph", values::excerpt(&v.id)),
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

/// Of all labels of a graph, so many are many: a vertex will have edges of few of them.
const MANY_LABELS: usize = 16;

/// Whether the labels to follow are all labels of a graph that has many.
fn are_many(followed: &EdgeLabels, labels: &[EdgeLabelId]) -> bool {
    matches!(followed, EdgeLabels::All) && labels.len() > MANY_LABELS
}

/// The first list from one on that a vertex may have, among those of as many labels as the graph has; behind the last of them
/// if there is none. They are counted as in [`list_at`].
fn next_list(v: VertexRef, list: usize, dirs: &[Dir], labels: usize, graph: &Graph<'_>) -> usize {
    let (first_dir, mut from) = (list / labels, list % labels);
    for (nth, dir) in dirs.iter().enumerate().skip(first_dir) {
        match graph.reader.next_label(v, *dir, EdgeLabelId(from as u16)) {
            Some(next) if next.index() < labels => return nth * labels + next.index(),
            _ => from = 0,
        }
    }
    dirs.len() * labels
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
    match labels {
        EdgeLabels::Only(labels) => {
            into.clear();
            into.extend_from_slice(labels);
        }
        EdgeLabels::All => {
            // It has them already from the batch before, unless some have come: there may be tens of thousands.
            let bound = graph.reader.snapshot().catalog().edge_label_bound();
            into.truncate(bound);
            into.extend((into.len()..bound).map(|label| EdgeLabelId(label as u16)));
            if into.is_empty() && graph.is_noted() {
                for v in (0..batch.len).filter_map(|row| batch.current.vertex(row)) {
                    Dir::of(direction).iter().for_each(|&dir| graph.note(|| ReadUnit::AnyList(v, dir)));
                }
            }
        }
    }
}
