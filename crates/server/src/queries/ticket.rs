//! One query, from when it is submitted until its client has all of its results or has gone.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use gremlin::Argument;
use opentelemetry::{Context, KeyValue};
use parking_lot::Mutex;
use tokio::{
    runtime,
    time::{sleep, sleep_until},
};
use values::Str;

use super::{
    Queries,
    info::{QueryInfo, QueryPhase, UnderWay},
    journal::Over,
    said::Said,
};
use crate::{
    Client, ErrorKind, Input, Materialize, Part, Progress, Push, Query, QueryError, ResultBatch, ResultSink,
    Running, Summary, Trace,
    aside::{Work, aside},
    intake::{Intake, Receipt},
    tenants::{Desk, Hold, Place, Waits},
};

/// Begins a query.
type Start = Box<dyn FnOnce(Query, Arc<dyn ResultSink>) -> Box<dyn Running> + Send>;

/// What is told as a part of it if it waited for so long: less is what it takes to begin.
const WAITED: Duration = Duration::from_millis(1);

/// How long one that was stopped may take to tell its client; then the server does.
const TELLING: Duration = Duration::from_secs(1);

/// What is known of a query beside itself.
pub(crate) struct Asking {
    pub(crate) id: Str,
    pub(crate) source: Str,
    pub(crate) said: Said,
    pub(crate) desk: Option<Arc<Desk>>,
    /// What counts its bytes while it waits.
    pub(crate) intake: Arc<Intake>,
    /// What the client says that it is a part of.
    pub(crate) parent: Option<Context>,
}

/// See the module.
pub(super) struct Ticket {
    queries: Queries,
    /// Its place in the ledger.
    number: AtomicU64,
    id: Str,
    source: Str,
    said: Said,
    is_script: bool,
    /// Its variables, and whether they may be logged.
    bindings: Vec<(Str, Argument)>,
    shows_bindings: bool,
    client: Client,
    asked: Instant,
    sink: Arc<dyn ResultSink>,
    rows: AtomicU64,
    /// The line that it waits in, or has waited in.
    desk: Option<Arc<Desk>>,
    is_stopped: AtomicBool,
    /// Tells whatever reads it that nobody wants it any more.
    unwanted: Arc<AtomicBool>,
    state: Mutex<State>,
    times: Mutex<Times>,
    trace: Option<Trace>,
    runtime: runtime::Handle,
}

enum State {
    Waiting(Box<Waiting>),
    /// It is being begun.
    Beginning,
    Running(Box<dyn Running>),
    Over,
}

struct Waiting {
    query: Query,
    start: Start,
    /// Counts its bytes, once it does wait.
    receipt: Option<Receipt>,
}

#[derive(Default)]
struct Times {
    begun: Option<Instant>,
    ended: Option<Instant>,
    outcome: Option<Result<(), QueryError>>,
}

impl Times {
    fn phase(&self) -> QueryPhase {
        match (self.begun, self.ended) {
            (_, Some(_)) => QueryPhase::Sending,
            (Some(_), None) => QueryPhase::Running,
            (None, None) => QueryPhase::Waiting,
        }
    }
}

/// Submits a query by `start`, at once or when its tenant has room for it. Called within the server's runtime.
pub(crate) fn submit(
    queries: &Queries,
    asking: Asking,
    mut query: Query,
    sink: Arc<dyn ResultSink>,
    start: impl FnOnce(Query, Arc<dyn ResultSink>) -> Box<dyn Running> + Send + 'static,
) -> Box<dyn Running> {
    let usual = query.timeout.into_iter().chain(query.max_timeout).min();
    let ends = usual.and_then(|limit| query.asked.checked_add(limit));
    let Asking { id, source, said, desk, intake, parent } = asking;
    let desk = desk.filter(|desk| desk.is_bounded());
    let tracer = queries.tracer();
    query.trace = tracer.and_then(|tracer| tracer.begin(parent.as_ref(), query.asked, &source));
    let (is_script, bindings) = match &query.input {
        Input::Text { bindings, .. } => (true, bindings.clone()),
        Input::Bytecode(_) | Input::End(_) => (false, Vec::new()),
    };
    // Its own: the query may be a copy of another one.
    let unwanted = Arc::<AtomicBool>::default();
    query.unwanted = unwanted.clone();
    let shows_bindings = queries.log().bindings && !said.is_secretive();
    let ticket = Arc::new(Ticket {
        queries: queries.clone(),
        number: AtomicU64::new(0),
        id,
        source,
        said,
        is_script,
        bindings,
        shows_bindings,
        client: query.client.clone(),
        asked: query.asked,
        sink,
        trace: query.trace.clone(),
        rows: AtomicU64::new(0),
        desk: desk.clone(),
        is_stopped: AtomicBool::new(false),
        unwanted,
        state: Mutex::new(State::Waiting(Box::new(Waiting { query, start: Box::new(start), receipt: None }))),
        times: Mutex::default(),
        runtime: runtime::Handle::current(),
    });
    ticket.number.store(queries.add(&ticket), Ordering::Relaxed);
    match &desk {
        None => ticket.clone().go(None),
        Some(desk) => match desk.enter(ticket.clone()) {
            Ok(Some(place)) => ticket.clone().go(Some(place)),
            Ok(None) if ticket.counts(intake) => ticket.wait(desk.clone(), ends),
            Ok(None) => {
                if ticket.give_up().is_some() {
                    ticket.end(Err(no_room()));
                }
            }
            Err(hold) => ticket.end(Err(busy(desk, hold))),
        },
    }
    Box::new(Handle(ticket))
}

