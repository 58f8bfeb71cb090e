//! The graph, or a part of it, as files: what `mangrove export` does.
//!
//! ```text
//!  snapshot ─▶ all of it, or what a traversal yields (part) ─▶ formats' writer, in its passes (walk)
//!                                                                └─▶ one file (files/written), or a directory of CSV or Parquet (directory)
//! ```
//!
//! It must never know how a format says what an element is.

mod directory;
mod part;
mod walk;

use std::{
    fmt, fs,
    io::BufWriter,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use clap::ValueEnum;
use formats::{CsvConvention, CsvWriter, FileError, GraphFileWriter, GraphFormat, graph_file_writer};

use super::{BUFFER, folder::Folder, packing::Packing, written::NewFile};
use crate::{Database, Error, asker::Asker, request::Wishes};
use directory::NewDirectory;
use part::Part;
use walk::Manner;

/// The formats that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// GraphSON 3, one vertex per line: everything is kept
    Graphson,
    /// GraphML: one value per key, no meta-properties, ids as texts
    Graphml,
    /// Gryo 3
    Gryo,
    /// A directory of CSV files with the headers of `neo4j-admin database import`
    Neo4j,
    /// A directory of CSV files with the headers of Amazon Neptune
    Neptune,
    /// A directory of Parquet files (builds with the feature `parquet`)
    Parquet,
}

impl ExportFormat {
    /// Whether it is a directory of files.
    pub fn is_directory(self) -> bool {
        matches!(self, Self::Neo4j | Self::Neptune | Self::Parquet)
    }
}

/// What is exported, and how.
#[derive(Clone, Debug)]
pub struct ExportOptions {
    /// The format; none to take the one that the name of the file says.
    pub format: Option<ExportFormat>,
    /// A traversal that yields what is exported: vertices, with the edges between them; edges, with their ends; or a `subgraph()`.
    /// None for the whole graph.
    pub query: Option<String>,
    /// Whether what is there may be replaced: a file, or a directory with CSV or Parquet files and nothing else.
    pub overwrite: bool,
    /// Whether edges in CSV and Parquet files have a column of ids, which `neo4j-admin` refuses.
    pub edge_ids: bool,
}

impl Default for ExportOptions {
    /// The whole graph, with ids of edges, where nothing is yet.
    fn default() -> Self {
        Self { format: None, query: None, overwrite: false, edge_ids: true }
    }
}

/// What an export did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportSummary {
    /// Vertices written.
    pub vertices: u64,
    /// Edges written.
    pub edges: u64,
    /// Files written.
    pub files: usize,
    /// Bytes in them.
    pub bytes: u64,
    /// What they do not say of the graph, in words.
    pub losses: Vec<String>,
}

impl fmt::Display for ExportSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { vertices, edges, files, bytes, losses } = self;
        write!(f, "{vertices} vertices and {edges} edges in {bytes} bytes")?;
        if *files > 1 {
            write!(f, " of {files} files")?;
        }
        if !losses.is_empty() {
            write!(f, "\nnot all of the graph can be said so:")?;
        }
        losses.iter().try_for_each(|loss| write!(f, "\n  {loss}"))
    }
}

/// How long a query may take that says which part of a graph a client wants.
const LONGEST_QUERY: Duration = Duration::from_secs(60 * 60);

/// Why nothing was exported. What was there is there still.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The file or directory cannot be written.
    #[error("{path} cannot be written: {problem}", path = path.display())]
    Unwritable {
        /// The file or directory.
        path: PathBuf,
        /// Why, and what to do.
        problem: String,
    },
    /// The traversal that was to yield what is exported did something else.
    #[error("the query yields {0}; vertices, edges or what subgraph() gathers expected")]
    NoElement(String),
    /// It was to stop.
    #[error("the export was stopped")]
    Stopped,
    /// The traversal, or reading the graph, failed.
    #[error(transparent)]
    Database(#[from] Error),
}

impl Database {
    /// Writes the graph, as one snapshot has it, into a file or a directory. It has its name once it is whole and durable. A query
    /// that says which part reads, and does nothing else.
    ///
    /// # Errors
    /// See [`ExportError`].
    pub fn export(&self, target: &Path, options: &ExportOptions) -> Result<ExportSummary, ExportError> {
        self.export_while(&|_| true, target, options)
    }

    /// The same as long as `go_on` says so, which is asked now and then, on this thread, and told to how many elements it has come.
    ///
    /// # Errors
    /// See [`ExportError`].
    pub fn export_while(
        &self,
        go_on: &dyn Fn(u64) -> bool,
        target: &Path,
        options: &ExportOptions,
    ) -> Result<ExportSummary, ExportError> {
        let manner = Manner { on_all_cores: true, go_on };
        self.export_as(&Wishes::of_application().reading(), manner, target, options)
    }

    /// The same for somebody who may read: his query does nothing else. `go_on` is asked now and then whether it is to, and
    /// told to how many elements it has come.
    pub(crate) fn export_for(
        &self,
        asker: &Asker,
        go_on: &dyn Fn(u64) -> bool,
        target: &Path,
        options: &ExportOptions,
    ) -> Result<ExportSummary, ExportError> {
        // The cores are for those who ask.
        let manner = Manner { on_all_cores: false, go_on };
        self.export_as(&Wishes::of_reader(asker, LONGEST_QUERY), manner, target, options)
    }

