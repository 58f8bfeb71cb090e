//! Tests on whole batches: each narrows down the rows that are left, by a loop of its own where that pays.

use graph::KeyId;
use gremlin::PredicateOp;
use planner::physical::Slot;
use values::{Value, VertexRef};

use super::super::predicate::Check;
use super::super::view::Graph;
use super::having::{Having, MANY};
use super::{Object, Ready, Rows, Subject};
use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::operator::Context;

impl Ready {
    /// Keeps those of `rows` whose traversers pass.
    ///
    /// # Errors
    /// If a path lacks a label that the test asks for.
    pub(super) fn narrow(
        &self,
        rows: &mut Rows,
        batch: &Batch,
        cx: &Context<'_>,
        graph: &Graph<'_>,
    ) -> Result<(), QueryError> {
        match (self, &*batch.current) {
            (Self::And(tests), _) => tests.iter().try_for_each(|test| test.narrow(rows, batch, cx, graph)),
            (Self::Has(key, check), Column::Vertices(vertices)) => {
                having(*key, check, vertices, rows, batch, graph);
                Ok(())
            }
            (
                Self::Is(Check::CompareSlot(op @ (PredicateOp::Eq | PredicateOp::Neq), slot)),
                Column::Vertices(_),
            ) if let Some(Column::Uniform(Value::VertexRef(other))) = batch.slot(*slot).map(|c| &**c) => {
                let wanted = *op == PredicateOp::Eq;
                rows.retain(|row| (batch.current.vertex(row as usize) == Some(*other)) == wanted);
                Ok(())
            }
            (Self::Present(slot), _) => {
                present(*slot, rows, batch);
                Ok(())
            }
            _ => one_by_one(self, rows, batch, cx, graph),
        }
    }
}

fn one_by_one(
    test: &Ready,
    rows: &mut Rows,
    batch: &Batch,
    cx: &Context<'_>,
    graph: &Graph<'_>,
) -> Result<(), QueryError> {
    let mut failure = None;
    rows.retain(|row| {
        let row = row as usize;
        let subject = Subject { object: Object::current(batch, row), batch, row, graph, loops: cx.tag.loops };
        failure.is_none()
            && test.holds(subject).unwrap_or_else(|error| {
                failure = Some(error);
                false
            })
    });
    failure.map_or(Ok(()), Err)
}

/// Whether there is a value in a slot: most often there is one for each, and no row is looked at.
fn present(slot: Slot, rows: &mut Rows, batch: &Batch) {
    match batch.slot(slot).map(|column| &**column) {
        None => rows.retain(|_| false),
        Some(Column::Optional(values)) if values.iter().any(Option::is_none) => {
            rows.retain(|row| values[row as usize].is_some());
        }
        Some(_) => {}
    }
}

/// `has(key, predicate)` on vertices.
fn having(
    key: KeyId,
    check: &Check,
    vertices: &[VertexRef],
    rows: &mut Rows,
    batch: &Batch,
    graph: &Graph<'_>,
) {
    graph.note_properties(vertices, rows.iter(), key);
    graph.reader.expect(vertices);
    let mut having = Having::new(key, check, batch, graph);
    if rows.len() >= MANY {
        having.expect_many_near(vertices[0]);
    }
    match rows {
        Rows::All(len) => {
            let (len, mut kept) = (*len, vec![0; *len]);
            let vertices = &vertices[..len];
            let left = having.select(len, &mut kept, |_, i| (vertices[i], i as u32), |row| row);
            kept.truncate(left);
            *rows = Rows::Some(kept);
        }
        Rows::Some(some) => {
            let item = |rows: &[u32], i: usize| (vertices[rows[i] as usize], rows[i]);
            let left = having.select(some.len(), some, item, |row| row);
            some.truncate(left);
        }
    }
}
