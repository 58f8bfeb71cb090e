//! Deletes what is left of indexes that were dropped.

use store::KeyRange;

use crate::define::Definer;
use crate::error::Result;
use crate::model::Tick;
use crate::resident::Task;
use crate::sections::{FIRST_INDEX, PARTITIONS, SectionKey};

impl Definer {
    /// Whether nobody can ask an index any more that was dropped at `stamp`.
    pub(crate) fn is_forgotten(&self, stamp: Tick) -> bool {
        self.timeline.watermark().bits() >= stamp
    }

    /// Deletes an index that was dropped and that nobody asks any more.
    pub(crate) fn reclaim_index(&self, number: u32) -> Result<()> {
        let index = FIRST_INDEX as u32 + number;
        let hashed = (0..PARTITIONS as u8).map(|partition| SectionKey::Index { index, partition });
        let ordered = (0..PARTITIONS as u8).map(|partition| SectionKey::Ordered { index, partition });
        let keys = hashed.chain(ordered);
        {
            let mut manifest = self.hold_flushes();
            let mut writer = self.lock_writer();
            keys.clone().for_each(|key| writer.forget(key));
            self.clear(keys);
            manifest.forget_index(index);
        }
        // A checkpoint after the drop that does not name them: replaying from an older one would look for them, and who checks
        // or backs up reads what the last one names.
        self.flush()?;
        prefixes(index).iter().try_for_each(|prefix| self.sections.delete_all(prefix))
    }

    /// Whether the store has anything of an index, or the checkpoint says so: it once went on to when all was deleted.
    fn has_stored(&self, number: u32) -> Result<bool> {
        if self.hold_flushes().names_index(FIRST_INDEX as u32 + number) {
            return Ok(true);
        }
        for prefix in prefixes(FIRST_INDEX as u32 + number) {
            if self.sections.first_key(KeyRange::prefix(&prefix))?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Has reclaimed what a crash left of indexes that were dropped, and has built those that were being built.
    pub(crate) fn resume_indexing(&self) {
        let catalog = self.catalog();
        let is_dropped = |number: &u32| catalog.indexes().iter().all(|index| index.number != *number);
        for number in (0..catalog.definitions().next_index).filter(is_dropped) {
            match self.has_stored(number) {
                Ok(true) => self.indexing.add(Task::Reclaim(number, 0)),
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(%error, number, "what is left of a dropped index takes up space")
                }
            }
        }
        let building =
            catalog.indexes().iter().filter(|index| index.state == crate::model::IndexState::Building);
        building.for_each(|index| self.indexing.add(Task::Build(index.number)));
    }
}

/// What the keys of all partitions of an index begin with, in the store.
fn prefixes(index: u32) -> [Vec<u8>; 2] {
    let first = [SectionKey::Index { index, partition: 0 }, SectionKey::Ordered { index, partition: 0 }];
    first.map(|key| {
        let mut prefix = key.bytes();
        prefix.pop();
        prefix
    })
}
