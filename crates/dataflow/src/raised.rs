//! The error of a test that could not be applied: tests answer yes or no, so it happens behind their backs.

use std::cell::Cell;

use crate::error::QueryError;

thread_local! {
    /// The first since an operator was called.
    static RAISED: Cell<Option<Box<QueryError>>> = const { Cell::new(None) };
}

/// The error of a test that the operator just called could not apply.
#[inline]
pub(crate) fn take() -> Option<QueryError> {
    RAISED.take().map(|error| *error)
}

/// Makes the call of the operator one that fails, with this error unless there is one.
pub(crate) fn raise(error: impl FnOnce() -> QueryError) {
    let first = RAISED.take().unwrap_or_else(|| Box::new(error()));
    RAISED.set(Some(first));
}
