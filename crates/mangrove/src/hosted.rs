//! The server's door: requests run on the engine's executors, results go into the server's sinks.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use parking_lot::Mutex;
use server::{Holder, Input, Query};

use crate::{
    Database, Error,
    database::Inner,
    metrics,
    request::{
        Asked, Job, Once, Over, Ready, Request, Seen, ServerSink, Wishes, answer, bindings, once, only,
        refusal,
    },
    service_threads::{Call, SERVICE_THREADS},
    services::begins_with_call,
    sessions::{Course, Ground, SessionDoor},
    summary,
};

impl server::Database for Database {
    fn submit(&self, query: Query, sink: ServerSink) -> Box<dyn server::Running> {
        let query = self.inner.granted(query);
        match start(&self.inner, query, &sink) {
            Ok(running) => running,
            Err(error) => {
                sink.finish(Err(refusal(&error)));
                Box::new(Over)
            }
        }
    }

    fn session(&self, client: server::Client) -> Result<Arc<dyn server::Session>, server::QueryError> {
        Ok(Arc::new(SessionDoor::new(Ground::of_session(&self.inner, client))))
    }

    fn memory_per_request(&self) -> u64 {
        self.inner.options.memory_per_query
    }

    fn reserve(&self, bytes: u64) -> Option<server::Held> {
        match self.inner.engine.memory() {
            Some(budget) => budget.reserve(bytes).map(|reserved| Arc::new(reserved) as server::Held),
            None => Some(Arc::new(())),
        }
    }

    fn summary(&self, left: &dyn Fn() -> Option<u64>) -> Result<server::GraphSummary, server::QueryError> {
        summary::of(self, left)
    }

    fn metrics(&self) -> Vec<server::Metric> {
        let open = self.inner.expiry.watched();
        metrics::of(&self.stats(), self.inner.refused.load(Ordering::Relaxed), open)
    }
}

fn start(inner: &Arc<Inner>, query: Query, sink: &ServerSink) -> Result<Box<dyn server::Running>, Error> {
    match Once::of(inner, &query)? {
        Some(key) => once(inner, key, sink, |sink| start_now(inner, query, sink)),
        None => start_now(inner, query, sink),
    }
}

fn start_now(inner: &Arc<Inner>, query: Query, sink: &ServerSink) -> Result<Box<dyn server::Running>, Error> {
    let wishes = Wishes::of_client(inner, &query)?;
    let request = match query.input {
        Input::Text { script, source, bindings: given } => {
            match Ready::of_script(inner, (&script, &source), bindings(given), Seen::Now, &wishes)? {
                Asked::Run(run) => return Ok(Job::start(inner, run, wishes, sink.clone())),
                Asked::Read(request) => request,
                Asked::Several(plot, variables) => {
                    let ground = Ground::of_script(inner, query.client, variables)?;
                    return Ok(Course::start(ground, plot, wishes, true, sink.clone()));
                }
            }
        }
        Input::Bytecode(traversal) => Request::bytecode(traversal),
        Input::End(_) => {
            return Err(Error::Script(
                "a transaction over several requests needs a session; a request without one is a transaction of its own and \
                 commits when it ends"
                    .into(),
            ));
        }
    };
    single(inner, request, wishes, sink)
}

/// Starts a request that is one traversal, and a transaction of its own.
pub(crate) fn single(
    inner: &Arc<Inner>,
    mut request: Request,
    wishes: Wishes,
    sink: &ServerSink,
) -> Result<Box<dyn server::Running>, Error> {
    let time = wishes.time(inner);
    match Once::taken_from(&mut request, &wishes, &time)? {
        Some(key) => once(inner, key, sink, |sink| single_now(inner, request, wishes.keyed(), sink)),
        None => single_now(inner, request, wishes, sink),
    }
}

fn single_now(
    inner: &Arc<Inner>,
    request: Request,
    wishes: Wishes,
    sink: &ServerSink,
) -> Result<Box<dyn server::Running>, Error> {
    if wishes.is_keyed() && begins_with_call(&request.traversal) {
        return Err(Error::RequestKey(
            "a request with a key begins with a service; what one does is no part of a transaction, and cannot be known to be done: \
             leave the key out"
                .into(),
        ));
    }
    if begins_with_call(&request.traversal) {
        return call(inner.clone(), request, wishes, sink.clone());
    }
    go_on(inner, request, wishes, sink)
}

