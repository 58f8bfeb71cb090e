//! Files by their lines: one after the other ([`Lines`]), or in parts that end at line ends, so that several threads can read one
//! file ([`read_range`]).

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::ImportError;
use super::packed::{Counted, unpacked};

/// The longest line that is accepted, in bytes.
pub(super) const LONGEST_LINE: usize = 64 << 20;
/// How much more is read at a time to complete a part's last line.
const EXTENSION: usize = 64 << 10;

/// The first line of a file and where the second begins.
pub(super) struct Head {
    /// The first line without byte order mark and line end.
    pub(super) line: String,
    /// The second line, for a look at how values are written; empty if there is none.
    pub(super) sample: String,
    /// Offset of the second line.
    pub(super) data: u64,
    /// Length of the file.
    pub(super) length: u64,
}

/// Reads the first two lines of a file, which have to end within 64 KiB each.
pub(super) fn read_head(path: &Path) -> Result<Head, ImportError> {
    let mut file = File::open(path).map_err(|e| ImportError::io(path, e))?;
    let length = file.metadata().map_err(|e| ImportError::io(path, e))?.len();
    let mut bytes = Vec::new();
    file.by_ref().take(2 * EXTENSION as u64).read_to_end(&mut bytes).map_err(|e| ImportError::io(path, e))?;
    let end = memchr::memchr(b'\n', &bytes);
    let data = end.map_or(bytes.len(), |end| end + 1);
    if end.is_none() && bytes.len() as u64 != length {
        return Err(ImportError::layout(path, "the header, its first line, is longer than 128 KiB"));
    }
    let line = std::str::from_utf8(&bytes[..data])
        .map_err(|_| ImportError::layout(path, "the header, its first line, is not valid UTF-8"))?;
    let line = trim_line_end(line.strip_prefix('\u{feff}').unwrap_or(line)).to_owned();
    let second = bytes[data..].split(|&b| b == b'\n').next().unwrap_or_default();
    let sample = trim_line_end(&String::from_utf8_lossy(second)).to_owned();
    Ok(Head { line, sample, data: data as u64, length })
}

/// The line without its `\n` or `\r\n`.
pub(super) fn trim_line_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// Divides `from..to` into ranges of `size` bytes, at least one and at most a gigabyte each.
pub(super) fn ranges(from: u64, to: u64, size: u64) -> impl Iterator<Item = Range<u64>> {
    let size = size.clamp(1, 1 << 30);
    (from..to).step_by(size as usize).map(move |start| start..(start + size).min(to))
}

/// The lines that *begin* within `range`, whole, whatever of the last one lies beyond it. `data` is where the first
/// line of the file (after its header) begins. `buffer` is scratch space: it keeps its room for the next part.
///
/// ```text
/// range        [···········)[···········)
/// lines     ──┴────┴──────────┴───┴─────────┴──
/// returned         └─ first ─┘└── second ──┘
/// ```
pub(super) fn read_range<'a>(
    path: &Path,
    range: Range<u64>,
    data: u64,
    buffer: &'a mut Vec<u8>,
) -> Result<&'a [u8], ImportError> {
    let begin = read(path, range, data, buffer).map_err(|e| ImportError::io(path, e))?;
    Ok(&buffer[begin..])
}

/// Where in `bytes`, which it fills, the lines begin.
fn read(path: &Path, range: Range<u64>, data: u64, bytes: &mut Vec<u8>) -> std::io::Result<usize> {
    bytes.clear();
    let mut file = File::open(path)?;
    // One byte earlier, to see whether the range begins with a line.
    let start = if range.start > data { range.start - 1 } else { range.start };
    file.seek(SeekFrom::Start(start))?;
    let length = (range.end - start) as usize;
    bytes.reserve(length);
    if file.by_ref().take(length as u64).read_to_end(bytes)? < length {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    let mut begin = 0;
    if start < range.start {
        match memchr::memchr(b'\n', bytes) {
            Some(end) => begin = end + 1,
            None => return Ok(bytes.len()),
        }
    }
    let part = bytes.len();
    while bytes.last().is_some_and(|&last| last != b'\n') {
        let before = bytes.len();
        if file.by_ref().take(EXTENSION as u64).read_to_end(bytes)? == 0 {
            break;
        }
        if let Some(end) = memchr::memchr(b'\n', &bytes[before..]) {
            bytes.truncate(before + end + 1);
        } else if bytes.len() - part > LONGEST_LINE {
            let problem = format!("a line is longer than {} MiB", LONGEST_LINE >> 20);
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, problem));
        }
    }
    Ok(begin)
}

