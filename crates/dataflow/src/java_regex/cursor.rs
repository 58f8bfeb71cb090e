//! A pattern, read character by character, with what is quoted by `\Q…\E` marked as such.

use super::PatternError;

/// A character of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) c: char,
    /// Whether it stands for itself, since it was quoted.
    pub(super) is_quoted: bool,
}

/// A pattern and a place in it.
#[derive(Debug)]
pub(super) struct Cursor {
    tokens: Vec<Token>,
    pub(super) at: usize,
}

impl Cursor {
    pub(super) fn new(pattern: &str) -> Self {
        let mut tokens = Vec::with_capacity(pattern.len());
        let (mut rest, mut is_quoted) = (pattern, false);
        while let Some(c) = rest.chars().next() {
            let marker = if is_quoted { "\\E" } else { "\\Q" };
            if let Some(after) = rest.strip_prefix(marker) {
                (rest, is_quoted) = (after, !is_quoted);
                continue;
            }
            // Of `\\Q` the second backslash is escaped and begins nothing.
            let taken = if c == '\\' && !is_quoted { 2 } else { 1 };
            tokens.extend(rest.chars().take(taken).map(|c| Token { c, is_quoted }));
            rest = rest.char_indices().nth(taken).map_or("", |(next, _)| &rest[next..]);
        }
        Self { tokens, at: 0 }
    }

    /// The next character, whatever it stands for.
    pub(super) fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    /// The character that comes `ahead` characters later, if it has its meaning as syntax.
    pub(super) fn sign_at(&self, ahead: usize) -> Option<char> {
        self.tokens.get(self.at + ahead).filter(|token| !token.is_quoted).map(|token| token.c)
    }

    /// The next character, if it has its meaning as syntax.
    pub(super) fn sign(&self) -> Option<char> {
        self.sign_at(0)
    }

    /// Whether a sign comes before the backslash that was passed last.
    pub(super) fn is_behind(&self, sign: char) -> bool {
        let before = self.at.checked_sub(2).and_then(|at| self.tokens.get(at));
        before.is_some_and(|token| !token.is_quoted && token.c == sign)
    }

    /// Passes the next character.
    pub(super) fn next(&mut self) -> Option<Token> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    /// Passes a sign, if it is the next character.
    pub(super) fn eat(&mut self, sign: char) -> bool {
        let is_next = self.sign() == Some(sign);
        self.at += usize::from(is_next);
        is_next
    }

    /// Passes some signs, if they are next.
    pub(super) fn eat_all(&mut self, signs: &str) -> bool {
        let are_next = signs.chars().enumerate().all(|(ahead, sign)| self.sign_at(ahead) == Some(sign));
        self.at += if are_next { signs.chars().count() } else { 0 };
        are_next
    }

    /// Passes a digit to a base, if it is the next character.
    pub(super) fn digit(&mut self, base: u32) -> Option<u32> {
        let digit = self.sign()?.to_digit(base)?;
        self.at += 1;
        Some(digit)
    }

    pub(super) fn malformed<T>(&self, problem: &'static str) -> Result<T, PatternError> {
        Err(PatternError::Malformed { problem, at: self.at })
    }

    pub(super) fn unsupported<T>(&self, what: &'static str) -> Result<T, PatternError> {
        Err(PatternError::Unsupported { what, at: self.at })
    }
}
