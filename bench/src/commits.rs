//! Durable commits of single edges, beside the bare loops that they cannot beat, and what they cost the disk.
//!
//! ```text
//! graph    Transaction: add an edge, set its property, commit       conflict check, log, fsync, apply, visible
//! bare     Store::write_batch of a value as long as the record      group commit, fsync
//! append   write and fdatasync of as many bytes                     one writer only
//! ```
//!
//! All in one folder, in one process, one after the other in every round, so that they see the same disk.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use graph::{Graph, GraphOptions, ScanCursor, Snapshot, Value, VertexRef};
use serde_json::{Value as Json, json};
use store::{Durability, FjallOptions, FjallStore, Keyspace, KeyspaceShape, Store, WriteBatch};

use crate::measure::{Latencies, micros};
use crate::report::{Report, rounded};

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// How long each loop runs in each round.
const SPAN: Duration = Duration::from_secs(3);
const ROUNDS: usize = 3;

/// Writers that commit at the same time.
const MANY: u64 = 16;

/// Measures commits into a copy of `graph`, and writes `commits.json`. With `edges` it goes on until so many edges were
/// committed, flushes, and says how many bytes went to the disk for each byte of what users wrote: the records in which
/// the log has the edges, with their ends, numbers, labels and one property of eight bytes.
///
/// # Errors
/// If the graph cannot be copied, opened or written to, or has no persons and messages.
pub fn bench(graph: &Path, edges: u64, report: &Report) -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("mangrove-bench-commits-{}", std::process::id()));
    let outcome = measure(graph, edges, &folder, report);
    std::fs::remove_dir_all(&folder)?;
    outcome.map_err(|error| -> Box<dyn std::error::Error> { error })
}

fn measure(graph: &Path, edges: u64, folder: &Path, report: &Report) -> Outcome<()> {
    copy_folder(graph, &folder.join("graph"))?;
    let loops = Loops::open(folder)?;
    let (mut one, mut many) = (Figures::default(), Figures::default());
    for _ in 0..ROUNDS {
        one.append.add(commits(1, SPAN, |_, _| loops.append())?);
        one.bare.add(commits(1, SPAN, |writer, n| loops.bare(writer, n))?);
        one.graph.add(commits(1, SPAN, |writer, n| loops.graph(writer, n))?);
        many.bare.add(commits(MANY, SPAN, |writer, n| loops.bare(writer, n))?);
        many.graph.add(commits(MANY, SPAN, |writer, n| loops.graph(writer, n))?);
    }
    let amplification = if edges > 0 { Some(loops.amplification(edges)?) } else { None };
    let mut rows = vec![one.row(1, loops.record.len()), many.row(MANY, loops.record.len())];
    for row in &mut rows {
        row["write_amplification"] = amplification.as_ref().map_or(Json::Null, |(whole, _)| rounded(*whole));
    }
    report.rows("commits", &rows)?;
    if let Some((_, steps)) = amplification {
        report.rows("write_amplification", &steps)?;
    }
    Ok(())
}

/// What each loop reached.
#[derive(Default)]
struct Figures {
    graph: Runs,
    bare: Runs,
    append: Runs,
}

impl Figures {
    fn row(&self, writers: u64, record_bytes: usize) -> Json {
        let (p50, p99) = (self.graph.latencies.median(), self.graph.latencies.quantile(0.99));
        json!({
            "writers": writers,
            "per_second": rounded(self.graph.per_second()),
            "p50_ms": rounded(micros(p50) / 1e3), "p99_ms": rounded(micros(p99) / 1e3),
            "bare_per_second": rounded(self.bare.per_second()),
            "bare_p50_ms": rounded(micros(self.bare.latencies.median()) / 1e3),
            "bare_p99_ms": rounded(micros(self.bare.latencies.quantile(0.99)) / 1e3),
            "append_per_second": rounded(self.append.per_second()),
            "append_p50_ms": rounded(micros(self.append.latencies.median()) / 1e3),
            "conflicts": self.graph.retries, "record_bytes": record_bytes,
        })
    }
}

