//! Hashing what clients choose.
//!
//! Who knows the hash function can choose 40,000 numbers that all fall into one bucket, and `dedup()` of them takes as long as
//! of a hundred million others. So the hash has a seed that is drawn when the process starts. It is foldhash, since a seed
//! alone does not help FxHash: there, whether two numbers collide does not depend on it.
//!
//! What is stored hashes with a seed of its graph: see the graph's `scalar_hash.rs`.

use std::hash::BuildHasher;
use std::sync::LazyLock;

use foldhash::fast::{FixedState, FoldHasher};

/// The seed of the process.
static SEED: LazyLock<u64> = LazyLock::new(|| foldhash::fast::RandomState::default().hash_one(0u64));

/// Builds hashers with the seed of the process: all of them hash alike.
#[derive(Clone, Debug)]
pub struct Seeded(FixedState);

impl Default for Seeded {
    #[inline]
    fn default() -> Self {
        Self(FixedState::with_seed(*SEED))
    }
}

impl BuildHasher for Seeded {
    type Hasher = FoldHasher<'static>;

    #[inline]
    fn build_hasher(&self) -> Self::Hasher {
        self.0.build_hasher()
    }
}

/// A set with seeded hashes.
pub type SeededSet<T> = std::collections::HashSet<T, Seeded>;

/// A map with seeded hashes.
pub type SeededMap<K, V> = std::collections::HashMap<K, V, Seeded>;
