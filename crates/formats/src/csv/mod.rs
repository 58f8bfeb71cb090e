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
mod neptune;
mod reader;
mod rows;
mod scalar;

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustc_hash::FxHashMap;
use values::{Value, VertexRef};

use self::batch::{Arrays, Batches};
pub use self::export::{CsvConvention, CsvWriter, MakeFile};
pub use self::header::is_csv_header;
use self::header::{Column, Header};
use self::reader::{Reader, Row, Text};
use self::scalar::ScalarType;
use super::error::{Fault, ImportError, quoted};
use super::foreign::refuse_foreign;
use super::progress::{ImportProgress, Monitor};
use super::rejects::Rejects;
use super::summary::{Counts, ImportSummary, finish};
use super::{ImportOptions, SeveralLabels};

use graph::{BulkLoad, Graph, NameSpace, check_name};

/// What is expected of a vertex with several labels.
const ONE_LABEL: &str = "one label (a vertex has no more than one here; `--labels first` takes the first, `--labels join` makes one of all)";

/// Rows after which progress is reported.
const PROGRESS_ROWS: u64 = 4096;

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
    let begun = Instant::now();
    let files =
        sources.iter().map(|source| SourceFile::open(source, csv_options)).collect::<Result<Vec<_>, _>>()?;
    let mut import = Import {
        csv_options,
        several_labels: options.several_labels,
        bulk: graph.bulk_load()?,
        monitor: Monitor::new(files.iter().map(|file| file.length).sum(), progress),
        rejects: Rejects::new(options.bad_rows),
        counts: Counts::default(),
        spaces: FxHashMap::default(),
    };
    let (edges, vertices): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| file.header.is_edges);
    import.declare_spaces(&vertices)?;
    import.check_ends(&edges)?;
    vertices.into_iter().try_for_each(|file| import.read(file))?;
    edges.into_iter().try_for_each(|file| import.read(file))?;
    let Import { bulk, counts, monitor, rejects, .. } = import;
    finish(bulk, counts, &monitor, rejects, begun)
}

/// A file whose header has been read.
struct SourceFile {
    path: PathBuf,
    reader: Reader,
    header: Header,
    length: u64,
    label: Option<String>,
}

impl SourceFile {
    fn open(source: &CsvSource, options: CsvOptions) -> Result<Self, ImportError> {
        let path = source.path.clone();
        let (reader, names) = Reader::open(&path, &options)?;
        let header = Header::parse(names).map_err(|e| ImportError::layout(&path, e.to_string()))?;
        let length = std::fs::metadata(&path).map_err(|e| ImportError::io(&path, e))?.len();
        let label = header.label.clone().or_else(|| source.label.clone());
        if label.is_none() && !header.columns.contains(&Column::Label) {
            let column = if header.is_edges { ":TYPE" } else { ":LABEL" };
            let problem = format!(
                "no label: a column `{column}`, the option `{{label:…}}` or a label for the file expected"
            );
            return Err(ImportError::layout(&path, problem));
        }
        Ok(Self { path, reader, header, length, label })
    }
}

/// The ids of one id space.
struct Space {
    id_type: ScalarType,
    ids: FxHashMap<Value, VertexRef>,
}

/// An import on its way.
struct Import<'a> {
    csv_options: CsvOptions,
    several_labels: SeveralLabels,
    bulk: BulkLoad,
    monitor: Monitor<'a>,
    rejects: Rejects,
    counts: Counts,
    spaces: FxHashMap<String, Space>,
}

