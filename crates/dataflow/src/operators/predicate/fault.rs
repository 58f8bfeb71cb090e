//! A test that cannot be applied.

use crate::error::QueryError;
use crate::operator::Context;
use crate::raised;

/// Notes that a test cannot be applied: tests answer yes or no, so it happens behind their backs.
pub(super) struct Fault {
    step: Box<str>,
}

impl Fault {
    /// What tests of a step may meet.
    pub(super) fn of(cx: &Context<'_>) -> Self {
        Self { step: cx.op.step.as_str().into() }
    }

    /// An error of the step.
    pub(super) fn error(&self, message: String) -> QueryError {
        QueryError::step(&self.step, message)
    }

    /// Makes the call of the operator one that fails with an error of the step.
    pub(super) fn raise(&self, message: impl FnOnce() -> String) {
        raised::raise(|| self.error(message()));
    }
}

impl std::fmt::Debug for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fault").field("step", &self.step).finish_non_exhaustive()
    }
}
