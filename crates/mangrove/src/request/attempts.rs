//! A writing request over all its attempts.
//!
//! ```text
//!  snapshot, plan ─▶ runs ─▶ commit ─▶ results
//!        ▲                     │ it lost: what it touched is reserved
//!        └── its turn comes ◀──┘
//! ```

use std::{
    sync::{Arc, atomic::Ordering},
    thread,
    time::{Duration, Instant},
};

use dataflow::QueryError;
use graph::{GraphError, Turn, TurnAnswer};

use super::{backoff::backoff, origin::Origin, prepare::Prepared, wishes::Wishes};
use crate::{Error, database::Inner, time_limit::TimeLimit};

/// See the module.
pub(crate) struct Attempts {
    /// Its place among those that lose against each other.
    pub(crate) turn: Arc<Turn>,
    /// How long all of them may take together.
    time: TimeLimit,
}

/// When the next attempt may begin.
pub(super) enum Next {
    /// Now.
    Now,
    /// Ask again after so long, if nothing wakes whoever asks before.
    Ask(Duration),
    /// After so long: no turn is kept for it.
    After(Duration),
}

impl Attempts {
    /// None was made yet.
    pub(crate) fn new(inner: &Inner, time: TimeLimit) -> Self {
        Self { turn: inner.graph.turn(), time }
    }

    /// An attempt has failed, the `number`th, from 1: whether there is to be another.
    ///
    /// # Errors
    /// What the request comes to, if there is none.
    pub(super) fn lost(&self, inner: &Inner, number: u32, error: QueryError) -> Result<(), Error> {
        match error {
            QueryError::Graph(error) if error.is_retryable() => {
                if matches!(*error, GraphError::Kept { .. }) {
                    inner.expiry.make_room();
                }
                if number <= inner.options.write_retries {
                    return Ok(());
                }
                inner.refused.fetch_add(1, Ordering::Relaxed);
                Err(Error::Conflict { attempts: number, last: error })
            }
            error => Err(error.into()),
        }
    }

    /// When the next attempt may begin, after `number` of them. `wake` is called when it is worth asking again: by whoever makes a
    /// commit visible, which it must not hold up.
    pub(super) fn next(&self, number: u32, wake: impl FnOnce() + Send + 'static) -> Next {
        let left = self.time.deadline().map(|end| end.saturating_duration_since(Instant::now()));
        match self.turn.ask(wake) {
            TurnAnswer::Come => Next::Now,
            TurnAnswer::Waits(_) if left.is_some_and(|left| left.is_zero()) => Next::Now,
            TurnAnswer::Waits(latest) => {
                let wait = latest.saturating_duration_since(Instant::now());
                Next::Ask(left.map_or(wait, |left| left.min(wait)))
            }
            TurnAnswer::None => Next::After(backoff(number, fastrand::u64(..))),
        }
    }

    /// Waits on the calling thread until the next attempt may begin.
    pub(super) fn wait(&self, number: u32) {
        if !self.turn.wait(self.time.deadline()) {
            thread::sleep(backoff(number, fastrand::u64(..)));
        }
    }

    /// Plans the request for the graph as it is now: each attempt runs on the snapshot that it was planned for.
    pub(super) fn prepare(&self, inner: &Inner, origin: &Origin, wishes: &Wishes) -> Result<Prepared, Error> {
        let prepare = || origin.prepare(inner, inner.snapshot(), &self.time);
        let prepared = wishes.part("plan", prepare)?;
        wishes.granted(prepared)
    }
}
