//! The vertices of a label whose values are in a range of an index, and perhaps others: a filter follows. Where they come in
//! order, they are read a batch at a time, so that who has enough ends it.

use graph::{KeyId, OrderCursor, RangeQuery, ReadUnit, ScanCursor};
use gremlin::Order;
use planner::physical::{OpKind, Operand, op};
use values::{Value, VertexRef, compare, watch};

use crate::error::QueryError;
use crate::operator::Context;

use super::super::per_row::{Producer, Row};
use super::super::property::check_one;
use super::super::view::Graph;
use super::at_once::AtOnce;

/// Vertices looked at at once where the index cannot be asked.
const SCAN_ROWS: usize = 4096;

/// See the module.
#[derive(Default)]
pub(in crate::operators) struct IndexRange {
    at_once: AtOnce,
    /// How far reading in order has come.
    cursor: OrderCursor,
    /// Whether there are more behind what was found.
    more: bool,
}

impl IndexRange {
    /// Finds everything the query is about, whatever index there is.
    fn find_all(&mut self, query: RangeQuery<'_>, graph: &Graph<'_>) {
        if !graph.reader.range_lookup(query, &mut self.at_once.found) {
            // The index that the plan was made with is gone, or has no order for these values.
            graph.note(|| ReadUnit::LabelMembership(query.label));
            let mut cursor = ScanCursor::default();
            while graph.reader.scan_vertices(
                Some(query.label),
                &mut cursor,
                SCAN_ROWS,
                &mut self.at_once.found,
            ) {}
        }
    }

    /// Finds the next in order; whether there are more.
    fn find_next(&mut self, query: RangeQuery<'_>, order: Order, room: usize, graph: &Graph<'_>) -> bool {
        let descending = order == Order::Desc;
        let reader = &graph.reader;
        if let Some(more) =
            reader.range_in_order(query, descending, &mut self.cursor, room.max(1), &mut self.at_once.found)
        {
            if !more {
                self.cursor = OrderCursor::default();
            }
            return more;
        }
        self.find_all(query, graph);
        if let Some(&key) = query.keys.get(query.equal.len()) {
            sort(&mut self.at_once.found, key, descending, graph);
        }
        false
    }
}

/// Puts vertices into the order of their values, without those that have none.
fn sort(found: &mut Vec<VertexRef>, key: KeyId, descending: bool, graph: &Graph<'_>) {
    let with_value = |v| {
        watch::tick();
        Some((graph.reader.value(v, key)?, v))
    };
    let values = found.drain(..).filter_map(with_value);
    let mut values: Vec<(Value, VertexRef)> = values.collect();
    values.sort_by(|(a, _), (b, _)| {
        let ordering = compare::order(a, b);
        if descending { ordering.reverse() } else { ordering }
    });
    found.extend(values.into_iter().map(|(_, v)| v));
}

impl Producer for IndexRange {
    fn produce(
        &mut self,
        Row { batch, row }: Row<'_>,
        graph: &Graph<'_>,
        cx: &Context<'_>,
        room: usize,
        into: &mut Vec<Value>,
    ) -> Result<bool, QueryError> {
        let OpKind::IndexRange(op::IndexRange { label, range }) = &cx.op.kind else { return Ok(false) };
        let value = |operand: &Operand| cx.operand(operand, batch, row);
        let Some(equal) = range.equal.iter().map(value).collect::<Option<Vec<Value>>>() else {
            // Nothing equals what is not there.
            return Ok(false);
        };
        let (low, high) = (range.low.as_ref().and_then(value), range.high.as_ref().and_then(value));
        if !self.at_once.waits() {
            for &key in range.keys.iter().take(equal.len() + 1) {
                graph.note(|| ReadUnit::IndexRange(*label, key));
            }
            let (low, high) = (low.as_ref(), high.as_ref());
            let query = RangeQuery { label: *label, keys: &range.keys, equal: &equal, low, high };
            self.more = match range.order {
                Some(order) => self.find_next(query, order, room, graph),
                None => {
                    self.find_all(query, graph);
                    false
                }
            };
            self.at_once.charge(cx)?;
        }
        // To be in order stands for `order().by('key')`, which wants one value.
        let one = range.order.and(range.keys.get(range.equal.len()));
        let waits = self.at_once.give(room, into, |v| {
            graph.note_vertex(v);
            one.map_or(Ok(()), |key| check_one(v, *key, graph))
        });
        Ok(waits.map_err(|several| several.error(cx))? || self.more)
    }

    fn restart(&mut self) {
        self.at_once.clear();
        (self.cursor, self.more) = (OrderCursor::default(), false);
    }
}
