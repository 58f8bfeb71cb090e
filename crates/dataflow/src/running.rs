//! A query from its first batch to its last: the root of an operator tree.

use std::sync::Arc;
use std::time::Duration;

use planner::physical::{IntraPolicy, Op, OpKind};

use crate::batch::{Batch, bulk};
use crate::detach;
use crate::entered::Entered;
use crate::error::QueryError;
use crate::instance::{Instance, Progress};
use crate::operator::{Context, Output};
use crate::query::QueryState;
use crate::quota::Quota;
use crate::result::{Results, Summary};

/// The root scope instance of a query, on the executor that runs it.
pub struct RunningQuery {
    state: Arc<QueryState>,
    root: Instance,
    root_op: Op,
    started: bool,
    results: u64,
    time: Duration,
    detach: detach::Detail,
}

impl std::fmt::Debug for RunningQuery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunningQuery")
            .field("results", &self.results)
            .field("time", &self.time)
            .finish_non_exhaustive()
    }
}

impl RunningQuery {
    /// A query that has not begun.
    pub fn new(state: Arc<QueryState>, detach: detach::Detail) -> Self {
        let root = Instance::new(state.plan.root.clone());
        let root_op = Op {
            id: u32::MAX,
            kind: OpKind::Discard,
            step: "query".into(),
            labels: Vec::new(),
            moves: false,
            rows: 0.0,
        };
        Self { state, root, root_op, started: false, results: 0, time: Duration::ZERO, detach }
    }

    /// For how long it has run.
    pub(crate) fn time(&self) -> Duration {
        self.time
    }

    /// What its operators share.
    pub fn state(&self) -> &Arc<QueryState> {
        &self.state
    }

    /// Runs for at most `quota`, or until there are results.
    ///
    /// # Errors
    /// The error that ends the query; its operators are terminated then.
    pub fn run(&mut self, quota: Quota<'_>) -> Result<(Progress, Results), QueryError> {
        let began = self.state.clock.now();
        let outcome = self.advance(quota).map_err(|error| self.explain(error));
        self.time += self.state.clock.now().saturating_sub(began);
        if outcome.is_err() {
            self.root.reset();
        }
        outcome
    }

    /// The error as its user sees it. The pools learn of queries that were not done in time.
    fn explain(&self, error: QueryError) -> QueryError {
        let error = match error {
            QueryError::Graph(cause) if matches!(*cause, graph::GraphError::Interrupted) => {
                self.state.interrupted()
            }
            error => error,
        };
        if let (QueryError::TimedOut(_), Some(request)) = (&error, self.state.cancel.request()) {
            request.note_time_out();
        }
        error
    }

    fn advance(&mut self, quota: Quota<'_>) -> Result<(Progress, Results), QueryError> {
        self.state.check()?;
        let state = self.state.clone();
        let cx = Context {
            query: &state,
            op: &self.root_op,
            loops: 0,
            loop_memory: None,
            piece_memory: None,
            single_tag: true,
            tags: 1,
            entered: Entered::All,
            quota,
        };
        if !std::mem::replace(&mut self.started, true) {
            self.root.receive(Batch::seed(state.plan.slots as usize, state.plan.paths), &cx)?;
            self.root.end_input();
        }
        let mut out = Output::default();
        let progress = self.root.run(&cx, IntraPolicy::DepthFirst, &mut out)?;
        // A section that could not be read must end the query rather than look empty, and so must a test that failed.
        state.snapshot().check()?;
        state.check_failure()?;
        let results = self.detach(out.batches)?;
        Ok((progress, results))
    }

    fn detach(&mut self, batches: Vec<Batch>) -> Result<Results, QueryError> {
        if batches.is_empty() {
            return Ok(Results::new());
        }
        let snapshot = self.state.snapshot();
        let reader = snapshot.reader();
        let mut results = Results::with_capacity(batches.iter().map(|b| b.len).sum());
        for batch in &batches {
            for row in 0..batch.len {
                let count = bulk::exact(batch.bulk(row))? as u64;
                self.results = bulk::sum(self.results, count);
                results.push((detach::detach(&batch.current.value(row), &reader, self.detach), count));
            }
        }
        Ok(results)
    }

    /// What there is to say at the end.
    pub fn summary(&self) -> Summary {
        Summary {
            results: self.results,
            time: self.time,
            peak_memory: self.state.memory.peak(),
            wrote: self.state.transaction().is_some_and(graph::Transaction::has_writes),
        }
    }

    /// Ends a query that ran to its end: commits its transaction, if it has one. Waits until the commit is durable.
    ///
    /// # Errors
    /// [`QueryError::Graph`], retryable on a conflict.
    pub fn commit(self) -> Result<Summary, QueryError> {
        let summary = self.summary();
        let Self { state, root, .. } = self;
        drop(root);
        let submitted = state.transaction().map(graph::Transaction::submit).transpose()?;
        // While it waits, and maybe flushes, its snapshot keeps nothing in memory.
        drop(state);
        submitted.map(graph::Submitted::wait).transpose()?;
        Ok(summary)
    }
}