/// The rounds of one loop.
#[derive(Default)]
struct Runs {
    latencies: Latencies,
    time: Duration,
    retries: u64,
}

impl Runs {
    fn add(&mut self, run: Runs) {
        self.latencies.extend(run.latencies);
        self.time += run.time;
        self.retries += run.retries;
    }

    fn per_second(&self) -> f64 {
        if self.time.is_zero() { 0.0 } else { self.latencies.len() as f64 / self.time.as_secs_f64() }
    }
}

/// Everything that is written to.
struct Loops {
    graph: Graph,
    persons: Vec<VertexRef>,
    messages: Vec<VertexRef>,
    store: FjallStore,
    keyspace: Keyspace,
    file: File,
    /// As long as the record in which the log has one commit.
    record: Vec<u8>,
}

impl Loops {
    fn open(folder: &Path) -> Outcome<Self> {
        let store: Arc<dyn Store> =
            Arc::new(FjallStore::open(folder.join("graph"), FjallOptions::default())?);
        let graph = Graph::open(store, GraphOptions::default())?;
        let snapshot = graph.snapshot();
        let persons = vertices(&snapshot, &["Person"]);
        let messages = vertices(&snapshot, &["Post", "Comment"]);
        if persons.is_empty() || messages.is_empty() {
            return Err("the graph has no persons or no messages".into());
        }
        drop(snapshot);
        let store = FjallStore::open(folder.join("bare"), FjallOptions::default())?;
        let keyspace = store.keyspace("log", KeyspaceShape::Small)?;
        let file = OpenOptions::new().create_new(true).append(true).open(folder.join("appended"))?;
        let mut loops = Self { graph, persons, messages, store, keyspace, file, record: Vec::new() };
        let before = loops.graph.stats().log_bytes;
        loops.graph(0, 0)?;
        loops.record = vec![7; (loops.graph.stats().log_bytes - before) as usize];
        Ok(loops)
    }

