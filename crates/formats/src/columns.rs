//! Filling the columns of a bulk load cell by cell.

use values::{DateTime, Value};

use graph::{BulkCell, BulkStrings, BulkValues};

/// One value on its way into a column.
#[derive(Debug)]
pub(super) enum Cell<'a> {
    /// The element has no such property.
    Absent,
    Long(i64),
    Int(i32),
    Double(f64),
    Bool(bool),
    Str(&'a str),
    DateTime(DateTime),
    Any(Value),
    Multi(Vec<BulkCell>),
}

/// Appends a cell to a column of its type. A cell of another type than the column's counts as absent; the parsers, which
/// make both from the same declaration, never produce one.
pub(super) fn push(values: &mut BulkValues, cell: Cell<'_>) {
    match (values, cell) {
        (BulkValues::Long(column), Cell::Long(v)) => column.push(Some(v)),
        (BulkValues::Int(column), Cell::Int(v)) => column.push(Some(v)),
        (BulkValues::Str(column), Cell::Str(v)) => column.push(Some(v)),
        (BulkValues::Double(column), Cell::Double(v)) => column.push(Some(v)),
        (BulkValues::Bool(column), Cell::Bool(v)) => column.push(Some(v)),
        (BulkValues::DateTime(column), Cell::DateTime(v)) => column.push(Some(v)),
        (BulkValues::Any(column), Cell::Any(v)) => column.push(Some(v)),
        (BulkValues::Multi(column), Cell::Multi(v)) => column.push(v),
        (values, cell) => {
            debug_assert!(matches!(cell, Cell::Absent), "{cell:?} in a column of another type");
            push_absent(values);
        }
    }
}

fn push_absent(values: &mut BulkValues) {
    match values {
        BulkValues::Long(column) => column.push(None),
        BulkValues::Int(column) => column.push(None),
        BulkValues::Double(column) => column.push(None),
        BulkValues::Bool(column) => column.push(None),
        BulkValues::Str(column) => column.push(None),
        BulkValues::DateTime(column) => column.push(None),
        BulkValues::Any(column) => column.push(None),
        BulkValues::Multi(column) => column.push(Vec::new()),
    }
}

/// Leaves out the rows that `keep` says no to. It has as many entries as the column.
pub(super) fn retain(values: &mut BulkValues, keep: &[bool]) {
    fn filter<T>(column: &mut Vec<T>, keep: &[bool]) {
        let mut keep = keep.iter();
        column.retain(|_| *keep.next().unwrap_or(&true));
    }
    match values {
        BulkValues::Long(column) => filter(column, keep),
        BulkValues::Int(column) => filter(column, keep),
        BulkValues::Double(column) => filter(column, keep),
        BulkValues::Bool(column) => filter(column, keep),
        BulkValues::DateTime(column) => filter(column, keep),
        BulkValues::Any(column) => filter(column, keep),
        BulkValues::Multi(column) => filter(column, keep),
        BulkValues::Str(column) => {
            let mut kept = BulkStrings::new();
            (0..column.len()).filter(|&row| keep[row]).for_each(|row| kept.push(column.get(row)));
            *column = kept;
        }
    }
}
