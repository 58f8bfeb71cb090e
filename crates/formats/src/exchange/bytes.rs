//! A file, byte after byte, with the place where one is.

use std::io::{ErrorKind, Read};

use values::watch;

use super::error::{FileError, Place, Result};

/// Bytes that are read at once.
const BUFFER: usize = 128 << 10;
/// Bytes of work that are a tick of the watch: some nanoseconds each.
const BYTES_PER_TICK: usize = 64;

/// See the module.
pub(super) struct Bytes {
    from: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    at: usize,
    /// Bytes of the file before the buffer.
    before: u64,
    /// The line that the next byte is on, and the number of the file's first byte on it.
    line: u64,
    line_begins: u64,
}

impl Bytes {
    pub(super) fn new(from: Box<dyn Read + Send>) -> Self {
        Self { from, buffer: Vec::new(), at: 0, before: 0, line: 1, line_begins: 0 }
    }

    /// What is known of the file from here on: not empty unless it has ended.
    pub(super) fn ahead(&mut self) -> Result<&[u8]> {
        if self.at == self.buffer.len() {
            watch::ticks(self.buffer.len() / BYTES_PER_TICK);
            self.before += self.buffer.len() as u64;
            self.at = 0;
            self.buffer.resize(BUFFER, 0);
            let read = loop {
                match self.from.read(&mut self.buffer) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    read => break read,
                }
            };
            self.buffer.truncate(*read.as_ref().unwrap_or(&0));
            read?;
        }
        Ok(&self.buffer[self.at..])
    }

    /// Goes past so many bytes of what is ahead.
    pub(super) fn pass(&mut self, count: usize) {
        self.at = (self.at + count).min(self.buffer.len());
    }

    /// The next byte, which stays there.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<Option<u8>> {
        match self.buffer.get(self.at) {
            Some(byte) => Ok(Some(*byte)),
            None => Ok(self.ahead()?.first().copied()),
        }
    }

    /// The next byte.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<u8>> {
        let byte = self.peek()?;
        if byte.is_some() {
            self.at += 1;
        }
        Ok(byte)
    }

    /// Tells that the byte before this place ended a line.
    pub(super) fn new_line(&mut self) {
        self.line += 1;
        self.line_begins = self.offset();
    }

    pub(super) fn offset(&self) -> u64 {
        self.before + self.at as u64
    }

    /// Where the next byte is, in a text.
    pub(super) fn in_text(&self) -> Place {
        Place::Line(self.line, self.offset() - self.line_begins + 1)
    }

    /// Where the next byte is.
    pub(super) fn in_bytes(&self) -> Place {
        Place::Byte(self.offset())
    }

    /// The next bytes, as many as there is room for in `into`.
    pub(super) fn fill(&mut self, into: &mut [u8]) -> Result<()> {
        let mut filled = 0;
        while filled < into.len() {
            let ahead = self.ahead()?;
            if ahead.is_empty() {
                return Err(FileError::malformed(
                    self.in_bytes(),
                    "the file ends in the middle of something",
                ));
            }
            let count = ahead.len().min(into.len() - filled);
            into[filled..filled + count].copy_from_slice(&ahead[..count]);
            self.pass(count);
            filled += count;
        }
        Ok(())
    }
}
