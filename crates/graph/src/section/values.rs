//! A typed column of values with a presence bitmap.
//!
//! ```text
//! present │1│1│0│1│            one bit per row
//! Long    │ 7│ 9│ 0│12│        one fixed-size value per row, whatever the bit says
//! Str     ends │3│8│8│9│  text │ada│grace│x│
//!         or, where strings repeat, a dictionary
//! Many    ends │1│3│3│4│  cells: (place, value, meta-properties) of all values of all rows
//! ```

use values::{DateTime, Value};

use super::bits::Bits;
use super::dictionary::Dictionary;
use crate::property::PropertyCell;
use crate::{KeyId, ValueRef};

/// The rows of a column, in the narrowest representation that holds them all.
#[derive(Clone, Debug)]
pub(crate) enum Rows {
    Long(Box<[i64]>),
    Int(Box<[i32]>),
    Double(Box<[f64]>),
    Bool(Bits),
    DateTime(Box<[DateTime]>),
    Str { ends: Box<[u32]>, text: Box<str> },
    Dictionary(Dictionary),
    Any(Box<[Value]>),
    Many { ends: Box<[u32]>, cells: Box<[PropertyCell]> },
}

impl Rows {
    /// How many there are, where it is known.
    pub(super) fn len(&self) -> Option<usize> {
        match self {
            Self::Long(v) => Some(v.len()),
            Self::Int(v) => Some(v.len()),
            Self::Double(v) => Some(v.len()),
            Self::DateTime(v) => Some(v.len()),
            Self::Any(v) => Some(v.len()),
            Self::Str { ends, .. } | Self::Many { ends, .. } => Some(ends.len()),
            Self::Bool(_) | Self::Dictionary(_) => None,
        }
    }
}

/// A column: rows, and which of them have a value.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    present: Bits,
    rows: Rows,
    /// Whether every row has a value.
    is_full: bool,
}

impl Values {
    /// A column of rows that were decoded or built elsewhere; `present` covers them.
    pub(crate) fn new(present: Bits, rows: Rows) -> Self {
        let is_full = rows.len().is_some_and(|len| (0..len).all(|row| present.get(row)));
        Self { present, rows, is_full }
    }

    /// Whether every row has a value. (Not said of columns that do not know how many rows they have.)
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    pub(crate) fn present(&self) -> &Bits {
        &self.present
    }

    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The (first) value of `row`; none beyond the end. Always inlined: a value returned through memory is read back
    /// at another offset than it was written at, which stalls for longer than the rest takes.
    #[inline(always)]
    pub(crate) fn get(&self, row: usize) -> Option<ValueRef<'_>> {
        if !self.present.get(row) {
            return None;
        }
        match &self.rows {
            Rows::Long(v) => v.get(row).map(|v| ValueRef::Long(*v)),
            Rows::Int(v) => v.get(row).map(|v| ValueRef::Int(*v)),
            Rows::Double(v) => v.get(row).map(|v| ValueRef::Double(*v)),
            Rows::Bool(v) => Some(ValueRef::Bool(v.get(row))),
            Rows::DateTime(v) => v.get(row).map(|v| ValueRef::DateTime(*v)),
            Rows::Str { ends, text } => {
                let (start, end) = span(ends, row)?;
                text.get(start..end).map(ValueRef::Str)
            }
            Rows::Dictionary(dictionary) => dictionary.get(row).map(ValueRef::Str),
            Rows::Any(v) => v.get(row).map(ValueRef::of),
            Rows::Many { .. } => self.cells(row).first().map(|cell| ValueRef::of(&cell.value)),
        }
    }

    /// The cells of `row` in a column of multi-properties; empty in every other column.
    #[inline]
    pub(crate) fn cells(&self, row: usize) -> &[PropertyCell] {
        match &self.rows {
            Rows::Many { ends, cells } if self.present.get(row) => {
                span(ends, row).and_then(|(start, end)| cells.get(start..end)).unwrap_or_default()
            }
            _ => &[],
        }
    }

    /// Whether it is a column of multi-properties.
    #[inline]
    pub(crate) fn is_multiple(&self) -> bool {
        matches!(self.rows, Rows::Many { .. })
    }

    /// Bytes in memory, roughly.
    pub(crate) fn bytes(&self) -> usize {
        let rows = match &self.rows {
            Rows::Long(v) => size_of_val::<[i64]>(v),
            Rows::Int(v) => size_of_val::<[i32]>(v),
            Rows::Double(v) => size_of_val::<[f64]>(v),
            Rows::Bool(v) => size_of_val(v.words()),
            Rows::DateTime(v) => size_of_val::<[DateTime]>(v),
            Rows::Str { ends, text } => size_of_val::<[u32]>(ends) + text.len(),
            Rows::Dictionary(dictionary) => dictionary.bytes(),
            Rows::Any(v) => size_of_val::<[Value]>(v),
            Rows::Many { ends, cells } => size_of_val::<[u32]>(ends) + size_of_val::<[PropertyCell]>(cells),
        };
        rows + size_of_val(self.present.words())
    }
}

