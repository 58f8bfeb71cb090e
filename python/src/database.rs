//! A database that a Python process has open.

use std::{
    path::PathBuf,
    sync::{PoisonError, RwLock},
    time::Duration,
};

use mangrove::{DatabaseOptions, Embedder};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyDict};

use crate::{
    ending::Ending,
    errors, files,
    fork::{self, Held},
    gremlin, guard,
    load::{self, Frame, Frames, Names},
    results::Results,
    summaries,
    transaction::Transaction,
    values::from_python::given,
};

/// What is open.
#[derive(Clone)]
struct Open {
    db: mangrove::Database,
    ending: Ending,
}

impl Open {
    /// The door for a query or a transaction that ends with `ending`.
    fn embedder(&self, ending: &Ending) -> Embedder {
        self.db.embedder(ending.interrupt())
    }
}

/// Most threads that work on queries: each takes memory, and more than there are cores are of no use.
const MOST_THREADS: usize = 1_024;

/// The engine's part of `mangrove.Database`, which has the documentation.
#[pyclass(frozen, subclass, module = "mangrove._mangrove")]
pub(crate) struct Database {
    /// None: it is closed.
    open: RwLock<Held<Open>>,
    /// How it is told.
    place: String,
    read_only: bool,
}

impl Database {
    fn open(&self) -> PyResult<Open> {
        fork::check()?;
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        open.clone()
            .ok_or_else(|| errors::closed("the database is closed: open it again with mangrove.open()"))
    }
}

