//! CSV as rows of fields (RFC 4180), and back.
//!
//! ```text
//! a,"b ""c"", d",,""      four fields: `a`; `b "c", d`; nothing; an empty text
//! ```
//!
//! A quote has a meaning at the beginning of a field only, and behind the one that closes it the field ends. Rows end with `\n`, `\r\n` or `\r`; empty ones are none.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result};

use crate::lines::LONGEST_LINE;

/// Fields of one row: what is more is no table, and each takes some memory.
const MOST_FIELDS: usize = 1 << 16;

/// Bytes that are read at once.
const BUFFER: usize = 256 << 10;

/// The rows of a file, one after the other.
pub(super) struct Rows<R> {
    from: BufReader<R>,
    delimiter: u8,
    quote: Option<u8>,
    /// The line that the next byte is on, from 1.
    line: u64,
    /// The row that was read last.
    row: RawRow,
}

/// A row as bytes.
#[derive(Default)]
struct RawRow {
    bytes: Vec<u8>,
    fields: Vec<RawField>,
    /// The line that it begins on.
    line: u64,
}

#[derive(Clone, Copy)]
struct RawField {
    end: usize,
    is_quoted: bool,
}

/// A field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field<'r> {
    pub(super) bytes: &'r [u8],
    /// Whether it stands in quotes: then it is a text even if it is empty.
    pub(super) is_quoted: bool,
}

/// What an attempt to read a row gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// One was read.
    Row,
    /// The file ends in the field of that number (from 0), inside of quotes.
    Unclosed(usize),
    /// A row was read, but its field of that number goes on behind its quotes.
    Behind(usize),
    /// There are no more.
    End,
}

impl<R: Read> Rows<R> {
    pub(super) fn new(from: R, delimiter: u8, quote: Option<u8>) -> Self {
        let from = BufReader::with_capacity(BUFFER, from);
        Self { from, delimiter, quote, line: 1, row: RawRow::default() }
    }

    pub(super) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// The line that the row begins on.
    pub(super) fn line(&self) -> u64 {
        self.row.line
    }

