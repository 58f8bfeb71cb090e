//! Columns of values in bytes.
//!
//! ```text
//! values       present: bits │ kind u8 │ rows, as the kind has them
//!
//! bits         words: LEB128 │ 0 │ words as they are
//!              words: LEB128 │ 1 │ n: LEB128                 the first n are set, the others are not
//!
//! Long, Int    array
//! Double       array of their bits
//! Bool         bits
//! DateTime     seconds: array │ nanoseconds: array │ offsets: array
//! Str          ends: array │ text, squeezed
//! Dictionary   codes: array │ ends: array │ text, squeezed
//! Any          squeezed ( count │ value, value, … )
//! Many         ends: array │ squeezed ( cells )
//! ```
//!
//! Arrays are packed (`packed`), texts compressed where it pays (`squeezed`). In format 1 both were plain, and there was
//! no dictionary.

use std::borrow::Cow;

use values::DateTime;

use super::packed::Number;
use crate::bytes::{Input, Malformed, Output};
use crate::model::KeyId;
use crate::sections::bits::Bits;
use crate::sections::dictionary::Dictionary;
use crate::sections::values::{Rows, Values};

const LONG: u8 = 1;
const INT: u8 = 2;
const DOUBLE: u8 = 3;
const BOOL: u8 = 4;
const DATE_TIME: u8 = 5;
const STR: u8 = 6;
const ANY: u8 = 7;
const MANY: u8 = 8;
const DICTIONARY: u8 = 9;

const WORDS: u8 = 0;
const FIRST: u8 = 1;

impl Output {
    /// Columns and their keys.
    pub(crate) fn columns(&mut self, columns: &[(KeyId, Values)]) {
        self.list(columns, |output, (key, values)| {
            output.u16(key.0);
            output.values(values);
        });
    }

    pub(crate) fn bitmap(&mut self, bits: &Bits) {
        let words = bits.words();
        self.varint(words.len() as u64);
        let first = bits.count();
        if (0..first).all(|row| bits.get(row)) {
            self.u8(FIRST);
            self.varint(first as u64);
        } else {
            self.u8(WORDS);
            words.iter().for_each(|word| self.u64(*word));
        }
    }

    pub(crate) fn values(&mut self, values: &Values) {
        self.bitmap(values.present());
        match values.rows() {
            Rows::Long(v) => {
                self.u8(LONG);
                self.numbers(v.iter().copied());
            }
            Rows::Int(v) => {
                self.u8(INT);
                self.numbers(v.iter().copied());
            }
            Rows::Double(v) => {
                self.u8(DOUBLE);
                self.numbers(v.iter().map(|v| v.to_bits()));
            }
            Rows::Bool(v) => {
                self.u8(BOOL);
                self.bitmap(v);
            }
            Rows::DateTime(v) => {
                self.u8(DATE_TIME);
                self.numbers(v.iter().map(|v| v.seconds));
                self.numbers(v.iter().map(|v| v.nanos));
                self.numbers(v.iter().map(DateTime::zone));
            }
            Rows::Str { ends, text } => {
                self.u8(STR);
                self.text(ends, text);
            }
            Rows::Dictionary(dictionary) => {
                self.u8(DICTIONARY);
                self.numbers(dictionary.codes());
                let (ends, text) = dictionary.strings();
                self.text(ends, text);
            }
            Rows::Any(v) => {
                self.u8(ANY);
                self.squeezed_part(|part| part.list(v, Output::value));
            }
            Rows::Many { ends, cells } => {
                self.u8(MANY);
                self.numbers(ends.iter().copied());
                self.squeezed_part(|part| part.cells(cells));
            }
        }
    }

    /// Strings one after another, and where each ends.
    fn text(&mut self, ends: &[u32], text: &str) {
        self.numbers(ends.iter().copied());
        self.squeezed(text.as_bytes());
    }

    fn squeezed_part(&mut self, write: impl FnOnce(&mut Output)) {
        let mut part = Output::default();
        write(&mut part);
        self.squeezed(&part.bytes);
    }
}

impl<'a> Input<'a> {
    /// Columns and their keys.
    pub(crate) fn columns<C: FromIterator<(KeyId, Values)>>(&mut self) -> Result<C, Malformed> {
        self.list(3, |input| Ok((KeyId(input.u16()?), input.values()?)))
    }

    pub(crate) fn bitmap(&mut self) -> Result<Bits, Malformed> {
        if self.is_plain() {
            return Ok(Bits::from_words(self.u64s()?));
        }
        let words = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
        match self.u8()? {
            WORDS => {
                let (words, _) = self.take(words.saturating_mul(8))?.as_chunks::<8>();
                Ok(Bits::from_words(words.iter().map(|word| u64::from_le_bytes(*word)).collect()))
            }
            FIRST => {
                let first = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
                // Some sections have more rows than a block has slots, but none this many.
                let fits = first <= words.saturating_mul(64) && words <= MOST_WORDS;
                Malformed::unless(fits, "a bitmap is larger than a section can be")?;
                let word =
                    |at: usize| u64::MAX.checked_shr(64 - first.saturating_sub(at * 64).min(64) as u32);
                Ok(Bits::from_words((0..words).map(|at| word(at).unwrap_or(0)).collect()))
            }
            how => Err(Malformed::new(format!("no bitmap is written in way {how}"))),
        }
    }

