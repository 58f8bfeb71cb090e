//! Pseudo-random numbers for `coin`, `sample` and `shuffle`, repeatable from the query's seed.

use crate::operator::Context;

/// Events from which on they are not drawn for one by one.
const MANY: u64 = 100;

/// A generator (SplitMix64) of its own for each operator.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// The generator of an operator: seeded by the query and the operator's place in the plan.
    pub(super) fn of(cx: &Context<'_>) -> Self {
        Self(cx.query.seed ^ u64::from(cx.op.id).wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// A generator for one traverser of an operator that draws for each.
    pub(super) fn of_row(cx: &Context<'_>) -> Self {
        let Self(mut seed) = Self::of(cx);
        seed ^= cx.query.draws.next().wrapping_mul(0x2545_f491_4f6c_dd1d);
        Self(seed)
    }

    /// A number below that one.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        // Of 2^64, the multiple's upper half; how much likelier the lower numbers are cannot be seen.
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// The next 64 bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number in 0..1.
    pub(super) fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// How many of `n` events happen that have probability `p` each.
    ///
    /// Of many, the one in the middle by its uniform draw is drawn first (a beta variate), which leaves half of them to ask
    /// about (Devroye, "Non-Uniform Random Variate Generation", X.4.3). So it takes as many steps as `n` has digits.
    pub(super) fn binomial(&mut self, mut n: u64, mut p: f64) -> u64 {
        let mut happened = 0;
        while n >= MANY {
            if p <= 0.0 {
                return happened;
            }
            if p >= 1.0 {
                return happened + n;
            }
            let middle = n / 2 + 1;
            let (left, right) = (self.gamma(middle as f64), self.gamma((n - middle + 1) as f64));
            let at = left / (left + right);
            if at <= p {
                happened += middle;
                n -= middle;
                p = (p - at) / (1.0 - at);
            } else {
                n = middle - 1;
                p /= at;
            }
        }
        happened + (0..n).filter(|_| self.fraction() < p).count() as u64
    }

    /// A gamma variate of a shape of at least one (Marsaglia and Tsang).
    fn gamma(&mut self, shape: f64) -> f64 {
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && self.fraction().ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return d * v;
            }
        }
    }

    /// A standard normal variate (Box and Muller).
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.fraction()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.fraction()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_events_as_many_happen_as_of_few_and_they_vary_as_much() {
        for (n, p) in [(50_u64, 0.3), (1_000, 0.3), (1_000_000, 0.01), (1 << 40, 0.9)] {
            let mut random = Random(7);
            let draws: Vec<f64> = (0..4_000).map(|_| random.binomial(n, p) as f64).collect();
            let mean = draws.iter().sum::<f64>() / draws.len() as f64;
            let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / draws.len() as f64;
            let (expected, spread) = (n as f64 * p, n as f64 * p * (1.0 - p));
            assert!((mean - expected).abs() < 5.0 * (spread / draws.len() as f64).sqrt(), "{n} {p}: {mean}");
            assert!((variance / spread - 1.0).abs() < 0.15, "{n} {p}: {variance}, {spread} expected");
        }
    }

    #[test]
    fn what_is_certain_needs_no_luck() {
        assert_eq!(Random(1).binomial(u64::MAX, 1.0), u64::MAX);
        assert_eq!(Random(1).binomial(u64::MAX, 0.0), 0);
    }
}
