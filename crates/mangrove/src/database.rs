//! One open graph.

use std::{
    path::Path,
    sync::{Arc, Weak, atomic::AtomicU64},
};

use access::{Gate, Registry};
use dataflow::Engine;
use graph::{Graph, GraphStats, Snapshot};
use gremlin::{Bindings, Traversal};
use parking_lot::Mutex;
use store::{FjallStore, MemoryStore, Store};
use values::{Str, Value};

use crate::{
    DatabaseOptions, Error, Results, Transaction,
    config::EngineConfig,
    files::Files,
    options::start_engine_with,
    request::{Mode, Preparer, Ready, Request, RequestKeys, Retries, Scripts, Seen, Wishes, bindings},
    sessions::{Accounts, Expiry, HolderAccounts},
};

/// An open graph. Cheap to clone; clones are the same graph. The graph is closed when the last clone and the last
/// result are gone; [`Database::close`] does it with an answer.
///
/// ```
/// let db = mangrove::Database::in_memory()?;
/// db.query("g.addV('person').property('name', 'ada')")?;
/// let names: Vec<_> = db.query("g.V().values('name')")?.collect::<Result<_, _>>()?;
/// assert_eq!(names, ["ada".into()]);
/// # Ok::<(), mangrove::Error>(())
/// ```
#[derive(Clone)]
pub struct Database {
    pub(crate) inner: Arc<Inner>,
}

/// What the clones share.
pub(crate) struct Inner {
    /// For work that goes on when the request which began it has been answered.
    pub(crate) itself: Weak<Self>,
    pub(crate) graph: Graph,
    pub(crate) engine: Arc<Engine>,
    pub(crate) preparer: Preparer,
    pub(crate) scripts: Scripts,
    pub(crate) retries: Retries,
    /// Requests that were refused since they lost every time.
    pub(crate) refused: AtomicU64,
    /// Requests that are not to be done twice.
    pub(crate) request_keys: RequestKeys,
    /// On whose account sessions are.
    pub(crate) accounts: Arc<dyn Accounts>,
    /// Ends transactions of sessions that are open for too long.
    pub(crate) expiry: Expiry,
    /// Those who may ask, as far as this graph's services look after them.
    pub(crate) users: Gate,
    pub(crate) options: DatabaseOptions,
    /// What `io()` reads and writes.
    pub(crate) files: Arc<Files>,
    /// Held while a service writes a backup.
    pub(crate) backing_up: Mutex<()>,
    store: Arc<dyn Store>,
}

impl Inner {
    /// The latest committed state. A bulk load that is about to be there is waited for, and nobody else of the thread waits with it.
    pub(crate) fn snapshot(&self) -> Snapshot {
        self.graph.try_snapshot().unwrap_or_else(|| server::waiting_aside(|| self.graph.snapshot()))
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("engine", &self.inner.engine).finish_non_exhaustive()
    }
}

impl Inner {
    /// A request as this graph takes it: one that was opened for reading alone is not written to.
    pub(crate) fn granted(&self, mut query: server::Query) -> server::Query {
        query.read_only |= self.options.graph.read_only;
        query
    }
}

