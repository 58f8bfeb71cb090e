//! Traversers that wait until all of the stream has come: behind steps that fill a side-effect with the whole of it.

use std::collections::VecDeque;

use crate::batch::{Batch, Weight};
use crate::error::QueryError;
use crate::memory::reclaim;
use crate::operator::{Context, Output, Step};

use crate::memory::StateMemory;

/// Batches in the order in which they came.
#[derive(Default)]
pub(crate) struct Waiting {
    batches: VecDeque<Batch>,
    weight: Weight,
    held: StateMemory,
}

impl Waiting {
    /// Lets a batch wait.
    ///
    /// # Errors
    /// Past the query's bound of memory.
    pub(crate) fn push(&mut self, batch: Batch, cx: &Context<'_>) -> Result<(), QueryError> {
        let before = self.weight.bytes;
        batch.add_to(&mut self.weight);
        self.held.grow(&cx.query.memory, self.weight.bytes - before)?;
        self.batches.push_back(batch);
        Ok(())
    }

    /// Whether none waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// Lets the first of them go on. Whether more are left.
    pub(crate) fn release_next(&mut self, out: &mut Output) -> Step {
        if let Some(batch) = self.batches.pop_front() {
            out.emit(batch);
        }
        if self.batches.is_empty() { Step::Idle } else { Step::More }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        let bytes = self.held.bytes();
        if bytes >= reclaim::LARGE {
            return reclaim::free(std::mem::take(self), bytes);
        }
        self.batches.clear();
        self.weight = Weight::default();
        self.held.release();
    }
}
