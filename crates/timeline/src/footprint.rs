//! What a transaction read and wrote, in units.

use rustc_hash::FxHashSet;

use crate::Unit;

/// The most units that a footprint remembers as read one by one; beyond, it counts as having read everything.
pub const MAX_FOOTPRINT_READS: usize = 1 << 18;
/// The most units that one transaction may write.
pub const MAX_FOOTPRINT_WRITES: usize = 1 << 22;

/// What a transaction read and wrote, in units.
///
/// There are two ways to write. A *replacement* ([`replaces`](Self::replaces)) depends on nothing else happening to
/// the unit: an element that is dropped, an id that is taken. An *addition* ([`adds`](Self::adds)) commutes with
/// other additions: an edge that is inserted into a list, an entry of an index. Two transactions that replace one
/// unit conflict, and so do one that replaces and one that adds; two that add do not, unless one of them also read.
///
/// What is *shown* ([`shows`](Self::shows)) is read as well, but after the commit: nothing that the transaction did depends
/// on it, so a change refuses nobody. Whoever asks is told whether there was one.
#[derive(Clone, Debug, Default)]
pub struct Footprint {
    reads: Several,
    shown: Several,
    replaced: FxHashSet<Unit>,
    added: FxHashSet<Unit>,
}

/// Units, up to a number; beyond it, all of them.
#[derive(Clone, Debug, Default)]
struct Several {
    units: FxHashSet<Unit>,
    everything: bool,
}

impl Several {
    fn insert(&mut self, unit: Unit) {
        if self.everything {
            return;
        }
        self.units.insert(unit);
        if self.units.len() > MAX_FOOTPRINT_READS {
            self.insert_all();
        }
    }

    fn insert_all(&mut self) {
        *self = Self { units: FxHashSet::default(), everything: true };
    }

    fn contains(&self, unit: &Unit) -> bool {
        self.everything || self.units.contains(unit)
    }
}

/// A transaction writes more units than a footprint holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the transaction changes more than {MAX_FOOTPRINT_WRITES} elements; commit the work in several smaller chunks"
)]
pub struct FootprintFull;

impl Footprint {
    /// Nothing read, nothing written.
    pub fn new() -> Self {
        Self::default()
    }

    /// The outcome depends on `unit`. Beyond [`MAX_FOOTPRINT_READS`] units, it depends on everything.
    pub fn reads(&mut self, unit: Unit) {
        self.reads.insert(unit);
    }

    /// The outcome depends on the whole graph.
    pub fn reads_all(&mut self) {
        self.reads.insert_all();
    }

    /// The answer shows `unit` as it is at the commit. Beyond [`MAX_FOOTPRINT_READS`] units, it shows everything.
    pub fn shows(&mut self, unit: Unit) {
        self.shown.insert(unit);
    }

    /// The transaction sets or removes `unit`.
    ///
    /// # Errors
    /// [`FootprintFull`] beyond [`MAX_FOOTPRINT_WRITES`] units.
    pub fn replaces(&mut self, unit: Unit) -> Result<(), FootprintFull> {
        self.check_room()?;
        self.replaced.insert(unit);
        Ok(())
    }

    /// The transaction adds something to `unit`, in a way that commutes with other additions.
    ///
    /// # Errors
    /// [`FootprintFull`] beyond [`MAX_FOOTPRINT_WRITES`] units.
    pub fn adds(&mut self, unit: Unit) -> Result<(), FootprintFull> {
        self.check_room()?;
        self.added.insert(unit);
        Ok(())
    }

    /// The units read one by one; none once everything counts as read.
    pub fn read_units(&self) -> impl Iterator<Item = Unit> {
        self.reads.units.iter().copied()
    }

    /// Whether the outcome depends on the whole graph.
    pub fn has_read_everything(&self) -> bool {
        self.reads.everything
    }

    /// The units shown one by one; none once everything counts as shown.
    pub(crate) fn shown_units(&self) -> impl Iterator<Item = Unit> {
        self.shown.units.iter().copied()
    }

    /// Whether the answer shows the whole graph.
    pub(crate) fn shows_everything(&self) -> bool {
        self.shown.everything
    }

    /// Whether the answer shows a unit.
    pub(crate) fn has_shown(&self, unit: &Unit) -> bool {
        self.shown.contains(unit)
    }