    fn export_as(
        &self,
        wishes: &Wishes,
        manner: Manner<'_>,
        target: &Path,
        options: &ExportOptions,
    ) -> Result<ExportSummary, ExportError> {
        let unwritable = |problem: String| ExportError::Unwritable { path: target.into(), problem };
        let place = Place::of(target).map_err(unwritable)?;
        let format = options.format.or_else(|| format_of(place.name)).ok_or_else(|| {
            unwritable(
                "its name does not say its format; give it an ending (.json, .xml, .graphml or .kryo, perhaps with .gz behind it) or add \
                 --format"
                    .into(),
            )
        })?;
        let job = Job { database: self, target, place, options, wishes, manner };
        match format {
            ExportFormat::Graphson => job.file(GraphFormat::GraphSon),
            ExportFormat::Graphml => job.file(GraphFormat::GraphMl),
            ExportFormat::Gryo => job.file(GraphFormat::Gryo),
            ExportFormat::Neo4j => job.csv(CsvConvention::Neo4j),
            ExportFormat::Neptune => job.csv(CsvConvention::Neptune),
            ExportFormat::Parquet => job.csv(CsvConvention::Parquet),
        }
    }
}

/// The format of a file of that name.
fn format_of(name: &str) -> Option<ExportFormat> {
    use planner::physical::FileFormat;
    Some(match FileFormat::of_file(name)? {
        FileFormat::GraphSon => ExportFormat::Graphson,
        FileFormat::GraphMl => ExportFormat::Graphml,
        FileFormat::Gryo => ExportFormat::Gryo,
    })
}

/// Where something is written.
struct Place<'t> {
    folder: &'t Path,
    name: &'t str,
}

impl<'t> Place<'t> {
    fn of(target: &'t Path) -> Result<Self, String> {
        let Some(name) = target.file_name().and_then(|name| name.to_str()) else {
            return Err("this is no name of a file, or not UTF-8".into());
        };
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        if folder.is_dir() {
            return Ok(Self { folder, name });
        }
        Err(format!("there is no folder {}; make it first", folder.display()))
    }
}

/// An export that is to be done.
struct Job<'a> {
    database: &'a Database,
    target: &'a Path,
    place: Place<'a>,
    options: &'a ExportOptions,
    /// On whose behalf.
    wishes: &'a Wishes,
    manner: Manner<'a>,
}

impl Job<'_> {
    fn unwritable(&self, problem: impl Into<String>) -> ExportError {
        ExportError::Unwritable { path: self.target.into(), problem: problem.into() }
    }

    /// Writes one file.
    fn file(&self, format: GraphFormat) -> Result<ExportSummary, ExportError> {
        let name = self.place.name;
        if name.ends_with(".zst") {
            return Err(self.unwritable("zstd is read and not written; use `.gz`, or nothing"));
        }
        if fs::symlink_metadata(self.target).is_ok() && !self.options.overwrite {
            return Err(self.unwritable("it is there; add --overwrite to replace it"));
        }
        let failed = |problem: String| self.unwritable(problem);
        let mut file =
            NewFile::create(Folder::of(self.place.folder, name).map_err(failed)?).map_err(failed)?;
        let into = Packing::new(file.handle().map_err(failed)?, name.ends_with(".gz"));
        // Writers write a few bytes at a time.
        let pieces = Box::new(BufWriter::with_capacity(BUFFER, into.clone()));
        let mut writer = graph_file_writer(format, pieces, Box::new(|_| true));
        let (vertices, edges) = self.walk(&mut *writer)?;
        into.finish().map_err(|error| failed(error.to_string()))?;
        file.publish().map_err(failed)?;
        let bytes = fs::metadata(self.target).map_or(0, |file| file.len());
        Ok(ExportSummary { vertices, edges, files: 1, bytes, losses: writer.losses() })
    }

    /// Writes a directory of CSV or Parquet files.
    fn csv(&self, convention: CsvConvention) -> Result<ExportSummary, ExportError> {
        let failed = |problem: String| self.unwritable(problem);
        let directory = NewDirectory::create(self.target, self.place.folder, self.options.overwrite);
        let directory = Arc::new(directory.map_err(failed)?);
        let make = {
            let directory = Arc::clone(&directory);
            Box::new(move |name: &str| directory.file(name))
        };
        let mut writer = CsvWriter::new(convention, self.options.edge_ids, make);
        let (vertices, edges) = self.walk(&mut writer)?;
        let (files, losses) = (writer.files(), writer.losses());
        drop(writer);
        let bytes = directory.publish().map_err(failed)?;
        Ok(ExportSummary { vertices, edges, files, bytes, losses })
    }

    /// Tells a writer of the vertices and edges; how many there were.
    fn walk(&self, writer: &mut dyn GraphFileWriter) -> Result<(u64, u64), ExportError> {
        let part = self
            .options
            .query
            .as_deref()
            .map(|query| Part::of(self.database, query, self.wishes))
            .transpose()?;
        let snapshot = self.database.snapshot();
        let counts =
            walk::walk(&snapshot, part.as_ref(), writer, self.manner).map_err(|error| match error {
                walk::WalkError::Stopped => ExportError::Stopped,
                walk::WalkError::Graph(error) => Error::from(error).into(),
                walk::WalkError::File(FileError::Unwritable(problem)) => self.unwritable(problem),
                walk::WalkError::File(error) => self.unwritable(error.to_string()),
            })?;
        Ok(counts)
    }
}
