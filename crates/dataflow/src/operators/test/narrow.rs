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
    let filter = Having { key, check, vertices, batch, graph };
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
        Check::Compare(PredicateOp::Eq, Value::String(text)) => filter.narrow_texts(rows, text),
        _ => {
            let mut column = graph.reader.property_column(key);
            filter.narrow(rows, |v, row| filter.any_holds(column.get(v), v, row));
        }
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
    #[inline(always)]
    fn narrow_longs(&self, rows: &mut Vec<u32>, holds: impl Fn(i64) -> bool) {
        let mut column = self.graph.reader.property_column(self.key);
        self.narrow(rows, |v, row| {
            column.has_long(v, &holds, |single| match single {
                Single::Value(ValueRef::Long(long)) => holds(long),
                single => self.any_holds(single, v, row),
            })
        });
    }

    /// Texts that must equal this one.
    fn narrow_texts(&self, rows: &mut Vec<u32>, text: &str) {
        let mut column = self.graph.reader.property_column(self.key);
        self.narrow(rows, |v, row| match column.get(v) {
            Single::Value(ValueRef::Str(value)) => value == text,
            single => self.any_holds(single, v, row),
        });
    }

    /// Keeps the rows that hold. Every row is written, and the place to write moves on if it stays: half of the rows
    /// passing at random would cost a misprediction each.
    #[inline(always)]
    fn narrow(&self, rows: &mut Vec<u32>, mut holds: impl FnMut(VertexRef, u32) -> bool) {
        let mut kept = 0;
        for i in 0..rows.len() {
            let row = rows[i];
            let v = self.vertices[row as usize];
            self.graph.note_vertex(v);
            rows[kept] = row;
            kept += usize::from(holds(v, row));
        }
        rows.truncate(kept);
    }

    #[inline(never)]
    fn any_holds(&self, single: Single<'_>, v: VertexRef, row: u32) -> bool {
        let holds = |value: ValueRef<'_>| self.check.holds(value, self.batch, row as usize);
        match single {
            Single::Absent => false,
            Single::Value(value) => holds(value),
            Single::Several => vertex_values(v, self.key, self.graph, holds),
        }
    }
}
