//! What a process takes beyond the budget of its cache, workload by workload: each in a process of its own, on a copy of
//! its own, so that one does not measure what another has left.
//!
//! ```text
//! bench bounds ─┬─ bench bound fill      FOLDER     its log is full, as before a crash; not measured
//!               ├─ bench bound recovery  FOLDER     opens it: the most that the kernel counted, until it is open
//!               ├─ bench bound writers   FOLDER
//!               └─ …
//! ```

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use mangrove::formats::ImportOptions;
use mangrove::graph::{GraphError, IndexDescription, IndexKind, Transaction, Value, VertexRef};
use mangrove::{Database, DatabaseOptions, held_bytes};
use serde_json::{Value as Json, json};

use crate::commits::{copy_folder, mix, vertices};
use crate::memory::resident_mb;
use crate::report::{Report, rounded};
use crate::watch::allowed_mb;

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Something that takes memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Workload {
    /// Fills the log, with all the memory there is
    Fill,
    /// Opens a graph whose log is full
    Recovery,
    /// Eight writers commit single edges at random for a minute
    Writers,
    /// Eight writers commit a thousand edges at a time, at random, for a minute
    Batches,
    /// The same beside a snapshot from before, which keeps all that they change
    Snapshot,
    /// One transaction takes all the room that open ones have, then two writers commit some that take half of it each
    Transactions,
    /// Indexes over the largest label, of both kinds
    Indexes,
    /// Secondary edge-trees of four hubs of half a million edges
    Secondary,
    /// An import into a graph that is open
    Import,
}

impl Workload {
    const MEASURED: [Self; 8] = [
        Self::Recovery,
        Self::Writers,
        Self::Batches,
        Self::Snapshot,
        Self::Transactions,
        Self::Indexes,
        Self::Secondary,
        Self::Import,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Fill => "fill",
            Self::Recovery => "recovery",
            Self::Writers => "writers",
            Self::Batches => "batches",
            Self::Snapshot => "snapshot",
            Self::Transactions => "transactions",
            Self::Indexes => "indexes",
            Self::Secondary => "secondary",
            Self::Import => "import",
        }
    }

    /// Whether it begins with the graph, and not with an empty one.
    fn wants_graph(self) -> bool {
        !matches!(self, Self::Secondary | Self::Import)
    }
}

/// Runs the workloads, or one of them, and writes `bounds.json`.
///
/// # Errors
/// If a workload fails, or takes more than the budget and the stated slack.
pub fn bench(
    graph: &Path,
    ldbc: &Path,
    megabytes: u64,
    only: Option<Workload>,
    report: &Report,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut rows = Vec::new();
    for workload in
        Workload::MEASURED.into_iter().filter(|workload| only.is_none_or(|only| only == *workload))
    {
        let folder = std::env::temp_dir().join(format!("mangrove-bench-bounds-{}", std::process::id()));
        let row = (|| -> Outcome<Json> {
            if workload.wants_graph() {
                copy_folder(graph, &folder)?;
            }
            if workload == Workload::Recovery {
                in_own_process(Workload::Fill, &folder, ldbc, megabytes)?;
            }
            in_own_process(workload, &folder, ldbc, megabytes)
        })();
        std::fs::remove_dir_all(&folder)?;
        rows.push(row.map_err(|error| format!("{}: {error}", workload.name()))?);
    }
    report.rows("bounds", &rows)?;
    let exceeds = |row: &&Json| row["resident_mb"].as_f64() > row["allowed_mb"].as_f64();
    let names: Vec<String> =
        rows.iter().filter(exceeds).map(|row| row["workload"].as_str().unwrap_or_default().into()).collect();
    if names.is_empty() {
        Ok(())
    } else {
        Err(format!("beyond budget and slack: {}", names.join(", ")).into())
    }
}

