//! Building a typed column.

use std::ops::Range;

use values::{DateTime, Value};

use super::bits::Bits;
use super::dictionary::Dictionary;
use super::values::{Rows, Values};
use crate::model::{PropertyCell, ValueRef};

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

const EPOCH: DateTime = DateTime::new(0, 0, 0);

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

    /// Appends a row with one value as that of this number, or behind it if there is one.
    pub(crate) fn put(&mut self, row: usize, value: ValueRef<'_>) {
        self.pad(row);
        self.push(value);
    }

    /// Appends a row with one value, or none.
    pub(crate) fn push_any(&mut self, value: Option<ValueRef<'_>>) {
        match value {
            Some(value) => self.push(value),
            None => self.push_absent(),
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
        self.mark(1);
    }

    /// Appends rows of another column, all of which have a value, as those from `row` on. `false`, with no value appended, if there are
    /// not as many, or if they are not of one fixed size here as there.
    pub(crate) fn extend(&mut self, row: usize, from: &Values, range: Range<usize>) -> bool {
        debug_assert!(from.is_full());
        let Some(first) = from.get(range.start) else { return false };
        self.pad(row);
        if matches!(self.rows, Growing::Nothing) {
            self.rows = Growing::start(&first, self.len);
        }
        let count = range.len();
        let is_done = match (&mut self.rows, from.rows()) {
            (Growing::Long(to), Rows::Long(rows)) => extend(to, rows, range),
            (Growing::Int(to), Rows::Int(rows)) => extend(to, rows, range),
            (Growing::Double(to), Rows::Double(rows)) => extend(to, rows, range),
            (Growing::DateTime(to), Rows::DateTime(rows)) => extend(to, rows, range),
            _ => false,
        };
        if is_done {
            self.mark(count);
        }
        is_done
    }

    /// As [`ValuesBuilder::put`], with what [`ValuesBuilder::push_cells`] takes.
    pub(crate) fn put_cells(&mut self, row: usize, cells: &[PropertyCell]) {
        self.pad(row);
        self.push_cells(cells);
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
        self.mark(1);
    }

    /// The finished column.
    pub(crate) fn finish(mut self) -> Values {
        let words = self.len.div_ceil(64);
        self.present.resize(words, 0);
        let present = Bits::from_words(self.present.into());
        let rows = match self.rows {
            Growing::Bool(mut v) => {
                v.resize(words, 0);
                Rows::Bool(Bits::from_words(v.into()))
            }
            Growing::Str { ends, text } => match Dictionary::of(&present, &ends, &text) {
                Some(dictionary) => Rows::Dictionary(dictionary),
                None => Rows::Str { ends: ends.into(), text: text.into() },
            },
            rows => rows.snapshot(),
        };
        Values::new(present, rows)
    }

    /// Counts rows that have a value.
    fn mark(&mut self, rows: usize) {
        let end = self.len + rows;
        self.present.resize(self.present.len().max(end.div_ceil(64)), 0);
        while self.len < end {
            let (word, bit) = (self.len / 64, self.len % 64);
            let count = (64 - bit).min(end - self.len);
            self.present[word] |= (u64::MAX >> (64 - count)) << bit;
            self.len += count;
        }
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

/// Appends a part of a slice, if it has as many items.
fn extend<T: Copy>(to: &mut Vec<T>, from: &[T], range: Range<usize>) -> bool {
    from.get(range).map(|part| to.extend_from_slice(part)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &Values, rows: usize) -> Vec<Option<Value>> {
        (0..rows).map(|row| values.get(row).map(ValueRef::to_value)).collect()
    }

    fn build(rows: &[Option<Value>]) -> Values {
        let mut builder = ValuesBuilder::new();
        rows.iter().for_each(|row| builder.push_any(row.as_ref().map(ValueRef::of)));
        builder.finish()
    }

    fn same(a: &Option<Value>, b: &Option<Value>) -> bool {
        format!("{a:?}") == format!("{b:?}")
    }

    #[test]
    fn a_column_of_numbers_is_the_same_however_it_is_made() {
        for count in [1, 63, 64, 65, 200] {
            let longs: Vec<i64> = (0..count).map(|n| n * n - 7).collect();
            let (made, built) = (
                Values::longs(longs.clone()),
                build(&longs.iter().map(|n| Some(Value::Long(*n))).collect::<Vec<_>>()),
            );
            assert_eq!((made.present(), made.is_full()), (built.present(), built.is_full()));
            assert!((0..=longs.len()).all(|row| made.long(row) == longs.get(row).copied()));
            assert!((0..=longs.len()).all(|row| built.long(row) == longs.get(row).copied()));
        }
        assert_eq!(build(&[Some(Value::Long(1)), None]).long(0), None);
        assert_eq!(build(&[Some(Value::Int(1))]).long(0), None);
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

    #[test]
    fn rows_copied_together_are_those_copied_one_by_one() {
        let all = |value: &dyn Fn(i64) -> Value| build(&(0..300).map(|n| Some(value(n))).collect::<Vec<_>>());
        let sources = [
            all(&|n| Value::Long(n * n)),
            all(&|n| Value::Int(n as i32)),
            all(&|n| Value::Double(n as f64 / 8.0)),
            all(&|n| Value::str(format!("{n}"))),
        ];
        for from in sources.iter().filter(|from| from.is_full()) {
            for (row, range) in
                [(0, 0..300), (1, 3..4), (70, 10..210), (64, 1..129), (5, 290..301), (9, 7..7)]
            {
                for first in [None, Some(Value::Long(4)), Some(Value::str("x"))] {
                    let mut one_by_one: Vec<Option<Value>> = first.iter().cloned().map(Some).collect();
                    let mut together = ValuesBuilder::new();
                    first.iter().for_each(|value| together.push(ValueRef::of(value)));
                    let row = row.max(together.len());
                    let before = together.len();
                    if together.extend(row, from, range.clone()) {
                        one_by_one.resize(row, None);
                        one_by_one.extend(range.clone().map(|n| from.get(n).map(ValueRef::to_value)));
                    } else {
                        assert!(together.len() == before || together.len() == row);
                        one_by_one.resize(together.len(), None);
                    }
                    together.push(ValueRef::Long(1));
                    one_by_one.push(Some(Value::Long(1)));
                    let (rows, together) = (one_by_one.len(), together.finish());
                    let read = read(&together, rows);
                    assert!(
                        read.iter().zip(&one_by_one).all(|(a, b)| same(a, b)),
                        "{row} {range:?} {first:?}"
                    );
                    assert_eq!(together.present().count(), one_by_one.iter().flatten().count());
                }
            }
        }
        let (mut longs, long) = (ValuesBuilder::new(), &sources[0]);
        assert!(
            longs.extend(0, long, 0..300) && longs.extend(300, long, 0..300),
            "longs are copied together"
        );
    }
}
