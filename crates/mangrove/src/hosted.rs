//! A database behind the server: requests run on the engine's executors, results go into the server's sinks.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use dataflow::{Access, Caller, Counting, Profile, QueryError, QueryHandle, ResultSink, Results, Summary};
use parking_lot::Mutex;
use server::{Client, Input, Materialize, Push, Query, ResultBatch};
use values::Value;

use crate::{
    Database, Error,
    backoff::backoff,
    database::Inner,
    metrics,
    prepare::{Preparation, Prepared},
    profile,
    run::conflict,
    script::{self, Mode, Request},
    scripts::Script,
    services::{self, Within, begins_with_call},
};

type ServerSink = Arc<dyn server::ResultSink>;

impl server::Database for Database {
    fn submit(&self, query: Query, sink: ServerSink) -> Box<dyn server::Running> {
        match start(&self.inner, query, &sink) {
            Ok(running) => running,
            Err(error) => {
                sink.finish(Err(refusal(&error)));
                Box::new(Ended)
            }
        }
    }

    fn metrics(&self) -> Vec<server::Metric> {
        metrics::of(&self.stats())
    }
}

fn refusal(error: &Error) -> server::QueryError {
    server::QueryError::new(error.kind(), error.to_string())
}

fn start(inner: &Arc<Inner>, query: Query, sink: &ServerSink) -> Result<Box<dyn server::Running>, Error> {
    let Client { address, connection } = query.client;
    let wishes = Wishes {
        caller: Caller::Client { address, connection },
        timeout: query.timeout,
        max_timeout: query.max_timeout,
        read_only: query.read_only,
        materialize: query.materialize,
    };
    let request = match query.input {
        Input::Text { script, source, bindings } => {
            match inner.read(&script, &source, &script::bindings(bindings), &inner.graph.snapshot())? {
                Script::Prepared(prepared, mode) => return begin(inner, prepared, mode, &wishes, sink),
                Script::Read(request) => request,
            }
        }
        Input::Bytecode(traversal) => Request::bytecode(traversal),
    };
    if begins_with_call(&request.traversal) {
        return call(inner.clone(), request, wishes, sink.clone());
    }
    go_on(inner, request, &wishes, sink)
}

/// What a client says about a request beside its traversal.
struct Wishes {
    /// On whose behalf it is.
    caller: Caller,
    timeout: Option<Duration>,
    max_timeout: Option<Duration>,
    read_only: bool,
    materialize: Materialize,
}

impl Wishes {
    /// How long a query may take that asks for so long itself.
    fn timeout(&self, asked: Option<Duration>) -> Option<Duration> {
        let asked = asked.or(self.timeout);
        asked.into_iter().chain(self.max_timeout).min()
    }

    /// Where a service is called.
    fn within(&self, mode: Mode) -> Within {
        match mode {
            Mode::Explain => Within::Explanation,
            _ if self.read_only => Within::Reading,
            _ => Within::Request,
        }
    }
}

/// Calls the service that a request begins with, on a thread of its own since it may wait, and goes on with its
/// results.
fn call(
    inner: Arc<Inner>,
    request: Request,
    wishes: Wishes,
    sink: ServerSink,
) -> Result<Box<dyn server::Running>, Error> {
    let later = Arc::new(Later::default());
    let shared = later.clone();
    let act = move || {
        let running = services::substitute(&inner, request.traversal, wishes.within(request.mode))
            .and_then(|traversal| go_on(&inner, Request { traversal, ..request }, &wishes, &sink));
        match running {
            Ok(running) => shared.begun(running),
            Err(error) => sink.finish(Err(refusal(&error))),
        }
    };
    let thread = thread::Builder::new().name("service".into()).spawn(act);
    thread.map_err(|error| Error::Engine(Arc::new(error)))?;
    Ok(Box::new(LaterHandle(later)))
}

/// A query that has not begun yet, and whether it is too late to begin.
#[derive(Default)]
struct Later(Mutex<(bool, Option<Box<dyn server::Running>>)>);

impl Later {
    fn begun(&self, running: Box<dyn server::Running>) {
        let mut state = self.0.lock();
        if state.0 {
            running.cancel();
        }
        state.1 = Some(running);
    }
}

struct LaterHandle(Arc<Later>);

impl server::Running for LaterHandle {
    fn resume(&self) {
        if let Some(running) = &self.0.0.lock().1 {
            running.resume();
        }
    }

