//! What the graph refuses of a row, and what is to be done then.

use graph::GraphError;

use super::batch::Batch;
use crate::error::{BadRow, Fault};
use crate::sink::refused::bad_row;

/// Why a row is not written.
pub(super) enum Refusal {
    /// It is at fault, and nothing of it was written.
    Untouched(Fault),
    /// It is at fault, and a part of it was written: the transaction must not be committed.
    Midway(Fault),
    /// The transaction has no room for it.
    Full(GraphError),
    /// It may be written by another transaction.
    Again(GraphError),
    /// The graph has failed.
    Failed(GraphError),
}

/// What a row was written as.
pub(super) type Written<T> = Result<T, Refusal>;

impl Refusal {
    /// What the graph says to a write of which nothing has happened.
    pub(super) fn untouched(error: GraphError) -> Self {
        Self::of(error, Self::Untouched)
    }

    /// What it says to one in the midst of an element.
    pub(super) fn midway(error: GraphError) -> Self {
        Self::of(error, Self::Midway)
    }

    fn of(error: GraphError, at_fault: fn(Fault) -> Self) -> Self {
        match error {
            GraphError::LimitExceeded { .. } => Self::Full(error),
            error if error.is_retryable() => Self::Again(error),
            error if is_of_row(&error) => at_fault(fault(None, error.to_string())),
            error => Self::Failed(error),
        }
    }
}

/// Whether it says something of an element, and not of the graph.
pub(super) fn is_of_row(error: &GraphError) -> bool {
    matches!(
        error,
        GraphError::Schema(_)
            | GraphError::BadId(_)
            | GraphError::BadName { .. }
            | GraphError::HiddenName { .. }
            | GraphError::BadValue { .. }
            | GraphError::DuplicateVertexId(_)
            | GraphError::DuplicateEdgeId(_)
            | GraphError::NoSuchVertex(_)
            | GraphError::NoSuchEdge(_)
            | GraphError::NoSuchProperty(_)
    )
}

/// A fault of a row as a whole, or of what it has under a name.
pub(super) fn fault(field: Option<&str>, problem: String) -> Fault {
    Fault { column: 0, field: field.map(str::to_owned), problem }
}

impl Batch {
    pub(super) fn bad_row(&self, row: usize, fault: Fault) -> BadRow {
        bad_row(&self.file, (self.places[row], self.in_bytes), fault)
    }
}
