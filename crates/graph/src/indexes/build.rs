//! Builds an index while commits go on.

use super::fill::Entries;
use crate::define::Definer;
use crate::error::{GraphError, Result};
use crate::model::{Index, IndexDescription, IndexKind, IndexState, TABLETS};
use crate::resident::Indexing;
use crate::sections::PARTITIONS;

/// Entries that are gathered before they are added to the partitions: about 16 MB.
const GATHERED: usize = 1 << 20;

/// Why building came to an end.
enum Stop {
    /// The graph is being closed, or the index was dropped: nothing to report, or reported already.
    Given,
    Failed(GraphError),
}

impl From<GraphError> for Stop {
    fn from(error: GraphError) -> Self {
        Self::Failed(error)
    }
}

impl Definer {
    /// Builds an index that is declared; tells who waits for it how that ended.
    pub(crate) fn build_index(&self, number: u32) {
        let Some(index) = self.index(number).filter(|index| index.state == IndexState::Building) else {
            return;
        };
        let description = IndexDescription::of(&index.definition, &self.catalog());
        self.indexing.begin(&description);
        let failure = match self.build(&index) {
            Ok(()) | Err(Stop::Given) => None,
            Err(Stop::Failed(error)) => {
                tracing::error!(index = %description, %error, "an index could not be built");
                Some((description, error))
            }
        };
        self.indexing.end(number, failure);
    }

    fn index(&self, number: u32) -> Option<Index> {
        self.catalog().indexes().iter().find(|index| index.number == number).cloned()
    }

    fn build(&self, index: &Index) -> Result<(), Stop> {
        self.add_existing(index)?;
        if index.definition.kind == IndexKind::Unique {
            self.refuse_duplicates(index)?;
        }
        // Before a crash can find it ready, its entries are on disk.
        self.flush()?;
        let _defining = self.hold_definitions();
        self.index(index.number).ok_or(Stop::Given)?;
        self.declare(|declared| {
            declared.define(|definitions| {
                let ready = definitions.indexes.iter_mut().filter(|known| known.number == index.number);
                ready.for_each(|index| index.state = IndexState::Ready);
            });
        });
        self.log_definitions()?;
        Ok(())
    }

    /// Adds what is in the blocks. Stripes that are begun meanwhile hold only what commits have put into the index.
    fn add_existing(&self, index: &Index) -> Result<(), Stop> {
        let label = index.definition.label;
        let stripes: Vec<usize> = self
            .blocks
            .iter()
            .filter(|(_, stripe)| stripe.label == label)
            .map(|(number, _)| number)
            .collect();
        let total = stripes.len() * TABLETS;
        let mut entries = Entries::of(&index.definition);
        for (done, stripe) in stripes.iter().enumerate() {
            for tablet in 0..TABLETS {
                self.indexing.set_progress(index.number, done * TABLETS + tablet, total);
                self.check_wanted(&self.indexing, index)?;
                self.gather_block(*stripe, tablet, &mut entries)?;
                if entries.len() >= GATHERED {
                    self.install(index, &mut entries)?;
                }
            }
        }
        self.install(index, &mut entries)?;
        self.indexing.set_progress(index.number, total, total);
        Ok(())
    }

    /// Ends building when nobody wants the index any more.
    fn check_wanted(&self, indexing: &Indexing, index: &Index) -> Result<(), Stop> {
        let wanted = !indexing.is_stopping() && self.index(index.number).is_some();
        if wanted { Ok(()) } else { Err(Stop::Given) }
    }

    /// Adds entries to the partitions; commits wait for one partition at a time.
    fn install(&self, index: &Index, entries: &mut Entries<'_>) -> Result<(), Stop> {
        if entries.len() == 0 {
            return Ok(());
        }
        // What is stored of a partition carries the stamp of the last commit: one of its own for every round.
        self.log_definitions()?;
        for partition in 0..PARTITIONS {
            let mut writer = self.lock_writer();
            // A partition of an index that was dropped is to stay empty: who drops it takes this lock after that.
            self.check_wanted(&self.indexing, index)?;
            entries.install(self, index.number, partition, &mut writer)?;
        }
        Ok(())
    }

    /// A unique index over values that are not unique is dropped again.
    fn refuse_duplicates(&self, index: &Index) -> Result<(), Stop> {
        {
            // Who began before the index had everything could not see every duplicate: it is refused.
            let _defining = self.hold_definitions();
            self.index(index.number).ok_or(Stop::Given)?;
            self.commit_definitions()?;
        }
        let Err(duplicate) = self.find_duplicate(&index.definition, index.number) else { return Ok(()) };
        let _defining = self.hold_definitions();
        if self.index(index.number).is_some() {
            let description = IndexDescription::of(&index.definition, &self.catalog());
            tracing::error!(index = %description, error = %duplicate, "an index is not built");
            self.forget_index(index.number, Some((description, duplicate)))?;
        }
        Err(Stop::Given)
    }
}
