//! Generated data: a social network of any size, and TinkerPop's modern graph, without a download.
//!
//! [`social()`] writes what LDBC's SNB data generator would: people in cities and universities, friendships with
//! communities and hubs, forums, trees of messages, likes, tags. It is not LDBC's generator and its data is not official;
//! it is one small program that runs anywhere, in bounded memory, and gives the same bytes for the same seed.
//!
//! It must never know a graph: it writes files that an import reads.

mod calendar;
mod dictionary;
mod files;
mod forums;
mod friends;
mod messages;
mod modern;
mod parameters;
mod permutation;
mod person;
mod places;
mod random;
mod social;
mod text;

use std::path::{Path, PathBuf};

pub use modern::{MODERN_EDGES, MODERN_VERTICES, modern};
pub use social::{MOST_PERSONS, SocialOptions, SocialProgress, SocialSummary, social};

/// Why nothing (or not all) was generated.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// More people than ids.
    #[error("{asked} persons asked for; at most {most} are possible")]
    TooManyPersons {
        /// The number asked for.
        asked: u64,
        /// The bound.
        most: u64,
    },
    /// There is something already.
    #[error("`{}` is not empty: remove it or choose another directory", path.display())]
    Exists {
        /// The directory.
        path: PathBuf,
    },
    /// There is a file of that name already.
    #[error("`{}` is there: remove it or choose another name", path.display())]
    FileExists {
        /// The file.
        path: PathBuf,
    },
    /// The file system refused.
    #[error("cannot write `{}`: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

impl GenerateError {
    fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}
