//! Operators without state: one batch in, at most one batch out.

use crate::batch::Batch;
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

/// What such an operator does with a batch. What it needs of the plan it finds in the context.
pub(super) type Transform = fn(Batch, &Context<'_>) -> Result<Option<Batch>, QueryError>;

/// See the module.
pub(super) struct Direct(pub(super) Transform);

impl Operator for Direct {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        if let Some(batch) = input
            && let Some(batch) = (self.0)(batch, cx)?
        {
            out.emit(batch);
        }
        Ok(Step::Idle)
    }

    fn is_blank(&self) -> bool {
        true
    }

    fn reset(&mut self) {}
}