    fn cancel(&self) {
        let mut state = self.0.0.lock();
        state.0 = true;
        if let Some(running) = &state.1 {
            running.cancel();
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.0.0.lock().1.as_ref()?.deadline()
    }
}

impl Drop for LaterHandle {
    fn drop(&mut self) {
        server::Running::cancel(self);
    }
}

/// Prepares and starts a request that calls no service, or no longer.
fn go_on(
    inner: &Arc<Inner>,
    request: Request,
    wishes: &Wishes,
    sink: &ServerSink,
) -> Result<Box<dyn server::Running>, Error> {
    match request.mode {
        Mode::Nothing => return Ok(finished(sink, None)),
        Mode::Explain => {
            let text = inner.preparer.explain(&request.traversal, &inner.graph.snapshot())?;
            return Ok(finished(sink, Some(Value::from(text))));
        }
        Mode::Run | Mode::RunForOne => {}
    }
    let prepared = match inner.preparer.prepare(request.traversal, &inner.graph.snapshot())? {
        Preparation::Run(prepared) => prepared,
        Preparation::Explanation(text) => return Ok(finished(sink, Some(Value::from(text)))),
    };
    begin(inner, prepared, request.mode, wishes, sink)
}

/// Starts a request that is prepared.
fn begin(
    inner: &Arc<Inner>,
    mut prepared: Prepared,
    mode: Mode,
    wishes: &Wishes,
    sink: &ServerSink,
) -> Result<Box<dyn server::Running>, Error> {
    if wishes.read_only && prepared.plan.writes {
        return Err(Error::ReadOnly("the traversal".into()));
    }
    prepared.timeout = wishes.timeout(prepared.timeout);
    if wishes.materialize == Materialize::Tokens {
        prepared.references_only();
    }
    let deadline =
        prepared.timeout.or(inner.options.timeout).and_then(|timeout| Instant::now().checked_add(timeout));
    let job = Arc::new(Job {
        inner: inner.clone(),
        prepared,
        sink: sink.clone(),
        caller: wishes.caller,
        needs_one: mode == Mode::RunForOne,
        deadline,
        current: Mutex::new((0, None)),
        cancelled: AtomicBool::new(false),
    });
    job.attempt(0);
    Ok(Box::new(Handle(job)))
}

/// Answers at once.
fn finished(sink: &ServerSink, result: Option<Value>) -> Box<dyn server::Running> {
    if let Some(value) = result {
        // A sink that has seen nothing has room for one result; one that nobody listens to needs none.
        let _ = sink.push(ResultBatch { items: vec![(value, 1)] });
    }
    sink.finish(Ok(server::Summary::default()));
    Box::new(Ended)
}

/// A query that is over.
struct Ended;

impl server::Running for Ended {
    fn resume(&self) {}
    fn cancel(&self) {}
}

/// A request on the executors, over all its attempts.
struct Job {
    inner: Arc<Inner>,
    prepared: Prepared,
    sink: ServerSink,
    caller: Caller,
    /// No result at all would be an error.
    needs_one: bool,
    /// When it has run too long, all attempts together.
    deadline: Option<Instant>,
    /// The latest attempt and its number.
    current: Mutex<(u32, Option<QueryHandle>)>,
    cancelled: AtomicBool,
}

impl Job {
    /// Starts attempt number `number`, from 0.
    fn attempt(self: &Arc<Self>, number: u32) {
        if self.cancelled.load(Ordering::Acquire) {
            return;
        }
        let plan = &self.prepared.plan;
        let access = if plan.writes {
            Access::Write(Arc::new(self.inner.graph.begin()))
        } else {
            Access::Read(self.inner.graph.snapshot())
        };
        let counting = if plan.profile { Counting::Timed } else { Counting::Off };
        let mut spec = self.prepared.spec(&self.inner, access, counting);
        spec.caller = self.caller;
        if number > 0 {
            spec.timeout = self.remaining().or(spec.timeout);
        }
        let relay = Relay { job: self.clone(), number, delivered: false, profile: None };
        let handle = self.inner.engine.submit(spec, Box::new(relay));
        let mut current = self.current.lock();
        // The attempt may be over already, and a later one may have been started from its sink.
        if number >= current.0 {
            *current = (number, Some(handle));
        }
        drop(current);
        if self.cancelled.load(Ordering::Acquire) {
            self.stop();
        }
    }

    fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Drops the latest attempt, which terminates its operators.
    fn stop(&self) {
        let handle = self.current.lock().1.take();
        drop(handle);
    }

    /// Tries again after `number` failed attempts.
    fn again(self: &Arc<Self>, number: u32) {
        let job = self.clone();
        let delay = backoff(number, fastrand::u64(..));
        self.inner.retries.after(delay, Box::new(move || job.attempt(number)));
    }
}

/// What the server holds of a request.
struct Handle(Arc<Job>);

impl server::Running for Handle {
    fn resume(&self) {
        if let Some(handle) = &self.0.current.lock().1 {
            handle.waker().wake();
        }
    }

    fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Release);
        self.0.stop();
    }

    fn deadline(&self) -> Option<Instant> {
        self.0.deadline
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        server::Running::cancel(self);
    }
}

/// Passes one attempt's results on to the server.
struct Relay {
    job: Arc<Job>,
    number: u32,
    /// Whether any result was passed on.
    delivered: bool,
    /// What is to be said instead of the results.
    profile: Option<String>,
}

impl ResultSink for Relay {
    fn push(&mut self, results: Results) -> Result<(), Results> {
        if self.job.prepared.plan.profile {
            return Ok(());
        }
        let any = !results.is_empty();
        match self.job.sink.push(ResultBatch { items: results }) {
            Push::Taken => {
                self.delivered |= any;
                Ok(())
            }
            // Nobody listens: the cancellation is under way.
            Push::Gone => Ok(()),
            Push::Full(batch) => Err(batch.items),
        }
    }

    fn counted(&mut self, profile: &Profile) {
        self.profile = Some(profile::report(&self.job.prepared.plan, profile));
    }

    fn finish(&mut self, outcome: Result<Summary, QueryError>) {
        let job = &self.job;
        let error = match outcome {
            Ok(_) if job.needs_one && !self.delivered => Error::NoResult,
            Ok(_) => return self.succeed(),
            Err(QueryError::Graph(error)) if error.is_retryable() => {
                let attempts = self.number + 1;
                if attempts <= job.inner.options.write_retries {
                    return job.again(attempts);
                }
                conflict(attempts, error)
            }
            Err(error) => error.into(),
        };
        job.sink.finish(Err(refusal(&error)));
    }
}

impl Relay {
    fn succeed(&mut self) {
        drop(finished(&self.job.sink, self.profile.take().map(Value::from)));
    }
}
