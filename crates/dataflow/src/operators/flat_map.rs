//! Operators that make any number of rows of each traverser: one loop over the input for all of them, batch by batch.

use crate::batch::Batch;
use crate::edge_part::EdgePart;
use crate::error::QueryError;
use crate::executor::LongStep;
use crate::operator::{Context, Operator, Output, Step};

use super::chunk::ChunkSize;
use super::row_origins::{Origins, trace};
use super::view::{Graph, View, Viewpoint};

/// Fills batches with what it makes of an input, from a cursor of its own on.
pub(super) trait Fill: Send {
    /// What every such operator keeps.
    fn filling(&mut self) -> &mut Filling;

    /// Goes to the beginning of a new input, and says from where that is seen, if not from where the query stands now.
    fn rewind(&mut self) -> Option<Viewpoint>;

    /// Whether the next call of [`Fill::fill`] may outlast a turn, so that others are to have the executor meanwhile.
    fn takes_long(&self, _batch: &Batch, _cx: &Context<'_>) -> bool {
        false
    }

    /// Makes ready for an input, after [`Fill::rewind`].
    fn begin(&mut self, _batch: &Batch, _graph: &Graph<'_>, _cx: &Context<'_>) {}

    /// The next batch: about as many rows as [`Filling::chunk`] says, or fewer if its turn ends before. Where each comes from is
    /// in [`Filling::origins`].
    fn fill(
        &mut self,
        batch: &Batch,
        graph: &Graph<'_>,
        cx: &Context<'_>,
    ) -> Result<Option<Batch>, QueryError>;

    /// Whether the input is used up.
    fn is_done(&self, batch: &Batch) -> bool;

    /// The input is used up, and gone.
    fn end(&mut self) {}

    /// As [`Operator::restrict`].
    fn restrict(&mut self, _part: EdgePart) {
        unreachable!("only expansions can be told which edges to follow")
    }

    /// As [`Operator::is_blank`], when no input is left.
    fn is_blank(&self) -> bool {
        true
    }

    /// Forgets everything, keeping allocations.
    fn reset(&mut self) {}
}

/// How much is to be made at once, and of what it was made.
#[derive(Default)]
pub(super) struct Filling {
    pub(super) chunk: ChunkSize,
    pub(super) origins: Origins,
}

/// See the module.
#[derive(Default)]
pub(super) struct FlatMap<F> {
    filler: F,
    input: Option<Batch>,
    viewpoint: Viewpoint,
}

impl<F: Fill> FlatMap<F> {
    /// Nothing has come yet.
    pub(super) fn new(filler: F) -> Self {
        Self { filler, input: None, viewpoint: Viewpoint::default() }
    }
}

impl<F: Fill> Operator for FlatMap<F> {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let is_new = input.is_some();
        if is_new {
            self.input = input;
            match self.filler.rewind() {
                Some(viewpoint) => self.viewpoint = viewpoint,
                None => self.viewpoint.take(cx),
            }
        }
        let Some(batch) = self.input.take() else { return Ok(Step::Idle) };
        // Before the graph is looked at: it may wait for others, and what a reader could meet is kept for as long as there is one.
        let takes_long = self.filler.takes_long(&batch, cx);
        let _long = takes_long.then(|| LongStep::begin(|| cx.query.check())).transpose()?;
        let view = View::at(&self.viewpoint, cx);
        let graph = view.graph();
        if is_new {
            self.filler.begin(&batch, &graph, cx);
        }
        self.filler.filling().origins.start(&batch);
        if let Some(mut filled) = self.filler.fill(&batch, &graph, cx)? {
            trace(&mut filled, cx.op);
            out.emit(filled);
        }
        self.filler.filling().chunk.grow();
        if self.filler.is_done(&batch) {
            self.viewpoint.release();
            self.filler.end();
            return Ok(Step::Idle);
        }
        self.input = Some(batch);
        Ok(Step::More)
    }

    fn restrict(&mut self, part: EdgePart) {
        self.filler.restrict(part);
    }

    fn is_blank(&self) -> bool {
        self.input.is_none() && self.filler.is_blank()
    }

    fn reset(&mut self) {
        self.input = None;
        self.viewpoint.release();
        self.filler.filling().chunk = ChunkSize::default();
        self.filler.reset();
    }
}