fn no_room() -> QueryError {
    QueryError::new(
        ErrorKind::Busy,
        "the requests that are being received or wait for others take more memory than server.max_receiving_bytes leaves; try again \
         later",
    )
}

fn busy(desk: &Desk, hold: Hold) -> QueryError {
    let tenant = desk.tenant();
    let seconds = desk.max_wait().as_secs_f64();
    match hold {
        Hold::Queries => QueryError::new(
            ErrorKind::Busy,
            format!(
                "the tenant {} has {} queries running, as many as its max_queries allows, and none ended within {seconds} s; try \
                 again later",
                tenant.name,
                tenant.bounds().max_queries
            ),
        ),
        Hold::Rate => QueryError::new(
            ErrorKind::TooFast,
            format!(
                "the tenant {} sends more than {} requests a second, its max_rate, and this one's turn did not come within {seconds} \
                 s; send fewer",
                tenant.name,
                tenant.bounds().max_rate
            ),
        ),
    }
}

impl Ticket {
    /// Begins the query, if it still waits.
    fn go(self: Arc<Self>, place: Option<Place>) {
        let mut state = self.state.lock();
        if !matches!(*state, State::Waiting(_)) {
            return;
        }
        let State::Waiting(waiting) = std::mem::replace(&mut *state, State::Beginning) else { return };
        drop(state);
        let now = Instant::now();
        self.times.lock().begun = Some(now);
        if place.is_some() {
            self.queries.tally().waited(now.saturating_duration_since(self.asked));
        }
        let Waiting { mut query, start, receipt } = *waiting;
        // What it holds counts as a query's from now on.
        drop(receipt);
        let reserved = std::mem::take(&mut query.reserved);
        // Whichever comes first, the end of its results or of itself, frees its place.
        let sink = Arc::new(Seen { ticket: self.clone(), place: Mutex::new(place) });
        let deadline = query.timeout.into_iter().chain(query.max_timeout).min();
        let deadline = deadline.and_then(|limit| query.asked.checked_add(limit));
        let running = aside(Work::Start(query.memory), deadline, || {
            drop(reserved);
            start(query, sink)
        });
        let mut state = self.state.lock();
        match *state {
            State::Beginning => {
                // Until now there was nothing that could be told so.
                if self.is_stopped.load(Ordering::Acquire) {
                    running.stop();
                }
                *state = State::Running(running);
            }
            // It was given up meanwhile.
            _ => drop(running),
        }
    }

    /// Counts what it takes while it waits, if it does; whether there is room for it.
    fn counts(&self, intake: Arc<Intake>) -> bool {
        let mut state = self.state.lock();
        let State::Waiting(waiting) = &mut *state else { return true };
        let receipt = waiting.receipt.insert(Receipt::new(intake));
        receipt.takes(receipt.share(waiting.query.memory))
    }

