//! The order of commits: assigned, durable, applied, visible.

use std::collections::VecDeque;

use crate::Stamp;

/// The most commits that may be on their way between their stamp and their visibility.
pub const MAX_IN_FLIGHT: usize = 1 << 16;

/// Gives out stamps in commit order and decides what readers may see.
///
/// Commits become durable and are applied in any order, since groups and tablets work in parallel. But a snapshot is
/// one integer, so the visible stamp advances only over a prefix of commits that are all settled:
///
/// ```text
///              visible          next
///                 ▼               ▼
///   … A   A   A   A   D   A   -   ·        A applied   D durable   - assigned
///                     └ this one holds back the applied one after it
/// ```
#[derive(Clone, Debug)]
pub struct Sequencer {
    /// Everything up to here is settled.
    visible: Stamp,
    /// The phases of the commits after `visible`, in stamp order, up to the last one that has a stamp.
    in_flight: VecDeque<Phase>,
}

/// How far a commit has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// It has a stamp.
    Assigned,
    /// It would survive a crash.
    Durable,
    /// Every reader of the affected data would find it.
    Applied,
    /// It failed after it got its stamp: there is nothing to see at that stamp.
    Abandoned,
}

/// Too many commits are on their way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{MAX_IN_FLIGHT} commits are waiting to become visible; wait for some of them and try again")]
pub struct SequencerFull;

impl Sequencer {
    /// A sequencer for a store that has nothing in it: epoch 0.
    pub fn new() -> Self {
        Self { visible: Stamp::ZERO, in_flight: VecDeque::new() }
    }

    /// A sequencer after a restart: everything up to `last_durable` was recovered and is visible; new commits are
    /// stamped in the next epoch, so that no stamp is ever given out twice.
    pub fn recover(last_durable: Stamp) -> Self {
        Self { visible: last_durable.next_epoch(), in_flight: VecDeque::new() }
    }

    /// The stamp of the next commit.
    ///
    /// # Errors
    /// [`SequencerFull`] when [`MAX_IN_FLIGHT`] commits are on their way.
    pub fn assign(&mut self) -> Result<Stamp, SequencerFull> {
        if self.in_flight.len() >= MAX_IN_FLIGHT {
            return Err(SequencerFull);
        }
        self.in_flight.push_back(Phase::Assigned);
        Ok(self.assigned())
    }

    /// The commit at `stamp` would survive a crash.
    ///
    /// # Panics
    /// When `stamp` was not assigned, or is past this phase already.
    pub fn durable(&mut self, stamp: Stamp) {
        self.advance(stamp, Phase::Assigned, Phase::Durable);
    }

    /// Every reader would find the commit at `stamp`. Returns the visible stamp, which may have advanced.
    ///
    /// # Panics
    /// When `stamp` is not durable, or was applied already: visible but not durable must never be.
    pub fn applied(&mut self, stamp: Stamp) -> Stamp {
        self.advance(stamp, Phase::Durable, Phase::Applied);
        self.settle()
    }

    /// The commit at `stamp` failed before it was durable: nothing will ever be at that stamp. Returns the visible
    /// stamp, which may have advanced.
    ///
    /// # Panics
    /// When `stamp` was not assigned, or is durable already.
    pub fn abandoned(&mut self, stamp: Stamp) -> Stamp {
        self.advance(stamp, Phase::Assigned, Phase::Abandoned);
        self.settle()
    }

    /// What a new snapshot reads at: it sees every commit up to here, and no later one.
    pub fn visible(&self) -> Stamp {
        self.visible
    }

    /// The last stamp given out.
    pub fn assigned(&self) -> Stamp {
        Stamp::from_bits(self.visible.bits() + self.in_flight.len() as u64)
    }

    /// How many commits are on their way.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    fn advance(&mut self, stamp: Stamp, from: Phase, to: Phase) {
        let phase = self.phase_mut(stamp);
        assert!(*phase == from, "commit {stamp:?} goes from {phase:?} to {to:?}");
        *phase = to;
    }

    fn phase_mut(&mut self, stamp: Stamp) -> &mut Phase {
        let position = stamp.bits().checked_sub(self.visible.bits() + 1);
        let phase = position.and_then(|position| self.in_flight.get_mut(usize::try_from(position).ok()?));
        phase.unwrap_or_else(|| panic!("commit {stamp:?} is not on its way"))
    }

    fn settle(&mut self) -> Stamp {
        while matches!(self.in_flight.front(), Some(Phase::Applied | Phase::Abandoned)) {
            self.in_flight.pop_front();
            self.visible = self.visible.next();
        }
        self.visible
    }
}

impl Default for Sequencer {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Epoch;

    fn settled(sequencer: &mut Sequencer, stamp: Stamp) -> Stamp {
        sequencer.durable(stamp);
        sequencer.applied(stamp)
    }

    #[test]
    fn the_visible_stamp_waits_for_the_gap_before_it() {
        let mut sequencer = Sequencer::new();
        let stamps: Vec<Stamp> = (0..3).map(|_| sequencer.assign().unwrap()).collect();
        assert_eq!(settled(&mut sequencer, stamps[1]), Stamp::ZERO);
        assert_eq!(settled(&mut sequencer, stamps[2]), Stamp::ZERO);
        assert_eq!(settled(&mut sequencer, stamps[0]), stamps[2]);
        assert_eq!(sequencer.in_flight(), 0);
    }

    #[test]
    fn an_abandoned_commit_leaves_no_gap() {
        let mut sequencer = Sequencer::new();
        let (first, second) = (sequencer.assign().unwrap(), sequencer.assign().unwrap());
        settled(&mut sequencer, second);
        assert_eq!(sequencer.abandoned(first), second);
    }

    #[test]
    fn after_a_restart_no_stamp_is_given_out_again() {
        let mut sequencer = Sequencer::new();
        let durable = sequencer.assign().unwrap();
        let lost = sequencer.assign().unwrap();
        let mut restarted = Sequencer::recover(durable);
        assert!(restarted.visible() >= durable);
        let next = restarted.assign().unwrap();
        assert!(next > lost);
        assert_eq!(next, Stamp::new(Epoch(1), 1));
    }

    #[test]
    #[should_panic(expected = "goes from Assigned to Applied")]
    fn nothing_is_visible_before_it_is_durable() {
        let mut sequencer = Sequencer::new();
        let stamp = sequencer.assign().unwrap();
        sequencer.applied(stamp);
    }

    #[test]
    fn the_number_of_commits_on_their_way_is_bounded() {
        let mut sequencer = Sequencer::new();
        for _ in 0..MAX_IN_FLIGHT {
            sequencer.assign().unwrap();
        }
        assert_eq!(sequencer.assign(), Err(SequencerFull));
        settled(&mut sequencer, Stamp::ZERO.next());
        assert!(sequencer.assign().is_ok());
    }
}
