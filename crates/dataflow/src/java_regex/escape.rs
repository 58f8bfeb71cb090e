//! What a backslash makes of the character behind it.

use regex_syntax::hir::ClassUnicode;

use super::PatternError;
use super::parser::Parser;
use super::syntax::{Node, Place, complement, set};

type Result<T> = std::result::Result<T, PatternError>;

/// The line terminators that are one character, and the vertical tab and the form feed: `\v`, and what `\R` takes beside `\r\n`.
const VERTICAL: [(char, char); 3] = [('\n', '\r'), ('\u{85}', '\u{85}'), ('\u{2028}', '\u{2029}')];

impl Parser {
    /// An escape outside of a class.
    pub(super) fn escape(&mut self) -> Result<Node> {
        let unix = self.flags.unix_lines;
        let node = match self.cursor.sign_at(1) {
            Some('b') if self.cursor.sign_at(2) == Some('{') => {
                return self.cursor.unsupported("`\\b{…}` (boundaries of grapheme clusters)");
            }
            // Java looks for it between the two halves of a character, too, and finds that there is none.
            Some('B') => return self.cursor.unsupported("`\\B` (no boundary of a word)"),
            Some('b') if self.is_denied => {
                return self.cursor.unsupported("`\\b` in a negative look-ahead");
            }
            Some('b') => Node::At(Place::WordBoundary),
            // The first search begins where the text does.
            Some('A' | 'G') => Node::At(Place::Start),
            Some('z') => Node::At(Place::End),
            Some('Z') => Node::At(Place::LastLineEnd { unix }),
            Some('R') => {
                let both = Node::Sequence(vec![Node::one('\r'), Node::one('\n')]);
                Node::Either(vec![both, Node::Set(set(VERTICAL))])
            }
            Some('X') => return self.cursor.unsupported("`\\X` (a grapheme cluster)"),
            Some('k' | '1'..='9') => return self.cursor.unsupported("a back-reference"),
            _ => {
                self.cursor.at += 1;
                return Ok(match self.class_escape()? {
                    Escaped::Set(set) => Node::Set(set),
                    Escaped::One(c) => Node::Set(self.folded(set([(c, c)]))),
                });
            }
        };
        self.cursor.at += 2;
        Ok(node)
    }

    /// An escape that means the same within a class, its backslash passed.
    pub(super) fn class_escape(&mut self) -> Result<Escaped> {
        let Some(token) = self.cursor.next() else { return self.cursor.malformed("a backslash at the end") };
        let one = match token.c {
            'd' => return Ok(Escaped::Set(digits())),
            'D' => return Ok(Escaped::Set(complement(digits()))),
            'w' => return Ok(Escaped::Set(word())),
            'W' => return Ok(Escaped::Set(complement(word()))),
            's' => return Ok(Escaped::Set(space())),
            'S' => return Ok(Escaped::Set(complement(space()))),
            'h' => return Ok(Escaped::Set(horizontal())),
            'H' => return Ok(Escaped::Set(complement(horizontal()))),
            'v' => return Ok(Escaped::Set(set(VERTICAL))),
            'V' => return Ok(Escaped::Set(complement(set(VERTICAL)))),
            'p' => return self.property(false).map(Escaped::Set),
            'P' => return self.property(true).map(Escaped::Set),
            'N' => return self.cursor.unsupported("`\\N{…}` (a character by its name)"),
            '0' => self.octal()?,
            'x' => self.hexadecimal()?,
            'u' => self.unicode()?,
            'c' => self.control()?,
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'f' => '\u{c}',
            'a' => '\u{7}',
            'e' => '\u{1b}',
            c if c.is_ascii_alphanumeric() => return self.cursor.malformed("illegal escape sequence"),
            c => c,
        };
        Ok(Escaped::One(one))
    }

    /// `\0n`, `\0nn` or `\0mnn`.
    fn octal(&mut self) -> Result<char> {
        let Some(mut code) = self.cursor.digit(8) else {
            return self.cursor.malformed("illegal octal escape sequence");
        };
        let most = if code < 4 { 2 } else { 1 };
        for _ in 0..most {
            match self.cursor.digit(8) {
                Some(digit) => code = code * 8 + digit,
                None => break,
            }
        }
        self.character(code)
    }

    /// `\xhh` or `\x{h…h}`.
    fn hexadecimal(&mut self) -> Result<char> {
        if let Some(code) = self.hexadecimal_digits(2) {
            return self.character(code);
        }
        if !self.cursor.eat('{') {
            return self.cursor.malformed("illegal hexadecimal escape sequence");
        }
        let mut code = None;
        while let Some(digit) = self.cursor.digit(16) {
            let longer = code.unwrap_or(0) * 16 + digit;
            if longer > u32::from(char::MAX) {
                return self.cursor.malformed("hexadecimal code point is too big");
            }
            code = Some(longer);
        }
        match code {
            Some(code) if self.cursor.eat('}') => self.character(code),
            _ => self.cursor.malformed("unclosed hexadecimal escape sequence"),
        }
    }

    /// `\uhhhh`, or two of them that are a surrogate pair.
    fn unicode(&mut self) -> Result<char> {
        let Some(first) = self.hexadecimal_digits(4) else {
            return self.cursor.malformed("illegal Unicode escape sequence");
        };
        let after = self.cursor.at;
        if (0xd800..0xdc00).contains(&first) && self.cursor.eat_all("\\u") {
            match self.hexadecimal_digits(4) {
                Some(second) if (0xdc00..0xe000).contains(&second) => {
                    return self.character(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00));
                }
                _ => self.cursor.at = after,
            }
        }
        self.character(first)
    }

    /// So many digits, or none.
    fn hexadecimal_digits(&mut self, count: usize) -> Option<u32> {
        let before = self.cursor.at;
        let mut code = 0;
        for _ in 0..count {
            match self.cursor.digit(16) {
                Some(digit) => code = code * 16 + digit,
                None => {
                    self.cursor.at = before;
                    return None;
                }
            }
        }
        Some(code)
    }

    fn control(&mut self) -> Result<char> {
        match self.cursor.next() {
            Some(token) => self.character(u32::from(token.c) ^ 64),
            None => self.cursor.malformed("illegal control escape sequence"),
        }
    }

    fn character(&self, code: u32) -> Result<char> {
        match char::from_u32(code) {
            Some(c) => Ok(c),
            None => self.cursor.unsupported("one half of a surrogate pair"),
        }
    }
}

/// What an escape stands for.
#[derive(Debug)]
pub(super) enum Escaped {
    /// A character.
    One(char),
    /// One of several.
    Set(ClassUnicode),
}

fn digits() -> ClassUnicode {
    set([('0', '9')])
}

fn word() -> ClassUnicode {
    set([('a', 'z'), ('A', 'Z'), ('_', '_'), ('0', '9')])
}

fn space() -> ClassUnicode {
    set([(' ', ' '), ('\t', '\r')])
}

fn horizontal() -> ClassUnicode {
    set([
        (' ', ' '),
        ('\t', '\t'),
        ('\u{a0}', '\u{a0}'),
        ('\u{1680}', '\u{1680}'),
        ('\u{180e}', '\u{180e}'),
        ('\u{2000}', '\u{200a}'),
        ('\u{202f}', '\u{202f}'),
        ('\u{205f}', '\u{205f}'),
        ('\u{3000}', '\u{3000}'),
    ])
}
