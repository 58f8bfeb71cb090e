//! From edges to their ends.

use std::sync::Arc;

use planner::physical::{EdgeEnd, OpKind};
use values::{EdgeRef, Value, VertexRef};

use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::operator::Context;

use super::super::element::find_edge;
use super::super::per_row::{Producer, Row};
use super::super::row_origins::trace;
use super::super::view::{Graph, View};

/// `outV`, `inV`, `otherV`.
pub(in crate::operators) fn one_end(batch: Batch, cx: &Context<'_>) -> Result<Option<Batch>, QueryError> {
    let OpKind::EdgeVertex(end) = &cx.op.kind else { return Ok(Some(batch)) };
    let view = View::of(cx);
    let graph = view.graph();
    let left = if graph.reader.sees_own() { without_dropped(batch, &graph) } else { Some(batch) };
    let Some(mut batch) = left else { return Ok(None) };
    let ends: Result<Vec<VertexRef>, QueryError> = (0..batch.len)
        .map(|row| {
            let edge = edge_of(&batch, row, &graph, cx)?;
            match end {
                EdgeEnd::Out | EdgeEnd::Both => Ok(edge.src),
                EdgeEnd::In => Ok(edge.dst),
                EdgeEnd::Other(slot) => {
                    let from = batch.slot(*slot).and_then(|column| column.vertex(row)).ok_or_else(|| {
                        let message = "the edge was not reached from a vertex, so it has no other end; use outV() or inV()";
                        QueryError::step(&cx.op.step, message)
                    })?;
                    Ok(if from == edge.src { edge.dst } else { edge.src })
                }
                EdgeEnd::OtherThanBefore => other_than_before(&batch, row, edge, &graph, cx),
            }
        })
        .collect();
    batch.current = Arc::new(Column::Vertices(ends?));
    trace(&mut batch, cx.op);
    Ok(Some(batch))
}

/// The end that is not the last vertex before the edge on the path.
fn other_than_before(
    batch: &Batch,
    row: usize,
    edge: EdgeRef,
    graph: &Graph<'_>,
    cx: &Context<'_>,
) -> Result<VertexRef, QueryError> {
    let visited = batch.path.iter().flat_map(|paths| paths.backwards(row)).skip(1);
    let came_from_source = visited.map(|visited| visited.object()).find_map(|object| match object {
        Value::VertexRef(vertex) => Some(vertex == edge.src),
        Value::Vertex(vertex) => Some(vertex.id == graph.reader.id(edge.src)),
        _ => None,
    });
    match came_from_source {
        Some(true) => Ok(edge.dst),
        Some(false) => Ok(edge.src),
        None => Err(QueryError::step(
            &cx.op.step,
            "The path history of the traverser does not contain a previous vertex; use outV() or inV()",
        )),
    }
}

/// `bothV`: source, then target.
#[derive(Default)]
pub(in crate::operators) struct BothEnds;

impl Producer for BothEnds {
    fn produce(
        &mut self,
        Row { batch, row }: Row<'_>,
        graph: &Graph<'_>,
        cx: &Context<'_>,
        _room: usize,
        into: &mut Vec<Value>,
    ) -> Result<bool, QueryError> {
        let edge = edge_of(batch, row, graph, cx)?;
        if is_gone(edge, graph) {
            return Ok(false);
        }
        into.extend([Value::VertexRef(edge.src), Value::VertexRef(edge.dst)]);
        Ok(false)
    }
}

fn without_dropped(batch: Batch, graph: &Graph<'_>) -> Option<Batch> {
    let edges = batch.current.clone();
    batch.filter(|row| !edges.edge(row).is_some_and(|edge| is_gone(edge, graph)))
}

/// An edge that the same request has dropped has no ends any more.
fn is_gone(edge: EdgeRef, graph: &Graph<'_>) -> bool {
    graph.reader.has_dropped(edge)
}

#[inline]
fn edge_of(batch: &Batch, row: usize, graph: &Graph<'_>, cx: &Context<'_>) -> Result<EdgeRef, QueryError> {
    match batch.current.edge(row) {
        Some(edge) => Ok(edge),
        None => detached(&batch.current.value(row), graph, cx),
    }
}

#[cold]
fn detached(object: &Value, graph: &Graph<'_>, cx: &Context<'_>) -> Result<EdgeRef, QueryError> {
    let found = match object {
        Value::Edge(_) => find_edge(object, graph),
        _ => None,
    };
    found.ok_or_else(|| {
        let message = match object {
            Value::Edge(e) => format!("the edge {} is not in the graph", values::excerpt(&e.id)),
            other => format!("needs an edge, but the traverser is at a value of type {}", other.type_name()),
        };
        QueryError::step(&cx.op.step, message)
    })
}
