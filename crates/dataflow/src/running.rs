//! A query from its first batch to its last: the root of an operator tree.

use std::sync::Arc;
use std::time::Duration;

use graph::{ReadNotes, Reader, Snapshot};
use planner::physical::{IntraPolicy, Op, OpKind};

use values::Value;

use crate::batch::Batch;
use crate::detach::{self, Gone, Noted};
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
    /// In a transaction: the results so far, attached to the graph. What it is that they show is known at its end.
    held: Results,
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
        Self {
            state,
            root,
            root_op,
            started: false,
            results: 0,
            time: Duration::ZERO,
            detach,
            held: Results::new(),
        }
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
            quota,
        };
        if !std::mem::replace(&mut self.started, true) {
            self.root.receive(Batch::seed(state.plan.slots as usize, state.plan.paths), &cx)?;
            self.root.end_input();
        }
        let mut out = Output::default();
        let progress = self.root.run(&cx, IntraPolicy::DepthFirst, &mut out)?;
        // A section that could not be read must end the query rather than look empty.
        state.snapshot().check()?;
        let results = self.detach(out.batches)?;
        Ok((progress, results))
    }

    fn detach(&mut self, batches: Vec<Batch>) -> Result<Results, QueryError> {
        if batches.is_empty() {
            return Ok(Results::new());
        }
        let rows = batches.iter().flat_map(|batch| (0..batch.len).map(move |row| (batch, row)));
        let rows = rows.map(|(batch, row)| (batch.current.value(row), batch.bulk(row)));
        if self.state.transaction().is_some() {
            let before = self.held.len();
            self.held.extend(rows);
            self.results += self.held[before..].iter().map(|(_, bulk)| bulk).sum::<u64>();
            return Ok(Results::new());
        }
        let snapshot = self.state.snapshot();
        let reader = snapshot.reader();
        let mut results = Results::with_capacity(batches.iter().map(|b| b.len).sum());
        for (value, bulk) in rows {
            self.results += bulk;
            results.push((detach::detach(&value, &reader, self.detach), bulk));
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

    /// Ends a query that ran to its end: commits its transaction, if it has one, and waits until the commit is durable. The
    /// results of a transaction: elements as they are at its commit, so that of two transactions that each write what the other one
    /// returns, the later returns what the earlier wrote.
    ///
    /// # Errors
    /// [`QueryError::Graph`], retryable on a conflict.
    pub fn commit(self) -> Result<(Summary, Results), QueryError> {
        let summary = self.summary();
        let Self { state, root, held, detach: detail, .. } = self;
        drop(root);
        let Some(transaction) = state.transaction() else { return Ok((summary, Results::new())) };
        let answer = Answer { held, detail, gone: Gone::default() };
        let mut results = answer.now(&state, &ReadNotes::of_shown(transaction))?;
        state.snapshot().check()?;
        let submitted = transaction.submit()?;
        // While it waits, and maybe flushes, its snapshot keeps nothing in memory.
        drop(state);
        if let Some(shown) = submitted.wait_to_show()? {
            results = answer.later(&shown);
            shown.check()?;
        }
        Ok((summary, results))
    }

    /// Ends a query that ran to its end and is a part of a transaction that goes on; its results. Elements are as they are now,
    /// and that is read: their properties must still be these at the commit.
    ///
    /// # Errors
    /// If something could not be read.
    pub fn leave(self) -> Result<Results, QueryError> {
        let Self { state, root, held, detach: detail, .. } = self;
        drop(root);
        let Some(transaction) = state.transaction() else { return Ok(Results::new()) };
        let answer = Answer { held, detail, gone: Gone::default() };
        let results = answer.now(&state, &ReadNotes::new(transaction))?;
        state.snapshot().check()?;
        Ok(results)
    }
}

/// The results of a transaction, attached to the graph.
struct Answer {
    held: Results,
    detail: detach::Detail,
    gone: Gone,
}

impl Answer {
    /// What they are now for the transaction.
    fn now(&self, state: &QueryState, notes: &ReadNotes<'_>) -> Result<Results, QueryError> {
        let (snapshot, base) = (state.snapshot(), state.transaction().map(graph::Transaction::base));
        let (reader, before) = (snapshot.reader(), base.unwrap_or(&snapshot).reader());
        let noted = Noted::Now { notes, gone: &self.gone, before: &before };
        let mut results = Results::with_capacity(self.held.len());
        for some in self.held.chunks(Batch::TARGET_ROWS) {
            state.check()?;
            self.detach(some, &reader, noted, &mut results);
        }
        Ok(results)
    }

    /// What they are as of its commit. There is no deadline any more: what is committed is committed.
    fn later(&self, snapshot: &Snapshot) -> Results {
        let mut results = Results::with_capacity(self.held.len());
        self.detach(&self.held, &snapshot.reader(), Noted::Later(&self.gone), &mut results);
        results
    }

    fn detach(&self, some: &[(Value, u64)], reader: &Reader<'_>, noted: Noted<'_>, results: &mut Results) {
        let detach = |value| detach::detach_noted(value, reader, self.detail, noted);
        results.extend(some.iter().map(|(value, bulk)| (detach(value), *bulk)));
    }
}
