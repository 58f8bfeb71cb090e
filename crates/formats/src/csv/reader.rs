//! Reading one CSV file row by row.
//!
//! This is the general path: fields may be quoted and contain delimiters and line ends, so a file cannot be divided
//! without having read it, and the `csv` crate reads it from beginning to end. (LDBC's files never quote; they have a
//! parallel reader of their own.)

use std::cell::Cell;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::rc::Rc;

use csv::ByteRecord;

use super::CsvOptions;
use crate::error::{Fault, ImportError};
use crate::foreign::refuse_foreign;
use crate::lines::{LONGEST_LINE, read_head};

/// A CSV file, its header read.
pub(super) struct Reader {
    inner: csv::Reader<Metered>,
    meter: Rc<Meter>,
    record: ByteRecord,
    /// Number of the line that the current row begins on.
    pub(super) line: u64,
}

/// What one attempt to read a row gave.
pub(super) enum Row<'a> {
    /// The fields.
    Fields(Vec<&'a str>),
    /// Something that is not a row.
    Bad(Fault),
    /// The file has ended.
    End,
}

#[derive(Default)]
struct Meter {
    total: Cell<u64>,
    /// Bytes read while the current row was being completed.
    row: Cell<usize>,
}

/// Counts the bytes read, and stops a row that never ends: a quote that was not closed would swallow the file.
struct Metered {
    file: File,
    meter: Rc<Meter>,
}

impl Read for Metered {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.meter.total.set(self.meter.total.get() + count as u64);
        self.meter.row.set(self.meter.row.get() + count);
        if self.meter.row.get() > LONGEST_LINE {
            let problem = format!("a row is longer than {} MiB; is a quote not closed?", LONGEST_LINE >> 20);
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, problem));
        }
        Ok(count)
    }
}

impl Reader {
    /// Opens a file and reads its header.
    pub(super) fn open(path: &Path, options: &CsvOptions) -> Result<(Self, Vec<String>), ImportError> {
        refuse_foreign(path)?;
        let delimiter = match options.delimiter {
            Some(delimiter) => delimiter,
            None => likely_delimiter(&read_head(path)?.line),
        };
        let file = File::open(path).map_err(|e| ImportError::io(path, e))?;
        let meter = Rc::new(Meter::default());
        let inner = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .quote(options.quote.unwrap_or(b'"'))
            .quoting(options.quote.is_some())
            .buffer_capacity(256 << 10)
            .from_reader(Metered { file, meter: Rc::clone(&meter) });
        let mut reader = Self { inner, meter, record: ByteRecord::new(), line: 1 };
        let header = match reader.next(path)? {
            Row::Fields(fields) => fields.iter().map(|field| (*field).to_owned()).collect(),
            Row::Bad(fault) => {
                return Err(ImportError::layout(path, format!("in the header, {}", fault.problem)));
            }
            Row::End => return Err(ImportError::layout(path, "the file is empty, not even a header")),
        };
        Ok((reader, header))
    }

    /// Reads the next row.
    pub(super) fn next(&mut self, path: &Path) -> Result<Row<'_>, ImportError> {
        self.meter.row.set(0);
        match self.inner.read_byte_record(&mut self.record) {
            Ok(true) => {}
            Ok(false) => return Ok(Row::End),
            Err(error) => return Err(read_error(path, error)),
        }
        self.line = self.record.position().map_or(self.line, csv::Position::line);
        let mut fields = Vec::with_capacity(self.record.len());
        for (column, field) in self.record.iter().enumerate() {
            match std::str::from_utf8(field) {
                Ok(text) => fields.push(text),
                Err(_) => {
                    return Ok(Row::Bad(Fault::at(column, "text in UTF-8 expected, found other bytes")));
                }
            }
        }
        Ok(Row::Fields(fields))
    }

    /// Bytes read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.meter.total.get()
    }
}

fn read_error(path: &Path, error: csv::Error) -> ImportError {
    match error.into_kind() {
        csv::ErrorKind::Io(source) => ImportError::io(path, source),
        other => ImportError::layout(path, format!("it cannot be read as CSV: {other:?}")),
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