    /// One person likes one message, both uniformly random; how often that had to be tried again.
    fn graph(&self, writer: u64, n: u64) -> Outcome<u64> {
        let random = mix(writer << 40 | n);
        let person = self.persons[(random >> 32) as usize % self.persons.len()];
        let message = self.messages[random as u32 as usize % self.messages.len()];
        for tries in 0.. {
            let transaction = self.graph.begin();
            let edge = transaction.add_edge(None, "likes", person, message)?;
            transaction.set_edge_property(edge, "creationDate", Value::Long(n as i64))?;
            match transaction.commit() {
                Ok(_) => return Ok(tries),
                Err(graph::GraphError::Conflict(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(0)
    }

    fn bare(&self, writer: u64, n: u64) -> Outcome<u64> {
        let mut batch = WriteBatch::new();
        // Ascending, as stamps are, as far as several writers can.
        let mut key = [0; 10];
        key[..8].copy_from_slice(&n.to_be_bytes());
        key[8..].copy_from_slice(&(writer as u16).to_be_bytes());
        batch.put(&self.keyspace, key, &self.record[..]);
        self.store.write_batch(batch, Durability::Sync)?;
        Ok(0)
    }

    fn append(&self) -> Outcome<u64> {
        (&self.file).write_all(&self.record)?;
        self.file.sync_data()?;
        Ok(0)
    }

    /// Commits so many edges by many writers, then flushes, and waits for the store to be done. How many bytes went to
    /// the disk for each of their records, and step by step.
    fn amplification(&self, edges: u64) -> Outcome<(f64, Vec<Json>)> {
        // What the loops before left to be written is not counted.
        self.graph.flush()?;
        settle()?;
        let first = written()?;
        let (mut steps, mut done, mut before) = (Vec::new(), 0, first);
        let mut step = |what: &str, done: u64, count: u64, seconds: f64| -> Outcome<u64> {
            let now = written()?;
            let bytes = now - before;
            before = now;
            steps.push(json!({
                "step": what, "edges": done, "seconds": rounded(seconds), "written_mb": rounded(bytes as f64 / 1048576.0),
                "bytes_per_record": rounded(bytes as f64 / count.max(1) as f64),
                "log_mb": rounded(self.graph.stats().log_bytes as f64 / 1048576.0),
            }));
            Ok(now)
        };
        // One flush belongs to a full log: when it has come by itself, that is one cycle.
        let checkpoint = self.graph.stats().checkpoint;
        let flushed = || self.graph.stats().checkpoint != checkpoint;
        while done < edges && !flushed() {
            let run = commits(MANY, SPAN * 5, |writer, n| self.graph(writer + MANY, done << 20 | n))?;
            let count = run.latencies.len() as u64;
            done += count;
            step("commits", done, count, run.time.as_secs_f64())?;
        }
        let began = Instant::now();
        if !flushed() {
            self.graph.flush()?;
        }
        settle()?;
        let last = step("flush, and the store's own work", done, done, began.elapsed().as_secs_f64())?;
        Ok(((last - first) as f64 / (done * self.record.len() as u64) as f64, steps))
    }
}

/// The vertices with some labels.
pub(crate) fn vertices(snapshot: &Snapshot, labels: &[&str]) -> Vec<VertexRef> {
    let reader = snapshot.reader();
    let mut found = Vec::new();
    for label in labels.iter().filter_map(|label| snapshot.catalog().vertex_label(label)) {
        let mut cursor = ScanCursor::default();
        while reader.scan_vertices(Some(label), &mut cursor, 4096, &mut found) {}
    }
    found
}

/// Lets writers commit for a while; `commit` is given the writer and the number of its commit, and says how often it had
/// to try again.
fn commits(writers: u64, span: Duration, commit: impl Fn(u64, u64) -> Outcome<u64> + Sync) -> Outcome<Runs> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let began = Instant::now();
    let run = |writer: u64| -> Outcome<Runs> {
        let mut runs = Runs::default();
        while !stop.load(Ordering::Relaxed) {
            let n = NEXT.fetch_add(1, Ordering::Relaxed);
            let began = Instant::now();
            runs.retries += commit(writer, n)?;
            runs.latencies.add(began.elapsed());
        }
        Ok(runs)
    };
    let runs: Vec<Outcome<Runs>> = std::thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = (0..writers).map(|writer| scope.spawn(move || run(writer))).collect();
        std::thread::sleep(span);
        stop.store(true, Ordering::Relaxed);
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err("a writer panicked".into())))
            .collect()
    });
    let time = began.elapsed();
    let mut all = Runs::default();
    for run in runs {
        all.add(run?);
    }
    Ok(Runs { time, ..all })
}

/// A random number that depends on nothing but `n` (SplitMix64).
pub(crate) fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ n >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ n >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ n >> 31
}

/// Waits until this process writes nothing any more.
fn settle() -> Outcome<()> {
    let (mut last, mut since) = (written()?, Instant::now());
    while since.elapsed() < Duration::from_secs(3) {
        std::thread::sleep(Duration::from_millis(200));
        let now = written()?;
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
    Ok(())
}

/// Bytes that this process has caused to be sent to the disk: whole pages, as the kernel counts them.
fn written() -> Outcome<u64> {
    let io = std::fs::read_to_string("/proc/self/io")?;
    let line =
        io.lines().find_map(|line| line.strip_prefix("write_bytes:")).ok_or("the kernel counts no writes")?;
    Ok(line.trim().parse()?)
}

pub(crate) fn copy_folder(from: &Path, to: &Path) -> Outcome<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_folder(&entry.path(), &target)?,
            false => drop(std::fs::copy(entry.path(), target)?),
        }
    }
    Ok(())
}
