//! Gatekeepers: who stamps transactions, without coordination (Weaver, section 3.3).

use crate::{Epoch, GatekeeperId, TimeOrder, Timestamp, VectorClock};

/// One gatekeeper of a timeline. It advances its own counter for every transaction that it stamps, and learns the
/// others' counters from their announcements, which are sent every τ (see [`AnnouncementPace`](crate::AnnouncementPace)).
///
/// ```text
///   gatekeeper 0   ⟨1,0⟩ ⟨2,0⟩ ──announce──╮            ⟨3,2⟩
///   gatekeeper 1   ⟨0,1⟩                    ╰─▶ ⟨2,2⟩ ──╯ announce
///                    └ concurrent with ⟨1,0⟩     └ after ⟨2,0⟩: gatekeeper 1 had heard of it
/// ```
///
/// ```
/// use timeline::{Epoch, Gatekeeper, GatekeeperId, TimeOrder};
///
/// let mut left = Gatekeeper::new(Epoch(1), GatekeeperId(0), 2);
/// let mut right = Gatekeeper::new(Epoch(1), GatekeeperId(1), 2);
/// let (early, unaware) = (left.stamp(), right.stamp());
/// assert_eq!(early.compare(&unaware), TimeOrder::Concurrent);
/// right.receive(&left.announce())?;
/// assert_eq!(early.compare(&right.stamp()), TimeOrder::Before);
/// # Ok::<(), timeline::AnnouncementRefused>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gatekeeper {
    id: GatekeeperId,
    epoch: Epoch,
    clock: VectorClock,
}

/// What a gatekeeper tells the others: its clock, and in which epoch it ran.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Announcement {
    epoch: Epoch,
    from: GatekeeperId,
    clock: VectorClock,
}

/// Why an announcement was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AnnouncementRefused {
    /// It is from an epoch that is over; the sender has to join the current one.
    #[error("an announcement of epoch {} reached a gatekeeper in epoch {}; the sender must join that epoch first", theirs.0, ours.0)]
    OldEpoch {
        /// The sender's epoch.
        theirs: Epoch,
        /// The receiver's epoch.
        ours: Epoch,
    },
    /// It is from an epoch that has begun without this gatekeeper, which has to join it before it may stamp again.
    #[error("an announcement of epoch {} reached a gatekeeper still in epoch {}; it must join that epoch first", theirs.0, ours.0)]
    NewEpoch {
        /// The sender's epoch.
        theirs: Epoch,
        /// The receiver's epoch.
        ours: Epoch,
    },
    /// The sender counts another number of gatekeepers in the same epoch.
    #[error(
        "an announcement with {theirs} counters reached a gatekeeper with {ours}; both must run the same configuration"
    )]
    OtherCluster {
        /// The sender's number of counters.
        theirs: usize,
        /// The receiver's.
        ours: usize,
    },
}

/// A gatekeeper was asked to go back to an epoch, or to stay in one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("epoch {} does not follow epoch {}; epochs only grow", asked.0, current.0)]
pub struct EpochNotNewer {
    /// The epoch asked for.
    pub asked: Epoch,
    /// The epoch the gatekeeper is in.
    pub current: Epoch,
}

impl Gatekeeper {
    /// Gatekeeper `id` of `gatekeepers`, at the beginning of `epoch`.
    ///
    /// # Panics
    /// When `id` is not below `gatekeepers`, or `gatekeepers` is over the bound: both come from a configuration that
    /// was checked before.
    pub fn new(epoch: Epoch, id: GatekeeperId, gatekeepers: usize) -> Self {
        let clock = VectorClock::zero(gatekeepers);
        assert!(clock.covers(id), "gatekeeper {} of {gatekeepers}", id.0);
        Self { id, epoch, clock }
    }

    /// Its number.
    pub fn id(&self) -> GatekeeperId {
        self.id
    }

    /// The epoch it stamps in.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// What it has stamped and heard.
    pub fn clock(&self) -> &VectorClock {
        &self.clock
    }

    /// Stamps one transaction: unique, and after everything this gatekeeper stamped or heard of.
    pub fn stamp(&mut self) -> Timestamp {
        self.clock.tick(self.id);
        Timestamp::new(self.epoch, self.clock.clone(), self.id)
    }

