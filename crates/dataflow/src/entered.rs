//! Which scope tags have had a traverser.

use std::ops::Range;

/// A set of scope tags, which are small and dense.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TagSet {
    words: Vec<u64>,
}

impl TagSet {
    /// Adds a tag.
    #[inline]
    pub fn insert(&mut self, tag: u32) {
        let word = tag as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (tag % 64);
    }

    /// Whether a tag is in the set.
    #[inline]
    pub fn contains(&self, tag: u32) -> bool {
        self.words.get(tag as usize / 64).is_some_and(|word| word & 1 << (tag % 64) != 0)
    }

    /// Forgets all tags.
    pub fn clear(&mut self) {
        self.words.clear();
    }
}

impl FromIterator<u32> for TagSet {
    fn from_iter<I: IntoIterator<Item = u32>>(tags: I) -> Self {
        let mut set = Self::default();
        tags.into_iter().for_each(|tag| set.insert(tag));
        set
    }
}

/// The tags of an instance that have had a traverser at its ingress. Operators that have a result for a stream without
/// traversers (`count`, `fold`) have one for each of these, and for no other: a branch that nothing was sent to has no count.
#[derive(Clone, Copy, Debug)]
pub enum Entered<'a> {
    /// All of them.
    All,
    /// These.
    Only(&'a TagSet),
}

impl Entered<'_> {
    /// Whether a tag has.
    #[inline]
    pub fn contains(self, tag: u32) -> bool {
        match self {
            Self::All => true,
            Self::Only(tags) => tags.contains(tag),
        }
    }

    /// Those of a range that have.
    pub fn within(self, tags: Range<u32>) -> impl Iterator<Item = u32> {
        tags.filter(move |tag| self.contains(*tag))
    }
}
