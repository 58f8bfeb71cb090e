//! Which vertices of a block exist, and their ids.

use super::bits::Bits;
use super::delta::Delta;
use super::values::Values;
use super::values_builder::ValuesBuilder;
use crate::model::{SLOTS, Tick, ValueRef};
use values::Value;

/// A version of a vertex record.
#[derive(Clone, Debug)]
pub(crate) enum VertexState {
    /// It exists; the user's id, if it was given one.
    Exists(Option<Value>),
    /// It was dropped.
    Dropped,
}

/// The presence section of a block.
pub(crate) struct Presence {
    /// Everything up to this stamp is in the base.
    pub(crate) settled: Tick,
    exists: Bits,
    /// Ids that users chose; a vertex without one has its reference as id.
    ids: Values,
    pub(crate) delta: Delta<VertexState>,
}

impl Presence {
    pub(crate) fn new(settled: Tick, exists: Bits, ids: Values) -> Self {
        Self { settled, exists, ids, delta: Delta::new() }
    }

    /// A block without vertices.
    pub(crate) fn empty() -> Self {
        Self::new(0, Bits::new(SLOTS), ValuesBuilder::new().finish())
    }

    #[inline]
    pub(crate) fn exists(&self, slot: usize, stamp: Tick) -> bool {
        match self.delta.visible(slot, stamp) {
            None => self.exists.get(slot),
            Some(version) => matches!(version.change(), VertexState::Exists(_)),
        }
    }

    /// The id that a user gave to an existing vertex.
    #[inline]
    pub(crate) fn user_id(&self, slot: usize, stamp: Tick) -> Option<ValueRef<'_>> {
        match self.delta.visible(slot, stamp) {
            None => self.ids.get(slot),
            Some(version) => match version.change() {
                VertexState::Exists(id) => id.as_ref().map(ValueRef::of),
                VertexState::Dropped => None,
            },
        }
    }

    pub(crate) fn base(&self) -> (&Bits, &Values) {
        (&self.exists, &self.ids)
    }

    /// A section whose base includes everything up to `stamp`.
    pub(crate) fn merged(&self, stamp: Tick) -> Self {
        let mut exists = Bits::new(SLOTS);
        let mut ids = ValuesBuilder::new();
        for slot in 0..SLOTS {
            if !self.exists(slot, stamp) {
                continue;
            }
            exists.set(slot);
            if let Some(id) = self.user_id(slot, stamp) {
                ids.put(slot, id);
            }
        }
        let delta = self.delta.newer_than(stamp, None);
        Self { settled: self.settled.max(stamp), exists, ids: ids.finish(), delta }
    }

    pub(crate) fn bytes(&self) -> usize {
        SLOTS / 8 + self.ids.bytes()
    }
}
