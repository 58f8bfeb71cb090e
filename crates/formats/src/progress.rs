//! How far an import is.

/// What an import is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportPhase {
    /// Looking at the files before anything is written; the unit is the byte.
    Looking,
    /// Reading the files; the unit is the byte.
    Reading,
    /// Building and writing the graph; the unit is the edge, which counts twice.
    Building,
}

/// How far an import is, for a progress bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportProgress {
    /// What is being done.
    pub phase: ImportPhase,
    /// Units done in this phase.
    pub done: u64,
    /// Units in this phase, in all.
    pub total: u64,
    /// Rows imported so far.
    pub rows: u64,
}

/// Adds up progress and hands it on.
pub(super) struct Monitor<'a> {
    listener: &'a dyn Fn(ImportProgress),
    total: u64,
    done: u64,
    pub(super) rows: u64,
}

impl<'a> Monitor<'a> {
    pub(super) fn new(total: u64, listener: &'a dyn Fn(ImportProgress)) -> Self {
        let monitor = Self { listener, total, done: 0, rows: 0 };
        monitor.report();
        monitor
    }
    /// Notes that so many more bytes were read and rows were imported.
    pub(super) fn advance(&mut self, bytes: u64, rows: u64) {
        self.done = (self.done + bytes).min(self.total);
        self.rows += rows;
        self.report();
    }
    /// Bytes that were to be read.
    pub(super) fn total(&self) -> u64 {
        self.total
    }
    /// Hands on the progress of building.
    pub(super) fn building(&self, progress: graph::BulkProgress) {
        (self.listener)(ImportProgress {
            phase: ImportPhase::Building,
            done: progress.done,
            total: progress.total,
            rows: self.rows,
        });
    }
    fn report(&self) {
        (self.listener)(ImportProgress {
            phase: ImportPhase::Reading,
            done: self.done,
            total: self.total,
            rows: self.rows,
        });
    }
}
