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
use crate::model::{PropertyCell, ValueRef};

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

    /// A column in which every row has a number.
    pub(crate) fn longs(longs: Vec<i64>) -> Self {
        let mut present = vec![u64::MAX; longs.len().div_ceil(64)];
        if let (Some(last), used @ 1..) = (present.last_mut(), longs.len() % 64) {
            *last >>= 64 - used;
        }
        Self { present: Bits::from_words(present.into()), rows: Rows::Long(longs.into()), is_full: true }
    }

    /// The number of `row`, if every row of the column has one.
    #[inline(always)]
    pub(crate) fn long(&self, row: usize) -> Option<i64> {
        match &self.rows {
            Rows::Long(v) if self.is_full => v.get(row).copied(),
            _ => None,
        }
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
            Rows::Many { ends, cells } => {
                size_of_val::<[u32]>(ends) + cells.iter().map(PropertyCell::bytes).sum::<usize>()
            }
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
