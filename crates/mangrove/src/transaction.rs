//! Several scripts as one transaction.

use std::sync::Arc;

use gremlin::Bindings;
use values::{Str, Value};

use crate::{
    Error, Results,
    database::Inner,
    request::{Ready, Request, Seen, Wishes, bindings},
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
        given: impl IntoIterator<Item = (K, Value)>,
    ) -> Result<Results<'db>, Error> {
        query_within(self.inner, &self.graph, &Wishes::of_application(), (text, bindings(given)))
    }

    /// How a script would be run in this transaction.
    ///
    /// # Errors
    /// As [`crate::Database::explain`].
    pub fn explain(&self, text: &str) -> Result<String, Error> {
        Ready::explanation(self.inner, text, Seen::Within(&self.graph))
    }

    /// Makes the writes durable and visible, all at once.
    ///
    /// # Errors
    /// [`Error::Graph`] with a retryable conflict when what was read has been changed meanwhile: run the whole
    /// transaction again.
    pub fn commit(self) -> Result<(), Error> {
        commit(self.graph)
    }

    /// Forgets the writes.
    pub fn rollback(self) {}
}

/// Runs a script to its end inside a transaction.
pub(crate) fn query_within(
    inner: &Inner,
    graph: &Arc<graph::Transaction>,
    wishes: &Wishes,
    (text, bindings): (&str, Bindings),
) -> Result<Results<'static>, Error> {
    let seen = Seen::Within(graph);
    match Ready::of_script(inner, (text, "g"), bindings, seen, wishes)?.one()? {
        Ok(run) => run.within(inner, wishes, graph),
        Err(request) => run_within(inner, graph, wishes, request),
    }
}

/// Runs a request to its end inside a transaction.
pub(crate) fn run_within(
    inner: &Inner,
    graph: &Arc<graph::Transaction>,
    wishes: &Wishes,
    request: Request,
) -> Result<Results<'static>, Error> {
    match Ready::of_request(inner, request, Seen::Within(graph), wishes)? {
        Ready::Run(run) => run.within(inner, wishes, graph),
        Ready::Text(text) => Ok(Results::one(text)),
        Ready::Nothing => Ok(Results::complete(Vec::new(), false)),
    }
}

/// Makes the writes of a transaction durable and visible, all at once.
pub(crate) fn commit(graph: Arc<graph::Transaction>) -> Result<(), Error> {
    let submitted = graph.submit()?;
    drop(graph);
    submitted.wait()?;
    Ok(())
}