impl Import<'_> {
    /// Makes room for the id spaces that the vertices are in; all files of a space agree on the type of its ids.
    fn declare_spaces(&mut self, files: &[SourceFile]) -> Result<(), ImportError> {
        for file in files {
            for column in &file.header.columns {
                let Column::Id { space, id_type, key } = column else { continue };
                let known = self.spaces.entry(space.clone());
                let known = known.or_insert_with(|| Space { id_type: *id_type, ids: FxHashMap::default() });
                if known.id_type != *id_type {
                    let problem =
                        format!("another file has ids of another type in the id space {}", quoted(space));
                    return Err(ImportError::layout(&file.path, problem));
                }
                if let (Some(key), Some(label), false) = (key, &file.label, space.is_empty()) {
                    self.bulk.index(label, key)?;
                }
            }
        }
        Ok(())
    }

    /// Edges refer to id spaces that vertices are in.
    fn check_ends(&self, files: &[SourceFile]) -> Result<(), ImportError> {
        for file in files {
            for column in &file.header.columns {
                if let Column::Start { space } | Column::End { space } = column
                    && !self.spaces.contains_key(space)
                {
                    let problem = format!("no file has vertices with ids in the id space {}", quoted(space));
                    return Err(ImportError::layout(&file.path, problem));
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, mut file: SourceFile) -> Result<(), ImportError> {
        let mut batches = Batches::default();
        let (mut bytes, mut rows) = (0, 0);
        loop {
            let result = match file.reader.next(&file.path)? {
                Row::End => break,
                Row::Bad(fault) => Err(fault),
                Row::Fields(fields) => self.row(&file.header, file.label.as_deref(), &fields, &mut batches),
            };
            match result {
                Ok(()) => rows += 1,
                Err(fault) => {
                    self.rejects.add(&file.path, file.reader.line, fault.named(&file.header.names))?
                }
            }
            if batches.is_full() {
                self.flush(&file.header, &mut batches)?;
            }
            if rows >= PROGRESS_ROWS {
                let now = file.reader.bytes();
                self.monitor.advance(now - bytes, rows);
                (bytes, rows) = (now, 0);
            }
        }
        self.flush(&file.header, &mut batches)?;
        self.monitor.advance(file.length.saturating_sub(bytes), rows);
        Ok(())
    }

    /// Takes one row into its batch, or says what is wrong with it; then nothing of it was taken.
    fn row(
        &mut self,
        header: &Header,
        file_label: Option<&str>,
        fields: &[Text<'_>],
        batches: &mut Batches,
    ) -> Result<(), Fault> {
        if fields.len() != header.columns.len() {
            let (expected, found) = (header.columns.len(), fields.len());
            let problem = format!("{expected} fields expected, as in the header, found {found}");
            return Err(Fault::at(found.min(expected).saturating_sub(1), problem));
        }
        let mut row = batch::RowParts { label: file_label.map(Cow::Borrowed), ..Default::default() };
        let mut cells = Vec::with_capacity(fields.len());
        for (number, (column, field)) in header.columns.iter().zip(fields).enumerate() {
            self.field(header, column, *field, number, &mut row, &mut cells)?;
        }
        if row.label.as_deref().is_none_or(str::is_empty) {
            let number =
                header.columns.iter().position(|column| *column == Column::Label).unwrap_or_default();
            return Err(Fault::at(number, "a label expected, found nothing"));
        }
        if let (false, Some((id, number)), Some(space)) = (header.is_edges, &row.id, header.id_space()) {
            // The reference is filled in when the batch is loaded; until then no edge asks for it.
            match self.ids_of(space).entry(id.clone()) {
                Entry::Vacant(place) => place.insert(VertexRef::default()),
                Entry::Occupied(_) => {
                    let id = quoted(fields[*number].text);
                    let problem = format!("an id of its own expected, but an earlier row has {id}, too");
                    return Err(Fault::at(*number, problem));
                }
            };
        }
        batches.add(header, row, cells);
        Ok(())
    }

    fn field<'f>(
        &self,
        header: &Header,
        column: &Column,
        field: Text<'f>,
        number: usize,
        row: &mut batch::RowParts<'f>,
        cells: &mut Vec<super::columns::Cell<'f>>,
    ) -> Result<(), Fault> {
        let text = field.text;
        match column {
            Column::Ignore => {}
            Column::Label if text.is_empty() => {}
            Column::Label => row.label = Some(self.label(header.is_edges, text, number)?),
            Column::Start { space } => row.from = Some(self.end(space, text, number)?),
            Column::End { space } => row.to = Some(self.end(space, text, number)?),
            Column::Id { id_type, key, .. } => {
                let id = (!text.is_empty()).then(|| id_type.value(text)).flatten();
                let id = id.ok_or_else(|| Fault::expected(number, id_type.description(), text))?;
                if key.is_some() {
                    cells.push(batch::scalar_cell(*id_type, field, number)?);
                }
                row.id = Some((id, number));
            }
            Column::Property { scalar, is_array: false, .. } => {
                cells.push(batch::scalar_cell(*scalar, field, number)?);
            }
            Column::Property { scalar, is_array: true, .. } => {
                let delimiter = self.csv_options.array_delimiter;
                let arrays = Arrays { delimiter, escapes: header.is_neptunes };
                cells.push(batch::array_cell(*scalar, text, arrays, header.is_edges, number)?);
            }
        }
        Ok(())
    }

    /// The label of a row. Several of a vertex are one here.
    fn label<'f>(&self, is_edge: bool, field: &'f str, number: usize) -> Result<Cow<'f, str>, Fault> {
        let (space, delimiter) = match is_edge {
            true => (NameSpace::EdgeLabel, None),
            false => (NameSpace::VertexLabel, Some(self.csv_options.array_delimiter)),
        };
        let several = delimiter.filter(|delimiter| field.contains(*delimiter));
        let label = match several {
            None => Cow::Borrowed(field),
            Some(delimiter) => {
                let mut labels = field.split(delimiter).map(str::trim).filter(|label| !label.is_empty());
                match self.several_labels {
                    SeveralLabels::First => Cow::Borrowed(labels.next().unwrap_or_default()),
                    SeveralLabels::Join => Cow::Owned(labels.collect::<Vec<_>>().join("::")),
                    SeveralLabels::Refuse => return Err(Fault::expected(number, ONE_LABEL, field)),
                }
            }
        };
        check_name(space, &label).map_err(|error| Fault::at(number, error.to_string()))?;
        Ok(label)
    }

    /// The vertex that an end of an edge names.
    fn end(&self, space: &str, field: &str, number: usize) -> Result<VertexRef, Fault> {
        let found = self.spaces.get(space).and_then(|space| {
            let id = space.id_type.value(field)?;
            space.ids.get(&id).copied()
        });
        found.ok_or_else(|| Fault::expected(number, "the id of a vertex", field))
    }

    /// The ids seen so far in an id space of vertices.
    fn ids_of(&mut self, space: &str) -> &mut FxHashMap<Value, VertexRef> {
        &mut self.spaces.get_mut(space).expect("every id space was declared before rows are read").ids
    }

    /// Hands the batches to the bulk load.
    fn flush(&mut self, header: &Header, batches: &mut Batches) -> Result<(), ImportError> {
        let space = header.id_space();
        let keeps_ids = space.is_some_and(|space| header.is_edges || space.is_empty());
        for (label, batch) in batches.take() {
            let ids = keeps_ids.then(|| batch.ids.clone());
            if header.is_edges {
                self.counts.edges += batch.from.len() as u64;
                self.bulk.edges(&label, &batch.from, &batch.to, ids, batch.columns)?;
                continue;
            }
            let vertices = match ids.is_none() && batch.columns.is_empty() {
                true => self.bulk.vertices_without_columns(&label, batch.rows)?,
                false => self.bulk.vertices(&label, ids, batch.columns)?,
            };
            self.counts.vertices += vertices.len() as u64;
            if let Some(space) = space {
                self.ids_of(space).extend(batch.ids.into_iter().zip(vertices));
            }
        }
        Ok(())
    }
}
