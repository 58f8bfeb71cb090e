//! A database that does what its scripts say, and a client that speaks GraphSON over WebSocket.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod http;

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use futures_util::{SinkExt, StreamExt};
use parking_lot::{Condvar, Mutex};
use serde_json::{Value as Json, json};
use server::{
    Database, ErrorKind, Graphs, Input, Materialize, Metric, MetricKind, Push, Query, QueryError,
    ResultBatch, ResultSink, Running, Security, Server, ServerOptions, Session, Summary,
};
use tokio::{net::TcpStream, sync::oneshot, task::JoinHandle, time::timeout};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Message, client::IntoClientRequest},
};
use values::Value;

/// Runs scripts of one word and one number: `g.count(3)` has the results 0, 1, 2; `g.bulk(3)` one result three
/// times over; `g.write()` is refused to who may only read; `g.hang()` never ends; `g.flood()` never ends and has results
/// all the time; `g.error(timeout)` fails; `g.slow(9)` has its number as a result, after so many milliseconds;
/// `g.bare()` has a vertex, and says itself that elements have no properties;
/// `g.doubled(3)` has one result, a list of two equal lists of two and so on; `g.large(3)` a text of 300 KiB three times.
#[derive(Default)]
pub struct Fake {
    /// Queries that run now.
    pub running: AtomicUsize,
    /// Queries that were cancelled.
    pub cancelled: AtomicUsize,
    /// Results that sinks have taken.
    pub taken: AtomicUsize,
    /// How often a sink was full.
    pub full: AtomicUsize,
    /// Sessions that are open.
    pub sessions: AtomicUsize,
    /// Queries of sessions that ran while another one of the same session did.
    pub overlaps: AtomicUsize,
    /// Whether transactions have been rolled back for having been open for too long.
    pub expired: AtomicBool,
    /// Whether there is no memory for what is to be read.
    pub no_memory: AtomicBool,
    /// What is kept for requests, one for each.
    pub reserved: Arc<()>,
    /// The last query.
    pub last: Mutex<Option<Query>>,
}

/// The engine's side of a query.
#[derive(Default)]
struct Control {
    cancelled: AtomicBool,
    woken: Mutex<bool>,
    bell: Condvar,
}

impl Control {
    fn wake(&self) {
        *self.woken.lock() = true;
        self.bell.notify_all();
    }
}

struct Handle(Arc<Control>, Option<Instant>, Option<Materialize>);

