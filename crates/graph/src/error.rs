//! What can go wrong in a graph.

use std::sync::Arc;

use store::StoreError;
use values::{Value, excerpt};

use crate::model::NameSpace;

/// Short for a result whose error is [`GraphError`].
pub type Result<T, E = GraphError> = std::result::Result<T, E>;

/// Why a graph refused or failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// Something that the transaction read was changed by another one. Run it again.
    #[error("the transaction conflicts with one that committed meanwhile ({0}); run it again")]
    Conflict(String),
    /// A transaction is used after its commit.
    #[error("the transaction was committed before; begin another one")]
    TransactionEnded,
    /// A vertex with this id exists.
    #[error("a vertex with id {id} already exists; ids of vertices are unique in a graph", id = DisplayId(.0))]
    DuplicateVertexId(Value),
    /// An edge with this id exists.
    #[error("an edge with id {id} already exists; ids of edges are unique in a graph", id = DisplayId(.0))]
    DuplicateEdgeId(Value),
    /// An id is a text, an integer of up to 64 bits or a UUID.
    #[error("{0} cannot be an element id; use a text, an integer of up to 64 bits or a UUID")]
    BadId(&'static str),
    /// A vertex that a write needs is gone or never was.
    #[error("the vertex {id} does not exist (or no longer does)", id = DisplayId(.0))]
    NoSuchVertex(Value),
    /// An edge that a write needs is gone or never was.
    #[error("the edge {id} does not exist (or no longer does)", id = DisplayId(.0))]
    NoSuchEdge(Value),
    /// A vertex property that a write needs is gone or never was.
    #[error("the vertex property {id} does not exist (or no longer does)", id = DisplayId(.0))]
    NoSuchProperty(Value),
    /// A label or key that cannot be one.
    #[error("{name:?} cannot be a {space}: {problem}")]
    BadName {
        /// What it was to be.
        space: NameSpace,
        /// The name, shortened.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A label or key of the kind that TinkerPop keeps for itself. It begins with the words of TinkerPop's own error.
    #[error(
        "{} can not be a hidden key: {name} (names that begin with '~' are reserved)",
        match space {
            NameSpace::Key => "Property key",
            NameSpace::VertexLabel | NameSpace::EdgeLabel => "Label",
        }
    )]
    HiddenName {
        /// What it was to be.
        space: NameSpace,
        /// The name, shortened.
        name: String,
    },
    /// The name space is full.
    #[error(
        "the graph and its open transactions use {limit} different {space}s, the most it can hold: keep what varies in values of \
         properties, and not in names"
    )]
    TooManyNames {
        /// The full name space.
        space: NameSpace,
        /// Its bound.
        limit: usize,
    },
    /// A value that cannot be stored as a property.
    #[error("a value of type {type_name} cannot be stored under the property key {key:?}")]
    BadValue {
        /// The key.
        key: String,
        /// The type of the value.
        type_name: &'static str,
    },
    /// The schema refuses it.
    #[error("{0}")]
    Schema(#[from] Box<crate::model::SchemaError>),
    /// A bound of the graph was reached.
    #[error("{what} would exceed the limit of {limit}; {advice}")]
    LimitExceeded {
        /// What grew too large.
        what: &'static str,
        /// The bound.
        limit: u64,
        /// What to do.
        advice: &'static str,
    },
    /// Other open transactions hold the memory that there is for what is not committed. Run it again when some have ended.
    #[error(
        "other open transactions hold nearly all of the {limit} bytes of memory for writes that are not committed; run it again when some have ended"
    )]
    Crowded {
        /// Bytes that all of them may hold.
        limit: u64,
    },
    /// A query or transaction that began long ago keeps so much of what was changed since in memory that nothing more can be.
    /// Run it again when that has ended.
    #[error(
        "memory has no room for further changes: a query or transaction that began before them keeps what it may still read ({used} bytes are in use, engine.cache is {budget}); run it again when that has ended, or cancel that"
    )]
    Kept {
        /// Bytes in use.
        used: u64,
        /// Bytes that the cache should have.
        budget: u64,
    },
    /// Stored bytes are not what was written.
    #[error("the stored {what} is damaged ({problem}); restore the graph's directory from a backup")]
    Corrupt {
        /// Which section, record or entry.
        what: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The directory was written by a newer version.
    #[error(
        "the graph is stored in format {found}, but this version reads formats up to {supported}; use a newer Mangrove"
    )]
    NewerFormat {
        /// The format found.
        found: u32,
        /// The newest format this version knows.
        supported: u32,
    },
    /// Bulk load needs a graph without vertices.
    #[error(
        "bulk load needs an empty graph, but this one holds {vertices} vertices; import into a new directory, or into this graph with --add or --merge"
    )]
    NotEmpty {
        /// How many there are.
        vertices: u64,
    },
    /// Somebody reads or writes beside a bulk load.
    #[error(
        "a bulk load needs a graph that nobody else reads or writes, but {snapshots} snapshots or transactions are open; end them, or import \
         with --add"
    )]
    InUse {
        /// How many there are.
        snapshots: usize,
    },
    /// Columns of a bulk load that do not fit together.
    #[error("bulk load of {what}: {problem}")]
    BadBulk {
        /// Which label, which column.
        what: String,
        /// What does not fit.
        problem: String,
    },
    /// An earlier failure of the log: memory and disk may differ, so nothing more is accepted.
    #[error(
        "the graph accepts no more writes since its log failed ({0}); restart to recover what was acknowledged"
    )]
    LogFailed(String),
    /// It was opened for reading alone.
    #[error("the graph was opened for reading alone (read_only)")]
    ReadOnly,
    /// The operating system gave no thread.
    #[error("a thread could not be started: {0}")]
    NoThread(String),
    /// A file of a backup cannot be written, or is not the one that was written.
    #[error("backup {path}: {problem}", path = path.display())]
    Backup {
        /// The file or directory.
        path: std::path::PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The request that something was loaded for is over: it was ended, or its deadline has passed.
    #[error("the request that needed it was cancelled or ran out of time before it could be loaded")]
    Interrupted,
    /// The durable store failed.
    #[error("the store failed: {0}")]
    Store(#[from] Arc<store::StoreError>),
}

impl From<crate::model::SchemaError> for GraphError {
    fn from(error: crate::model::SchemaError) -> Self {
        Self::Schema(Box::new(error))
    }
}

impl GraphError {
    /// Stored bytes are not what was written.
    pub(crate) fn corrupt(what: impl ToString, problem: impl Into<String>) -> Self {
        Self::Corrupt { what: what.to_string(), problem: problem.into() }
    }

    /// Whether the same transaction may succeed when it is run again.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Conflict(_) | Self::Crowded { .. } | Self::Kept { .. })
    }

    /// Whether a write that ended so has left nothing in the store: the disk was full, or it was refused by its size alone.
    pub(crate) fn wrote_nothing(&self) -> bool {
        let Self::Store(cause) = self else { return false };
        matches!(
            **cause,
            StoreError::DiskFull { .. }
                | StoreError::TooLarge { .. }
                | StoreError::ValueTooLarge { .. }
                | StoreError::KeyLength { .. }
        )
    }

    /// Whether nothing was written since there is no room on disk.
    pub(crate) fn is_disk_full(&self) -> bool {
        matches!(self, Self::Store(cause) if matches!(**cause, StoreError::DiskFull { .. }))
    }
}

/// An id as the user wrote it, strings in quotes. Of one that is long, or can be none, the beginning.
struct DisplayId<'a>(&'a Value);

impl std::fmt::Display for DisplayId<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Value::String(s) => write!(f, "{:?}", excerpt(s)),
            other => f.write_str(&excerpt(other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_stands_in_a_message_as_it_is_written_and_cut_where_it_is_long() {
        let text = |id: Value| GraphError::NoSuchVertex(id).to_string();
        let rest = "does not exist (or no longer does)";
        assert_eq!(text(Value::Long(7)), format!("the vertex 7 {rest}"));
        assert_eq!(text("a\"b".into()), format!("the vertex \"a\\\"b\" {rest}"));
        let long = Value::from((0..1_000_000).map(Value::Int).collect::<Vec<_>>());
        let values = [Value::from("x".repeat(1 << 20)), long];
        for message in values.map(text) {
            assert!(message.ends_with(rest) && message.contains('…'), "{message}");
            assert!(message.len() < 300, "{message}");
        }
    }
}
