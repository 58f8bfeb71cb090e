//! Alternatives, groups, quantifiers and flags.

use super::PatternError;
use super::cursor::Cursor;
use super::syntax::{Node, Place, complement, fold_ascii, set};
use regex_syntax::hir::ClassUnicode;

/// How deep groups and classes may nest.
const MAX_DEPTH: usize = 100;

/// What `(?ims-d)` switches on and off. `u`, `x` and `U` are refused.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flags {
    pub(super) ignore_case: bool,
    multiline: bool,
    dot_all: bool,
    pub(super) unix_lines: bool,
}

/// A pattern on its way to a [`Node`].
#[derive(Debug)]
pub(super) struct Parser {
    pub(super) cursor: Cursor,
    pub(super) flags: Flags,
    /// Whether it is in a negative look-ahead.
    pub(super) is_denied: bool,
    names: Vec<String>,
    depth: usize,
}

type Result<T> = std::result::Result<T, PatternError>;

/// What a pattern means.
pub(super) fn parse(pattern: &str) -> Result<Node> {
    let mut parser = Parser {
        cursor: Cursor::new(pattern),
        flags: Flags::default(),
        is_denied: false,
        names: Vec::new(),
        depth: 0,
    };
    let node = parser.alternatives()?;
    match parser.cursor.peek() {
        None => Ok(node),
        Some(_) => parser.cursor.malformed("unmatched closing `)`"),
    }
}

impl Parser {
    fn alternatives(&mut self) -> Result<Node> {
        let mut branches = vec![self.sequence()?];
        while self.cursor.eat('|') {
            branches.push(self.sequence()?);
        }
        Ok(if branches.len() == 1 { branches.remove(0) } else { Node::Either(branches) })
    }

