//! Pseudo-random numbers for `coin`, `sample` and `shuffle`, repeatable from the query's seed.

use crate::operator::Context;

/// A generator (SplitMix64) of its own for each operator.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// The generator of an operator: seeded by the query and the operator's place in the plan.
    pub(super) fn of(cx: &Context<'_>) -> Self {
        Self(cx.query.seed ^ u64::from(cx.op.id).wrapping_mul(0xd134_2543_de82_ef95))
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
}
