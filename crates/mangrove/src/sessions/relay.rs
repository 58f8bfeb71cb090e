//! The results of one statement on their way: to the client, into a variable, or nowhere.

use std::sync::Arc;

use dataflow::{MemoryMeter, Profile, QueryError, ResultSink, Results, Summary};
use planner::physical::Plan;
use server::{Push, ResultBatch};
use values::{Str, Value};

use super::{account::Place, course::Course, kept::Kept};
use crate::{Error, profile};

/// See the module.
pub(super) struct Relay {
    pub(super) course: Arc<Course>,
    pub(super) plan: Arc<Plan>,
    /// No result at all would be an error.
    pub(super) needs_one: bool,
    /// Whether the statement is the last one: its results are the answer.
    pub(super) is_last: bool,
    /// Where they are kept.
    pub(super) variable: Option<(Str, Kept)>,
    /// That of the transaction, if it ends with the statement.
    pub(super) place: Option<Place>,
    /// Whether there was any result.
    pub(super) delivered: bool,
    /// Counts results that wait.
    pub(super) memory: Option<Arc<MemoryMeter>>,
    /// What is to be said instead of the results.
    pub(super) profile: Option<String>,
}

impl ResultSink for Relay {
    fn begin(&mut self, memory: &Arc<MemoryMeter>) {
        self.memory = Some(memory.clone());
    }

    fn push(&mut self, results: Results) -> Result<(), Results> {
        if self.plan.profile {
            return Ok(());
        }
        let any = !results.is_empty();
        // Kept once: what is not taken is offered again.
        let keep = |variable: &mut Option<(Str, Kept)>, results: &Results| {
            if let Some((_, kept)) = variable {
                results.iter().for_each(|(value, times)| kept.add(value, *times));
            }
        };
        if !self.is_last {
            keep(&mut self.variable, &results);
            self.delivered |= any;
            return Ok(());
        }
        let held = self.memory.as_ref().and_then(|memory| memory.hold_results(&results));
        let held = held.map(|held| Arc::new(held) as server::Held);
        let copy = self.variable.is_some().then(|| results.clone());
        match self.course.offer(ResultBatch { items: results, held }) {
            Push::Taken => {
                copy.iter().for_each(|results| keep(&mut self.variable, results));
                self.delivered |= any;
                Ok(())
            }
            // Nobody listens: the cancellation is under way.
            Push::Gone => Ok(()),
            Push::Full(batch) => Err(batch.items),
        }
    }

    fn counted(&mut self, profile: &Profile) {
        self.profile = Some(profile::report(&self.plan, profile));
    }

    fn finish(&mut self, outcome: Result<Summary, QueryError>) {
        drop(self.place.take());
        let report = self.profile.take().map(Value::from);
        match outcome {
            Ok(_) if self.needs_one && !self.delivered && report.is_none() => {
                self.course.fail(Error::NoResult);
            }
            Ok(_) => {
                let variable = self.variable.take().map(|(name, kept)| match &report {
                    Some(report) => Ok((name, report.clone())),
                    None => kept.value(&name).map(|value| (name, value)),
                });
                self.course.done(variable.transpose(), report, self.is_last);
            }
            Err(error) => self.course.fail(error.into()),
        }
    }
}
