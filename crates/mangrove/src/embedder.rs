//! The door of another language's process.
//!
//! ```text
//!  Python, …: a program that holds results and transactions for as long as it likes, on whichever thread
//!      └─▶ Embedder ─▶ Results<'static>, OwnedTransaction: parts of the database, not loans of it
//!             └─ an interrupt: asked between two turns whether the request is to end
//! ```
//!
//! A Rust program has [`Database::query`], whose results borrow it.

use std::{
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use dataflow::Interrupt;
use formats::{ImportProgress, ImportSummary};
use graph::Snapshot;
use gremlin::Traversal;
use values::{Str, Value};

use crate::{
    Database, Error, ImportIntoOptions, Results,
    request::{Ready, Request, Seen, Wishes, bindings},
    transaction::{commit, query_within, run_within},
};

/// See [`Database::embedder`].
#[derive(Clone)]
pub struct Embedder {
    db: Database,
    wishes: Wishes,
}

impl std::fmt::Debug for Embedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embedder").field("db", &self.db).finish_non_exhaustive()
    }
}

impl Database {
    /// The database as another language has it: results and transactions own a part of it and live as long as they like, and
    /// requests end with [`crate::ErrorKind::Cancelled`] when `interrupt` says so. It is asked on the thread that runs the request.
    ///
    /// ```
    /// let db = mangrove::Database::in_memory()?;
    /// let embedder = db.embedder(std::sync::Arc::new(|| false));
    /// let mut results = embedder.query_with("g.inject(x)", [("x", 7.into())])?;
    /// drop((db, embedder));
    /// assert_eq!(results.next().transpose()?, Some(7.into()));
    /// # Ok::<(), mangrove::Error>(())
    /// ```
    pub fn embedder(&self, interrupt: Interrupt) -> Embedder {
        Embedder { db: self.clone(), wishes: Wishes::of_host(interrupt) }
    }
}

impl Embedder {
    /// As [`Database::query_with`].
    ///
    /// # Errors
    /// As [`Database::query`].
    pub fn query_with<K: Into<Str>>(
        &self,
        text: &str,
        given: impl IntoIterator<Item = (K, Value)>,
    ) -> Result<Results<'static>, Error> {
        let inner = &self.db.inner;
        match Ready::of_script(inner, (text, "g"), bindings(given), Seen::Now, &self.wishes)?.one()? {
            Ok(run) => run.here_apart(inner, &self.wishes),
            Err(request) => self.run(request),
        }
    }

    /// As [`Database::execute`].
    ///
    /// # Errors
    /// As [`Database::query`].
    pub fn execute(&self, traversal: Traversal) -> Result<Results<'static>, Error> {
        self.run(Request::bytecode(traversal))
    }

    fn run(&self, request: Request) -> Result<Results<'static>, Error> {
        match Ready::of_request(&self.db.inner, request, Seen::Now, &self.wishes)? {
            Ready::Run(run) => run.here_apart(&self.db.inner, &self.wishes),
            Ready::Text(text) => Ok(Results::one(text)),
            Ready::Nothing => Ok(Results::complete(Vec::new(), false)),
        }
    }

    /// As [`Database::explain`], with values for the script's variables.
    ///
    /// # Errors
    /// As [`Database::explain`].
    pub fn explain<K: Into<Str>>(
        &self,
        text: &str,
        given: impl IntoIterator<Item = (K, Value)>,
    ) -> Result<String, Error> {
        Ready::explanation_with(&self.db.inner, text, &bindings(given), Seen::Now)
    }

    /// As [`Database::profile`], with values for the script's variables.
    ///
    /// # Errors
    /// As [`Database::profile`].
    pub fn profile<K: Into<Str>>(
        &self,
        text: &str,
        given: impl IntoIterator<Item = (K, Value)>,
    ) -> Result<String, Error> {
        self.db.profile_as(text, &bindings(given), &self.wishes)
    }

    /// Begins a transaction over several scripts. In a graph that was opened for reading alone it is one that reads.
    pub fn begin(&self) -> OwnedTransaction {
        let graph = Arc::new(self.db.inner.graph.begin());
        let mut embedder = self.clone();
        if self.db.inner.options.graph.read_only {
            embedder.wishes = embedder.wishes.reading();
        }
        OwnedTransaction { embedder, graph }
    }

    /// As [`Database::import`], with the format and the reading of `how`. Ends with [`formats::ImportError::Stopped`] when `stop` is set
    /// before all is read.
    ///
    /// # Errors
    /// As [`Database::import`].
    pub fn fill(
        &self,
        source: &Path,
        how: &ImportIntoOptions,
        stop: &AtomicBool,
        progress: &dyn Fn(ImportProgress),
    ) -> Result<ImportSummary, Error> {
        self.db.import_unless(stop, (source, true), how, progress)
    }
}

/// As [`crate::Transaction`], with a part in the database. Dropping it rolls back.
pub struct OwnedTransaction {
    embedder: Embedder,
    graph: Arc<graph::Transaction>,
}

impl std::fmt::Debug for OwnedTransaction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OwnedTransaction").finish_non_exhaustive()
    }
}

impl OwnedTransaction {
    /// As [`crate::Transaction::query_with`].
    ///
    /// # Errors
    /// As [`crate::Transaction::query`].
    pub fn query_with<K: Into<Str>>(
        &self,
        text: &str,
        given: impl IntoIterator<Item = (K, Value)>,
    ) -> Result<Results<'static>, Error> {
        let Embedder { db, wishes } = &self.embedder;
        query_within(&db.inner, &self.graph, wishes, (text, bindings(given)))
    }

    /// Runs a traversal that was built rather than written, to its end, inside this transaction.
    ///
    /// # Errors
    /// As [`crate::Transaction::query`].
    pub fn execute(&self, traversal: Traversal) -> Result<Results<'static>, Error> {
        let Embedder { db, wishes } = &self.embedder;
        run_within(&db.inner, &self.graph, wishes, Request::bytecode(traversal))
    }

    /// The graph as this transaction sees it, its own writes included.
    pub fn snapshot(&self) -> Snapshot {
        self.graph.snapshot()
    }

    /// As [`crate::Transaction::commit`].
    ///
    /// # Errors
    /// As [`crate::Transaction::commit`].
    pub fn commit(self) -> Result<(), Error> {
        commit(self.graph)
    }
}
