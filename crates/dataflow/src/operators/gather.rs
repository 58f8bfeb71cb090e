//! All of the stream together: where nothing may be written before everything has been read.

use crate::batch::Batch;
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::waiting::Waiting;

/// Lets traversers go on as they came, when the last one has come.
#[derive(Default)]
pub(super) struct Gather {
    waiting: Waiting,
}

impl Operator for Gather {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, _: &mut Output) -> Result<Step, QueryError> {
        if let Some(batch) = input {
            self.waiting.push(batch, cx)?;
        }
        Ok(Step::Idle)
    }

    fn complete(&mut self, _: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        Ok(self.waiting.release_next(out))
    }

    fn reset(&mut self) {
        self.waiting.clear();
    }
}
