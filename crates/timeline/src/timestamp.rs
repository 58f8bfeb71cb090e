//! Refinable timestamps: epochs, vector clocks and their partial order (Weaver, section 3.3).

use std::cmp::Ordering;
use std::fmt;

/// The most gatekeepers a timeline may have.
pub const MAX_GATEKEEPERS: usize = 64;

/// The number of a configuration of the cluster. Every restart or failure begins a new one, and whatever was stamped
/// in an older epoch is before everything in a newer one (Weaver, section 4.3).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Epoch(pub u32);

/// The number of a gatekeeper: its place in every vector clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct GatekeeperId(pub u16);

/// One counter per gatekeeper: how many transactions of each had been stamped, as far as the owner knew.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct VectorClock(Box<[u64]>);

/// A refinable timestamp: when a transaction was stamped, by whom, and what that gatekeeper knew of the others.
///
/// ```text
///   epoch 2, gatekeeper 1, clock ⟨3, 7, 4⟩
///                                 │  │  └ it had heard that gatekeeper 2 stamped 4
///                                 │  └─── this is its own 7th transaction: unique in the epoch
///                                 └────── it had heard that gatekeeper 0 stamped 3
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Timestamp {
    epoch: Epoch,
    issuer: GatekeeperId,
    clock: VectorClock,
}

/// How two timestamps lie to each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TimeOrder {
    /// The first happened before the second.
    Before,
    /// The first happened after the second.
    After,
    /// They are the same timestamp.
    Equal,
    /// The clocks cannot tell; only the timeline oracle can.
    Concurrent,
}

impl TimeOrder {
    /// The same relation, seen from the second timestamp.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Before => Self::After,
            Self::After => Self::Before,
            other => other,
        }
    }
}

impl VectorClock {
    /// A clock of `gatekeepers` counters at zero.
    ///
    /// # Panics
    /// When `gatekeepers` is 0 or more than [`MAX_GATEKEEPERS`]: the number comes from the cluster's configuration,
    /// which is checked before.
    pub fn zero(gatekeepers: usize) -> Self {
        Self::from_components(&vec![0; gatekeepers])
    }

    /// A clock with the given counters, one per gatekeeper.
    ///
    /// # Panics
    /// As [`zero`](Self::zero).
    pub fn from_components(components: &[u64]) -> Self {
        let gatekeepers = components.len();
        assert!(
            (1..=MAX_GATEKEEPERS).contains(&gatekeepers),
            "{gatekeepers} gatekeepers; 1 to 64 are possible"
        );
        Self(components.into())
    }

    /// The counters, one per gatekeeper.
    pub fn components(&self) -> &[u64] {
        &self.0
    }

    /// Whether the clock has a counter for `gatekeeper`.
    pub fn covers(&self, gatekeeper: GatekeeperId) -> bool {
        usize::from(gatekeeper.0) < self.0.len()
    }

    /// The counter of one gatekeeper; zero for one the clock does not cover.
    pub fn of(&self, gatekeeper: GatekeeperId) -> u64 {
        self.0.get(usize::from(gatekeeper.0)).copied().unwrap_or(0)
    }

    /// Advances one gatekeeper's own counter.
    pub(crate) fn tick(&mut self, gatekeeper: GatekeeperId) {
        self.0[usize::from(gatekeeper.0)] += 1;
    }

    /// Learns what another gatekeeper announced: the greater of both, counter by counter.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// The greatest clock that is at most both: the smaller counter of each pair.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(mine, theirs)| *mine.min(theirs)).collect())
    }

    /// Clocks are ordered when every counter agrees on the direction. Clocks of different lengths are not.
    fn compare(&self, other: &Self) -> TimeOrder {
        if self.0.len() != other.0.len() {
            return TimeOrder::Concurrent;
        }
        let (mut less, mut greater) = (false, false);
        for (mine, theirs) in self.0.iter().zip(&other.0) {
            less |= mine < theirs;
            greater |= mine > theirs;
        }
        match (less, greater) {
            (false, false) => TimeOrder::Equal,
            (true, false) => TimeOrder::Before,
            (false, true) => TimeOrder::After,
            (true, true) => TimeOrder::Concurrent,
        }
    }
}

