//! The results of a query, in whichever form they are wanted.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use mangrove::{Results as Rows, values::Value};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    sync::MutexExt,
    types::{PyBytes, PyCapsule, PyList},
};

use crate::{
    columns::{self, Misfit, Table},
    errors, gremlin, guard,
    values::to_python::to_python,
};

/// The results of a query: an iterator, or what they are turned into. A result is given out once, whichever way.
///
/// A reading query runs as its results are asked for. In a notebook the first of them are shown as a table, and are there still.
#[pyclass(frozen, module = "mangrove")]
pub(crate) struct Results {
    state: Mutex<State>,
}

struct State {
    /// None: all have been given out, or they were closed.
    rows: Option<Rows<'static>>,
    /// What has come and was not given out, with how often it stands there.
    batch: VecDeque<(Value, u64)>,
}

impl State {
    /// Sees to it that there are results at hand, unless there are no more; whether there are.
    fn fill(&mut self, py: Python<'_>) -> PyResult<bool> {
        if self.batch.is_empty()
            && let Some(rows) = &mut self.rows
        {
            match guard::outside(py, || rows.next_batch()) {
                Ok(batch) if batch.is_empty() => self.rows = None,
                Ok(batch) => self.batch = batch.into(),
                Err(error) => {
                    self.rows = None;
                    return Err(error);
                }
            }
        }
        Ok(!self.batch.is_empty())
    }

    /// The next one.
    fn next<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if !self.fill(py)? {
            return Ok(None);
        }
        let Some((value, copies)) = self.batch.front_mut() else { return Ok(None) };
        let made = to_python(py, value)?;
        *copies -= 1;
        if *copies == 0 {
            self.batch.pop_front();
        }
        Ok(Some(made))
    }

    /// All that are left, one after the other, without the GIL; those at hand first.
    fn each(&mut self, mut take: impl FnMut(&Value) -> Result<(), PyErr>) -> PyResult<()> {
        let mut repeated = |(value, copies): (Value, u64)| (0..copies).try_for_each(|_| take(&value));
        std::mem::take(&mut self.batch).into_iter().try_for_each(&mut repeated)?;
        let Some(mut rows) = self.rows.take() else { return Ok(()) };
        while let Some(row) = rows.next_bulk().map_err(|error| errors::of(&error))? {
            repeated(row)?;
        }
        Ok(())
    }
}

impl Results {
    pub(crate) fn new(rows: Rows<'static>) -> Self {
        Self { state: Mutex::new(State { rows: Some(rows), batch: VecDeque::new() }) }
    }

    /// The state, for this thread alone. Who has it may need the GIL, so it is waited for without.
    fn state(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// What is left, as columns.
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        let mut state = self.state(py);
        let state = &mut *state;
        guard::outside_py(py, || {
            let mut table = Table::default();
            state.each(|value| table.push_result(value).map_err(misfit))?;
            Ok(table)
        })
    }
}

fn misfit(Misfit(problem): Misfit) -> PyErr {
    errors::conversion(problem)
}

/// A function of the package's that makes something of results.
fn made_by<'py>(slf: &Bound<'py, Results>, module: &str, function: &str) -> PyResult<Bound<'py, PyAny>> {
    slf.py().import(module)?.call_method1(function, (slf,))
}

#[pymethods]
impl Results {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.state(py).next(py)
    }

    /// The next result, or None if there are no more.
    fn fetchone<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.state(py).next(py)
    }

    /// The next results, at most so many.
    #[pyo3(signature = (size=1))]
    fn fetchmany<'py>(&self, py: Python<'py>, size: usize) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        let mut state = self.state(py);
        while list.len() < size
            && let Some(made) = state.next(py)?
        {
            list.append(made)?;
        }
        Ok(list)
    }

    /// All that are left, as a list.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        let mut state = self.state(py);
        while state.fill(py)? {
            for (value, copies) in std::mem::take(&mut state.batch) {
                for _ in 0..copies {
                    list.append(to_python(py, &value)?)?;
                }
            }
        }
        Ok(list)
    }

    /// The only result. ValueError: there is none, or another one.
    fn one<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut state = self.state(py);
        let Some(made) = state.next(py)? else {
            return Err(PyValueError::new_err("the query has no result, and one() needs one"));
        };
        if state.fill(py)? {
            return Err(PyValueError::new_err(
                "the query has more than one result; take to_list(), or fetchone()",
            ));
        }
        Ok(made)
    }

    /// The first results, at most so many, which are given out all the same.
    fn _peek<'py>(&self, py: Python<'py>, size: usize) -> PyResult<Bound<'py, PyList>> {
        let mut state = self.state(py);
        let mut ahead: VecDeque<(Value, u64)> = VecDeque::new();
        let count = |ahead: &VecDeque<(Value, u64)>| {
            ahead.iter().map(|(_, copies)| *copies).fold(0, u64::saturating_add)
        };
        let mut outcome = Ok(());
        while count(&ahead) < size as u64 {
            match state.fill(py) {
                Ok(true) => ahead.append(&mut state.batch),
                Ok(false) => break,
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            }
        }
        ahead.append(&mut state.batch);
        state.batch = ahead;
        outcome?;
        let list = PyList::empty(py);
        'rows: for (value, copies) in &state.batch {
            for _ in 0..*copies {
                if list.len() == size {
                    break 'rows;
                }
                list.append(to_python(py, value)?)?;
            }
        }
        Ok(list)
    }

    /// The next results in GraphBinary, as a list of traversers. None: there are no more.
    fn _graphbinary<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let mut state = self.state(py);
        if !state.fill(py)? {
            return Ok(None);
        }
        let rows: Vec<(Value, u64)> = std::mem::take(&mut state.batch).into();
        let bytes = guard::outside_py(py, || gremlin::traversers(&rows))?;
        Ok(Some(PyBytes::new(py, &bytes)))
    }

    /// What is left, by Arrow's C interface: what pyarrow.table(results), polars.DataFrame(results) and others call.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A wish, which the interface lets one leave unheard: who has it casts.
        drop(requested_schema);
        let table = self.table(py)?;
        let batch = guard::outside_py(py, || table.into_batch().map_err(misfit))?;
        columns::capsule(py, batch)
    }

    /// What is left, as a pyarrow.Table, whose columns are not copied.
    fn to_arrow(slf: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        made_by(&slf, "mangrove._frames", "to_arrow")
    }

    /// What is left, as a pandas.DataFrame.
    fn to_pandas(slf: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        made_by(&slf, "mangrove._frames", "to_pandas")
    }

    /// What is left, as a polars.DataFrame.
    fn to_polars(slf: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        made_by(&slf, "mangrove._frames", "to_polars")
    }

    /// The vertices, edges, paths and subgraphs that are left, as a networkx.MultiDiGraph.
    fn to_networkx(slf: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        made_by(&slf, "mangrove._networkx", "of_results")
    }

    /// Ends the query: no more results come.
    fn close(&self, py: Python<'_>) {
        let mut state = self.state(py);
        let rows = (state.rows.take(), std::mem::take(&mut state.batch));
        drop(state);
        py.detach(|| drop(rows));
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        _kind: &Bound<'_, PyAny>,
        _error: &Bound<'_, PyAny>,
        _trace: &Bound<'_, PyAny>,
    ) {
        self.close(py);
    }

    fn __repr__(slf: Bound<'_, Self>) -> PyResult<String> {
        made_by(&slf, "mangrove._notebook", "text_of_results")?.extract()
    }

    fn _repr_html_(slf: Bound<'_, Self>) -> PyResult<String> {
        made_by(&slf, "mangrove._notebook", "html_of_results")?.extract()
    }
}
