//! What an import, an export, a backup did, as dictionaries.

use mangrove::{
    ExportSummary, Imported,
    formats::ImportSummary,
    graph::{BackupSummary, GraphStats},
};
use pyo3::{prelude::*, types::PyDict};

/// Of an import: nothing, if it had been done before.
pub(crate) fn of_import<'py>(py: Python<'py>, done: &Imported) -> PyResult<Bound<'py, PyDict>> {
    let summary = match done {
        Imported::Now(summary) => Some(&**summary),
        Imported::Before(_) => None,
    };
    let count = |of: fn(&ImportSummary) -> u64| summary.map_or(0, of);
    let told = PyDict::new(py);
    told.set_item("vertices", count(|summary| summary.vertices))?;
    told.set_item("edges", count(|summary| summary.edges))?;
    told.set_item("merged_vertices", count(|summary| summary.merged_vertices))?;
    told.set_item("merged_edges", count(|summary| summary.merged_edges))?;
    told.set_item("skipped", count(|summary| summary.skipped))?;
    let seconds = summary.map_or(0.0, |summary| (summary.reading + summary.building).as_secs_f64());
    told.set_item("seconds", seconds)?;
    Ok(told)
}

/// Of an export.
pub(crate) fn of_export<'py>(py: Python<'py>, summary: &ExportSummary) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("vertices", summary.vertices)?;
    told.set_item("edges", summary.edges)?;
    told.set_item("files", summary.files)?;
    told.set_item("bytes", summary.bytes)?;
    told.set_item("losses", &summary.losses)?;
    Ok(told)
}

/// Of a backup.
pub(crate) fn of_backup<'py>(py: Python<'py>, summary: &BackupSummary) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("number", summary.number)?;
    told.set_item("written", summary.written)?;
    told.set_item("bytes", summary.bytes)?;
    Ok(told)
}

/// The sizes of a graph.
pub(crate) fn of_stats<'py>(py: Python<'py>, stats: &GraphStats) -> PyResult<Bound<'py, PyDict>> {
    let by_label = |counts: &[(mangrove::values::Str, u64)]| -> PyResult<Bound<'py, PyDict>> {
        let labels = PyDict::new(py);
        counts.iter().try_for_each(|(label, count)| labels.set_item(label.as_str(), count))?;
        Ok(labels)
    };
    let told = PyDict::new(py);
    told.set_item("vertices", by_label(&stats.vertices)?)?;
    told.set_item("edges", by_label(&stats.edges)?)?;
    told.set_item("cache_bytes", stats.cache_bytes)?;
    told.set_item("section_bytes", stats.section_bytes)?;
    told.set_item("log_bytes", stats.log_bytes)?;
    Ok(told)
}
