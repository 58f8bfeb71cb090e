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
/// Bytes of text in them after which they are: a packed file may have a long text in each row.
const FULL_OF_TEXT: usize = 64 << 20;
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
            self.by_label.insert(label.clone().into_owned(), Batch::new(header));
        }
        let Some(batch) = self.by_label.get_mut(&*label) else { return };
        self.bytes += cells.iter().map(text_in).sum::<usize>();
        batch.columns.iter_mut().zip(cells).for_each(|(column, cell)| push(&mut column.values, cell));
        batch.ids.extend(row.id.map(|(id, _)| id));
        batch.from.extend(row.from);
        batch.to.extend(row.to);
        batch.lines.push(line);
        self.rows += 1;
    }

    /// Whether the batches should be handed on before the next row.
    pub(super) fn is_full(&self) -> bool {
        self.rows >= FULL || self.bytes >= FULL_OF_TEXT || self.by_label.len() >= MOST_LABELS
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

/// Bytes of text in a cell.
fn text_in(cell: &Cell<'_>) -> usize {
    let of = |value: &Value| value.as_str().map_or(0, str::len);
    match cell {
        Cell::Str(text) => text.len(),
        Cell::Any(value) => value.as_list().map_or_else(|| of(value), |values| values.iter().map(of).sum()),
        Cell::Multi(cells) => cells.iter().map(|cell| of(&cell.value)).sum(),
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
