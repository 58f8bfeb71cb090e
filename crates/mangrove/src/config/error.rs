//! What can be wrong with a configuration.

use std::path::PathBuf;

/// A mistake in the configuration, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file that was named cannot be read.
    #[error("cannot read {path}: {reason}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        reason: String,
    },
    /// The file is not TOML, or has a key or a value that does not belong there.
    #[error("{path}:{line}:{column}: {reason}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// What is wrong, and the nearest key where a key is unknown.
        reason: String,
    },
    /// A flag names a setting that does not exist.
    #[error("{origin}: there is no setting `{key}`{suggestion}")]
    UnknownKey {
        /// The flag.
        origin: String,
        /// The key as it was given.
        key: String,
        /// `; did you mean …?`, or nothing.
        suggestion: String,
    },
    /// A variable or a flag has a value that does not fit, or settings contradict each other.
    #[error("{origin}: {reason}")]
    Invalid {
        /// The variable, flag or section.
        origin: String,
        /// What is wrong.
        reason: String,
    },
}
