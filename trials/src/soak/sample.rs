//! What the server takes and how it answers, each few seconds.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::field::Field;
use crate::hostile::watch;
use crate::process::metrics_at;

/// Between two samples.
pub(crate) const EVERY: Duration = Duration::from_secs(5);

/// Between two looks at its memory.
const LOOK: Duration = Duration::from_millis(20);

/// One sample. Megabytes are of 2²⁰ bytes.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Sample {
    /// Since the beginning.
    pub seconds: f64,
    /// The process in memory, by the kernel's count.
    pub rss_mb: f64,
    /// The most that it had since the sample before.
    pub peak_mb: f64,
    pub threads: f64,
    /// Open files, sockets among them.
    pub files: f64,
    /// What the graphs' directories have on disk but for the stores' logs.
    pub tables_mb: f64,
    /// The stores' logs.
    pub journals_mb: f64,
    /// Point reads since the sample before.
    pub points: usize,
    pub p50_ms: f64,
    pub p99_ms: f64,
    /// Requests a second since then, of all actors.
    pub requests: f64,
    /// Shares of the machine's processors since then: the server, and what is neither that nor this trial.
    pub served: f64,
    pub others: f64,
    /// By the server's own account.
    pub connections: f64,
    pub sessions: f64,
    pub transactions: f64,
    pub in_flight: f64,
    pub cache_mb: f64,
    /// Of the graph that everybody works on: versions that wait to be merged, which an old snapshot would hold up.
    pub versions: f64,
    /// Its log since the last checkpoint, and what is in it.
    pub log_mb: f64,
    pub vertices: f64,
    pub edges: f64,
}

/// What is looked at.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The directories of the graphs.
    pub graphs: Vec<PathBuf>,
    /// What the process may take, in megabytes.
    pub bound_mb: f64,
    /// The process; another one when the server was started again.
    pub process: Arc<std::sync::atomic::AtomicU32>,
}

const MIB: f64 = (1 << 20) as f64;

/// Samples until it is over.
pub(crate) fn start(field: Arc<Field>, place: Place, began: Instant) -> JoinHandle<Vec<Sample>> {
    thread::spawn(move || {
        let mut samples = Vec::new();
        let mut last = Counts::of(&field, &place, Instant::now());
        while !field.is_over() {
            let next = last.at + EVERY;
            let epoch = field.epoch();
            let (mut peak_mb, mut is_beyond) = (0.0_f64, false);
            while !field.is_over() && Instant::now() < next {
                thread::sleep(LOOK);
                let now_mb = resident_mb(place.process());
                if now_mb > place.bound_mb && !is_beyond {
                    let under_way = field.under_way.lock().clone();
                    field
                        .tally
                        .wrong(format!("{now_mb:.0} MB of {:.0} beside {under_way:?}", place.bound_mb));
                }
                is_beyond = now_mb > place.bound_mb;
                peak_mb = peak_mb.max(now_mb);
            }
            if field.is_over() {
                break;
            }
            let now = Counts::of(&field, &place, Instant::now());
            // While it is started again there is nothing to look at.
            if let Ok(sample) = take(&field, &place, began, &last, &now) {
                let sample = Sample { peak_mb: peak_mb.max(sample.rss_mb), ..sample };
                if sample.points == 0 && field.epoch() == epoch {
                    let under_way = field.under_way.lock().clone();
                    field
                        .tally
                        .wrong(format!("no point read for {} s beside {under_way:?}", EVERY.as_secs()));
                }
                samples.push(sample.clone());
                *field.latest.lock() = (samples.len(), sample);
            }
            last = now;
        }
        samples
    })
}

/// What only grows.
struct Counts {
    at: Instant,
    requests: u64,
    served: Duration,
    own: Duration,
    machine: Duration,
}

impl Counts {
    fn of(field: &Field, place: &Place, at: Instant) -> Self {
        let served = watch::busy(place.process());
        let (own, machine) = (watch::busy(std::process::id()), watch::machine_busy());
        Self { at, requests: field.tally.requests(), served, own, machine }
    }
}

impl Place {
    fn process(&self) -> u32 {
        self.process.load(std::sync::atomic::Ordering::Relaxed)
    }
}

