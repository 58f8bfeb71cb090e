//! What the server asks of a graph: the one boundary between sockets and the engine.

use std::{
    any::Any,
    net::IpAddr,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use access::{Rights, Tenant};
use gremlin::{Argument, Traversal};
use values::{Str, Value};
use wire::Properties;

use crate::{Metric, Trace};

/// One hosted graph.
///
/// The server never looks inside a query: it hands over text or bytecode and a [`ResultSink`], and the engine's
/// threads push results into the sink until they finish it.
pub trait Database: Send + Sync + 'static {
    /// Starts a query and returns its handle at once; it may parse and plan, but never waits for results.
    ///
    /// Whatever happens (a syntax error, a time-out, a conflict), `sink` is finished exactly once, perhaps even
    /// before this call returns. A query that was cancelled may leave its sink unfinished.
    fn submit(&self, query: Query, sink: Arc<dyn ResultSink>) -> Box<dyn Running>;

    /// Begins a session: requests that run one after the other, have their variables in common, and may be one transaction.
    ///
    /// # Errors
    /// If this graph has none, or the client none left.
    fn session(&self, _client: Client) -> Result<Arc<dyn Session>, QueryError> {
        Err(QueryError::new(ErrorKind::Unsupported, "this graph has no sessions"))
    }

    /// The most bytes that one request may hold; others are refused before they are read.
    fn memory_per_request(&self) -> u64 {
        u64::MAX
    }

    /// Keeps so many bytes for a request that is about to be read, of those that all queries may hold; `None` if there is no room for
    /// them now. Dropping it gives them back.
    fn reserve(&self, _bytes: u64) -> Option<Held> {
        Some(Arc::new(()))
    }

    /// Its labels and keys. May read a little of it, and take so many milliseconds as `left` says whenever it is asked; where that is
    /// `None`, nobody waits for it any more.
    ///
    /// # Errors
    /// If no time is left.
    fn summary(&self, _left: &dyn Fn() -> Option<u64>) -> Result<GraphSummary, QueryError> {
        Ok(GraphSummary::default())
    }

    /// What there is to measure of the graph at the moment. May take some milliseconds.
    fn metrics(&self) -> Vec<Metric> {
        Vec::new()
    }
}

/// What is in a graph, in short.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphSummary {
    /// Vertices by their labels.
    pub nodes: Vec<KindSummary>,
    /// Edges by theirs.
    pub edges: Vec<KindSummary>,
}

/// Elements of one label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KindSummary {
    /// The label.
    pub label: Str,
    /// How many there are.
    pub count: u64,
    /// The keys of their properties, with about how many have them.
    pub keys: Vec<(Str, u64)>,
    /// Of vertices: the labels of edges that leave them.
    pub edges: Vec<Str>,
}

/// A session of one client with one graph. Dropping it rolls back what it has not committed.
///
/// Its requests run one after the other: the next one is submitted when the one before is over, and its handle dropped.
pub trait Session: Send + Sync {
    /// As [`Database::submit`], within the session. `manages`: it is a transaction of its own, committed when it succeeds; what was
    /// open before is rolled back. Otherwise it is part of the session's transaction, which it begins if there is none, and which
    /// goes on.
    fn submit(&self, query: Query, manages: bool, sink: Arc<dyn ResultSink>) -> Box<dyn Running>;

    /// Whether a transaction is open. Asked between requests: it may have been rolled back for having been idle or open for too long.
    fn is_open(&self) -> bool;
}

/// A query that was submitted. Dropping the handle cancels the query.
pub trait Running: Send + Sync {
    /// Says that a sink which answered [`Push::Full`] has room again.
    ///
    /// The call may overtake the engine's own noticing that it was told to stop; it must not be forgotten.
    fn resume(&self);

    /// Terminates the query: its operators stop and its memory is freed. Idempotent.
    fn cancel(&self);

    /// Says that its client was told that its time was over, although it may have ended by then. Cancels it.
    fn missed(&self) {
        self.cancel();
    }

    /// How complete the elements in its results are, if the traversal itself says so; known when there are results.
    fn materialize(&self) -> Option<Materialize> {
        None
    }

    /// Ends it because somebody who looks after the server wants that, and tells its client so through its sink.
    fn stop(&self) {
        self.cancel();
    }

    /// What it holds and does; also when it is over, as long as there is a handle.
    fn progress(&self) -> Progress {
        Progress::default()
    }

