//! A query of two steps over a graph of which nothing is in memory, where each read of the store takes its time: with the
//! sections that a batch misses loaded one after the other, and together.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mangrove::graph::PoolOptions;
use mangrove::store::{FjallOptions, FjallStore, ObservedStore, Store};
use mangrove::{Database, DatabaseOptions};
use serde_json::{Value as Json, json};

use crate::csr::Csr;
use crate::report::{Report, rounded};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// What is asked: a person's friends, and how long all is that they have written.
const QUERIES: [(&str, &str); 2] = [
    ("lists", "g.V().has('Person','id',p).out('knows').out('knows').in('hasCreator').count()"),
    ("properties", "g.V().has('Person','id',p).out('knows').in('hasCreator').values('length').sum()"),
];

/// Persons that are asked about, each with nothing in memory.
const PERSONS: usize = 5;

/// Measures with `latency` microseconds before each read of the store, and writes `cold.json`.
///
/// # Errors
/// If the graph cannot be opened or queried.
pub fn bench(graph: &Path, latency: u64, report: &Report) -> Outcome<()> {
    let mut rows = Vec::new();
    for (name, query) in QUERIES {
        for together in [1, PoolOptions::default().together] {
            rows.push(measure(graph, Duration::from_micros(latency), name, query, together)?);
        }
    }
    report.rows("cold", &rows)?;
    Ok(())
}

fn measure(graph: &Path, latency: Duration, name: &str, query: &str, together: usize) -> Outcome<Json> {
    let (mut time, mut loads, mut answers) = (Duration::ZERO, 0, Vec::new());
    for number in 0..PERSONS {
        let waits = Arc::new(AtomicBool::new(false));
        let ids = {
            let database = open(graph, &waits, Duration::ZERO, together)?;
            Csr::extract(&database.snapshot()).ok_or("the graph has no persons")?.ids
        };
        let database = open(graph, &waits, latency, together)?;
        waits.store(true, Ordering::Relaxed);
        let person = ids[number * (ids.len() / PERSONS)];
        let began = Instant::now();
        let query = query.replace("'id',p", &format!("'id',{person}"));
        let answer = database.query(&query)?.next().transpose()?;
        time += began.elapsed();
        loads += database.stats().loads;
        answers.push(answer.map_or_else(String::new, |answer| answer.to_string()));
    }
    let millis = |time: Duration| rounded(time.as_secs_f64() * 1e3 / PERSONS as f64);
    Ok(json!({
        "query": name, "together": together, "store_us": latency.as_micros() as u64,
        "loads": rounded(loads as f64 / PERSONS as f64), "millis": millis(time),
        "per_load_us": rounded(time.as_secs_f64() * 1e6 / loads.max(1) as f64),
        "answers": answers.join(" "),
    }))
}

/// The graph over a store that takes its time while `waits` says so.
fn open(graph: &Path, waits: &Arc<AtomicBool>, latency: Duration, together: usize) -> Outcome<Database> {
    let files = FjallStore::open(graph, FjallOptions::default())?;
    let waits = Arc::clone(waits);
    let store: Arc<dyn Store> = Arc::new(ObservedStore::new(Arc::new(files), move || {
        if waits.load(Ordering::Relaxed) && !latency.is_zero() {
            std::thread::sleep(latency);
        }
    }));
    let mut options = DatabaseOptions::default();
    options.graph.pools = PoolOptions { together, ..PoolOptions::default() };
    Ok(Database::over(store, options)?)
}
