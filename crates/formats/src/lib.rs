//! Import: files in, a graph out, through [`graph::BulkLoad`]; and files of whole graphs, element by element
//! ([`graph_file_reader`], [`graph_file_writer`]).
//!
//! | function | reads |
//! |---|---|
//! | [`ldbc()`] | the social network of LDBC SNB Interactive v1, layouts `CsvBasic` and `CsvComposite` |
//! | [`csv()`] | CSV files whose headers say what the columns are (the convention of `neo4j-admin import`), with [`parquet()`] Parquet files whose columns are named so |
//! | [`tables()`] | CSV, JSON lines and Parquet that do not say what they hold, if somebody else does |
//! | [`graphson()`] | GraphSON, one vertex with its edges per line (what TinkerPop's `io().write()` writes) |
//! | [`edge_list()`] | an edge on each line, by the ids of its ends (SNAP, KONECT); in gzip and zstd, too |
//! | [`whole()`] | the other forms of GraphSON, GraphML and Gryo, as `g.io(file)` reads them; in gzip and zstd, too |
//!
//! All of these import into a [`Target`]: an empty graph, which [`graph::Graph`] is, or one that has data ([`Present`]). They read in
//! bounded memory (besides what the target itself needs), report a bad row with file, line and column, and either stop there or
//! skip and count it ([`BadRows`]). An import that stops leaves an empty graph empty.
//!
//! Parquet is read and written by builds with the feature `parquet` alone, and refused by name by others.
//!
//! Invariant: this crate knows nothing of how a graph is kept; it fills columns, and a bulk load or transactions take them.

mod columns;
mod csv;
mod edge_list;
mod error;
mod exchange;
mod foreign;
mod graphson;
mod ldbc;
mod lines;
mod markup;
mod numbers;
mod packed;
mod pipeline;
mod progress;
mod rejects;
mod sides;
mod sink;
mod summary;
mod whole;

use std::num::NonZeroUsize;

pub use csv::{
    CsvConvention, CsvOptions, CsvSource, CsvWriter, MakeFile, Table, TableEnd, TableId, TableLabel,
    TableProperty, TableRecords, csv, csv_stem, is_csv_header, is_named_parquet, parquet, tables,
};
pub use edge_list::{edge_list, is_edge_list};
pub use error::{BadRow, Fault, ImportError};
pub use exchange::{
    Element, FileError, GraphFileReader, GraphFileWriter, GraphFormat, Pass, Place, Room, Stretch,
    StretchWriter, graph_file_reader, graph_file_writer,
};
pub use foreign::{Foreign, is_parquet, refuse_foreign, refuse_foreign_inside};
pub use graphson::graphson;
pub use ldbc::ldbc;
pub use packed::unpacked;
pub use progress::{ImportPhase, ImportProgress};
pub use rejects::BadRows;
pub use sink::{
    Merge, Outcome, Places, Position, Present, PresentOptions, Rows, Sink, Standing, Stoppable, Tally, Target,
};
pub use summary::ImportSummary;
pub use whole::{whole, whole_format};

/// How to import, whatever the format.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// What to do with rows that cannot be imported.
    pub bad_rows: BadRows,
    /// Threads that read and parse; the calling thread, which feeds the bulk load, comes on top. By default one per core.
    pub threads: Option<NonZeroUsize>,
    /// Bytes of a file that one thread parses at a time. Memory for parsing is about ten times this per thread.
    pub part_bytes: u64,
    /// Whether properties of vertices keep the ids that the file gives them ([`graphson()`] alone reads some). Each costs about
    /// 15 bytes on disk and 90 in memory, and a column whose values have them is not read as fast as a plain one.
    pub keep_property_ids: bool,
    /// Bytes of an element that [`whole()`] may hold at once, roughly: of Gryo a vertex with all its edges, else a vertex or an edge with its
    /// properties. A file that has a larger one is refused.
    pub element_bytes: usize,
    /// What becomes of a vertex with several labels ([`csv()`] alone reads some).
    pub several_labels: SeveralLabels,
}

/// What becomes of a vertex that a file gives several labels: here it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SeveralLabels {
    /// It is a bad row.
    #[default]
    Refuse,
    /// It has the first one.
    First,
    /// It has all of them as one, with `::` between them, as TinkerPop's other graphs write such labels.
    Join,
}

impl Default for ImportOptions {
    /// Stop at the first bad row; one thread per core, 4 MiB at a time; properties of vertices keep their ids; elements of up to a
    /// gigabyte; one label each.
    fn default() -> Self {
        Self {
            bad_rows: BadRows::Stop,
            threads: None,
            part_bytes: 4 << 20,
            keep_property_ids: true,
            element_bytes: 1 << 30,
            several_labels: SeveralLabels::Refuse,
        }
    }
}

impl ImportOptions {
    fn threads(&self) -> NonZeroUsize {
        self.threads.unwrap_or_else(pipeline::default_threads)
    }
}