    /// What to send to every other gatekeeper now.
    pub fn announce(&self) -> Announcement {
        Announcement { epoch: self.epoch, from: self.id, clock: self.clock.clone() }
    }

    /// Learns from another gatekeeper. Announcements may be lost, repeated or overtake each other.
    ///
    /// # Errors
    /// [`AnnouncementRefused`] when the sender is in another epoch or configuration; nothing was learned.
    pub fn receive(&mut self, announcement: &Announcement) -> Result<(), AnnouncementRefused> {
        let (theirs, ours) = (announcement.epoch, self.epoch);
        if theirs != ours {
            return Err(if theirs < ours {
                AnnouncementRefused::OldEpoch { theirs, ours }
            } else {
                AnnouncementRefused::NewEpoch { theirs, ours }
            });
        }
        let (theirs, ours) = (announcement.clock.components().len(), self.clock.components().len());
        if theirs != ours {
            return Err(AnnouncementRefused::OtherCluster { theirs, ours });
        }
        self.clock.merge(&announcement.clock);
        Ok(())
    }

    /// Begins a new epoch with counters at zero. The cluster's coordinator sees to it that no gatekeeper stamps in
    /// the new epoch before all have left the old one (Weaver, section 4.3).
    ///
    /// # Errors
    /// [`EpochNotNewer`] when `epoch` is not greater than the current one.
    pub fn enter(&mut self, epoch: Epoch, gatekeepers: usize) -> Result<(), EpochNotNewer> {
        if epoch <= self.epoch {
            return Err(EpochNotNewer { asked: epoch, current: self.epoch });
        }
        *self = Self::new(epoch, self.id, gatekeepers);
        Ok(())
    }

    /// Whether `timestamp` is one that this gatekeeper knows to be in its past.
    pub fn has_seen(&self, timestamp: &Timestamp) -> bool {
        let now = Timestamp::new(self.epoch, self.clock.clone(), self.id);
        matches!(timestamp.compare(&now), TimeOrder::Before | TimeOrder::Equal)
    }
}

impl Announcement {
    /// The sender.
    pub fn from(&self) -> GatekeeperId {
        self.from
    }

    /// The sender's epoch.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// The sender's clock.
    pub fn clock(&self) -> &VectorClock {
        &self.clock
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> (Gatekeeper, Gatekeeper) {
        (Gatekeeper::new(Epoch(1), GatekeeperId(0), 2), Gatekeeper::new(Epoch(1), GatekeeperId(1), 2))
    }

    #[test]
    fn without_announcements_two_gatekeepers_stamp_concurrently() {
        let (mut left, mut right) = two();
        assert_eq!(left.stamp().compare(&right.stamp()), TimeOrder::Concurrent);
    }

    #[test]
    fn what_was_announced_is_before_what_is_stamped_next() {
        let (mut left, mut right) = two();
        let early = left.stamp();
        right.receive(&left.announce()).unwrap();
        let late = right.stamp();
        assert!(early.is_before(&late));
        assert!(right.has_seen(&early) && !left.has_seen(&late));
    }

    #[test]
    fn repeated_and_overtaken_announcements_change_nothing() {
        let (mut left, mut right) = two();
        let first = left.announce();
        left.stamp();
        let second = left.announce();
        right.receive(&second).unwrap();
        let learned = right.clock().clone();
        right.receive(&first).unwrap();
        right.receive(&second).unwrap();
        assert_eq!(right.clock(), &learned);
    }

    #[test]
    fn epochs_separate_gatekeepers_until_both_have_entered() {
        let (mut left, mut right) = two();
        let old = right.stamp();
        left.enter(Epoch(2), 2).unwrap();
        assert!(matches!(left.receive(&right.announce()), Err(AnnouncementRefused::OldEpoch { .. })));
        assert!(matches!(right.receive(&left.announce()), Err(AnnouncementRefused::NewEpoch { .. })));
        assert!(old.is_before(&left.stamp()));
        right.enter(Epoch(2), 2).unwrap();
        assert_eq!(right.receive(&left.announce()), Ok(()));
        assert_eq!(left.enter(Epoch(2), 2), Err(EpochNotNewer { asked: Epoch(2), current: Epoch(2) }));
    }
}
