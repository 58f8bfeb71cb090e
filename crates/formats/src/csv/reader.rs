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
use crate::foreign::foreign;
use crate::packed::{Counted, unpacked};

/// Bytes of a file that are looked at to tell its delimiter, and whether it is CSV at all.
const LOOKED_AT: u64 = 64 << 10;

/// A CSV file, its header read.
pub(super) struct Reader {
    rows: Rows<Box<dyn Read + Send>>,
    /// Bytes of the file that were read, as they lie there.
    read: Arc<AtomicU64>,
    /// Number of the line that the current row begins on.
    pub(super) line: u64,
}

/// What one attempt to read a row gave.
pub(super) enum Row<'a> {
    /// The fields.
    Fields(Vec<Text<'a>>),
    /// Something that is not a row.
    Bad(Fault),
    /// The file has ended.
    End,
}

/// A field that is text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Text<'a> {
    pub(super) text: &'a str,
    /// Whether it says something: it is not empty, or stands in quotes.
    pub(super) is_there: bool,
}

impl Reader {
    /// Opens a file and reads its header.
    pub(super) fn open(path: &Path, options: &CsvOptions) -> Result<(Self, Vec<String>), ImportError> {
        let failed = |e| ImportError::io(path, e);
        let (file, read) = Counted::open(path).map_err(failed)?;
        let mut inside = unpacked(file).map_err(failed)?;
        let mut start = Vec::new();
        inside.by_ref().take(LOOKED_AT).read_to_end(&mut start).map_err(failed)?;
        if let Some(format) = foreign(&start) {
            return Err(ImportError::Foreign { path: path.to_owned(), format });
        }
        let start = start.strip_prefix("\u{feff}".as_bytes()).map(<[u8]>::to_vec).unwrap_or(start);
        let first = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let delimiter =
            options.delimiter.unwrap_or_else(|| likely_delimiter(&String::from_utf8_lossy(first)));
        let whole: Box<dyn Read + Send> = Box::new(Cursor::new(start).chain(inside));
        let mut reader = Self { rows: Rows::new(whole, delimiter, options.quote), read, line: 1 };
        let header = match reader.next(path)? {
            Row::Fields(fields) => fields.iter().map(|field| field.text.to_owned()).collect(),
            Row::Bad(fault) => {
                return Err(ImportError::layout(path, format!("in the header, {}", fault.problem)));
            }
            Row::End => return Err(ImportError::layout(path, "the file is empty, not even a header")),
        };
        Ok((reader, header))
    }

    /// Reads the next row.
    pub(super) fn next(&mut self, path: &Path) -> Result<Row<'_>, ImportError> {
        let outcome = self.rows.next().map_err(|error| ImportError::io(path, error))?;
        self.line = self.rows.line();
        match outcome {
            Outcome::Row => {}
            Outcome::End => return Ok(Row::End),
            Outcome::Unclosed(column) => {
                let problem = "a quote that closes the field expected, but the file ends";
                return Ok(Row::Bad(Fault::at(column, problem)));
            }
        }
        let mut fields = Vec::with_capacity(self.rows.fields().len());
        for (column, Field { bytes, is_quoted }) in self.rows.fields().enumerate() {
            match std::str::from_utf8(bytes) {
                Ok(text) => fields.push(Text { text, is_there: is_quoted || !text.is_empty() }),
                Err(_) => {
                    return Ok(Row::Bad(Fault::at(column, "text in UTF-8 expected, found other bytes")));
                }
            }
        }
        Ok(Row::Fields(fields))
    }

    /// Bytes of the file read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
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
