//! Plans, kept by the shape of their traversals.

use std::hash::{BuildHasher, Hash};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gremlin::ShapeKey;
use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::{Options, Planned, Statistics};

/// Parts with a lock of their own, so that threads seldom meet.
const SHARDS: usize = 16;

/// A bounded, shared memory of plans: least recently used ones make room.
///
/// A plan serves every traversal of its shape as long as the names and indexes of the graph are those it was made
/// under, the options too, and nothing that was known about the graph has changed by a factor. Looking up takes one lock of
/// sixteen, for a hash-table access.
///
/// Where the choice of an index depends on the values of the traversal's literals, one shape can have a few plans: see
/// [`Planned::fits`].
pub struct PlanCache {
    shards: Vec<Mutex<Shard>>,
    /// Most plans in one shard.
    capacity: usize,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// What a plan depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    shape: ShapeKey,
    version: u128,
    /// [`Statistics::epoch`].
    epoch: u64,
    options: Options,
}

impl Key {
    fn new(shape: &ShapeKey, version: u128, statistics: &dyn Statistics, options: &Options) -> Self {
        Self { shape: shape.clone(), version, epoch: statistics.epoch(), options: options.clone() }
    }
}

/// Plans that one shape can have.
const VARIANTS: usize = 4;

#[derive(Default)]
struct Shard {
    plans: FxHashMap<Key, Entry>,
    /// Counts uses, to tell which is the oldest.
    clock: u64,
}

struct Entry {
    /// For different literals, the newest last.
    variants: Vec<Arc<Planned>>,
    used: u64,
}

impl PlanCache {
    /// A cache for at most about `capacity` plans, at least one in each of its 16 parts.
    pub fn new(capacity: usize) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::new(Shard::default())).collect();
        let capacity = capacity.div_ceil(SHARDS).max(1);
        Self { shards, capacity, hits: AtomicU64::new(0), misses: AtomicU64::new(0) }
    }

    /// The plan for traversals of a shape, made by `make` if it is not there. `version` is the
    /// [`crate::Schema::version`] that it is for; `statistics` are what is known now, and know the traversal's literals.
    ///
    /// Two threads that miss at once both make it: planning is cheap, and holding the lock meanwhile would not be.
    ///
    /// # Errors
    /// Those of `make`. They are not kept.
    pub fn get_or_plan<E>(
        &self,
        shape: &ShapeKey,
        version: u128,
        statistics: &dyn Statistics,
        options: &Options,
        make: impl FnOnce() -> Result<Planned, E>,
    ) -> Result<Arc<Planned>, E> {
        let key = Key::new(shape, version, statistics, options);
        if let Some(planned) = self.find(&key, statistics) {
            return Ok(planned);
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        let planned = Arc::new(make()?);
        if planned.reusable {
            self.shard(&key).lock().insert(key, planned.clone(), self.capacity, statistics);
        }
        Ok(planned)
    }

    /// The plan for traversals of a shape, if it is there: see [`PlanCache::get_or_plan`].
    pub fn get(
        &self,
        shape: &ShapeKey,
        version: u128,
        statistics: &dyn Statistics,
        options: &Options,
    ) -> Option<Arc<Planned>> {
        self.find(&Key::new(shape, version, statistics, options), statistics)
    }

    fn find(&self, key: &Key, statistics: &dyn Statistics) -> Option<Arc<Planned>> {
        let planned = self.shard(key).lock().get(key, statistics)?;
        self.hits.fetch_add(1, Ordering::Relaxed);
        Some(planned)
    }

    fn shard(&self, key: &Key) -> &Mutex<Shard> {
        // The table inside uses the high bits of its hash; the low ones choose the shard.
        &self.shards[FxBuildHasher.hash_one(key) as usize % SHARDS]
    }

    /// Number of plans in it.
    pub fn len(&self) -> usize {
        let variants = |shard: &Shard| shard.plans.values().map(|entry| entry.variants.len()).sum::<usize>();
        self.shards.iter().map(|shard| variants(&shard.lock())).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How often a plan was found, and how often it was not.
    pub fn hits_and_misses(&self) -> (u64, u64) {
        (self.hits.load(Ordering::Relaxed), self.misses.load(Ordering::Relaxed))
    }

    /// Forgets all plans.
    pub fn clear(&self) {
        self.shards.iter().for_each(|shard| shard.lock().plans.clear());
    }
}

impl Default for PlanCache {
    /// A cache for 1,024 plans.
    fn default() -> Self {
        Self::new(1024)
    }
}

impl Shard {
    fn get(&mut self, key: &Key, statistics: &dyn Statistics) -> Option<Arc<Planned>> {
        self.clock += 1;
        let entry = self.plans.get_mut(key)?;
        entry.used = self.clock;
        entry.variants.iter().find(|planned| planned.fits(statistics)).cloned()
    }

    /// Keeps a plan, unless another thread has brought one meanwhile that serves as well.
    fn insert(&mut self, key: Key, planned: Arc<Planned>, capacity: usize, statistics: &dyn Statistics) {
        self.clock += 1;
        if self.plans.len() >= capacity && !self.plans.contains_key(&key) {
            // A shard is small, and plans are made seldom: looking through it is cheaper than keeping it in order.
            let oldest = self.plans.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
            if let Some(oldest) = oldest {
                self.plans.remove(&oldest);
            }
        }
        let entry = self.plans.entry(key).or_insert(Entry { variants: Vec::new(), used: 0 });
        entry.used = self.clock;
        if entry.variants.iter().any(|known| known.fits(statistics)) {
            return;
        }
        if entry.variants.len() >= VARIANTS {
            entry.variants.remove(0);
        }
        entry.variants.push(planned);
    }
}
