//! JSON a piece after the other: what is larger than memory is never a whole.

use serde_json::{Map as Object, Number, Value as Json};

use super::super::bytes::Bytes;
use super::super::error::{FileError, Result};
use super::super::room::Holdings;

/// Most arrays and objects inside one another: 64 collections, which is what can be stored, are two each, with what a vertex has around
/// them.
const MAX_DEPTH: usize = 160;
/// Most characters of a number. (Its decimal digits are made binary ones, which takes their number squared.)
const LONGEST_NUMBER: usize = 4 << 10;
/// Most bytes of a text. One that is longer cannot be stored.
const LONGEST_TEXT: usize = 256 << 20;
/// Bytes that a part of a value takes in memory, its characters aside.
const PART: usize = 96;

/// A JSON text that is read.
pub(super) struct JsonReader {
    pub(super) bytes: Bytes,
    pub(super) held: Holdings,
}

/// The value that a line is, however deep within [`MAX_DEPTH`].
pub(in super::super) fn json_of_line(line: &[u8]) -> Result<Json> {
    let bytes = Bytes::new(Box::new(std::io::Cursor::new(line.to_vec())));
    let mut reader = JsonReader { bytes, held: Holdings::new(Box::new(|_| true)) };
    let value = reader.value()?;
    match reader.peek()? {
        None => Ok(value),
        Some(_) => reader.error("the end of the line expected behind the value"),
    }
}

impl JsonReader {
    pub(super) fn error<T>(&self, problem: impl Into<String>) -> Result<T> {
        Err(FileError::malformed(self.bytes.in_text(), problem))
    }

    fn expected<T>(&mut self, what: &str) -> Result<T> {
        match self.bytes.peek()? {
            None => self.error(format!("{what} expected, but the file ends here")),
            Some(byte) if byte.is_ascii_graphic() => {
                self.error(format!("{what} expected, found `{}`", char::from(byte)))
            }
            Some(byte) => self.error(format!("{what} expected, found the byte {byte:#04x}")),
        }
    }

    pub(super) fn hold(&mut self, bytes: usize) -> Result<()> {
        if self.held.add(bytes) { Ok(()) } else { Err(FileError::NoRoom(self.bytes.in_text())) }
    }

    /// The next byte that is no white space, which stays there.
    pub(super) fn peek(&mut self) -> Result<Option<u8>> {
        loop {
            match self.bytes.peek()? {
                Some(b'\n') => {
                    self.bytes.pass(1);
                    self.bytes.new_line();
                }
                Some(b' ' | b'\t' | b'\r') => self.bytes.pass(1),
                other => return Ok(other),
            }
        }
    }

    /// Whether the next is this, which is then past.
    pub(super) fn accept(&mut self, byte: u8) -> Result<bool> {
        let is_there = self.peek()? == Some(byte);
        if is_there {
            self.bytes.pass(1);
        }
        Ok(is_there)
    }

    pub(super) fn expect(&mut self, byte: u8, what: &str) -> Result<()> {
        if self.accept(byte)? { Ok(()) } else { self.expected(what) }
    }

    /// Of an array or object that has begun: whether there is another member, to which it goes. `first`: there was none yet.
    pub(super) fn another(&mut self, close: u8, first: &mut bool) -> Result<bool> {
        if self.accept(close)? {
            return Ok(false);
        }
        if !std::mem::take(first) {
            let what = if close == b'}' { "`,` or `}`" } else { "`,` or `]`" };
            self.expect(b',', what)?;
        }
        Ok(true)
    }

    /// A key, up to its value.
    pub(super) fn key(&mut self) -> Result<String> {
        if self.peek()? != Some(b'"') {
            return self.expected("a key in quotes");
        }
        let key = self.text()?;
        self.expect(b':', "`:`")?;
        Ok(key)
    }

    /// A text in quotes.
    pub(super) fn text(&mut self) -> Result<String> {
        if !self.accept(b'"')? {
            return self.expected("a text in quotes");
        }
        let begins = self.bytes.in_text();
        let mut text = Vec::new();
        loop {
            let ahead = self.bytes.ahead()?;
            let plain = ahead.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f)).count();
            text.extend_from_slice(&ahead[..plain]);
            self.bytes.pass(plain);
            self.hold(plain)?;
            if text.len() > LONGEST_TEXT {
                return self.error(format!("a text is longer than {} MiB", LONGEST_TEXT >> 20));
            }
            match self.bytes.peek()? {
                Some(b'"') => {
                    self.bytes.pass(1);
                    break;
                }
                Some(b'\\') => {
                    self.bytes.pass(1);
                    let escaped = self.escaped()?;
                    text.extend_from_slice(escaped.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Some(0..=0x1f) => return self.error("a control character must be escaped in a text"),
                Some(_) => {}
                None => return self.error("a text has no end"),
            }
        }
        String::from_utf8(text).map_err(|_| FileError::malformed(begins, "a text is not UTF-8"))
    }

    fn escaped(&mut self) -> Result<char> {
        Ok(match self.bytes.next()? {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            _ => return self.error("an escape that JSON does not have"),
        })
    }

