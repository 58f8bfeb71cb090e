//! From the bytes of a part of a file to typed columns. Runs on the workers; allocates per part, not per field.

use rustc_hash::FxHashMap;
use values::{DateTime, Str, Value, VertexRef};

use super::ids::Ids;
use super::layout::{CsvFile, DELIMITER, FieldType};
use crate::columns::{Cell, push, retain};
use crate::error::Fault;
use crate::lines::trim_line_end;
use crate::rejects::{BadRows, Faults};
use graph::{BulkCell, BulkColumn, BulkStrings, BulkValues};

/// Between the values of a list within a field.
const LIST_DELIMITER: char = ';';

/// What one part of a file gave.
pub(super) struct Part<C> {
    /// Lines, bad and blank ones included.
    pub(super) lines: u64,
    /// Rows that are fit for import.
    pub(super) rows: u64,
    pub(super) faults: Faults,
    pub(super) content: C,
}

/// Vertices: ids and columns, row by row.
pub(super) struct VertexRows {
    pub(super) ids: Vec<i64>,
    /// Line of each row within its part, from 0.
    pub(super) lines: Vec<u32>,
    pub(super) columns: Vec<BulkColumn>,
}

/// Edges: ends and columns, row by row.
pub(super) struct EdgeRows {
    pub(super) from: Vec<VertexRef>,
    pub(super) to: Vec<VertexRef>,
    /// Line of each row within its part, from 0.
    pub(super) lines: Vec<u32>,
    pub(super) columns: Vec<BulkColumn>,
}

/// Values of a multi-property: the owner's id, the value, and the line within the part.
pub(super) type ValueRows = Vec<(i64, Str, u64)>;

/// A multi-property that came in a file of its own.
pub(super) struct Attribute {
    /// Position of the owners' label.
    pub(super) label: usize,
    pub(super) key: String,
    /// The values of every owner, and where the first of them was found.
    pub(super) values: FxHashMap<i64, OwnedValues>,
}

/// The values of a multi-property that one vertex has.
#[derive(Default)]
pub(super) struct OwnedValues {
    pub(super) texts: Vec<Str>,
    /// Number of the table, and line in its file.
    pub(super) table: usize,
    pub(super) line: u64,
}

/// Reads vertices; `attributes` become further columns.
pub(super) fn vertices(
    file: &CsvFile,
    attributes: &[&Attribute],
    bytes: &[u8],
    policy: BadRows,
) -> Part<VertexRows> {
    let mut columns = empty_columns(file, 0);
    let mut content = VertexRows { ids: Vec::new(), lines: Vec::new(), columns: Vec::new() };
    let mut part = each_row(file, bytes, policy, |fields, cells, line| {
        let id = read_id(fields[0], 0)?;
        read_cells(file, fields, 0, cells)?;
        columns.iter_mut().zip(cells.drain(..)).for_each(|(column, cell)| push(&mut column.values, cell));
        content.ids.push(id);
        content.lines.push(line as u32);
        Ok(())
    });
    for attribute in attributes {
        let cells = content.ids.iter().map(|id| {
            let values = attribute.values.get(id).map(|owned| owned.texts.as_slice()).unwrap_or_default();
            values.iter().map(|text| BulkCell::plain(Value::String(text.clone()))).collect()
        });
        columns.push(BulkColumn { key: attribute.key.clone(), values: BulkValues::Multi(cells.collect()) });
    }
    content.columns = columns;
    part.rows = content.ids.len() as u64;
    part.with(content)
}