    fn sequence(&mut self) -> Result<Node> {
        let mut nodes = Vec::new();
        while self.cursor.peek().is_some() && !matches!(self.cursor.sign(), Some('|' | ')')) {
            // Flags for what follows are no part of their own.
            if let Some(node) = self.part()? {
                nodes.push(self.quantified(node)?);
            }
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::Sequence(nodes) })
    }

    fn part(&mut self) -> Result<Option<Node>> {
        let unix = self.flags.unix_lines;
        let node = match self.cursor.sign() {
            Some('(') => return self.group(),
            Some('[') => Node::Set(self.class()?),
            Some('\\') => self.escape()?,
            Some('^') if self.flags.multiline => self.sign(Node::At(Place::LineStart { unix })),
            Some('^') => self.sign(Node::At(Place::Start)),
            Some('$') if self.flags.multiline => self.sign(Node::At(Place::LineEnd { unix })),
            Some('$') => self.sign(Node::At(Place::LastLineEnd { unix })),
            Some('.') => self.sign(Node::Set(self.dot())),
            Some('*' | '+' | '?') => return self.cursor.malformed("dangling quantifier"),
            Some('{') => return self.cursor.unsupported("a repetition with nothing before it"),
            _ => match self.cursor.next() {
                Some(token) => Node::Set(self.folded(set([(token.c, token.c)]))),
                None => Node::Sequence(Vec::new()),
            },
        };
        Ok(Some(node))
    }

    /// What the next sign stands for.
    fn sign(&mut self, node: Node) -> Node {
        self.cursor.at += 1;
        node
    }

    fn dot(&self) -> ClassUnicode {
        match (self.flags.dot_all, self.flags.unix_lines) {
            (true, _) => set([('\0', char::MAX)]),
            (false, true) => complement(set([('\n', '\n')])),
            (false, false) => {
                complement(set([('\n', '\n'), ('\r', '\r'), ('\u{85}', '\u{85}'), ('\u{2028}', '\u{2029}')]))
            }
        }
    }

    /// A set as the flags have it.
    pub(super) fn folded(&self, set: ClassUnicode) -> ClassUnicode {
        if self.flags.ignore_case { fold_ascii(set) } else { set }
    }

    /// A part with the quantifier that follows it, if one does. Lazy ones match what others do.
    fn quantified(&mut self, node: Node) -> Result<Node> {
        let (least, most) = match self.cursor.sign() {
            Some('?') => (0, Some(1)),
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('{') => self.bounds()?,
            _ => return Ok(node),
        };
        self.cursor.at += 1;
        match self.cursor.sign() {
            Some('?') => self.cursor.at += 1,
            Some('+') => return self.cursor.unsupported("a possessive quantifier"),
            _ => {}
        }
        if self.cursor.sign() == Some('{') {
            return self.cursor.unsupported("two quantifiers in a row");
        }
        Ok(Node::Repeat { node: Box::new(node), least, most })
    }

    /// `{n}`, `{n,}` or `{n,m}`, up to its last sign.
    fn bounds(&mut self) -> Result<(u32, Option<u32>)> {
        self.cursor.at += 1;
        let Some(least) = self.number()? else { return self.cursor.malformed("illegal repetition") };
        let most = match self.cursor.eat(',') {
            false => Some(least),
            true if self.cursor.sign() == Some('}') => None,
            true => Some(self.number()?.unwrap_or(0)),
        };
        if self.cursor.sign() != Some('}') {
            return self.cursor.malformed("unclosed counted closure");
        }
        match most {
            Some(most) if most < least => self.cursor.malformed("illegal repetition range"),
            most => Ok((least, most)),
        }
    }

    fn number(&mut self) -> Result<Option<u32>> {
        let mut number = None;
        while let Some(digit) = self.cursor.digit(10) {
            let longer = number.unwrap_or(0u32).checked_mul(10).and_then(|tens| tens.checked_add(digit));
            // Java's are signed.
            match longer.filter(|longer| i32::try_from(*longer).is_ok()) {
                None => return self.cursor.malformed("illegal repetition range"),
                longer => number = longer,
            }
        }
        Ok(number)
    }

    /// A group; none of flags that hold from here on.
    fn group(&mut self) -> Result<Option<Node>> {
        let before = self.flags;
        self.cursor.at += 1;
        let node = if self.cursor.eat_all("?:") {
            self.inside()?
        } else if self.cursor.eat_all("?=") {
            Node::Ahead { node: Box::new(self.inside()?), negated: false }
        } else if self.cursor.eat_all("?!") {
            let outside = std::mem::replace(&mut self.is_denied, true);
            let node = Box::new(self.inside()?);
            self.is_denied = outside;
            Node::Ahead { node, negated: true }
        } else if self.cursor.eat_all("?>") {
            return self.cursor.unsupported("an atomic group");
        } else if self.cursor.eat_all("?<=") || self.cursor.eat_all("?<!") {
            return self.cursor.unsupported("look-behind");
        } else if self.cursor.eat_all("?<") {
            self.group_name()?;
            self.inside()?
        } else if self.cursor.eat('?') {
            self.read_flags()?;
            if self.cursor.eat(')') {
                return Ok(None);
            }
            if !self.cursor.eat(':') {
                return self.cursor.malformed("unknown inline modifier");
            }
            self.inside()?
        } else {
            self.inside()?
        };
        self.flags = before;
        Ok(Some(node))
    }

    /// What is in a group, and its end.
    fn inside(&mut self) -> Result<Node> {
        self.descend()?;
        let node = self.alternatives()?;
        self.depth -= 1;
        if self.cursor.eat(')') { Ok(node) } else { self.cursor.malformed("unclosed group") }
    }

    /// Goes one group or class deeper.
    pub(super) fn descend(&mut self) -> Result<()> {
        self.depth += 1;
        let limit = MAX_DEPTH;
        if self.depth > limit {
            return Err(PatternError::TooLarge { what: "groups inside one another", limit });
        }
        Ok(())
    }

    /// Comes back from there.
    pub(super) fn ascend(&mut self) {
        self.depth -= 1;
    }

    /// The name of a group, which means nothing here.
    fn group_name(&mut self) -> Result<()> {
        let mut name = String::new();
        while let Some(c) = self.cursor.sign().filter(char::is_ascii_alphanumeric) {
            name.push(c);
            self.cursor.at += 1;
        }
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return self.cursor.malformed("the name of a group does not begin with a Latin letter");
        }
        if self.names.contains(&name) {
            return self.cursor.malformed("two groups of one name");
        }
        self.names.push(name);
        if self.cursor.eat('>') { Ok(()) } else { self.cursor.malformed("no `>` after the name of a group") }
    }

    /// `ims-d`, up to what follows.
    fn read_flags(&mut self) -> Result<()> {
        let mut on = true;
        loop {
            match self.cursor.sign() {
                Some('i') => self.flags.ignore_case = on,
                Some('m') => self.flags.multiline = on,
                Some('s') => self.flags.dot_all = on,
                Some('d') => self.flags.unix_lines = on,
                Some('u' | 'x' | 'U') if !on => {}
                Some('u') => return self.cursor.unsupported("the flag `u` (case of letters beyond ASCII)"),
                Some('x') => return self.cursor.unsupported("the flag `x` (comments)"),
                Some('U') => return self.cursor.unsupported("the flag `U` (classes beyond ASCII)"),
                Some('c') => return self.cursor.unsupported("the flag `c` (canonical equivalence)"),
                Some('-') if on => on = false,
                _ => return Ok(()),
            }
            self.cursor.at += 1;
        }
    }
}
