//! Import of CSV files whose headers say what they hold, and of Parquet files whose columns are named so (`parquet_files/`).
//!
//! The convention is that of `neo4j-admin database import`:
//!
//! | column | meaning |
//! |---|---|
//! | `name`, `age:int`, `tags:string[]` | a property; without a type a string; with `[]` many values, joined by `;` |
//! | `:ID`, `key:ID` | the id of the vertex (or edge); with a name it is kept as a property, too |
//! | `:ID(Space)` | an id that is unique within the space only: the vertex gets a generated id |
//! | `:LABEL` | the label of a vertex; of several, see [`SeveralLabels`] |
//! | `:START_ID(Space)`, `:END_ID(Space)` | the ends of an edge; a file that has them holds edges |
//! | `:TYPE` | the label of an edge |
//! | `:IGNORE` | not imported |
//!
//! Options in braces after `ID`: `{id-type:long}` (`string` by default, `int`, `long`, `uuid`), `{label:Person}` (the
//! label of the whole file); several are separated by `;`. The label can also be given from outside ([`CsvSource::label`]). Types:
//! `string char boolean byte short int long biginteger float double bigdecimal uuid date datetime duration`.
//!
//! ```text
//! people.csv                                  knows.csv
//! id:ID{id-type:long},name,age:int,:LABEL     :START_ID,:END_ID,:TYPE,since:date
//! 1,marko,29,person                           1,2,knows,2010-05-01
//! 2,vadas,27,person
//! ```
//!
//! Files with a column `~id`, `~label`, `~from` or `~to` follow Amazon Neptune's convention instead (`neptune.rs`).
//!
//! An empty field means that there is no such property, unless it stands in quotes and is a text. Many values are a
//! multi-property of a vertex and a list on an edge. Files may be packed with gzip or zstd.

mod batch;
mod export;
mod header;
mod json_lines;
mod load;
mod mapping;
mod neptune;
#[cfg(feature = "parquet")]
mod parquet_files;
mod reader;
mod rows;
mod scalar;
mod sources;

use std::path::Path;

pub use self::export::{CsvConvention, CsvWriter, MakeFile};
pub use self::header::is_csv_header;
use self::header::{Column, Header};
use self::load::SourceFile;
pub use self::mapping::{Table, TableEnd, TableId, TableLabel, TableProperty, TableRecords, tables};
#[cfg(feature = "parquet")]
use self::parquet_files::open as open_parquet;
use self::reader::{Reader, Records, Row};
pub use self::sources::{CsvSource, csv_stem, is_named_parquet};
use super::ImportOptions;
use super::error::ImportError;
use super::progress::ImportProgress;
use super::summary::ImportSummary;

use super::sink::Target;

/// How the files are written.
#[derive(Clone, Copy, Debug)]
pub struct CsvOptions {
    /// Between two fields. None to take, file by file, the one of `,`, tab, `|` and `;` that its header has most of.
    pub delimiter: Option<u8>,
    /// Around a field that contains delimiters or line ends; doubled inside it. None if fields are never quoted.
    pub quote: Option<u8>,
    /// Between the values of a field that has many.
    pub array_delimiter: char,
}

impl Default for CsvOptions {
    /// Delimiters as in the header; fields quoted by `"`, values of arrays separated by `;`.
    fn default() -> Self {
        Self { delimiter: None, quote: Some(b'"'), array_delimiter: ';' }
    }
}

/// Imports CSV files, whose headers follow the convention described in the module. The files may
/// come in any order; vertices are read first.
///
/// # Errors
/// See [`ImportError`].
pub fn csv(
    sources: &[CsvSource],
    csv_options: CsvOptions,
    target: &dyn Target,
    options: &ImportOptions,
    progress: &dyn Fn(ImportProgress),
) -> Result<ImportSummary, ImportError> {
    let files = sources.iter().map(|source| open(source, csv_options)).collect::<Result<Vec<_>, _>>()?;
    load::load(files, target, options, progress)
}

/// Imports Parquet files, whose columns are named as those of CSV; what their names do not say of types, the files do. A build without
/// the feature `parquet` refuses them.
///
/// # Errors
/// See [`ImportError`].
pub fn parquet(
    sources: &[CsvSource],
    target: &dyn Target,
    options: &ImportOptions,
    progress: &dyn Fn(ImportProgress),
) -> Result<ImportSummary, ImportError> {
    let files = sources.iter().map(open_parquet).collect::<Result<Vec<_>, _>>()?;
    load::load(files, target, options, progress)
}

#[cfg(not(feature = "parquet"))]
fn open_parquet(source: &CsvSource) -> Result<SourceFile, ImportError> {
    Err(ImportError::Foreign { path: source.path.clone(), format: super::foreign::PARQUET })
}

/// Reads the header of a file.
fn open(source: &CsvSource, options: CsvOptions) -> Result<SourceFile, ImportError> {
    let path = &source.path;
    let (reader, names) = match &source.header {
        None => {
            let mut reader = Reader::open(path, &options, false)?;
            let names = reader.header(path)?;
            (reader, names)
        }
        Some(header) => {
            let (delimiter, names) = header_file(header, source, options)?;
            (Reader::open(path, &CsvOptions { delimiter: Some(delimiter), ..options }, true)?, names)
        }
    };
    let said_by = source.header.as_ref().unwrap_or(path);
    let header = Header::parse(names).map_err(|e| ImportError::layout(said_by, e.to_string()))?;
    let label = label_of(source, said_by, &header)?;
    SourceFile::new(path, Box::new(reader), header, label, options.array_delimiter)
}

/// The label of rows that do not say theirs; none if each has to, in a column. What a file is called counts where nothing in it does.
fn label_of(source: &CsvSource, said_by: &Path, header: &Header) -> Result<Option<String>, ImportError> {
    if header.label.is_some() || header.columns.contains(&Column::Label) {
        return Ok(header.label.clone());
    }
    if source.label.is_some() {
        return Ok(source.label.clone());
    }
    let column = if header.is_edges { ":TYPE" } else { ":LABEL" };
    let problem =
        format!("no label: a column `{column}`, the option `{{label:…}}` or a label for the file expected");
    Err(ImportError::layout(said_by, problem))
}

/// The delimiter and the names in a file that is a header and nothing else.
fn header_file(
    path: &Path,
    source: &CsvSource,
    options: CsvOptions,
) -> Result<(u8, Vec<String>), ImportError> {
    let mut reader = Reader::open(path, &options, false)?;
    let names = reader.header(path)?;
    match reader.next(path)? {
        Row::End => Ok((reader.delimiter(), names)),
        _ => {
            let part = source.path.file_name().unwrap_or_default().to_string_lossy();
            let line = reader.line();
            let problem = format!(
                "a header alone expected, since {part} has none of its own by its name; found a row in line {line} (if this \
                 is no header, call the file otherwise)"
            );
            Err(ImportError::layout(path, problem))
        }
    }
}
