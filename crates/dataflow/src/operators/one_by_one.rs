//! Traversers one by one: where one may see what the one before it has done.

use crate::batch::Batch;
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

/// Emits a row per call. In an instance that runs depth first (the planner sees to it) the next call comes when all that was
/// made of the row has gone as far as it can.
#[derive(Default)]
pub(super) struct OneByOne {
    batch: Option<Batch>,
    next: u32,
}

impl Operator for OneByOne {
    fn step(&mut self, input: Option<Batch>, _: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        if let Some(batch) = input {
            if batch.len == 1 {
                out.emit(batch);
                return Ok(Step::Idle);
            }
            (self.batch, self.next) = (Some(batch), 0);
        }
        let Some(batch) = &self.batch else { return Ok(Step::Idle) };
        out.emit(batch.gather(&[self.next]));
        self.next += 1;
        if (self.next as usize) < batch.len {
            return Ok(Step::More);
        }
        self.batch = None;
        Ok(Step::Idle)
    }

    fn reset(&mut self) {
        (self.batch, self.next) = (None, 0);
    }
}
