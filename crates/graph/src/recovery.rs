//! Opens a graph: the last checkpoint, and the log since.

use std::sync::Arc;

use store::Store;
use timeline::{Stamp, Timeline};

use crate::catalog::Catalog;
use crate::checkpoint::{Checkpoint, Meta};
use crate::commit_queue::CommitQueue;
use crate::core::Core;
use crate::counts::{Counts, PublishedCounts};
use crate::flush::Manifest;
use crate::log::{CatalogGrowth, Log, Record};
use crate::op::Op;
use crate::schema::IndexState;
use crate::section_store::SectionStore;
use crate::statistics::{DegreeTable, Known};
use crate::writer::{Application, Writer};
use crate::{GraphOptions, Result};

/// Written units that commit validation remembers, about 60 bytes each.
const REMEMBERED_UNITS: usize = 1 << 20;

impl Core {
    /// Opens the graph in `store`. Sections stay on disk until they are needed; those that the log changes since the
    /// checkpoint are loaded now.
    pub(crate) fn open(store: Arc<dyn Store>, options: GraphOptions) -> Result<Self> {
        let meta = Meta::open(Arc::clone(&store))?;
        let log = Log::open(Arc::clone(&store))?;
        let sections = SectionStore::open(Arc::clone(&store))?;
        let (checkpoint, catalog) = meta.load()?;
        let (degrees, values) = meta.load_statistics(&checkpoint)?;
        let timeline = Timeline::new(REMEMBERED_UNITS);
        let counts = PublishedCounts::new(0, Counts::default());
        let mut core = Self::new(options, store, meta, log, sections, timeline, counts, catalog);
        core.known = Known::restored(values);
        core.restore(&checkpoint);
        core.replay(checkpoint, degrees)?;
        Ok(core)
    }

    /// Puts everything where the checkpoint says it is.
    fn restore(&mut self, checkpoint: &Checkpoint) {
        self.allocator.learn_seqs(&checkpoint.seqs);
        for entry in &checkpoint.stripes {
            let number = usize::from(entry.number);
            let stripe = self.blocks.stripe_for(number, entry.label);
            stripe.allocate_up_to(entry.allocated.min(crate::block::STRIPE_VERTICES));
            self.allocator.learn_stripe(number, entry.label);
        }
        self.secondaries.restore(checkpoint.secondaries.iter().copied());
        let manifest = Manifest::of(checkpoint);
        self.set_stored(manifest.keys());
        self.flushing = parking_lot::Mutex::new(manifest);
    }

    /// Applies what the log has since the checkpoint, and starts the clock after it.
    fn replay(&mut self, checkpoint: Checkpoint, degrees: DegreeTable) -> Result<()> {
        // Held, as by any writer: what it has changed must not be taken for what can be evicted.
        let mut writer = self.writer.lock();
        *writer = Writer::at(checkpoint.stamp);
        writer.degrees = degrees;
        let mut counts = checkpoint.counts;
        self.log.replay(checkpoint.stamp, |record, bytes| {
            writer.log_bytes += bytes as u64;
            self.replay_record(&record, &mut writer, &mut counts)
        })?;
        let timeline = match writer.applied {
            0 => Timeline::new(REMEMBERED_UNITS),
            applied => Timeline::recover(Stamp::from_bits(applied), REMEMBERED_UNITS),
        };
        let visible = timeline.visible().bits();
        writer.applied = visible;
        drop(writer);
        self.timeline = timeline;
        self.counts = PublishedCounts::new(visible, counts);
        self.commits = CommitQueue::new(&self.catalog());
        Ok(())
    }

    fn replay_record(&self, record: &Record, writer: &mut Writer, counts: &mut Counts) -> Result<()> {
        self.restore_growth(record, writer)?;
        for op in &record.ops {
            match op {
                Op::CreateVertex { v, label, .. } => {
                    self.allocator.learn_stripe(crate::block::stripe_of(*v), *label);
                }
                Op::CreateEdge { e, .. } => self.allocator.learn_seq(e.src, e.seq),
                _ => {}
            }
        }
        self.make_room_for_writer(writer);
        let guard = crossbeam_epoch::pin();
        let mut application = Application {
            core: self,
            watermark: Some(writer.applied),
            writer,
            catalog: &self.catalog(),
            counts,
            tick: record.stamp,
            guard: &guard,
        };
        record.ops.iter().try_for_each(|op| application.apply(op))?;
        writer.applied = record.stamp;
        Ok(())
    }

    fn restore_growth(&self, record: &Record, writer: &Writer) -> Result<()> {
        let CatalogGrowth { names, old_indexes, definitions } = &record.growth;
        if names.is_empty() && old_indexes.is_empty() && definitions.is_none() {
            return Ok(());
        }
        self.grow_catalog(|catalog: &mut Catalog| {
            for (space, id, name) in names {
                catalog.restore(*space, *id, name)?;
            }
            // A log of format 1 says only that they were created.
            for index in old_indexes {
                catalog.define(|definitions| definitions.add_index(index.clone(), IndexState::Building));
            }
            Ok(())
        })?;
        // What was replayed so far is of the time before them.
        definitions.as_ref().map_or(Ok(()), |definitions| self.adopt(definitions, writer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_that_was_never_written_opens_empty_any_number_of_times() {
        let store: Arc<dyn Store> = Arc::new(store::MemoryStore::new());
        for _ in 0..3 {
            let core = Core::open(Arc::clone(&store), GraphOptions::default()).unwrap();
            let visible = core.timeline.visible().bits();
            assert_eq!(visible, 0);
            assert_eq!(core.counts.at(visible).unwrap().vertices(None), 0);
        }
    }
}
