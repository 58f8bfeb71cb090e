//! How a query can fail.

use std::time::Duration;

/// Why a query ended without all its results.
#[derive(Clone, Debug, thiserror::Error)]
pub enum QueryError {
    /// A step met an object it cannot work on, or an argument out of its domain.
    #[error("step {step}: {message}")]
    Step {
        /// The step, as written.
        step: String,
        /// What was wrong, and what to do.
        message: String,
    },
    /// `fail()` was reached.
    #[error("fail() step triggered: {0}")]
    Fail(String),
    /// The query ran longer than its evaluation timeout.
    #[error(
        "the query exceeded its evaluation timeout of {0:?}; raise `evaluationTimeout` or narrow the traversal"
    )]
    TimedOut(Duration),
    /// The client went away or asked for the end.
    #[error("the query was cancelled")]
    Cancelled,
    /// Equal traversers, or what they add up to, are more than a long can count.
    #[error(
        "long overflow: there are more than 9223372036854775807 traversers to be counted; narrow the traversal"
    )]
    Countless,
    /// The query's intermediate results outgrew its bound.
    #[error(
        "the query needs more than its memory bound of {limit} bytes; narrow it or raise `engine.memory_per_query`"
    )]
    MemoryExceeded {
        /// The bound, in bytes.
        limit: u64,
    },
    /// A value, written out, is larger than what a query may hold: its parts occur in it again and again.
    #[error(
        "a value of {size} bytes, written out, is larger than the query's memory bound of {limit} bytes; narrow the \
         traversal or raise `engine.memory_per_query`"
    )]
    ValueTooLarge {
        /// Its size in bytes, or the largest that is counted.
        size: u64,
        /// The bound, in bytes.
        limit: u64,
    },
    /// A value is nested more deeply than any that leaves the engine.
    #[error(
        "a value has more than {limit} collections inside one another, whatever `engine.memory_per_query` is; \
         flatten it, for instance with `unfold()`"
    )]
    ValueTooDeep {
        /// The bound.
        limit: u16,
    },
    /// All queries together hold as much as they may.
    #[error(
        "all queries together need more than `engine.memory_queries`, or those of the tenant more than its `max_memory`, {limit} \
         bytes, and none ended soon enough; send the query again"
    )]
    Busy {
        /// The bound, in bytes.
        limit: u64,
    },
    /// The graph refused a read or a write.
    #[error(transparent)]
    Graph(std::sync::Arc<graph::GraphError>),
    /// The engine met a state it should not be able to reach; only this query is affected.
    #[error("internal error in step {step}: {message}; please report it")]
    Internal {
        /// The step, as written.
        step: String,
        /// What happened.
        message: String,
    },
    /// The engine is shutting down or has too many queries.
    #[error("the engine refuses new queries: {0}")]
    Refused(String),
}

impl QueryError {
    /// Whether it is one traverser's error, which counts only if that traverser's turn comes. Others end the query whatever it
    /// still needs.
    pub(crate) fn is_of_traverser(&self) -> bool {
        matches!(self, Self::Step { .. } | Self::Fail(_))
    }

    /// An error of a step.
    pub fn step(step: &str, message: impl Into<String>) -> Self {
        Self::Step { step: step.to_owned(), message: message.into() }
    }
}

impl From<graph::GraphError> for QueryError {
    fn from(error: graph::GraphError) -> Self {
        Self::Graph(std::sync::Arc::new(error))
    }
}