impl Timestamp {
    /// A timestamp issued by `issuer` in `epoch` with its clock at that moment.
    ///
    /// # Panics
    /// When the clock has no counter for the issuer.
    pub fn new(epoch: Epoch, clock: VectorClock, issuer: GatekeeperId) -> Self {
        assert!(clock.covers(issuer), "the clock has no counter for its issuer {issuer:?}");
        Self { epoch, issuer, clock }
    }

    /// The epoch in which it was issued.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Who issued it.
    pub fn issuer(&self) -> GatekeeperId {
        self.issuer
    }

    /// What the issuer knew.
    pub fn clock(&self) -> &VectorClock {
        &self.clock
    }

    /// How `self` lies to `other`: by epoch first, by vector clock within an epoch. This is a partial order:
    /// `Before` is transitive and never holds both ways (Weaver, section 3.3).
    pub fn compare(&self, other: &Self) -> TimeOrder {
        match self.epoch.cmp(&other.epoch) {
            Ordering::Less => TimeOrder::Before,
            Ordering::Greater => TimeOrder::After,
            Ordering::Equal => match self.clock.compare(&other.clock) {
                // A gatekeeper advances its own counter for every stamp, so equal clocks of two gatekeepers
                // cannot both be stamps; should they be compared anyway, nothing orders them.
                TimeOrder::Equal if self.issuer != other.issuer => TimeOrder::Concurrent,
                order => order,
            },
        }
    }

    /// Whether the clocks alone say that `self` happened before `other`.
    pub fn is_before(&self, other: &Self) -> bool {
        self.compare(other) == TimeOrder::Before
    }
}

impl fmt::Debug for VectorClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "⟨")?;
        for (position, counter) in self.0.iter().enumerate() {
            write!(f, "{}{counter}", if position == 0 { "" } else { "," })?;
        }
        write!(f, "⟩")
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}@{}", self.epoch.0, self.clock, self.issuer.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timestamp(epoch: u32, issuer: u16, clock: &[u64]) -> Timestamp {
        Timestamp::new(Epoch(epoch), VectorClock::from_components(clock), GatekeeperId(issuer))
    }

    /// The example of Weaver's figure 5: T1 ⟨1,1,0⟩ and T2 ⟨3,4,2⟩ are ordered, T2 and T3 ⟨0,1,3⟩ … are not.
    #[test]
    fn clocks_that_agree_in_every_counter_are_ordered_and_others_are_concurrent() {
        let first = timestamp(0, 1, &[1, 1, 0]);
        let second = timestamp(0, 1, &[3, 4, 2]);
        let third = timestamp(0, 2, &[3, 1, 5]);
        assert_eq!(first.compare(&second), TimeOrder::Before);
        assert_eq!(second.compare(&first), TimeOrder::After);
        assert_eq!(second.compare(&third), TimeOrder::Concurrent);
        assert_eq!(first.compare(&first), TimeOrder::Equal);
    }

    #[test]
    fn an_epoch_outweighs_every_clock() {
        assert_eq!(timestamp(1, 0, &[9, 9]).compare(&timestamp(2, 0, &[1, 0])), TimeOrder::Before);
    }

    #[test]
    fn the_same_clock_from_two_gatekeepers_orders_nothing() {
        assert_eq!(timestamp(0, 0, &[2, 2]).compare(&timestamp(0, 1, &[2, 2])), TimeOrder::Concurrent);
    }

    #[test]
    #[should_panic(expected = "no counter for its issuer")]
    fn an_issuer_outside_the_clock_is_a_bug() {
        timestamp(0, 2, &[1, 1]);
    }
}
