//! Creates equality indexes over vertices that exist already.

use timeline::Footprint;

use crate::block::TABLETS;
use crate::catalog::{IndexDefinition, NameSpace};
use crate::core::{Core, FIRST_INDEX};
use crate::property::PropertyState;
use crate::section::{Column, IndexPartition, PARTITIONS, SLOTS, index_entry, partition_of};
use crate::section_key::{SectionKey, SectionName};
use crate::writer::Writer;
use crate::{KeyId, Result, Tick, VertexLabelId, index_hash};
use values::VertexRef;

impl Core {
    /// Creates an index and builds it, unless it is there. Commits wait meanwhile; readers do not.
    pub(crate) fn create_index(&self, label: &str, key: &str) -> Result<()> {
        self.commits.check()?;
        let label = VertexLabelId(self.intern(NameSpace::VertexLabel, label)?);
        let key = KeyId(self.intern(NameSpace::Key, key)?);
        let index = IndexDefinition { label, key };
        {
            let mut writer = self.writer.lock();
            if !self.catalog().has_index(label, key) {
                let position = self.catalog().indexes().len();
                // Built before it is published: a reader that finds it in the catalog finds it whole. No commit can be
                // applied between, since the writer is held.
                self.build_index(position, index, &mut writer)?;
                self.grow_catalog(|catalog| Ok(catalog.add_index(index)))?;
            }
        }
        // An empty commit takes the definition to the log. One that was there may still be on its way, or have met a
        // full disk.
        self.commit(self.timeline.visible(), &Footprint::new(), Vec::new())?;
        Ok(())
    }

    /// Fills the partitions of an index with every value that any reader may still see.
    pub(crate) fn build_index(
        &self,
        position: usize,
        index: IndexDefinition,
        writer: &mut Writer,
    ) -> Result<()> {
        let mut entries: Vec<Vec<u64>> = vec![Vec::new(); PARTITIONS];
        for (number, stripe) in self.blocks.iter().filter(|(_, stripe)| stripe.label == index.label) {
            for tablet in 0..TABLETS {
                let guard = crossbeam_epoch::pin();
                let Some(cell) = stripe.block(tablet).columns.get(index.key.index()) else { continue };
                let name = SectionName::Column(index.key);
                let key = SectionKey::Block { stripe: number as u16, tablet: tablet as u8, name };
                let Some(column) = self.section(cell, || key, &guard)? else { continue };
                collect(column, (number as u32) << 16 | tablet as u32, &mut entries);
            }
        }
        let guard = crossbeam_epoch::pin();
        let index = FIRST_INDEX + position;
        for (partition, mut entries) in entries.into_iter().enumerate() {
            entries.sort_unstable();
            entries.dedup();
            let cell = self.indexes.get_or_grow(index * PARTITIONS + partition);
            cell.replace(IndexPartition::new(writer.applied, entries.into()), &guard);
            writer.dirty.insert(SectionKey::Index { index: index as u32, partition: partition as u8 });
        }
        Ok(())
    }
}

/// Adds an entry for every value of every version of a column.
fn collect(column: &Column, first: u32, entries: &mut [Vec<u64>]) {
    let mut add = |slot: usize, value: &values::Value| {
        let hash = index_hash(value);
        let v = VertexRef(first | (slot as u32) << VertexRef::TABLET_BITS);
        entries[partition_of(hash)].push(index_entry(hash, v));
    };
    for slot in 0..SLOTS {
        column.cells(slot, Tick::MAX).iter().for_each(|cell| add(slot, &cell.value));
        if column.delta.head(slot).is_some() {
            column.cells(slot, 0).iter().for_each(|cell| add(slot, &cell.value));
        }
    }
    for (slot, head) in column.delta.heads() {
        for version in head.history() {
            let state: &PropertyState = version.change();
            state.to_cells().iter().for_each(|cell| add(slot, &cell.value));
        }
    }
}
