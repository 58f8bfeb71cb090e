//! The engine under test: Mangrove, embedded.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use dataflow::{EngineOptions, Sharing};
use mangrove::graph::Graph;
use mangrove::values::Value;
use mangrove::{Database, DatabaseOptions, Error, ErrorKind};

use super::answer::{Answer, Outcome, State};
use super::canon::Canon;
use super::graph::{GraphSpec, Known};

/// Results beyond which an answer is too large to compare, as in the reference's process.
const MOST_RESULTS: usize = 4_000;
/// Bytes that a traversal may hold.
const MEMORY: u64 = 256 << 20;
/// How long it may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// So many executors, which help each other as soon as they can, with pieces as small as can be.
///
/// # Errors
/// If the system refuses a thread.
pub fn executors(count: usize) -> Result<Arc<dataflow::Engine>, String> {
    let sharing = Sharing { patience: Duration::ZERO, piece: 1 };
    let options =
        EngineOptions { executors: count, pin: false, committers: 1, sharing, ..EngineOptions::default() };
    dataflow::Engine::start(&options).map(Arc::new).map_err(|error| error.to_string())
}

thread_local! {
    /// Whether this thread runs a query, whose panics are answers.
    static ASKING: Cell<bool> = const { Cell::new(false) };
}

/// Lets panics of queries be told with their cases, and not where they happen.
pub fn keep_panics_quiet() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !ASKING.get() {
            usual(info);
        }
    }));
}

/// A graph in Mangrove.
pub struct Engine {
    database: Database,
    known: Known,
}

impl Engine {
    /// A graph, in an engine that others share.
    ///
    /// # Errors
    /// If Mangrove refuses the graph.
    pub fn load(spec: &GraphSpec, engine: &Arc<dataflow::Engine>) -> Result<Self, Error> {
        Self::of(spec, spec, engine, None)
    }

    /// A graph that may read and write files in a folder, and another whose ids mean something.
    ///
    /// # Errors
    /// If Mangrove refuses the graph.
    pub fn over_files(
        spec: &GraphSpec,
        known: &GraphSpec,
        engine: &Arc<dataflow::Engine>,
        folder: &Path,
    ) -> Result<Self, Error> {
        Self::of(spec, known, engine, Some(folder))
    }

    fn of(
        spec: &GraphSpec,
        known: &GraphSpec,
        engine: &Arc<dataflow::Engine>,
        folder: Option<&Path>,
    ) -> Result<Self, Error> {
        let options = DatabaseOptions {
            engine: Some(engine.clone()),
            memory_per_query: MEMORY,
            timeout: Some(TIMEOUT),
            io_directory: folder.map(Path::to_owned),
            ..DatabaseOptions::default()
        };
        let database = Database::in_memory_with(options.with_cache(32 << 20))?;
        spec.load(graph(&database))?;
        Ok(Self { database, known: known.known() })
    }

    /// Its answer to a traversal, and to one that may write also the graph that it would leave.
    pub fn answer(&self, text: &str, writes: bool) -> Answer {
        if writes { self.write(text) } else { self.read(text) }
    }

    /// Its answer to a traversal that only reads.
    fn read(&self, text: &str) -> Answer {
        Answer::of(self.guarded(|| self.database.query(text).and_then(all)))
    }

    /// Its answer to a traversal that may write, and the graph afterwards. Nothing of it stays.
    fn write(&self, text: &str) -> Answer {
        let transaction = self.database.transaction();
        let outcome = self.guarded(|| transaction.query(text).and_then(all));
        let state = matches!(outcome, Outcome::Results(_)).then(|| {
            let all =
                |text| transaction.query(text).and_then(|results| results.collect::<Result<Vec<_>, _>>());
            match (all("g.V()"), all("g.E()")) {
                (Ok(vertices), Ok(edges)) => State::of_elements(&vertices, &edges, &self.known),
                (Err(error), _) | (_, Err(error)) => {
                    State::of_elements(&[error.to_string().into()], &[], &self.known)
                }
            }
        });
        Answer { outcome, state }
    }

    /// A panic is no answer, whatever the reference says.
    fn guarded(&self, ask: impl FnOnce() -> Result<Vec<Value>, Error>) -> Outcome {
        ASKING.set(true);
        let answer = catch_unwind(AssertUnwindSafe(ask));
        ASKING.set(false);
        match answer {
            Ok(results) => outcome(results, &self.known),
            Err(payload) => {
                let text = payload.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
                Outcome::Panic(text.unwrap_or("no message").to_owned())
            }
        }
    }
}

fn graph(database: &Database) -> &Graph {
    database.graph()
}

fn all(results: mangrove::Results<'_>) -> Result<Vec<Value>, Error> {
    results.take(MOST_RESULTS + 1).collect()
}

fn outcome(results: Result<Vec<Value>, Error>, known: &Known) -> Outcome {
    match results {
        Ok(results) if results.len() > MOST_RESULTS => Outcome::Late,
        Ok(results) => Outcome::Results(results.iter().map(|result| Canon::of(result, known)).collect()),
        Err(error) => match error.kind() {
            ErrorKind::Unsupported => Outcome::Refused(error.to_string()),
            ErrorKind::Internal => Outcome::Panic(error.to_string()),
            ErrorKind::Timeout | ErrorKind::Limit => Outcome::Late,
            // Graphs may differ in what a property can hold, and TinkerGraph takes anything.
            _ if error.to_string().contains("cannot be stored under") => Outcome::Refused(error.to_string()),
            _ => Outcome::Error(error.to_string()),
        },
    }
}
