//! Parquet files as files of rows: a column is what its name says by a convention of CSV, and of the type that the schema has.
//!
//! ```text
//! footer (file) ─▶ columns (schema, names) ─▶ row group by row group (records) ─▶ column by column, 1,024 rows at once (column)
//!                                                                                   └─ page by page, none too large (pages)
//! ```
//!
//! The crate `parquet` reads what is in a page, and the footer. It makes room for what a file declares and panics at some that is not
//! so; so a file is looked at before the crate sees it (`thrift.rs`, `delta.rs`), and a panic of it is an error ([`guarded`]).

mod codec;
mod column;
mod delta;
mod file;
mod names;
mod pages;
mod records;
mod schema;
mod thrift;

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::header::{Column, Header};
use super::load::SourceFile;
use super::mapping::{Table, TableProperty};
use super::{CsvOptions, CsvSource, label_of};
use crate::error::ImportError;

use self::file::ParquetFile;
use self::records::ParquetRecords;
use self::schema::Field;

/// Opens a file whose columns say what they are.
pub(super) fn open(source: &CsvSource) -> Result<SourceFile, ImportError> {
    let file = ParquetFile::open(&source.path)?;
    let fields = file.fields();
    let header = names::header(&fields).map_err(|problem| ImportError::layout(&source.path, problem))?;
    let label = label_of(source, &source.path, &header)?;
    let is_read = |column: &Column| *column != Column::Ignore;
    let fields = fields.into_iter().zip(header.columns.iter().map(is_read)).collect();
    let records = ParquetRecords::new(file, fields);
    // What is many values in a text is as in CSV.
    let delimiter = CsvOptions::default().array_delimiter;
    SourceFile::new(&source.path, Box::new(records), header, label, delimiter)
}

/// Opens a file of which a table says what its columns are.
pub(super) fn open_table(table: &Table) -> Result<SourceFile, ImportError> {
    let wrong = |problem: String| ImportError::layout(&table.path, problem);
    let file = ParquetFile::open(&table.path)?;
    let fields = file.fields();
    let told = table;
    let table = with_types(table, &fields);
    let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
    let (columns, wanted): (Vec<_>, Vec<_>) = table.columns(&names)?.into_iter().unzip();
    let places = super::mapping::fields_in(&names, &wanted).map_err(wrong)?;
    for (place, column) in places.iter().zip(&columns) {
        let field = &fields[*place];
        // Bytes are texts if they are an id or a label, or if the table says so.
        let is_told = !matches!(column, Column::Property { .. }) || told.tells_type_of(&field.name);
        names::can_be_read(field, is_told).map_err(wrong)?;
    }
    let columns =
        columns.into_iter().zip(&places).map(|(column, place)| many(column, &fields[*place])).collect();
    let read = (0..fields.len()).map(|place| places.contains(&place)).collect::<Vec<_>>();
    let records = ParquetRecords::new(file, fields.into_iter().zip(read).collect());
    let header: Header = table.header(columns, wanted);
    let delimiter = CsvOptions::default().array_delimiter;
    let opened = SourceFile::new(&table.path, Box::new(records), header, table.fixed_label(), delimiter)?;
    Ok(opened.with_fields(names, places))
}

/// The table with the types that it leaves to the file.
fn with_types(table: &Table, fields: &[Field]) -> Table {
    let mut table = table.clone();
    let type_of = |name: &str| {
        let field = fields.iter().find(|field| field.name == name);
        field.and_then(Field::scalar).map(|scalar| scalar.name().to_owned())
    };
    if let Some(id) = table.id.as_mut().filter(|id| id.id_type.is_empty()) {
        // What no id can be is a text.
        let found = type_of(&id.field).filter(|name| super::scalar::ScalarType::of_id(name).is_some());
        id.id_type = found.unwrap_or_default();
    }
    if table.properties.is_none() {
        let special = table.special_fields();
        let others = fields.iter().filter(|field| !special.contains(&field.name));
        let property = |field: &Field| TableProperty {
            key: field.name.clone(),
            field: field.name.clone(),
            value_type: String::new(),
        };
        table.properties = Some(others.map(property).collect());
    }
    for property in table.properties.iter_mut().flatten().filter(|property| property.value_type.is_empty()) {
        property.value_type = type_of(&property.field).unwrap_or_default();
    }
    table
}

/// A column of many values, if the file has many.
fn many(column: Column, field: &Field) -> Column {
    match column {
        Column::Property { key, scalar, is_array } => {
            Column::Property { key, scalar, is_array: is_array || field.is_list }
        }
        other => other,
    }
}

/// Does something with the crate `parquet`, which may panic at a damaged file: that is an error then.
fn guarded<T>(work: impl FnOnce() -> parquet::errors::Result<T>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done.map_err(|error| match error {
            parquet::errors::ParquetError::General(problem) => problem,
            other => other.to_string(),
        }),
        // Of what has panicked nothing is used any more.
        Err(_) => Err("it is damaged".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_the_crate_is_an_error() {
        let numbers: Vec<i32> = Vec::new();
        assert_eq!(guarded(|| Ok(numbers[3])), Err("it is damaged".to_owned()));
        assert_eq!(guarded(|| Ok(3)), Ok(3));
    }
}
