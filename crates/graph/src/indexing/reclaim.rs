//! Deletes what is left of indexes that were dropped.

use super::Task;
use crate::core::{Core, FIRST_INDEX};
use crate::section::PARTITIONS;
use crate::section_key::SectionKey;
use crate::{Result, Tick};

impl Core {
    /// Whether nobody can ask an index any more that was dropped at `stamp`.
    pub(super) fn is_forgotten(&self, stamp: Tick) -> bool {
        self.timeline.watermark().bits() >= stamp
    }

    /// Deletes an index that was dropped and that nobody asks any more.
    pub(super) fn reclaim_index(&self, number: u32) -> Result<()> {
        // A checkpoint after the drop: replaying from an older one would look for the partitions.
        self.flush()?;
        let mut manifest = self.flushing.lock();
        let index = FIRST_INDEX as u32 + number;
        let hashed = (0..PARTITIONS as u8).map(|partition| SectionKey::Index { index, partition });
        let ordered = (0..PARTITIONS as u8).map(|partition| SectionKey::Ordered { index, partition });
        let keys = hashed.chain(ordered);
        {
            let mut writer = self.writer.lock();
            keys.clone().for_each(|key| writer.forget(key));
            self.clear(keys.clone());
        }
        self.sections.delete_all(&prefix(SectionKey::Index { index, partition: 0 }))?;
        self.sections.delete_all(&prefix(SectionKey::Ordered { index, partition: 0 }))?;
        manifest.forget_index(index);
        Ok(())
    }

    /// Has reclaimed what a crash left of indexes that were dropped, and has built those that were being built.
    pub(crate) fn resume_indexing(&self) {
        let catalog = self.catalog();
        let stored: Vec<u32> = self.flushing.lock().index_numbers();
        let dropped = stored.iter().filter_map(|index| index.checked_sub(FIRST_INDEX as u32));
        let dropped = dropped.filter(|number| catalog.indexes().iter().all(|index| index.number != *number));
        dropped.for_each(|number| self.indexing.add(Task::Reclaim(number, 0)));
        let building = catalog.indexes().iter().filter(|index| index.state == crate::IndexState::Building);
        building.for_each(|index| self.indexing.add(Task::Build(index.number)));
    }
}

/// What the keys of all partitions of an index begin with, in the store.
fn prefix(first: SectionKey) -> Vec<u8> {
    let mut prefix = first.bytes();
    prefix.pop();
    prefix
}
