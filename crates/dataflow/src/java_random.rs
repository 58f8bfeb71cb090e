//! The sequence of `java.util.Random`, which `SeedStrategy` stands for: a linear congruential generator of 48 bits.

use values::watch;

/// A generator.
#[derive(Clone, Debug)]
pub(crate) struct JavaRandom(u64);

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const MASK: u64 = (1 << 48) - 1;

impl JavaRandom {
    /// As `new Random(seed)`.
    pub(crate) fn new(seed: i64) -> Self {
        Self((seed as u64 ^ MULTIPLIER) & MASK)
    }

    /// The next bits, at most 32.
    fn next(&mut self, bits: u32) -> i32 {
        self.0 = self.0.wrapping_mul(MULTIPLIER).wrapping_add(0xB) & MASK;
        // The upper of the 48, as a signed number.
        (self.0 >> (48 - bits)) as i32
    }

    /// A number in 0..1, as `nextDouble()`.
    pub(crate) fn fraction(&mut self) -> f64 {
        let upper = i64::from(self.next(26)) << 27;
        (upper + i64::from(self.next(27))) as f64 / (1_i64 << 53) as f64
    }

    /// A number below that one, as `nextInt(bound)`. There must be some.
    pub(crate) fn below(&mut self, bound: i32) -> i32 {
        let least = bound - 1;
        let mut bits = self.next(31);
        if bound & least == 0 {
            return ((i64::from(bound) * i64::from(bits)) >> 31) as i32;
        }
        loop {
            let drawn = bits % bound;
            // Those beyond the last multiple of the bound are drawn again.
            if bits.wrapping_sub(drawn).wrapping_add(least) >= 0 {
                return drawn;
            }
            bits = self.next(31);
        }
    }

    /// Puts members in an order by chance, as `Collections.shuffle`.
    pub(crate) fn shuffle<T>(&mut self, members: &mut [T]) {
        for last in (1..members.len()).rev() {
            watch::tick();
            let bound = i32::try_from(last + 1).unwrap_or(i32::MAX);
            members.swap(last, self.below(bound) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_draws_what_java_draws() {
        // As documented, and known from countless programs: new Random(42).
        let mut random = JavaRandom::new(42);
        assert_eq!((0..5).map(|_| random.below(10)).collect::<Vec<_>>(), [0, 3, 8, 4, 0]);
        assert_eq!(JavaRandom::new(42).next(32), -1_170_105_035);
        assert!((JavaRandom::new(42).fraction() - 0.727_563_680_032_868_2).abs() < 1e-15);
        let mut members = [1, 2, 3, 4, 5];
        JavaRandom::new(0).shuffle(&mut members);
        let mut sorted = members;
        sorted.sort_unstable();
        assert_eq!(sorted, [1, 2, 3, 4, 5]);
        assert_eq!(JavaRandom::new(7).below(1), 0);
        assert!((0..100).all(|seed| (0..1 << 20).contains(&JavaRandom::new(seed).below(1 << 20))));
    }
}
