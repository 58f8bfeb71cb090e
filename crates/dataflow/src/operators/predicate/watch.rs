//! A test that may fail or take long, and the query that it is a part of.

use std::cell::Cell;
use std::sync::Arc;

use crate::error::QueryError;
use crate::operator::Context;
use crate::query::QueryState;

/// Work, in steps of a few nanoseconds, after which it is looked up whether the query is to end.
const PATIENCE: usize = 1 << 20;

/// Ends a query whose test failed, and a test whose query is to end. Tests answer yes or no, so both happen behind their backs:
/// what they answer then is never seen.
pub(super) struct Watch {
    query: Arc<QueryState>,
    step: Box<str>,
    spent: Cell<usize>,
    has_ended: Cell<bool>,
}

impl Watch {
    pub(super) fn new(cx: &Context<'_>) -> Self {
        let query = Arc::clone(cx.query);
        Self { query, step: cx.op.step.as_str().into(), spent: Cell::default(), has_ended: Cell::default() }
    }

    /// An error of the step that the test belongs to.
    pub(super) fn error(&self, message: String) -> QueryError {
        QueryError::step(&self.step, message)
    }

    /// Ends the query with an error.
    pub(super) fn fail(&self, message: String) {
        self.has_ended.set(true);
        self.query.cancel.fail(self.error(message));
    }

    /// Notes work that is about to be done; whether it is to be.
    pub(super) fn spend(&self, work: usize) -> bool {
        let spent = self.spent.get().saturating_add(work);
        if spent < PATIENCE {
            self.spent.set(spent);
            return !self.has_ended.get();
        }
        self.spent.set(0);
        self.goes_on()
    }

    /// Whether the query goes on. If not, it ends with the reason for sure: its last test might be this one.
    pub(super) fn goes_on(&self) -> bool {
        if !self.has_ended.get()
            && let Err(reason) = self.query.check()
        {
            self.has_ended.set(true);
            self.query.cancel.fail(reason);
        }
        !self.has_ended.get()
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("step", &self.step).finish_non_exhaustive()
    }
}
