//! A section whose lists have got longer.

use values::VertexRef;

use super::adjacency::Adjacency;
use super::adjacency_builder::AdjacencyBuilder;
use crate::model::{EdgeCells, Tick, slot_of};

/// An edge that a list has got.
pub(crate) struct Added<'a> {
    /// Whose list it is.
    pub(crate) v: VertexRef,
    pub(crate) neighbour: VertexRef,
    pub(crate) seq: u32,
    pub(crate) cells: &'a EdgeCells,
}

impl Adjacency {
    /// The section with edges behind those of their lists, settled at `stamp`. They ascend by slot; lists lie as their edges
    /// arrived, and there are no versions.
    pub(crate) fn appended(&self, stamp: Tick, added: &[Added<'_>]) -> Self {
        debug_assert!(self.order.key().is_none() && self.delta.is_empty());
        let slots = added.last().map_or(0, |edge| slot_of(edge.v) + 1).max(self.offsets().len() - 1);
        let mut builder = AdjacencyBuilder::new(self.order, self.neighbours().len() + added.len());
        let mut added = added.iter().peekable();
        for slot in 0..slots {
            let (start, end) = self.base_range(slot);
            builder.copy(self, start..end);
            while let Some(edge) = added.next_if(|edge| slot_of(edge.v) == slot) {
                builder.push(edge.neighbour, edge.seq, edge.cells.iter());
            }
            builder.end_slot();
        }
        builder.finish(self.settled.max(stamp)).with_trees(self.trees().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::KeyId;
    use crate::sections::adjacency::EdgeChangeKind;
    use crate::sections::mergeable::Mergeable;
    use crate::sections::order::Order;
    use values::Value;

    #[test]
    fn a_new_base_is_what_merging_versions_of_the_same_edges_comes_to() {
        let cells = |n: i64| EdgeCells::from([(KeyId(n as u16 % 3), Value::Long(n))]);
        let edges: Vec<(usize, u32, EdgeCells)> =
            (0..200).map(|n| ((n * 37 % 11 * 90) as usize, n as u32, cells(n))).collect();
        let mut appended = Adjacency::empty(Order::Arrival);
        let merged = Adjacency::empty(Order::Arrival);
        for part in edges.chunks(70) {
            let mut added: Vec<Added<'_>> = part
                .iter()
                .map(|(slot, n, cells)| Added {
                    v: VertexRef((*slot as u32) << VertexRef::TABLET_BITS),
                    neighbour: VertexRef(n * 7),
                    seq: *n,
                    cells,
                })
                .collect();
            added.sort_by_key(|edge| slot_of(edge.v));
            appended = appended.appended(Tick::from(part[part.len() - 1].1) + 1, &added);
        }
        for (slot, n, cells) in &edges {
            merged.push(
                *slot,
                Tick::from(*n) + 1,
                VertexRef(n * 7),
                *n,
                EdgeChangeKind::Insert(cells.clone()),
            );
        }
        let merged = merged.merged(200);
        assert_eq!((appended.settled(), appended.delta_len()), (200, 0));
        assert_eq!(appended.offsets(), merged.offsets());
        assert_eq!((appended.neighbours(), appended.seqs()), (merged.neighbours(), merged.seqs()));
        for position in 0..edges.len() {
            assert_eq!(appended.base_cells(position), merged.base_cells(position), "{position}");
        }
    }
}
