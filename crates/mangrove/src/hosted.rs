//! A database behind the server: requests run on the engine's executors, results go into the server's sinks.

use std::{
    sync::{Arc, atomic::Ordering},
    thread,
    time::{Duration, Instant},
};

use dataflow::Caller;
use parking_lot::Mutex;
use server::{Client, Input, Materialize, Query, ResultBatch};
use values::Value;

use crate::{
    Database, Error,
    database::Inner,
    job::Job,
    metrics,
    origin::Origin,
    prepare::{Preparation, Prepared},
    script::{self, Mode, Request},
    scripts::Script,
    services::{self, Within, begins_with_call},
    time_limit::TimeLimit,
};

pub(crate) type ServerSink = Arc<dyn server::ResultSink>;

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
        metrics::of(&self.stats(), self.inner.refused.load(Ordering::Relaxed))
    }
}

/// An error as a client sees it.
pub(crate) fn refusal(error: &Error) -> server::QueryError {
    server::QueryError::new(error.kind(), error.to_string())
}

fn start(inner: &Arc<Inner>, query: Query, sink: &ServerSink) -> Result<Box<dyn server::Running>, Error> {
    let Client { address, connection } = query.client;
    let wishes = Wishes {
        caller: Caller::Client { address, connection },
        asked: query.asked,
        timeout: query.timeout,
        max_timeout: query.max_timeout,
        read_only: query.read_only,
        materialize: query.materialize,
    };
    let request = match query.input {
        Input::Text { script, source, bindings } => {
            let bindings = script::bindings(bindings);
            match inner.read(&script, &source, &bindings, &inner.graph.snapshot())? {
                Script::Prepared(prepared, mode) => {
                    let origin = Origin::Script { text: script, source, bindings };
                    return begin(inner, prepared, origin, mode, wishes, sink);
                }
                Script::Read(request) => request,
            }
        }
        Input::Bytecode(traversal) => Request::bytecode(traversal),
    };
    if begins_with_call(&request.traversal) {
        return call(inner.clone(), request, wishes, sink.clone());
    }
    go_on(inner, request, wishes, sink)
}

/// What a client says about a request beside its traversal.
#[derive(Clone, Copy)]
pub(crate) struct Wishes {
    /// On whose behalf it is.
    pub(crate) caller: Caller,
    /// When it was made.
    pub(crate) asked: Instant,
    timeout: Option<Duration>,
    max_timeout: Option<Duration>,
    read_only: bool,
    materialize: Materialize,
}

impl Wishes {
    /// The request as the client wishes it.
    pub(crate) fn granted(self, mut prepared: Prepared) -> Prepared {
        prepared.timeout = self.timeout(prepared.timeout);
        if self.materialize == Materialize::Tokens {
            prepared.references_only();
        }
        prepared
    }

    /// How long a query may take that asks for so long itself.
    fn timeout(self, asked: Option<Duration>) -> Option<Duration> {
        let asked = asked.or(self.timeout);
        asked.into_iter().chain(self.max_timeout).min()
    }

    /// How long it may take until the traversal is known, which may say something else.
    fn time(self, inner: &Inner) -> TimeLimit {
        TimeLimit::since(self.asked, self.timeout(None).or(inner.options.timeout))
    }

    /// Where a service is called.
    fn within(self, mode: Mode) -> Within {
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
            .and_then(|traversal| go_on(&inner, Request { traversal, ..request }, wishes, &sink));
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
    wishes: Wishes,
    sink: &ServerSink,
) -> Result<Box<dyn server::Running>, Error> {
    let time = wishes.time(inner);
    match request.mode {
        Mode::Nothing => return Ok(finished(sink, None)),
        Mode::Explain => {
            let snapshot = inner.graph.snapshot();
            let text = inner.preparer.explain(&request.traversal, &snapshot, time)?;
            return Ok(finished(sink, Some(Value::from(text))));
        }
        Mode::Run | Mode::RunForOne => {}
    }
    match inner.preparer.prepare(request.traversal, inner.graph.snapshot(), time)? {
        Preparation::Run(prepared, lifted) => {
            begin(inner, prepared, Origin::Traversal(lifted), request.mode, wishes, sink)
        }
        Preparation::Explanation(text) => Ok(finished(sink, Some(Value::from(text)))),
    }
}

/// Starts a request that is prepared.
fn begin(
    inner: &Arc<Inner>,
    prepared: Prepared,
    origin: Origin,
    mode: Mode,
    wishes: Wishes,
    sink: &ServerSink,
) -> Result<Box<dyn server::Running>, Error> {
    if wishes.read_only && prepared.plan.writes {
        return Err(Error::ReadOnly("the traversal".into()));
    }
    let prepared = wishes.granted(prepared);
    let needs_one = mode == Mode::RunForOne;
    Ok(Box::new(Job::start(inner.clone(), prepared, (origin, wishes), sink.clone(), needs_one)))
}

/// Answers at once.
pub(crate) fn finished(sink: &ServerSink, result: Option<Value>) -> Box<dyn server::Running> {
    if let Some(value) = result {
        // A sink that has seen nothing has room for one result; one that nobody listens to needs none.
        let _ = sink.push(ResultBatch::of(vec![(value, 1)]));
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
