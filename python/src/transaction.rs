//! Transactions over several queries.

use std::sync::{Mutex, PoisonError};

use mangrove::{OwnedTransaction, Results as Rows};
use pyo3::{prelude::*, types::PyDict};

use crate::{
    errors, gremlin, guard,
    results::Results,
    values::from_python::{Given, given},
};

/// A transaction over several queries: each sees what those before it wrote, nobody else sees anything until it commits.
///
/// As a context manager it commits at the end of the block, or rolls back if that raises.
#[pyclass(frozen, module = "mangrove")]
pub(crate) struct Transaction {
    /// None: it is over.
    open: Mutex<Option<OwnedTransaction>>,
}

impl Transaction {
    pub(crate) fn new(open: OwnedTransaction) -> Self {
        Self { open: Mutex::new(Some(open)) }
    }

    /// Does something in it, without the GIL: another thread may be in it, and wait for that.
    fn within<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&OwnedTransaction) -> Result<T, mangrove::Error> + Send,
    ) -> PyResult<T> {
        let over = || errors::closed("the transaction is over: begin another one with db.transaction()");
        guard::outside_py(py, || {
            let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            work(open.as_ref().ok_or_else(over)?).map_err(|error| errors::of(&error))
        })
    }

    fn take(&self, py: Python<'_>) -> Option<OwnedTransaction> {
        py.detach(|| self.open.lock().unwrap_or_else(PoisonError::into_inner).take())
    }
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
        self.within(py, |open| open.query_with(text, given)).map(Results::new)
    }

    /// Runs gremlinpython's bytecode, in GraphBinary. See `mangrove.gremlin`.
    fn _execute(&self, py: Python<'_>, bytecode: &[u8]) -> PyResult<Results> {
        let traversal = gremlin::traversal(bytecode)?;
        let rows: Rows<'static> = self.within(py, |open| open.execute(traversal))?;
        Ok(Results::new(rows))
    }

    /// Makes the writes durable and visible, all at once. ConflictError: what was read has been changed meanwhile, nothing has
    /// happened, and the whole transaction may be tried again; see `Database.write`.
    fn commit(&self, py: Python<'_>) -> PyResult<()> {
        let Some(open) = self.take(py) else {
            return Err(errors::closed("the transaction is over: begin another one with db.transaction()"));
        };
        guard::outside(py, || open.commit())
    }

    /// Forgets the writes. Nothing happens if it is over.
    fn rollback(&self, py: Python<'_>) {
        let open = self.take(py);
        py.detach(|| drop(open));
    }

    /// Whether it is neither committed nor rolled back.
    #[getter]
    fn is_open(&self, py: Python<'_>) -> bool {
        py.detach(|| self.open.lock().unwrap_or_else(PoisonError::into_inner).is_some())
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
        match self.take(py) {
            Some(open) if kind.is_none() => guard::outside(py, || open.commit())?,
            open => py.detach(|| drop(open)),
        }
        Ok(false)
    }

    fn __repr__(&self, py: Python<'_>) -> &'static str {
        if self.is_open(py) { "<mangrove.Transaction, open>" } else { "<mangrove.Transaction, over>" }
    }
}
