//! Files into a graph and out of it, and backups. Ctrl-C, and closing the database, stop what reads or writes files.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use clap::ValueEnum;
use mangrove::{
    Database, DatabaseOptions, Embedder, Error, ExportError, ExportFormat, ExportOptions, ExportSummary,
    ImportFormat, ImportIntoOptions, ImportSource, Imported,
    formats::{Merge, PresentOptions},
    graph::{self, BackupSummary},
    store::{FjallStore, Store, StoreError},
};
use pyo3::{PyResult, exceptions::PyValueError, prelude::*, types::PyDict};

use crate::{ending::Ending, errors, fork, guard, summaries};

/// The one that this package has no readers and writers of.
const PARQUET: &str = "parquet";

/// A format, by the name that it has for the command.
///
/// # Errors
/// If there is none of that name.
pub(crate) fn format_of<T: ValueEnum>(name: Option<&str>) -> PyResult<Option<T>> {
    let Some(name) = name else { return Ok(None) };
    if name == PARQUET {
        return Err(PyValueError::new_err(errors::NO_PARQUET));
    }
    let known = || {
        let names = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names = names.map(|value| value.get_name().to_owned()).filter(|name| name != PARQUET);
        names.collect::<Vec<_>>().join(", ")
    };
    let found = T::from_str(name, false);
    found
        .map(Some)
        .map_err(|_| PyValueError::new_err(format!("there is no format {name:?}; there are {}", known())))
}

/// What becomes of rows in a graph that may have data; none: it must be empty.
///
/// # Errors
/// If the wishes exclude each other.
pub(crate) fn writing(add: bool, merge: Option<&str>, new_ids: bool) -> PyResult<Option<PresentOptions>> {
    let merge = match merge {
        Some(_) if add => {
            return Err(PyValueError::new_err(
                "add=True adds all elements, and merge=… merges them: take one of the two",
            ));
        }
        Some("id") if new_ids => {
            return Err(PyValueError::new_err(
                "merge=\"id\" tells elements by the ids that new_ids=True takes from them: take one of the two",
            ));
        }
        Some("id") => Merge::ById,
        Some(key) => Merge::ByKey(key.to_owned()),
        None if add => Merge::Nothing,
        None if new_ids => return Err(PyValueError::new_err("new_ids=True needs add=True, or merge=…")),
        None => return Ok(None),
    };
    Ok(Some(PresentOptions { merge, new_ids, ..PresentOptions::default() }))
}

/// Imports files; what was done.
///
/// # Errors
/// If they cannot be imported, or somebody has stopped it.
pub(crate) fn import(
    (db, embedder): (&Database, &Embedder),
    ending: &Ending,
    path: &Path,
    (format, again): (Option<ImportFormat>, bool),
    writing: Option<PresentOptions>,
) -> Result<Imported, Error> {
    let stop = Arc::new(AtomicBool::new(false));
    let look = || {
        if ending.has_come() || guard::is_interrupted() {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let options = ImportIntoOptions { format, again, ..ImportIntoOptions::default() };
    match writing {
        None => embedder.fill(path, &options, &stop, &|_| look()).map(|told| Imported::Now(Box::new(told))),
        Some(writing) => {
            let writing = PresentOptions { stop: Some(Arc::clone(&stop)), ..writing };
            let options = ImportIntoOptions { writing, ..options };
            db.import_into(ImportSource::Path(path), &options, &|_| look())
        }
    }
}

/// Exports the graph, or a part of it.
///
/// # Errors
/// If the files cannot be written, or somebody has stopped it.
pub(crate) fn export(
    db: &Database,
    ending: &Ending,
    path: &Path,
    (format, query, overwrite): (Option<ExportFormat>, Option<String>, bool),
) -> PyResult<ExportSummary> {
    let options = ExportOptions { format, query, overwrite, ..ExportOptions::default() };
    let go_on = |_| !(ending.has_come() || guard::is_interrupted());
    db.export_while(&go_on, path, &options).map_err(|error| match error {
        ExportError::Database(error) => ending.told(&error),
        ExportError::Stopped if ending.has_come() => {
            errors::closed("the database was closed, and nothing was exported")
        }
        other => errors::new("EvaluationError", errors::in_python(other.to_string())),
    })
}

/// Restores the graph of a backup into a directory that is not there yet, or is empty, and checks it: what `mangrove restore` does.
/// `number`: which of the backups, by the number that `Database.backup` gave it, the last by default.
#[pyfunction]
#[pyo3(signature = (backups, directory, *, number=None))]
pub(crate) fn restore<'py>(
    py: Python<'py>,
    backups: PathBuf,
    directory: PathBuf,
    number: Option<u32>,
) -> PyResult<Bound<'py, PyDict>> {
    fork::settle()?;
    let summary = guard::outside_py(py, || {
        let stage = stage_of(&directory)?;
        let restored = fill(&stage, &backups, number).and_then(|summary| {
            // An empty directory makes room, and one that is none stays.
            if directory.exists() {
                fs::remove_dir(&directory)?;
            }
            fs::rename(&stage, &directory)?;
            Ok(summary)
        });
        if restored.is_err() {
            drop(fs::remove_dir_all(&stage));
        }
        restored
    })?;
    summaries::of_backup(py, &summary)
}

/// Where a graph is restored before it has its place.
fn stage_of(directory: &Path) -> PyResult<PathBuf> {
    let taken =
        |path: &Path, problem: &str| errors::new("OpenError", format!("{}: {problem}", path.display()));
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries.count(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
        Err(error) => return Err(taken(directory, &error.to_string())),
    };
    if entries > 0 {
        return Err(taken(directory, "it is not empty; restore into another directory"));
    }
    let mut stage = directory.components().collect::<PathBuf>().into_os_string();
    stage.push(".restoring");
    let stage = PathBuf::from(stage);
    match stage.exists() {
        true => {
            Err(taken(&stage, "it is there, perhaps from a restore that was interrupted; remove it first"))
        }
        false => Ok(stage),
    }
}

/// Restores into a directory, and checks what came of it.
fn fill(directory: &Path, backups: &Path, number: Option<u32>) -> PyResult<BackupSummary> {
    let failed =
        |source: StoreError| errors::of(&Error::Open { path: directory.into(), source: Arc::new(source) });
    let of_graph = |error: graph::GraphError| errors::of(&Error::from(error));
    let options = DatabaseOptions::default();
    let store: Arc<dyn Store> = Arc::new(FjallStore::open(directory, options.store).map_err(failed)?);
    let summary = graph::restore(backups, number, &store).map_err(of_graph)?;
    store.close().map_err(failed)?;
    drop(store);
    let store: Arc<dyn Store> = Arc::new(FjallStore::open(directory, options.store).map_err(failed)?);
    let findings = graph::check_within(&store, options.graph.cache_bytes, &mut |_| {}).map_err(of_graph)?;
    store.close().map_err(failed)?;
    match findings.first() {
        None => Ok(summary),
        Some(first) => Err(errors::new("InternalError", format!("the backup is damaged: {first}"))),
    }
}