fn take(field: &Field, place: &Place, began: Instant, last: &Counts, now: &Counts) -> io::Result<Sample> {
    let mut points = std::mem::take(&mut *field.points.lock());
    points.sort_unstable();
    let seconds = now.at.duration_since(last.at).as_secs_f64();
    let cores = thread::available_parallelism().map_or(1, usize::from) as f64;
    let served = now.served.saturating_sub(last.served).as_secs_f64();
    let own = now.own.saturating_sub(last.own).as_secs_f64();
    let machine = now.machine.saturating_sub(last.machine).as_secs_f64();
    let mut sample = read(field, place)?;
    sample.seconds = (now.at - began).as_secs_f64();
    sample.points = points.len();
    sample.p50_ms = quantile(&points, 0.5) / 1e3;
    sample.p99_ms = quantile(&points, 0.99) / 1e3;
    sample.requests = (now.requests - last.requests) as f64 / seconds;
    sample.served = served / seconds / cores;
    sample.others = (machine - served - own).max(0.0) / seconds / cores;
    Ok(sample)
}

/// What can be read at any moment.
///
/// # Errors
/// If there is no such process, or it does not answer.
pub(crate) fn read(field: &Field, place: &Place) -> io::Result<Sample> {
    let process = place.process();
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let mut sample = Sample {
        rss_mb: status_of(&status, "VmRSS:") / 1024.0,
        threads: status_of(&status, "Threads:"),
        files: fs::read_dir(format!("/proc/{process}/fd"))?.count() as f64,
        ..Sample::default()
    };
    for graph in &place.graphs {
        let (journals, tables) = on_disk(graph);
        sample.journals_mb += journals as f64 / MIB;
        sample.tables_mb += tables as f64 / MIB;
    }
    let numbers = metrics_at(
        field.address(),
        [
            "mangrove_connections",
            "mangrove_sessions",
            "mangrove_open_transactions",
            "mangrove_requests_in_flight",
            "mangrove_cache_bytes",
            "mangrove_delta_entries{graph=\"g\"",
            "mangrove_log_bytes{graph=\"g\"",
            "mangrove_vertices{graph=\"g\"",
            "mangrove_edges{graph=\"g\"",
        ],
    )?;
    let [connections, sessions, transactions, in_flight, cache, versions, log, vertices, edges] = numbers;
    Ok(Sample {
        connections,
        sessions,
        transactions,
        in_flight,
        cache_mb: cache / MIB,
        versions,
        log_mb: log / MIB,
        vertices,
        edges,
        ..sample
    })
}

/// Megabytes of a process in memory; 0 if there is none.
fn resident_mb(process: u32) -> f64 {
    status_of(&fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default(), "VmRSS:") / 1024.0
}

/// A number of `/proc/PID/status`.
fn status_of(status: &str, name: &str) -> f64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0.0)
}

/// Bytes that are allocated in a directory and below: of the stores' logs, and of everything else.
fn on_disk(folder: &Path) -> (u64, u64) {
    let (mut journals, mut tables) = (0, 0);
    // Files come and go while they are counted.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        let path = entry.path();
        if metadata.is_dir() {
            let (more_journals, more_tables) = on_disk(&path);
            journals += more_journals;
            tables += more_tables;
        } else if path.extension().is_some_and(|extension| extension == "jnl") {
            journals += metadata.blocks() * 512;
        } else {
            tables += metadata.blocks() * 512;
        }
    }
    (journals, tables)
}

/// A quantile of numbers in ascending order; 0 of none.
fn quantile(ascending: &[u64], share: f64) -> f64 {
    let Some(last) = ascending.len().checked_sub(1) else { return 0.0 };
    ascending[((ascending.len() as f64 * share) as usize).min(last)] as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_of_those_that_there_are() {
        let ascending: Vec<u64> = (0..100).collect();
        assert!((quantile(&ascending, 0.99) - 99.0).abs() < 1e-9);
        assert!((quantile(&ascending, 0.5) - 50.0).abs() < 1e-9);
        assert!(quantile(&[], 0.5).abs() < 1e-9);
    }

    #[test]
    fn logs_and_tables_are_told_apart_wherever_they_are() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tables")).unwrap();
        fs::write(folder.path().join("0.jnl"), vec![1; 70_000]).unwrap();
        fs::write(folder.path().join("tables/7"), vec![1; 200_000]).unwrap();
        let (journals, tables) = on_disk(folder.path());
        assert!(journals >= 70_000 && tables >= 200_000 && journals < tables, "{journals} {tables}");
    }

    #[test]
    fn a_line_of_the_status_is_found_by_its_whole_name() {
        let status = "Name:\tmangrove\nVmHWM:\t 99 kB\nVmRSS:\t  2048 kB\nThreads:\t17\n";
        assert!((status_of(status, "VmRSS:") - 2048.0).abs() < 1e-9);
        assert!((status_of(status, "Threads:") - 17.0).abs() < 1e-9);
    }
}
