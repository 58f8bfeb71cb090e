//! A permutation of `0..n` that needs no memory.

use super::random::{Draw, number};

const ROUNDS: usize = 4;

/// A pseudo-random order of `0..n`, computable in both directions: a Feistel network over the next power of four,
/// repeated until the result falls below `n` ("cycle walking", Black and Rogaway 2002; at most four times on average).
pub(super) struct Permutation {
    size: u64,
    half_bits: u32,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// The order of `0..size` that belongs to the seed and purpose. `size` is below 2⁶².
    pub(super) fn new(seed: u64, draw: Draw, size: u64) -> Self {
        let bits = 64 - size.saturating_sub(1).leading_zeros();
        let keys = std::array::from_fn(|round| number(seed, draw, round as u64, size));
        Self { size, half_bits: bits.div_ceil(2).max(1), keys }
    }

    /// The position of `item`, which is below the size.
    pub(super) fn position(&self, item: u64) -> u64 {
        let mut x = item;
        loop {
            x = self.forward(x);
            if x < self.size {
                return x;
            }
        }
    }

    /// The item at `position`, which is below the size.
    pub(super) fn item(&self, position: u64) -> u64 {
        let mut x = position;
        loop {
            x = self.backward(x);
            if x < self.size {
                return x;
            }
        }
    }

    fn forward(&self, x: u64) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        let (mut left, mut right) = (x >> self.half_bits, x & mask);
        for key in self.keys {
            (left, right) = (right, left ^ (scramble(right, key) & mask));
        }
        left << self.half_bits | right
    }

    fn backward(&self, x: u64) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        let (mut left, mut right) = (x >> self.half_bits, x & mask);
        for key in self.keys.iter().rev() {
            (left, right) = (right ^ (scramble(left, *key) & mask), left);
        }
        left << self.half_bits | right
    }
}

fn scramble(x: u64, key: u64) -> u64 {
    let y = (x ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (y ^ y >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_is_permuted_and_inverted() {
        for size in [1, 2, 3, 4, 5, 17, 64, 1000, 4097] {
            let order = Permutation::new(5, Draw::InterestOrder, size);
            let mut seen = vec![false; size as usize];
            for item in 0..size {
                let position = order.position(item);
                assert_eq!(order.item(position), item);
                assert!(!std::mem::replace(&mut seen[position as usize], true), "{size}: {position} twice");
            }
        }
    }

    #[test]
    fn neighbours_are_torn_apart() {
        let order = Permutation::new(5, Draw::InterestOrder, 100_000);
        let near = (1..100_000).filter(|&i| order.position(i).abs_diff(order.position(i - 1)) < 100).count();
        assert!(near < 1000, "{near} of 99,999 pairs stayed near each other");
    }
}