/// The lines of a file that may be packed, one after the other.
pub(super) struct Lines {
    path: PathBuf,
    reader: BufReader<Box<dyn Read + Send>>,
    /// Bytes of the file that were read, as they lie there, and how many of these were told.
    read: Arc<AtomicU64>,
    told: u64,
    line: Vec<u8>,
    number: u64,
}

impl Lines {
    pub(super) fn open(path: &Path) -> Result<Self, ImportError> {
        let failed = |e| ImportError::io(path, e);
        let (file, read) = Counted::open(path).map_err(failed)?;
        let reader = BufReader::with_capacity(256 << 10, unpacked(file).map_err(failed)?);
        Ok(Self { path: path.to_owned(), reader, read, told: 0, line: Vec::new(), number: 0 })
    }

    /// The next line that is not blank: its number, from 1, and its bytes without a byte order mark and white space around them.
    pub(super) fn next(&mut self) -> Result<Option<(u64, &[u8])>, ImportError> {
        loop {
            self.line.clear();
            let limit = LONGEST_LINE as u64 + 1;
            let count = self.reader.by_ref().take(limit).read_until(b'\n', &mut self.line);
            let count = count.map_err(|e| ImportError::io(&self.path, e))?;
            if count == 0 {
                return Ok(None);
            }
            self.number += 1;
            if count as u64 == limit {
                let problem = format!("line {} is longer than {} MiB", self.number, LONGEST_LINE >> 20);
                return Err(ImportError::layout(&self.path, problem));
            }
            if !content(&self.line, self.number).is_empty() {
                return Ok(Some((self.number, content(&self.line, self.number))));
            }
        }
    }

    /// Bytes of the file that have been read since this was asked last.
    pub(super) fn advance(&mut self) -> u64 {
        let now = self.read.load(Ordering::Relaxed);
        now - std::mem::replace(&mut self.told, now)
    }
}

/// What a line has to say.
fn content(line: &[u8], number: u64) -> &[u8] {
    let mark = "\u{feff}".as_bytes();
    line.strip_prefix(mark).filter(|_| number == 1).unwrap_or(line).trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn file(content: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content).unwrap();
        file
    }

    #[test]
    fn every_line_is_read_exactly_once_however_the_file_is_divided() {
        let content = b"header\none\n\nthree is rather long\r\n\n\nx\nlast without end";
        let file = file(content);
        let head = read_head(file.path()).unwrap();
        assert_eq!((head.line.as_str(), head.sample.as_str(), head.data), ("header", "one", 7));
        for size in 1..=content.len() as u64 + 1 {
            let mut buffer = Vec::new();
            let parts: Vec<Vec<u8>> = ranges(head.data, head.length, size)
                .map(|range| read_range(file.path(), range, head.data, &mut buffer).unwrap().to_vec())
                .collect();
            assert_eq!(parts.concat(), content[7..], "parts of {size} bytes");
            // Only the file's last line may be without an end, so nothing comes after one that is.
            let open = parts.iter().position(|part| !part.is_empty() && !part.ends_with(b"\n"));
            assert!(
                open.is_none_or(|open| parts[open + 1..].iter().all(Vec::is_empty)),
                "parts of {size} bytes"
            );
        }
    }

    #[test]
    fn lines_come_with_their_numbers_and_blank_ones_do_not() {
        let file = file("\u{feff}one\r\n\n \t\n two\u{feff} \nthree".as_bytes());
        let mut lines = Lines::open(file.path()).unwrap();
        let mut found = Vec::new();
        while let Some((number, line)) = lines.next().unwrap() {
            found.push((number, String::from_utf8(line.to_vec()).unwrap()));
        }
        assert_eq!(found, [(1, "one".into()), (4, "two\u{feff}".into()), (5, "three".into())]);
        assert_eq!((lines.advance(), lines.advance()), (file.path().metadata().unwrap().len(), 0));
    }

    #[test]
    fn a_header_may_have_a_byte_order_mark_and_a_carriage_return_or_be_all_there_is() {
        let head = read_head(file("\u{feff}id|name\r\n1|x".as_bytes()).path()).unwrap();
        assert_eq!((head.line.as_str(), head.data), ("id|name", 12));
        let head = read_head(file(b"id|name").path()).unwrap();
        assert_eq!((head.line.as_str(), head.sample.as_str(), head.data, head.length), ("id|name", "", 7, 7));
        let head = read_head(file(b"").path()).unwrap();
        assert_eq!((head.line.as_str(), head.data, head.length), ("", 0, 0));
    }
}
