//! What is wrong with a file, and where.

use std::fmt;

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a text: line and column (in bytes), both from 1.
    Line(u64, u64),
    /// In another file: so many bytes from its beginning.
    Byte(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line, column) => write!(f, "line {line}, column {column}"),
            Self::Byte(offset) => write!(f, "byte {offset}"),
        }
    }
}

/// Why a file of a graph is not read or written to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file cannot be read, or written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The file is not what it should be.
    #[error("{place}: {problem}")]
    Malformed {
        /// Where.
        place: Place,
        /// What was expected, and what was found.
        problem: String,
    },
    /// The graph has something that the format has no way to say.
    #[error("{0}")]
    Unwritable(String),
    /// There is no memory for a part of the file that must be looked at as a whole.
    #[error("there is no room in memory for what {0} has")]
    NoRoom(Place),
}

pub(super) type Result<T> = std::result::Result<T, FileError>;

impl FileError {
    pub(super) fn malformed(place: Place, problem: impl Into<String>) -> Self {
        Self::Malformed { place, problem: problem.into() }
    }
}