    /// The fields of the row.
    pub(super) fn fields(&self) -> impl ExactSizeIterator<Item = Field<'_>> {
        self.row.fields.iter().enumerate().map(|(number, field)| {
            let begin = number.checked_sub(1).map_or(0, |before| self.row.fields[before].end);
            Field { bytes: &self.row.bytes[begin..field.end], is_quoted: field.is_quoted }
        })
    }

    /// Reads the next row.
    pub(super) fn next(&mut self) -> Result<Outcome> {
        while self.end_of_line()? {}
        self.row.bytes.clear();
        self.row.fields.clear();
        self.row.line = self.line;
        if self.peek()?.is_none() {
            return Ok(Outcome::End);
        }
        if self.line_without_quotes()? {
            return Ok(Outcome::Row);
        }
        let mut behind = None;
        loop {
            let is_quoted = self.quote.is_some() && self.peek()? == self.quote;
            if is_quoted && !self.quoted()? {
                return Ok(Outcome::Unclosed(self.row.fields.len()));
            }
            let closed = self.row.bytes.len();
            self.plain()?;
            if is_quoted && self.row.bytes.len() > closed {
                behind.get_or_insert(self.row.fields.len());
            }
            self.row.fields.push(RawField { end: self.row.bytes.len(), is_quoted });
            self.check_fields()?;
            if self.peek()? == Some(self.delimiter) {
                self.from.consume(1);
                continue;
            }
            self.end_of_line()?;
            return Ok(behind.map_or(Outcome::Row, Outcome::Behind));
        }
    }

    /// Takes a row that is a line without quotes, if the buffer has all of it: most are so, and they are divided faster.
    fn line_without_quotes(&mut self) -> Result<bool> {
        let ahead = self.from.fill_buf()?;
        let Some(length) = memchr::memchr2(b'\n', b'\r', ahead) else { return Ok(false) };
        let line = &ahead[..length];
        if self.quote.is_some_and(|quote| memchr::memchr(quote, line).is_some()) {
            return Ok(false);
        }
        let mut begin = 0;
        for end in memchr::memchr_iter(self.delimiter, line).chain([length]) {
            self.row.bytes.extend_from_slice(&line[begin..end]);
            self.row.fields.push(RawField { end: self.row.bytes.len(), is_quoted: false });
            begin = end + 1;
        }
        self.from.consume(length);
        self.check_fields()?;
        self.end_of_line()
    }

    /// Refuses a row that is none.
    fn check_fields(&self) -> Result<()> {
        if self.row.fields.len() <= MOST_FIELDS {
            return Ok(());
        }
        let problem = format!("a row has more than {MOST_FIELDS} fields; is the delimiter another one?");
        Err(Error::new(ErrorKind::InvalidData, problem))
    }

    fn peek(&mut self) -> Result<Option<u8>> {
        Ok(self.from.fill_buf()?.first().copied())
    }

    /// Goes past the end of a line, if there is one here.
    fn end_of_line(&mut self) -> Result<bool> {
        let first = self.peek()?;
        if first == Some(b'\r') {
            self.from.consume(1);
        }
        let is_feed = matches!(first, Some(b'\r' | b'\n')) && self.peek()? == Some(b'\n');
        if is_feed {
            self.from.consume(1);
        }
        self.line += u64::from(is_feed);
        Ok(is_feed || first == Some(b'\r'))
    }

    /// Takes what is in quotes, which are here; whether they are closed.
    fn quoted(&mut self) -> Result<bool> {
        let Some(quote) = self.quote else { return Ok(true) };
        self.from.consume(1);
        loop {
            let closes = self.take_until(|bytes| memchr::memchr(quote, bytes))?;
            if !closes {
                return Ok(false);
            }
            self.from.consume(1);
            if self.peek()? != Some(quote) {
                return Ok(true);
            }
            self.row.bytes.push(quote);
            self.from.consume(1);
        }
    }

    /// Takes what there is up to the end of the field.
    fn plain(&mut self) -> Result<()> {
        let delimiter = self.delimiter;
        self.take_until(|bytes| memchr::memchr3(delimiter, b'\n', b'\r', bytes)).map(drop)
    }

    /// Takes bytes up to the one that is looked for; whether it is there.
    fn take_until(&mut self, find: impl Fn(&[u8]) -> Option<usize>) -> Result<bool> {
        loop {
            let ahead = self.from.fill_buf()?;
            if ahead.is_empty() {
                return Ok(false);
            }
            let found = find(ahead);
            let taken = &ahead[..found.unwrap_or(ahead.len())];
            self.row.bytes.extend_from_slice(taken);
            self.line += memchr::memchr_iter(b'\n', taken).count() as u64;
            let count = taken.len();
            self.from.consume(count);
            if self.row.bytes.len() > LONGEST_LINE {
                let problem =
                    format!("a row is longer than {} MiB; is a quote not closed?", LONGEST_LINE >> 20);
                return Err(Error::new(ErrorKind::InvalidData, problem));
            }
            if found.is_some() {
                return Ok(true);
            }
        }
    }
}

/// A row as a line with commas: what is not there is nothing, and an empty text stands in quotes.
pub(super) fn line_of<'f>(fields: impl IntoIterator<Item = Option<&'f str>>, quote_all: bool) -> String {
    let mut line = String::new();
    append_line(&mut line, fields, quote_all);
    line
}

