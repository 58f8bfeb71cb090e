//! Rows of tables into the graph: vertices first, then edges, whose ends are looked up by the ids of their spaces.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustc_hash::{FxHashMap, FxHashSet};
use values::{Value, VertexRef};

use super::batch::{self, Arrays, Batches};
use super::header::{Column, Header};
use super::reader::{Records, Row, Text};
use super::scalar::ScalarType;
use crate::columns::Cell;
use crate::error::{Fault, ImportError, quoted};
use crate::progress::{ImportProgress, Monitor};
use crate::rejects::Rejects;
use crate::sink::{Places, Rows, Sink, Target};
use crate::summary::{Counts, ImportSummary, finish};
use crate::{ImportOptions, SeveralLabels};
use graph::{NameSpace, check_name};

/// What is expected of a vertex with several labels.
const ONE_LABEL: &str = "one label (a vertex has no more than one here; `--labels first` takes the first, `--labels join` makes one of all)";

/// Rows after which progress is reported.
const PROGRESS_ROWS: u64 = 4096;

/// Loads files.
pub(super) fn load(
    files: Vec<SourceFile>,
    target: &dyn Target,
    options: &ImportOptions,
    progress: &dyn Fn(ImportProgress),
) -> Result<ImportSummary, ImportError> {
    let begun = Instant::now();
    let mut import = Import {
        several_labels: options.several_labels,
        sink: target.begin()?,
        monitor: Monitor::new(files.iter().map(|file| file.length).sum(), progress),
        rejects: Rejects::new(options.bad_rows),
        counts: Counts::default(),
        spaces: FxHashMap::default(),
        indexed: FxHashSet::default(),
    };
    import.sink.treat_bad_rows(options.bad_rows);
    let (mut edges, mut vertices): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|file| file.columns.header.is_edges);
    // What gets ids of the graph comes behind what has its own: so none of these is taken by then.
    [&mut vertices, &mut edges]
        .into_iter()
        .for_each(|files| files.sort_by_key(|file| !file.columns.header.keeps_ids()));
    import.declare_spaces(&vertices)?;
    import.check_ends(&edges)?;
    vertices.into_iter().try_for_each(|file| import.read(file))?;
    edges.into_iter().try_for_each(|file| import.read(file))?;
    let Import { sink, counts, monitor, rejects, .. } = import;
    finish(sink, counts, &monitor, rejects, begun)
}

/// A file of which is known what its columns are.
pub(super) struct SourceFile {
    path: PathBuf,
    records: Box<dyn Records>,
    columns: Columns,
    length: u64,
    /// What its fields are called.
    names: Vec<String>,
    /// Of each column the number of its field; none if they are the same.
    fields: Option<Vec<usize>>,
}

/// What a file holds.
struct Columns {
    header: Header,
    /// The label of what it holds, if no column says it.
    label: Option<String>,
    arrays: Arrays,
}

impl SourceFile {
    /// One whose fields are its columns.
    pub(super) fn new(
        path: &Path,
        records: Box<dyn Records>,
        header: Header,
        label: Option<String>,
        array_delimiter: char,
    ) -> Result<Self, ImportError> {
        let length = std::fs::metadata(path).map_err(|e| ImportError::io(path, e))?.len();
        let arrays = Arrays { delimiter: array_delimiter, escapes: header.is_neptunes };
        let names = header.names.clone();
        let columns = Columns { header, label, arrays };
        Ok(Self { path: path.to_owned(), records, columns, length, names, fields: None })
    }

    /// The same with columns that are these of the fields that are called so.
    pub(super) fn with_fields(self, names: Vec<String>, fields: Vec<usize>) -> Self {
        Self { names, fields: Some(fields), ..self }
    }

    /// The fault of a column, which is counted as its field.
    fn fault_of_column(&self, fault: Fault) -> Fault {
        let column = fault.column as usize - 1;
        let field = self.fields.as_ref().and_then(|fields| fields.get(column)).copied().unwrap_or(column);
        let named = Fault { column: field as u64 + 1, ..fault }.named(&self.names);
        // Where in a line a member of JSON is, nobody knows any more.
        if self.records.are_numbered() { named } else { Fault { column: 1, ..named } }
    }

