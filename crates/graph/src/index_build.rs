//! Creates equality indexes over vertices that exist already.

use crate::block::TABLETS;
use crate::catalog::NameSpace;
use crate::core::{Core, FIRST_INDEX};
use crate::property::PropertyState;
use crate::schema::{Index, IndexDefinition, IndexKind, IndexState};
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
        let definition = IndexDefinition { label, keys: [key].into(), kind: IndexKind::Equality };
        let _defining = self.defining.lock();
        {
            let mut writer = self.writer.lock();
            let catalog = self.catalog();
            if catalog.has_index(label, key) {
                return Ok(());
            }
            let number = catalog.definitions().next_index;
            // Built before it is published: a reader that finds it in the catalog finds it whole. No commit can be
            // applied between, since the writer is held.
            let index = Index { number, definition, state: IndexState::Ready };
            self.build_index(&index, &mut writer)?;
            self.grow_catalog(|catalog| {
                Ok(catalog.define(|definitions| definitions.add_index(index.definition, index.state)))
            })?;
        }
        self.commit_definitions()
    }

    /// Fills the partitions of an index with every value that any reader may still see.
    pub(crate) fn build_index(&self, index: &Index, writer: &mut Writer) -> Result<()> {
        let IndexDefinition { label, keys, .. } = &index.definition;
        let Some(&key) = keys.first() else { return Ok(()) };
        let mut entries: Vec<Vec<u64>> = vec![Vec::new(); PARTITIONS];
        for (number, stripe) in self.blocks.iter().filter(|(_, stripe)| stripe.label == *label) {
            for tablet in 0..TABLETS {
                let guard = crossbeam_epoch::pin();
                let Some(cell) = stripe.block(tablet).columns.get(key.index()) else { continue };
                let name = SectionName::Column(key);
                let section = SectionKey::Block { stripe: number as u16, tablet: tablet as u8, name };
                let Some(column) = self.section(cell, || section, &guard)? else { continue };
                collect(column, (number as u32) << 16 | tablet as u32, &mut entries);
            }
        }
        let guard = crossbeam_epoch::pin();
        let index = FIRST_INDEX + index.number as usize;
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
