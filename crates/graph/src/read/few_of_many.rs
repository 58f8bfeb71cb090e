//! Which labels and keys a vertex may have, of tens of thousands that a graph has: a loop over all of them for each vertex would
//! take milliseconds.
//!
//! ```text
//! labels of the graph     0 … 15 │ 16 ……………………………………………… 49,152
//! sections of the block     ▪ ▪  │        ▪                 ▪           found in the block's table, which is as short
//! writes of one's own     0 … 15 │            ▪                         found in the overlay, which notes those from 16 on
//! ```

use std::ops::ControlFlow;

use values::VertexRef;

use super::reader::Reader;
use crate::model::{Dir, EDGE_ID_KEY, EdgeLabelId, KeyId, adjacency_number, list_of};

/// Up to so many edge labels each is asked for by itself: as many as a block has cells for that are not allocated apart.
pub(in crate::read) const FEW_LABELS: usize = 16;

/// Likewise of keys: to look for one takes less than to find out which is the next.
pub(super) const FEW_KEYS: usize = 64;

impl Reader<'_> {
    /// The first label from one on that a vertex may have edges of, one way; `None` if it has no more. It may have none of this one.
    pub fn next_label(&self, v: VertexRef, dir: Dir, from: EdgeLabelId) -> Option<EdgeLabelId> {
        let bound = self.edge_label_bound();
        if from.index() >= bound {
            return None;
        }
        // What a transaction itself has added may have no section yet.
        if bound <= FEW_LABELS || self.own.is_some() && from.index() < FEW_LABELS {
            return Some(from);
        }
        let stored = self.memory.blocks.block(v).and_then(|block| {
            let mut cells = block.adjacency.iter_from(adjacency_number(from, dir));
            let is_one = |number: usize| list_of(number).0 == dir;
            let (number, _) = cells.find(|(number, cell)| is_one(*number) && cell.is_there(&self.guard))?;
            Some(list_of(number).1)
        });
        let own = self.own.and_then(|own| own.overlay.next_label(v, dir, from));
        // There may be sections for labels that have come since, which this reader's catalog does not know.
        stored.into_iter().chain(own).min().filter(|label| label.index() < bound)
    }

    /// Visits the labels that a vertex may have edges of, from one on in the order of their ids, until `f` breaks off.
    pub(crate) fn try_each_label<B>(
        &self,
        v: VertexRef,
        dir: Dir,
        from: EdgeLabelId,
        mut f: impl FnMut(EdgeLabelId) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut next = self.next_label(v, dir, from);
        while let Some(label) = next {
            f(label)?;
            next = label.0.checked_add(1).and_then(|from| self.next_label(v, dir, EdgeLabelId(from)));
        }
        ControlFlow::Continue(())
    }

    /// The first key from one on that a vertex may have a property under; `None` if it has no more. It may have none under this one.
    pub(crate) fn next_key(&self, v: VertexRef, from: KeyId) -> Option<KeyId> {
        let bound = self.snapshot().catalog().key_bound();
        if from.index() >= bound {
            return None;
        }
        if bound <= FEW_KEYS || self.own.is_some() && from.index() < FEW_KEYS {
            return Some(from);
        }
        let stored = self.memory.blocks.block(v).and_then(|block| {
            let mut cells = block.columns.iter_from(from.index());
            cells.find(|(_, cell)| cell.is_there(&self.guard)).map(|(number, _)| KeyId(number as u16))
        });
        let own = self.own.and_then(|own| own.next_key(v, from));
        stored.into_iter().chain(own).min().filter(|key| key.index() < bound)
    }

    /// Visits the keys that a vertex may have properties under, ascending.
    #[inline]
    pub(crate) fn each_key(&self, v: VertexRef, mut f: impl FnMut(KeyId)) {
        let bound = self.snapshot().catalog().key_bound();
        if bound <= FEW_KEYS {
            return (EDGE_ID_KEY.0 + 1..bound as u16).for_each(|key| f(KeyId(key)));
        }
        let after = |key: KeyId| key.0.checked_add(1).and_then(|from| self.next_key(v, KeyId(from)));
        let mut next = after(EDGE_ID_KEY);
        while let Some(key) = next {
            f(key);
            next = after(key);
        }
    }
}