/// Where an item begins and ends among those that end at `ends`; nothing beyond the last.
#[inline]
pub(super) fn span(ends: &[u32], row: usize) -> Option<(usize, usize)> {
    let end = *ends.get(row)? as usize;
    let start = if row == 0 { 0 } else { ends[row - 1] as usize };
    Some((start, end))
}

/// Builds a column row by row, in the representation of the values it meets; changes to `Any` (or `Many`) when they
/// turn out to be of several types.
pub(crate) struct ValuesBuilder {
    present: Vec<u64>,
    len: usize,
    rows: Growing,
}

enum Growing {
    /// No value yet.
    Nothing,
    Long(Vec<i64>),
    Int(Vec<i32>),
    Double(Vec<f64>),
    Bool(Vec<u64>),
    DateTime(Vec<DateTime>),
    Str {
        ends: Vec<u32>,
        text: String,
    },
    Any(Vec<Value>),
    Many {
        ends: Vec<u32>,
        cells: Vec<PropertyCell>,
    },
}

const EPOCH: DateTime = DateTime { seconds: 0, nanos: 0, offset: 0 };

/// Text beyond this many bytes does not fit a packed string column (its ends are 32 bits wide).
const MAX_TEXT: usize = 1 << 30;

impl ValuesBuilder {
    pub(crate) fn new() -> Self {
        Self { present: Vec::new(), len: 0, rows: Growing::Nothing }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Bytes in memory, roughly.
    pub(crate) fn bytes(&self) -> usize {
        let rows = match &self.rows {
            Growing::Nothing => 0,
            Growing::Long(v) => size_of_val::<[i64]>(v),
            Growing::Int(v) => size_of_val::<[i32]>(v),
            Growing::Double(v) => size_of_val::<[f64]>(v),
            Growing::Bool(v) => size_of_val::<[u64]>(v),
            Growing::DateTime(v) => size_of_val::<[DateTime]>(v),
            Growing::Str { ends, text } => size_of_val::<[u32]>(ends) + text.len(),
            Growing::Any(v) => size_of_val::<[Value]>(v),
            Growing::Many { ends, cells } => {
                size_of_val::<[u32]>(ends) + size_of_val::<[PropertyCell]>(cells)
            }
        };
        rows + size_of_val::<[u64]>(&self.present)
    }

    /// Appends a row without a value.
    pub(crate) fn push_absent(&mut self) {
        match &mut self.rows {
            Growing::Nothing | Growing::Bool(_) => {}
            Growing::Long(v) => v.push(0),
            Growing::Int(v) => v.push(0),
            Growing::Double(v) => v.push(0.0),
            Growing::DateTime(v) => v.push(EPOCH),
            Growing::Str { ends, text } => ends.push(text.len() as u32),
            Growing::Any(v) => v.push(Value::Null),
            Growing::Many { ends, cells } => ends.push(cells.len() as u32),
        }
        self.len += 1;
    }

    /// Appends rows without a value until there are `rows` of them.
    pub(crate) fn pad(&mut self, rows: usize) {
        while self.len < rows {
            self.push_absent();
        }
    }

    /// Appends a row with one value.
    pub(crate) fn push(&mut self, value: ValueRef<'_>) {
        if matches!(self.rows, Growing::Nothing) {
            self.rows = Growing::start(&value, self.len);
        }
        let row = self.len;
        match (&mut self.rows, value) {
            (Growing::Long(v), ValueRef::Long(x)) => v.push(x),
            (Growing::Int(v), ValueRef::Int(x)) => v.push(x),
            (Growing::Double(v), ValueRef::Double(x)) => v.push(x),
            (Growing::DateTime(v), ValueRef::DateTime(x)) => v.push(x),
            (Growing::Bool(v), ValueRef::Bool(x)) => {
                v.resize(row / 64 + 1, 0);
                v[row / 64] |= u64::from(x) << (row % 64);
            }
            (Growing::Str { ends, text }, ValueRef::Str(x)) if text.len() + x.len() <= MAX_TEXT => {
                text.push_str(x);
                ends.push(text.len() as u32);
            }
            (Growing::Any(v), x) => v.push(x.to_value()),
            (Growing::Many { ends, cells }, x) => {
                cells.push(PropertyCell::first(x.to_value()));
                ends.push(cells.len() as u32);
            }
            (_, x) => {
                self.widen();
                return self.push(x);
            }
        }
        self.mark();
    }

    /// Appends a row with several values, or one that is not a plain first value.
    pub(crate) fn push_cells(&mut self, row: &[PropertyCell]) {
        match row {
            [] => return self.push_absent(),
            [cell] if cell.is_plain() => return self.push(ValueRef::of(&cell.value)),
            _ => {}
        }
        if !matches!(self.rows, Growing::Many { .. }) {
            self.rows = self.take_as_many();
        }
        if let Growing::Many { ends, cells } = &mut self.rows {
            cells.extend_from_slice(row);
            ends.push(cells.len() as u32);
        }
        self.mark();
    }

    /// The finished column.
    pub(crate) fn finish(mut self) -> Values {
        let words = self.len.div_ceil(64);
        self.present.resize(words, 0);
        let present = Bits::from_words(self.present.into());
        let rows = match self.rows {
            Growing::Nothing => Rows::Bool(Bits::new(0)),
            Growing::Long(v) => Rows::Long(v.into()),
            Growing::Int(v) => Rows::Int(v.into()),
            Growing::Double(v) => Rows::Double(v.into()),
            Growing::DateTime(v) => Rows::DateTime(v.into()),
            Growing::Bool(mut v) => {
                v.resize(words, 0);
                Rows::Bool(Bits::from_words(v.into()))
            }
            Growing::Str { ends, text } => match Dictionary::of(&present, &ends, &text) {
                Some(dictionary) => Rows::Dictionary(dictionary),
                None => Rows::Str { ends: ends.into(), text: text.into() },
            },
            Growing::Any(v) => Rows::Any(v.into()),
            Growing::Many { ends, cells } => Rows::Many { ends: ends.into(), cells: cells.into() },
        };
        Values::new(present, rows)
    }

    /// Counts a row that has a value.
    fn mark(&mut self) {
        let row = self.len;
        if self.present.len() <= row / 64 {
            self.present.resize(row / 64 + 1, 0);
        }
        self.present[row / 64] |= 1 << (row % 64);
        self.len += 1;
    }

    fn is_present(&self, row: usize) -> bool {
        self.present.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// Changes to the representation that holds any value.
    fn widen(&mut self) {
        let rows = std::mem::replace(&mut self.rows, Growing::Nothing);
        let part = Values::new(Bits::from_words(self.present.as_slice().into()), rows.snapshot());
        let owned = |row| part.get(row).map_or(Value::Null, ValueRef::to_value);
        self.rows = Growing::Any((0..self.len).map(owned).collect());
    }

    fn take_as_many(&mut self) -> Growing {
        self.widen();
        let Growing::Any(values) = std::mem::replace(&mut self.rows, Growing::Nothing) else {
            return Growing::Many { ends: vec![0; self.len], cells: Vec::new() };
        };
        let (mut ends, mut cells) = (Vec::with_capacity(values.len()), Vec::with_capacity(values.len()));
        for (row, value) in values.into_iter().enumerate() {
            if self.is_present(row) {
                cells.push(PropertyCell::first(value));
            }
            ends.push(cells.len() as u32);
        }
        Growing::Many { ends, cells }
    }
}

impl Growing {
    /// The representation for a first value after `absent` rows without one.
    fn start(value: &ValueRef<'_>, absent: usize) -> Self {
        match value {
            ValueRef::Long(_) => Self::Long(vec![0; absent]),
            ValueRef::Int(_) => Self::Int(vec![0; absent]),
            ValueRef::Double(_) => Self::Double(vec![0.0; absent]),
            ValueRef::Bool(_) => Self::Bool(Vec::new()),
            ValueRef::DateTime(_) => Self::DateTime(vec![EPOCH; absent]),
            ValueRef::Str(_) => Self::Str { ends: vec![0; absent], text: String::new() },
            ValueRef::Null | ValueRef::Other(_) => Self::Any(vec![Value::Null; absent]),
        }
    }

    /// The rows so far, as a column would hold them.
    fn snapshot(self) -> Rows {
        match self {
            Self::Nothing => Rows::Bool(Bits::new(0)),
            Self::Long(v) => Rows::Long(v.into()),
            Self::Int(v) => Rows::Int(v.into()),
            Self::Double(v) => Rows::Double(v.into()),
            Self::Bool(v) => Rows::Bool(Bits::from_words(v.into())),
            Self::DateTime(v) => Rows::DateTime(v.into()),
            Self::Str { ends, text } => Rows::Str { ends: ends.into(), text: text.into() },
            Self::Any(v) => Rows::Any(v.into()),
            Self::Many { ends, cells } => Rows::Many { ends: ends.into(), cells: cells.into() },
        }
    }
}

/// Columns of one section by key: a handful, so a linear search beats a map.
#[inline]
pub(crate) fn column(columns: &[(KeyId, Values)], key: KeyId) -> Option<&Values> {
    columns.iter().find(|(k, _)| *k == key).map(|(_, values)| values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &Values, rows: usize) -> Vec<Option<Value>> {
        (0..rows).map(|row| values.get(row).map(ValueRef::to_value)).collect()
    }

    fn build(rows: &[Option<Value>]) -> Values {
        let mut builder = ValuesBuilder::new();
        for row in rows {
            match row {
                Some(value) => builder.push(ValueRef::of(value)),
                None => builder.push_absent(),
            }
        }
        builder.finish()
    }

    fn same(a: &Option<Value>, b: &Option<Value>) -> bool {
        format!("{a:?}") == format!("{b:?}")
    }

    #[test]
    fn a_column_returns_what_was_put_in_whatever_the_types() {
        let columns: Vec<Vec<Option<Value>>> = vec![
            vec![None, Some(Value::Long(7)), None, Some(Value::Long(-1))],
            vec![Some(Value::Bool(true)), None, Some(Value::Bool(false)), Some(Value::Bool(true))],
            vec![Some(Value::str("ada")), None, Some(Value::str("")), Some(Value::str("grâce"))],
            vec![Some(Value::Long(1)), Some(Value::str("two")), None, Some(Value::Double(3.0))],
            vec![None, None, Some(Value::Null)],
            vec![None, None],
            vec![Some(Value::Bool(true)), Some(Value::Int(3)), None],
        ];
        for rows in columns {
            let got = read(&build(&rows), rows.len());
            assert!(got.iter().zip(&rows).all(|(a, b)| same(a, b)), "{got:?} {rows:?}");
        }
    }

    #[test]
    fn several_values_in_one_row_keep_their_places_and_their_neighbours() {
        let mut builder = ValuesBuilder::new();
        builder.push(ValueRef::Long(1));
        builder.push_absent();
        let cells = [
            PropertyCell::first(Value::str("a")),
            PropertyCell { place: 4, ..PropertyCell::first(Value::str("b")) },
        ];
        builder.push_cells(&cells);
        builder.push(ValueRef::Str("c"));
        let column = builder.finish();
        assert_eq!(column.get(0).and_then(ValueRef::as_i64), Some(1));
        assert!(column.get(1).is_none());
        assert_eq!(column.cells(2).iter().map(|cell| cell.place).collect::<Vec<_>>(), [0, 4]);
        assert_eq!(column.get(3).and_then(ValueRef::as_str), Some("c"));
    }
}
