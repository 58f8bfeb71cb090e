//! A query from its first batch to its last: the root of an operator tree.

use std::sync::Arc;
use std::time::Duration;

use graph::{ReadNotes, Transaction};
use planner::physical::{IntraPolicy, Op, OpKind};
use values::{Value, watch};

use super::answer::Answer;
use super::result::{Results, Summary};
use super::state::QueryState;
use crate::batch::{Batch, Weight, bulk};
use crate::detach::{self, Detacher, Noted};
use crate::entered::Entered;
use crate::error::QueryError;
use crate::instance::{Instance, Progress};
use crate::memory::{Charge, reclaim};
use crate::operator::{Context, Output};
use crate::quota::Quota;
use crate::raised;
use crate::scope_tag::ScopeTag;
use crate::seat::Seat;

/// The root scope instance of a query, on the executor that runs it.
pub struct RunningQuery {
    state: Arc<QueryState>,
    root: Instance,
    root_op: Op,
    started: bool,
    results: u64,
    time: Duration,
    detach: detach::Detail,
    /// Results that are not detached yet.
    leaving: Leaving,
    /// In a transaction: all results. What it is that they show is known at its end.
    answer: Answer,
    /// How far the operators had come when they left.
    progress: Progress,
}

/// What came of a query that ran to its end, and of its commit.
pub(crate) struct Committed {
    pub summary: Summary,
    pub results: Results,
    /// The commit, if there was one: a flush may be due.
    pub settled: Option<graph::Settled>,
}

/// Batches of results on their way out.
#[derive(Default)]
struct Leaving {
    batches: Vec<Batch>,
    /// Of the large ones, until all have left.
    charges: Vec<Charge>,
    /// The batch that leaves, and how many of its rows have left.
    at: usize,
    row: usize,
}

