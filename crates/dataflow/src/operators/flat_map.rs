//! Operators that make any number of objects of each traverser: one cursor over the input for all of them.

use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::chunk::ChunkSize;
use super::row_origins::{Origins, trace};
use super::view::{Graph, View, Viewpoint};

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
        into: &mut Vec<values::Value>,
    ) -> Result<bool, QueryError>;

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
pub(super) struct FlatMap<P> {
    producer: P,
    input: Option<Batch>,
    next_row: usize,
    viewpoint: Viewpoint,
    chunk: ChunkSize,
    origins: Origins,
    values: Vec<values::Value>,
}

impl<P: Producer> FlatMap<P> {
    pub(super) fn new(producer: P) -> Self {
        Self {
            producer,
            input: None,
            next_row: 0,
            viewpoint: Viewpoint::default(),
            chunk: ChunkSize::default(),
            origins: Origins::default(),
            values: Vec::new(),
        }
    }

    /// Fills one output batch from the cursor on. Whether the input is used up.
    fn fill(&mut self, cx: &Context<'_>) -> Result<bool, QueryError> {
        let Some(batch) = &self.input else { return Ok(true) };
        let view = View::at(&self.viewpoint, cx);
        let graph = view.graph();
        self.origins.start(batch);
        if let Column::Vertices(vertices) = &*batch.current {
            graph.reader.expect(&vertices[self.next_row.min(vertices.len())..]);
        }
        let target = self.chunk.rows(cx);
        while self.next_row < batch.len && self.values.len() < target {
            let before = self.values.len();
            let row = Row { batch, row: self.next_row };
            let more = self.producer.produce(row, &graph, cx, target - before, &mut self.values)?;
            self.origins.add(self.next_row, self.values.len() - before);
            if !more {
                self.next_row += 1;
            }
        }
        Ok(self.next_row >= batch.len)
    }
}

impl<P: Producer> Operator for FlatMap<P> {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        if input.is_some() {
            self.input = input;
            self.next_row = 0;
            self.viewpoint.take(cx);
        }
        let ended = self.fill(cx)?;
        if let (Some(batch), false) = (&self.input, self.values.is_empty()) {
            let column = Column::from_values(std::mem::take(&mut self.values));
            let mut produced = self.origins.derive(batch, column);
            trace(&mut produced, cx.op);
            out.emit(produced);
        }
        self.chunk.grow();
        if ended {
            self.input = None;
            self.viewpoint.release();
        }
        Ok(if ended { Step::Idle } else { Step::More })
    }

    fn reset(&mut self) {
        self.input = None;
        self.viewpoint.release();
        self.values.clear();
        self.chunk = ChunkSize::default();
        self.producer.restart();
    }
}
