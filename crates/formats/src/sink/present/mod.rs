//! A graph that has data: rows are added to it, or merged with what it has, in transactions of bounded size.
//!
//! ```text
//! rows ─▶ pending (batch) ─▶ so many at a time ─▶ one transaction ─┬─ elements (vertex, edge)
//!                                                                  └─ how far it is (journal)
//! ```
//!
//! How far an import is, is a note that each of its transactions leaves ([`graph::Transaction::leave_note`]): so after a failure, or the
//! end of the process, the same import goes on behind the last row that is durable, and nothing is done twice. Others may read
//! and write meanwhile.

mod batch;
mod checker;
mod edge;
mod journal;
mod others;
mod refusal;
mod vertex;
mod writer;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use graph::Graph;

use self::checker::Checker;
use self::journal::Journal;
use self::writer::Writer;
use super::{Sink, Tally, Target};
use crate::error::ImportError;
use crate::rejects::BadRows;

/// Rows of a transaction, if nothing else is said.
const ROWS: NonZeroUsize = NonZeroUsize::new(5_000).expect("it is more than 0");

/// How to import into a graph that has data.
#[derive(Clone, Debug)]
pub struct PresentOptions {
    /// Which elements of the graph get the properties of rows. The other rows are added.
    pub merge: Merge,
    /// Whether what is added gets ids of the graph. Otherwise it keeps those of the file, and one that is taken makes a bad row.
    pub new_ids: bool,
    /// Most rows of a transaction. One that would be too large for the graph has fewer.
    pub rows: NonZeroUsize,
    /// What to do with rows that the graph refuses.
    pub bad_rows: BadRows,
    /// Says that the import is to stop before its next transaction, with [`ImportError::Stopped`]. The same import goes on from there.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for PresentOptions {
    /// All is added, with the ids of the file, 5,000 rows at a time, up to the first that is refused.
    fn default() -> Self {
        Self { merge: Merge::Nothing, new_ids: false, rows: ROWS, bad_rows: BadRows::Stop, stop: None }
    }
}

/// Which element of the graph a row is.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Merge {
    /// None: it is a new one.
    #[default]
    Nothing,
    /// The one with the row's id. Where the file gives vertices no ids, the one of the same label with the same value under the key
    /// `id`; and where it gives edges none, the one of the same label between the same vertices.
    ById,
    /// The vertex of the same label with the same value under this key; the edge as with ids.
    ByKey(String),
}

/// How far an import is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// It has not begun.
    New,
    /// It has been begun, and this is durable.
    UnderWay(Tally),
    /// It has been done.
    Done(Tally),
}

/// A graph that may have data, and the name of an import into it.
#[derive(Clone, Copy)]
pub struct Present<'g> {
    graph: &'g Graph,
    options: &'g PresentOptions,
    name: &'g str,
    looks_only: bool,
}

impl<'g> Present<'g> {
    /// An import with a name: of what it reads, and of how. Under it the graph remembers how far it is.
    pub fn new(graph: &'g Graph, options: &'g PresentOptions, name: &'g str) -> Self {
        Self { graph, options, name, looks_only: false }
    }

    /// The same without writing anything: what is wrong with the file, and which ids are taken, is found before something is written.
    #[must_use]
    pub fn looking_only(self) -> Self {
        Self { looks_only: true, ..self }
    }

    /// How far it is.
    ///
    /// # Errors
    /// If the graph cannot be read.
    pub fn position(&self) -> Result<Position, ImportError> {
        let mut journal = Journal::open(self.graph, self.name)?;
        let position = journal.position();
        if matches!(position, Position::Done(_)) {
            // The process may have ended before it could do so.
            journal.forget_parts()?;
        }
        Ok(position)
    }

    /// Forgets how far it is, so that it begins anew.
    ///
    /// # Errors
    /// If the graph cannot be written.
    pub fn forget(&self) -> Result<(), ImportError> {
        Journal::open(self.graph, self.name)?.forget()
    }
}

impl Target for Present<'_> {
    fn begin(&self) -> Result<Box<dyn Sink + '_>, ImportError> {
        if self.looks_only {
            return Ok(Box::new(Checker::new(self.graph, self.options)));
        }
        let journal = Journal::open(self.graph, self.name)?;
        Ok(Box::new(Writer::new(self.graph, self.options, journal)?))
    }
}
