//! The results of one query on their way: to the client, to what the request remembers, or nowhere.

use std::sync::Arc;

use dataflow::{MemoryMeter, Profile, QueryError, ResultSink, Results, Summary};
use planner::physical::Plan;
use server::{Push, ResultBatch};
use values::Value;

use super::{
    answer::some_unrolled,
    life::{Life, Way},
    traced::Traced,
};
use crate::{Error, profile};

/// What a request remembers of one of its queries.
pub(crate) trait Step: Send + 'static {
    /// Whether the query's results are the answer.
    fn is_answer(&self) -> bool {
        true
    }

    /// Whether it keeps results for itself.
    fn keeps(&self) -> bool {
        false
    }

    /// Keeps results: all of them once, in order, if it is one that keeps any.
    fn keep(&mut self, _results: &Results) {}
}

/// Members of a result that are offered at once.
const PIECE: usize = 1 << 12;

/// Nothing is remembered of a query that is the only one.
impl Step for () {}

/// See the module.
pub(super) struct Relay<W: Way> {
    life: Arc<Life<W>>,
    plan: Arc<Plan>,
    needs_one: bool,
    /// Until the query is over.
    step: Option<W::Step>,
    /// Whether there was any result.
    delivered: bool,
    /// How many members of the only result have been taken.
    unrolled: usize,
    /// Counts results that wait.
    memory: Option<Arc<MemoryMeter>>,
    /// What is to be said instead of the results.
    profile: Option<Value>,
    /// What is to be told of it.
    traced: Option<Traced>,
}

impl<W: Way> Relay<W> {
    /// That of a query which is about to be submitted. `needs_one`: no result at all would be an error.
    pub(super) fn new(life: Arc<Life<W>>, plan: Arc<Plan>, needs_one: bool, step: W::Step) -> Self {
        let (step, traced) = (Some(step), None);
        Self {
            life,
            plan,
            needs_one,
            step,
            delivered: false,
            unrolled: 0,
            memory: None,
            profile: None,
            traced,
        }
    }

    /// The same of one that is traced.
    pub(super) fn traced(self, traced: Option<Traced>) -> Self {
        Self { traced, ..self }
    }

    /// Offers results; whether anybody listens.
    fn offer(&self, results: Results) -> Result<bool, Results> {
        let held = self.memory.as_ref().and_then(|memory| memory.hold_results(&results));
        let held = held.map(|held| Arc::new(held) as server::Held);
        match self.life.offer(ResultBatch { items: results, held }) {
            Push::Taken => Ok(true),
            // The cancellation is under way.
            Push::Gone => Ok(false),
            Push::Full(batch) => Err(batch.items),
        }
    }

    /// Offers the members of the only result, of which there may be millions; who offers it again goes on where this ended.
    fn offer_members(&mut self, one: &Value) -> Result<(), ()> {
        // What was written is sent by a thread for commits, which others need.
        let most = if self.plan.writes { usize::MAX } else { PIECE };
        loop {
            let piece = some_unrolled(one, self.unrolled, most);
            let count = piece.len();
            // There may be nothing behind a full piece; but what has no members is an answer too.
            if count == 0 && self.unrolled > 0 || !self.offer(piece).map_err(drop)? {
                return Ok(());
            }
            self.unrolled = self.unrolled.saturating_add(count);
            if count < most {
                return Ok(());
            }
        }
    }
}

impl<W: Way> ResultSink for Relay<W> {
    fn begin(&mut self, memory: &Arc<MemoryMeter>) {
        self.life.watch(memory);
        self.memory = Some(memory.clone());
    }

    fn push(&mut self, results: Results) -> Result<(), Results> {
        self.traced.iter_mut().for_each(Traced::answers);
        if self.plan.profile {
            return Ok(());
        }
        let any = !results.is_empty();
        let (is_answer, keeps) =
            self.step.as_ref().map_or((true, false), |step| (step.is_answer(), step.keeps()));
        // Kept once: what is not taken is offered again.
        let kept = match (is_answer, keeps) {
            (true, keeps) => {
                let copy = keeps.then(|| results.clone());
                match &results[..] {
                    // The engine keeps what is not taken, as it was.
                    [(one, _)] if self.needs_one => self.offer_members(one).map_err(|()| results)?,
                    _ => {
                        self.offer(results)?;
                    }
                }
                copy
            }
            (false, true) => Some(results),
            (false, false) => None,
        };
        if let (Some(step), Some(kept)) = (&mut self.step, kept) {
            step.keep(&kept);
        }
        self.delivered |= any;
        Ok(())
    }

    fn counted(&mut self, profile: &Profile) {
        if self.plan.profile {
            self.profile = Some(profile::metrics(&self.plan, profile).into());
        }
        self.traced.iter_mut().for_each(|traced| traced.counted(profile));
    }

    fn finish(&mut self, outcome: Result<Summary, QueryError>) {
        let Some(step) = self.step.take() else { return };
        self.life.keep_peak();
        self.traced.iter_mut().for_each(|traced| traced.finish(outcome.as_ref().map(|_| ())));
        let report = self.profile.take();
        let error = match outcome {
            Ok(_) if self.needs_one && !self.delivered && report.is_none() => Error::NoResult,
            Ok(_) => {
                self.life.guarded(|life| W::done(life, step, report));
                return;
            }
            Err(error) => error.into(),
        };
        // What the query held is free before the request goes on.
        drop(step);
        self.life.fail(error);
    }
}
