//! `\p{…}`: classes of ASCII, categories, scripts and a few binary properties of Unicode.

use std::fmt::Write;

use regex_syntax::hir::{Class, ClassUnicode, HirKind, Literal};

use super::PatternError;
use super::parser::Parser;
use super::syntax::{complement, set};

type Result<T> = std::result::Result<T, PatternError>;

/// Categories, by the names that Java takes.
const CATEGORIES: &[&str] = &[
    "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps",
    "Pe", "Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp", "C", "Cc", "Cf", "Co", "Cn",
];

/// Properties that Java takes after `Is`, in capitals, and what they are.
const BINARY: &[(&str, &str)] = &[
    ("ALPHABETIC", "Alphabetic"),
    ("IDEOGRAPHIC", "Ideographic"),
    ("LETTER", "L"),
    ("LOWERCASE", "Lowercase"),
    ("UPPERCASE", "Uppercase"),
    ("TITLECASE", "Lt"),
    ("WHITE_SPACE", "White_Space"),
    ("WHITESPACE", "White_Space"),
    ("CONTROL", "Cc"),
    ("PUNCTUATION", "P"),
    ("DIGIT", "Nd"),
];

/// Those that mean something else with `(?i)`, and not the same in all versions of Java.
const OF_CASE: &[&str] = &["Lu", "Ll", "Lt", "Lower", "Upper", "LOWERCASE", "UPPERCASE", "TITLECASE"];

impl Parser {
    /// A property, its letter `p` or `P` passed.
    pub(super) fn property(&mut self, negated: bool) -> Result<ClassUnicode> {
        let name = self.property_name()?;
        let found = match name.split_once('=') {
            Some((kind, value)) => match kind.to_ascii_lowercase().as_str() {
                "sc" | "script" => script(value),
                "gc" | "general_category" => self.category(value)?,
                "blk" | "block" => return self.cursor.unsupported("a block of Unicode"),
                _ => None,
            },
            None if name.starts_with("In") => return self.cursor.unsupported("a block of Unicode"),
            None if name.starts_with("java") => return self.cursor.unsupported("`\\p{java…}`"),
            None => match name.strip_prefix("Is") {
                Some(name) => match self.binary(name)? {
                    None => self.category(name)?.or_else(|| script(name)),
                    found => found,
                },
                None => self.category(&name)?,
            },
        };
        match found {
            Some(set) => Ok(if negated { complement(set) } else { set }),
            None => self.cursor.unsupported("a property of characters that is not known"),
        }
    }

    /// `L` or what is in braces.
    fn property_name(&mut self) -> Result<String> {
        let mut name = String::new();
        match self.cursor.next() {
            Some(token) if token.c != '{' => name.push(token.c),
            Some(_) => loop {
                match self.cursor.next() {
                    Some(token) if token.c == '}' => break,
                    Some(token) => name.push(token.c),
                    None => return self.cursor.malformed("unclosed character family"),
                }
            },
            None => return self.cursor.malformed("a property of characters expected"),
        }
        Ok(name)
    }

    fn category(&self, name: &str) -> Result<Option<ClassUnicode>> {
        self.check_case(name)?;
        Ok(match of_ascii(name) {
            None if CATEGORIES.contains(&name) => unicode(name),
            found => found,
        })
    }

    fn binary(&self, name: &str) -> Result<Option<ClassUnicode>> {
        let name = name.to_ascii_uppercase();
        let Some((_, known)) = BINARY.iter().find(|(java, _)| *java == name) else { return Ok(None) };
        self.check_case(&name)?;
        Ok(unicode(known))
    }

    fn check_case(&self, name: &str) -> Result<()> {
        match self.flags.ignore_case && OF_CASE.contains(&name) {
            true => self.cursor.unsupported("a class of capital or small letters with the flag `i`"),
            false => Ok(()),
        }
    }
}

/// POSIX's classes, which have nothing beyond ASCII, and three more of Java's.
fn of_ascii(name: &str) -> Option<ClassUnicode> {
    Some(match name {
        "ASCII" => set([('\0', '\x7f')]),
        "Alpha" => set([('a', 'z'), ('A', 'Z')]),
        "Digit" => set([('0', '9')]),
        "Alnum" => set([('a', 'z'), ('A', 'Z'), ('0', '9')]),
        "Lower" => set([('a', 'z')]),
        "Upper" => set([('A', 'Z')]),
        "Punct" => set([('!', '/'), (':', '@'), ('[', '`'), ('{', '~')]),
        "Graph" => set([('!', '~')]),
        "Print" => set([(' ', '~')]),
        "Blank" => set([(' ', ' '), ('\t', '\t')]),
        "Cntrl" => set([('\0', '\x1f'), ('\x7f', '\x7f')]),
        "XDigit" => set([('0', '9'), ('a', 'f'), ('A', 'F')]),
        "Space" => set([(' ', ' '), ('\t', '\r')]),
        "L1" => set([('\0', '\u{ff}')]),
        "all" => set([('\0', char::MAX)]),
        "LC" => all_of(["Lu", "Ll", "Lt"])?,
        "LD" => all_of(["L", "Nd"])?,
        _ => return None,
    })
}

fn all_of<const N: usize>(names: [&str; N]) -> Option<ClassUnicode> {
    let mut all = ClassUnicode::empty();
    for name in names {
        all.union(&unicode(name)?);
    }
    Some(all)
}

fn script(name: &str) -> Option<ClassUnicode> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.chars().all(is_name).then(|| unicode(&format!("Script={name}"))).flatten()
}

/// What the crate `regex` knows by a name.
pub(super) fn unicode(name: &str) -> Option<ClassUnicode> {
    let mut pattern = String::new();
    let _ = write!(pattern, r"\p{{{name}}}");
    match regex_syntax::parse(&pattern).ok()?.into_kind() {
        HirKind::Class(Class::Unicode(set)) => Some(set),
        // A category of one character.
        HirKind::Literal(Literal(bytes)) => {
            let c = std::str::from_utf8(&bytes).ok()?.chars().next()?;
            Some(set([(c, c)]))
        }
        _ => None,
    }
}
