//! From the name of a section to its place in memory.

use crossbeam_epoch::Guard;

use super::memory::Memory;
use crate::cells::SectionCell;
use crate::model::adjacency_number;
use crate::sections::{Mergeable, PARTITIONS, SectionKey, SectionName};

/// Something to do with the cell of a section, whatever its kind.
pub(crate) trait CellVisitor {
    type Output;
    fn visit<T: Mergeable>(self, cell: &SectionCell<T>) -> Self::Output;
}

impl Memory {
    /// Visits the place of a section; nothing if its stripe does not exist.
    pub(crate) fn visit<V: CellVisitor>(&self, key: SectionKey, visitor: V) -> Option<V::Output> {
        let (stripe, tablet, name) = match key {
            SectionKey::Block { stripe, tablet, name } => (stripe, tablet, name),
            SectionKey::Index { index, partition } => {
                let number = index as usize * PARTITIONS + usize::from(partition);
                return Some(visitor.visit(self.indexes.get_or_grow(number)));
            }
            // Trees are reached through their sections.
            SectionKey::Tree { .. } => return None,
            SectionKey::Ordered { index, partition } => {
                let number = index as usize * PARTITIONS + usize::from(partition);
                return Some(visitor.visit(self.ordered.get_or_grow(number)));
            }
        };
        let block = self.blocks.stripe(stripe.into())?.block(tablet.into());
        Some(match name {
            SectionName::Presence => visitor.visit(&block.presence),
            SectionName::Column(key) => visitor.visit(block.columns.get_or_grow(key.index())),
            SectionName::Adjacency(label, dir) => {
                visitor.visit(block.adjacency.get_or_grow(adjacency_number(label, dir)))
            }
        })
    }

    /// Marks sections as being on disk, where nothing is in memory.
    pub(crate) fn set_stored(&self, keys: impl IntoIterator<Item = SectionKey>) {
        let guard = crossbeam_epoch::pin();
        for key in keys {
            self.visit(key, SetStored(&guard));
        }
    }

    /// The partitions of indexes that are in memory.
    pub(crate) fn loaded_partitions(&self) -> Vec<SectionKey> {
        let guard = crossbeam_epoch::pin();
        let hashed = self.indexes.iter().filter(|(_, cell)| cell.loaded(&guard).is_some());
        let hashed = hashed.map(|(number, _)| SectionKey::index(number / PARTITIONS, number % PARTITIONS));
        let ordered = self.ordered.iter().filter(|(_, cell)| cell.loaded(&guard).is_some());
        let ordered =
            ordered.map(|(number, _)| SectionKey::ordered(number / PARTITIONS, number % PARTITIONS));
        hashed.chain(ordered).collect()
    }

    /// Forgets sections that are not to be.
    pub(crate) fn clear(&self, keys: impl IntoIterator<Item = SectionKey>) {
        let guard = crossbeam_epoch::pin();
        for key in keys {
            self.visit(key, Clear(&guard));
        }
    }
}

struct SetStored<'g>(&'g Guard);

impl CellVisitor for SetStored<'_> {
    type Output = ();
    fn visit<T: Mergeable>(self, cell: &SectionCell<T>) {
        cell.set_stored(self.0);
    }
}

struct Clear<'g>(&'g Guard);

impl CellVisitor for Clear<'_> {
    type Output = ();
    fn visit<T: Mergeable>(self, cell: &SectionCell<T>) {
        cell.clear(self.0);
    }
}
