//! Numbers of edges, without looking at the edges.

use std::sync::Arc;

use graph::{Dir, EdgeLabelId, ReadUnit};
use planner::physical::{EdgeLabels, OpKind, op};
use values::{Direction, VertexRef};

use crate::batch::{Batch, Column, bulk};
use crate::error::QueryError;
use crate::operator::Context;

use super::super::row_origins::trace;
use super::super::view::{Graph, View};
use super::vertex_of;

/// `out('x').count()` per traverser.
pub(in crate::operators) fn degree(mut batch: Batch, cx: &Context<'_>) -> Result<Option<Batch>, QueryError> {
    let OpKind::Degree(op::Degree { direction, labels, into }) = &cx.op.kind else { return Ok(Some(batch)) };
    let degrees = degrees(&batch, *direction, labels, cx)?;
    let column = Arc::new(Column::Longs(degrees.into_iter().map(|d| d as i64).collect()));
    match into {
        Some(slot) => batch.set_slot(*slot, column),
        None => batch.current = column,
    }
    trace(&mut batch, cx.op);
    Ok(Some(batch))
}

/// Bulk times degree: an expansion whose ends nobody looks at.
pub(in crate::operators) fn bulk_by_degree(
    batch: Batch,
    cx: &Context<'_>,
) -> Result<Option<Batch>, QueryError> {
    let OpKind::BulkByDegree(op::BulkByDegree { direction, labels }) = &cx.op.kind else {
        return Ok(Some(batch));
    };
    let degrees = degrees(&batch, *direction, labels, cx)?;
    let mut kept = multiplied(batch, degrees);
    if let Some(kept) = &mut kept {
        trace(kept, cx.op);
    }
    Ok(kept)
}

/// The batch with its bulks multiplied; rows whose factor is 0 are dropped, and there may be none left.
pub(super) fn multiplied(batch: Batch, mut bulks: Vec<u64>) -> Option<Batch> {
    if let Some(before) = &batch.bulk {
        for (bulk, before) in bulks.iter_mut().zip(before.iter()) {
            *bulk = bulk::product(*bulk, *before);
        }
    }
    let mut kept = batch;
    if bulks.contains(&0) {
        let rows: Vec<u32> = (0..kept.len as u32).filter(|&row| bulks[row as usize] > 0).collect();
        if rows.is_empty() {
            return None;
        }
        kept = kept.gather(&rows);
        bulks.retain(|&bulk| bulk > 0);
    }
    kept.bulk = Some(Arc::new(bulks));
    Some(kept)
}

fn degrees(
    batch: &Batch,
    direction: Direction,
    labels: &EdgeLabels,
    cx: &Context<'_>,
) -> Result<Vec<u64>, QueryError> {
    let view = View::of(cx);
    let graph = view.graph();
    let labels: &[EdgeLabelId] = match labels {
        EdgeLabels::All => &[],
        EdgeLabels::Only(labels) if labels.is_empty() => return Ok(vec![0; batch.len]),
        EdgeLabels::Only(labels) => labels,
    };
    if let (Column::Vertices(vertices), false) = (&*batch.current, labels.is_empty()) {
        return Ok(of_vertices(vertices, direction, labels, &graph));
    }
    (0..batch.len)
        .map(|row| {
            let v = vertex_of(batch, row, &graph, cx)?;
            note(v, direction, labels, &graph);
            Ok(graph.reader.degree(v, direction, labels))
        })
        .collect()
}

fn of_vertices(
    vertices: &[VertexRef],
    direction: Direction,
    labels: &[EdgeLabelId],
    graph: &Graph<'_>,
) -> Vec<u64> {
    let mut degrees = vec![0; vertices.len()];
    graph.reader.expect(vertices);
    for &dir in Dir::of(direction) {
        for &label in labels {
            graph.note_lists(vertices, label, dir);
            graph.reader.degrees(label, dir).add_to(vertices, &mut degrees);
        }
    }
    degrees
}

fn note(v: VertexRef, direction: Direction, labels: &[EdgeLabelId], graph: &Graph<'_>) {
    for dir in Dir::of(direction) {
        if labels.is_empty() {
            graph.note(|| ReadUnit::AnyList(v, *dir));
        }
        labels.iter().for_each(|label| graph.note_list(v, *label, *dir));
    }
}
