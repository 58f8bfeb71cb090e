//! What stops an import.

use std::fmt;
use std::path::{Path, PathBuf};

use super::foreign::Foreign;
use super::sink::Tally;
use graph::GraphError;

/// Why an import stopped. A graph that was empty is so still; one that has data may have a part of what was to be imported
/// ([`ImportError::Midway`]).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// Nothing to import where it was looked for.
    #[error("nothing to import in `{}`: {expected}", path.display())]
    NoFiles {
        /// The directory.
        path: PathBuf,
        /// What should be there.
        expected: &'static str,
    },
    /// A file of a format that is not read.
    #[error("`{}`: {format}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it is, and what to do.
        format: Foreign,
    },
    /// A file whose name or header does not say what it holds.
    #[error("`{}`: {problem}", path.display())]
    Layout {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and what was expected.
        problem: String,
    },
    /// A row that cannot be imported, and bad rows were to stop the import.
    #[error("{0}")]
    BadRow(BadRow),
    /// It was to stop.
    #[error("the import was stopped")]
    Stopped,
    /// The same import is done by somebody else at the same time.
    #[error("another import of the same files into this graph is under way; wait until it is done")]
    Twice,
    /// An import into a graph that has data stopped in its midst. What came before is durable, and the same import goes on behind it.
    #[error("{}", midway(.cause, .tally))]
    Midway {
        /// Why.
        cause: Box<ImportError>,
        /// What is done.
        tally: Tally,
    },
    /// The graph refused.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

impl ImportError {
    /// The same, said of a file by another name: of one that has none of its own.
    #[must_use]
    pub fn of_file(mut self, name: &Path) -> Self {
        match &mut self {
            Self::Io { path, .. } | Self::NoFiles { path, .. } => name.clone_into(path),
            Self::Foreign { path, .. } | Self::Layout { path, .. } => name.clone_into(path),
            Self::BadRow(row) => name.clone_into(&mut row.file),
            Self::Midway { cause, tally } => {
                let cause = std::mem::replace(&mut **cause, Self::Twice).of_file(name);
                return Self::Midway { cause: Box::new(cause), tally: *tally };
            }
            Self::Stopped | Self::Twice | Self::Graph(_) => {}
        }
        self
    }
    pub(super) fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
    pub(super) fn layout(path: &Path, problem: impl Into<String>) -> Self {
        Self::Layout { path: path.to_owned(), problem: problem.into() }
    }
}

/// What to say of an import that stopped in its midst.
fn midway(cause: &ImportError, tally: &Tally) -> String {
    let (vertices, edges) = (tally.vertices + tally.merged_vertices, tally.edges + tally.merged_edges);
    let done =
        format!("{cause}\n{vertices} of its vertices and {edges} of its edges are in the graph by now; ");
    let how = match cause {
        // The same command would stop at it again, and is not the same with other files.
        ImportError::BadRow(_) => {
            "the same command with --skip-bad-rows goes on behind them and leaves such rows out; files that are corrected are another \
             import, for which --merge id or --merge KEY takes what is there for what it is"
        }
        ImportError::Layout { .. } | ImportError::Foreign { .. } => {
            "files that are corrected are another import, for which --merge id or --merge KEY takes what is there for what it is"
        }
        _ => "the same command goes on behind them",
    };
    done + how
}

/// A row that cannot be imported: where it is and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRow {
    /// The file.
    pub file: PathBuf,
    /// The line that the row begins on, from 1; the header counts. 0 in a file that has no lines.
    pub line: u64,
    /// What of the row is at fault, and why.
    pub fault: Fault,
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file.display())?;
        for number in [self.line, self.fault.column].into_iter().filter(|number| *number > 0) {
            write!(f, "{number}:")?;
        }
        f.write_str(" ")?;
        match &self.fault.field {
            Some(field) => write!(f, "column `{field}`: {}", self.fault.problem),
            None => f.write_str(&self.fault.problem),
        }
    }
}

/// What is wrong with a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The number of the field in its row, from 1; in JSON, of the character in its line. 0 if the row as a whole is at fault.
    pub column: u64,
    /// The name of the column, from the header; in JSON, the path to the value.
    pub field: Option<String>,
    /// What was expected and what was found.
    pub problem: String,
}

impl Fault {
    /// A fault of the field number `column` (from 0), whose name the caller fills in with [`Fault::named`].
    pub(super) fn at(column: usize, problem: impl Into<String>) -> Self {
        Self { column: column as u64 + 1, field: None, problem: problem.into() }
    }
    /// A field that is not what it should be.
    pub(super) fn expected(column: usize, expected: &str, found: &str) -> Self {
        Self::at(column, format!("{expected} expected, found {}", quoted(found)))
    }
    /// A line that is no JSON.
    pub(super) fn of_json(error: &serde_json::Error) -> Self {
        // Its own message ends with a line and column; the line is always 1 here.
        let message = error.to_string();
        let problem = message.rsplit_once(" at line ").map_or(message.as_str(), |(problem, _)| problem);
        Self {
            column: error.column().max(1) as u64,
            field: None,
            problem: format!("JSON expected: {problem}"),
        }
    }
    /// Adds the name of the field, if the header has one for it.
    pub(super) fn named(mut self, header: &[String]) -> Self {
        self.field = header.get(self.column as usize - 1).cloned();
        self
    }
}

/// The text in quotes, shortened to what fits into a message.
pub(super) fn quoted(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}… ({} bytes)", &text[..end], text.len()),
    }
}
