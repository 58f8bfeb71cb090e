//! What an import did.

use std::cell::Cell;
use std::fmt;
use std::time::{Duration, Instant};

use super::error::{BadRow, ImportError};
use super::progress::Monitor;
use super::rejects::Rejects;
use graph::{BulkLoad, GraphStats};

/// What an import did, for people: its `Display` is a few lines of text.
#[derive(Clone, Debug)]
pub struct ImportSummary {
    /// Vertices imported.
    pub vertices: u64,
    /// Edges imported.
    pub edges: u64,
    /// The graph afterwards, label by label.
    pub stats: GraphStats,
    /// Rows read and imported.
    pub rows: u64,
    /// Bytes of the files that were read.
    pub bytes: u64,
    /// Bad rows that were left out.
    pub skipped: u64,
    /// The first of them, as many as were asked for.
    pub reports: Vec<BadRow>,
    /// Time spent reading files.
    pub reading: Duration,
    /// Time spent building and writing the graph.
    pub building: Duration,
    /// Bytes that went through temporary files, since memory was not to hold all edges: see
    /// [`GraphOptions::bulk_bytes`](graph::GraphOptions::bulk_bytes).
    pub spilled: u64,
    /// Most memory the process ever had, in bytes, where the system tells (Linux).
    pub peak_memory: Option<u64>,
}

impl ImportSummary {
    /// Time from begin to end.
    pub fn elapsed(&self) -> Duration {
        self.reading + self.building
    }
}

impl fmt::Display for ImportSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.elapsed().as_secs_f64();
        let rate = (self.vertices + self.edges) as f64 / seconds.max(1e-9);
        writeln!(f, "{} vertices and {} edges in {seconds:.1} s", self.vertices, self.edges)?;
        write!(f, "{rate:.0} elements a second; reading {:.1} s", self.reading.as_secs_f64())?;
        write!(f, " ({} MB), building {:.1} s", self.bytes / 1_000_000, self.building.as_secs_f64())?;
        if let Some(peak) = self.peak_memory {
            write!(f, "; peak memory {} MB", peak / 1_000_000)?;
        }
        if self.spilled > 0 {
            write!(f, "; {} MB went through temporary files", self.spilled / 1_000_000)?;
        }
        if self.skipped > 0 {
            write!(f, "\n{} bad rows skipped", self.skipped)?;
            for report in &self.reports {
                write!(f, "\n  {report}")?;
            }
        }
        Ok(())
    }
}

/// Elements handed to the bulk load so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) vertices: u64,
    pub(super) edges: u64,
}

/// Builds the graph from what was read, and sums up.
pub(super) fn finish(
    bulk: BulkLoad,
    counts: Counts,
    monitor: &Monitor<'_>,
    rejects: Rejects,
    begun: Instant,
) -> Result<ImportSummary, ImportError> {
    let reading = begun.elapsed();
    let spilled = Cell::new(0);
    let stats = bulk.finish(&|progress| {
        spilled.set(progress.spilled);
        monitor.building(progress);
    })?;
    Ok(ImportSummary {
        vertices: counts.vertices,
        edges: counts.edges,
        stats,
        rows: monitor.rows,
        bytes: monitor.total(),
        skipped: rejects.count,
        reports: rejects.reports,
        reading,
        building: begun.elapsed() - reading,
        spilled: spilled.get(),
        peak_memory: peak_memory(),
    })
}

/// The largest resident set this process has had, in bytes.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}
