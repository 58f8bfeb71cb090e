//! A test that cannot be applied.

use std::cell::Cell;

use crate::error::QueryError;
use crate::operator::Context;

thread_local! {
    /// The error of the first test that could not be applied since an operator was called.
    static RAISED: Cell<Option<Box<QueryError>>> = const { Cell::new(None) };
}

/// The error of a test that the operator just called could not apply.
#[inline]
pub(crate) fn take_raised() -> Option<QueryError> {
    RAISED.take().map(|error| *error)
}

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
        let first = RAISED.take().unwrap_or_else(|| Box::new(self.error(message())));
        RAISED.set(Some(first));
    }
}

impl std::fmt::Debug for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fault").field("step", &self.step).finish_non_exhaustive()
    }
}