/// Bytes of results that leave together, roughly, or one result if that is larger.
const LEAVE_TOGETHER: usize = 1 << 20;

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
        let (leaving, progress) = (Leaving::default(), Progress::Ready);
        Self {
            state,
            root,
            root_op,
            started: false,
            results: 0,
            time: Duration::ZERO,
            detach,
            leaving,
            answer: Answer::default(),
            progress,
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
        // Long work on values ends by unwinding: see `values::watch`.
        let outcome = watch::watched(self.state.clone(), || self.advance(quota));
        let outcome = outcome.unwrap_or_else(|_| Err(self.state.ended()));
        let outcome = outcome.map_err(|error| explain(&self.state, error));
        self.time += self.state.clock.now().saturating_sub(began);
        if outcome.is_err() {
            let bytes = self.state.memory.used() as usize;
            let rest = Instance::new(self.state.plan.root.clone());
            let terminated = (std::mem::replace(&mut self.root, rest), std::mem::take(&mut self.leaving));
            reclaim::free(terminated, bytes);
        }
        outcome
    }

    fn advance(&mut self, quota: Quota<'_>) -> Result<(Progress, Results), QueryError> {
        self.state.check()?;
        if !self.leaving.batches.is_empty() {
            let leaving = std::mem::take(&mut self.leaving);
            return self.leave(leaving);
        }
        let state = self.state.clone();
        let cx = Context {
            query: &state,
            op: &self.root_op,
            tag: ScopeTag::default(),
            loop_memory: None,
            piece_memory: None,
            single_tag: true,
            tags: 1,
            entered: Entered::All,
            alone: false,
            quota,
        };
        // Of a query that was ended in the middle of a call.
        drop(raised::take());
        if !std::mem::replace(&mut self.started, true) {
            self.root.receive(Batch::seed(state.plan.slots as usize, state.plan.history.is_kept()), &cx)?;
            self.root.end_input();
        }
        let mut out = Output::default();
        self.progress = self.root.run(&cx, IntraPolicy::DepthFirst, &mut out)?;
        // A section that could not be read must end the query rather than look empty, and so must a test that failed.
        state.snapshot().check()?;
        state.check_failure()?;
        if state.answers_at_end() {
            for batch in out.batches {
                self.results = bulk::sum(self.results, self.answer.hold(batch, &cx)?);
            }
            return Ok((self.progress, Results::new()));
        }
        if out.batches.is_empty() {
            return Ok((self.progress, Results::new()));
        }
        let mut leaving = Leaving { batches: out.batches, ..Leaving::default() };
        for batch in &leaving.batches {
            if let Some(charge) = self.admit(batch, &cx)? {
                leaving.charges.push(charge);
            }
        }
        self.leave(leaving)
    }

    /// Charges a batch of results while it leaves, if it may be large.
    fn admit(&self, batch: &Batch, cx: &Context<'_>) -> Result<Option<Charge>, QueryError> {
        if batch.is_slight() || !batch.has_values() {
            return Ok(None);
        }
        let weight = batch.weight();
        weight.admit(self.state.memory.limit())?;
        Ok(if weight.bytes >= LEAVE_TOGETHER {
            Some(Charge::take(&cx.query.memory, weight.bytes)?)
        } else {
            None
        })
    }

    /// Detaches what leaves together, and keeps the rest.
    fn leave(&mut self, mut leaving: Leaving) -> Result<(Progress, Results), QueryError> {
        let mut results = Results::new();
        let memory = &self.state.memory;
        let snapshot = self.state.snapshot();
        let reader = snapshot.reader();
        let room = memory.limit().saturating_sub(memory.used());
        // What leaves a transaction that goes on has been read by it.
        let notes = self.state.transaction().map(ReadNotes::new);
        let mut detacher = Detacher::new(&reader, self.detach, room);
        if let Some(notes) = &notes {
            detacher = detacher.noting(Noted::Now { notes, gone: self.answer.gone(), before: &reader });
        }
        let (mut weight, mut full) = (Weight::default(), false);
        while !full && let Some(batch) = leaving.batches.get(leaving.at) {
            let (from, len) = (leaving.row, batch.len);
            if results.is_empty() {
                results = Results::with_capacity(len - from);
            }
            let mut row = from;
            while row < len && !full {
                let count = bulk::exact(batch.bulk(row))? as u64;
                self.results = bulk::sum(self.results, count);
                let mut result = batch.current.value(row);
                if !Weight::is_bare(&result) {
                    let extent;
                    (result, extent) = detacher.owned(result);
                    weight.add_measured(&result, extent);
                }
                weight.bytes += size_of::<(Value, u64)>();
                full = weight.bytes >= LEAVE_TOGETHER;
                results.push((result, count));
                row += 1;
            }
            leaving.row = row;
            if row == len {
                (leaving.at, leaving.row) = (leaving.at + 1, 0);
            }
        }
        if detacher.is_incomplete() {
            return Err(QueryError::MemoryExceeded { limit: memory.limit() });
        }
        if leaving.at < leaving.batches.len() {
            self.leaving = leaving;
            return Ok((Progress::Ready, results));
        }
        Ok((self.progress, results))
    }

    /// What there is to say at the end.
    pub fn summary(&self) -> Summary {
        Summary {
            results: self.results,
            time: self.time,
            peak_memory: self.state.memory.peak(),
            wrote: self.state.transaction().is_some_and(Transaction::has_writes),
        }
    }

    /// Ends a query that ran to its end: commits its transaction, if it has one, and waits until the commit is durable. The
    /// results of a transaction: elements as they are at its commit, so that of two transactions that each write what the other one
    /// returns, the later returns what the earlier wrote.
    ///
    /// # Errors
    /// [`QueryError::Graph`], retryable on a conflict.
    pub fn commit(self) -> Result<(Summary, Results), QueryError> {
        let Committed { summary, results, settled } = self.commit_from(&Seat::default())?;
        if let Some(settled) = settled {
            settled.flush();
        }
        Ok((summary, results))
    }

    /// The same, of one that computes only while it has the seat. The flush that may be due is left to be done when the outcome is told.
    pub(crate) fn commit_from(self, seat: &Seat) -> Result<Committed, QueryError> {
        let summary = self.summary();
        let without_commit = |results| Committed { summary: summary.clone(), results, settled: None };
        if self.state.is_part() {
            let _seated = seat.take_soon();
            return Ok(without_commit(self.end_within()?));
        }
        let Some(transaction) = self.state.transaction() else { return Ok(without_commit(Results::new())) };
        let seated = seat.take_soon();
        let mut results = self.answered(&ReadNotes::of_shown(transaction))?;
        let Self { state, root, answer, detach, .. } = self;
        drop(root);
        let deadline = state.cancel.request().and_then(|request| request.deadline());
        let written = state.transaction().map_or(0, Transaction::held_bytes);
        let submit = |transaction: &Transaction| transaction.submit_by(deadline);
        let submitted = state.transaction().map(submit).transpose();
        let submitted = match submitted.map_err(|error| explain(&state, error.into())) {
            Ok(submitted) => submitted,
            // Who waits for the answer need not wait until all is free that was to be written.
            Err(error) => {
                let bytes = state.memory.used() as usize + written;
                reclaim::free_behind((state, results), bytes);
                return Err(error);
            }
        };
        // While it waits its snapshot keeps nothing in memory.
        drop(state);
        drop(seated);
        let mut settled = submitted.map(graph::Submitted::settle).transpose()?;
        if let Some(shown) = settled.as_mut().and_then(|settled| settled.shown.take()) {
            let _seated = seat.take_soon();
            drop(results);
            results = answer.later(&shown, detach);
            shown.check()?;
        }
        Ok(Committed { summary, results, settled })
    }

    /// Ends a query that ran to its end and is a part of a transaction that goes on; its results, if it has kept them until now.
    /// Elements are as they are now, and that is read: their properties must still be these at the commit.
    ///
    /// # Errors
    /// If something could not be read.
    pub fn end_within(self) -> Result<Results, QueryError> {
        match self.state.transaction() {
            Some(transaction) if self.state.answers_at_end() => self.answered(&ReadNotes::new(transaction)),
            _ => Ok(Results::new()),
        }
    }

    /// The results as the transaction sees them. What they show is noted.
    fn answered(&self, notes: &ReadNotes<'_>) -> Result<Results, QueryError> {
        let now = || self.answer.now(&self.state, notes, self.detach);
        let results = watch::watched(self.state.clone(), now).unwrap_or_else(|_| Err(self.state.ended()));
        let results = results.map_err(|error| explain(&self.state, error))?;
        self.state.snapshot().check()?;
        Ok(results)
    }
}

/// The error as its user sees it. The pools learn of queries that were not done in time.
fn explain(state: &QueryState, error: QueryError) -> QueryError {
    let error = match error {
        QueryError::Graph(cause) if matches!(*cause, graph::GraphError::Interrupted) => state.interrupted(),
        error => error,
    };
    if let (QueryError::TimedOut(_), Some(request)) = (&error, state.cancel.request()) {
        request.note_time_out();
    }
    error
}
