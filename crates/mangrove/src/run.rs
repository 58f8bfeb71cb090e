//! Runs a request on the calling thread.

use std::{
    sync::{Arc, atomic::Ordering},
    thread,
    time::{Duration, Instant},
};

use dataflow::{Access, Caller, Counting, LocalQuery, QueryError, QuerySpec};
use graph::{GraphError, Turn};
use values::Value;

use crate::{
    Error, Results,
    backoff::backoff,
    database::Inner,
    origin::Origin,
    prepare::{Preparation, Prepared},
    profile,
    script::{Mode, Request},
    services::{self, Within},
    time_limit::TimeLimit,
};

/// Runs a request as a transaction of its own.
pub(crate) fn run(inner: &Inner, request: Request) -> Result<Results<'_>, Error> {
    let mode = request.mode;
    match mode {
        Mode::Nothing => return Ok(Results::complete(Vec::new(), false)),
        Mode::Explain => {
            let traversal = services::substitute(inner, request.traversal, Within::Explanation)?;
            let text = inner.preparer.explain(&traversal, &inner.graph.snapshot(), inner.usual_time())?;
            return Ok(Results::one(text));
        }
        Mode::Run | Mode::RunForOne => {}
    }
    let traversal = services::substitute(inner, request.traversal, Within::Request)?;
    match inner.preparer.prepare(traversal, inner.graph.snapshot(), inner.usual_time())? {
        Preparation::Run(prepared, lifted) => {
            run_prepared(inner, prepared, mode, || Origin::Traversal(lifted))
        }
        Preparation::Explanation(text) => Ok(Results::one(text)),
    }
}

/// Runs a plan as a transaction of its own. `origin` says what to plan if it must be tried again.
pub(crate) fn run_prepared(
    inner: &Inner,
    prepared: Prepared,
    mode: Mode,
    origin: impl FnOnce() -> Origin,
) -> Result<Results<'_>, Error> {
    let needs_one = mode == Mode::RunForOne;
    if prepared.plan.profile {
        return Ok(Results::one(run_profiled(inner, prepared, &origin())?));
    }
    if prepared.plan.writes {
        let results = write(inner, prepared, &origin(), Counting::Off, |_| {})?;
        return Ok(Results::complete(results, needs_one));
    }
    Ok(Results::running(inner.engine.run_here(prepared.into_spec(inner, None, Counting::Off)), needs_one))
}

/// Runs a request and tells where the time went.
pub(crate) fn profile(inner: &Inner, request: Request) -> Result<String, Error> {
    let traversal = services::substitute(inner, request.traversal, Within::Request)?;
    match inner.preparer.prepare(traversal, inner.graph.snapshot(), inner.usual_time())? {
        Preparation::Run(prepared, lifted) => run_profiled(inner, prepared, &Origin::Traversal(lifted)),
        Preparation::Explanation(text) => Ok(text),
    }
}

/// Runs a plan to its end, counting and timing every operator.
fn run_profiled(inner: &Inner, prepared: Prepared, origin: &Origin) -> Result<String, Error> {
    let mut report = String::new();
    if prepared.plan.writes {
        let before_commit = |query: &LocalQuery<'_>| report = report_of(query);
        write(inner, prepared, origin, Counting::Timed, before_commit)?;
    } else {
        let mut query = inner.engine.run_here(prepared.into_spec(inner, None, Counting::Timed));
        drain(&mut query)?;
        report = report_of(&query);
    }
    Ok(report)
}

fn report_of(query: &LocalQuery<'_>) -> String {
    query.state().map_or_else(String::new, |state| profile::report(&state.plan, &state.profile))
}

/// Runs a writing query until it has committed, again and again while it loses against concurrent writes. Each time it is
/// planned for the snapshot that it runs on.
fn write(
    inner: &Inner,
    mut prepared: Prepared,
    origin: &Origin,
    counting: Counting,
    mut before_commit: impl FnMut(&LocalQuery<'_>),
) -> Result<Vec<(Value, u64)>, Error> {
    let mut attempt = 0;
    let turn = inner.graph.turn();
    let timeout = prepared.timeout.or(inner.options.timeout);
    let began = Instant::now();
    let time = TimeLimit::since(began, timeout);
    loop {
        let mut spec = prepared.into_spec(inner, Some(&turn), counting);
        spec.spent = began.elapsed();
        let mut query = inner.engine.run_here(spec);
        let outcome = drain(&mut query).and_then(|_| {
            before_commit(&query);
            query.finish()
        });
        match outcome {
            Err(QueryError::Graph(error)) if error.is_retryable() => {
                attempt += 1;
                if attempt > inner.options.write_retries {
                    return Err(conflict(inner, attempt, error));
                }
                if !turn.wait(time.deadline()) {
                    thread::sleep(backoff(attempt, fastrand::u64(..)));
                }
                prepared = origin.prepare(inner, inner.graph.snapshot(), time)?;
            }
            outcome => return Ok(outcome?.1),
        }
    }
}

/// The last word on a request that lost every time.
pub(crate) fn conflict(inner: &Inner, attempts: u32, last: Arc<GraphError>) -> Error {
    inner.refused.fetch_add(1, Ordering::Relaxed);
    Error::Conflict { attempts, last }
}

/// All results of a query.
pub(crate) fn drain(query: &mut LocalQuery<'_>) -> Result<Vec<(Value, u64)>, QueryError> {
    let mut all = Vec::new();
    while let Some(batch) = query.next_batch()? {
        all.extend(batch);
    }
    Ok(all)
}

impl Prepared {
    /// What the engine is told to run: on the snapshot, or in a transaction that begins there. `turn` is that of a request that
    /// writes.
    pub(crate) fn into_spec(self, inner: &Inner, turn: Option<&Arc<Turn>>, counting: Counting) -> QuerySpec {
        let snapshot = self.snapshot.clone();
        let access = match turn {
            Some(turn) => Access::Write(Arc::new(inner.graph.begin_in(snapshot, turn))),
            None => Access::Read(snapshot),
        };
        self.spec(inner, access, counting)
    }

    /// The same within a transaction, whose snapshot it was planned for.
    pub(crate) fn into_spec_within(self, inner: &Inner, transaction: Arc<graph::Transaction>) -> QuerySpec {
        self.spec(inner, Access::Write(transaction), Counting::Off)
    }

    fn spec(self, inner: &Inner, access: Access, counting: Counting) -> QuerySpec {
        QuerySpec {
            plan: self.plan,
            params: self.params,
            access,
            caller: Caller::Application,
            timeout: self.timeout.or(inner.options.timeout),
            spent: Duration::ZERO,
            memory: inner.options.memory_per_query,
            counting,
            detail: self.detail,
        }
    }
}