#[pymethods]
impl Database {
    #[new]
    #[pyo3(signature = (path=None, *, read_only=false, cache=None, memory_per_query=None, threads=None, timeout=None,
        write_retries=None, io_directory=None))]
    #[allow(clippy::too_many_arguments, reason = "each has a name in Python")]
    fn new(
        py: Python<'_>,
        path: Option<PathBuf>,
        read_only: bool,
        cache: Option<u64>,
        memory_per_query: Option<u64>,
        threads: Option<usize>,
        timeout: Option<f64>,
        write_retries: Option<u32>,
        io_directory: Option<PathBuf>,
    ) -> PyResult<Self> {
        let mut options = DatabaseOptions::default().read_only(read_only);
        if let Some(bytes) = cache {
            options = options.with_cache(bytes);
        }
        options.memory_per_query = memory_per_query.unwrap_or(options.memory_per_query);
        options.executors = threads.unwrap_or(options.executors);
        options.write_retries = write_retries.unwrap_or(options.write_retries);
        options.io_directory = io_directory;
        options.timeout = match timeout.map(Duration::try_from_secs_f64).transpose() {
            Ok(timeout) => timeout,
            Err(error) => return Err(PyValueError::new_err(format!("timeout: {error}"))),
        };
        if path.is_none() && read_only {
            return Err(PyValueError::new_err(
                "a graph in memory is empty at first: it is of no use read-only",
            ));
        }
        if let Some(threads) = threads
            && threads > MOST_THREADS
        {
            return Err(PyValueError::new_err(format!(
                "threads: {threads} are too many; at most {MOST_THREADS}"
            )));
        }
        if let Some(path) = path.as_ref().filter(|path| read_only && !path.exists()) {
            let missing = format!("there is no graph in {}, which is not there", path.display());
            return Err(errors::new("OpenError", missing));
        }
        fork::settle()?;
        let place = path.as_ref().map_or_else(|| ":memory:".to_owned(), |path| path.display().to_string());
        let db = guard::outside(py, || match path {
            Some(path) => mangrove::Database::open_with(path, options),
            None => mangrove::Database::in_memory_with(options),
        })?;
        let open = Open { db, ending: Ending::default() };
        Ok(Self { open: RwLock::new(Held::new(open)), place, read_only })
    }

    /// Runs a traversal, or a script; its results, which are an iterator. One that only reads runs as they are asked for; one that
    /// writes has committed, durably, when this returns. What follows the text are values for its variables: query(text, x=1), or
    /// query(text, {"x": 1}).
    #[pyo3(signature = (text, params=None, /, **variables))]
    fn query(
        &self,
        py: Python<'_>,
        text: &str,
        params: Option<&Bound<'_, PyAny>>,
        variables: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Results> {
        let (open, given) = (self.open()?, given(params, variables)?);
        let ending = open.ending.of_part();
        let embedder = open.embedder(&ending);
        let rows = guard::until(py, &ending, || embedder.query_with(text, given))?;
        Ok(Results::new(rows, ending))
    }

    #[pyo3(signature = (text, params=None, /, **variables))]
    fn _explain(
        &self,
        py: Python<'_>,
        text: &str,
        params: Option<&Bound<'_, PyAny>>,
        variables: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<String> {
        let (open, given) = (self.open()?, given(params, variables)?);
        guard::outside(py, || open.embedder(&open.ending).explain(text, given))
    }

    #[pyo3(signature = (text, params=None, /, **variables))]
    fn _profile(
        &self,
        py: Python<'_>,
        text: &str,
        params: Option<&Bound<'_, PyAny>>,
        variables: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<String> {
        let (open, given) = (self.open()?, given(params, variables)?);
        guard::until(py, &open.ending, || open.embedder(&open.ending).profile(text, given))
    }

    fn _execute(&self, py: Python<'_>, bytecode: &[u8]) -> PyResult<Results> {
        let (open, traversal) = (self.open()?, gremlin::traversal(bytecode)?);
        let ending = open.ending.of_part();
        let embedder = open.embedder(&ending);
        let rows = guard::until(py, &ending, || embedder.execute(traversal))?;
        Ok(Results::new(rows, ending))
    }

    /// Begins a transaction over several queries: `with db.transaction() as tx: tx.query(…)` commits at the end of the block, and rolls
    /// back if that raises.
    fn transaction(&self, py: Python<'_>) -> PyResult<Transaction> {
        let open = self.open()?;
        let ending = open.ending.of_part();
        let embedder = open.embedder(&ending);
        Ok(Transaction::new(py.detach(|| embedder.begin()), ending))
    }

    /// Runs a query and leaves its results where they come from, but for their number: what a program in Rust would take for it.
    fn _drain(&self, py: Python<'_>, text: &str) -> PyResult<u64> {
        let open = self.open()?;
        guard::until(py, &open.ending, || {
            let rows =
                open.embedder(&open.ending).query_with(text, [] as [(&str, mangrove::values::Value); 0])?;
            rows.map(|row| row.map(drop)).try_fold(0, |count, row| row.map(|()| count + 1))
        })
    }

    /// Reads a file or a directory, as `mangrove import` does: CSV, GraphSON, GraphML, Gryo, an edge list, LDBC, or a mapping; `format`
    /// where it cannot be told. The graph must be empty, and has all or nothing afterwards; or `add=True` adds the files to what it has,
    /// and `merge="id"`, or the name of a property, gives elements that it has already their properties, in transactions of bounded size.
    /// `new_ids=True`: what is added gets ids of the graph. `again=True`: files that were added so before are added once more.
    #[pyo3(signature = (path, *, format=None, add=false, merge=None, new_ids=false, again=false))]
    #[allow(clippy::too_many_arguments, reason = "each has a name in Python")]
    fn import_files<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        format: Option<&str>,
        add: bool,
        merge: Option<&str>,
        new_ids: bool,
        again: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (open, format) = (self.open()?, files::format_of(format)?);
        let writing = files::writing(add, merge, new_ids)?;
        let done = guard::until(py, &open.ending, || {
            let doors = (&open.db, &open.embedder(&open.ending));
            files::import(doors, &open.ending, &path, (format, again), writing)
        })?;
        summaries::of_import(py, &done)
    }

    /// Writes the graph into a file or a directory, as `mangrove export` does: GraphSON, GraphML or Gryo by the ending of its name, or
    /// the `format` neo4j or neptune. `query` says which part: a traversal that yields vertices, edges or a subgraph. `overwrite=True`
    /// replaces what is there.
    #[pyo3(signature = (path, *, format=None, query=None, overwrite=false))]
    fn export<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        format: Option<&str>,
        query: Option<String>,
        overwrite: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (open, format) = (self.open()?, files::format_of(format)?);
        let summary = guard::outside_py(py, || {
            files::export(&open.db, &open.ending, &path, (format, query, overwrite))
        })?;
        summaries::of_export(py, &summary)
    }

    /// Writes a backup into a directory, beside those that are there; `mangrove.restore` brings it back.
    fn backup<'py>(&self, py: Python<'py>, directory: PathBuf) -> PyResult<Bound<'py, PyDict>> {
        let open = self.open()?;
        let summary = guard::outside(py, || Ok(open.db.graph().backup(directory)?))?;
        summaries::of_backup(py, &summary)
    }

    /// How many vertices and edges there are of each label, and bytes in memory and in files.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let open = self.open()?;
        summaries::of_stats(py, &py.detach(|| open.db.stats()))
    }

    /// Panics, so that a test sees what becomes of that.
    fn _panic(&self, py: Python<'_>) -> PyResult<()> {
        guard::outside(py, || panic!("on purpose"))
    }

    /// Writes what is only in memory and in the log. Nothing is lost without it; the next start is quicker with it.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        let open = self.open()?;
        guard::outside(py, || open.db.flush())
    }

    /// Loads frames; see `mangrove.Database.load`, which sorts its arguments out.
    fn _load<'py>(
        &self,
        py: Python<'py>,
        nodes: Vec<(Option<String>, Bound<'py, PyAny>)>,
        edges: Vec<(Option<String>, Bound<'py, PyAny>)>,
        names: (Option<String>, String, String, String),
    ) -> PyResult<Bound<'py, PyDict>> {
        let open = self.open()?;
        let frames = |what: &str, given: Vec<(Option<String>, Bound<'py, PyAny>)>| {
            given
                .into_iter()
                .map(|(label, frame)| Frame::new(what, label, frame))
                .collect::<PyResult<Vec<_>>>()
        };
        let (id, label, source, target) = names;
        let id_is_given = id.is_some();
        let names = Names { id: id.unwrap_or_else(|| "id".into()), id_is_given, label, source, target };
        let frames = Frames { nodes: frames("nodes", nodes)?, edges: frames("edges", edges)?, names };
        let loaded = guard::outside_py(py, || Ok(load::into_graph(&open.db, frames)?))?;
        let told = PyDict::new(py);
        told.set_item("vertices", loaded.vertices)?;
        told.set_item("edges", loaded.edges)?;
        Ok(told)
    }

    /// Closes the graph. Queries that run end with a ClosedError, and transactions that are open are rolled back.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        fork::check()?;
        let open = self.open.write().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Open { db, ending }) = open else { return Ok(()) };
        ending.end();
        if self.read_only {
            py.detach(|| drop(db));
            return Ok(());
        }
        guard::outside(py, || db.close())
    }

    /// Whether it is closed.
    #[getter]
    fn is_closed(&self) -> PyResult<bool> {
        fork::check()?;
        Ok(self.open.read().unwrap_or_else(PoisonError::into_inner).is_none())
    }

    /// Whether it is that of a process from which this one was forked.
    #[getter]
    fn _is_elsewhere(&self) -> bool {
        fork::is_elsewhere()
    }

    /// The directory, or ":memory:".
    #[getter]
    fn path(&self) -> &str {
        &self.place
    }

    /// Whether it was opened for reading alone.
    #[getter]
    fn read_only(&self) -> bool {
        self.read_only
    }

    fn __repr__(&self) -> String {
        let state = match self.is_closed() {
            Ok(false) => "",
            Ok(true) => ", closed",
            Err(_) => ", of another process",
        };
        format!("<mangrove.Database {:?}{state}>", self.place)
    }
}
