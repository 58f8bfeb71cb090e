//! Optimistic validation: may a transaction that read at one stamp commit now?

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::footprint::Dependence;
use crate::{Footprint, Stamp, Unit};

/// Remembers which unit was last written by which commit, as far back as somebody may still ask.
///
/// A transaction with snapshot S may commit if no commit after S wrote what it read or replaces, nor replaced what
/// it adds to. Since every commit is checked against all that came before it, in stamp order, the stamps are a
/// serial order of the transactions that explains everything they read.
///
/// ```text
///   last      unit ─▶ (last write of any kind, last replacement)
///   history   (T5, u1) (T5, u2) (T6, u1) …  in commit order; forgotten up to the watermark, or beyond capacity
///   horizon   the newest stamp of which something was forgotten: older snapshots cannot be judged
/// ```
#[derive(Clone, Debug)]
pub struct Validator {
    last: FxHashMap<Unit, LastWrite>,
    history: VecDeque<(Stamp, Unit)>,
    newest: Stamp,
    horizon: Stamp,
    capacity: usize,
}

/// Units that the tables have room for in any case.
const KEPT: usize = 1 << 12;

#[derive(Clone, Copy, Debug)]
struct LastWrite {
    any: Stamp,
    /// [`Stamp::ZERO`] when no remembered commit replaced the unit.
    replacement: Stamp,
}

/// Whether what a transaction shows in its answer is at its commit what it was when it was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// Nobody has changed it.
    Unchanged,
    /// Somebody has: the answer must be made of what is there as of the commit.
    Changed,
}

/// Two transactions touched common data, and the other one committed first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{} was changed by commit {by} after the transaction began at {snapshot}; run it again", touched(*unit))]
pub struct Conflict {
    /// What both touched; none when the transaction read everything.
    pub unit: Option<Unit>,
    /// The commit that changed it.
    pub by: Stamp,
    /// The stamp that the refused transaction read at.
    pub snapshot: Stamp,
}

fn touched(unit: Option<Unit>) -> String {
    unit.map_or_else(
        || "the graph, all of which the transaction read,".to_owned(),
        |unit| format!("{unit:?}"),
    )
}

/// Why a transaction may not commit. All of these are retryable: nothing was changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ValidationError {
    /// It lost a race.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// It began so long ago that the commits since are no longer all remembered.
    #[error(
        "the transaction began at {snapshot}, but commits are remembered only after {horizon}; run it again, and keep it shorter"
    )]
    SnapshotTooOld {
        /// The stamp that the transaction read at.
        snapshot: Stamp,
        /// The newest stamp of which something was forgotten.
        horizon: Stamp,
    },
}

impl Validator {
    /// A validator that remembers up to `capacity` written units (at least one). Of commits up to `newest`, which
    /// happened before it existed, it knows nothing, so transactions must begin at `newest` or later.
    pub fn new(newest: Stamp, capacity: usize) -> Self {
        let capacity = capacity.max(1);
        Self { last: FxHashMap::default(), history: VecDeque::new(), newest, horizon: newest, capacity }
    }

    /// Whether a transaction that read at `snapshot` may commit now; and whether what it shows has changed since.
    ///
    /// # Errors
    /// [`ValidationError`]; the transaction may be run again.
    pub fn check(&self, snapshot: Stamp, footprint: &Footprint) -> Result<Shown, ValidationError> {
        if footprint.is_read_only() || snapshot >= self.newest {
            return Ok(Shown::Unchanged);
        }
        if snapshot < self.horizon {
            return Err(ValidationError::SnapshotTooOld { snapshot, horizon: self.horizon });
        }
        if footprint.has_read_everything() {
            return Err(Conflict { unit: None, by: self.newest, snapshot }.into());
        }
        // The history has a unit as often as it was written, the footprint has each once: the shorter of the two is gone
        // through, so that a large transaction holds up nobody where little has happened.
        let since = self.history.partition_point(|(stamp, _)| *stamp <= snapshot);
        if self.history.len() - since < footprint.len() {
            self.check_history(snapshot, since, footprint)
        } else {
            self.check_units(snapshot, footprint)
        }
    }

    fn check_history(
        &self,
        snapshot: Stamp,
        since: usize,
        footprint: &Footprint,
    ) -> Result<Shown, ValidationError> {
        let mut shown = Shown::Unchanged;
        for &(_, unit) in self.history.range(since..) {
            let Some(last) = self.last.get(&unit) else { continue };
            let by = match footprint.dependence(&unit) {
                Dependence::OnAnyWrite => last.any,
                Dependence::OnReplacement => last.replacement,
                Dependence::None => Stamp::ZERO,
            };
            if by > snapshot {
                return Err(Conflict { unit: Some(unit), by, snapshot }.into());
            }
            if footprint.has_shown(&unit) {
                shown = Shown::Changed;
            }
        }
        Ok(shown)
    }

