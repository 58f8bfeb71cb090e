//! Merged traversers as many: where a subquery has to run for each of them.

use crate::batch::Batch;
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::repeated::Repeated;

/// Emits each traverser as often as its bulk says, each with a bulk of one.
#[derive(Default)]
pub(super) struct Unmerge(Repeated);

impl Operator for Unmerge {
    fn step(&mut self, input: Option<Batch>, _: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        if let Some(mut batch) = input {
            match batch.bulk.take() {
                None => out.emit(batch),
                Some(bulk) => self.0 = Repeated::new(batch, bulk),
            }
        }
        match self.0.next() {
            None => return Ok(Step::Idle),
            Some(made) => out.emit(made),
        }
        Ok(if self.0.is_done() { Step::Idle } else { Step::More })
    }

    fn reset(&mut self) {
        self.0 = Repeated::default();
    }
}
