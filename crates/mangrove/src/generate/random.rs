//! Deterministic randomness: the same on every machine, and addressable.
//!
//! Every drawn number belongs to a *key*: the seed, what it is for ([`Draw`]), and an index or two. So anything about
//! person 4,711 can be computed again at any time without keeping it and without generating the 4,710 before.
//!
//! A key is mixed by the finaliser of SplitMix64 (Steele, Lea, Flood 2014); a sequence of numbers comes from
//! xoshiro256** (Blackman, Vigna 2018), seeded from the key. Floating point is confined to `+ - * /` and `sqrt`, which
//! IEEE 754 rounds the same way everywhere; `ln`, `exp` and `pow` are avoided because libraries differ in them.

/// What a random number is for. Each purpose has its own, independent numbers.
#[derive(Clone, Copy)]
#[repr(u64)]
pub(super) enum Draw {
    PersonTraits = 1,
    PersonCreated,
    PersonWeight,
    PersonInterests,
    PersonWork,
    Friendship,
    FriendshipDate,
    InterestOrder,
    MixedOrder,
    Forums,
    CountryTaste,
    Parameters,
}

/// A sequence of random numbers.
pub(super) struct Random([u64; 4]);

/// Mixes 64 bits so that every input bit reaches every output bit.
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The random number of one key.
pub(super) fn number(seed: u64, draw: Draw, a: u64, b: u64) -> u64 {
    mix(mix(mix(seed ^ (draw as u64) << 56).wrapping_add(a)).wrapping_add(b))
}

/// A fraction in `(0, 1]` from 64 random bits.
pub(super) fn fraction(bits: u64) -> f64 {
    ((bits >> 11) + 1) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// `x` scaled from the range of all 64-bit numbers down to `0..n`; `0` where `n` is.
pub(super) fn scaled(bits: u64, n: u64) -> u64 {
    ((u128::from(bits) * u128::from(n)) >> 64) as u64
}

impl Random {
    /// The sequence of one key.
    pub(super) fn new(seed: u64, draw: Draw, index: u64) -> Self {
        let base = number(seed, draw, index, 0);
        Self([mix(base), mix(base ^ 1), mix(base ^ 2), mix(base ^ 3)])
    }

    /// The next 64 random bits.
    pub(super) fn next(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number in `0..n`; `0` where `n` is `0`.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        scaled(self.next(), n)
    }

    /// A number in `low..high`; `low` where the range is empty.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below(high.saturating_sub(low).max(0) as u64) as i64
    }

    /// Like [`Random::between`], but early moments are likelier: half of them fall in the first fifth.
    pub(super) fn early(&mut self, low: i64, high: i64) -> i64 {
        let span = high.saturating_sub(low).max(0) as u64;
        let bound = self.below(span) + 1;
        low + self.below(bound.min(span)) as i64
    }

    /// True in `percent` of a hundred cases.
    pub(super) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// A place in `0..n`, small ones likelier: the first tenth gets about a third of the draws.
    pub(super) fn skewed(&mut self, n: usize) -> usize {
        let u = fraction(self.next());
        ((u * u * n as f64) as usize).min(n.saturating_sub(1))
    }

    /// One of `items`, the first ones likelier. The list must not be empty.
    pub(super) fn favour<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.skewed(items.len())]
    }

    /// One of `items`, all equally likely. The list must not be empty.
    pub(super) fn any<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }

    /// A count with the given mean whose tail falls with the square (Lomax, shape 2), cut at `most`.
    pub(super) fn heavy(&mut self, mean: f64, most: u64) -> u64 {
        let u = fraction(self.next());
        ((mean * (1.0 / u.sqrt() - 1.0) + 0.5) as u64).min(most)
    }

    /// How long something took, in milliseconds: from 2 to 2³¹ (25 days), each power of two equally likely.
    pub(super) fn delay(&mut self) -> i64 {
        let magnitude = 1u64 << (14 + self.below(17));
        (magnitude + self.below(magnitude)) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_key_never_change() {
        // Written down once; a change of these breaks "same seed, same bytes" for every user.
        let mut random = Random::new(42, Draw::PersonTraits, 7);
        let drawn: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(drawn, FIRST_THREE);
    }
    const FIRST_THREE: [u64; 3] = [9455240888038222513, 2566518493934913235, 10341501522373289160];

    #[test]
    fn purposes_and_indexes_have_numbers_of_their_own() {
        let a = number(1, Draw::PersonTraits, 1, 0);
        assert_ne!(a, number(1, Draw::PersonWeight, 1, 0));
        assert_ne!(a, number(1, Draw::PersonTraits, 2, 0));
        assert_ne!(a, number(2, Draw::PersonTraits, 1, 0));
    }

    #[test]
    fn empty_ranges_are_harmless() {
        let mut random = Random::new(1, Draw::Forums, 1);
        assert_eq!(random.below(0), 0);
        assert_eq!(random.between(9, 9), 9);
        assert_eq!(random.early(9, 3), 9);
        assert_eq!(random.skewed(1), 0);
    }

    #[test]
    fn a_heavy_tail_has_the_mean_asked_for() {
        let mut random = Random::new(3, Draw::Forums, 0);
        let sum: u64 = (0..200_000).map(|_| random.heavy(8.0, 10_000)).sum();
        let mean = sum as f64 / 200_000.0;
        assert!((7.0..9.0).contains(&mean), "{mean}");
    }
}