    pub(crate) fn values(&mut self) -> Result<Values, Malformed> {
        let present = self.bitmap()?;
        let rows = match self.u8()? {
            LONG => Rows::Long(self.array()?),
            INT => Rows::Int(self.array()?),
            DOUBLE => Rows::Double(self.array::<u64>()?.iter().map(|&v| f64::from_bits(v)).collect()),
            BOOL => Rows::Bool(self.bitmap()?),
            DATE_TIME => Rows::DateTime(self.date_times()?),
            STR => {
                let ends = self.ends()?;
                let text = self.text(&ends)?;
                Rows::Str { ends, text }
            }
            DICTIONARY => {
                let codes = self.array()?;
                let ends = self.ends()?;
                let text = self.text(&ends)?;
                let dictionary = Dictionary::new(codes, ends, text);
                Rows::Dictionary(dictionary.ok_or_else(|| Malformed::new("a code stands for no string"))?)
            }
            ANY => Rows::Any(self.squeezed_part(|part| part.list(1, |part| part.value()))?),
            MANY => {
                let ends = self.ends()?;
                let cells = self.squeezed_part(|part| part.cells())?;
                let fits = ends.last().is_none_or(|&end| end as usize == cells.len());
                Malformed::unless(fits, "the ends of its rows do not fit its values")?;
                Rows::Many { ends, cells: cells.into() }
            }
            kind => return Err(Malformed::new(format!("no column is of kind {kind}"))),
        };
        Ok(Values::new(present, rows))
    }

    /// An array: packed, or in format 1 as it is.
    pub(crate) fn array<T: Number>(&mut self) -> Result<Box<[T]>, Malformed> {
        if !self.is_plain() {
            return self.numbers();
        }
        let wide: Box<[i64]> = match size_of::<T>() {
            8 => self.u64s()?.iter().map(|&v| v as i64).collect(),
            _ => self.u32s()?.iter().map(|&v| i64::from(v)).collect(),
        };
        // Format 1 has signed numbers of 32 bits as if they were not.
        let narrow = |&wide: &i64| T::narrow(wide).or_else(|| T::narrow(i64::from(wide as i32)));
        let numbers: Option<Box<[T]>> = wide.iter().map(narrow).collect();
        numbers.ok_or_else(|| Malformed::new("a number is too large for its array"))
    }

    fn date_times(&mut self) -> Result<Box<[DateTime]>, Malformed> {
        if self.is_plain() {
            return self.list(16, Self::date_time);
        }
        let (seconds, nanos): (Box<[i64]>, Box<[u32]>) = (self.numbers()?, self.numbers()?);
        let zones: Box<[i32]> = self.numbers()?;
        let fit = nanos.len() == seconds.len() && zones.len() == seconds.len();
        Malformed::unless(fit, "the parts of its times differ in number")?;
        let parts = seconds.iter().zip(&nanos).zip(&zones);
        Ok(parts.map(|((&seconds, &nanos), &zone)| DateTime::stored(seconds, nanos, zone)).collect())
    }

    fn ends(&mut self) -> Result<Box<[u32]>, Malformed> {
        let ends: Box<[u32]> = self.array()?;
        Malformed::unless(ends.is_sorted(), "the ends of its rows descend")?;
        Ok(ends)
    }

    /// The text of strings that end at `ends`.
    fn text(&mut self, ends: &[u32]) -> Result<Box<str>, Malformed> {
        let bytes = self.blob()?.into_owned();
        let text = String::from_utf8(bytes).map_err(|_| Malformed::new("a string is not UTF-8"))?;
        let fits = ends.last().is_none_or(|&end| end as usize == text.len())
            && ends.iter().all(|&end| text.is_char_boundary(end as usize));
        Malformed::unless(fits, "the ends of its strings do not fit its text")?;
        Ok(text.into())
    }

    /// Bytes: squeezed, or in format 1 as they are.
    fn blob(&mut self) -> Result<Cow<'a, [u8]>, Malformed> {
        if self.is_plain() { self.block().map(Cow::Borrowed) } else { self.squeezed() }
    }

    /// What `read` finds in squeezed bytes, all of which it must read; in format 1 in those that follow.
    fn squeezed_part<R>(
        &mut self,
        read: impl FnOnce(&mut Input<'_>) -> Result<R, Malformed>,
    ) -> Result<R, Malformed> {
        if self.is_plain() {
            return read(self);
        }
        let bytes = self.squeezed()?;
        Input::new(&bytes).whole(read)
    }
}

/// Words of the largest bitmap: a bit for each of 2³² edges.
const MOST_WORDS: usize = 1 << 26;