    /// Ends it when it has waited for long enough.
    fn wait(self: &Arc<Self>, desk: Arc<Desk>, ends: Option<Instant>) {
        if !self.waits() {
            // It was stopped before it was in the line, or has begun and is in it no more.
            desk.leave(&**self);
            return;
        }
        let until = Instant::now() + desk.max_wait();
        let until = ends.map_or(until, |ends| ends.min(until));
        let ticket = Arc::downgrade(self);
        tokio::spawn(async move {
            sleep_until(until.into()).await;
            let Some(ticket) = ticket.upgrade() else { return };
            if let Some(hold) = ticket.give_up() {
                ticket.end(Err(busy(&desk, hold)));
            }
        });
    }

    fn waits(&self) -> bool {
        matches!(*self.state.lock(), State::Waiting(_))
    }

    /// Ends its waiting and takes it out of the line; what has held it up, or `None` if it did not wait.
    fn give_up(&self) -> Option<Hold> {
        {
            let mut state = self.state.lock();
            if !matches!(*state, State::Waiting(_)) {
                return None;
            }
            *state = State::Over;
        }
        // Without a desk it was about to begin, and nobody asks what has held it up.
        Some(self.desk.as_ref().map_or(Hold::Queries, |desk| desk.leave(self)))
    }

    /// Tells its client how it ended, once.
    fn end(&self, outcome: Result<Summary, QueryError>) {
        {
            let mut times = self.times.lock();
            if times.outcome.is_some() {
                return;
            }
            times.ended = Some(Instant::now());
            times.outcome = Some(outcome.as_ref().map(|_| ()).map_err(Clone::clone));
        }
        self.sink.finish(outcome);
    }

    /// Stops it, and tells its client so; false if it is over already.
    pub(super) fn stop(self: &Arc<Self>, by: &str) -> bool {
        if self.times.lock().outcome.is_some() || self.is_stopped.swap(true, Ordering::AcqRel) {
            return false;
        }
        let told = QueryError::new(ErrorKind::Cancelled, format!("the query was stopped by {by}"));
        if self.give_up().is_some() {
            self.end(Err(told));
            return true;
        }
        self.unwanted.store(true, Ordering::Release);
        self.with_running(|running| running.stop());
        let ticket = self.clone();
        self.runtime.spawn(async move {
            sleep(TELLING).await;
            ticket.end(Err(told));
        });
        true
    }

    fn with_running<R>(&self, act: fn(&dyn Running) -> R) -> Option<R> {
        match &*self.state.lock() {
            State::Running(running) => Some(act(&**running)),
            State::Waiting(_) | State::Beginning | State::Over => None,
        }
    }

    /// What it is known by.
    pub(super) fn under_way(self: Arc<Self>) -> UnderWay {
        let phase = self.times.lock().phase();
        UnderWay {
            id: self.id.clone(),
            source: self.source.clone(),
            user: self.client.user.clone(),
            age: self.asked.elapsed(),
            phase,
            ticket: self,
        }
    }

    /// What it says.
    pub(super) fn text(&self) -> String {
        self.said.shown()
    }

    /// What can be told of it.
    pub(super) fn info(&self) -> QueryInfo {
        let Progress { memory, peak_memory, operators } =
            self.with_running(|running| running.progress()).unwrap_or_default();
        // Nothing waits for its locks while bytecode is read.
        let text = self.text();
        let now = Instant::now();
        let times = self.times.lock();
        let begun = times.begun.unwrap_or(times.ended.unwrap_or(now));
        let ended = times.ended.unwrap_or(now);
        QueryInfo {
            id: self.id.clone(),
            source: self.source.clone(),
            text,
            user: self.client.user.clone(),
            address: self.client.address,
            connection: self.client.connection,
            phase: times.phase(),
            is_stopped: self.is_stopped.load(Ordering::Acquire),
            age: now.saturating_duration_since(self.asked),
            waited: begun.saturating_duration_since(self.asked),
            ran: ended.saturating_duration_since(begun),
            rows: self.rows.load(Ordering::Relaxed),
            memory,
            peak_memory,
            operators,
        }
    }

    /// It is over: counted, and logged if that is wanted.
    fn close(&self) {
        self.queries.remove(self.number.load(Ordering::Relaxed));
        let log = self.queries.log();
        let (outcome, ended) = {
            let times = self.times.lock();
            (times.outcome.clone(), times.ended)
        };
        if let Some(trace) = &self.trace {
            self.tell(trace, outcome.as_ref());
        }
        let sent = ended.map_or(Duration::ZERO, |ended| ended.elapsed());
        let took = self.asked.elapsed();
        let is_told =
            log.slow.is_some_and(|slow| took >= slow) || log.errors && matches!(outcome, Some(Err(_)));
        if !is_told {
            return Over::count(self.queries.tally(), &self.source, self.is_script, outcome.as_ref(), took);
        }
        let over = Over {
            info: self.info(),
            is_script: self.is_script,
            bindings: &self.bindings,
            shows_bindings: self.shows_bindings,
            outcome,
            sent,
        };
        over.close(log, self.queries.tally());
    }
}