/// Appends such a line.
pub(super) fn append_line<'f>(
    line: &mut String,
    fields: impl IntoIterator<Item = Option<&'f str>>,
    quote_all: bool,
) {
    for (number, field) in fields.into_iter().enumerate() {
        if number > 0 {
            line.push(',');
        }
        let Some(field) = field else { continue };
        let is_special = |byte: u8| matches!(byte, b',' | b'"' | b'\r' | b'\n');
        if quote_all || field.is_empty() || field.bytes().any(is_special) {
            line.push('"');
            line.push_str(&field.replace('"', "\"\""));
            line.push('"');
        } else {
            line.push_str(field);
        }
    }
    line.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row with its line, and of each field whether it stands in quotes.
    type Read = (u64, Vec<(String, bool)>);

    fn read(text: &str, quote: Option<u8>) -> Vec<Read> {
        // One byte at a time finds what depends on where a buffer ends.
        let mut read: Vec<Vec<Read>> = Vec::new();
        for size in [1, 2, 3, 1000] {
            let mut rows = Rows::new(text.as_bytes(), b',', quote);
            rows.from = BufReader::with_capacity(size, text.as_bytes());
            let mut found = Vec::new();
            while matches!(rows.next().unwrap(), Outcome::Row | Outcome::Behind(_)) {
                let text =
                    |field: Field<'_>| (String::from_utf8(field.bytes.to_vec()).unwrap(), field.is_quoted);
                found.push((rows.line(), rows.fields().map(text).collect()));
            }
            read.push(found);
        }
        assert!(read.windows(2).all(|two| two[0] == two[1]), "{read:?}");
        read.remove(0)
    }

    #[test]
    fn a_row_has_an_end_to_its_fields() {
        for quote in [None, Some(b'"')] {
            for (fields, is_one) in [(MOST_FIELDS, true), (MOST_FIELDS + 1, false)] {
                let text = format!("{}\n", vec!["a"; fields].join(","));
                for size in [64, 1 << 20] {
                    let mut rows = Rows::new(text.as_bytes(), b',', quote);
                    rows.from = BufReader::with_capacity(size, text.as_bytes());
                    assert_eq!(rows.next().is_ok(), is_one, "{fields} fields, {size} bytes at once");
                }
            }
        }
    }

    fn plain(text: &str) -> (String, bool) {
        (text.to_owned(), false)
    }

    fn quoted(text: &str) -> (String, bool) {
        (text.to_owned(), true)
    }

    #[test]
    fn quotes_keep_what_they_are_around() {
        let text = "a,\"b \"\"c\"\", d\",,\"\"\n\r\n\"one\r\ntwo\" more,x\"y\"\r\rz";
        let expected = [
            (1, vec![plain("a"), quoted("b \"c\", d"), plain(""), quoted("")]),
            (3, vec![quoted("one\r\ntwo more"), plain("x\"y\"")]),
            (4, vec![plain("z")]),
        ];
        assert_eq!(read(text, Some(b'"')), expected);
        assert_eq!(read("\"a\",b\n", None), [(1, vec![plain("\"a\""), plain("b")])]);
        assert_eq!(read(",\n", Some(b'"')), [(1, vec![plain(""), plain("")])]);
        assert!(read("\n\r\n\r", Some(b'"')).is_empty());
    }

    #[test]
    fn what_goes_on_behind_its_quotes_is_told() {
        let mut rows = Rows::new(&b"a,\"b\"c,\"d\" \n\"e\",f\n"[..], b',', Some(b'"'));
        assert_eq!((rows.next().unwrap(), rows.line()), (Outcome::Behind(1), 1));
        assert_eq!((rows.next().unwrap(), rows.line()), (Outcome::Row, 2));
        assert_eq!(rows.next().unwrap(), Outcome::End);
    }

    #[test]
    fn quotes_that_are_not_closed_are_told() {
        let mut rows = Rows::new(&b"a\nb,\"c,d\ne"[..], b',', Some(b'"'));
        assert_eq!(rows.next().unwrap(), Outcome::Row);
        assert_eq!((rows.next().unwrap(), rows.line()), (Outcome::Unclosed(1), 2));
        assert_eq!(rows.next().unwrap(), Outcome::End);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let fields = [None, Some(""), Some("a"), Some(" b\r\n"), Some("\"c\","), Some("d|;\t")];
        for quote_all in [false, true] {
            let line = line_of(fields, quote_all);
            let back: Vec<_> = read(&line, Some(b'"')).remove(0).1;
            assert_eq!(back.len(), fields.len());
            for (field, (text, is_quoted)) in fields.iter().zip(back) {
                assert_eq!((text.as_str(), is_quoted), (field.unwrap_or_default(), is_quoted));
                assert!(field.is_none_or(|field| !field.is_empty() || is_quoted), "{line:?}");
            }
        }
        assert_eq!(line_of(fields, false), ",\"\",a,\" b\r\n\",\"\"\"c\"\",\",d|;\t\n");
    }
}
