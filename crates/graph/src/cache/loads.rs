//! Loads under way, so that of several who need one section only one reads it.

use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashSet;
use std::hash::{BuildHasher, Hash};

use crate::section_key::SectionKey;

const SHARDS: usize = 16;

/// The keys that are being loaded.
pub(crate) struct Loads {
    shards: [Shard; SHARDS],
}

#[derive(Default)]
struct Shard {
    keys: Mutex<FxHashSet<SectionKey>>,
    ended: Condvar,
}

/// Held by whoever loads a section; nobody else loads it meanwhile.
pub(crate) struct Loading<'a> {
    shard: &'a Shard,
    key: SectionKey,
}

impl Default for Loads {
    fn default() -> Self {
        Self { shards: std::array::from_fn(|_| Shard::default()) }
    }
}

impl Loads {
    /// Waits until nobody loads the section, and is the one who does. Look again whether it has to be loaded at all.
    pub(crate) fn begin(&self, key: SectionKey) -> Loading<'_> {
        let shard = &self.shards[name_of(&key) as usize % SHARDS];
        let mut keys = shard.keys.lock();
        while !keys.insert(key) {
            shard.ended.wait(&mut keys);
        }
        Loading { shard, key }
    }
}

impl Drop for Loading<'_> {
    fn drop(&mut self) {
        self.shard.keys.lock().remove(&self.key);
        self.shard.ended.notify_all();
    }
}

/// A number for a key, the same for as long as the process lives.
pub(crate) fn name_of(key: &impl Hash) -> u64 {
    rustc_hash::FxBuildHasher.hash_one(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn one_at_a_time_loads_a_section_also_after_a_failure() {
        let (loads, inside, loaded) = (Loads::default(), AtomicUsize::new(0), AtomicUsize::new(0));
        let key = SectionKey::Index { index: 1, partition: 2 };
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (loads, inside, loaded) = (&loads, &inside, &loaded);
                scope.spawn(move || {
                    for round in 0..200 {
                        let loading = loads.begin(key);
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        loaded.fetch_add(1, Ordering::SeqCst);
                        assert_eq!(inside.fetch_sub(1, Ordering::SeqCst), 1);
                        if (thread + round) % 3 > 0 {
                            drop(loading);
                            continue;
                        }
                        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
                            let _loading = loading;
                            std::panic::resume_unwind(Box::new("a decoder that panics"));
                        }));
                        assert!(panicked.is_err());
                    }
                });
            }
        });
        assert_eq!(loaded.load(Ordering::SeqCst), 1600);
        let _other = loads.begin(SectionKey::Index { index: 1, partition: 3 });
        drop(loads.begin(key));
    }
}
