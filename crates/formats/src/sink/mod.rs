//! Where readers put what they read: into an empty graph, in one go ([`bulk`]), or beside what a graph has ([`present`]).
//!
//! ```text
//!  file ─▶ reader ─▶ Sink::vertices, edges … ─┬─▶ BulkLoad                       a graph that is empty
//!                    a batch of rows, with    ├─▶ Checker                        looks only: is anything taken?
//!                    the lines they are from  └─▶ Writer ─▶ transactions         a graph that has data
//! ```
//!
//! A reader hands its rows over in the same order however often it reads a file, vertices before the edges that lead to them. A sink
//! may count on that: the number of a row is its name.

mod bulk;
mod present;
mod refused;
mod stoppable;
mod uniques;

use std::path::Path;

use graph::{BulkColumn, BulkProgress, BulkValues, GraphStats};
use values::{Value, VertexRef};

pub use present::{Merge, Position, Present, PresentOptions};
pub use stoppable::Stoppable;

use crate::error::{BadRow, Fault, ImportError};
use crate::rejects::BadRows;

/// Something that can be imported into.
pub trait Target {
    /// Begins an import.
    ///
    /// # Errors
    /// If it takes none now.
    fn begin(&self) -> Result<Box<dyn Sink + '_>, ImportError>;
}

/// What an import goes into. Dropping it gives up what is not finished.
pub trait Sink {
    /// Takes vertices of one label, as many as there are lines; what they are called from now on, in the order given. Without ids
    /// they get generated ones. Each column has a value or none for each of them.
    ///
    /// # Errors
    /// If they cannot be taken.
    fn vertices(
        &mut self,
        label: &str,
        rows: Rows<'_>,
        ids: Option<Vec<Value>>,
        columns: Vec<BulkColumn>,
    ) -> Result<Vec<VertexRef>, ImportError>;

    /// Takes edges of one label, from and to vertices that have been taken or found [`Sink::elsewhere`].
    ///
    /// # Errors
    /// If they cannot be taken.
    fn edges(
        &mut self,
        label: &str,
        ends: (&[VertexRef], &[VertexRef]),
        rows: Rows<'_>,
        ids: Option<Vec<Value>>,
        columns: Vec<BulkColumn>,
    ) -> Result<(), ImportError>;

    /// Asks for an equality index.
    ///
    /// # Errors
    /// If a name cannot be one, or the index cannot be made.
    fn index(&mut self, label: &str, key: &str) -> Result<(), ImportError>;

    /// Whether edges may lead to vertices that no file has: those that the graph has.
    fn has_others(&self) -> bool {
        false
    }

    /// What a vertex is called that no file has: one with the first of these ids, or else with the next.
    fn elsewhere(&mut self, ids: &[Value]) -> Option<VertexRef> {
        let _ = ids;
        None
    }

    /// Says what to do with rows that the graph refuses, unless the sink knows. Without it the first of them is an error.
    fn treat_bad_rows(&mut self, policy: BadRows) {
        let _ = policy;
    }

    /// Whether a property may be null; if not, one that is none.
    fn null_values(&self) -> bool;

    /// Ends the import; what has become of it.
    ///
    /// # Errors
    /// If what was taken cannot be kept.
    fn finish(self: Box<Self>, progress: &dyn Fn(BulkProgress)) -> Result<Outcome, ImportError>;
}

/// Where rows are from.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The file.
    pub file: &'a Path,
    /// Of each the place in the file.
    pub places: Places<'a>,
    /// What it means that they name a vertex.
    pub standing: Standing,
}

/// Places in a file.
#[derive(Clone, Copy, Debug)]
pub enum Places<'a> {
    /// Numbers of lines, from 1.
    Lines(&'a [u64]),
    /// Numbers of lines, counted from this one on.
    LinesFrom(u64, &'a [u32]),
    /// In a file that has no lines: bytes from its beginning.
    Bytes(&'a [u64]),
}

/// A file, as rows are from it.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) file: &'a Path,
    /// Whether it has no lines.
    pub(crate) in_bytes: bool,
    pub(crate) standing: Standing,
}

impl<'a> Source<'a> {
    /// One that has lines, and rows that are its own.
    pub(crate) fn of(file: &'a Path) -> Self {
        Self { file, in_bytes: false, standing: Standing::Own }
    }

    pub(crate) fn rows(self, places: &'a [u64]) -> Rows<'a> {
        let places = if self.in_bytes { Places::Bytes(places) } else { Places::Lines(places) };
        Rows { file: self.file, places, standing: self.standing }
    }
}

/// What it means that a file names a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Standing {
    /// It is the file's own, with all that it has.
    #[default]
    Own,
    /// The file's edges imply that there is one: if the graph has it, it is that one, unless all get new ids.
    Implied,
    /// The file refers to one that it does not describe: if the graph has it, it is that one.
    Referred,
}

impl<'a> Rows<'a> {
    /// Rows that are the file's own.
    pub(crate) fn of(file: &'a Path, places: Places<'a>) -> Self {
        Self { file, places, standing: Standing::Own }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self.places {
            Places::Lines(places) | Places::Bytes(places) => places.len(),
            Places::LinesFrom(_, lines) => lines.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The error of a row at fault.
    fn refused(&self, row: usize, fault: Fault) -> ImportError {
        ImportError::BadRow(refused::bad_row(self.file, self.place(row), fault))
    }

    /// The place of one of them, and whether it is a byte.
    fn place(&self, row: usize) -> (u64, bool) {
        match self.places {
            Places::Lines(places) => (places[row], false),
            Places::LinesFrom(first, lines) => (first + u64::from(lines[row]), false),
            Places::Bytes(places) => (places[row], true),
        }
    }

    /// The places, to be kept.
    fn to_places(self) -> Vec<u64> {
        match self.places {
            Places::Lines(places) | Places::Bytes(places) => places.to_vec(),
            Places::LinesFrom(first, lines) => lines.iter().map(|line| first + u64::from(*line)).collect(),
        }
    }
}

/// The one value of an element; none of a column that may have several.
fn value_of(values: &BulkValues, row: usize) -> Option<Value> {
    match values {
        BulkValues::Long(column) => column[row].map(Value::Long),
        BulkValues::Int(column) => column[row].map(Value::Int),
        BulkValues::Double(column) => column[row].map(Value::Double),
        BulkValues::Bool(column) => column[row].map(Value::Bool),
        BulkValues::Str(column) => column.get(row).map(Value::str),
        BulkValues::DateTime(column) => column[row].map(Value::DateTime),
        BulkValues::Any(column) => column[row].clone(),
        BulkValues::Multi(_) => None,
    }
}

/// What has become of an import.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The graph afterwards, if it was empty before.
    pub stats: Option<GraphStats>,
    /// What was done with the rows, if not all were added.
    pub tally: Option<Tally>,
    /// The first of the rows that the graph refused, if these are skipped.
    pub reports: Vec<BadRow>,
}

/// What was done with rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Vertices that were added.
    pub vertices: u64,
    /// Edges that were added.
    pub edges: u64,
    /// Vertices that were there, and got the properties of rows.
    pub merged_vertices: u64,
    /// Edges that were there, and got the properties of rows.
    pub merged_edges: u64,
    /// Rows that the graph refused.
    pub refused: u64,
    /// Rows of all those that had been done before this command began.
    pub before: u64,
}

impl Tally {
    /// Whether nothing has been done.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}