    /// The units replaced.
    pub fn replaced_units(&self) -> impl Iterator<Item = Unit> {
        self.replaced.iter().copied()
    }

    /// The units added to.
    pub fn added_units(&self) -> impl Iterator<Item = Unit> {
        self.added.iter().copied()
    }

    /// Whether nothing is written.
    pub fn is_read_only(&self) -> bool {
        self.replaced.is_empty() && self.added.is_empty()
    }

    /// How many units it has, one by one.
    pub fn len(&self) -> usize {
        self.reads.units.len() + self.shown.units.len() + self.replaced.len() + self.added.len()
    }

    /// Whether it has no units.
    pub fn is_empty(&self) -> bool {
        self.len() == 0 && !self.reads.everything && !self.shown.everything
    }

    /// What a write of `unit` by another transaction does to this one.
    pub(crate) fn dependence(&self, unit: &Unit) -> Dependence {
        if self.reads.contains(unit) || self.replaced.contains(unit) {
            Dependence::OnAnyWrite
        } else if self.added.contains(unit) {
            Dependence::OnReplacement
        } else {
            Dependence::None
        }
    }

    /// Whether a commit of `other` would refuse this transaction, had it begun before.
    pub(crate) fn is_broken_by(&self, other: &Self) -> bool {
        if self.reads.everything {
            return !other.is_read_only();
        }
        let own = self.reads.units.len() + self.replaced.len() + self.added.len();
        if own < other.replaced.len() + other.added.len() {
            let mut read = self.reads.units.iter().chain(&self.replaced);
            return read.any(|unit| other.replaced.contains(unit) || other.added.contains(unit))
                || self.added.iter().any(|unit| other.replaced.contains(unit));
        }
        other.replaced.iter().any(|unit| self.dependence(unit) != Dependence::None)
            || other.added.iter().any(|unit| self.dependence(unit) == Dependence::OnAnyWrite)
    }

    fn check_room(&self) -> Result<(), FootprintFull> {
        if self.replaced.len() + self.added.len() >= MAX_FOOTPRINT_WRITES {
            Err(FootprintFull)
        } else {
            Ok(())
        }
    }
}

/// How a transaction depends on a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dependence {
    /// Not at all.
    None,
    /// It adds to it: only a replacement refuses it.
    OnReplacement,
    /// It read or replaces it.
    OnAnyWrite,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UnitKind;

    fn unit(key: u64) -> Unit {
        Unit::new(UnitKind::Vertex, 0, key)
    }

    #[test]
    fn reading_very_much_counts_as_reading_everything() {
        let mut footprint = Footprint::new();
        for key in 0..=MAX_FOOTPRINT_READS as u64 {
            assert!(!footprint.has_read_everything());
            footprint.reads(unit(key));
        }
        assert!(footprint.has_read_everything());
        assert_eq!(footprint.read_units().count(), 0);
    }

    #[test]
    fn who_breaks_whom_is_the_same_from_whichever_side_it_is_looked_at() {
        let of = |reads: &[u64], replaces: &[u64], adds: &[u64], more: u64| {
            let mut footprint = Footprint::new();
            reads.iter().for_each(|&key| footprint.reads(unit(key)));
            replaces.iter().for_each(|&key| footprint.replaces(unit(key)).unwrap());
            adds.iter().chain(&(1_000..1_000 + more).collect::<Vec<_>>()).for_each(|&key| {
                footprint.adds(unit(key)).unwrap();
            });
            footprint
        };
        // The one that is larger is looked through last.
        for more in [0, 10] {
            let (reader, adder, remover) =
                (of(&[1], &[2], &[], 0), of(&[], &[], &[1], more), of(&[], &[1], &[], more));
            assert!(reader.is_broken_by(&adder) && reader.is_broken_by(&remover));
            assert!(!adder.is_broken_by(&reader) && !remover.is_broken_by(&reader));
            assert!(
                adder.is_broken_by(&remover)
                    && remover.is_broken_by(&adder)
                    && remover.is_broken_by(&remover)
            );
            assert!(!of(&[], &[], &[1], 0).is_broken_by(&adder), "additions commute");
            let mut everything = of(&[], &[3], &[], 0);
            everything.reads_all();
            assert!(everything.is_broken_by(&adder) && !everything.is_broken_by(&of(&[7], &[], &[], 0)));
        }
    }
}
