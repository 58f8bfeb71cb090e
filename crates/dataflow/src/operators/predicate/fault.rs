//! A test that cannot be applied, and the query that it is a part of.

use std::sync::Arc;

use values::watch;

use crate::error::QueryError;
use crate::operator::Context;
use crate::query::QueryState;

/// Ends a query whose test cannot be applied: tests answer yes or no, so it happens behind their backs.
pub(super) struct Fault {
    query: Arc<QueryState>,
    step: Box<str>,
}

impl Fault {
    /// What tests of a step may meet.
    pub(super) fn of(cx: &Context<'_>) -> Self {
        Self { query: Arc::clone(cx.query), step: cx.op.step.as_str().into() }
    }

    /// An error of the step.
    pub(super) fn error(&self, message: String) -> QueryError {
        QueryError::step(&self.step, message)
    }

    /// Ends the query with an error of the step, at once or before another result leaves.
    pub(super) fn raise(&self, message: String) {
        self.query.cancel.fail(self.error(message));
        watch::look();
    }
}

impl std::fmt::Debug for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fault").field("step", &self.step).finish_non_exhaustive()
    }
}
