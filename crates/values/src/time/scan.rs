//! A scanner over the ASCII text of a date-time or duration.

use super::TimeError;

/// Reads a text from left to right; every failure names the place.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    what: &'static str,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str, what: &'static str) -> Self {
        Self { text, at: 0, what }
    }

    /// The error that `expected` is missing here.
    pub fn error(&self, expected: &'static str) -> TimeError {
        let at = self.text.char_indices().take_while(|(i, _)| *i < self.at).count() + 1;
        TimeError::Syntax { text: self.text.chars().take(64).collect(), what: self.what, expected, at }
    }

    pub fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub fn is_done(&self) -> bool {
        self.at == self.text.len()
    }

    /// Skips one byte if it is among `bytes`, in either case, and says which it was, in upper case.
    pub fn accept(&mut self, bytes: &[u8]) -> Option<u8> {
        let byte = self.peek()?.to_ascii_uppercase();
        bytes.contains(&byte).then(|| {
            self.at += 1;
            byte
        })
    }

    pub fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), TimeError> {
        self.accept(&[byte]).map(drop).ok_or_else(|| self.error(expected))
    }

    /// The run of digits here: at least `min`, at most `max` of them.
    pub fn digits(&mut self, min: usize, max: usize, expected: &'static str) -> Result<&'a str, TimeError> {
        let rest = &self.text[self.at..];
        let count = rest.bytes().take(max).take_while(u8::is_ascii_digit).count();
        if count < min {
            return Err(self.error(expected));
        }
        self.at += count;
        Ok(&rest[..count])
    }

    /// An unsigned number of `min` to `max` digits, at most 18.
    pub fn number(&mut self, min: usize, max: usize, expected: &'static str) -> Result<i64, TimeError> {
        debug_assert!(max <= 18);
        let digits = self.digits(min, max, expected)?;
        digits.parse().map_err(|_| self.error(expected))
    }

    /// A fraction of a second after a point, if there is one, in nanoseconds.
    pub fn fraction(&mut self) -> Result<u32, TimeError> {
        if self.accept(b".,").is_none() {
            return Ok(0);
        }
        let digits = self.digits(1, 9, "digits of a fraction")?;
        format!("{digits:0<9}").parse().map_err(|_| self.error("digits of a fraction"))
    }
}
