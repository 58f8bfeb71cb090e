//! A query on its executor, one step at a time.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use graph::{Bell, HeavyTurn, Parked, Transaction};

use super::caller::Path;
use super::result::{ResultSink, Results, Summary};
use super::root::RunningQuery;
use super::tie::Tie;
use crate::error::QueryError;
use crate::instance::Progress;
use crate::memory::{PATIENCE, reclaim};
use crate::quota::Quota;

/// A query on its executor.
pub(crate) struct Task {
    pub query: RunningQuery,
    pub sink: Box<dyn ResultSink>,
    /// What it knows of its handle.
    pub tie: Arc<Tie>,
    /// Results that the sink has not taken yet. Those of a writing query are not there before its commit.
    pub held: Results,
    pub finished: bool,
    /// Whether the sink has seen what was counted.
    pub is_shown: bool,
    pub room: Room,
    /// Since when it waits until it may hold more memory.
    pub waits: Option<Duration>,
}

/// Whether a query that loads much may go on: see [`graph::Request::heavy_turn`].
#[derive(Debug, Default)]
pub(crate) enum Room {
    /// Nobody has asked.
    #[default]
    Unasked,
    /// It may.
    Given(#[expect(dead_code, reason = "held while the query has its turn")] HeavyTurn),
    /// It waits.
    Awaited(#[expect(dead_code, reason = "held while the query waits")] Parked),
}

/// What is to be done with a task after a step.
pub(crate) enum Next {
    Again,
    Suspend,
    Gone,
    Commit,
}

impl Task {
    /// The groups that it takes turns in.
    pub(crate) fn path(&self) -> Path {
        self.query.state().path()
    }

    /// Frees what is left of it.
    pub(crate) fn free(self) {
        let state = self.query.state();
        let written = state.transaction().map_or(0, Transaction::held_bytes);
        let bytes = state.memory.used() as usize + written;
        reclaim::free(self, bytes);
    }

    /// Whether it must be run to notice its end.
    pub(crate) fn is_over(&self) -> bool {
        self.tie.is_abandoned() || self.query.state().check().is_err()
    }

    /// Whether it waits for room among the queries that load much.
    pub(crate) fn is_parked(&self) -> bool {
        matches!(self.room, Room::Awaited(_))
    }

    /// Whether it may have a turn now. If not, `bell` is rung when it should ask again.
    pub(crate) fn may_go_on(&mut self, bell: &Bell) -> bool {
        let request = self.query.state().cancel.request();
        let Some(request) = request.filter(|request| request.is_heavy()) else { return true };
        if matches!(self.room, Room::Given(_)) || self.is_over() {
            return true;
        }
        self.room = request.heavy_turn(bell).map_or_else(Room::Awaited, Room::Given);
        !self.is_parked()
    }

    /// Gives it a turn.
    pub(crate) fn turn(&mut self, quota: Quota<'_>) -> Next {
        let next = loop {
            match self.advance(quota) {
                Next::Again if !quota.is_spent() => {}
                next => break next,
            }
        };
        self.room = Room::Unasked;
        next
    }

    fn advance(&mut self, quota: Quota<'_>) -> Next {
        if self.tie.is_abandoned() {
            return Next::Gone;
        }
        if let Some(next) = self.deliver_held() {
            return next;
        }
        if let Some(next) = self.wait_for_memory() {
            return next;
        }
        let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| self.query.run(quota)));
        match outcome {
            Err(panic) => self.end(Err(panicked(&panic))),
            Ok(Err(error)) => self.end(Err(error)),
            Ok(Ok((progress, results))) => self.take(progress, results),
        }
    }

    /// `Some` if the query may not hold more memory now.
    fn wait_for_memory(&mut self) -> Option<Next> {
        let state = self.query.state();
        if state.memory.may_go_on() {
            self.waits = None;
            return None;
        }
        if let Err(error) = state.check() {
            return Some(self.end(Err(error)));
        }
        let now = state.clock.now();
        if now.saturating_sub(*self.waits.get_or_insert(now)) < PATIENCE {
            return Some(Next::Suspend);
        }
        let busy = state.memory.busy();
        Some(self.end(Err(busy)))
    }

