//! One column of a row group, as texts, row by row.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{
    AsBytes, BoolType, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type,
    Int64Type, Int96, Int96Type,
};
use parquet::errors::Result;
use values::{BigDecimal, BigInt, DateTime, Uuid};

use super::super::reader::Text;
use super::schema::Kind;

/// Most bytes of the values of a list: a dictionary may have one long text, and a list that a thousand times.
const LONGEST_LIST: usize = 256 << 20;
/// Most bytes of a decimal number: there are none of more than 76 digits, which have 32.
const LONGEST_DECIMAL: usize = 128;

/// A reader of a column, and the values that it has read last.
struct Typed<T: DataType> {
    reader: ColumnReaderImpl<T>,
    values: Vec<T::T>,
}

impl<T: DataType> Typed<T> {
    fn new(reader: ColumnReaderImpl<T>) -> Self {
        Self { reader, values: Vec::new() }
    }

    fn read(&mut self, rows: usize, [repetition, definition]: [&mut Vec<i16>; 2]) -> Result<usize> {
        self.values.clear();
        let (records, ..) =
            self.reader.read_records(rows, Some(definition), Some(repetition), &mut self.values)?;
        Ok(records)
    }
}

/// Values as they lie in a file.
enum Values {
    Bool(Typed<BoolType>),
    Int32(Typed<Int32Type>),
    Int64(Typed<Int64Type>),
    Int96(Typed<Int96Type>),
    Float(Typed<FloatType>),
    Double(Typed<DoubleType>),
    Bytes(Typed<ByteArrayType>),
    Fixed(Typed<FixedLenByteArrayType>),
}

/// See the module.
pub(super) struct Column {
    values: Values,
    kind: Kind,
    is_list: bool,
    /// The level of definition that a value has which is there.
    most: i16,
    /// Levels of repetition and of definition of the rows that have been read; none where all are the same.
    levels: [Vec<i16>; 2],
    /// The next level, and the next value.
    next: [usize; 2],
    /// Values of lists since rows were read last.
    in_lists: Arc<AtomicU64>,
    text: String,
    is_there: bool,
    items: Vec<String>,
}

impl Column {
    pub(super) fn new(
        reader: ColumnReader,
        kind: Kind,
        (is_list, most): (bool, i16),
        in_lists: Arc<AtomicU64>,
    ) -> Self {
        let values = match reader {
            ColumnReader::BoolColumnReader(reader) => Values::Bool(Typed::new(reader)),
            ColumnReader::Int32ColumnReader(reader) => Values::Int32(Typed::new(reader)),
            ColumnReader::Int64ColumnReader(reader) => Values::Int64(Typed::new(reader)),
            ColumnReader::Int96ColumnReader(reader) => Values::Int96(Typed::new(reader)),
            ColumnReader::FloatColumnReader(reader) => Values::Float(Typed::new(reader)),
            ColumnReader::DoubleColumnReader(reader) => Values::Double(Typed::new(reader)),
            ColumnReader::ByteArrayColumnReader(reader) => Values::Bytes(Typed::new(reader)),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => Values::Fixed(Typed::new(reader)),
        };
        let (levels, next, text) = (Default::default(), [0; 2], String::new());
        Self { values, kind, is_list, most, levels, next, in_lists, text, is_there: false, items: Vec::new() }
    }

    /// Reads some rows; how many there were.
    pub(super) fn read(&mut self, rows: usize) -> Result<usize> {
        let [repetition, definition] = &mut self.levels;
        repetition.clear();
        definition.clear();
        self.next = [0; 2];
        self.in_lists.store(0, Ordering::Relaxed);
        let levels = [repetition, definition];
        match &mut self.values {
            Values::Bool(typed) => typed.read(rows, levels),
            Values::Int32(typed) => typed.read(rows, levels),
            Values::Int64(typed) => typed.read(rows, levels),
            Values::Int96(typed) => typed.read(rows, levels),
            Values::Float(typed) => typed.read(rows, levels),
            Values::Double(typed) => typed.read(rows, levels),
            Values::Bytes(typed) => typed.read(rows, levels),
            Values::Fixed(typed) => typed.read(rows, levels),
        }
    }

    /// Goes to the next row, or says what is wrong with it.
    pub(super) fn advance(&mut self) -> std::result::Result<(), &'static str> {
        (self.is_there, _) = (false, self.items.clear());
        self.text.clear();
        if !self.is_list {
            self.is_there = self.takes();
            return if self.is_there { self.value() } else { Ok(()) };
        }
        let (mut wrong, mut bytes) = (Ok(()), 0);
        loop {
            if self.takes() {
                let taken = self.value();
                let item = std::mem::take(&mut self.text);
                bytes += item.len();
                if bytes <= LONGEST_LIST {
                    self.items.push(item);
                    wrong = wrong.and(taken);
                } else {
                    wrong = Err("the values of a list have more than 256 MiB together");
                }
            }
            // A row goes on as long as something is repeated.
            if self.levels[0].get(self.next[0]).is_none_or(|level| *level == 0) {
                return wrong;
            }
        }
    }

    /// The field of the row.
    pub(super) fn text(&self) -> Text<'_> {
        Text {
            text: &self.text,
            is_there: self.is_there,
            items: self.is_list.then_some(self.items.as_slice()),
        }
    }

    /// Goes past a level; whether there is a value.
    fn takes(&mut self) -> bool {
        let level = self.next[0];
        self.next[0] += 1;
        self.most == 0 || self.levels[1].get(level) == Some(&self.most)
    }

    /// Writes the next value as a text.
    fn value(&mut self) -> std::result::Result<(), &'static str> {
        const MISSING: &str = "a value expected, but the column has no more of them";
        let at = self.next[1];
        self.next[1] += 1;
        let text = &mut self.text;
        // Nothing goes wrong when a text is written to.
        let _ = match &self.values {
            Values::Bool(typed) => write!(text, "{}", typed.values.get(at).ok_or(MISSING)?),
            Values::Float(typed) => write!(text, "{}", typed.values.get(at).ok_or(MISSING)?),
            Values::Double(typed) => write!(text, "{}", typed.values.get(at).ok_or(MISSING)?),
            Values::Int32(typed) => {
                return number(self.kind, (*typed.values.get(at).ok_or(MISSING)?).into(), text);
            }
            Values::Int64(typed) => return number(self.kind, *typed.values.get(at).ok_or(MISSING)?, text),
            Values::Int96(typed) => write!(text, "{}", of_int96(typed.values.get(at).ok_or(MISSING)?)),
            Values::Bytes(typed) => {
                return bytes(self.kind, typed.values.get(at).ok_or(MISSING)?.as_bytes(), text);
            }
            Values::Fixed(typed) => {
                return bytes(self.kind, typed.values.get(at).ok_or(MISSING)?.as_bytes(), text);
            }
        };
        Ok(())
    }
}

