//! Several scripts as one transaction.

use std::sync::Arc;

use gremlin::Bindings;
use values::{Str, Value};

use crate::{
    Error, Results,
    database::Inner,
    prepare::{Preparation, Prepared},
    run::drain,
    script::{self, Mode, Request},
    scripts::Script,
    services::{self, Within},
};

/// A transaction over several scripts: each sees what those before it wrote, nobody else sees anything until
/// [`Transaction::commit`]. Dropping it rolls back.
///
/// ```
/// let db = mangrove::Database::in_memory()?;
/// let tx = db.transaction();
/// tx.query("g.addV('person').property('name', 'ada')")?;
/// assert_eq!(tx.query("g.V().count()")?.next().transpose()?, Some(1i64.into()));
/// assert_eq!(db.query("g.V().count()")?.next().transpose()?, Some(0i64.into()));
/// tx.commit()?;
/// assert_eq!(db.query("g.V().count()")?.next().transpose()?, Some(1i64.into()));
/// # Ok::<(), mangrove::Error>(())
/// ```
pub struct Transaction<'db> {
    inner: &'db Inner,
    graph: Arc<graph::Transaction>,
}

impl std::fmt::Debug for Transaction<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transaction").finish_non_exhaustive()
    }
}

impl<'db> Transaction<'db> {
    pub(crate) fn new(inner: &'db Inner) -> Self {
        Self { inner, graph: Arc::new(inner.graph.begin()) }
    }

    /// Runs a script to its end inside this transaction.
    ///
    /// # Errors
    /// As [`crate::Database::query`]; what the script wrote before it failed stays in the transaction.
    pub fn query(&self, text: &str) -> Result<Results<'db>, Error> {
        self.query_with(text, [] as [(&str, Value); 0])
    }

    /// As [`Transaction::query`], with values for the script's variables.
    ///
    /// # Errors
    /// As [`Transaction::query`].
    pub fn query_with<K: Into<Str>>(
        &self,
        text: &str,
        bindings: impl IntoIterator<Item = (K, Value)>,
    ) -> Result<Results<'db>, Error> {
        match self.inner.read(text, "g", &script::bindings(bindings), &self.graph.snapshot())? {
            Script::Prepared(prepared, mode) => self.run_prepared(prepared, mode),
            Script::Read(request) => self.run(request),
        }
    }

    fn run(&self, request: Request) -> Result<Results<'db>, Error> {
        let Request { traversal, mode } = request;
        let within = if mode == Mode::Explain { Within::Explanation } else { Within::Transaction };
        let traversal = services::substitute(self.inner, traversal, within)?;
        let snapshot = self.graph.snapshot();
        match mode {
            Mode::Nothing => return Ok(Results::complete(Vec::new(), false)),
            Mode::Explain => {
                let text = self.inner.preparer.explain(&traversal, &snapshot, self.inner.usual_time())?;
                return Ok(Results::one(text));
            }
            Mode::Run | Mode::RunForOne => {}
        }
        match self.inner.preparer.prepare(traversal, snapshot, self.inner.usual_time())? {
            Preparation::Run(prepared, _) => self.run_prepared(prepared, mode),
            Preparation::Explanation(text) => Ok(Results::one(text)),
        }
    }

    fn run_prepared(&self, prepared: Prepared, mode: Mode) -> Result<Results<'db>, Error> {
        let mut query = self.inner.engine.run_here(prepared.into_spec_within(self.inner, self.graph.clone()));
        drain(&mut query)?;
        // It is left, not finished: to finish it would be to commit.
        Ok(Results::complete(query.end_within()?, mode == Mode::RunForOne))
    }

    /// How a script would be run in this transaction.
    ///
    /// # Errors
    /// As [`crate::Database::explain`].
    pub fn explain(&self, text: &str) -> Result<String, Error> {
        let request = Request::parse(text, "g", &Bindings::new())?;
        let traversal = services::substitute(self.inner, request.traversal, Within::Explanation)?;
        self.inner.preparer.explain(&traversal, &self.graph.snapshot(), self.inner.usual_time())
    }

    /// Makes the writes durable and visible, all at once.
    ///
    /// # Errors
    /// [`Error::Graph`] with a retryable conflict when what was read has been changed meanwhile: run the whole
    /// transaction again.
    pub fn commit(self) -> Result<(), Error> {
        let submitted = self.graph.submit()?;
        drop(self);
        submitted.wait()?;
        Ok(())
    }

    /// Forgets the writes.
    pub fn rollback(self) {}
}
