//! A hash table whose parts divide (extendible hashing, Fagin and others 1979).

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;

/// Entries of a part that is full: what the largest table of a part has room for.
pub(super) const FULL: usize = ROOM / 8 * 7;

/// Places of the largest table of a part.
const ROOM: usize = 1 << 12;

/// Bits of a hash that may choose a part. The others choose a place in it.
const MAX_DEPTH: u32 = 20;

/// Places in the directory for each part at most. If hashes are as they should be, one or two do.
const PLACES_PER_PART: usize = 8;

/// What knows its hash.
pub(crate) trait Hashed {
    /// The same for equal entries.
    fn hash(&self) -> u32;
}

/// The hash of a key: the half of it that any hasher mixes well.
#[inline]
pub(crate) fn hash_of(key: &impl Hash, hasher: &impl BuildHasher) -> u32 {
    // The upper half is mixed best.
    (hasher.hash_one(key) >> 32) as u32
}

/// Entries by their hash:
///
/// ```text
/// hash        │ directory (depth bits) │ … place in the part │
/// directory:    00   01   10   11            depth 2
///                │    │    └──┬──┘
/// parts:         A    C       B              B is 1 bit deep, A and C are 2: they were one before it was full
/// ```
///
/// Each part is a table of up to 3,584 entries. One that is full is divided by the next bit of the hashes; the directory doubles
/// if no bit is left. So an entry never costs more than a division, some tens of microseconds. A table that has never been
/// full has no directory.
///
/// Where many hashes are equal no bit divides them, and the part grows as any table.
#[derive(Debug)]
pub(crate) struct Table<E> {
    /// The entries, as long as there is no directory.
    only: HashTable<E>,
    parts: Vec<Part<E>>,
    /// Of each combination of the first `depth` bits, which part has it.
    directory: Vec<u32>,
    depth: u32,
    /// Bytes of all parts.
    bytes: usize,
}

#[derive(Debug)]
struct Part<E> {
    entries: HashTable<E>,
    /// Bits that the hashes of the entries have in common.
    depth: u32,
}

impl<E> Default for Table<E> {
    fn default() -> Self {
        Self { only: HashTable::new(), parts: Vec::new(), directory: Vec::new(), depth: 0, bytes: 0 }
    }
}

impl<E: Hashed> Table<E> {
    /// The entry with that hash for which `is_it` says so.
    #[inline]
    pub(crate) fn find(&self, hash: u32, is_it: impl FnMut(&E) -> bool) -> Option<&E> {
        let entries = match self.directory.is_empty() {
            true => &self.only,
            false => &self.parts[self.part_of(hash)].entries,
        };
        entries.find(spread(hash), is_it)
    }

    /// Adds an entry that is not there yet.
    pub(crate) fn insert_new(&mut self, entry: E) {
        let hash = entry.hash();
        if self.directory.is_empty() && self.only.len() < FULL {
            self.only.insert_unique(spread(hash), entry, |entry| spread(entry.hash()));
            return;
        }
        if self.directory.is_empty() {
            self.begin_directory();
        }
        while self.parts[self.part_of(hash)].entries.len() >= FULL && self.divide(hash) {}
        let at = self.part_of(hash);
        let entries = &mut self.parts[at].entries;
        if entries.len() >= FULL {
            self.bytes -= entries.allocation_size();
            entries.reserve(1, |entry| spread(entry.hash()));
            self.bytes += entries.allocation_size();
        }
        entries.insert_unique(spread(hash), entry, |entry| spread(entry.hash()));
    }

    /// Adds an entry; `false` if one was there that equals it.
    #[inline]
    pub(crate) fn insert(&mut self, entry: E) -> bool
    where
        E: PartialEq,
    {
        let is_new = self.find(entry.hash(), |other| *other == entry).is_none();
        if is_new {
            self.insert_new(entry);
        }
        is_new
    }

    /// Which part has entries with that hash, if there is a directory.
    #[inline]
    fn part_of(&self, hash: u32) -> usize {
        // Of a depth of 0, all bits go.
        self.directory[(u64::from(hash) >> (32 - self.depth)) as usize] as usize
    }

    #[cold]
    fn begin_directory(&mut self) {
        let entries = std::mem::take(&mut self.only);
        self.bytes = entries.allocation_size();
        self.parts.push(Part { entries, depth: 0 });
        self.directory.push(0);
    }

    /// Divides the part that has entries with that hash; `false` if that would not help.
    #[cold]
    fn divide(&mut self, hash: u32) -> bool {
        let at = self.part_of(hash);
        let depth = self.parts[at].depth;
        if depth == self.depth && !self.double_directory() {
            return false;
        }
        let (mut zeros, mut ones) = (HashTable::with_capacity(FULL), HashTable::with_capacity(FULL));
        let divided = std::mem::take(&mut self.parts[at].entries);
        self.bytes -= divided.allocation_size();
        for entry in divided {
            let hash = entry.hash();
            let half = if hash >> (31 - depth) & 1 == 0 { &mut zeros } else { &mut ones };
            half.insert_unique(spread(hash), entry, |entry| spread(entry.hash()));
        }
        self.bytes += zeros.allocation_size() + ones.allocation_size();
        self.parts[at] = Part { entries: zeros, depth: depth + 1 };
        let new = self.parts.len() as u32;
        self.parts.push(Part { entries: ones, depth: depth + 1 });
        // Of the places with the bits of the part, those whose next bit is one.
        let places = 1 << (self.depth - depth);
        let first = (u64::from(hash) >> (32 - depth)) as usize * places;
        self.directory[first + places / 2..first + places].fill(new);
        true
    }

    /// Makes the directory one bit deeper; `false` if it is too large for its parts, whose hashes are alike then.
    fn double_directory(&mut self) -> bool {
        let places = 2 * self.directory.len();
        if self.depth == MAX_DEPTH || places > PLACES_PER_PART * (self.parts.len() + 1) {
            return false;
        }
        self.directory = self.directory.iter().flat_map(|part| [*part, *part]).collect();
        self.depth += 1;
        true
    }

    /// Bytes it occupies, without what the entries point to.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        if self.directory.is_empty() {
            return self.only.allocation_size();
        }
        self.bytes + self.parts.len() * size_of::<Part<E>>() + self.directory.len() * size_of::<u32>()
    }

    /// Forgets all entries. Keeps the room of a part, if there was one only.
    pub(crate) fn clear(&mut self) {
        if !self.directory.is_empty() {
            *self = Self::default();
        }
        self.only.clear();
    }

    /// Entries of the largest part.
    #[cfg(test)]
    pub(super) fn largest_part(&self) -> usize {
        let parts = self.parts.iter().map(|part| part.entries.len());
        parts.max().unwrap_or(self.only.len())
    }
}

/// What a part is told of a hash. It looks at the lowest and at the uppermost bits, and entries of a part have the first bits in
/// common.
#[inline]
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