impl Running for Handle {
    fn resume(&self) {
        self.0.wake();
    }
    fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::SeqCst);
        self.0.wake();
    }
    fn materialize(&self) -> Option<Materialize> {
        self.2
    }
    fn deadline(&self) -> Option<Instant> {
        self.1
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl Database for Fakes {
    fn submit(&self, query: Query, sink: Arc<dyn ResultSink>) -> Box<dyn Running> {
        let control = Arc::new(Control::default());
        let (fake, engine) = (self.0.clone(), control.clone());
        let asked = query.clone();
        *fake.last.lock() = Some(query.clone());
        fake.running.fetch_add(1, Ordering::SeqCst);
        thread::spawn(move || {
            fake.execute(&asked, &*sink, &engine);
            fake.running.fetch_sub(1, Ordering::SeqCst);
        });
        let is_bare = matches!(&query.input, Input::Text { script, .. } if script == "g.bare()");
        let deadline = query.timeout.map(|timeout| Instant::now() + timeout);
        Box::new(Handle(control, deadline, is_bare.then_some(Materialize::Tokens)))
    }

    fn session(&self, _client: server::Client) -> Result<Arc<dyn Session>, QueryError> {
        self.0.sessions.fetch_add(1, Ordering::SeqCst);
        Ok(Arc::new(FakeSession { fake: self.0.clone(), running: Arc::default(), open: Arc::default() }))
    }

    fn memory_per_request(&self) -> u64 {
        8 << 20
    }

    fn reserve(&self, _bytes: u64) -> Option<server::Held> {
        (!self.0.no_memory.load(Ordering::SeqCst)).then(|| self.0.reserved.clone() as server::Held)
    }

    fn metrics(&self) -> Vec<Metric> {
        let (name, help) = ("fake_queries", "Queries that run");
        let value = self.0.running.load(Ordering::SeqCst) as f64;
        vec![Metric { name, help, kind: MetricKind::Gauge, labels: Vec::new(), value }]
    }
}

/// Runs what it is asked as if it was asked without a session, and looks whether it is asked one by one. Its transaction is open after
/// `g.tx().begin()`, until `g.tx().commit()`, `g.tx().rollback()` and [`Fake::expired`].
struct FakeSession {
    fake: Arc<Fake>,
    running: Arc<AtomicUsize>,
    open: Arc<AtomicBool>,
}

/// Ends its count with the query.
struct Counted(Arc<dyn ResultSink>, Arc<AtomicUsize>);

impl ResultSink for Counted {
    fn push(&self, batch: ResultBatch) -> Push {
        self.0.push(batch)
    }
    fn finish(&self, outcome: Result<Summary, QueryError>) {
        self.1.fetch_sub(1, Ordering::SeqCst);
        self.0.finish(outcome);
    }
}

impl Session for FakeSession {
    fn submit(&self, query: Query, _manages: bool, sink: Arc<dyn ResultSink>) -> Box<dyn Running> {
        if self.running.fetch_add(1, Ordering::SeqCst) > 0 {
            self.fake.overlaps.fetch_add(1, Ordering::SeqCst);
        }
        if let Input::Text { script, .. } = &query.input
            && let Some(control) = script.strip_prefix("g.tx().")
        {
            self.open.store(control == "begin()", Ordering::SeqCst);
        }
        Fakes(self.fake.clone()).submit(query, Arc::new(Counted(sink, self.running.clone())))
    }

    fn is_open(&self) -> bool {
        self.open.load(Ordering::SeqCst) && !self.fake.expired.load(Ordering::SeqCst)
    }
}

impl Drop for FakeSession {
    fn drop(&mut self) {
        self.fake.sessions.fetch_sub(1, Ordering::SeqCst);
    }
}

/// `Database` for a shared [`Fake`].
pub struct Fakes(pub Arc<Fake>);

impl Fake {
    fn execute(&self, query: &Query, sink: &dyn ResultSink, control: &Control) {
        let Input::Text { script, source, .. } = &query.input else {
            sink.push(ResultBatch::of(vec![(Value::str("bytecode"), 2)]));
            return sink.finish(Ok(Summary::default()));
        };
        let call = script.strip_prefix(&format!("{source}.")).unwrap_or(script);
        let (name, argument) = call.split_once('(').unwrap_or((call, ""));
        let argument = argument.trim_end_matches(')');
        match name {
            "count" => {
                let n: i32 = argument.parse().unwrap();
                let all: Vec<_> = (0..n).map(|i| (Value::Int(i), 1)).collect();
                for items in all.chunks(10) {
                    if !self.push(ResultBatch::of(items.to_vec()), sink, control) {
                        return self.end(sink);
                    }
                }
                sink.finish(Ok(Summary::default()));
            }
            "bare" => {
                let vertex = Value::from(values::Vertex::reference(1, "person"));
                sink.push(ResultBatch::of(vec![(vertex, 1)]));
                sink.finish(Ok(Summary::default()));
            }
            "bulk" => {
                sink.push(ResultBatch::of(vec![(Value::str("same"), argument.parse().unwrap())]));
                sink.finish(Ok(Summary::default()));
            }
            "write" if query.read_only => {
                sink.finish(Err(QueryError::new(ErrorKind::ReadOnly, "it would write")));
            }
            "write" | "tx" => sink.finish(Ok(Summary::default())),
            "doubled" => {
                let times = argument.parse().unwrap();
                let double = |value: Value, _| Value::list([value.clone(), value]);
                let value = (0..times).fold(Value::Int(1), double);
                sink.push(ResultBatch::of(vec![(value, 1)]));
                sink.finish(Ok(Summary::default()));
            }
            "large" => {
                let text = Value::from("x".repeat(300 << 10));
                sink.push(ResultBatch::of(vec![(text, argument.parse().unwrap())]));
                sink.finish(Ok(Summary::default()));
            }
            "slow" => {
                let millis: i32 = argument.parse().unwrap();
                thread::sleep(Duration::from_millis(millis as u64));
                sink.push(ResultBatch::of(vec![(Value::Int(millis), 1)]));
                sink.finish(Ok(Summary::default()));
            }
            "warn" => sink.finish(Ok(Summary { warnings: vec!["careful".into()] })),
            "hang" => {
                while !control.cancelled.load(Ordering::SeqCst) {
                    self.wait(control);
                }
                self.end(sink);
            }
            "flood" => {
                let batch = ResultBatch::of(vec![(Value::str("x".repeat(1000)), 1); 100]);
                while self.push(batch.clone(), sink, control) {}
                self.end(sink);
            }
            "unencodable" => {
                sink.push(ResultBatch::of(vec![(Value::VertexRef(values::VertexRef(7)), 1)]));
                sink.finish(Ok(Summary::default()));
            }
            "error" => {
                let kind = match argument {
                    "timeout" => ErrorKind::Timeout,
                    "conflict" => ErrorKind::Conflict,
                    "fail" => ErrorKind::FailStep,
                    "busy" => ErrorKind::Busy,
                    "syntax" => ErrorKind::Syntax,
                    _ => ErrorKind::Internal,
                };
                sink.finish(Err(QueryError::new(kind, format!("{argument}!"))));
            }
            other => sink.finish(Err(QueryError::new(ErrorKind::Syntax, format!("no such call: {other}")))),
        }
    }

    fn end(&self, sink: &dyn ResultSink) {
        self.cancelled.fetch_add(1, Ordering::SeqCst);
        sink.finish(Err(QueryError::new(ErrorKind::Cancelled, "cancelled")));
    }

    /// Pushes, waiting while the sink is full; `false` once the query is cancelled.
    fn push(&self, mut batch: ResultBatch, sink: &dyn ResultSink, control: &Control) -> bool {
        loop {
            if control.cancelled.load(Ordering::SeqCst) {
                return false;
            }
            let n = batch.items.len();
            match sink.push(batch) {
                Push::Taken => {
                    self.taken.fetch_add(n, Ordering::SeqCst);
                    return true;
                }
                Push::Gone => return false,
                Push::Full(back) => {
                    self.full.fetch_add(1, Ordering::SeqCst);
                    batch = back;
                    self.wait(control);
                }
            }
        }
    }

    fn wait(&self, control: &Control) {
        let mut woken = control.woken.lock();
        while !*woken {
            control.bell.wait(&mut woken);
        }
        *woken = false;
    }
}

/// A running server with a fake graph behind `g` and another one behind `other`.
pub struct Serving {
    pub fake: Arc<Fake>,
    pub other: Arc<Fake>,
    pub graphs: Graphs,
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Serving {
    pub async fn start(options: ServerOptions) -> Self {
        Self::start_secured(options, Security::default()).await
    }

    /// The same for those who may come in.
    pub async fn start_secured(options: ServerOptions, security: Security) -> Self {
        let (fake, other) = (Arc::<Fake>::default(), Arc::<Fake>::default());
        let graphs = Graphs::new();
        graphs.insert("g", Arc::new(Fakes(fake.clone())));
        graphs.insert("other", Arc::new(Fakes(other.clone())));
        let server = Server::bind_secured(([127, 0, 0, 1], 0).into(), graphs.clone(), options, security)
            .await
            .unwrap();
        let address = server.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(server.run(async move { drop(stopped.await) }));
        Self { fake, other, graphs, address, stop: Some(stop), task }
    }

    pub async fn connect(&self) -> Client {
        Client::connect(self.address).await
    }

    /// A client whose driver says that it is this one.
    pub async fn connect_as(&self, driver: &str) -> Client {
        let mut request = format!("ws://{}/gremlin", self.address).into_client_request().unwrap();
        request.headers_mut().insert("User-Agent", driver.parse().unwrap());
        let stream = TcpStream::connect(self.address).await.unwrap();
        Client::over(client_async(request, stream).await.unwrap().0)
    }

    /// Asks the server to stop and waits until it has.
    pub async fn stop(mut self) {
        self.stop.take();
        timeout(Duration::from_secs(10), &mut self.task).await.expect("the server stops").unwrap();
    }
}

/// Waits until `condition` holds; fails after five seconds.
pub async fn eventually(what: &str, condition: impl Fn() -> bool) {
    for _ in 0..500 {
        if condition() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("in vain: {what}");
}

/// A WebSocket client.
pub struct Client {
    pub socket: WebSocketStream<TcpStream>,
    next: u32,
}

impl Client {
    pub async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        let (socket, _) = client_async(format!("ws://{address}/gremlin"), stream).await.unwrap();
        Self::over(socket)
    }

    /// A client on a socket that is open.
    pub fn over(socket: WebSocketStream<TcpStream>) -> Self {
        Self { socket, next: 0 }
    }

    /// Sends a request as a text frame; gives its id.
    pub async fn send(&mut self, op: &str, processor: &str, args: Json) -> String {
        self.next += 1;
        let id = format!("00000000-0000-0000-0000-{:012}", self.next);
        let request = json!({ "requestId": id, "op": op, "processor": processor, "args": args });
        self.socket.send(Message::text(request.to_string())).await.unwrap();
        id
    }

    pub async fn eval(&mut self, script: &str) -> String {
        self.send("eval", "", json!({ "gremlin": script })).await
    }

    /// The next response.
    pub async fn response(&mut self) -> Response {
        loop {
            let message =
                timeout(Duration::from_secs(10), self.socket.next()).await.expect("an answer in time");
            match message.expect("the connection stands").unwrap() {
                Message::Text(text) => return Response(serde_json::from_str(&text).unwrap()),
                Message::Binary(bytes) => return Response(serde_json::from_slice(&bytes).unwrap()),
                Message::Close(frame) => panic!("closed: {frame:?}"),
                _ => {}
            }
        }
    }

    /// All responses to the one request in flight.
    pub async fn responses(&mut self) -> Vec<Response> {
        let mut all = Vec::new();
        loop {
            let response = self.response().await;
            let last = response.code() != 206;
            all.push(response);
            if last {
                return all;
            }
        }
    }

    /// Sends a request and waits for its only response.
    pub async fn ask(&mut self, op: &str, processor: &str, args: Json) -> Response {
        self.send(op, processor, args).await;
        self.response().await
    }
}

/// A response message.
#[derive(Debug)]
pub struct Response(pub Json);

impl Response {
    pub fn id(&self) -> &str {
        self.0["requestId"].as_str().unwrap_or("")
    }
    pub fn code(&self) -> u64 {
        self.0["status"]["code"].as_u64().unwrap()
    }
    pub fn message(&self) -> &str {
        self.0["status"]["message"].as_str().unwrap()
    }
    /// The results, without their types.
    pub fn data(&self) -> Vec<Json> {
        match plain(&self.0["result"]["data"]) {
            Json::Array(items) => items,
            _ => Vec::new(),
        }
    }
    pub fn attributes(&self) -> Json {
        plain(&self.0["status"]["attributes"])
    }
}

/// GraphSON 3 without types; maps become objects.
fn plain(typed: &Json) -> Json {
    match typed {
        Json::Array(items) => items.iter().map(plain).collect(),
        Json::Object(object) => match (object.get("@type").and_then(Json::as_str), object.get("@value")) {
            (Some("g:Map"), Some(Json::Array(flat))) => {
                let entry = |pair: &[Json]| (plain(&pair[0]).as_str().unwrap().to_owned(), plain(&pair[1]));
                Json::Object(flat.chunks(2).map(entry).collect())
            }
            (Some(_), Some(value)) => plain(value),
            _ => Json::Object(object.iter().map(|(k, v)| (k.clone(), plain(v))).collect()),
        },
        scalar => scalar.clone(),
    }
}
