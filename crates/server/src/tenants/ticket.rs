//! A query that may have to wait until its tenant has room for it.

use std::{
    sync::{Arc, Weak},
    time::Instant,
};

use parking_lot::Mutex;
use tokio::time::sleep_until;

use super::desk::{Desk, Hold, Place};
use crate::{ErrorKind, Materialize, Push, Query, QueryError, ResultBatch, ResultSink, Running, Summary};

/// Begins a query.
type Start = Box<dyn FnOnce(Query, Arc<dyn ResultSink>) -> Box<dyn Running> + Send>;

/// See the module.
pub(super) struct Ticket(Mutex<State>);

enum State {
    Waiting(Box<(Query, Arc<dyn ResultSink>, Start)>),
    /// It is being begun.
    Beginning,
    Running(Box<dyn Running>),
    Over,
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ticket")
    }
}

/// Submits a query by `start`, at once or when its tenant has room for it. Called within the server's runtime.
pub(crate) fn submit(
    desk: Option<&Arc<Desk>>,
    query: Query,
    sink: Arc<dyn ResultSink>,
    start: impl FnOnce(Query, Arc<dyn ResultSink>) -> Box<dyn Running> + Send + 'static,
) -> Box<dyn Running> {
    let Some(desk) = desk.filter(|desk| desk.is_bounded()) else { return start(query, sink) };
    let usual = query.timeout.into_iter().chain(query.max_timeout).min();
    let ends = usual.and_then(|limit| query.asked.checked_add(limit));
    let told = sink.clone();
    let ticket = Arc::new(Ticket(Mutex::new(State::Waiting(Box::new((query, sink, Box::new(start)))))));
    match desk.enter(&ticket) {
        Ok(Some(place)) => ticket.begin(place),
        Ok(None) => wait(desk.clone(), Arc::downgrade(&ticket), ends),
        Err(hold) => told.finish(Err(busy(desk, hold))),
    }
    Box::new(Handle { ticket, desk: desk.clone() })
}

/// Ends a query that has waited for long enough.
fn wait(desk: Arc<Desk>, ticket: Weak<Ticket>, ends: Option<Instant>) {
    let until = Instant::now() + desk.max_wait;
    let until = ends.map_or(until, |ends| ends.min(until));
    tokio::spawn(async move {
        sleep_until(until.into()).await;
        let Some(ticket) = ticket.upgrade() else { return };
        if let Some(sink) = ticket.give_up() {
            let hold = desk.leave(&ticket);
            sink.finish(Err(busy(&desk, hold)));
        }
    });
}

fn busy(desk: &Desk, hold: Hold) -> QueryError {
    let tenant = desk.tenant();
    let seconds = desk.max_wait.as_secs_f64();
    match hold {
        Hold::Queries => QueryError::new(
            ErrorKind::Busy,
            format!(
                "the tenant {} has {} queries running, as many as its max_queries allows, and none ended within {seconds} s; try \
                 again later",
                tenant.name, tenant.bounds.max_queries
            ),
        ),
        Hold::Rate => QueryError::new(
            ErrorKind::TooFast,
            format!(
                "the tenant {} sends more than {} requests a second, its max_rate, and this one's turn did not come within {seconds} \
                 s; send fewer",
                tenant.name, tenant.bounds.max_rate
            ),
        ),
    }
}

impl Ticket {
    /// Begins the query, if it still waits.
    pub(super) fn begin(&self, place: Place) {
        let mut state = self.0.lock();
        if !matches!(*state, State::Waiting(_)) {
            return;
        }
        let State::Waiting(waiting) = std::mem::replace(&mut *state, State::Beginning) else { return };
        drop(state);
        let (query, sink, start) = *waiting;
        // Whichever comes first, the end of its results or of itself, frees its place.
        let running = start(query, Arc::new(Counted { sink, place: Mutex::new(Some(place)) }));
        let mut state = self.0.lock();
        match *state {
            State::Beginning => *state = State::Running(running),
            // It was given up meanwhile.
            _ => drop(running),
        }
    }

    /// Ends its waiting, if it does; its sink then.
    fn give_up(&self) -> Option<Arc<dyn ResultSink>> {
        let mut state = self.0.lock();
        if !matches!(*state, State::Waiting(_)) {
            return None;
        }
        match std::mem::replace(&mut *state, State::Over) {
            State::Waiting(waiting) => Some(waiting.1),
            _ => None,
        }
    }

    fn with_running<R>(&self, act: impl FnOnce(&dyn Running) -> R) -> Option<R> {
        match &*self.0.lock() {
            State::Running(running) => Some(act(&**running)),
            State::Waiting(_) | State::Beginning | State::Over => None,
        }
    }
}

/// Frees the place of a query with its last result.
struct Counted {
    sink: Arc<dyn ResultSink>,
    place: Mutex<Option<Place>>,
}

impl ResultSink for Counted {
    fn push(&self, batch: ResultBatch) -> Push {
        self.sink.push(batch)
    }

    fn finish(&self, outcome: Result<Summary, QueryError>) {
        self.sink.finish(outcome);
        let place = self.place.lock().take();
        drop(place);
    }
}

/// What the server holds of the query.
struct Handle {
    ticket: Arc<Ticket>,
    desk: Arc<Desk>,
}

impl Running for Handle {
    fn resume(&self) {
        self.ticket.with_running(|running| running.resume());
    }

    fn cancel(&self) {
        if self.ticket.give_up().is_some() {
            self.desk.leave(&self.ticket);
            return;
        }
        let mut state = self.ticket.0.lock();
        match &*state {
            State::Running(running) => running.cancel(),
            // It ends as soon as it has begun.
            State::Beginning => *state = State::Over,
            State::Waiting(_) | State::Over => {}
        }
    }

    fn missed(&self) {
        if self.ticket.with_running(|running| running.missed()).is_none() {
            self.cancel();
        }
    }

    fn materialize(&self) -> Option<Materialize> {
        self.ticket.with_running(|running| running.materialize())?
    }

    fn deadline(&self) -> Option<Instant> {
        self.ticket.with_running(|running| running.deadline())?
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.cancel();
        let state = std::mem::replace(&mut *self.ticket.0.lock(), State::Over);
        // What runs ends with its handle.
        drop(state);
    }
}
