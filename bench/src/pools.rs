//! Many short queries beside scans, on a cache much smaller than the graph (ByteGraph, Figure 12): how many are not done in
//! time, and how long they take, without pools for loads, with static pools, and with dynamic ones.
//!
//! ```text
//! 32 clients, a pause between two queries ── names of some friends of a person  (light, 50 ms) ─┐
//! 64 clients, no pause ────────────────────  all messages of one of them        (heavy, 3 s)   ─┴─▶ 2 executors ─▶ store
//! ```
//!
//! The store of this machine is a file in the page cache, that of ByteGraph is across a network. So each read of the store
//! can be made to take longer than it does; without that, a load is work for the processor and nothing to wait for.

use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use dataflow::{Engine, EngineOptions};
use mangrove::graph::PoolOptions;
use mangrove::store::{FjallOptions, FjallStore, ObservedStore, Store};
use mangrove::{Database, DatabaseOptions, ErrorKind};
use serde_json::{Value as Json, json};
use server::{
    Client, Database as _, Input, Materialize, Push, Query, QueryError, ResultBatch, ResultSink, Summary,
};
use values::Value;

use crate::csr::Csr;
use crate::measure::{Latencies, millis};
use crate::report::{Report, rounded};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// How often the size of the heavy pool is looked at.
const SAMPLE: Duration = Duration::from_millis(500);

/// Before anything is counted: the cache is empty at first, and the pools are as large as they begin.
const WARM_UP: Duration = Duration::from_secs(3);

/// A kind of client.
#[derive(Clone, Copy)]
struct Kind {
    clients: usize,
    query: &'static str,
    deadline: Duration,
    /// Between an answer and the next query.
    pause: Duration,
}

const LIGHT: Kind = Kind {
    clients: 32,
    query: "g.V().has('Person','id',p).out('knows').limit(5).values('firstName')",
    deadline: Duration::from_millis(50),
    pause: Duration::from_millis(25),
};

const HEAVY: Kind = Kind {
    clients: 64,
    query: "g.V().has('Person','id',p).out('knows').limit(1).in('hasCreator').values('length').sum()",
    deadline: Duration::from_secs(3),
    pause: Duration::ZERO,
};

/// What is compared, and the threads beside those of the executors: without any, an executor waits for its loads. The others
/// have as many turns at first, and in the last the heavy pool may grow.
fn settings() -> [(&'static str, PoolOptions, usize); 4] {
    let fixed = PoolOptions { light: 14, heavy: 2, most_heavy: 2, heavy_after: 64, ..PoolOptions::default() };
    let one = PoolOptions { light: 16, heavy_after: u64::MAX, ..fixed };
    let spares = EngineOptions::default().spares;
    [
        ("no yielding", one, 0),
        ("no pools", one, spares),
        ("static", fixed, spares),
        ("dynamic", PoolOptions { most_heavy: 64, ..fixed }, spares),
    ]
}

/// Measures with `latency` microseconds before each read of the store, and without, and writes `pools.json`.
///
/// # Errors
/// If the graph cannot be opened or queried.
pub fn bench(graph: &Path, megabytes: u64, latency: u64, seconds: u64, report: &Report) -> Outcome<()> {
    let mut rows = Vec::new();
    let latencies = if latency > 0 { vec![latency, 0] } else { vec![0] };
    for latency in latencies {
        for (name, pools, spares) in settings() {
            let latency = Duration::from_micros(latency);
            let run = Run { graph, bytes: megabytes << 20, latency, pools, spares };
            rows.push(run.measure(name, Duration::from_secs(seconds))?);
        }
    }
    report.rows("pools", &rows)?;
    Ok(())
}

/// One of the runs.
struct Run<'a> {
    graph: &'a Path,
    bytes: u64,
    latency: Duration,
    pools: PoolOptions,
    spares: usize,
}

