//! Walking over Gremlin text, token by token.

use values::watch;

use crate::Position;

/// Bytes that are passed over in the time of a tick of the watch.
const BYTES_PER_TICK: usize = 64;

/// A place in Gremlin text, always at the start of a token: space and comments are behind it.
pub(crate) struct Cursor<'t> {
    text: &'t str,
    at: usize,
    /// The last offset whose position was asked for, with that position: asking forwards costs only the way between.
    known: (usize, Position),
}

/// Where a cursor stands, without its text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) at: usize,
    known: (usize, Position),
}

impl<'t> Cursor<'t> {
    /// The first token of `text`.
    pub(crate) fn new(text: &'t str) -> Self {
        let mut cursor = Self { text, at: 0, known: (0, Position { line: 1, column: 1 }) };
        cursor.skip_space();
        cursor
    }

    /// Where it stands.
    pub(crate) fn mark(&self) -> Mark {
        Mark { at: self.at, known: self.known }
    }

    /// A cursor in the same text, where another one stood.
    pub(crate) fn resume(text: &'t str, mark: Mark) -> Self {
        Self { text, at: mark.at, known: mark.known }
    }

    /// Byte offset of the token at the cursor.
    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// First byte of the token at the cursor; `None` at the end.
    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The text from the cursor on.
    #[inline]
    pub(crate) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// The text from `start` up to `end`.
    pub(crate) fn slice(&self, start: usize, end: usize) -> &'t str {
        &self.text[start..end]
    }

    /// Whether the cursor stands before two dots, as between the ends of a range.
    pub(crate) fn at_range_dots(&self) -> bool {
        // The grammar has two separate dots here, with space allowed between them.
        self.peek() == Some(b'.') && self.rest()[1..].trim_start().starts_with('.')
    }

    /// Goes `bytes` on, and past the space there.
    #[inline]
    pub(crate) fn advance(&mut self, bytes: usize) {
        self.at += bytes;
        self.skip_space();
    }

    /// Returns to the token at `offset`.
    pub(crate) fn go_back(&mut self, offset: usize) {
        self.at = offset;
    }

    /// Takes `token`, one ASCII character, if the cursor is before it.
    #[inline]
    pub(crate) fn eat(&mut self, token: u8) -> bool {
        let found = self.peek() == Some(token);
        if found {
            self.advance(1);
        }
        found
    }

    /// Takes the identifier or keyword at the cursor.
    #[inline]
    pub(crate) fn word(&mut self) -> Option<&'t str> {
        let length = self.word_length();
        if length == 0 {
            return None;
        }
        let word = &self.text[self.at..self.at + length];
        self.advance(length);
        Some(word)
    }

    /// Bytes of the identifier at the cursor; 0 if there is none.
    #[inline]
    fn word_length(&self) -> usize {
        let bytes = &self.text.as_bytes()[self.at..];
        match bytes.first() {
            Some(b) if b.is_ascii_alphabetic() || matches!(b, b'_' | b'$') => {}
            Some(b) if !b.is_ascii() => return self.long_word_length(),
            _ => return 0,
        }
        let ascii =
            bytes.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$')).count();
        match bytes.get(ascii) {
            Some(b) if !b.is_ascii() => self.long_word_length(),
            _ => ascii,
        }
    }

    /// As [`Self::word_length`], for identifiers with characters beyond ASCII.
    #[cold]
    fn long_word_length(&self) -> usize {
        let rest = self.rest();
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        if rest.starts_with(|c: char| c.is_ascii_digit() || !part(c)) {
            return 0;
        }
        rest.find(|c: char| !part(c)).unwrap_or(rest.len())
    }

    #[inline]
    fn skip_space(&mut self) {
        let (bytes, start) = (self.text.as_bytes(), self.at);
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\r' | b'\n' | 0x0c) => self.at += 1,
                Some(b'/') if bytes.get(self.at + 1) == Some(&b'/') => {
                    let comment = bytes[self.at..].iter().take_while(|b| !matches!(b, b'\r' | b'\n'));
                    self.at += comment.count();
                }
                _ => break,
            }
        }
        passed(self.at - start);
    }

    /// Line and column of a byte offset.
    pub(crate) fn position(&mut self, offset: usize) -> Position {
        passed(offset.abs_diff(self.known.0));
        let position = if offset < self.known.0 { self.before(offset) } else { self.behind(offset) };
        self.known = (offset, position);
        position
    }

    /// That of an offset at or behind the known one.
    fn behind(&self, offset: usize) -> Position {
        let (from, mut position) = self.known;
        for &byte in &self.text.as_bytes()[from..offset] {
            match byte {
                b'\n' => position = Position { line: position.line + 1, column: 1 },
                byte if begins_character(byte) => position.column += 1,
                _ => {}
            }
        }
        position
    }

    /// That of an offset before the known one: backwards, since each step of a chain is asked for after those inside of it.
    fn before(&self, offset: usize) -> Position {
        let (until, known) = self.known;
        let (ahead, between) = self.text.as_bytes()[..until].split_at(offset);
        let characters = |bytes: &[u8]| bytes.iter().filter(|byte| begins_character(**byte)).count();
        let lines = between.iter().filter(|byte| **byte == b'\n').count();
        if lines == 0 {
            return Position { column: known.column - characters(between) as u32, ..known };
        }
        let line = ahead.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        passed(line.len());
        Position { line: known.line - lines as u32, column: 1 + characters(line) as u32 }
    }

    /// The token at `offset`, as an error message shows it.
    pub(crate) fn describe(&self, offset: usize) -> String {
        let rest = &self.text[offset..];
        let Some(first) = rest.chars().next() else { return "the end".to_owned() };
        let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let end = match first {
            '"' | '\'' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            c if name(c) => rest.find(|c| !name(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        format!("`{}`", shorten(&rest[..end]))
    }
}

/// Tells the watch of so many bytes that were looked at: what is no argument, as space and comments, may be most of a text.
#[inline]
fn passed(bytes: usize) {
    if bytes >= BYTES_PER_TICK {
        watch::ticks(bytes / BYTES_PER_TICK);
    }
}

/// Whether a byte is the first one of a character.
fn begins_character(byte: u8) -> bool {
    !matches!(byte, 0x80..=0xbf)
}

/// The text, or its beginning when it is long.
pub(crate) fn shorten(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_and_comments_are_skipped() {
        let mut cursor = Cursor::new("  // first\n g // second\n\t.");
        assert_eq!(cursor.word(), Some("g"));
        assert!(cursor.eat(b'.'));
        assert_eq!(cursor.peek(), None);
    }

    #[test]
    fn positions_count_lines_and_characters_not_bytes() {
        let mut cursor = Cursor::new("é\nüx");
        assert_eq!(cursor.position(5), Position { line: 2, column: 2 });
        assert_eq!(cursor.position(0), Position { line: 1, column: 1 });
        assert_eq!(cursor.position(3), Position { line: 2, column: 1 });
    }

    #[test]
    fn positions_are_the_same_forwards_and_backwards() {
        let text = "éa\n\nüx\r\n  日本.g\n";
        let offsets: Vec<_> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
        for from in &offsets {
            for to in &offsets {
                let mut cursor = Cursor::new(text);
                cursor.position(*from);
                assert_eq!(cursor.position(*to), Cursor::new(text).position(*to), "{from} {to}");
            }
        }
    }

    #[test]
    fn identifiers_may_have_letters_beyond_ascii() {
        assert_eq!(Cursor::new("größe1(").word(), Some("größe1"));
        assert_eq!(Cursor::new("日本.").word(), Some("日本"));
        assert_eq!(Cursor::new("1a").word(), None);
    }
}