/// A whole number as what it stands for.
fn number(kind: Kind, number: i64, text: &mut String) -> std::result::Result<(), &'static str> {
    let _ = match kind {
        Kind::Int { bits: 64, is_signed: false } => write!(text, "{}", number as u64),
        Kind::Int { bits: 32, is_signed: false } => write!(text, "{}", number as u32),
        // A writer may leave what is above the bits of a number as it likes.
        Kind::Int { bits: 16, is_signed: false } => write!(text, "{}", number as u16),
        Kind::Int { bits: 8, is_signed: false } => write!(text, "{}", number as u8),
        Kind::Decimal { scale } => {
            write!(text, "{}", BigDecimal::new(BigInt::from(number), scale.into()))
        }
        Kind::Date => {
            let day = DateTime::new(number * 86_400, 0, 0).to_string();
            write!(text, "{}", day.split('T').next().unwrap_or_default())
        }
        Kind::Timestamp { per_second } => {
            let nanos = number.rem_euclid(per_second) * (1_000_000_000 / per_second);
            let (seconds, nanos) = (number.div_euclid(per_second), nanos as u32);
            write!(text, "{}", DateTime::new(seconds, nanos, 0))
        }
        _ => write!(text, "{number}"),
    };
    Ok(())
}

/// Bytes as what they stand for.
fn bytes(kind: Kind, bytes: &[u8], text: &mut String) -> std::result::Result<(), &'static str> {
    let _ = match kind {
        Kind::Decimal { .. } if bytes.len() > LONGEST_DECIMAL => {
            return Err("a decimal number of no more than 128 bytes expected, found a longer one");
        }
        Kind::Decimal { scale } => {
            write!(text, "{}", BigDecimal::new(BigInt::from_signed_bytes_be(bytes), scale.into()))
        }
        Kind::Uuid => {
            let uuid = Uuid::from_slice(bytes).map_err(|_| "a UUID of 16 bytes expected, found others")?;
            write!(text, "{uuid}")
        }
        _ => {
            text.push_str(
                std::str::from_utf8(bytes).map_err(|_| "text in UTF-8 expected, found other bytes")?,
            );
            Ok(())
        }
    };
    Ok(())
}

/// Nanoseconds of a day, and a day by its Julian number.
fn of_int96(value: &Int96) -> DateTime {
    /// The Julian number of 1970-01-01.
    const EPOCH: i64 = 2_440_588;
    let (low, high, day) = match value.data() {
        [low, high, day] => (*low, *high, *day),
        _ => (0, 0, 0),
    };
    let nanos = u64::from(high) << 32 | u64::from(low);
    let seconds = (i64::from(day) - EPOCH) * 86_400 + (nanos / 1_000_000_000) as i64;
    DateTime::new(seconds, (nanos % 1_000_000_000) as u32, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_bytes_are_what_they_stand_for() {
        let text = |kind, value: i64| {
            let mut text = String::new();
            number(kind, value, &mut text).unwrap();
            text
        };
        assert_eq!(text(Kind::Int { bits: 64, is_signed: false }, -1), "18446744073709551615");
        assert_eq!(text(Kind::Int { bits: 32, is_signed: false }, -1), "4294967295");
        assert_eq!(text(Kind::Decimal { scale: 2 }, -105), "-1.05");
        assert_eq!(text(Kind::Date, -1), "1969-12-31");
        assert_eq!(text(Kind::Date, 20_000_000), "+56728-02-22");
        assert_eq!(text(Kind::Timestamp { per_second: 1_000 }, -1), "1969-12-31T23:59:59.999Z");
        assert_eq!(text(Kind::Timestamp { per_second: 1_000_000_000 }, 1), "1970-01-01T00:00:00.000000001Z");
        let mut of_bytes = String::new();
        bytes(Kind::Decimal { scale: 1 }, &[0xff, 0x85], &mut of_bytes).unwrap();
        assert_eq!(of_bytes, "-12.3");
        assert!(bytes(Kind::Text, b"\xff", &mut of_bytes).is_err());
        assert!(bytes(Kind::Decimal { scale: 1 }, &[1; LONGEST_DECIMAL + 1], &mut of_bytes).is_err());
        assert!(bytes(Kind::Uuid, b"x", &mut of_bytes).is_err());
        let mut noon = Int96::new();
        let nanos = 12 * 3_600 * 1_000_000_000u64 + 5;
        noon.set_data(nanos as u32, (nanos >> 32) as u32, 2_440_589);
        assert_eq!(of_int96(&noon).to_string(), "1970-01-02T12:00:00.000000005Z");
    }
}
