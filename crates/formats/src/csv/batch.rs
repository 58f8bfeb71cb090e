//! Rows collected into columns, one batch per label.

use std::borrow::Cow;
use std::collections::BTreeMap;

use values::{Value, VertexRef};

use super::header::{Column, Header};
use super::reader::Text;
use super::scalar::ScalarType;
use crate::columns::{Cell, push};
use crate::error::Fault;
use graph::{BulkCell, BulkColumn, BulkValues};

/// Rows after which batches are handed on.
const FULL: usize = 64 << 10;
/// Bytes of them after which they are: a packed file may have a long text in each row, or thousands of fields.
const FULL_OF_BYTES: usize = 64 << 20;
/// Most different labels at a time; a column of labels with more is read in smaller batches.
const MOST_LABELS: usize = 256;

/// Rows of one label on their way into the graph.
pub(super) struct Batch {
    /// Of each row the line that it begins on.
    pub(super) lines: Vec<u64>,
    pub(super) ids: Vec<Value>,
    pub(super) from: Vec<VertexRef>,
    pub(super) to: Vec<VertexRef>,
    pub(super) columns: Vec<BulkColumn>,
}

/// What a row has besides its properties.
#[derive(Default)]
pub(super) struct RowParts<'f> {
    pub(super) label: Option<Cow<'f, str>>,
    /// The id and the number of its column.
    pub(super) id: Option<(Value, usize)>,
    pub(super) from: Option<VertexRef>,
    pub(super) to: Option<VertexRef>,
}

/// The batches of one file, by label.
#[derive(Default)]
pub(super) struct Batches {
    by_label: BTreeMap<String, Batch>,
    rows: usize,
    bytes: usize,
}

impl Batches {
    /// Adds the row of a line; its cells are in the order of the columns that become properties.
    pub(super) fn add(&mut self, header: &Header, line: u64, row: RowParts<'_>, cells: Vec<Cell<'_>>) {
        let label = row.label.unwrap_or_default();
        if !self.by_label.contains_key(&*label) {
            let batch = Batch::new(header);
            self.bytes += label.len() + batch.columns.len() * size_of::<BulkColumn>();
            self.by_label.insert(label.clone().into_owned(), batch);
        }
        let Some(batch) = self.by_label.get_mut(&*label) else { return };
        self.bytes += cells.iter().map(|cell| SLOT + text_in(cell)).sum::<usize>();
        self.bytes += row.id.as_ref().map_or(0, |(id, _)| bytes_of(id));
        batch.columns.iter_mut().zip(cells).for_each(|(column, cell)| push(&mut column.values, cell));
        batch.ids.extend(row.id.map(|(id, _)| id));
        batch.from.extend(row.from);
        batch.to.extend(row.to);
        batch.lines.push(line);
        self.rows += 1;
    }

    /// Whether the batches should be handed on before the next row.
    pub(super) fn is_full(&self) -> bool {
        self.rows >= FULL || self.bytes >= FULL_OF_BYTES || self.by_label.len() >= MOST_LABELS
    }

    /// Hands all batches over and begins anew.
    pub(super) fn take(&mut self) -> BTreeMap<String, Batch> {
        (self.rows, self.bytes) = (0, 0);
        std::mem::take(&mut self.by_label)
    }
}

impl Batch {
    fn new(header: &Header) -> Self {
        let columns = header.columns.iter().filter_map(|column| match column {
            Column::Id { key: Some(key), id_type, .. } => {
                Some(BulkColumn { key: key.clone(), values: id_type.column() })
            }
            Column::Property { key, scalar, is_array } => {
                let values = match (is_array, header.is_edges) {
                    (false, _) => scalar.column(),
                    (true, false) => BulkValues::Multi(Vec::new()),
                    (true, true) => BulkValues::Any(Vec::new()),
                };
                Some(BulkColumn { key: key.clone(), values })
            }
            _ => None,
        });
        let (lines, ids) = (Vec::new(), Vec::new());
        Self { lines, ids, from: Vec::new(), to: Vec::new(), columns: columns.collect() }
    }
}

/// Bytes of a field that has nothing, or a number.
const SLOT: usize = size_of::<Value>();

/// Bytes of a value in memory.
fn bytes_of(value: &Value) -> usize {
    usize::try_from(value.extent().expanded).unwrap_or(usize::MAX)
}

