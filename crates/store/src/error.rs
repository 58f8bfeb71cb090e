//! What can go wrong in a store, and what to do about it.

use std::path::PathBuf;

use crate::Bytes;

/// An error of the store. [`StoreError::is_retryable`] tells the ones that a fresh transaction may not meet again.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process (or another handle in this one) has the directory open.
    #[error("the directory {} is in use{}; {hint}", path.display(), holder(*pid))]
    Locked {
        /// The directory that was to be opened.
        path: PathBuf,
        /// The process that holds it, when its lock file says so.
        pid: Option<u32>,
        /// What to do.
        hint: &'static str,
    },

    /// A key that the transaction wrote or locked was committed by somebody else after its snapshot was taken.
    #[error(
        "transaction conflict on key {key:?} of keyspace '{keyspace}': it changed after this transaction began; run the transaction again"
    )]
    Conflict {
        /// The keyspace of the contested key.
        keyspace: String,
        /// The contested key.
        key: Bytes,
    },

    /// The transaction is so old that the store no longer remembers every commit since it began, so it cannot tell
    /// whether there was a conflict.
    #[error(
        "the transaction began too long ago to be checked for conflicts; run it again, and keep it shorter"
    )]
    SnapshotTooOld,

    /// A transaction or batch is larger than the store accepts at once.
    #[error(
        "the transaction holds {bytes} bytes, the bound is {limit} (StoreLimits::transaction_bytes); commit the work in several smaller chunks"
    )]
    TooLarge {
        /// What the transaction would have held, in bytes.
        bytes: usize,
        /// The bound, in bytes.
        limit: usize,
    },

    /// A key is empty or longer than the store accepts.
    #[error("a key of {bytes} bytes in keyspace '{keyspace}'; keys must have 1 to {limit} bytes")]
    KeyLength {
        /// The keyspace that was addressed.
        keyspace: String,
        /// The key's length in bytes.
        bytes: usize,
        /// The longest key accepted, in bytes.
        limit: usize,
    },

    /// A value is longer than the store accepts.
    #[error(
        "a value of {bytes} bytes for key {key:?} in keyspace '{keyspace}', the bound is {limit} (StoreLimits::value_bytes); split it over several keys"
    )]
    ValueTooLarge {
        /// The keyspace that was addressed.
        keyspace: String,
        /// The key that the value was for.
        key: Bytes,
        /// The value's length in bytes.
        bytes: usize,
        /// The longest value accepted, in bytes.
        limit: usize,
    },

    /// Bulk ingestion met a key that is not greater than the one before it.
    #[error(
        "ingestion into keyspace '{keyspace}' needs strictly ascending keys, but {key:?} follows {previous:?}; sort the input and drop duplicates"
    )]
    NotSorted {
        /// The keyspace ingested into.
        keyspace: String,
        /// The key before.
        previous: Bytes,
        /// The key that is not greater.
        key: Bytes,
    },

    /// A keyspace name is empty, too long or reserved.
    #[error("'{name}' cannot name a keyspace: {reason}")]
    KeyspaceName {
        /// The name asked for.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },

    /// A keyspace handle that another store gave out.
    #[error("the keyspace '{name}' belongs to another store; open it with Store::keyspace on this one")]
    ForeignKeyspace {
        /// The name of the keyspace the handle stands for.
        name: String,
    },

    /// The directory holds something that this store cannot have written, or that was damaged since.
    #[error("the store in {} is damaged: {detail}; restore it from a backup or import the data again", path.display())]
    Corrupt {
        /// The directory of the store.
        path: PathBuf,
        /// What was found.
        detail: String,
    },

    /// The directory was written by a version of the storage engine that this one cannot read.
    #[error("the store in {} has an unknown format ({detail}); open it with the version of Mangrove that wrote it", path.display())]
    Format {
        /// The directory of the store.
        path: PathBuf,
        /// What was found.
        detail: String,
    },

    /// The directory holds other files, and no store: one has a directory of its own.
    #[error("there are other files in {}, such as {entry}, and no graph; give the graph a directory of its own", path.display())]
    Occupied {
        /// The directory.
        path: PathBuf,
        /// The name of something in it.
        entry: String,
    },

    /// The disk is full. Nothing was written; writes succeed again once there is room, and reads go on meanwhile.
    #[error("no space left on the device of {}; nothing was written, free some space and try again", path.display())]
    DiskFull {
        /// The directory of the store.
        path: PathBuf,
    },

    /// An earlier write could not be made durable, so the store stopped writing. Reads go on.
    #[error("the store stopped writing after an earlier failure ({cause}); close it and open it again")]
    Halted {
        /// The failure that stopped it.
        cause: String,
    },

    /// The store was closed.
    #[error("the store is closed")]
    Closed,

    /// The operating system refused an operation.
    #[error("input/output error on {}: {source}", path.display())]
    Io {
        /// The directory of the store.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: std::io::Error,
    },
}

impl StoreError {
    /// Whether running the same transaction again, on a new snapshot, may succeed.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Conflict { .. } | Self::SnapshotTooOld)
    }

    /// The same error once more: every member of a failed group is told.
    pub(crate) fn duplicate(&self) -> Self {
        match self {
            Self::DiskFull { path } => Self::DiskFull { path: path.clone() },
            Self::Io { path, source } => {
                let source = std::io::Error::new(source.kind(), source.to_string());
                Self::Io { path: path.clone(), source }
            }
            Self::Corrupt { path, detail } => Self::Corrupt { path: path.clone(), detail: detail.clone() },
            Self::Closed => Self::Closed,
            other => Self::Halted { cause: other.to_string() },
        }
    }
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(String::new, |pid| format!(" by process {pid}"))
}
