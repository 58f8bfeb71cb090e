//! Classes in brackets: unions, ranges, and what `&&` leaves of them.
//!
//! Java reads `&&` in ways of its own where more than one part follows it (`[a-z&&[^bc]d]` is `d`). Such classes are refused;
//! in brackets they can say what they mean.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::PatternError;
use super::escape::Escaped;
use super::parser::Parser;
use super::syntax::{complement, set};

type Result<T> = std::result::Result<T, PatternError>;

const SEVERAL_PARTS: &str = "`&&` with other than one part on either side";

impl Parser {
    /// A class, from its bracket to the other one.
    pub(super) fn class(&mut self) -> Result<ClassUnicode> {
        self.descend()?;
        self.cursor.at += 1;
        let negated = self.cursor.eat('^');
        let mut set = self.union()?;
        while self.cursor.eat_all("&&") {
            let other = match self.cursor.sign() {
                Some('[') => self.class()?,
                _ => self.plain_parts()?,
            };
            if !self.ends_part() {
                return self.cursor.unsupported(SEVERAL_PARTS);
            }
            set.intersect(&other);
        }
        if !self.cursor.eat(']') {
            return self.cursor.malformed("unclosed character class");
        }
        self.ascend();
        Ok(if negated { complement(set) } else { set })
    }

    /// The parts before the first `&&`, or before the end. A bracket that closes nothing stands for itself.
    fn union(&mut self) -> Result<ClassUnicode> {
        let mut union = ClassUnicode::empty();
        let mut is_first = true;
        while self.cursor.peek().is_some() && (is_first || !self.ends_part()) {
            if is_first && self.at_intersection() {
                return self.cursor.unsupported(SEVERAL_PARTS);
            }
            is_first = false;
            let part = match self.cursor.sign() {
                Some('[') => self.class()?,
                _ => self.part_of_class()?,
            };
            union.union(&part);
        }
        Ok(union)
    }

    /// What follows `&&` if it is no class.
    fn plain_parts(&mut self) -> Result<ClassUnicode> {
        if self.ends_part() || self.cursor.sign() == Some('&') {
            return self.cursor.unsupported(SEVERAL_PARTS);
        }
        let mut union = ClassUnicode::empty();
        while self.cursor.peek().is_some() && !self.ends_part() && self.cursor.sign() != Some('[') {
            union.union(&self.part_of_class()?);
        }
        Ok(union)
    }

    fn at_intersection(&self) -> bool {
        self.cursor.sign() == Some('&') && self.cursor.sign_at(1) == Some('&')
    }

    fn ends_part(&self) -> bool {
        self.cursor.sign() == Some(']') || self.at_intersection()
    }

    /// A character, a range or an escape.
    fn part_of_class(&mut self) -> Result<ClassUnicode> {
        let first = match self.one_of_class()? {
            Escaped::Set(set) => return Ok(set),
            Escaped::One(c) => c,
        };
        // Before a bracket a hyphen stands for itself.
        let is_range = self.cursor.sign() == Some('-') && !matches!(self.cursor.sign_at(1), Some('[' | ']'));
        if !is_range {
            return Ok(self.folded(set([(first, first)])));
        }
        self.cursor.at += 1;
        match self.one_of_class()? {
            Escaped::One(last) if first <= last => {
                Ok(self.folded(ClassUnicode::new([ClassUnicodeRange::new(first, last)])))
            }
            _ => self.cursor.malformed("illegal character range"),
        }
    }

    fn one_of_class(&mut self) -> Result<Escaped> {
        if self.cursor.eat('\\') {
            // At an end of a range Java has it for the vertical tab alone.
            let ends_range = self.cursor.sign_at(1) == Some('-') || self.cursor.is_behind('-');
            if self.cursor.sign() == Some('v') && ends_range {
                return self.cursor.unsupported("`\\v` beside a hyphen");
            }
            return self.class_escape();
        }
        match self.cursor.next() {
            Some(token) => Ok(Escaped::One(token.c)),
            None => self.cursor.malformed("unclosed character class"),
        }
    }
}
