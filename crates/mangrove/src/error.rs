//! What the embedded library can fail with.

use std::{path::PathBuf, sync::Arc};

use access::{AccessError, Role};
use dataflow::QueryError;
use formats::ImportError;
use graph::GraphError;
use gremlin::ParseError;
use planner::PlanError;
use server::ErrorKind;
use store::StoreError;

/// Why Mangrove refused or failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not Gremlin.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// It is Gremlin that has no plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// It ran into an error.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// Other transactions changed what this one read, every time it was tried.
    #[error("the request conflicted with concurrent writes {attempts} times in a row; send it again: {last}")]
    Conflict {
        /// How often it was tried.
        attempts: u32,
        /// What the last attempt ran into.
        last: Arc<GraphError>,
    },
    /// The transaction of a session could not be committed, most often since another one changed what it had read.
    #[error(
        "{0}; nothing of the session's transaction has happened, and it is over: begin again and send all of its requests once more"
    )]
    Lost(Arc<GraphError>),
    /// The transaction of a session has ended before its client said so.
    #[error("{0}")]
    TransactionOver(String),
    /// A session would hold too much.
    #[error("{0}")]
    SessionLimit(String),
    /// A request with a key that cannot be its key, or cannot have one.
    #[error("{0}")]
    RequestKey(String),
    /// A request with a key that is under way already, or too many of them.
    #[error("{0}")]
    UnderWay(String),
    /// There are too many open transactions.
    #[error("{0}")]
    TooManyTransactions(String),
    /// `next()` where there is no result.
    #[error("the traversal has no result, and next() needs one; use tryNext() where there may be none")]
    NoResult,
    /// A script with something besides one traversal.
    #[error("{0}")]
    Script(String),
    /// A service that cannot be called like that.
    #[error("{service}: {problem}")]
    Service {
        /// Its name.
        service: values::Str,
        /// What is wrong.
        problem: String,
    },
    /// A request that may only read, and asks for a change.
    #[error("{0} would change something, and this request may only read")]
    ReadOnly(values::Str),
    /// A request for which whoever makes it has no right.
    #[error("Failed to authorize: {what} needs the role {needs} on {}", if *.everywhere { "all graphs" } else { "this graph" })]
    Forbidden {
        /// What was to be done.
        what: values::Str,
        /// The least role that may do it.
        needs: Role,
        /// Whether that is needed on all graphs.
        everywhere: bool,
    },
    /// Users could not be changed.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// A schema file with a mistake.
    #[error(transparent)]
    SchemaFile(#[from] crate::schema_file::SchemaFileError),
    /// The graph refused or failed.
    #[error(transparent)]
    Graph(Arc<GraphError>),
    /// The directory cannot be opened.
    #[error("cannot open the graph in {path}: {source}", path = path.display())]
    Open {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: Arc<StoreError>,
    },
    /// The import stopped.
    #[error(transparent)]
    Import(Arc<ImportError>),
    /// Nothing recognisable to import.
    #[error("cannot tell what {path} holds: {reason}", path = path.display())]
    UnknownFormat {
        /// What was to be imported.
        path: PathBuf,
        /// What was looked for.
        reason: String,
    },
    /// The operating system refused a thread.
    #[error("cannot start the engine: {0}")]
    Engine(Arc<std::io::Error>),
}

impl Error {
    /// The kind of failure, as clients of the server see it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Parse(_) => ErrorKind::Syntax,
            Self::Plan(PlanError::Unsupported { .. }) => ErrorKind::Unsupported,
            Self::Plan(PlanError::TooLarge { .. }) => ErrorKind::Limit,
            Self::Plan(_)
            | Self::Script(_)
            | Self::RequestKey(_)
            | Self::NoResult
            | Self::Service { .. }
            | Self::SchemaFile(_) => ErrorKind::Evaluation,
            Self::ReadOnly(_) => ErrorKind::ReadOnly,
            Self::Forbidden { .. } => ErrorKind::Forbidden,
            Self::Access(AccessError::Store(_) | AccessError::Damaged { .. }) => ErrorKind::Internal,
            Self::Access(AccessError::Busy) => ErrorKind::Busy,
            Self::Access(_) => ErrorKind::Evaluation,
            Self::Conflict { .. } => ErrorKind::Conflict,
            Self::TransactionOver(_) => ErrorKind::Transaction,
            Self::SessionLimit(_) => ErrorKind::Limit,
            Self::TooManyTransactions(_) | Self::UnderWay(_) => ErrorKind::Busy,
            Self::Query(error) => match error {
                QueryError::Step { .. } => ErrorKind::Evaluation,
                QueryError::Fail(_) => ErrorKind::FailStep,
                QueryError::TimedOut(_) => ErrorKind::Timeout,
                QueryError::Cancelled => ErrorKind::Cancelled,
                QueryError::Countless => ErrorKind::Evaluation,
                QueryError::MemoryExceeded { .. }
                | QueryError::ValueTooLarge { .. }
                | QueryError::ValueTooDeep { .. }
                | QueryError::Refused(_) => ErrorKind::Limit,
                QueryError::Busy { .. } => ErrorKind::Busy,
                QueryError::Graph(error) => of_graph(error),
                QueryError::Internal { .. } => ErrorKind::Internal,
            },
            Self::Graph(error) | Self::Lost(error) => of_graph(error),
            Self::Open { .. } | Self::Engine(_) => ErrorKind::Internal,
            Self::Import(_) | Self::UnknownFormat { .. } => ErrorKind::Evaluation,
        }
    }
}

/// What a user's write or the disk made the graph say.
fn of_graph(error: &GraphError) -> ErrorKind {
    match error {
        GraphError::Conflict(_) | GraphError::Crowded { .. } | GraphError::Kept { .. } => ErrorKind::Conflict,
        GraphError::Corrupt { .. } | GraphError::LogFailed(_) | GraphError::Store(_) => ErrorKind::Internal,
        GraphError::ReadOnly => ErrorKind::ReadOnly,
        GraphError::LimitExceeded { .. } | GraphError::TooManyNames { .. } => ErrorKind::Limit,
        _ => ErrorKind::Evaluation,
    }
}

impl From<GraphError> for Error {
    fn from(error: GraphError) -> Self {
        Self::Graph(Arc::new(error))
    }
}

impl From<ImportError> for Error {
    fn from(error: ImportError) -> Self {
        Self::Import(Arc::new(error))
    }
}
