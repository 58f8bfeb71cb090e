//! Results on their way out.

use std::sync::Arc;
use std::time::Duration;

use values::Value;

use crate::error::QueryError;
use crate::memory::MemoryMeter;
use crate::query::Profile;

/// Results of a query, detached from the graph, each with how often it occurs in a row.
pub type Results = Vec<(Value, u64)>;

/// Where a query's results go. Called from an executor, one call at a time; it must not block.
pub trait ResultSink: Send {
    /// The first call: what results can be counted with while they wait for their client.
    fn begin(&mut self, _memory: &Arc<MemoryMeter>) {}

    /// Takes a batch of results, or gives it back when its queue is full; the query is then suspended until the
    /// [`crate::Waker`] of its handle is called.
    ///
    /// # Errors
    /// The results, not taken.
    fn push(&mut self, results: Results) -> Result<(), Results>;

    /// Shows what a query has counted, if it was to count: before its outcome, whatever that is, and of a writing one that has run
    /// to its end before its commit.
    fn counted(&mut self, _profile: &Profile) {}

    /// Takes the outcome. The last call; not made when the query was cancelled by dropping its handle, unless it was committed all the
    /// same: then results that were given back are lost, but not that it was done.
    fn finish(&mut self, outcome: Result<Summary, QueryError>);
}

/// What there is to say of a query that ran to its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Number of results, bulks counted.
    pub results: u64,
    /// CPU time on its own executor.
    pub time: Duration,
    /// Most bytes of intermediate results held at once.
    pub peak_memory: u64,
    /// Whether it changed the graph.
    pub wrote: bool,
}
