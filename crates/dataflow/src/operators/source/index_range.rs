//! The vertices of a label whose values are in a range of an index, and perhaps others: a filter follows.

use graph::{RangeQuery, ReadUnit, ScanCursor};
use planner::physical::{OpKind, Operand};
use values::{Value, VertexRef};

use crate::error::QueryError;
use crate::operator::Context;

use super::super::flat_map::{Producer, Row};
use super::super::view::Graph;

/// Vertices looked at at once where the index cannot be asked.
const SCAN_ROWS: usize = 4096;

/// See the module.
#[derive(Default)]
pub(in crate::operators) struct IndexRange {
    found: Vec<VertexRef>,
}

impl Producer for IndexRange {
    fn produce(
        &mut self,
        Row { batch, row }: Row<'_>,
        graph: &Graph<'_>,
        cx: &Context<'_>,
        _room: usize,
        into: &mut Vec<Value>,
    ) -> Result<bool, QueryError> {
        let OpKind::IndexRange { label, range } = &cx.op.kind else { return Ok(false) };
        let value = |operand: &Operand| cx.operand(operand, batch, row);
        let Some(equal) = range.equal.iter().map(value).collect::<Option<Vec<Value>>>() else {
            // Nothing equals what is not there.
            return Ok(false);
        };
        let (low, high) = (range.low.as_ref().and_then(value), range.high.as_ref().and_then(value));
        self.found.clear();
        for &key in range.keys.iter().take(equal.len() + 1) {
            graph.note(|| ReadUnit::IndexRange(*label, key));
        }
        let (low, high) = (low.as_ref(), high.as_ref());
        let query = RangeQuery { label: *label, keys: &range.keys, equal: &equal, low, high };
        if !graph.reader.range_lookup(query, &mut self.found) {
            // The index that the plan was made with is gone, or has no order for these values.
            graph.note(|| ReadUnit::LabelMembership(*label));
            let mut cursor = ScanCursor::default();
            while graph.reader.scan_vertices(Some(*label), &mut cursor, SCAN_ROWS, &mut self.found) {}
        }
        self.found.iter().for_each(|v| graph.note_vertex(*v));
        into.extend(self.found.iter().map(|v| Value::VertexRef(*v)));
        Ok(false)
    }
}
