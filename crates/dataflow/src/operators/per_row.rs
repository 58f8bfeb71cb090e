//! Operators that make objects of one traverser after the other.

use values::Value;

use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::operator::Context;

use super::flat_map::{Fill, Filling, FlatMap};
use super::view::{Graph, Viewpoint};

/// Produces the objects of one traverser after the other.
pub(super) trait Producer: Send {
    /// Appends objects of traverser `row` to `into`, about `room` of them if it has that many. Whether it has more:
    /// it is then called again for the same row.
    fn produce(
        &mut self,
        row: Row<'_>,
        graph: &Graph<'_>,
        cx: &Context<'_>,
        room: usize,
        into: &mut Vec<Value>,
    ) -> Result<bool, QueryError>;

    /// Whether a row may outlast a turn.
    fn takes_long(&self, _row: Row<'_>, _cx: &Context<'_>) -> bool {
        false
    }

    /// Whether what it has made since it last said so takes so much memory that it is to leave.
    fn is_heavy(&mut self) -> bool {
        false
    }

    /// Forgets where it stood within a traverser.
    fn restart(&mut self) {}
}

/// A traverser of an input batch.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) batch: &'a Batch,
    pub(super) row: usize,
}

/// See the module.
pub(super) struct PerRow<P> {
    producer: P,
    next_row: usize,
    filling: Filling,
    values: Vec<Value>,
    /// The next row's error, which comes when what was made of the rows before it has left.
    failed: Option<QueryError>,
}

/// The operator that a producer makes.
pub(super) fn per_row<P: Producer>(producer: P) -> FlatMap<PerRow<P>> {
    let (filling, values) = (Filling::default(), Vec::new());
    FlatMap::new(PerRow { producer, next_row: 0, filling, values, failed: None })
}

impl<P: Producer> Fill for PerRow<P> {
    fn filling(&mut self) -> &mut Filling {
        &mut self.filling
    }

    fn rewind(&mut self) -> Option<Viewpoint> {
        self.next_row = 0;
        self.failed = None;
        None
    }

    fn takes_long(&self, batch: &Batch, cx: &Context<'_>) -> bool {
        let row = self.next_row;
        row < batch.len && self.failed.is_none() && self.producer.takes_long(Row { batch, row }, cx)
    }

    fn fill(
        &mut self,
        batch: &Batch,
        graph: &Graph<'_>,
        cx: &Context<'_>,
    ) -> Result<Option<Batch>, QueryError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if let Column::Vertices(vertices) = &*batch.current {
            graph.reader.expect(&vertices[self.next_row.min(vertices.len())..]);
        }
        let target = self.filling.chunk.rows(cx);
        let first = self.next_row;
        while self.next_row < batch.len && self.values.len() < target {
            let before = self.values.len();
            let row = Row { batch, row: self.next_row };
            if self.next_row > first && self.producer.takes_long(row, cx) {
                // That is for a call of its own, of which it is known before.
                break;
            }
            let more = match self.producer.produce(row, graph, cx, target - before, &mut self.values) {
                Err(error) if before > 0 && error.is_of_traverser() => {
                    // The input is gone if this call has not brought it, so nobody could do the rows before again.
                    self.values.truncate(before);
                    self.failed = Some(error);
                    break;
                }
                more => more?,
            };
            self.filling.origins.add(self.next_row, self.values.len() - before);
            if !more {
                self.next_row += 1;
            } else if cx.quota.is_spent() {
                // Who has looked for much may have found little.
                break;
            }
            if self.producer.is_heavy() {
                break;
            }
        }
        let values = std::mem::take(&mut self.values);
        Ok((!values.is_empty()).then(|| self.filling.origins.derive(batch, Column::from_values(values))))
    }

    fn is_done(&self, batch: &Batch) -> bool {
        self.next_row >= batch.len
    }

    fn reset(&mut self) {
        self.values.clear();
        self.failed = None;
        self.producer.restart();
    }
}