    /// When its time is over, the sending of its results included. `None`: never, or nobody knows yet.
    fn deadline(&self) -> Option<Instant> {
        None
    }
}

/// What a query holds and does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that it holds.
    pub memory: u64,
    /// The most that it has held.
    pub peak_memory: u64,
    /// The steps of its plan, in words.
    pub operators: Vec<String>,
}

/// Where a query's results go. Called from the engine's threads; never blocks them.
pub trait ResultSink: Send + Sync {
    /// Offers a batch of detached results.
    fn push(&self, batch: ResultBatch) -> Push;

    /// The end: nothing is pushed afterwards.
    fn finish(&self, outcome: Result<Summary, QueryError>);
}

/// What became of a batch.
#[derive(Debug)]
pub enum Push {
    /// It was taken.
    Taken,
    /// The client is behind: here is the batch back. Suspend the query until [`Running::resume`].
    Full(ResultBatch),
    /// Nobody is listening any more: stop.
    Gone,
}

/// A handful of results.
#[derive(Clone, Debug, Default)]
pub struct ResultBatch {
    /// The results in order, detached from the graph (no [`Value::VertexRef`]), each with its bulk: how many equal
    /// results it stands for. Bytecode clients receive the bulk, script clients that many copies.
    pub items: Vec<(Value, u64)>,
    /// Dropped when the results have left the process: what counts their bytes.
    pub held: Option<Held>,
}

/// Something to keep for as long as results are in memory.
pub type Held = Arc<dyn Any + Send + Sync>;

impl ResultBatch {
    /// Results whose bytes nobody counts.
    pub fn of(items: Vec<(Value, u64)>) -> Self {
        Self { items, held: None }
    }
}

/// Who asks. The engine shares its time among tenants by their weights, or where there are no users evenly among addresses; then
/// among the connections of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// The user that the client has proved to be; `None` where nobody has to.
    pub user: Option<Arc<str>>,
    /// The tenant that the user is of.
    pub tenant: Option<Arc<Tenant>>,
    /// The client's address; of IPv6, the network of 64 bits that it is in.
    pub address: IpAddr,
    /// The number of its connection to this server.
    pub connection: u64,
}

/// On whose account something is held.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    /// A user's, wherever he asks from.
    User(Arc<str>),
    /// That of an address, of which nobody knows who is there.
    Address(IpAddr),
}

impl Holder {
    /// The user.
    pub fn user(&self) -> Option<&str> {
        match self {
            Self::User(user) => Some(user),
            Self::Address(_) => None,
        }
    }
}

impl Client {
    /// On whose account it holds something.
    pub fn holder(&self) -> Holder {
        match &self.user {
            Some(user) => Holder::User(user.clone()),
            None => Holder::Address(self.address),
        }
    }
}

/// A request, validated as far as that is possible without knowing Gremlin.
#[derive(Clone, Debug)]
pub struct Query {
    /// Who asks.
    pub client: Client,
    /// When the request had arrived. Its time begins here.
    pub asked: Instant,
    /// What to run.
    pub input: Input,
    /// About how many bytes of memory its input takes, and took to be read.
    pub memory: usize,
    /// What was kept for these by [`Database::reserve`]. The server gives it back before it submits the query, which holds them from then on.
    pub reserved: Vec<Held>,
    /// How long it may take, unless the traversal itself says `with('evaluationTimeout', …)`. `None`: for ever.
    pub timeout: Option<Duration>,
    /// The most that it may take, whatever the traversal itself says. `None`: no bound.
    pub max_timeout: Option<Duration>,
    /// What whoever asks may do with this graph.
    pub rights: Rights,
    /// Whether it may only read; what would change anything is then refused as [`ErrorKind::ReadOnly`].
    pub read_only: bool,
    /// Whether it must change nothing at all, neither users nor files, for it came by a method that does not (GET).
    pub is_safe: bool,
    /// How complete the elements in the results must be, unless the traversal itself says so.
    pub materialize: Materialize,
    /// If it carries one: a request with a key that was done before is not done again.
    pub key: Option<Str>,
    /// Who is to be told of its parts.
    pub trace: Option<Trace>,
    /// Set when nobody wants it any more, which may be before there is a [`Running`] to tell: reading it ends then.
    pub unwanted: Arc<AtomicBool>,
}

impl Query {
    /// Bytes of memory of an input for which nothing is held: to count it takes longer than many a short query. As many requests as a
    /// server has at once come to some tens of megabytes so.
    pub const SMALL_INPUT: usize = 16 << 10;

