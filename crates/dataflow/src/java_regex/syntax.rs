//! What a pattern means, once its notation is understood.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// A part of a pattern. Captures mean nothing here, and neither does greed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// One character of a set.
    Set(ClassUnicode),
    /// One after the other; none of them is the empty text.
    Sequence(Vec<Node>),
    /// One of them.
    Either(Vec<Node>),
    /// Several times in a row; without `most` any number of times.
    Repeat { node: Box<Node>, least: u32, most: Option<u32> },
    /// No text, but a place in it.
    At(Place),
    /// No text, but a place from which this matches, or does not.
    Ahead { node: Box<Node>, negated: bool },
}

/// A place in a text. What a line terminator is, `unix` says: `\n` alone, or all that Java has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// `\A`, `\G` and `^`.
    Start,
    /// `\z`
    End,
    /// `\Z` and `$`: the end, or before the line terminator at it.
    LastLineEnd { unix: bool },
    /// `^` with `(?m)`.
    LineStart { unix: bool },
    /// `$` with `(?m)`.
    LineEnd { unix: bool },
    /// `\b`
    WordBoundary,
}

impl Node {
    /// A character.
    pub(super) fn one(c: char) -> Self {
        Self::Set(set([(c, c)]))
    }
}

/// The set of the characters in some ranges.
pub(super) fn set<const N: usize>(ranges: [(char, char); N]) -> ClassUnicode {
    ClassUnicode::new(ranges.map(|(first, last)| ClassUnicodeRange::new(first, last)))
}

/// All that are not in it.
pub(super) fn complement(mut set: ClassUnicode) -> ClassUnicode {
    set.negate();
    set
}

/// With `(?i)` letters of ASCII stand for each other; without `(?u)`, which is refused, no others do.
pub(super) fn fold_ascii(mut set: ClassUnicode) -> ClassUnicode {
    let has = |c: char| set.ranges().iter().any(|range| (range.start()..=range.end()).contains(&c));
    let letters = ('a'..='z').filter(|&small| has(small) != has(small.to_ascii_uppercase()));
    let letters: Vec<char> = letters.collect();
    for small in letters {
        let capital = small.to_ascii_uppercase();
        set.push(ClassUnicodeRange::new(small, small));
        set.push(ClassUnicodeRange::new(capital, capital));
    }
    set
}