/// Runs a workload in a child; the figures that it prints.
fn in_own_process(workload: Workload, folder: &Path, ldbc: &Path, megabytes: u64) -> Outcome<Json> {
    let child = Command::new(std::env::current_exe()?)
        .args(["bound", workload.name()])
        .args([folder, ldbc])
        .arg(megabytes.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .output()?;
    if !child.status.success() {
        return Err("it failed".into());
    }
    Ok(serde_json::from_slice(&child.stdout)?)
}

/// Runs a workload in this process and prints its figures.
///
/// # Errors
/// If the graph cannot be opened, written to or queried.
pub fn run_here(
    workload: Workload,
    folder: &Path,
    ldbc: &Path,
    megabytes: u64,
) -> Result<(), Box<dyn std::error::Error>> {
    let base = resident_mb()?;
    let budget = if workload == Workload::Fill { u64::MAX } else { megabytes << 20 };
    let mut options = DatabaseOptions { executors: 2, ..DatabaseOptions::default() }.with_cache(budget);
    // What an import keeps in memory, and what open transactions hold, are bounds of their own.
    let apart = match workload {
        Workload::Import => megabytes as f64 * 1.75,
        Workload::Transactions => held_bytes(megabytes << 20) as f64 / 1_048_576.0,
        _ => 0.0,
    };
    let allowed = allowed_mb(megabytes) + apart;
    options.graph.bulk_bytes = (megabytes << 20) as usize;
    let began = Instant::now();
    let database = Database::open_with(folder, options)?;
    let opened = began.elapsed().as_secs_f64();
    let edges = database.snapshot().edge_count(None);
    let done = work(workload, &database, ldbc, megabytes).map_err(|error| error.to_string())?;
    // The log is as a crash would have left it.
    let figures = json!({
        "workload": workload.name(), "budget_mb": megabytes, "allowed_mb": rounded(allowed),
        "resident_mb": rounded(peak_mb()? - base), "cache_mb": rounded(database.stats().most_cache_bytes as f64 / 1_048_576.0),
        "open_s": rounded(opened), "edges_then": edges, "done": done,
        "seconds": rounded(began.elapsed().as_secs_f64()),
    });
    println!("{figures}");
    Ok(())
}

/// The most that the process has taken, in megabytes, as the kernel counts it.
fn peak_mb() -> Result<f64, Box<dyn std::error::Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("the kernel counts no memory")?;
    Ok(line.trim().trim_end_matches(" kB").trim().parse::<f64>()? / 1024.0)
}

/// Does the work of a workload; how much of it.
fn work(workload: Workload, database: &Database, ldbc: &Path, megabytes: u64) -> Outcome<u64> {
    match workload {
        Workload::Fill => fill(database),
        Workload::Recovery => Ok(0),
        Workload::Writers => writers(database, 1),
        Workload::Batches => writers(database, 1_000),
        Workload::Snapshot => {
            let _old = database.snapshot();
            writers(database, 1_000)
        }
        Workload::Transactions => transactions(database, megabytes),
        Workload::Indexes => indexes(database),
        Workload::Secondary => secondary(database),
        Workload::Import => {
            let summary = database.import(ldbc, None, &ImportOptions::default(), &|_| {})?;
            Ok(summary.edges)
        }
    }
}

/// Persons and messages.
struct Ends {
    persons: Vec<VertexRef>,
    messages: Vec<VertexRef>,
}

impl Ends {
    fn of(database: &Database) -> Outcome<Self> {
        let snapshot = database.snapshot();
        let (persons, messages) =
            (vertices(&snapshot, &["Person"]), vertices(&snapshot, &["Post", "Comment"]));
        if persons.is_empty() || messages.is_empty() {
            return Err("the graph has no persons or no messages".into());
        }
        Ok(Self { persons, messages })
    }

    fn pick(&self, n: u64) -> (VertexRef, VertexRef) {
        let random = mix(n);
        let pick = |all: &[VertexRef], random: u64| all[random as usize % all.len()];
        (pick(&self.persons, random >> 32), pick(&self.messages, random & 0xffff_ffff))
    }
}

/// Commits edges until the next transaction might have the log flushed; how many.
fn fill(database: &Database) -> Outcome<u64> {
    let ends = Ends::of(database)?;
    database.flush()?;
    let most = DatabaseOptions::default().graph.log_bytes;
    let mut edges = 0;
    while database.graph().stats().log_bytes + (1 << 20) < most {
        for _ in 0..100 {
            commit(database, &ends, edges, 100)?;
            edges += 100;
        }
    }
    Ok(edges)
}

/// Commits some edges in a transaction; whether there was room for them.
fn commit(database: &Database, ends: &Ends, first: u64, count: u64) -> Outcome<bool> {
    loop {
        let transaction = database.graph().begin();
        for n in first..first + count {
            let (person, message) = ends.pick(n);
            let edge = transaction.add_edge(None, "likes", person, message)?;
            transaction.set_edge_property(edge, "creationDate", Value::Long(n as i64))?;
        }
        match transaction.commit() {
            Err(GraphError::Conflict(_)) => {}
            // Where a snapshot keeps all that there is room for, there is none before the end.
            Err(GraphError::Kept { .. }) => return Ok(false),
            outcome => return Ok(outcome.map(|_| true)?),
        }
    }
}

const WRITERS: u64 = 8;
/// Somewhat more than an edge without properties is counted as, so that both writers' transactions find room.
const EDGE_HELD_BYTES: u64 = 700;
const WRITING: Duration = Duration::from_secs(60);

/// Lets writers commit so many edges at a time; how many they did.
fn writers(database: &Database, count: u64) -> Outcome<u64> {
    let (ends, next, done) = (Ends::of(database)?, AtomicU64::new(0), AtomicU64::new(0));
    let began = Instant::now();
    let write = || -> Outcome<()> {
        while began.elapsed() < WRITING {
            if commit(database, &ends, next.fetch_add(count, Ordering::Relaxed), count)? {
                done.fetch_add(count, Ordering::Relaxed);
            } else {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..WRITERS).map(|_| scope.spawn(write)).collect();
        threads.into_iter().try_for_each(join)
    })?;
    Ok(done.into_inner())
}

