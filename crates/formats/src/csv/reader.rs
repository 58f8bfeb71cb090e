//! Reading one CSV file row by row.
//!
//! This is the general path: fields may be quoted and contain delimiters and line ends, so a file cannot be divided
//! without having been read, and it is read from beginning to end. (LDBC's files never quote; they have a parallel reader of
//! their own.) It may be packed.

use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::CsvOptions;
use super::rows::{Field, Outcome, Rows};
use crate::error::{Fault, ImportError};
use crate::foreign::{foreign, text};
use crate::packed::{Counted, unpacked};

/// Bytes of a file that are looked at to tell its delimiter, and whether it is CSV at all.
const LOOKED_AT: u64 = 64 << 10;

/// A CSV file, its header read.
pub(super) struct Reader {
    rows: Rows<Box<dyn Read + Send>>,
    /// Bytes of the file that were read, as they lie there.
    read: Arc<AtomicU64>,
}

/// What one attempt to read a row gave.
pub(super) enum Row<'a> {
    /// The line that it begins on, and its fields.
    Fields(u64, Vec<Text<'a>>),
    /// Something that is not a row.
    Bad(Fault),
    /// The file has ended.
    End,
}

/// A field that is text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Text<'a> {
    pub(super) text: &'a str,
    /// Whether it says something: it is not empty, or stands in quotes.
    pub(super) is_there: bool,
    /// The values of an array, where they are not to be found in the text.
    pub(super) items: Option<&'a [String]>,
}

/// A file of rows.
pub(super) trait Records {
    /// Reads the next row.
    fn next(&mut self, path: &Path) -> Result<Row<'_>, ImportError>;

    /// Number of the line that the row begins on.
    fn line(&self) -> u64;

    /// Bytes of the file read so far, as they lie there.
    fn bytes(&self) -> u64;

    /// Whether the number of a field is that of its place in a row.
    fn are_numbered(&self) -> bool;
}

impl Reader {
    /// Opens a file. Unless it `is_told` to be CSV, one that begins like something else is refused.
    pub(super) fn open(path: &Path, options: &CsvOptions, is_told: bool) -> Result<Self, ImportError> {
        let failed = |e| ImportError::io(path, e);
        let (file, read) = Counted::open(path).map_err(failed)?;
        let mut inside = unpacked(file).map_err(failed)?;
        let mut start = Vec::new();
        inside.by_ref().take(LOOKED_AT).read_to_end(&mut start).map_err(failed)?;
        let other = if is_told { text(&start).err() } else { foreign(&start) };
        if let Some(format) = other {
            return Err(ImportError::Foreign { path: path.to_owned(), format });
        }
        let start = start.strip_prefix("\u{feff}".as_bytes()).map(<[u8]>::to_vec).unwrap_or(start);
        let first = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let delimiter =
            options.delimiter.unwrap_or_else(|| likely_delimiter(&String::from_utf8_lossy(first)));
        let whole: Box<dyn Read + Send> = Box::new(Cursor::new(start).chain(inside));
        Ok(Self { rows: Rows::new(whole, delimiter, options.quote), read })
    }

    /// What is between two fields.
    pub(super) fn delimiter(&self) -> u8 {
        self.rows.delimiter()
    }

    /// Reads the header, the first row.
    pub(super) fn header(&mut self, path: &Path) -> Result<Vec<String>, ImportError> {
        match self.next(path)? {
            Row::Fields(_, fields) => Ok(fields.iter().map(|field| field.text.to_owned()).collect()),
            Row::Bad(fault) => Err(ImportError::layout(path, format!("in the header, {}", fault.problem))),
            Row::End => Err(ImportError::layout(path, "the file is empty, not even a header")),
        }
    }
}

impl Records for Reader {
    fn next(&mut self, path: &Path) -> Result<Row<'_>, ImportError> {
        match self.rows.next().map_err(|error| ImportError::io(path, error))? {
            Outcome::Row => {}
            Outcome::End => return Ok(Row::End),
            Outcome::Unclosed(column) => {
                let problem = "a quote that closes the field expected, but the file ends";
                return Ok(Row::Bad(Fault::at(column, problem)));
            }
            Outcome::Behind(column) => {
                let problem = "the end of the field expected behind the quote that closes it, found more text (a quote inside of \
                               quotes is doubled)";
                return Ok(Row::Bad(Fault::at(column, problem)));
            }
        }
        let mut fields = Vec::with_capacity(self.rows.fields().len());
        for (column, Field { bytes, is_quoted }) in self.rows.fields().enumerate() {
            match std::str::from_utf8(bytes) {
                Ok(text) => fields.push(Text { text, is_there: is_quoted || !text.is_empty(), items: None }),
                Err(_) => {
                    return Ok(Row::Bad(Fault::at(column, "text in UTF-8 expected, found other bytes")));
                }
            }
        }
        Ok(Row::Fields(self.rows.line(), fields))
    }

    fn line(&self) -> u64 {
        self.rows.line()
    }

    fn bytes(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    fn are_numbered(&self) -> bool {
        true
    }
}

/// The delimiter that a header has most of, outside quotes, parentheses and braces; a comma if it has none.
pub(super) fn likely_delimiter(header: &str) -> u8 {
    const CANDIDATES: [u8; 4] = [b',', b'\t', b'|', b';'];
    let (mut counts, mut quoted, mut depth) = ([0usize; 4], false, 0usize);
    for byte in header.bytes() {
        match byte {
            b'"' => quoted = !quoted,
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            _ if quoted || depth > 0 => {}
            _ => {
                if let Some(candidate) = CANDIDATES.iter().position(|&candidate| candidate == byte) {
                    counts[candidate] += 1;
                }
            }
        }
    }
    // Of equal counts the first wins.
    let best = (0..CANDIDATES.len()).rev().max_by_key(|&candidate| counts[candidate]).unwrap_or_default();
    CANDIDATES[best]
}

#[cfg(test)]
mod tests {
    use super::likely_delimiter;

    #[test]
    fn the_header_shows_the_delimiter() {
        for (header, delimiter) in [
            ("id:ID{label:a;id-type:long},name", b','),
            ("id:ID{label:a;id-type:long}", b','),
            ("id:ID|name|a,b", b'|'),
            ("id:ID\tname", b'\t'),
            ("id:ID;name", b';'),
            ("\"a;b;c\",d", b','),
            ("", b','),
        ] {
            assert_eq!(likely_delimiter(header), delimiter, "{header}");
        }
    }
}
