//! Gathers the entries of what is there, and puts them into partitions.

use values::VertexRef;

use crate::block::TABLETS;
use crate::core::{Core, FIRST_INDEX};
use crate::schema::{Index, IndexDefinition};
use crate::section::{Column, IndexPartition, PARTITIONS, SLOTS, index_entry, partition_of};
use crate::section_key::{SectionKey, SectionName};
use crate::writer::Writer;
use crate::{KeyId, Result, Tick, index_hash};

/// Entries on their way into an index, by partition.
pub(crate) struct Entries {
    hashed: Vec<Vec<u64>>,
    len: usize,
}

impl Entries {
    pub(crate) fn of(_definition: &IndexDefinition) -> Self {
        Self { hashed: vec![Vec::new(); PARTITIONS], len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn partitions(&self) -> usize {
        self.hashed.len()
    }

    /// Adds the entries of one partition to those it has, and forgets them.
    pub(crate) fn install(
        &mut self,
        core: &Core,
        number: u32,
        partition: usize,
        writer: &mut Writer,
    ) -> Result<()> {
        let entries = std::mem::take(&mut self.hashed[partition]);
        if entries.is_empty() {
            return Ok(());
        }
        self.len -= entries.len();
        let guard = crossbeam_epoch::pin();
        let index = FIRST_INDEX + number as usize;
        let key = SectionKey::Index { index: index as u32, partition: partition as u8 };
        let cell = core.indexes.get_or_grow(index * PARTITIONS + partition);
        let section = match core.section(cell, || key, &guard)? {
            Some(section) => section,
            None => cell.replace(IndexPartition::empty(), &guard),
        };
        cell.replace(section.with_entries(writer.applied, entries), &guard);
        writer.dirty.insert(key);
        Ok(())
    }
}

impl Core {
    /// Adds the entries of the vertices of one block, as they are now.
    pub(super) fn gather_block(
        &self,
        definition: &IndexDefinition,
        stripe: usize,
        tablet: usize,
        entries: &mut Entries,
    ) -> Result<()> {
        let guard = crossbeam_epoch::pin();
        let Some(block) = self.blocks.stripe(stripe).map(|stripe| stripe.block(tablet)) else {
            return Ok(());
        };
        let column = |key: KeyId| -> Result<Option<&Column>> {
            let Some(cell) = block.columns.get(key.index()) else { return Ok(None) };
            let name = SectionName::Column(key);
            let section = SectionKey::Block { stripe: stripe as u16, tablet: tablet as u8, name };
            self.section(cell, || section, &guard)
        };
        let Some(column) = column(definition.keys[0])? else { return Ok(()) };
        for slot in 0..SLOTS {
            let v =
                VertexRef((stripe as u32) << 16 | (slot as u32) << VertexRef::TABLET_BITS | tablet as u32);
            for cell in column.cells(slot, Tick::MAX) {
                let hash = index_hash(&cell.value);
                entries.hashed[partition_of(hash)].push(index_entry(hash, v));
                entries.len += 1;
            }
        }
        Ok(())
    }

    /// Fills an index at once, while the writer is held: for who has just put a whole graph in place.
    pub(crate) fn fill_index(&self, index: &Index, writer: &mut Writer) -> Result<()> {
        let mut entries = Entries::of(&index.definition);
        let label = index.definition.label;
        for (number, _) in self.blocks.iter().filter(|(_, stripe)| stripe.label == label) {
            for tablet in 0..TABLETS {
                self.gather_block(&index.definition, number, tablet, &mut entries)?;
            }
        }
        (0..entries.partitions())
            .try_for_each(|partition| entries.install(self, index.number, partition, writer))
    }
}
