//! How two results of one group become one, where several instances fill one side-effect.

use planner::physical::{Aggregation, OpKind, Pipeline};
use values::{Value, number};

use crate::error::QueryError;

/// How two results of one group become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    Add,
    Min,
    Max,
    Join,
    Replace,
}

impl Combine {
    /// As the value traversal of a `group` ends.
    pub(crate) fn of(value: &Pipeline) -> Self {
        match value.ops.last().map(|op| &op.kind) {
            Some(OpKind::Aggregate(Aggregation::Count | Aggregation::Sum)) => Self::Add,
            Some(OpKind::Aggregate(Aggregation::Min)) => Self::Min,
            Some(OpKind::Aggregate(Aggregation::Max)) => Self::Max,
            Some(OpKind::Aggregate(Aggregation::Fold)) => Self::Join,
            _ => Self::Replace,
        }
    }

    /// One of two.
    ///
    /// # Errors
    /// If they are not what the value traversal gives.
    pub(crate) fn apply(self, old: &Value, new: Value) -> Result<Value, QueryError> {
        let combined = match (self, old, new) {
            (Self::Add, old, new) => number::add(old, &new),
            (Self::Min, old, new) => number::min(old, &new),
            (Self::Max, old, new) => number::max(old, &new),
            (Self::Join, Value::List(old), Value::List(new)) => Ok([&old[..], &new[..]].concat().into()),
            (Self::Join | Self::Replace, _, new) => Ok(new),
        };
        combined.map_err(|e| QueryError::step("group", e.to_string()))
    }
}
