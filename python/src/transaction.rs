//! Transactions over several queries.

use std::sync::Mutex;

use mangrove::{OwnedTransaction, Results as Rows};
use pyo3::{prelude::*, types::PyDict};

use crate::{
    ending::Ending,
    errors,
    fork::{self, Held},
    gremlin, guard,
    results::Results,
    values::from_python::{Given, given},
};

/// A transaction over several queries: each sees what those before it wrote, nobody else sees anything until it commits.
///
/// As a context manager it commits at the end of the block, or rolls back if that raises.
#[pyclass(frozen, module = "mangrove")]
pub(crate) struct Transaction {
    /// None: it is over.
    open: Mutex<Held<OwnedTransaction>>,
    ending: Ending,
}

impl Transaction {
    /// One that is begun; its queries end with `ending`.
    pub(crate) fn new(open: OwnedTransaction, ending: Ending) -> Self {
        Self { open: Mutex::new(Held::new(open)), ending }
    }

    /// Does something in it, without the GIL: another thread may be in it, and is waited for.
    fn within<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&OwnedTransaction) -> Result<T, mangrove::Error> + Send,
    ) -> PyResult<T> {
        fork::check()?;
        let open = guard::lock(py, &self.open)?;
        let open = open.as_ref().ok_or_else(over)?;
        self.check_database()?;
        guard::until(py, &self.ending, || work(open))
    }

    /// Takes it out, once no other thread is in it.
    fn take(&self, py: Python<'_>) -> PyResult<Option<OwnedTransaction>> {
        fork::check()?;
        Ok(guard::lock(py, &self.open)?.take())
    }

    fn commit_it(&self, py: Python<'_>, open: OwnedTransaction) -> PyResult<()> {
        if let Err(closed) = self.check_database() {
            py.detach(|| drop(open));
            return Err(closed);
        }
        guard::until(py, &self.ending, || open.commit())
    }

    fn check_database(&self) -> PyResult<()> {
        match self.ending.whole_has_come() {
            true => {
                Err(errors::closed("the database is closed, and nothing of the transaction has happened"))
            }
            false => Ok(()),
        }
    }
}

/// Results of a query that has run to its end, so that nothing ends it any more.
fn complete(rows: Rows<'static>) -> Results {
    Results::new(rows, Ending::default())
}

fn over() -> PyErr {
    errors::closed("the transaction is over: begin another one with db.transaction()")
}

#[pymethods]
impl Transaction {
    /// Runs a traversal to its end inside the transaction; its results. What follows the text are values for its variables.
    #[pyo3(signature = (text, params=None, /, **variables))]
    fn query(
        &self,
        py: Python<'_>,
        text: &str,
        params: Option<&Bound<'_, PyAny>>,
        variables: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Results> {
        let given: Given = given(params, variables)?;
        self.within(py, |open| open.query_with(text, given)).map(complete)
    }

    /// Runs gremlinpython's bytecode, in GraphBinary. See `mangrove.gremlin`.
    fn _execute(&self, py: Python<'_>, bytecode: &[u8]) -> PyResult<Results> {
        let traversal = gremlin::traversal(bytecode)?;
        let rows: Rows<'static> = self.within(py, |open| open.execute(traversal))?;
        Ok(complete(rows))
    }

    /// Makes the writes durable and visible, all at once. ConflictError: what was read has been changed meanwhile, nothing has
    /// happened, and the whole transaction may be tried again; see `Database.write`.
    fn commit(&self, py: Python<'_>) -> PyResult<()> {
        let open = self.take(py)?.ok_or_else(over)?;
        self.commit_it(py, open)
    }

    /// Forgets the writes, and ends a query that another thread runs in it. Nothing happens if it is over.
    fn rollback(&self, py: Python<'_>) -> PyResult<()> {
        self.ending.end();
        let open = self.take(py)?;
        py.detach(|| drop(open));
        Ok(())
    }

    /// Whether it is neither committed nor rolled back.
    #[getter]
    fn is_open(&self, py: Python<'_>) -> PyResult<bool> {
        fork::check()?;
        Ok(guard::lock(py, &self.open)?.is_some())
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// Commits, unless the block raised something or has ended the transaction itself.
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        _error: &Bound<'_, PyAny>,
        _trace: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        // What was raised is to be seen, and not that it was raised in a copy of the process.
        if !kind.is_none() && fork::is_elsewhere() {
            return Ok(false);
        }
        match self.take(py)? {
            Some(open) if kind.is_none() => self.commit_it(py, open)?,
            open => py.detach(|| drop(open)),
        }
        Ok(false)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(match fork::is_elsewhere() {
            true => "<mangrove.Transaction, of another process>",
            false if self.is_open(py)? => "<mangrove.Transaction, open>",
            false => "<mangrove.Transaction, over>",
        })
    }
}
