//! Hashing what clients choose.
//!
//! Who knows the hash function can choose 40,000 numbers that all fall into one bucket, and `dedup()` of them takes as long as
//! of a hundred million others. So the hash has a seed that is drawn when the process starts. A seed alone does not help
//! FxHash: there, whether two numbers collide does not depend on it. Here each word is multiplied, to twice its length, by a
//! secret number, and both halves are folded into one, as wyhash and foldhash do; in the fewest steps for one word, since most
//! keys are that. One more fold ends the hash: products of regular numbers are as regular as they, and for one seed in some
//! thousands the uppermost bits of all of them would be the same.
//!
//! What is stored hashes with a seed of its graph: see the graph's `scalar_hash.rs`.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

/// The seed of the process. Odd, so that no bit of a word is lost.
static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0x6d61_6e67_726f_7665_u64) | 1);

/// Builds hashers with the seed of the process: all of them hash alike.
#[derive(Clone, Copy, Debug)]
pub struct Seeded(u64);

impl Default for Seeded {
    #[inline]
    fn default() -> Self {
        Self(*SEED)
    }
}

impl BuildHasher for Seeded {
    type Hasher = SeededHasher;

    #[inline]
    fn build_hasher(&self) -> SeededHasher {
        SeededHasher { state: self.0.rotate_left(32), seed: self.0 }
    }
}

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct SeededHasher {
    state: u64,
    seed: u64,
}

/// The golden ratio: spreads a length, so that one more byte and a byte that is one more are not the same, and ends a hash.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Both halves of a product.
#[inline]
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// The first eight bytes.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// At most eight bytes, as a word: the first and the last four, or the first, the middle and the last one.
#[inline]
fn short_word(bytes: &[u8]) -> u64 {
    match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
        }
        _ => match bytes {
            [] => 0,
            [first, ..] => {
                let (middle, last) = (bytes[bytes.len() / 2], bytes[bytes.len() - 1]);
                u64::from(*first) << 16 | u64::from(middle) << 8 | u64::from(last)
            }
        },
    }
}

impl Hasher for SeededHasher {
    #[inline]
    fn finish(&self) -> u64 {
        folded(self.state, GOLDEN)
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.state = folded(self.state ^ word, self.seed);
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        // Two texts of which one begins with the other differ in their length.
        let mut state = self.state ^ (bytes.len() as u64).wrapping_mul(GOLDEN);
        let mut rest = bytes;
        while rest.len() > 16 {
            state = folded(word(rest) ^ state, word(&rest[8..]) ^ self.seed);
            rest = &rest[16..];
        }
        let (first, last) = match rest.len() {
            0..=8 => (short_word(rest), 0),
            len => (word(rest), word(&rest[len - 8..])),
        };
        self.state = folded(first ^ state, last ^ self.seed);
    }

    #[inline]
    fn write_u8(&mut self, n: u8) {
        self.write_u64(n.into());
    }

    #[inline]
    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }

    #[inline]
    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }

    #[inline]
    fn write_isize(&mut self, n: isize) {
        self.write_u64(n as u64);
    }
}

/// A set with seeded hashes.
pub type SeededSet<T> = std::collections::HashSet<T, Seeded>;

/// A map with seeded hashes.
pub type SeededMap<K, V> = std::collections::HashMap<K, V, Seeded>;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn texts_of_any_length_that_differ_in_one_byte_hash_differently() {
        let mut hashes = BTreeSet::new();
        let mut texts = 0;
        for len in 0..70 {
            for at in 0..=len {
                let mut text = vec![b'x'; len];
                if let Some(byte) = text.get_mut(at) {
                    *byte = b'y';
                }
                texts += 1;
                let mut hasher = Seeded::default().build_hasher();
                hasher.write(&text);
                hashes.insert(hasher.finish());
            }
        }
        assert_eq!(hashes.len(), texts);
    }

    /// Seeds as they may be drawn, and weak ones: their multiples have many bits in common.
    fn seeds() -> impl Iterator<Item = Seeded> {
        let drawn = (0..1_000_u64).map(|n| folded(n ^ GOLDEN, GOLDEN.rotate_left(17)) | 1);
        let weak = [3, 257, (1 << 48) + 1, u64::MAX << 44 | 0x3_1415_9265, 0x5555_5271_8281_8285];
        drawn.chain(weak).map(Seeded)
    }

    #[test]
    fn no_part_of_a_table_gets_many_times_its_share_of_regular_numbers_whatever_the_seed() {
        for (seed, stride) in
            seeds().flat_map(|seed| [1_u64, 8, 1 << 20, 1 << 40, 1 << 52].map(|stride| (seed, stride)))
        {
            for shift in [0, 57] {
                let bucket = |i: u64| seed.hash_one(i.wrapping_mul(stride)) >> shift & 127;
                let mut counts = [0; 128];
                (0..4_096).for_each(|i| counts[bucket(i) as usize] += 1);
                assert!(
                    counts.iter().all(|count| *count < 3 * 4_096 / 128),
                    "{seed:?} {stride} {shift}: {counts:?}"
                );
            }
        }
    }
}
