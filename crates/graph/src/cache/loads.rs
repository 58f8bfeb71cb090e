//! Loads under way, so that of several who need one section only one reads it.

use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::pools::Waiter;
use crate::sections::SectionKey;

const SHARDS: usize = 16;

/// The keys that are being loaded, each with those who wait for it.
#[derive(Default)]
pub(crate) struct Loads {
    shards: [Shard; SHARDS],
}

type Shard = Mutex<FxHashMap<SectionKey, Vec<Arc<Waiter>>>>;

/// Held by whoever loads a section; nobody else loads it meanwhile.
pub(crate) struct Loading<'a> {
    shard: &'a Shard,
    key: SectionKey,
}

impl Loads {
    /// Waits until nobody loads the section, and is the one who does. Look again whether it has to be loaded at all.
    pub(crate) fn begin(&self, key: SectionKey) -> Loading<'_> {
        loop {
            if let Some(loading) = self.try_begin(key) {
                return loading;
            }
            let waiter = Arc::new(Waiter::default());
            if self.join(key, &waiter) {
                waiter.wait(None);
            }
        }
    }

    /// Is the one who loads the section, unless somebody does already.
    pub(crate) fn try_begin(&self, key: SectionKey) -> Option<Loading<'_>> {
        let shard = self.shard(&key);
        let mut keys = shard.lock();
        if keys.contains_key(&key) {
            return None;
        }
        keys.insert(key, Vec::new());
        Some(Loading { shard, key })
    }

    /// Lets `waiter` be woken when the load that is under way has ended; false if there is none.
    pub(crate) fn join(&self, key: SectionKey, waiter: &Arc<Waiter>) -> bool {
        let mut keys = self.shard(&key).lock();
        let joined = keys.get_mut(&key).map(|waiting| waiting.push(Arc::clone(waiter)));
        joined.is_some()
    }

    fn shard(&self, key: &SectionKey) -> &Shard {
        &self.shards[name_of(key) as usize % SHARDS]
    }
}

impl Drop for Loading<'_> {
    fn drop(&mut self) {
        let waiting = self.shard.lock().remove(&self.key);
        waiting.into_iter().flatten().for_each(|waiter| waiter.wake());
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
