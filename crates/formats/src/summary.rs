//! What an import did.

use std::cell::Cell;
use std::fmt;
use std::time::{Duration, Instant};

use super::error::{BadRow, ImportError};
use super::progress::Monitor;
use super::rejects::Rejects;
use super::sink::{Outcome, Sink, Tally};
use graph::GraphStats;

/// What an import did, for people: its `Display` is a few lines of text.
#[derive(Clone, Debug)]
pub struct ImportSummary {
    /// Vertices added.
    pub vertices: u64,
    /// Edges added.
    pub edges: u64,
    /// Vertices that were there before, and got the properties of rows.
    pub merged_vertices: u64,
    /// Edges that were there before, and got the properties of rows.
    pub merged_edges: u64,
    /// Rows that had been done before this import went on.
    pub before: u64,
    /// The graph afterwards, label by label, if it was empty before.
    pub stats: Option<GraphStats>,
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
        let all = self.vertices + self.edges + self.merged_vertices + self.merged_edges;
        let rate = all.saturating_sub(self.before) as f64 / seconds.max(1e-9);
        writeln!(f, "{} vertices and {} edges in {seconds:.1} s", self.vertices, self.edges)?;
        if self.merged_vertices + self.merged_edges > 0 {
            let (vertices, edges) = (self.merged_vertices, self.merged_edges);
            writeln!(f, "{vertices} vertices and {edges} edges that were there got properties")?;
        }
        if self.before > 0 {
            writeln!(f, "{} rows had been done before", self.before)?;
        }
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

/// Elements handed over so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) vertices: u64,
    pub(super) edges: u64,
}

/// Ends an import of which all is read, and sums up.
pub(super) fn finish(
    sink: Box<dyn Sink + '_>,
    counts: Counts,
    monitor: &Monitor<'_>,
    rejects: Rejects,
    begun: Instant,
) -> Result<ImportSummary, ImportError> {
    let reading = begun.elapsed();
    let spilled = Cell::new(0);
    let Outcome { stats, tally, reports } = sink.finish(&|progress| {
        spilled.set(progress.spilled);
        monitor.building(progress);
    })?;
    let all = Tally { vertices: counts.vertices, edges: counts.edges, ..Tally::default() };
    let tally = tally.unwrap_or(all);
    Ok(ImportSummary {
        vertices: tally.vertices,
        edges: tally.edges,
        merged_vertices: tally.merged_vertices,
        merged_edges: tally.merged_edges,
        before: tally.before,
        stats,
        rows: monitor.rows,
        bytes: monitor.total(),
        skipped: rejects.count + tally.refused,
        reports: rejects.all_reports(reports),
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