impl Run<'_> {
    fn measure(&self, name: &str, time: Duration) -> Outcome<Json> {
        let waits = Arc::new(AtomicBool::new(false));
        let database = self.open(&waits)?;
        let ids = Csr::extract(&database.snapshot()).ok_or("the graph has no persons")?.ids;
        waits.store(true, Ordering::Relaxed);
        let (stop, measured) = (AtomicBool::new(false), AtomicBool::new(false));
        let (mut sizes, mut most) = (Vec::new(), 0);
        let (light, heavy) = std::thread::scope(|scope| {
            let start = |kind: Kind| -> Vec<_> {
                let (database, ids, flags) = (&database, &ids[..], [&stop, &measured]);
                (0..kind.clients)
                    .map(|n| scope.spawn(move || client(database, ids, kind, n, flags)))
                    .collect()
            };
            let (light, heavy) = (start(LIGHT), start(HEAVY));
            std::thread::sleep(WARM_UP);
            measured.store(true, Ordering::Relaxed);
            let began = Instant::now();
            while began.elapsed() < time {
                std::thread::sleep(SAMPLE);
                sizes.push(database.graph().pool_stats().heavy.size);
                most = database.cache_bytes().max(most);
            }
            stop.store(true, Ordering::Relaxed);
            let all = |clients: Vec<std::thread::ScopedJoinHandle<'_, Result<Tally, String>>>| {
                clients.into_iter().try_fold(Tally::default(), |sum, client| {
                    Ok::<_, String>(sum.plus(client.join().map_err(|_| "a client panicked")??))
                })
            };
            Ok::<_, String>((all(light)?, all(heavy)?))
        })?;
        while database.engine().running() > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let total = light.asked() + heavy.asked();
        Ok(json!({
            "pools": name,
            "store_us": self.latency.as_micros() as u64,
            "errors": rounded((light.late + heavy.late) as f64 / total.max(1) as f64),
            "light": light.asked(), "light_errors": light.error_rate(),
            "light_mean_ms": light.mean(), "light_p99_ms": light.p99(),
            "heavy": heavy.asked(), "heavy_errors": heavy.error_rate(),
            "heavy_mean_ms": heavy.mean(), "heavy_p99_ms": heavy.p99(),
            "loads": database.stats().loads,
            "threads": database.engine().threads(), "handovers": database.engine().handovers(),
            "most_cache_mb": rounded(most as f64 / f64::from(1 << 20)),
            "heavy_size": sizes,
        }))
    }

    /// The graph over a store that takes its time while `waits` says so.
    fn open(&self, waits: &Arc<AtomicBool>) -> Outcome<Database> {
        let files = FjallStore::open(self.graph, FjallOptions::default())?;
        let (waits, latency) = (Arc::clone(waits), self.latency);
        let store: Arc<dyn Store> = Arc::new(ObservedStore::new(Arc::new(files), move || {
            if waits.load(Ordering::Relaxed) && !latency.is_zero() {
                std::thread::sleep(latency);
            }
        }));
        let mut options = DatabaseOptions::default().with_cache(self.bytes);
        options.graph.pools = self.pools;
        let engine = EngineOptions { spares: self.spares, ..EngineOptions::default() };
        options.engine = Some(Arc::new(Engine::start(&engine)?));
        Ok(Database::over(store, options)?)
    }
}

/// What a client saw.
#[derive(Default)]
struct Tally {
    latencies: Latencies,
    /// Queries that were not done in time.
    late: usize,
}

impl Tally {
    fn plus(mut self, other: Self) -> Self {
        self.latencies.extend(other.latencies);
        self.late += other.late;
        self
    }

    fn asked(&self) -> usize {
        self.latencies.len()
    }

    fn error_rate(&self) -> Json {
        rounded(self.late as f64 / self.asked().max(1) as f64)
    }

    fn mean(&self) -> Json {
        rounded(millis(self.latencies.mean()))
    }

    fn p99(&self) -> Json {
        rounded(millis(self.latencies.quantile(0.99)))
    }
}

/// Asks one query after the other, of persons in an order of its own.
fn client(
    database: &Database,
    ids: &[i64],
    kind: Kind,
    n: usize,
    [stop, measured]: [&AtomicBool; 2],
) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let mut at = n * 7_919;
    std::thread::sleep(kind.pause * n as u32 / kind.clients as u32);
    while !stop.load(Ordering::Relaxed) {
        at = at.wrapping_mul(25_173).wrapping_add(13_849);
        let (send, receive) = channel();
        let began = Instant::now();
        let client = Client {
            user: None,
            tenant: None,
            address: Ipv4Addr::LOCALHOST.into(),
            connection: (kind.clients * 1_000 + n) as u64,
        };
        let bindings = vec![("p".into(), Value::Long(ids[at / 7 % ids.len()]).into())];
        let input = Input::Text { script: kind.query.into(), source: "g".into(), bindings };
        let query = Query {
            timeout: Some(kind.deadline),
            materialize: Materialize::Tokens,
            ..Query::unbounded(client, input)
        };
        let running = database.submit(query, Arc::new(Sink(send)));
        let outcome = receive.recv().map_err(|_| "a query has no end")?;
        let took = began.elapsed();
        drop(running);
        let is_late = match outcome {
            Ok(_) => false,
            Err(error) if error.kind == ErrorKind::Timeout => true,
            Err(error) => return Err(error.message),
        };
        if measured.load(Ordering::Relaxed) {
            tally.latencies.add(took);
            tally.late += usize::from(is_late);
        }
        std::thread::sleep(kind.pause);
    }
    Ok(tally)
}

/// Forgets results and passes the outcome on.
struct Sink(Sender<Result<Summary, QueryError>>);

impl ResultSink for Sink {
    fn push(&self, _: ResultBatch) -> Push {
        Push::Taken
    }

    fn finish(&self, outcome: Result<Summary, QueryError>) {
        // A client that has gone does not want to know.
        let _ = self.0.send(outcome);
    }
}
