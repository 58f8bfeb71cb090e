//! Import of CSV files whose headers say what they hold.
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
mod reader;
mod rows;
mod scalar;

use std::path::{Path, PathBuf};

pub use self::export::{CsvConvention, CsvWriter, MakeFile};
pub use self::header::is_csv_header;
use self::header::{Column, Header};
use self::load::SourceFile;
pub use self::mapping::{Table, TableEnd, TableId, TableLabel, TableProperty, TableRecords, tables};
use self::reader::Reader;
use super::ImportOptions;
use super::error::ImportError;
use super::foreign::refuse_foreign;
use super::progress::ImportProgress;
use super::summary::ImportSummary;

use graph::Graph;

/// A CSV file to import.
#[derive(Clone, Debug)]
pub struct CsvSource {
    /// The file.
    pub path: PathBuf,
    /// The label of its vertices or edges, where the file has neither `:LABEL` nor `:TYPE` nor the option `{label:…}`.
    pub label: Option<String>,
}

impl CsvSource {
    /// All `.csv`, `.csv.gz` and `.csv.zst` files of a directory, by name. What else is in it may be data that would be missed, so
    /// it is refused; but for hidden files, names in capitals (`README.md`, `_SUCCESS`), and Markdown.
    ///
    /// # Errors
    /// If the directory cannot be read, has none, or has something else.
    pub fn in_directory(directory: &Path) -> Result<Vec<Self>, ImportError> {
        let entries = std::fs::read_dir(directory).map_err(|e| ImportError::io(directory, e))?;
        let mut sources = Vec::new();
        for entry in entries {
            let path = entry.map_err(|e| ImportError::io(directory, e))?.path();
            if is_about_the_data(&path) {
                continue;
            }
            match csv_stem(&path) {
                Some(_) if !path.is_dir() => sources.push(Self { path, label: None }),
                _ => return Err(not_csv(&path)),
            }
        }
        sources.sort_by(|a, b| a.path.cmp(&b.path));
        if sources.is_empty() {
            return Err(ImportError::NoFiles {
                path: directory.to_owned(),
                expected: "files named `*.csv` expected",
            });
        }
        Ok(sources)
    }
}

/// What a CSV file is called without its ending; none if it is called like another one.
pub fn csv_stem(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    [".csv", ".csv.gz", ".csv.zst"].iter().find_map(|ending| name.strip_suffix(ending))
}

/// Whether a file beside data is none itself, by its name.
fn is_about_the_data(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let in_capitals = !stem.is_empty() && stem.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    name.starts_with('.') || in_capitals || name.ends_with(".md")
}

/// The error of something in a directory that is no CSV file.
fn not_csv(path: &Path) -> ImportError {
    if path.is_dir() {
        return ImportError::layout(
            path,
            "it is a directory; CSV files side by side expected, so move it elsewhere",
        );
    }
    match refuse_foreign(path) {
        Err(foreign) => foreign,
        Ok(()) => ImportError::layout(
            path,
            "its name does not end in `.csv`; rename it if it is to be imported, or move it elsewhere",
        ),
    }
}

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

/// Imports CSV files, whose headers follow the convention described in the module, into an empty graph. The files may
/// come in any order; vertices are read first.
///
/// # Errors
/// See [`ImportError`]. The graph is empty then, as before.
pub fn csv(
    sources: &[CsvSource],
    csv_options: CsvOptions,
    graph: &Graph,
    options: &ImportOptions,
    progress: &dyn Fn(ImportProgress),
) -> Result<ImportSummary, ImportError> {
    let files = sources.iter().map(|source| open(source, csv_options)).collect::<Result<Vec<_>, _>>()?;
    load::load(files, graph, options, progress)
}

/// Reads the header of a file.
fn open(source: &CsvSource, options: CsvOptions) -> Result<SourceFile, ImportError> {
    let path = &source.path;
    let mut reader = Reader::open(path, &options, false)?;
    let names = reader.header(path)?;
    let header = Header::parse(names).map_err(|e| ImportError::layout(path, e.to_string()))?;
    let label = header.label.clone().or_else(|| source.label.clone());
    if label.is_none() && !header.columns.contains(&Column::Label) {
        let column = if header.is_edges { ":TYPE" } else { ":LABEL" };
        let problem = format!(
            "no label: a column `{column}`, the option `{{label:…}}` or a label for the file expected"
        );
        return Err(ImportError::layout(path, problem));
    }
    let array_delimiter = options.array_delimiter;
    SourceFile::new(path, Box::new(reader), header, label, array_delimiter)
}