/// Bytes of text and the like in a cell.
fn text_in(cell: &Cell<'_>) -> usize {
    match cell {
        Cell::Str(text) => text.len(),
        Cell::Any(value) => bytes_of(value),
        Cell::Multi(cells) => cells.iter().map(|cell| size_of::<BulkCell>() + bytes_of(&cell.value)).sum(),
        _ => 0,
    }
}

/// A field that holds one value, or none. An empty text is one only in quotes.
pub(super) fn scalar_cell(scalar: ScalarType, field: Text<'_>, number: usize) -> Result<Cell<'_>, Fault> {
    let Text { text, is_there, .. } = field;
    if text.is_empty() && !(is_there && scalar == ScalarType::String) {
        return Ok(Cell::Absent);
    }
    scalar.cell(text).ok_or_else(|| Fault::expected(number, scalar.description(), text))
}

/// How the values of a field that has many are joined.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrays {
    pub(super) delimiter: char,
    /// Whether a backslash before the delimiter makes it a character of a value.
    pub(super) escapes: bool,
}

impl Arrays {
    /// The values in the text of a field; empty ones are none.
    fn split(self, field: &str) -> Vec<Cow<'_, str>> {
        if !self.escapes || !field.contains('\\') {
            return field.split(self.delimiter).filter(|text| !text.is_empty()).map(Cow::Borrowed).collect();
        }
        let mut values = vec![String::new()];
        let mut letters = field.chars().peekable();
        while let Some(letter) = letters.next() {
            let last = values.last_mut().expect("there is always one");
            match letter {
                '\\' => last.push(letters.next_if_eq(&self.delimiter).unwrap_or(letter)),
                letter if letter == self.delimiter => values.push(String::new()),
                letter => last.push(letter),
            }
        }
        values.into_iter().filter(|text| !text.is_empty()).map(Cow::Owned).collect()
    }
}

/// A field that holds many values: a multi-property of a vertex, a list on an edge.
pub(super) fn array_cell(
    scalar: ScalarType,
    field: Text<'_>,
    arrays: Arrays,
    is_edge: bool,
    number: usize,
) -> Result<Cell<'static>, Fault> {
    let texts = match field.items {
        Some(items) => items.iter().map(|item| Cow::Borrowed(item.as_str())).collect(),
        None => arrays.split(field.text),
    };
    let mut items = Vec::new();
    for text in texts {
        let value = scalar.value(&text);
        items.push(value.ok_or_else(|| Fault::expected(number, scalar.description(), &text))?);
    }
    Ok(match (items.is_empty(), is_edge) {
        (true, _) => Cell::Absent,
        (false, true) => Cell::Any(Value::list(items)),
        (false, false) => Cell::Multi(items.into_iter().map(BulkCell::plain).collect()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows until batches are full, of such a header and such a field for each of its columns.
    fn rows_held(header: &str, field: &str) -> usize {
        let header = Header::parse(header.split(',').map(str::to_owned).collect()).unwrap();
        let mut batches = Batches::default();
        while !batches.is_full() {
            let mut row = RowParts { label: Some("x".into()), ..Default::default() };
            let mut cells = Vec::new();
            for column in &header.columns {
                match column {
                    Column::Id { .. } => row.id = Some((Value::str(field), 0)),
                    _ => cells.push(Cell::Str(field)),
                }
            }
            batches.add(&header, 1, row, cells);
        }
        batches.rows
    }

    #[test]
    fn batches_are_full_of_rows_or_of_bytes_wherever_these_are() {
        assert_eq!(rows_held(":ID,name", "a"), FULL);
        let long = "x".repeat(1 << 20);
        for header in [":ID", ":IGNORE,name"] {
            let rows = rows_held(header, &long);
            assert!((30..=64).contains(&rows), "{header}: {rows}");
        }
        let many = (0..1_000).map(|number| format!("k{number}:string")).collect::<Vec<_>>().join(",");
        assert!(rows_held(&many, "") < 5_000);
    }

    #[test]
    fn an_escaped_delimiter_belongs_to_its_value_where_there_are_escapes() {
        let split = |escapes, field| Arrays { delimiter: ';', escapes }.split(field);
        assert_eq!(split(false, r"a\;b;;c"), [r"a\", "b", "c"]);
        for (field, values) in [
            ("a;b", &["a", "b"][..]),
            (r"a\;b;c", &["a;b", "c"]),
            (r"\;;\;\;", &[";", ";;"]),
            (r"a\b;\", &[r"a\b", r"\"]),
            (r"\\;x", &[r"\;x"]),
            ("", &[]),
        ] {
            assert_eq!(split(true, field), values, "{field}");
        }
    }
}
