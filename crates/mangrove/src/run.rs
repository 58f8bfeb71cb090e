//! Runs a request on the calling thread.

use std::{sync::Arc, thread};

use dataflow::{Access, Caller, Counting, LocalQuery, QueryError, QuerySpec, Summary};
use graph::{GraphError, Snapshot};
use values::Value;

use crate::{
    Error, Results,
    backoff::backoff,
    database::Inner,
    prepare::{Preparation, Prepared},
    profile,
    script::{Mode, Request},
    services::{self, Within},
};

/// Runs a request as a transaction of its own.
pub(crate) fn run(inner: &Inner, request: Request) -> Result<Results<'_>, Error> {
    let mode = request.mode;
    match mode {
        Mode::Nothing => return Ok(Results::complete(Vec::new(), false)),
        Mode::Explain => {
            let traversal = services::substitute(inner, request.traversal, Within::Explanation)?;
            let text = inner.preparer.explain(&traversal, &inner.graph.snapshot())?;
            return Ok(Results::one(text));
        }
        Mode::Run | Mode::RunForOne => {}
    }
    let traversal = services::substitute(inner, request.traversal, Within::Request)?;
    let snapshot = inner.graph.snapshot();
    let prepared = match inner.preparer.prepare(traversal, &snapshot)? {
        Preparation::Run(prepared) => prepared,
        Preparation::Explanation(text) => return Ok(Results::one(text)),
    };
    run_prepared(inner, &prepared, mode, snapshot)
}

/// Runs a plan as a transaction of its own.
pub(crate) fn run_prepared<'i>(
    inner: &'i Inner,
    prepared: &Prepared,
    mode: Mode,
    snapshot: Snapshot,
) -> Result<Results<'i>, Error> {
    let needs_one = mode == Mode::RunForOne;
    if prepared.plan.profile {
        return Ok(Results::one(run_profiled(inner, prepared)?));
    }
    if prepared.plan.writes {
        let (results, _) = write(inner, prepared, Counting::Off, |_| {})?;
        return Ok(Results::complete(results, needs_one));
    }
    let spec = prepared.spec(inner, Access::Read(snapshot), Counting::Off);
    Ok(Results::running(inner.engine.run_here(spec), needs_one))
}

/// Runs a request and tells where the time went.
pub(crate) fn profile(inner: &Inner, request: Request) -> Result<String, Error> {
    let traversal = services::substitute(inner, request.traversal, Within::Request)?;
    match inner.preparer.prepare(traversal, &inner.graph.snapshot())? {
        Preparation::Run(prepared) => run_profiled(inner, &prepared),
        Preparation::Explanation(text) => Ok(text),
    }
}

/// Runs a plan to its end, counting and timing every operator.
fn run_profiled(inner: &Inner, prepared: &Prepared) -> Result<String, Error> {
    let mut report = String::new();
    if prepared.plan.writes {
        let before_commit = |query: &LocalQuery<'_>| report = report_of(prepared, query);
        write(inner, prepared, Counting::Timed, before_commit)?;
    } else {
        let spec = prepared.spec(inner, Access::Read(inner.graph.snapshot()), Counting::Timed);
        let mut query = inner.engine.run_here(spec);
        drain(&mut query)?;
        report = report_of(prepared, &query);
    }
    Ok(report)
}

fn report_of(prepared: &Prepared, query: &LocalQuery<'_>) -> String {
    query.state().map_or_else(String::new, |state| profile::report(&prepared.plan, &state.profile))
}

/// Runs a writing query until it has committed, again and again while it loses against concurrent writes.
fn write(
    inner: &Inner,
    prepared: &Prepared,
    counting: Counting,
    mut before_commit: impl FnMut(&LocalQuery<'_>),
) -> Result<(Vec<(Value, u64)>, Summary), Error> {
    let mut attempt = 0;
    loop {
        let access = Access::Write(Arc::new(inner.graph.begin()));
        let mut query = inner.engine.run_here(prepared.spec(inner, access, counting));
        let outcome = drain(&mut query).and_then(|results| {
            before_commit(&query);
            Ok((results, query.finish()?))
        });
        match outcome {
            Err(QueryError::Graph(error)) if error.is_retryable() => {
                attempt += 1;
                if attempt > inner.options.write_retries {
                    return Err(conflict(attempt, error));
                }
                thread::sleep(backoff(attempt, fastrand::u64(..)));
            }
            outcome => return Ok(outcome?),
        }
    }
}

/// The last word on a request that lost every time.
pub(crate) fn conflict(attempts: u32, last: Arc<GraphError>) -> Error {
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
    /// What the engine is told to run.
    pub(crate) fn spec(&self, inner: &Inner, access: Access, counting: Counting) -> QuerySpec {
        QuerySpec {
            plan: self.plan.clone(),
            params: self.params.clone(),
            access,
            caller: Caller::Application,
            timeout: self.timeout.or(inner.options.timeout),
            memory: inner.options.memory_per_query,
            counting,
            detail: self.detail,
        }
    }
}
