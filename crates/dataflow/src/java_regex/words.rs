//! Where words begin and end, as Java has it up to version 18: words are of letters and digits of any script, and `_`.

use std::sync::LazyLock;

use regex_syntax::hir::ClassUnicode;

use super::property::unicode;

/// Letters and digits, as `Character.isLetterOrDigit` has it.
static LETTERS: LazyLock<Ranges> = LazyLock::new(|| Ranges::of_names(&["L", "Nd"]));
/// Marks that belong to the letter before them.
static MARKS: LazyLock<Ranges> = LazyLock::new(|| Ranges::of_names(&["Mn"]));

/// A set of characters that is asked often.
#[derive(Clone, Debug)]
pub(super) struct Ranges {
    ascii: u128,
    ranges: Box<[(char, char)]>,
}

impl Ranges {
    pub(super) fn new(set: &ClassUnicode) -> Self {
        let ranges: Box<[_]> = set.ranges().iter().map(|range| (range.start(), range.end())).collect();
        let in_ascii = ranges.iter().take_while(|(first, _)| first.is_ascii());
        let mut ascii = 0_u128;
        for (first, last) in in_ascii {
            (u32::from(*first)..=u32::from(*last).min(127)).for_each(|c| ascii |= 1 << c);
        }
        Self { ascii, ranges }
    }

    fn of_names(names: &[&str]) -> Self {
        let mut all = ClassUnicode::empty();
        names.iter().filter_map(|name| unicode(name)).for_each(|set| all.union(&set));
        Self::new(&all)
    }

    #[inline]
    pub(super) fn contains(&self, c: char) -> bool {
        if c.is_ascii() {
            return self.ascii >> u32::from(c) & 1 == 1;
        }
        let behind = self.ranges.partition_point(|(first, _)| *first <= c);
        behind > 0 && c <= self.ranges[behind - 1].1
    }
}

/// The places of a text at which a letter ends, with marks on it or without.
#[derive(Debug)]
pub(super) struct Words(Vec<u64>);

impl Words {
    pub(super) fn new(text: &str) -> Self {
        let mut bits = vec![0u64; text.len() / 64 + 1];
        let mut is_based = false;
        for (at, c) in text.char_indices() {
            // Java looks at the second half of a character beyond the first 65,536, which is no letter.
            is_based = c <= '\u{ffff}' && (LETTERS.contains(c) || (MARKS.contains(c) && is_based));
            let end = at + c.len_utf8();
            bits[end / 64] |= u64::from(is_based) << (end % 64);
        }
        Self(bits)
    }

    /// Whether there is a boundary between the character `before` a place and the one `after` it.
    pub(super) fn is_boundary(&self, at: usize, before: Option<char>, after: Option<char>) -> bool {
        let is_based = self.0[at / 64] >> (at % 64) & 1 == 1;
        let is_word = |c: char| c == '_' || LETTERS.contains(c) || (MARKS.contains(c) && is_based);
        before.is_some_and(is_word) != after.is_some_and(is_word)
    }
}
