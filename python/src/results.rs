//! The results of a query, in whichever form they are wanted.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard},
};

use mangrove::{Results as Rows, values::Value};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBytes, PyCapsule, PyList},
};

use crate::{
    columns::{self, Misfit, Table},
    ending::Ending,
    errors,
    fork::{self, Held},
    gremlin, guard,
    values::to_python::to_python,
};

/// The results of a query: an iterator, or what they are turned into. A result is given out once, whichever way.
///
/// A reading query runs as its results are asked for. In a notebook the first of them are shown as a table, and are there still.
#[pyclass(frozen, module = "mangrove")]
pub(crate) struct Results {
    state: Mutex<State>,
    ending: Ending,
}

struct State {
    /// None: all have been given out, or there are no more to be had.
    rows: Held<Rows<'static>>,
    /// What has come and was not given out, with how often it stands there.
    batch: VecDeque<(Value, u64)>,
    /// Why there are no more to be had.
    gone: Option<&'static str>,
    ending: Ending,
}

/// Why there are no more results.
const CLOSED: &str = "the results are closed: run the query again";
const LOST: &str = "the results went into columns that could not be made: run the query again";

impl State {
    /// Sees to it that there are results at hand, unless there are no more; whether there are.
    fn fill(&mut self, py: Python<'_>) -> PyResult<bool> {
        self.check()?;
        if self.batch.is_empty()
            && let Some(rows) = &mut *self.rows
        {
            fork::check()?;
            match guard::until(py, &self.ending, || rows.next_batch()) {
                Ok(batch) if batch.is_empty() => *self.rows = None,
                Ok(batch) => self.batch = batch.into(),
                Err(error) => {
                    *self.rows = None;
                    return Err(error);
                }
            }
        }
        Ok(!self.batch.is_empty())
    }

    fn check(&self) -> PyResult<()> {
        self.gone.map_or(Ok(()), |gone| Err(errors::closed(gone)))
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
    fn each(&mut self, take: impl FnMut(&Value) -> Result<(), PyErr>) -> PyResult<()> {
        self.check()?;
        fork::check()?;
        let done = self.each_left(take);
        self.gone = done.is_err().then_some(LOST);
        done
    }

    fn each_left(&mut self, mut take: impl FnMut(&Value) -> Result<(), PyErr>) -> PyResult<()> {
        let mut repeated = |(value, copies): (Value, u64)| (0..copies).try_for_each(|_| take(&value));
        std::mem::take(&mut self.batch).into_iter().try_for_each(&mut repeated)?;
        let Some(mut rows) = self.rows.take() else { return Ok(()) };
        while let Some(row) = rows.next_bulk().map_err(|error| self.ending.told(&error))? {
            repeated(row)?;
        }
        Ok(())
    }
}

impl Results {
    /// Those of a query that ends with `ending`.
    pub(crate) fn new(rows: Rows<'static>, ending: Ending) -> Self {
        let rows = Held::new(rows);
        let state = State { rows, batch: VecDeque::new(), gone: None, ending: ending.clone() };
        Self { state: Mutex::new(state), ending }
    }

    /// The state, for this thread alone.
    fn state(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, State>> {
        fork::check_known()?;
        guard::lock(py, &self.state)
    }

    /// What is left, as columns.
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        let mut state = self.state(py)?;
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
        self.state(py)?.next(py)
    }

    /// The next result, or None if there are no more.
    fn fetchone<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.state(py)?.next(py)
    }

    /// The next results, at most so many.
    #[pyo3(signature = (size=1))]
    fn fetchmany<'py>(&self, py: Python<'py>, size: usize) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        let mut state = self.state(py)?;
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
        let mut state = self.state(py)?;
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
        let mut state = self.state(py)?;
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
        let mut state = self.state(py)?;
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
        let mut state = self.state(py)?;
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

    /// Ends the query, also one that another thread is in: there are no more results.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.ending.end();
        let mut state = self.state(py)?;
        let rows = (state.rows.take(), std::mem::take(&mut state.batch));
        state.gone = Some(CLOSED);
        drop(state);
        py.detach(|| drop(rows));
        Ok(())
    }

    /// Why there is nothing to be shown.
    #[getter]
    fn _gone(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        if fork::is_elsewhere() {
            return Ok(Some("the results are another process's"));
        }
        Ok(self.state(py)?.gone)
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        _error: &Bound<'_, PyAny>,
        _trace: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        // What was raised is to be seen, and not that it was raised in a copy of the process.
        if !kind.is_none() && fork::is_elsewhere() { Ok(()) } else { self.close(py) }
    }

    fn __repr__(slf: Bound<'_, Self>) -> PyResult<String> {
        made_by(&slf, "mangrove._notebook", "text_of_results")?.extract()
    }

    fn _repr_html_(slf: Bound<'_, Self>) -> PyResult<String> {
        made_by(&slf, "mangrove._notebook", "html_of_results")?.extract()
    }
}
