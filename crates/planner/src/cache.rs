//! Plans, kept by the shape of their traversals.

use std::hash::{BuildHasher, Hash};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gremlin::ShapeKey;
use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::physical::Op;
use crate::unknown::are_unknown;
use crate::{Options, Planned, Schema, Statistics};

/// Parts with a lock of their own, so that threads seldom meet.
const SHARDS: usize = 16;

/// A bounded, shared memory of plans: least recently used ones make room. It is bounded in bytes, too, so that long plans count
/// more, and those of very long traversals are made each time.
///
/// A plan serves every traversal of its shape as long as schema and indexes of the graph are those it was made under, the options
/// too, the names that it looked up in vain are still unknown, and nothing that was known about the graph has changed by a
/// factor. Other names may come: those that a plan knows keep their ids. Looking up takes one lock of sixteen, for a hash-table
/// access.
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

/// Who asks for a plan: what the graph is like that it is for.
#[derive(Clone, Copy)]
pub struct For<'a> {
    /// Names, schema and indexes.
    pub schema: &'a dyn Schema,
    /// What is known now. It knows the traversal's literals.
    pub statistics: &'a dyn Statistics,
}

impl For<'_> {
    /// Whether a plan that was made for somebody else serves as well.
    fn is_served_by(self, planned: &Planned) -> bool {
        planned.fits(self.statistics) && are_unknown(&planned.plan.unknown, self.schema)
    }
}

/// What a plan depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    shape: ShapeKey,
    /// [`Schema::version`].
    version: u64,
    /// [`Statistics::epoch`].
    epoch: u64,
    options: Options,
}

impl Key {
    fn new(shape: &ShapeKey, for_whom: For<'_>, options: &Options) -> Self {
        let (version, epoch) = (for_whom.schema.version(), for_whom.statistics.epoch());
        Self { shape: shape.clone(), version, epoch, options: options.clone() }
    }
}

/// Bytes of a key up to which a plan is kept.
const LONGEST: usize = ShapeKey::KEPT / 2;

/// Bytes of a shard's plans, for each plan that it has room for: those of a plan of some 40 operators.
const MEAN: usize = 16 << 10;

/// Bytes of a plan up to which it is kept, and of what the smallest shard has room for.
const LARGEST: usize = 256 << 10;

/// Plans that one shape can have.
const VARIANTS: usize = 4;

#[derive(Default)]
struct Shard {
    plans: FxHashMap<Key, Entry>,
    /// Bytes of them, with their keys.
    bytes: usize,
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

    /// The plan for traversals of a shape, made by `make` if it is not there. It is not kept if it may know names that others
    /// cannot ([`Schema::has_new_names`]).
    ///
    /// Two threads that miss at once both make it: planning is cheap, and holding the lock meanwhile would not be.
    ///
    /// # Errors
    /// Those of `make`. They are not kept.
    pub fn get_or_plan<E>(
        &self,
        shape: &ShapeKey,
        for_whom: For<'_>,
        options: &Options,
        make: impl FnOnce() -> Result<Planned, E>,
    ) -> Result<Arc<Planned>, E> {
        let key = Key::new(shape, for_whom, options);
        if let Some(planned) = self.find(&key, for_whom) {
            return Ok(planned);
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        let planned = Arc::new(make()?);
        let is_kept = shape.bytes() <= LONGEST && weight(&key, &planned) <= LARGEST;
        if planned.reusable && is_kept && !for_whom.schema.has_new_names() {
            // Values are compared under the lock.
            values::holding(|| {
                self.shard(&key).lock().insert(key.clone(), planned.clone(), self.capacity, for_whom);
            });
        }
        Ok(planned)
    }

    /// The plan for traversals of a shape, if it is there: see [`PlanCache::get_or_plan`].
    pub fn get(&self, shape: &ShapeKey, for_whom: For<'_>, options: &Options) -> Option<Arc<Planned>> {
        self.find(&Key::new(shape, for_whom, options), for_whom)
    }

    fn find(&self, key: &Key, for_whom: For<'_>) -> Option<Arc<Planned>> {
        let planned = values::holding(|| self.shard(key).lock().get(key, for_whom))?;
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
        self.shards.iter().for_each(|shard| *shard.lock() = Shard::default());
    }
}

impl Default for PlanCache {
    /// A cache for 1,024 plans.
    fn default() -> Self {
        Self::new(1024)
    }
}

impl Shard {
    fn get(&mut self, key: &Key, for_whom: For<'_>) -> Option<Arc<Planned>> {
        self.clock += 1;
        let entry = self.plans.get_mut(key)?;
        entry.used = self.clock;
        entry.variants.iter().find(|planned| for_whom.is_served_by(planned)).cloned()
    }

    /// Keeps a plan, unless another thread has brought one meanwhile that serves as well.
    fn insert(&mut self, key: Key, planned: Arc<Planned>, capacity: usize, for_whom: For<'_>) {
        self.clock += 1;
        let bytes = weight(&key, &planned);
        let is_full = |shard: &Self| {
            shard.plans.len() >= capacity && !shard.plans.contains_key(&key)
                || shard.bytes + bytes > (capacity * MEAN).max(LARGEST)
        };
        while is_full(self) && self.forget_oldest() {}
        let entry = self.plans.entry(key.clone()).or_insert(Entry { variants: Vec::new(), used: 0 });
        entry.used = self.clock;
        if entry.variants.iter().any(|known| for_whom.is_served_by(known)) {
            return;
        }
        if entry.variants.len() >= VARIANTS {
            self.bytes -= weight(&key, &entry.variants.remove(0));
        }
        entry.variants.push(planned);
        self.bytes += bytes;
    }

    /// Makes room; false if nothing is left.
    fn forget_oldest(&mut self) -> bool {
        // A shard is small, and plans are made seldom: looking through it is cheaper than keeping it in order.
        let oldest = self.plans.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
        let Some((key, entry)) = oldest.and_then(|key| self.plans.remove_entry(&key)) else { return false };
        self.bytes -= entry.variants.iter().map(|planned| weight(&key, planned)).sum::<usize>();
        true
    }
}

/// Bytes of a plan in memory, with its key, roughly: most are in its operators.
fn weight(key: &Key, planned: &Planned) -> usize {
    /// What is beside an operator for each: the step it came from, the allocator's blocks, its share of what it points to.
    const BESIDE: usize = 64;
    key.shape.bytes() + planned.plan.ops as usize * (size_of::<Op>() + BESIDE)
}
