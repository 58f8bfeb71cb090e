//! The timestamp of a timeline with one gatekeeper: one integer.

use std::fmt;

use crate::{Epoch, GatekeeperId, Timestamp, VectorClock};

/// A timestamp collapsed to one integer, for a single gatekeeper. Commits get strictly ascending stamps; a snapshot
/// at stamp S sees exactly the commits whose stamp is at most S.
///
/// ```text
///   63            40 39                                   0
///   ┌───────────────┬──────────────────────────────────────┐
///   │     epoch     │                clock                  │
///   └───────────────┴──────────────────────────────────────┘
/// ```
///
/// Integer order is the order of the timestamps: first by epoch, then by clock. An epoch begins with every start of
/// the process, so a stamp that was given out before a crash, and never became durable, is never given out again.
/// A clock that overflows carries into the epoch, which only brings the next one nearer; there are 2⁶⁴ stamps in all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Stamp(u64);

/// How many low bits of a stamp are its clock.
const CLOCK_BITS: u32 = 40;

impl Stamp {
    /// Before every commit: a snapshot here sees an empty graph.
    pub const ZERO: Self = Self(0);
    /// After every commit.
    pub const MAX: Self = Self(u64::MAX);

    /// The stamp with the given bits, as stored by the layers above.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The integer, for storing and for users who name a moment of history.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The stamp in `epoch` at `clock`.
    pub const fn new(epoch: Epoch, clock: u64) -> Self {
        Self(((epoch.0 as u64) << CLOCK_BITS).wrapping_add(clock))
    }

    /// The epoch in which the stamp was given out.
    pub const fn epoch(self) -> Epoch {
        Epoch((self.0 >> CLOCK_BITS) as u32)
    }

    /// How many stamps its epoch had given out, including this one.
    pub const fn clock(self) -> u64 {
        self.0 & ((1 << CLOCK_BITS) - 1)
    }

    /// The stamp of the commit after this one, in the same epoch.
    ///
    /// # Panics
    /// When all 2⁶⁴ stamps were given out, which at a million commits a second takes half a million years.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// The first position of the epoch after this stamp's; no commit has it, the first commit is the
    /// [`next`](Self::next) one. A restarted process continues from here.
    #[must_use]
    pub const fn next_epoch(self) -> Self {
        Self::new(Epoch(self.epoch().0 + 1), 0)
    }

    /// The same moment as a timestamp of the general kind, issued by gatekeeper 0 of 1.
    pub fn expand(self) -> Timestamp {
        Timestamp::new(self.epoch(), VectorClock::from_components(&[self.clock()]), GatekeeperId(0))
    }

    /// The integer for a timestamp of a timeline with one gatekeeper; none when there were several, or when its
    /// epoch or clock is too large to fit.
    pub fn collapse(timestamp: &Timestamp) -> Option<Self> {
        let &[clock] = timestamp.clock().components() else { return None };
        let fits = clock < 1 << CLOCK_BITS && u64::from(timestamp.epoch().0) < 1 << (u64::BITS - CLOCK_BITS);
        fits.then(|| Self::new(timestamp.epoch(), clock))
    }
}

impl fmt::Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.epoch().0, self.clock())
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TimeOrder;

    #[test]
    fn a_later_epoch_is_later_whatever_the_clocks_say() {
        let before = Stamp::new(Epoch(3), 1 << 39);
        let after = Stamp::new(Epoch(4), 1);
        assert!(before < after);
        assert_eq!(before.expand().compare(&after.expand()), TimeOrder::Before);
    }

    #[test]
    fn a_stamp_survives_the_way_through_a_timestamp() {
        let stamp = Stamp::new(Epoch(7), 42);
        assert_eq!(Stamp::collapse(&stamp.expand()), Some(stamp));
        assert_eq!((stamp.epoch(), stamp.clock()), (Epoch(7), 42));
        assert_eq!(format!("{stamp:?}"), "7.42");
    }

    #[test]
    fn timestamps_of_several_gatekeepers_do_not_collapse() {
        let timestamp = Timestamp::new(Epoch(0), VectorClock::from_components(&[1, 2]), GatekeeperId(0));
        assert_eq!(Stamp::collapse(&timestamp), None);
    }

    #[test]
    fn a_full_clock_carries_into_the_epoch() {
        let last = Stamp::new(Epoch(1), (1 << 40) - 1);
        assert_eq!(last.next(), Stamp::new(Epoch(2), 0));
        assert!(last.next().next_epoch() > last.next());
    }
}
