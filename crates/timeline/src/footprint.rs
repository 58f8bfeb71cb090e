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
/// the unit: a property that is set, a list that is dropped. An *addition* ([`adds`](Self::adds)) commutes with
/// other additions: an edge that is inserted into a list, an entry of an index. Two transactions that replace one
/// unit conflict, and so do one that replaces and one that adds; two that add do not, unless one of them also read.
#[derive(Clone, Debug, Default)]
pub struct Footprint {
    reads: FxHashSet<Unit>,
    reads_everything: bool,
    replaced: FxHashSet<Unit>,
    added: FxHashSet<Unit>,
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
        if self.reads_everything {
            return;
        }
        self.reads.insert(unit);
        if self.reads.len() > MAX_FOOTPRINT_READS {
            self.reads_all();
        }
    }

    /// The outcome depends on the whole graph.
    pub fn reads_all(&mut self) {
        self.reads_everything = true;
        self.reads = FxHashSet::default();
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
        self.reads.iter().copied()
    }

    /// Whether the outcome depends on the whole graph.
    pub fn has_read_everything(&self) -> bool {
        self.reads_everything
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

    fn check_room(&self) -> Result<(), FootprintFull> {
        if self.replaced.len() + self.added.len() >= MAX_FOOTPRINT_WRITES {
            Err(FootprintFull)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UnitKind;

    #[test]
    fn reading_very_much_counts_as_reading_everything() {
        let mut footprint = Footprint::new();
        for key in 0..=MAX_FOOTPRINT_READS as u64 {
            assert!(!footprint.has_read_everything());
            footprint.reads(Unit::new(UnitKind::Vertex, 0, key));
        }
        assert!(footprint.has_read_everything());
        assert_eq!(footprint.read_units().count(), 0);
    }
}