impl Ticket {
    /// Tells whoever traces requests that it is over. The attributes are those that OpenTelemetry has for databases.
    fn tell(&self, trace: &Trace, outcome: Option<&Result<(), QueryError>>) {
        let info = self.info();
        let (begun, ended) = {
            let times = self.times.lock();
            (times.begun, times.ended)
        };
        let now = Instant::now();
        if begun.is_none_or(|begun| begun.duration_since(self.asked) >= WAITED) {
            trace.add(Part::new("wait", self.asked, begun.or(ended).unwrap_or(now)));
        }
        if let Some(ended) = ended {
            trace.add(Part::new("send", ended, now));
        }
        let mut attributes = vec![
            KeyValue::new("db.system.name", "mangrove"),
            KeyValue::new("db.namespace", info.source.to_string()),
            KeyValue::new("client.address", info.address.to_string()),
            KeyValue::new("mangrove.query.id", info.id.to_string()),
            KeyValue::new("db.response.returned_rows", i64::try_from(info.rows).unwrap_or(i64::MAX)),
            KeyValue::new("mangrove.memory.peak", i64::try_from(info.peak_memory).unwrap_or(i64::MAX)),
            KeyValue::new("db.response.status_code", Over::status(self.is_script, outcome).to_string()),
        ];
        if let Some(user) = &info.user {
            attributes.push(KeyValue::new("user.name", user.to_string()));
        }
        if trace.shows_texts() {
            attributes.push(KeyValue::new("db.query.text", info.text));
        }
        let error = outcome.and_then(|outcome| outcome.as_ref().err());
        if let Some(error) = error {
            attributes.push(KeyValue::new("error.type", error.kind.name()));
        }
        // A message has parts of the query in it, often.
        let message =
            |error: &QueryError| if trace.shows_texts() { error.message.clone() } else { String::new() };
        trace.end(attributes, error.map(message));
    }
}

impl Waits for Ticket {
    fn begin(self: Arc<Self>, place: Place) {
        self.go(Some(place));
    }
}

/// Counts results, and frees the place of a query with its last one.
struct Seen {
    ticket: Arc<Ticket>,
    place: Mutex<Option<Place>>,
}

impl ResultSink for Seen {
    fn push(&self, batch: ResultBatch) -> Push {
        let rows: u64 = batch.items.iter().map(|(_, bulk)| *bulk).sum();
        let push = self.ticket.sink.push(batch);
        if matches!(push, Push::Taken) {
            self.ticket.rows.fetch_add(rows, Ordering::Relaxed);
        }
        push
    }

    fn finish(&self, outcome: Result<Summary, QueryError>) {
        self.ticket.end(outcome);
        let place = self.place.lock().take();
        drop(place);
    }
}

/// What the server holds of the query.
struct Handle(Arc<Ticket>);

impl Running for Handle {
    fn resume(&self) {
        self.0.with_running(|running| running.resume());
    }

    fn cancel(&self) {
        if self.0.give_up().is_some() {
            return;
        }
        let mut state = self.0.state.lock();
        match &*state {
            State::Running(running) => {
                // It may be planned once more.
                self.0.unwanted.store(true, Ordering::Release);
                running.cancel();
            }
            // It ends as soon as it has begun, or sooner.
            State::Beginning => {
                self.0.unwanted.store(true, Ordering::Release);
                *state = State::Over;
            }
            State::Waiting(_) | State::Over => {}
        }
    }

    fn missed(&self) {
        if self.0.with_running(|running| running.missed()).is_none() {
            self.cancel();
        }
    }

    fn materialize(&self) -> Option<Materialize> {
        self.0.with_running(|running| running.materialize())?
    }

    fn deadline(&self) -> Option<Instant> {
        self.0.with_running(|running| running.deadline())?
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.cancel();
        self.0.close();
        let state = std::mem::replace(&mut *self.0.state.lock(), State::Over);
        // What runs ends with its handle.
        drop(state);
    }
}

#[cfg(test)]
mod tests;
