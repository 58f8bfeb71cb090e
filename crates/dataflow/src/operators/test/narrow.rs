//! Tests on whole batches: each narrows down the rows that are left, by a loop of its own where that pays.

use graph::{KeyId, Single, ValueRef};
use gremlin::PredicateOp;
use values::{Value, VertexRef};

use super::super::predicate::Check;
use super::super::view::Graph;
use super::subject::vertex_values;
use super::{Object, Ready, Subject};
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
        rows: &mut Vec<u32>,
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
                rows.retain(|&row| (batch.current.vertex(row as usize) == Some(*other)) == wanted);
                Ok(())
            }
            _ => one_by_one(self, rows, batch, cx, graph),
        }
    }
}

fn one_by_one(
    test: &Ready,
    rows: &mut Vec<u32>,
    batch: &Batch,
    cx: &Context<'_>,
    graph: &Graph<'_>,
) -> Result<(), QueryError> {
    let mut failure = None;
    rows.retain(|&row| {
        let row = row as usize;
        let subject = Subject { object: Object::current(batch, row), batch, row, graph, loops: cx.loops };
        failure.is_none()
            && test.holds(subject).unwrap_or_else(|error| {
                failure = Some(error);
                false
            })
    });
    failure.map_or(Ok(()), Err)
}

/// `has(key, predicate)` on vertices.
fn having(
    key: KeyId,
    check: &Check,
    vertices: &[VertexRef],
    rows: &mut Vec<u32>,
    batch: &Batch,
    graph: &Graph<'_>,
) {
    let mut filter = Having { key, check, vertices, batch, graph };
    match check {
        Check::Compare(op, Value::Long(bound)) => {
            let bound = *bound;
            match op {
                PredicateOp::Lt => filter.narrow_longs(rows, |long| long < bound),
                PredicateOp::Lte => filter.narrow_longs(rows, |long| long <= bound),
                PredicateOp::Gt => filter.narrow_longs(rows, |long| long > bound),
                PredicateOp::Gte => filter.narrow_longs(rows, |long| long >= bound),
                PredicateOp::Eq => filter.narrow_longs(rows, |long| long == bound),
                PredicateOp::Neq => filter.narrow_longs(rows, |long| long != bound),
            }
        }
        Check::Compare(PredicateOp::Eq, Value::String(text)) => filter.narrow(rows, |value| match value {
            ValueRef::Str(value) => Some(value == text.as_str()),
            _ => None,
        }),
        _ => filter.narrow(rows, |_| None),
    }
}

struct Having<'a> {
    key: KeyId,
    check: &'a Check,
    vertices: &'a [VertexRef],
    batch: &'a Batch,
    graph: &'a Graph<'a>,
}

impl Having<'_> {
    /// Longs are compared right here; whatever else is under the key, by the check.
    fn narrow_longs(&mut self, rows: &mut Vec<u32>, holds: impl Fn(i64) -> bool) {
        self.narrow(rows, |value| match value {
            ValueRef::Long(long) => Some(holds(long)),
            _ => None,
        });
    }

    /// Keeps the rows for which `quick` or, if it does not know, the check holds. Every row is written, and the place to
    /// write moves on if it stays: half of the rows passing at random would cost a misprediction each.
    #[inline(always)]
    fn narrow(&mut self, rows: &mut Vec<u32>, quick: impl Fn(ValueRef<'_>) -> Option<bool>) {
        let mut column = self.graph.reader.property_column(self.key);
        let mut kept = 0;
        for i in 0..rows.len() {
            let row = rows[i];
            let v = self.vertices[row as usize];
            self.graph.note_vertex(v);
            let holds = match column.get(v) {
                Single::Absent => false,
                Single::Value(value) => quick(value).unwrap_or_else(|| self.holds(value, row)),
                Single::Several => self.any_holds(v, row),
            };
            rows[kept] = row;
            kept += usize::from(holds);
        }
        rows.truncate(kept);
    }

    #[inline(never)]
    fn holds(&self, value: ValueRef<'_>, row: u32) -> bool {
        self.check.holds(value, self.batch, row as usize)
    }

    #[cold]
    fn any_holds(&self, v: VertexRef, row: u32) -> bool {
        vertex_values(v, self.key, self.graph, |value| self.holds(value, row))
    }
}