/// One transaction fills up all the room that open ones have, and is rolled back; then two writers commit transactions that
/// take half of it each; how many edges they commit. So it measures what is held at most, and what it takes to commit it:
/// the record, what is validated by, and what is applied. A transaction that another one stands in the way of is run again.
fn transactions(database: &Database, megabytes: u64) -> Outcome<u64> {
    const WRITERS: u64 = 2;
    const TRANSACTIONS: u64 = 4;
    let edges = held_bytes(megabytes << 20) / WRITERS / EDGE_HELD_BYTES;
    let ends = Ends::of(database)?;
    fill_up(database, &ends)?;
    let write = |writer: u64| {
        (writer * TRANSACTIONS..(writer + 1) * TRANSACTIONS)
            .try_for_each(|n| commit_bare(database, &ends, n * edges, edges))
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || write(writer))).collect();
        threads.into_iter().try_for_each(join)
    })?;
    Ok(WRITERS * TRANSACTIONS * edges)
}

/// Adds edges to a transaction until it may hold no more.
fn fill_up(database: &Database, ends: &Ends) -> Outcome<()> {
    let transaction = database.graph().begin();
    for n in 0.. {
        let (person, message) = ends.pick(n);
        match transaction.add_edge(None, "likes", person, message) {
            Ok(_) => {}
            // The latter if what others hold is most of it.
            Err(GraphError::LimitExceeded { .. } | GraphError::Crowded { .. }) => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Commits some edges that have no properties in a transaction.
fn commit_bare(database: &Database, ends: &Ends, first: u64, count: u64) -> Outcome<()> {
    let add = |transaction: &Transaction, n| {
        let (person, message) = ends.pick(n);
        transaction.add_edge(None, "likes", person, message).map(drop)
    };
    loop {
        let transaction = database.graph().begin();
        let added = (first..first + count).try_for_each(|n| add(&transaction, n));
        match added.and_then(|()| transaction.commit()) {
            // A conflict, or another one holds too much.
            Err(error) if error.is_retryable() => {}
            outcome => return Ok(outcome.map(drop)?),
        }
    }
}

/// What a writer's thread has come to.
fn join(thread: std::thread::ScopedJoinHandle<'_, Outcome<()>>) -> Outcome<()> {
    thread.join().unwrap_or_else(|_| Err("a writer panicked".into()))
}

/// Builds an index of each kind over all comments; how many there are.
fn indexes(database: &Database) -> Outcome<u64> {
    for (key, kind) in
        [("content", IndexKind::Equality), ("creationDate", IndexKind::Range), ("content", IndexKind::Range)]
    {
        let index = IndexDescription { label: "Comment".into(), keys: vec![key.into()], kind };
        database.graph().declare_index(&index)?;
        database.graph().await_index(&index)?;
    }
    Ok(vertices(&database.snapshot(), &["Comment"]).len() as u64)
}

/// Makes hubs, filters them until they have secondary trees; how many edges they have.
fn secondary(database: &Database) -> Outcome<u64> {
    const HUBS: u64 = 4;
    const EDGES: u64 = 500_000;
    const FANS: u64 = 10_000;
    let graph = database.graph();
    let transaction = graph.begin();
    let vertex = |id: u64| transaction.add_vertex(Some(Value::Long(id as i64)), "thing");
    let all = (0..HUBS + FANS).map(vertex).collect::<Result<Vec<VertexRef>, _>>()?;
    transaction.commit()?;
    let (hubs, fans) = all.split_at(HUBS as usize);
    for first in (0..HUBS * EDGES).step_by(10_000) {
        let transaction = graph.begin();
        for n in first..first + 10_000 {
            let (fan, hub) = (fans[(mix(n) % FANS) as usize], hubs[(n / EDGES) as usize]);
            let edge = transaction.add_edge(None, "rates", fan, hub)?;
            transaction.set_edge_property(edge, "weight", Value::Double((mix(n) >> 40) as f64))?;
        }
        transaction.commit()?;
    }
    for _ in 0..20 {
        for n in 0..HUBS * 10 {
            let (hub, weight) = (n % HUBS, (mix(n) >> 40) as f64);
            let query = format!("g.V({hub}L).inE('rates').has('weight', {weight:?}d).count()");
            database.query(&query)?.collect::<Result<Vec<_>, _>>()?;
        }
        graph.adapt_secondary_trees()?;
        if graph.secondary_trees().len() as u64 == HUBS {
            return Ok(HUBS * EDGES);
        }
    }
    Err("the hubs have got no secondary trees".into())
}