    /// The character of `\uXXXX`, or of two of them.
    fn unicode(&mut self) -> Result<char> {
        let first = self.four_digits()?;
        let unit = match first {
            0xd800..=0xdbff => {
                let mut escape = [0; 2];
                self.bytes.fill(&mut escape)?;
                let second = if escape == *b"\\u" { self.four_digits()? } else { 0 };
                let (0xdc00..=0xdfff) = second else {
                    return self.error("half of a character (a lone surrogate) is no text");
                };
                0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
            }
            other => other,
        };
        match char::from_u32(unit) {
            Some(character) => Ok(character),
            None => self.error("half of a character (a lone surrogate) is no text"),
        }
    }

    fn four_digits(&mut self) -> Result<u32> {
        let mut digits = [0; 4];
        self.bytes.fill(&mut digits)?;
        let all_hex = digits.iter().all(u8::is_ascii_hexdigit);
        let parsed = std::str::from_utf8(&digits).ok().and_then(|text| u32::from_str_radix(text, 16).ok());
        match parsed.filter(|_| all_hex) {
            Some(unit) => Ok(unit),
            None => self.error("four hexadecimal digits expected after `\\u`"),
        }
    }

    /// A whole value.
    pub(super) fn value(&mut self) -> Result<Json> {
        self.value_at(0)
    }

    fn value_at(&mut self, depth: usize) -> Result<Json> {
        if depth > MAX_DEPTH {
            return self.error(format!("more than {MAX_DEPTH} arrays and objects inside one another"));
        }
        self.hold(PART)?;
        match self.peek()? {
            Some(b'"') => self.text().map(Json::String),
            Some(b'{') => {
                self.bytes.pass(1);
                let (mut object, mut first) = (Object::new(), true);
                while self.another(b'}', &mut first)? {
                    let key = self.key()?;
                    let value = self.value_at(depth + 1)?;
                    object.insert(key, value);
                }
                Ok(Json::Object(object))
            }
            Some(b'[') => {
                self.bytes.pass(1);
                let (mut array, mut first) = (Vec::new(), true);
                while self.another(b']', &mut first)? {
                    array.push(self.value_at(depth + 1)?);
                }
                Ok(Json::Array(array))
            }
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.expected("a JSON value"),
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json> {
        for byte in word.bytes() {
            if self.bytes.next()? != Some(byte) {
                return self.error(format!("`{word}` expected"));
            }
        }
        Ok(value)
    }

    fn number(&mut self) -> Result<Json> {
        let mut text = String::new();
        while let Some(byte @ (b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) = self.bytes.peek()? {
            text.push(char::from(byte));
            self.bytes.pass(1);
            if text.len() > LONGEST_NUMBER {
                return self.error(format!("a number has more than {LONGEST_NUMBER} characters"));
            }
        }
        match text.parse::<Number>() {
            Ok(number) => Ok(Json::Number(number)),
            Err(_) => self.error(format!("{text:?} is no number")),
        }
    }

    /// Goes past a value; the members of it, if it is an array. Takes no memory, however large it is.
    pub(super) fn skip(&mut self) -> Result<u64> {
        let mut open = Vec::new();
        let mut members = 0;
        loop {
            match self.peek()? {
                Some(b'"') => self.skip_text()?,
                Some(opening @ (b'{' | b'[')) => {
                    self.bytes.pass(1);
                    open.push(opening);
                    if open.len() > MAX_DEPTH {
                        return self
                            .error(format!("more than {MAX_DEPTH} arrays and objects inside one another"));
                    }
                    let close = if opening == b'{' { b'}' } else { b']' };
                    if self.peek()? != Some(close) {
                        members += u64::from(open.len() == 1 && opening == b'[');
                        self.skip_key(opening)?;
                        continue;
                    }
                }
                Some(b't' | b'f' | b'n' | b'-' | b'0'..=b'9') => {
                    let held = std::mem::replace(&mut self.held, Holdings::new(Box::new(|_| true)));
                    let skipped = self.value();
                    self.held = held;
                    skipped?;
                }
                _ => return self.expected("a JSON value"),
            }
            // A value is over: what it is in may be, too.
            loop {
                let Some(&inner) = open.last() else { return Ok(members) };
                let close = if inner == b'{' { b'}' } else { b']' };
                if self.accept(close)? {
                    open.pop();
                    continue;
                }
                self.expect(b',', if inner == b'{' { "`,` or `}`" } else { "`,` or `]`" })?;
                members += u64::from(open.len() == 1 && inner == b'[');
                self.skip_key(inner)?;
                break;
            }
        }
    }

    fn skip_key(&mut self, inside: u8) -> Result<()> {
        if inside != b'{' {
            return Ok(());
        }
        if self.peek()? != Some(b'"') {
            return self.expected("a key in quotes");
        }
        self.skip_text()?;
        self.expect(b':', "`:`")
    }

    fn skip_text(&mut self) -> Result<()> {
        self.expect(b'"', "a text in quotes")?;
        loop {
            let ahead = self.bytes.ahead()?;
            let plain = ahead.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f)).count();
            self.bytes.pass(plain);
            match self.bytes.next()? {
                Some(b'"') => return Ok(()),
                Some(b'\\') => _ = self.escaped()?,
                Some(0..=0x1f) => return self.error("a control character must be escaped in a text"),
                Some(_) => {}
                None => return self.error("a text has no end"),
            }
        }
    }
}