impl Database {
    /// Opens the graph in a directory of its own, creating it where there is none.
    ///
    /// # Errors
    /// When another process has it open, when it is damaged, or when the operating system refuses.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_with(path, DatabaseOptions::default())
    }

    /// As [`Database::open`], with bounds and perhaps an engine that several databases share.
    ///
    /// # Errors
    /// As [`Database::open`].
    pub fn open_with(path: impl AsRef<Path>, options: DatabaseOptions) -> Result<Self, Error> {
        let path = path.as_ref();
        if options.graph.read_only && !FjallStore::is_in(path) {
            let detail = "there is no graph to read".to_owned();
            let nothing = store::StoreError::Format { path: path.into(), detail };
            return Err(Error::Open { path: path.into(), source: Arc::new(nothing) });
        }
        let store = FjallStore::open(path, options.store)
            .map_err(|error| Error::Open { path: path.into(), source: Arc::new(error) })?;
        Self::over(Arc::new(store), options)
    }

    /// A graph that is gone when it is closed.
    ///
    /// # Errors
    /// When the operating system refuses a thread.
    pub fn in_memory() -> Result<Self, Error> {
        Self::in_memory_with(DatabaseOptions::default())
    }

    /// As [`Database::in_memory`], with bounds and perhaps an engine that several databases share.
    ///
    /// # Errors
    /// As [`Database::in_memory`].
    pub fn in_memory_with(options: DatabaseOptions) -> Result<Self, Error> {
        Self::over(Arc::new(MemoryStore::new()), options)
    }

    /// Opens the graph in a store of the caller's, an empty one where there is none. Of the options for the store none
    /// counts.
    ///
    /// # Errors
    /// When the store fails or what it holds is damaged, or the operating system refuses a thread.
    pub fn over(store: Arc<dyn Store>, options: DatabaseOptions) -> Result<Self, Error> {
        let graph = Graph::open(store.clone(), options.graph.clone())?;
        let engine = match &options.engine {
            Some(engine) => engine.clone(),
            None => start_engine_with(&EngineConfig {
                executors: options.executors,
                memory_queries: options.memory_queries,
                memory_per_query: options.memory_per_query,
                ..EngineConfig::default()
            })?,
        };
        let users = match &options.users {
            Some(users) => users.clone(),
            None => Gate::new(Registry::open(store.clone())?),
        };
        let preparer = Preparer::new(options.plan_cache, engine.executors());
        let scripts = Scripts::new(options.plan_cache);
        let inner = Arc::new_cyclic(|itself| Inner {
            itself: itself.clone(),
            graph,
            engine,
            preparer,
            scripts,
            retries: Retries::default(),
            refused: AtomicU64::new(0),
            request_keys: RequestKeys::new(options.request_keys),
            accounts: match &options.accounts {
                Some(accounts) => Arc::clone(accounts),
                None => Arc::new(HolderAccounts::new(options.sessions.clone())),
            },
            users,
            expiry: Expiry::default(),
            files: Arc::new(Files::new(options.io_directory.clone())),
            options,
            backing_up: Mutex::default(),
            store,
        });
        Ok(Self { inner })
    }

    /// Runs a script, such as `g.V().has('name', 'ada').out('knows')`, as a transaction of its own.
    ///
    /// Results of a reading script are computed as they are iterated. A writing script has committed, durably, when
    /// this returns; a conflict with a concurrent write is retried [`DatabaseOptions::write_retries`] times.
    ///
    /// # Errors
    /// [`Error::Parse`] and [`Error::Plan`] with the position of what was not understood; [`Error::Conflict`]; what
    /// else goes wrong while it runs.
    pub fn query(&self, text: &str) -> Result<Results<'_>, Error> {
        self.query_with(text, [] as [(&str, Value); 0])
    }

    /// As [`Database::query`], on somebody's behalf.
    pub(crate) fn query_as(&self, text: &str, wishes: &Wishes) -> Result<Results<'_>, Error> {
        match Ready::of_script(&self.inner, (text, "g"), Bindings::new(), Seen::Now, wishes)?.one()? {
            Ok(run) => run.here(&self.inner, wishes),
            Err(request) => self.run(request, wishes),
        }
    }

    /// As [`Database::query`], with values for the script's variables.
    ///
    /// # Errors
    /// As [`Database::query`].
    pub fn query_with<K: Into<Str>>(
        &self,
        text: &str,
        given: impl IntoIterator<Item = (K, Value)>,
    ) -> Result<Results<'_>, Error> {
        let wishes = Wishes::of_application();
        match Ready::of_script(&self.inner, (text, "g"), bindings(given), Seen::Now, &wishes)?.one()? {
            Ok(run) => run.here(&self.inner, &wishes),
            Err(request) => self.run(request, &wishes),
        }
    }

    /// Runs a traversal that was built rather than written.
    ///
    /// # Errors
    /// As [`Database::query`].
    pub fn execute(&self, traversal: Traversal) -> Result<Results<'_>, Error> {
        self.run(Request::bytecode(traversal), &Wishes::of_application())
    }

    fn run(&self, request: Request, wishes: &Wishes) -> Result<Results<'_>, Error> {
        match Ready::of_request(&self.inner, request, Seen::Now, wishes)? {
            Ready::Run(run) => run.here(&self.inner, wishes),
            Ready::Text(text) => Ok(Results::one(text)),
            Ready::Nothing => Ok(Results::complete(Vec::new(), false)),
        }
    }

    /// How a script would be run: every stage of planning, in words.
    ///
    /// # Errors
    /// As [`Database::query`], without running it.
    pub fn explain(&self, text: &str) -> Result<String, Error> {
        Ready::explanation(&self.inner, text, Seen::Now)
    }

    /// Runs a script and tells where the time went. What it writes is committed.
    ///
    /// # Errors
    /// As [`Database::query`].
    pub fn profile(&self, text: &str) -> Result<String, Error> {
        self.profile_as(text, &Bindings::new(), &Wishes::of_application())
    }

    /// As [`Database::profile`], with values for the script's variables, on somebody's behalf.
    pub(crate) fn profile_as(
        &self,
        text: &str,
        bindings: &Bindings,
        wishes: &Wishes,
    ) -> Result<String, Error> {
        let request = Request { mode: Mode::Run, ..Request::parse(text, "g", bindings)? };
        match Ready::of_request(&self.inner, request, Seen::Now, wishes)? {
            Ready::Run(run) => Ok(run.profiled(&self.inner, wishes)?.to_string()),
            Ready::Text(text) => Ok(text),
            Ready::Nothing => Ok(String::new()),
        }
    }

    /// Begins a transaction over several scripts.
    pub fn transaction(&self) -> Transaction<'_> {
        Transaction::new(&self.inner)
    }

    /// The latest committed state, for reading below Gremlin.
    pub fn snapshot(&self) -> Snapshot {
        self.inner.graph.snapshot()
    }

    /// The graph, below Gremlin.
    pub fn graph(&self) -> &Graph {
        &self.inner.graph
    }

    /// The engine that runs the queries.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.inner.engine
    }

    /// The users who are kept with the graph, or those of the server that it is a part of ([`DatabaseOptions::users`]).
    pub fn users(&self) -> &Gate {
        &self.inner.users
    }

    /// Bytes of the graph in memory that count against the cache's budget.
    pub fn cache_bytes(&self) -> u64 {
        self.inner.graph.cache_bytes()
    }

    /// Sizes of the graph.
    pub fn stats(&self) -> GraphStats {
        self.inner.graph.stats()
    }

    /// Creates an equality index over a property of the vertices with a label.
    ///
    /// # Errors
    /// [`Error::Graph`].
    pub fn create_index(&self, label: &str, key: &str) -> Result<(), Error> {
        Ok(self.inner.graph.create_index(label, key)?)
    }

    /// Writes what is only in memory and in the log. Nothing is lost without it; the next start is quicker with it.
    ///
    /// # Errors
    /// [`Error::Graph`] when the store fails.
    pub fn flush(&self) -> Result<(), Error> {
        Ok(self.inner.graph.flush()?)
    }

    /// Flushes and closes the graph, for all clones: what they ask afterwards fails.
    ///
    /// # Errors
    /// [`Error::Graph`] when the store fails; what was committed is in the log even then.
    pub fn close(self) -> Result<(), Error> {
        self.flush()?;
        self.inner.store.close().map_err(|error| Error::from(graph::GraphError::from(Arc::new(error))))
    }
}