/// Reads edges; `from` and `to` are the vertices that their ends may be.
pub(super) fn edges(
    file: &CsvFile,
    from: End<'_>,
    to: End<'_>,
    bytes: &[u8],
    policy: BadRows,
) -> Part<EdgeRows> {
    let mut columns = empty_columns(file, 2);
    let mut rows = EndRows::default();
    let mut part = each_row(file, bytes, policy, |fields, cells, line| {
        let ends = (read_id(fields[0], 0)?, read_id(fields[1], 1)?);
        read_cells(file, fields, 2, cells)?;
        columns.iter_mut().zip(cells.drain(..)).for_each(|(column, cell)| push(&mut column.values, cell));
        rows.push(ends, line);
        Ok(())
    });
    let (sources, targets) = (from.ids.find(&rows.from), to.ids.find(&rows.to));
    let is_known = |(source, target): (&Option<_>, &Option<_>)| source.is_some() && target.is_some();
    let known: Vec<bool> = sources.iter().zip(&targets).map(is_known).collect();
    if known.contains(&false) {
        part.faults.add_earlier(policy, rows.unknown((from, &sources), (to, &targets), file, policy));
        columns.iter_mut().for_each(|column| retain(&mut column.values, &known));
    }
    let ends = |ends: Vec<Option<VertexRef>>| {
        ends.into_iter().zip(&known).filter_map(|(end, known)| end.filter(|_| *known)).collect::<Vec<_>>()
    };
    let lines = rows.lines.iter().zip(&known).filter(|(_, known)| **known).map(|(line, _)| *line as u32);
    let content = EdgeRows { from: ends(sources), to: ends(targets), lines: lines.collect(), columns };
    part.rows = content.from.len() as u64;
    part.with(content)
}

/// The ids at the ends of edges, row by row: they are looked up together.
#[derive(Default)]
struct EndRows {
    from: Vec<i64>,
    to: Vec<i64>,
    /// Line of each row within its part.
    lines: Vec<u64>,
}

impl EndRows {
    fn push(&mut self, (from, to): (i64, i64), line: u64) {
        self.from.push(from);
        self.to.push(to);
        self.lines.push(line);
    }

    /// The rows with an end that is no vertex, as far as they are wanted.
    fn unknown(
        &self,
        (from, sources): (End<'_>, &[Option<VertexRef>]),
        (to, targets): (End<'_>, &[Option<VertexRef>]),
        file: &CsvFile,
        policy: BadRows,
    ) -> Faults {
        let mut faults = Faults::default();
        for (row, &line) in self.lines.iter().enumerate() {
            let fault = match (sources[row], targets[row]) {
                (None, _) => unknown_id(from.label, self.from[row], 0),
                (_, None) => unknown_id(to.label, self.to[row], 1),
                _ => continue,
            };
            if !faults.add(policy, line, fault.named(&file.header)) {
                break;
            }
        }
        faults
    }
}

/// Reads the values of a multi-property.
pub(super) fn values(file: &CsvFile, bytes: &[u8], policy: BadRows) -> Part<ValueRows> {
    let mut content = ValueRows::new();
    let mut part = each_row(file, bytes, policy, |fields, _, line| {
        content.push((read_id(fields[0], 0)?, fields[1].into(), line));
        Ok(())
    });
    part.rows = content.len() as u64;
    part.with(content)
}

impl Part<()> {
    fn with<C>(self, content: C) -> Part<C> {
        Part { lines: self.lines, rows: self.rows, faults: self.faults, content }
    }
}

/// The vertices that one end of an edge may be.
#[derive(Clone, Copy)]
pub(super) struct End<'a> {
    pub(super) label: &'a str,
    pub(super) ids: &'a Ids,
}

/// An id that no vertex of the label has.
pub(super) fn unknown_id(label: &str, id: i64, column: usize) -> Fault {
    Fault::at(column, format!("the id of a {label} expected, but no {label} has the id {id}"))
}

/// Calls `row` with the fields of every line that has as many as the header. `cells` is scratch space.
fn each_row<'a>(
    file: &CsvFile,
    bytes: &'a [u8],
    policy: BadRows,
    mut row: impl FnMut(&[&'a str], &mut Vec<Cell<'a>>, u64) -> Result<(), Fault>,
) -> Part<()> {
    let mut part = Part { lines: 0, rows: 0, faults: Faults::default(), content: () };
    let (mut fields, mut cells) =
        (Vec::with_capacity(file.header.len()), Vec::with_capacity(file.header.len()));
    let text = std::str::from_utf8(bytes).ok();
    let mut start = 0;
    while start < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |length| start + length + 1);
        let line =
            text.map_or_else(|| read_utf8(&bytes[start..end]), |text| Ok(trim_line_end(&text[start..end])));
        let result = line.and_then(|line| {
            if line.is_empty() {
                return Ok(());
            }
            split(line, file.header.len(), &mut fields)?;
            cells.clear();
            row(&fields, &mut cells, part.lines)
        });
        if let Err(fault) = result
            && !part.faults.add(policy, part.lines, fault.named(&file.header))
        {
            break;
        }
        part.lines += 1;
        start = end;
    }
    part
}