    /// The fault of a field, with its name.
    fn fault_of_field(&self, fault: Fault) -> Fault {
        if self.records.are_numbered() { fault.named(&self.names) } else { fault }
    }
}

/// The ids of one id space.
struct Space {
    id_type: ScalarType,
    ids: FxHashMap<Value, VertexRef>,
}

/// An import on its way.
struct Import<'a> {
    several_labels: SeveralLabels,
    sink: Box<dyn Sink + 'a>,
    monitor: Monitor<'a>,
    rejects: Rejects,
    counts: Counts,
    spaces: FxHashMap<String, Space>,
    /// Labels and keys that an index was asked for.
    indexed: FxHashSet<(String, String)>,
}

impl Import<'_> {
    /// Makes room for the id spaces that the vertices are in; all files of a space agree on the type of its ids.
    fn declare_spaces(&mut self, files: &[SourceFile]) -> Result<(), ImportError> {
        for file in files {
            for column in &file.columns.header.columns {
                let Column::Id { space, id_type, .. } = column else { continue };
                let known = self.spaces.entry(space.clone());
                let known = known.or_insert_with(|| Space { id_type: *id_type, ids: FxHashMap::default() });
                if known.id_type != *id_type {
                    let problem =
                        format!("another file has ids of another type in the id space {}", quoted(space));
                    return Err(ImportError::layout(&file.path, problem));
                }
            }
        }
        Ok(())
    }

    /// Edges refer to id spaces that vertices are in; or to vertices of the graph, whose ids are in no space.
    fn check_ends(&self, files: &[SourceFile]) -> Result<(), ImportError> {
        for file in files {
            for column in &file.columns.header.columns {
                if let Column::Start { space } | Column::End { space } = column
                    && !self.spaces.contains_key(space)
                    && !(space.is_empty() && self.sink.has_others())
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
            let fault = match file.records.next(&file.path)? {
                Row::End => break,
                Row::Bad(fault) => Some(file.fault_of_field(fault)),
                Row::Fields(line, fields) => {
                    match of_columns(fields, file.fields.as_deref(), file.names.len()) {
                        Err(fault) => Some(file.fault_of_field(fault)),
                        Ok(fields) => {
                            let taken = self.row(&file.columns, (&fields, line), &mut batches);
                            taken.err().map(|fault| file.fault_of_column(fault))
                        }
                    }
                }
            };
            match fault {
                None => rows += 1,
                Some(fault) => self.rejects.add(&file.path, file.records.line(), fault)?,
            }
            if batches.is_full() {
                self.flush(&file.path, &file.columns.header, &mut batches)?;
            }
            if rows >= PROGRESS_ROWS {
                let now = file.records.bytes();
                self.monitor.advance(now - bytes, rows);
                (bytes, rows) = (now, 0);
            }
        }
        self.flush(&file.path, &file.columns.header, &mut batches)?;
        self.monitor.advance(file.length.saturating_sub(bytes), rows);
        Ok(())
    }

    /// Takes one row, which has a field for each column, into its batch, or says what is wrong with it; then nothing of it was taken.
    fn row(
        &mut self,
        columns: &Columns,
        (fields, line): (&[Text<'_>], u64),
        batches: &mut Batches,
    ) -> Result<(), Fault> {
        let header = &columns.header;
        let label = columns.label.as_deref().map(Cow::Borrowed);
        let mut row = batch::RowParts { label, ..Default::default() };
        let mut cells = Vec::with_capacity(fields.len());
        for (number, (column, field)) in header.columns.iter().zip(fields).enumerate() {
            self.field(columns, column, (*field, number), &mut row, &mut cells)?;
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
        batches.add(header, line, row, cells);
        Ok(())
    }

    fn field<'f>(
        &mut self,
        columns: &Columns,
        column: &Column,
        (field, number): (Text<'f>, usize),
        row: &mut batch::RowParts<'f>,
        cells: &mut Vec<Cell<'f>>,
    ) -> Result<(), Fault> {
        let (text, is_edge) = (field.text, columns.header.is_edges);
        if field.items.is_some() && !matches!(column, Column::Property { is_array: true, .. }) {
            return Err(Fault::at(number, "one value expected, found an array"));
        }
        match column {
            Column::Ignore => {}
            Column::Label if text.is_empty() => {}
            Column::Label => row.label = Some(self.label(columns, text, number)?),
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
                cells.push(batch::array_cell(*scalar, field, columns.arrays, is_edge, number)?);
            }
        }
        Ok(())
    }

    /// The label of a row. Several of a vertex are one here.
    fn label<'f>(&self, columns: &Columns, field: &'f str, number: usize) -> Result<Cow<'f, str>, Fault> {
        let (space, delimiter) = match columns.header.is_edges {
            true => (NameSpace::EdgeLabel, None),
            false => (NameSpace::VertexLabel, Some(columns.arrays.delimiter)),
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

    /// The vertex that an end of an edge names: of the files or, if its id is in no space, of the graph.
    fn end(&mut self, space: &str, field: &str, number: usize) -> Result<VertexRef, Fault> {
        let known = self.spaces.get(space);
        let id = known.and_then(|space| space.id_type.value(field));
        let mut found = known.and_then(|space| space.ids.get(id.as_ref()?).copied());
        if found.is_none() && space.is_empty() && !field.is_empty() && self.sink.has_others() {
            // Where no file says what type ids have, they are texts, or else whole numbers.
            let untyped = || [Some(Value::str(field)), field.parse().ok().map(Value::Long)];
            let ids: Vec<Value> = match known {
                Some(_) => id.into_iter().collect(),
                None => untyped().into_iter().flatten().collect(),
            };
            found = self.sink.elsewhere(&ids);
        }
        found.ok_or_else(|| Fault::expected(number, "the id of a vertex", field))
    }

    /// The ids seen so far in an id space of vertices.
    fn ids_of(&mut self, space: &str) -> &mut FxHashMap<Value, VertexRef> {
        &mut self.spaces.get_mut(space).expect("every id space was declared before rows are read").ids
    }

    /// Asks for an index, once.
    fn index(&mut self, label: &str, key: &str) -> Result<(), ImportError> {
        if self.indexed.insert((label.to_owned(), key.to_owned())) {
            self.sink.index(label, key)?;
        }
        Ok(())
    }

    /// Hands the batches on.
    fn flush(&mut self, path: &Path, header: &Header, batches: &mut Batches) -> Result<(), ImportError> {
        let space = header.id_space();
        let keeps_ids = header.keeps_ids();
        for (label, batch) in batches.take() {
            let rows = Rows::of(path, Places::Lines(&batch.lines));
            let ids = keeps_ids.then(|| batch.ids.clone());
            if header.is_edges {
                self.counts.edges += batch.from.len() as u64;
                self.sink.edges(&label, (&batch.from, &batch.to), rows, ids, batch.columns)?;
                continue;
            }
            if let Some(key) = header.indexed_key() {
                self.index(&label, key)?;
            }
            let vertices = self.sink.vertices(&label, rows, ids, batch.columns)?;
            self.counts.vertices += vertices.len() as u64;
            if let Some(space) = space {
                self.ids_of(space).extend(batch.ids.into_iter().zip(vertices));
            }
        }
        Ok(())
    }
}

/// The fields of a row of so many that are those of the columns, in their order.
fn of_columns<'f>(
    fields: Vec<Text<'f>>,
    wanted: Option<&[usize]>,
    count: usize,
) -> Result<Vec<Text<'f>>, Fault> {
    if fields.len() != count {
        let found = fields.len();
        let problem = format!("{count} fields expected, as in the header, found {found}");
        return Err(Fault::at(found.min(count).saturating_sub(1), problem));
    }
    Ok(match wanted {
        None => fields,
        Some(wanted) => wanted.iter().map(|&number| fields[number]).collect(),
    })
}
