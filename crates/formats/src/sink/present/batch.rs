//! Rows that wait for their transaction.

use std::path::PathBuf;

use graph::{BulkCell, BulkColumn, BulkValues};
use values::{Value, VertexRef};

use crate::sink::{Places, Rows, Standing, value_of};

/// Rows of one label.
pub(super) struct Batch {
    pub(super) label: String,
    pub(super) file: PathBuf,
    pub(super) places: Vec<u64>,
    /// Whether the places are bytes.
    pub(super) in_bytes: bool,
    pub(super) standing: Standing,
    pub(super) ids: Option<Vec<Value>>,
    pub(super) columns: Vec<BulkColumn>,
    /// The vertices that edges leave and enter, as the reader calls them; none of vertices.
    pub(super) ends: Option<(Vec<VertexRef>, Vec<VertexRef>)>,
    /// Rows at its beginning that are done.
    pub(super) done: usize,
}

/// What a row has under a key.
pub(super) enum Cell<'b> {
    /// One value.
    One(Value),
    /// Some, with what they have themselves.
    Many(&'b [BulkCell]),
}

impl Batch {
    pub(super) fn new(
        label: &str,
        rows: Rows<'_>,
        ids: Option<Vec<Value>>,
        columns: Vec<BulkColumn>,
        done: usize,
    ) -> Self {
        Self {
            label: label.to_owned(),
            file: rows.file.to_owned(),
            places: rows.to_places(),
            in_bytes: matches!(rows.places, Places::Bytes(_)),
            standing: rows.standing,
            ids,
            columns,
            ends: None,
            done,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn id(&self, row: usize) -> Option<&Value> {
        self.ids.as_ref().map(|ids| &ids[row])
    }

    /// The keys of a row with what it has under them.
    pub(super) fn cells(&self, row: usize) -> impl Iterator<Item = (&str, Cell<'_>)> {
        self.columns.iter().filter_map(move |column| Some((&*column.key, cell(&column.values, row)?)))
    }

    /// The one value of a row under a key; an error if it has several.
    pub(super) fn value(&self, row: usize, key: &str) -> Result<Option<Value>, usize> {
        let column = self.columns.iter().find(|column| column.key == key);
        match column.and_then(|column| cell(&column.values, row)) {
            None => Ok(None),
            Some(Cell::One(value)) => Ok(Some(value)),
            Some(Cell::Many([one])) => Ok(Some(one.value.clone())),
            Some(Cell::Many(several)) => Err(several.len()),
        }
    }

    pub(super) fn has_column(&self, key: &str) -> bool {
        self.columns.iter().any(|column| column.key == key)
    }
}

fn cell(values: &BulkValues, row: usize) -> Option<Cell<'_>> {
    match values {
        BulkValues::Multi(column) => Some(Cell::Many(&column[row])).filter(|_| !column[row].is_empty()),
        values => value_of(values, row).map(Cell::One),
    }
}