/// A line of a part that is not UTF-8 as a whole.
fn read_utf8(line: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(line).map(trim_line_end).map_err(|error| {
        let before = &line[..error.valid_up_to()];
        let column = memchr::memchr_iter(DELIMITER, before).count();
        Fault::at(column, "text in UTF-8 expected, found other bytes")
    })
}

fn split<'a>(line: &'a str, columns: usize, fields: &mut Vec<&'a str>) -> Result<(), Fault> {
    fields.clear();
    let mut start = 0;
    for end in memchr::memchr_iter(DELIMITER, line.as_bytes()) {
        fields.push(&line[start..end]);
        start = end + 1;
    }
    fields.push(&line[start..]);
    if fields.len() == columns {
        return Ok(());
    }
    let found = fields.len();
    let problem = format!("{columns} fields expected, as in the header, found {found}");
    Err(Fault { column: found.min(columns) as u64, field: None, problem })
}

fn read_id(field: &str, column: usize) -> Result<i64, Fault> {
    field.parse().map_err(|_| Fault::expected(column, "an id (an integer of 64 bits)", field))
}

fn read_cells<'a>(
    file: &CsvFile,
    fields: &[&'a str],
    first: usize,
    cells: &mut Vec<Cell<'a>>,
) -> Result<(), Fault> {
    for (column, field) in fields.iter().enumerate().skip(first) {
        cells.push(read_cell(file.types[column], field, column)?);
    }
    Ok(())
}

fn read_cell(field_type: FieldType, field: &str, column: usize) -> Result<Cell<'_>, Fault> {
    if field.is_empty() {
        return Ok(Cell::Absent);
    }
    match field_type {
        FieldType::Text => Ok(Cell::Str(field)),
        FieldType::Id => read_id(field, column).map(Cell::Long),
        FieldType::Millis => match field.parse() {
            Ok(millis) => Ok(Cell::Long(millis)),
            Err(_) => Err(Fault::expected(column, "a date in milliseconds since 1970", field)),
        },
        FieldType::Int => match field.parse() {
            Ok(number) => Ok(Cell::Int(number)),
            Err(_) => Err(Fault::expected(column, "an integer of 32 bits", field)),
        },
        FieldType::Date => match field.parse::<DateTime>() {
            Ok(date) => Ok(Cell::DateTime(date)),
            Err(error) => Err(Fault::at(column, error.to_string())),
        },
        FieldType::Texts => {
            let values = field.split(LIST_DELIMITER).filter(|text| !text.is_empty());
            Ok(Cell::Multi(values.map(|text| BulkCell::plain(Value::str(text))).collect()))
        }
    }
}

/// A column for every field from number `first` on.
fn empty_columns(file: &CsvFile, first: usize) -> Vec<BulkColumn> {
    let fields = file.header.iter().zip(&file.types).skip(first);
    fields
        .map(|(key, field_type)| {
            let values = match field_type {
                FieldType::Id | FieldType::Millis => BulkValues::Long(Vec::new()),
                FieldType::Int => BulkValues::Int(Vec::new()),
                FieldType::Date => BulkValues::DateTime(Vec::new()),
                FieldType::Text => BulkValues::Str(BulkStrings::new()),
                FieldType::Texts => BulkValues::Multi(Vec::new()),
            };
            BulkColumn { key: key.clone(), values }
        })
        .collect()
}
