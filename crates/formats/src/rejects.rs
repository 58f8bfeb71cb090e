//! Bad rows: stop at the first, or skip and count them.

use std::path::Path;

use super::error::{BadRow, Fault, ImportError};

/// What to do with a row that cannot be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum BadRows {
    /// Stop the import with an error that names the first one.
    #[default]
    Stop,
    /// Leave them out and count them. The summary holds the first `reports`.
    Skip {
        /// Most reports to keep.
        reports: usize,
    },
}

/// The bad rows of one part of a file, found by a worker that does not know what came before.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// Line within the part, from 0, and the fault. The first few.
    pub(super) kept: Vec<(u64, Fault)>,
    /// How many there were.
    pub(super) count: u64,
}

impl Faults {
    /// Notes a fault. False when the rest of the part need not be looked at.
    pub(super) fn add(&mut self, policy: BadRows, line: u64, fault: Fault) -> bool {
        self.count += 1;
        match policy {
            BadRows::Stop => {
                self.kept.push((line, fault));
                false
            }
            BadRows::Skip { reports } => {
                if self.kept.len() < reports {
                    self.kept.push((line, fault));
                }
                true
            }
        }
    }

    /// Takes in the faults of rows that were good otherwise: none is behind one that ended the part.
    pub(super) fn add_earlier(&mut self, policy: BadRows, others: Self) {
        self.count += others.count;
        self.kept.extend(others.kept);
        self.kept.sort_by_key(|(line, _)| *line);
        self.kept.truncate(match policy {
            BadRows::Stop => 1,
            BadRows::Skip { reports } => reports,
        });
    }
}

/// All bad rows of an import.
#[derive(Debug)]
pub(super) struct Rejects {
    policy: BadRows,
    pub(super) count: u64,
    pub(super) reports: Vec<BadRow>,
}

impl Rejects {
    pub(super) fn new(policy: BadRows) -> Self {
        Self { policy, count: 0, reports: Vec::new() }
    }

    /// Takes one bad row; an error if it is to stop the import.
    pub(super) fn add(&mut self, file: &Path, line: u64, fault: Fault) -> Result<(), ImportError> {
        self.count += 1;
        let row = BadRow { file: file.to_owned(), line, fault };
        match self.policy {
            BadRows::Stop => Err(ImportError::BadRow(row)),
            BadRows::Skip { reports } => {
                if self.reports.len() < reports {
                    self.reports.push(row);
                }
                Ok(())
            }
        }
    }

    /// The first bad rows, those that the graph has refused behind those that could not be read.
    pub(super) fn all_reports(self, refused: Vec<BadRow>) -> Vec<BadRow> {
        let most = match self.policy {
            BadRows::Stop => 0,
            BadRows::Skip { reports } => reports,
        };
        self.reports.into_iter().chain(refused).take(most).collect()
    }

    /// Takes the bad rows of a part whose first line has the number `first_line`.
    pub(super) fn add_all(
        &mut self,
        file: &Path,
        first_line: u64,
        faults: Faults,
    ) -> Result<(), ImportError> {
        let counted_below = faults.kept.len() as u64;
        for (line, fault) in faults.kept {
            self.add(file, first_line + line, fault)?;
        }
        self.count += faults.count - counted_below;
        Ok(())
    }
}