/// Goes on with a request that is read.
fn go_on(
    inner: &Arc<Inner>,
    request: Request,
    wishes: Wishes,
    sink: &ServerSink,
) -> Result<Box<dyn server::Running>, Error> {
    let text = match Ready::of_request(inner, request, Seen::Now, &wishes)? {
        Ready::Run(run) => return Ok(Job::start(inner, run, wishes, sink.clone())),
        Ready::Text(text) => Some(text),
        Ready::Nothing => None,
    };
    answer(sink, text.map(only));
    Ok(Box::new(Over))
}

/// Goes on with a request that begins with a service, on [a thread](crate::service_threads) that may wait.
fn call(
    inner: Arc<Inner>,
    request: Request,
    wishes: Wishes,
    sink: ServerSink,
) -> Result<Box<dyn server::Running>, Error> {
    let later = Arc::new(Later::default());
    let is_given_up = later.is_given_up.clone();
    let wishes = wishes.until(Arc::new(move || is_given_up.load(Ordering::Acquire)));
    let call = ServiceCall { inner, request, wishes, sink, later: later.clone() };
    SERVICE_THREADS.call(Box::new(call)).map_err(|error| Error::Engine(Arc::new(error)))?;
    Ok(Box::new(LaterHandle(later)))
}

/// A request that begins with a service, until there is a thread for it.
struct ServiceCall {
    inner: Arc<Inner>,
    request: Request,
    wishes: Wishes,
    sink: ServerSink,
    later: Arc<Later>,
}

impl Call for ServiceCall {
    fn holder(&self) -> Option<Holder> {
        self.wishes.asker().holder()
    }

    fn is_over(&self) -> bool {
        self.later.is_given_up.load(Ordering::Acquire)
            || self.wishes.time(&self.inner).deadline().is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn run(self: Box<Self>) {
        let Self { inner, request, wishes, sink, later } = *self;
        if !later.begins() {
            // Nobody waits for it, or whoever stopped it tells its client.
            return;
        }
        let done = match wishes.time(&inner).spend(|| ()) {
            Ok(()) => go_on(&inner, request, wishes, &sink),
            Err(late) => Err(late.into()),
        };
        match done {
            Ok(running) => later.begun(running),
            Err(error) => sink.finish(Err(refusal(&error))),
        }
    }
}

/// A query that has not begun yet, and whether nobody waits for it any more.
#[derive(Default)]
struct Later {
    is_given_up: Arc<AtomicBool>,
    /// Whether its service is being called, or was. Changed under the lock of what runs.
    has_begun: AtomicBool,
    running: Mutex<Option<Box<dyn server::Running>>>,
}

impl Later {
    /// Its service is called now; false if nobody wants that any more.
    fn begins(&self) -> bool {
        let _place = self.running.lock();
        let is_wanted = !self.is_given_up.load(Ordering::Acquire);
        self.has_begun.store(is_wanted, Ordering::Release);
        is_wanted
    }

    fn begun(&self, running: Box<dyn server::Running>) {
        let mut place = self.running.lock();
        if self.is_given_up.load(Ordering::Acquire) {
            running.cancel();
        }
        *place = Some(running);
    }
}

struct LaterHandle(Arc<Later>);

impl server::Running for LaterHandle {
    fn stop(&self) {
        match &*self.0.running.lock() {
            Some(running) => running.stop(),
            // What a service does is not given up in the middle.
            None if self.0.has_begun.load(Ordering::Acquire) => {}
            None => self.0.is_given_up.store(true, Ordering::Release),
        }
    }

    fn progress(&self) -> server::Progress {
        self.0.running.lock().as_ref().map(|running| running.progress()).unwrap_or_default()
    }

    fn resume(&self) {
        if let Some(running) = &*self.0.running.lock() {
            running.resume();
        }
    }

    fn cancel(&self) {
        let running = self.0.running.lock();
        self.0.is_given_up.store(true, Ordering::Release);
        if let Some(running) = &*running {
            running.cancel();
        }
    }

    fn materialize(&self) -> Option<server::Materialize> {
        self.0.running.lock().as_ref()?.materialize()
    }

    fn deadline(&self) -> Option<Instant> {
        self.0.running.lock().as_ref()?.deadline()
    }
}

impl Drop for LaterHandle {
    fn drop(&mut self) {
        server::Running::cancel(self);
    }
}