    fn check_units(&self, snapshot: Stamp, footprint: &Footprint) -> Result<Shown, ValidationError> {
        let by_any = footprint.read_units().chain(footprint.replaced_units()).map(|unit| (unit, false));
        let by_replacement = footprint.added_units().map(|unit| (unit, true));
        for (unit, commutes) in by_any.chain(by_replacement) {
            let Some(last) = self.last.get(&unit) else { continue };
            let by = if commutes { last.replacement } else { last.any };
            if by > snapshot {
                return Err(Conflict { unit: Some(unit), by, snapshot }.into());
            }
        }
        let has_changed = |unit| self.last.get(&unit).is_some_and(|last| last.any > snapshot);
        match footprint.shows_everything() || footprint.shown_units().any(has_changed) {
            true => Ok(Shown::Changed),
            false => Ok(Shown::Unchanged),
        }
    }

    /// Remembers what the commit at `stamp` writes. Stamps must ascend.
    ///
    /// # Panics
    /// When `stamp` is not after the commit recorded before.
    pub fn record(&mut self, stamp: Stamp, footprint: &Footprint) {
        assert!(stamp > self.newest, "commit {stamp:?} recorded after {:?}", self.newest);
        self.newest = stamp;
        for unit in footprint.replaced_units() {
            self.remember(stamp, unit, true);
        }
        for unit in footprint.added_units() {
            self.remember(stamp, unit, false);
        }
    }

    /// Forgets what no transaction that reads at `watermark` or later can conflict with.
    pub fn prune(&mut self, watermark: Stamp) {
        self.prune_some(watermark, usize::MAX);
    }

    /// The same, but no more than so many units; whether that was all.
    pub fn prune_some(&mut self, watermark: Stamp, most: usize) -> bool {
        let is_old =
            |history: &VecDeque<(Stamp, Unit)>| history.front().is_some_and(|&(stamp, _)| stamp <= watermark);
        let mut left = most;
        while left > 0 && is_old(&self.history) {
            self.forget_oldest();
            left -= 1;
        }
        let is_all = !is_old(&self.history);
        if is_all {
            self.give_back();
        }
        is_all
    }

    /// Gives back most of the memory of tables that are almost empty: a large commit may have filled them.
    fn give_back(&mut self) {
        let wanted = (self.history.len() * 2).max(KEPT);
        if self.history.capacity() > wanted * 4 {
            self.history.shrink_to(wanted);
        }
        if self.last.capacity() > wanted * 4 {
            self.last.shrink_to(wanted);
        }
    }

    /// The newest commit recorded.
    pub fn newest(&self) -> Stamp {
        self.newest
    }

    /// Transactions must have begun at this stamp, or later, to be judged.
    pub fn horizon(&self) -> Stamp {
        self.horizon
    }

    /// How many written units are remembered.
    pub fn remembered(&self) -> usize {
        self.history.len()
    }

    fn remember(&mut self, stamp: Stamp, unit: Unit, replaces: bool) {
        // Before, so that a large commit makes no table larger than it need be.
        if self.history.len() >= self.capacity {
            self.forget_oldest();
        }
        let last = self.last.entry(unit).or_insert(LastWrite { any: Stamp::ZERO, replacement: Stamp::ZERO });
        if last.any != stamp {
            self.history.push_back((stamp, unit));
        }
        last.any = stamp;
        if replaces {
            last.replacement = stamp;
        }
    }

    fn forget_oldest(&mut self) {
        let Some((stamp, unit)) = self.history.pop_front() else { return };
        self.horizon = self.horizon.max(stamp);
        if self.last.get(&unit).is_some_and(|last| last.any == stamp) {
            self.last.remove(&unit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UnitKind;

    fn adds(units: std::ops::Range<u64>) -> Footprint {
        let mut footprint = Footprint::new();
        for key in units {
            footprint.adds(Unit::new(UnitKind::Vertex, 0, key)).unwrap();
        }
        footprint
    }

    #[test]
    fn large_commits_take_no_more_memory_than_what_is_remembered_and_give_it_back() {
        let capacity = 1 << 16;
        let mut validator = Validator::new(Stamp::ZERO, capacity);
        for n in 1..=4 {
            validator.record(Stamp::from_bits(n), &adds(n * 1_000_000..n * 1_000_000 + 100_000));
            assert!(validator.history.capacity() <= capacity, "{}", validator.history.capacity());
            assert!(validator.last.capacity() <= 2 * capacity, "{}", validator.last.capacity());
        }
        assert_eq!((validator.remembered(), validator.horizon()), (capacity, Stamp::from_bits(4)));
        // In steps, as somebody does who must not hold up commits.
        assert!(!validator.prune_some(Stamp::from_bits(4), 1_000));
        assert_eq!(validator.remembered(), capacity - 1_000);
        assert!(validator.prune_some(Stamp::from_bits(4), capacity));
        assert!(validator.history.capacity() <= 4 * KEPT, "{}", validator.history.capacity());
        assert!(validator.last.capacity() <= 4 * KEPT, "{}", validator.last.capacity());
    }
}
