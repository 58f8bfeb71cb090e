//! A map in the order of its keys' coming.

use std::hash::{BuildHasher, Hash};

use values::Seeded;

use super::chunked::{Chunked, Chunks};
use super::table::{Hashed, Table, hash_of};

/// Keys and values in the order in which they came, found by the keys, whose hashes are seeded unless `S` says otherwise (where
/// clients choose nothing of the keys):
///
/// ```text
/// table:    hash of a key ─► number        a Table of 8 bytes an entry
/// entries:  number ─► (key, value)         Chunked
/// ```
#[derive(Debug)]
pub(crate) struct GrowingMap<K, V, S = Seeded> {
    table: Table<Slot>,
    entries: Chunked<(K, V)>,
    hasher: S,
}

/// Where an entry is.
#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u32,
    number: u32,
}

impl Hashed for Slot {
    #[inline]
    fn hash(&self) -> u32 {
        self.hash
    }
}

impl<K, V, S: Default> Default for GrowingMap<K, V, S> {
    fn default() -> Self {
        Self { table: Table::default(), entries: Chunked::default(), hasher: S::default() }
    }
}

impl<K: Hash + Eq, V, S: BuildHasher> GrowingMap<K, V, S> {
    /// The number and the value of a key, after all others if the key is new: then the value is what `make` makes. Whether it is.
    ///
    /// # Panics
    /// With 2³² keys, which no query has memory for.
    #[inline]
    pub(crate) fn get_or_insert(&mut self, key: K, make: impl FnOnce() -> V) -> (usize, &mut V, bool) {
        let hash = hash_of(&key, &self.hasher);
        let is_it = |slot: &Slot| slot.hash == hash && self.entries[slot.number as usize].0 == key;
        if let Some(slot) = self.table.find(hash, is_it) {
            let number = slot.number as usize;
            return (number, &mut self.entries[number].1, false);
        }
        let number = self.entries.len();
        self.table.insert_new(Slot { hash, number: u32::try_from(number).expect("fewer than 2^32 keys") });
        self.entries.push((key, make()));
        (number, &mut self.entries[number].1, true)
    }

    /// Number of keys.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The key with a number.
    #[inline]
    pub(crate) fn key(&self, number: usize) -> Option<&K> {
        self.entries.get(number).map(|(key, _)| key)
    }

    /// The value of the key with a number.
    #[inline]
    pub(crate) fn value_mut(&mut self, number: usize) -> Option<&mut V> {
        self.entries.get_mut(number).map(|(_, value)| value)
    }

    /// Forgets everything. Keeps a little room.
    pub(crate) fn clear(&mut self) {
        self.table.clear();
        self.entries.clear();
    }
}

impl<K, V, S> IntoIterator for GrowingMap<K, V, S> {
    type Item = (K, V);
    type IntoIter = Chunks<(K, V)>;

    fn into_iter(self) -> Chunks<(K, V)> {
        self.entries.into_iter()
    }
}
