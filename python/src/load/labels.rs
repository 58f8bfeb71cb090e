//! Which rows of a batch are of which label.

use std::collections::BTreeMap;

use arrow_array::{Array, RecordBatch};

use super::{cells::texts, frame::Frame};
use crate::errors;
use pyo3::PyResult;

/// Rows of a batch.
pub(super) enum Pick {
    /// All of them.
    All(usize),
    /// These.
    These(Vec<u32>),
}

impl Pick {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::All(rows) => *rows,
            Self::These(rows) => rows.len(),
        }
    }

    /// What there is for each row.
    pub(super) fn each<T>(&self, of: impl Fn(usize) -> T) -> Vec<T> {
        match self {
            Self::All(rows) => (0..*rows).map(of).collect(),
            Self::These(rows) => rows.iter().map(|row| of(*row as usize)).collect(),
        }
    }
}

/// The rows of each label.
///
/// # Errors
/// If there is neither a label for all nor a column of labels, or a row has none.
pub(super) fn of(
    frame: &Frame,
    batch: &RecordBatch,
    column: &str,
    first: u64,
) -> PyResult<Vec<(String, Pick)>> {
    if let Some(label) = &frame.label {
        return Ok(vec![(label.clone(), Pick::All(batch.num_rows()))]);
    }
    let Some(at) = Frame::column(batch, column) else {
        return Err(errors::conversion(format!(
            "{0}: there is no column {column:?} that says the label of each row; give a label for all, {{'person': frame}}, or the name \
             of the column, label='…'",
            frame.name
        )));
    };
    let array = batch.column(at);
    let labels = texts(array).ok_or_else(|| {
        errors::conversion(format!(
            "{}: the column {column:?} has labels, so texts, and not {}",
            frame.name,
            array.data_type()
        ))
    })?;
    let mut rows: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for row in 0..batch.num_rows() {
        let Some(label) = labels(row) else {
            let number = first + row as u64;
            return Err(errors::conversion(format!(
                "{}, row {number}: it has no label in {column:?}",
                frame.name
            )));
        };
        match rows.get_mut(label) {
            Some(rows) => rows.push(row as u32),
            None => drop(rows.insert(label, vec![row as u32])),
        }
    }
    Ok(rows.into_iter().map(|(label, rows)| (label.to_owned(), Pick::These(rows))).collect())
}
