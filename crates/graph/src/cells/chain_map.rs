//! Version chains by key: a transaction's overlay.

use std::hash::Hash;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::RwLock;
use rustc_hash::FxHashMap;

use super::chain::{Chain, Version};

/// A map from keys to version chains that only grows. Finding a chain takes a read lock for the look-up alone; what
/// it returns borrows the map, not the lock. As long as the map is empty, no lock is taken either: a transaction that writes only
/// one kind of thing, or a query that only computes properties, reads everything else as fast as if it wrote nothing.
pub(crate) struct ChainMap<K, T> {
    /// Whether anything is in the map. Whoever may see a write has its number from under the transaction's lock, behind whoever wrote,
    /// who set this before.
    has_any: AtomicBool,
    chains: RwLock<FxHashMap<K, ChainBox<T>>>,
}

/// Owner of a chain whose address does not change when the map grows.
struct ChainBox<T>(NonNull<Chain<T>>);

// SAFETY: it owns the chain like a box does; chains are `Send` and `Sync` when `T` is both.
unsafe impl<T: Send + Sync> Send for ChainBox<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for ChainBox<T> {}

impl<T> ChainBox<T> {
    fn new() -> Self {
        Self(NonNull::from(Box::leak(Box::new(Chain::new()))))
    }
}

impl<T> Drop for ChainBox<T> {
    fn drop(&mut self) {
        // SAFETY: the pointer came from a leaked box, and the map drops each entry once, when it is dropped itself.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

impl<K: Hash + Eq, T> ChainMap<K, T> {
    /// The chain of `key`.
    #[inline]
    pub(crate) fn chain(&self, key: &K) -> Option<&Chain<T>> {
        if !self.has_any.load(Ordering::Relaxed) {
            return None;
        }
        let pointer = self.chains.read().get(key)?.0;
        // SAFETY: entries are never removed and their chains never move, so the chain lives as long as the map,
        // which the result borrows.
        Some(unsafe { pointer.as_ref() })
    }

    /// The newest version of `key` up to write number `write`.
    #[inline]
    pub(crate) fn visible(&self, key: &K, write: u64) -> Option<&Version<T>> {
        self.chain(key)?.visible(write)
    }

    /// Appends a version of `key`.
    pub(crate) fn push(&self, key: K, write: u64, change: T) {
        self.has_any.store(true, Ordering::Relaxed);
        let pointer = self.chains.write().entry(key).or_insert_with(ChainBox::new).0;
        // SAFETY: as in `chain`.
        unsafe { pointer.as_ref() }.push(write, change);
    }
}

impl<K, T> Default for ChainMap<K, T> {
    fn default() -> Self {
        Self { has_any: AtomicBool::new(false), chains: RwLock::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_stays_readable_while_the_map_grows() {
        let map = ChainMap::<u32, String>::default();
        assert!(map.visible(&1, 9).is_none());
        map.push(1, 1, "one".into());
        let version = map.visible(&1, 9).unwrap();
        for key in 2..200 {
            map.push(key, u64::from(key), key.to_string());
        }
        assert_eq!(version.change(), "one");
        assert!(map.visible(&150, 149).is_none());
        assert_eq!(map.visible(&150, 150).unwrap().change(), "150");
    }
}
