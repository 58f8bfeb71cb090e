//! Rows that the graph refuses: the first is an error, or they are left out and counted.

use std::path::Path;

use crate::error::{BadRow, Fault, ImportError};
use crate::rejects::BadRows;

/// Those of an import.
#[derive(Default)]
pub(super) struct Refused {
    pub(super) policy: BadRows,
    pub(super) count: u64,
    /// The first of them.
    pub(super) reports: Vec<BadRow>,
}

impl Refused {
    /// Leaves a row out, if that is wanted.
    pub(super) fn add(&mut self, bad: BadRow) -> Result<(), ImportError> {
        let BadRows::Skip { reports } = self.policy else { return Err(ImportError::BadRow(bad)) };
        self.count += 1;
        if self.reports.len() < reports {
            self.reports.push(bad);
        }
        Ok(())
    }
}

/// A row of a file at fault, by its place and whether that is a byte.
pub(super) fn bad_row(file: &Path, (place, in_bytes): (u64, bool), mut fault: Fault) -> BadRow {
    if in_bytes {
        fault.problem = format!("byte {place}: {}", fault.problem);
    }
    BadRow { file: file.to_owned(), line: if in_bytes { 0 } else { place }, fault }
}
