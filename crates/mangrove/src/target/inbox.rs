//! Where an engine's threads leave results for the thread that asked.
//!
//! ```text
//!   engine: push ─▶ │ batch │ batch │ … ROOM │ ─▶ next, on the calling thread
//!              ◀─ Full: it suspends the query        resume(), once there is room again
//! ```

use std::{collections::VecDeque, time::Duration};

use parking_lot::{Condvar, Mutex};
use server::{Push, QueryError, ResultBatch, ResultSink, Running, Summary};

use super::Stop;

/// Batches that wait at most.
const ROOM: usize = 16;

/// How long the calling thread sleeps before it looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(50);

/// How long a query that is to end may take to do so before it is given up: until then it may still tell that it was done.
const GRACE: Duration = Duration::from_millis(500);

/// See the module.
#[derive(Default)]
pub(super) struct Inbox {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    batches: VecDeque<ResultBatch>,
    outcome: Option<Result<Summary, QueryError>>,
    /// Whether the query waits until there is room.
    suspended: bool,
    /// Whether nobody wants results any more.
    closed: bool,
}

/// What the calling thread finds.
pub(super) enum Next {
    /// Results.
    Batch(ResultBatch),
    /// The end.
    Outcome(Result<Summary, QueryError>),
    /// It was stopped before it had ended.
    Stopped,
}

impl Inbox {
    /// Waits for what comes next.
    pub(super) fn next(&self, running: &dyn Running, stop: &Stop) -> Next {
        let mut state = self.state.lock();
        loop {
            if stop.is_set() {
                drop(state);
                return self.end(running);
            }
            if let Some(batch) = state.batches.pop_front() {
                let suspended = std::mem::take(&mut state.suspended);
                drop(state);
                if suspended {
                    running.resume();
                }
                return Next::Batch(batch);
            }
            if let Some(outcome) = state.outcome.take() {
                return Next::Outcome(outcome);
            }
            self.changed.wait_for(&mut state, LOOK);
        }
    }

    /// Ends the query, and waits a moment for what it comes to: a commit that cannot be held back any more is told.
    fn end(&self, running: &dyn Running) -> Next {
        running.stop();
        let mut state = self.state.lock();
        state.closed = true;
        state.batches.clear();
        if std::mem::take(&mut state.suspended) {
            parking_lot::MutexGuard::unlocked(&mut state, || running.resume());
        }
        if state.outcome.is_none() {
            self.changed.wait_while_for(&mut state, |state| state.outcome.is_none(), GRACE);
        }
        match state.outcome.take() {
            Some(Ok(summary)) => Next::Outcome(Ok(summary)),
            Some(Err(error)) if error.kind != server::ErrorKind::Cancelled => Next::Outcome(Err(error)),
            Some(Err(_)) | None => Next::Stopped,
        }
    }
}

impl ResultSink for Inbox {
    fn push(&self, batch: ResultBatch) -> Push {
        let mut state = self.state.lock();
        if state.closed {
            // The end is on its way.
            return Push::Taken;
        }
        if state.batches.len() >= ROOM {
            state.suspended = true;
            return Push::Full(batch);
        }
        state.batches.push_back(batch);
        self.changed.notify_one();
        Push::Taken
    }

    fn finish(&self, outcome: Result<Summary, QueryError>) {
        self.state.lock().outcome = Some(outcome);
        self.changed.notify_one();
    }
}
