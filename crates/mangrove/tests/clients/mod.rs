//! Clients of a database as the server drives it: requests on the executors, results into a sink.

#![allow(dead_code, reason = "each test uses some of it")]

use std::{
    sync::{Arc, mpsc},
    time::Duration,
};

use mangrove::{Database, values::Value};
use parking_lot::Mutex;
use server::{
    Client, Database as _, Input, Push, Query, QueryError, ResultBatch, ResultSink, Running, Summary,
};

/// Keeps what it gets; full while it holds more than `room` results.
pub struct Sink {
    pub taken: Mutex<Vec<(Value, u64)>>,
    pub room: Mutex<usize>,
    outcome: mpsc::Sender<Result<Summary, QueryError>>,
}

impl Sink {
    /// One that has room for all results.
    pub fn new(outcome: mpsc::Sender<Result<Summary, QueryError>>) -> Self {
        Self { taken: Mutex::default(), room: Mutex::new(usize::MAX), outcome }
    }
}

impl ResultSink for Sink {
    fn push(&self, batch: ResultBatch) -> Push {
        let mut taken = self.taken.lock();
        if taken.len() >= *self.room.lock() {
            return Push::Full(batch);
        }
        taken.extend(batch.items);
        Push::Taken
    }
    fn finish(&self, outcome: Result<Summary, QueryError>) {
        let _ = self.outcome.send(outcome);
    }
}

/// A request that was sent.
pub struct Asked {
    pub sink: Arc<Sink>,
    pub outcome: mpsc::Receiver<Result<Summary, QueryError>>,
    pub running: Box<dyn Running>,
}

impl Asked {
    pub fn outcome(&self) -> Result<Summary, QueryError> {
        self.outcome.recv_timeout(Duration::from_secs(60)).expect("the query ends")
    }
    pub fn texts(&self) -> Vec<String> {
        self.sink.taken.lock().iter().map(|(value, _)| value.to_string()).collect()
    }
    /// The same, once it has ended well.
    pub fn texts_at_end(&self) -> Vec<String> {
        self.outcome().unwrap_or_else(|error| panic!("{error}"));
        self.texts()
    }
    /// The results, once it has ended well.
    pub fn results(&self) -> Vec<Value> {
        self.outcome().unwrap_or_else(|error| panic!("{error}"));
        self.sink.taken.lock().iter().map(|(value, _)| value.clone()).collect()
    }
}

/// A query that may do anything, for ever.
pub fn query(script: &str) -> Query {
    let input = Input::Text { script: script.into(), source: "g".into(), bindings: Vec::new() };
    let client = Client { user: None, tenant: None, address: [127, 0, 0, 1].into(), connection: 1 };
    Query::unbounded(client, input)
}

/// Sends a query to a client that has room for so many results.
pub fn submit(db: &Database, query: Query, room: usize) -> Asked {
    let (send, outcome) = mpsc::channel();
    let sink = Arc::new(Sink { taken: Mutex::default(), room: Mutex::new(room), outcome: send });
    let running = db.submit(query, sink.clone());
    Asked { sink, outcome, running }
}

pub fn ask_with(db: &Database, script: &str, room: usize, timeout: Option<Duration>) -> Asked {
    submit(db, Query { timeout, ..query(script) }, room)
}

pub fn ask(db: &Database, script: &str) -> Asked {
    ask_with(db, script, usize::MAX, None)
}

/// A request with values for its variables.
pub fn ask_for(db: &Database, script: &str, bindings: &[(&str, Value)]) -> Asked {
    let bindings = bindings.iter().map(|(name, value)| ((*name).into(), value.clone().into())).collect();
    let input = Input::Text { script: script.into(), source: "g".into(), bindings };
    submit(db, Query { input, ..query("") }, usize::MAX)
}