    /// One that has just arrived, and may do anything, for as long as it takes: that of a program with a graph of its own.
    pub fn unbounded(client: Client, input: Input) -> Self {
        let memory = match &input {
            Input::Text { script, bindings, .. } => gremlin::memory_with(script, bindings),
            Input::Bytecode(_) | Input::End(_) => 0,
        };
        Self {
            client,
            asked: Instant::now(),
            input,
            memory,
            reserved: Vec::new(),
            timeout: None,
            max_timeout: None,
            rights: Rights::ALL,
            read_only: false,
            is_safe: false,
            materialize: Materialize::All,
            key: None,
            trace: None,
            unwanted: Arc::default(),
        }
    }
}

/// The two notations in which a traversal arrives.
#[derive(Clone, Debug)]
pub enum Input {
    /// Gremlin text.
    Text {
        /// The script as it was sent.
        script: Str,
        /// The name under which the script addresses this graph's traversal source (`g` in `g.V()`).
        source: Str,
        /// What is given for the script's variables, in the order they were sent.
        bindings: Vec<(Str, Argument)>,
    },
    /// Bytecode.
    Bytecode(Traversal),
    /// Nothing but the end of a session's transaction.
    End(End),
}

/// How a transaction ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Its writes become durable and visible.
    Commit,
    /// Its writes are forgotten.
    Rollback,
}

/// `materializeProperties`: what of an element a result carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Materialize {
    /// Id, label and all properties.
    #[default]
    All,
    /// Id and label.
    Tokens,
}

impl Materialize {
    /// How elements are then written.
    pub(crate) fn properties(self) -> Properties {
        match self {
            Self::All => Properties::All,
            Self::Tokens => Properties::Tokens,
        }
    }
}

/// What a finished query has to say besides its results.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Warnings, sent to the client in the final response's status attributes.
    pub warnings: Vec<String>,
}

/// Why a query gave no complete answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    /// What kind of failure this is; decides the status code.
    pub kind: ErrorKind,
    /// For the user: what was wrong, where, and what to do about it.
    pub message: String,
}

impl QueryError {
    /// An error of this kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

/// The kinds of failure that clients can tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The text is not Gremlin.
    Syntax,
    /// It is Gremlin that this version does not run.
    Unsupported,
    /// It ran into an error of its own making, such as a missing `by` or a comparison of incomparable values.
    Evaluation,
    /// The `fail()` step.
    FailStep,
    /// Other transactions were faster, too many times in a row where the server could try again; sending the request, or all of
    /// the transaction, again may succeed.
    Conflict,
    /// The session's transaction has ended, and its client may not know.
    Transaction,
    /// The evaluation timeout.
    Timeout,
    /// It would write, and may only read.
    ReadOnly,
    /// Whoever asks may not do that.
    Forbidden,
    /// The client sends more requests than it may; sending fewer will help.
    TooFast,
    /// Too much runs at the moment; sending the request again later may succeed.
    Busy,
    /// A bound of the server, such as the memory one query may use.
    Limit,
    /// Cancelled by the server, for instance because it is shutting down.
    Cancelled,
    /// A defect or a failing disk.
    Internal,
}

impl ErrorKind {
    /// A stable name, sent in the `exceptions` attribute so that clients need not look at messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Syntax => "mangrove.SyntaxError",
            Self::Unsupported => "mangrove.UnsupportedError",
            Self::Evaluation => "mangrove.EvaluationError",
            Self::FailStep => "mangrove.FailStepError",
            Self::Conflict => "mangrove.ConflictError",
            Self::Transaction => "mangrove.TransactionError",
            Self::Timeout => "mangrove.TimeoutError",
            Self::ReadOnly => "mangrove.ReadOnlyError",
            Self::Forbidden => "mangrove.ForbiddenError",
            Self::Busy => "mangrove.BusyError",
            Self::TooFast => "mangrove.TooFastError",
            Self::Limit => "mangrove.LimitError",
            Self::Cancelled => "mangrove.CancelledError",
            Self::Internal => "mangrove.InternalError",
        }
    }

    /// The name of the exception that TinkerPop's own graphs throw here, for clients that look for it.
    pub fn of_tinkerpop(self) -> Option<&'static str> {
        match self {
            Self::Conflict | Self::Transaction => {
                Some("org.apache.tinkerpop.gremlin.structure.util.TransactionException")
            }
            _ => None,
        }
    }
}