    /// Whether it should be asked again whether it may hold more memory.
    pub(crate) fn may_hold_more(&self) -> bool {
        self.waits.is_some_and(|since| {
            let state = self.query.state();
            state.memory.may_go_on() || state.clock.now().saturating_sub(since) >= PATIENCE
        })
    }

    /// For how long it may stay suspended without a look at it, unless somebody wakes it.
    pub(crate) fn may_rest(&self, now: Duration) -> Duration {
        let deadline = self.query.state().deadline.map(|(deadline, _)| deadline);
        rest(now, deadline, self.waits.is_some())
    }

    /// Offers results that wait to the sink; `Some` if the query cannot go on.
    fn deliver_held(&mut self) -> Option<Next> {
        if self.is_writing() || self.held.is_empty() {
            return None;
        }
        if let Err(error) = self.query.state().check() {
            return Some(self.end(Err(error)));
        }
        match self.sink.push(std::mem::take(&mut self.held)) {
            Ok(()) if self.finished => {
                let summary = self.query.summary();
                Some(self.end(Ok(summary)))
            }
            Ok(()) => None,
            Err(back) => {
                self.held = back;
                Some(Next::Suspend)
            }
        }
    }

    fn take(&mut self, progress: Progress, results: Results) -> Next {
        if !results.is_empty() {
            self.held = results;
        }
        self.finished = progress == Progress::Complete;
        if self.finished {
            self.show_counts();
        }
        if self.finished && self.is_writing() {
            return Next::Commit;
        }
        if let Some(next) = self.deliver_held() {
            return next;
        }
        if self.finished {
            let summary = self.query.summary();
            return self.end(Ok(summary));
        }
        if progress == Progress::Blocked { Next::Suspend } else { Next::Again }
    }

    /// Shows the sink what was counted, once.
    fn show_counts(&mut self) {
        let state = self.query.state();
        if state.profile.is_on() && !std::mem::replace(&mut self.is_shown, true) {
            self.sink.counted(&state.profile);
        }
    }

    fn end(&mut self, outcome: Result<Summary, QueryError>) -> Next {
        if !self.tie.is_abandoned() {
            self.show_counts();
            self.tie.end();
            self.sink.finish(outcome);
        }
        Next::Gone
    }

    fn is_writing(&self) -> bool {
        self.query.state().answers_at_end()
    }
}

/// How often a query that waits for memory is asked whether there is some: who gives it back wakes nobody.
const LOOK: Duration = Duration::from_millis(2);

/// For how long a query may rest that is over at `deadline`: nobody wakes it then.
fn rest(now: Duration, deadline: Option<Duration>, waits_for_memory: bool) -> Duration {
    let left = deadline.map_or(Duration::MAX, |deadline| deadline.saturating_sub(now));
    if waits_for_memory { left.min(LOOK) } else { left }
}

/// A panic as an error of the one query it happened in.
pub(crate) fn panicked(panic: &Box<dyn std::any::Any + Send>) -> QueryError {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let message =
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic".to_owned());
    tracing::error!(message, "a query panicked");
    QueryError::Internal { step: "?".to_owned(), message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_suspended_is_looked_at_when_its_time_is_over_and_often_while_it_waits_for_memory() {
        let ms = Duration::from_millis;
        assert_eq!(rest(ms(10), Some(ms(13)), false), ms(3));
        assert_eq!(rest(ms(10), Some(ms(9)), false), ms(0), "its time is over");
        assert_eq!(rest(ms(10), Some(ms(13)), true), LOOK);
        assert_eq!(rest(ms(10), Some(ms(11)), true), ms(1));
        assert_eq!((rest(ms(10), None, true), rest(ms(10), None, false)), (LOOK, Duration::MAX));
    }
}
