//! A subquery that is asked about some elements at a time, which are told apart by their tags.

use std::sync::Arc;

use planner::physical::{IntraPolicy, Pipeline};

use crate::algorithms::Advance;
use crate::batch::{Batch, Column, Paths, Tags};
use crate::entered::Entered;
use crate::error::QueryError;
use crate::instance::{Instance, Progress};
use crate::operator::{Context, Output};

/// See the module.
pub(super) struct Asking {
    instance: Instance,
    intra: IntraPolicy,
    tags: u32,
}

impl Asking {
    pub(super) fn new(pipeline: &Pipeline, intra: IntraPolicy) -> Self {
        Self { instance: Instance::new(pipeline.clone()), intra, tags: 0 }
    }

    /// Asks about these elements, the first of which has tag 0. What was asked before must have been answered.
    pub(super) fn about(&mut self, elements: Column, len: usize, cx: &Context<'_>) -> Result<(), QueryError> {
        let mut batch = Batch::new(elements, len);
        batch.slots = vec![None; cx.query.plan.slots.into()];
        batch.tags = Tags::Rows(Arc::new((0..len as u32).collect()));
        if cx.query.plan.history.is_kept() {
            batch.path = Some(Arc::new(Paths::empty(len)));
            batch.extend_path(&[]);
        }
        self.begin(batch, cx)
    }

    /// Asks about the rows of a batch.
    pub(super) fn begin(&mut self, batch: Batch, cx: &Context<'_>) -> Result<(), QueryError> {
        self.tags = batch.len as u32;
        self.instance.receive(batch, &inside(self.tags, cx))?;
        self.instance.end_input();
        Ok(())
    }

    /// Goes on for the quota; `receive` is given the answers with their tags, each a row of a batch.
    pub(super) fn go_on(
        &mut self,
        cx: &Context<'_>,
        mut receive: impl FnMut(u32, &Batch, usize) -> Result<(), QueryError>,
    ) -> Result<Advance<()>, QueryError> {
        let mut results = Output::default();
        let progress = self.instance.run(&inside(self.tags, cx), self.intra, &mut results)?;
        for batch in &results.batches {
            for row in 0..batch.len {
                receive(batch.tags.get(row), batch, row)?;
            }
        }
        Ok(match progress {
            Progress::Complete => {
                self.instance.reset();
                Advance::Done(())
            }
            Progress::Blocked => Advance::Blocked,
            Progress::Ready | Progress::Idle => Advance::More,
        })
    }
}

fn inside<'a>(tags: u32, cx: &Context<'a>) -> Context<'a> {
    Context { single_tag: tags == 1, tags, entered: Entered::All, piece_memory: None, ..*cx }
}
