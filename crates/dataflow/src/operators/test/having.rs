//! `has(key, predicate)` on many vertices: loops over columns.

use graph::{KeyId, PropertyColumn, Single, ValueRef};
use gremlin::PredicateOp;
use values::{Value, VertexRef};

use super::super::predicate::{Check, LongRange};
use super::super::view::Graph;
use super::subject::vertex_values;
use crate::batch::Batch;

/// Vertices from which on a column is made ready for all of them.
pub(super) const MANY: usize = 64;

/// A test of vertices by what they have under a key.
pub(super) struct Having<'a> {
    pub(super) column: PropertyColumn<'a>,
    key: KeyId,
    check: &'a Check,
    /// If it is about a range of longs.
    longs: Option<LongRange>,
    batch: &'a Batch,
    graph: &'a Graph<'a>,
}

impl<'a> Having<'a> {
    /// The test for the rows of a batch.
    pub(super) fn new(key: KeyId, check: &'a Check, batch: &'a Batch, graph: &'a Graph<'a>) -> Self {
        Self {
            column: graph.reader.property_column(key),
            key,
            check,
            longs: LongRange::of(check),
            batch,
            graph,
        }
    }

    /// Of `len` items, writes those whose vertices pass to the beginning of `kept`, in their order; how many these are.
    /// `item` says what item `i` is and its vertex, perhaps from its place in `kept`; `row`, with which row's operands it
    /// is compared.
    #[inline(always)]
    pub(super) fn select<T: Copy>(
        &mut self,
        len: usize,
        kept: &mut [T],
        item: impl Fn(&[T], usize) -> (VertexRef, T),
        row: impl Fn(T) -> u32,
    ) -> usize {
        if let Some(wanted) = self.longs {
            return self.longs(len, kept, item, row, |long| wanted.holds(long));
        }
        match self.check {
            Check::Compare(PredicateOp::Eq, Value::String(text)) => {
                keep(len, kept, item, |v, item| match self.column.get(v) {
                    Single::Value(ValueRef::Str(value)) => value == text.as_str(),
                    _ => self.other_holds(v, row(item)),
                })
            }
            _ => keep(len, kept, item, |v, item| self.other_holds(v, row(item))),
        }
    }

    /// How many of some vertices pass, compared with the operands of a row.
    pub(super) fn count(&mut self, vertices: &[VertexRef], row: u32) -> usize {
        if let Some(wanted) = self.longs {
            return self.count_longs(vertices, row, |long| wanted.holds(long));
        }
        let text = match self.check {
            Check::Compare(PredicateOp::Eq, Value::String(text)) => Some(text.as_str()),
            _ => None,
        };
        let mut count = 0;
        for &v in vertices {
            count += usize::from(match (text, self.column.get(v)) {
                (Some(text), Single::Value(ValueRef::Str(value))) => value == text,
                (_, Single::Absent) => false,
                _ => self.other_holds(v, row),
            });
        }
        count
    }

    #[inline(always)]
    fn count_longs(&mut self, vertices: &[VertexRef], row: u32, holds: impl Fn(i64) -> bool) -> usize {
        let (mut rest, mut count) = (vertices, 0);
        loop {
            let (passed, known) = self.column.count_longs(rest, &holds);
            count += passed;
            let Some((&other, others)) = rest[known..].split_first() else { return count };
            count += usize::from(self.other_holds(other, row));
            rest = others;
        }
    }

    /// Longs are compared right here; whatever else is under the key, by the check, and out of line: what it needs in
    /// registers would be reloaded for every vertex.
    #[inline(always)]
    fn longs<T: Copy>(
        &mut self,
        len: usize,
        kept: &mut [T],
        item: impl Fn(&[T], usize) -> (VertexRef, T),
        row: impl Fn(T) -> u32,
        holds: impl Fn(i64) -> bool,
    ) -> usize {
        keep(len, kept, item, |v, item| match self.column.long(v) {
            Some(long) => holds(long),
            None => self.other_holds(v, row(item)),
        })
    }

    #[inline(never)]
    fn other_holds(&mut self, v: VertexRef, row: u32) -> bool {
        let holds = |value: ValueRef<'_>| self.check.holds(value, self.batch, row as usize);
        match self.column.get(v) {
            Single::Absent => false,
            Single::Value(value) => holds(value),
            Single::Several => vertex_values(v, self.key, self.graph, holds),
        }
    }
}

/// Writes the items that hold to the beginning of `kept`. Every item is written, and the place to write moves on if it
/// stays: half of them passing at random would cost a misprediction each.
#[inline(always)]
fn keep<T: Copy>(
    len: usize,
    kept: &mut [T],
    item: impl Fn(&[T], usize) -> (VertexRef, T),
    mut holds: impl FnMut(VertexRef, T) -> bool,
) -> usize {
    let mut count = 0;
    for i in 0..len {
        let (v, item) = item(kept, i);
        kept[count] = item;
        count += usize::from(holds(v, item));
    }
    count
}
