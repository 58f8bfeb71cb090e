//! Runs a request on the calling thread.

use std::sync::Arc;

use dataflow::{Access, Counting, LocalQuery, QueryError, QuerySpec};
use values::{Metrics, Value};

use super::{attempts::Attempts, ready::Runnable, wishes::Wishes};
use crate::{Error, Results, database::Inner, profile};

/// Results of a query, each with how often it stands there.
type All = Vec<(Value, u64)>;

impl Runnable {
    /// Runs it as a transaction of its own. What only reads runs as its results are asked for.
    pub(crate) fn here<'db>(self, inner: &'db Inner, wishes: &Wishes) -> Result<Results<'db>, Error> {
        self.here_by(inner, wishes, |spec| inner.engine.run_here(spec))
    }

    /// As [`Runnable::here`], with results that may outlive whoever asks for them.
    pub(crate) fn here_apart(self, inner: &Inner, wishes: &Wishes) -> Result<Results<'static>, Error> {
        self.here_by(inner, wishes, |spec| inner.engine.run_with(spec))
    }

    fn here_by<'q>(
        self,
        inner: &Inner,
        wishes: &Wishes,
        begin: impl FnOnce(QuerySpec) -> LocalQuery<'q>,
    ) -> Result<Results<'q>, Error> {
        if self.prepared.plan.profile {
            return Ok(Results::one(self.profiled(inner, wishes)?));
        }
        let needs_one = self.needs_one;
        if self.origin.is_some() {
            let results = self.write(inner, wishes, Counting::Off, |_| {})?;
            return Ok(Results::complete(results, needs_one));
        }
        let spec = self.prepared.into_spec(inner, wishes, None, Counting::Off);
        Ok(Results::running(begin(spec).with_interrupt(wishes.interrupt()), needs_one))
    }

    /// Runs it to its end, counting and timing every operator; where the time went.
    pub(crate) fn profiled(self, inner: &Inner, wishes: &Wishes) -> Result<Metrics, Error> {
        let mut report = Metrics::default();
        if self.origin.is_some() {
            self.write(inner, wishes, Counting::Timed, |query| report = report_of(query))?;
        } else {
            let spec = self.prepared.into_spec(inner, wishes, None, Counting::Timed);
            let mut query = begin(inner, wishes, spec);
            drain(&mut query)?;
            report = report_of(&query);
        }
        Ok(report)
    }

    /// Runs it to its end within a transaction, which goes on.
    pub(crate) fn within(
        self,
        inner: &Inner,
        wishes: &Wishes,
        transaction: &Arc<graph::Transaction>,
    ) -> Result<Results<'static>, Error> {
        let access = Access::Within(Arc::clone(transaction));
        let spec = self.prepared.into_spec_within(inner, wishes, access);
        let mut query = begin(inner, wishes, spec);
        let mut results = drain(&mut query)?;
        // It is left, not finished: to finish it would be to commit.
        results.extend(query.end_within()?);
        Ok(Results::complete(results, self.needs_one))
    }

    /// Runs it until it has committed, again and again while it loses against concurrent writes.
    fn write(
        self,
        inner: &Inner,
        wishes: &Wishes,
        counting: Counting,
        mut before_commit: impl FnMut(&LocalQuery<'_>),
    ) -> Result<All, Error> {
        let Self { mut prepared, origin, .. } = self;
        let Some(origin) = origin else { return Ok(All::new()) };
        let wishes = wishes.begun();
        let attempts = Attempts::new(inner, wishes.time_of(inner, prepared.timeout));
        let mut number = 0;
        loop {
            let spec = prepared.into_spec(inner, &wishes, Some(&attempts.turn), counting);
            let mut query = begin(inner, &wishes, spec);
            let outcome = drain(&mut query).and_then(|_| {
                before_commit(&query);
                query.finish()
            });
            match outcome {
                Ok((_, shown)) => return Ok(shown),
                Err(error) => {
                    number += 1;
                    attempts.lost(inner, number, error)?;
                    attempts.wait(number);
                    prepared = attempts.prepare(inner, &origin, &wishes)?;
                }
            }
        }
    }
}

/// Begins a query that is run to its end at once.
fn begin<'db>(inner: &'db Inner, wishes: &Wishes, spec: QuerySpec) -> LocalQuery<'db> {
    inner.engine.run_here(spec).with_interrupt(wishes.interrupt())
}

fn report_of(query: &LocalQuery<'_>) -> Metrics {
    query.state().map_or_else(Metrics::default, |state| profile::metrics(&state.plan, &state.profile))
}

/// All results of a query.
fn drain(query: &mut LocalQuery<'_>) -> Result<All, QueryError> {
    let mut all = Vec::new();
    while let Some(batch) = query.next_batch()? {
        all.extend(batch);
    }
    Ok(all)
}
