//! One property key of the vertices of a block.

use std::sync::atomic::{AtomicU64, Ordering};

use super::delta::Delta;
use super::values::Values;
use super::values_builder::ValuesBuilder;
use crate::model::{PropertyCell, PropertyState, SLOTS, Single, Tick, ValueRef};

/// A property section: a typed column, and the versions since.
pub(crate) struct Column {
    /// Everything up to this stamp is in the base.
    pub(crate) settled: Tick,
    /// See [`Column::identity`].
    identity: u64,
    pub(crate) delta: Delta<PropertyState>,
    values: Values,
}

/// Columns that were made.
static MADE: AtomicU64 = AtomicU64::new(0);

impl Column {
    pub(crate) fn new(settled: Tick, values: Values) -> Self {
        Self::with_delta(settled, values, Delta::new())
    }

    fn with_delta(settled: Tick, values: Values, delta: Delta<PropertyState>) -> Self {
        Self { settled, identity: MADE.fetch_add(1, Ordering::Relaxed) + 1, delta, values }
    }

    /// A number above 0 that no other column of this process has.
    pub(crate) fn identity(&self) -> u64 {
        self.identity
    }

    /// A column without values.
    pub(crate) fn empty() -> Self {
        Self::new(0, ValuesBuilder::new().finish())
    }

    /// The first value of a slot.
    #[inline]
    pub(crate) fn get(&self, slot: usize, stamp: Tick) -> Option<ValueRef<'_>> {
        match self.delta.visible(slot, stamp) {
            None => self.values.get(slot),
            Some(version) => version.change().first(),
        }
    }

    /// What a slot has, if that is at most one value. (Inlined like [`Values::get`].)
    #[inline(always)]
    pub(crate) fn single(&self, slot: usize, stamp: Tick) -> Single<'_> {
        if let Some(version) = self.delta.visible(slot, stamp) {
            return version.change().single();
        }
        if self.values.is_multiple() && self.values.cells(slot).len() > 1 {
            return Single::Several;
        }
        self.values.get(slot).map_or(Single::Absent, Single::Value)
    }

    /// What a slot has, if that is at most one value and nothing more.
    pub(crate) fn plain(&self, slot: usize, stamp: Tick) -> Single<'_> {
        if let Some(version) = self.delta.visible(slot, stamp) {
            return version.change().plain();
        }
        if self.values.is_multiple() && !self.values.cells(slot).is_empty() {
            return Single::Several;
        }
        self.values.get(slot).map_or(Single::Absent, Single::Value)
    }

    /// All values of a slot.
    pub(crate) fn cells(&self, slot: usize, stamp: Tick) -> Vec<PropertyCell> {
        match self.delta.visible(slot, stamp) {
            Some(version) => version.change().to_cells(),
            None => match self.values.cells(slot) {
                [] => self.values.get(slot).map(|v| PropertyCell::first(v.to_value())).into_iter().collect(),
                cells => cells.to_vec(),
            },
        }
    }

    pub(crate) fn base(&self) -> &Values {
        &self.values
    }

    /// A section whose base includes everything up to `stamp`.
    pub(crate) fn merged(&self, stamp: Tick) -> Self {
        let mut values = ValuesBuilder::new();
        for slot in 0..SLOTS {
            match self.delta.visible(slot, stamp).map(|version| version.change()) {
                Some(PropertyState::Absent) => continue,
                Some(PropertyState::One(value)) => values.put(slot, ValueRef::of(value)),
                Some(PropertyState::Many(cells)) => values.put_cells(slot, cells),
                None => match (self.values.cells(slot), self.values.get(slot)) {
                    ([], None) => {}
                    ([], Some(value)) => values.put(slot, value),
                    (cells, _) => values.put_cells(slot, cells),
                },
            }
        }
        let delta = self.delta.newer_than(stamp, None);
        Self::with_delta(self.settled.max(stamp), values.finish(), delta)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.values.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use values::Value;

    #[test]
    fn merging_keeps_what_every_later_snapshot_sees() {
        let column = Column::empty();
        let push = |slot, stamp, value: i64| {
            column.delta.push(SLOTS, slot, stamp, PropertyState::One(Value::Long(value)))
        };
        push(3, 1, 10);
        push(3, 5, 50);
        push(900, 2, 20);
        column.delta.push(SLOTS, 900, 6, PropertyState::Absent);
        let merged = column.merged(4);
        assert_eq!(merged.delta.len(), 2, "what is newer than the merge stays in the delta");
        for (slot, stamp) in [(3, 4), (3, 5), (3, 9), (900, 4), (900, 5), (900, 6), (0, 9)] {
            let read = |c: &Column| c.get(slot, stamp).and_then(ValueRef::as_i64);
            assert_eq!(read(&merged), read(&column), "slot {slot} at {stamp}");
        }
        assert_eq!(merged.merged(9).delta.len(), 0);
        assert!(merged.merged(9).get(900, 9).is_none());
    }
}
