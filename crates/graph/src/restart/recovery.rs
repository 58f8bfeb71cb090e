//! Opens a graph: the last checkpoint, and the log since.

use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use store::Store;
use timeline::{Stamp, Timeline};

use super::replay::Replay;
use crate::durable::{Checkpoint, Log, Meta, Record, SectionStore};
use crate::error::Result;
use crate::flush::{Files, Manifest};
use crate::model::{Counts, DegreeTable, GraphOptions, PublishedCounts, Tick};
use crate::resident::{Memory, Writer};

/// Written units that commit validation remembers: 95 MB at most.
const REMEMBERED_UNITS: usize = 1 << 20;

/// Opens the graph in `store`. Sections stay on disk until they are needed; those that the log changes since the checkpoint
/// are loaded now.
pub(crate) fn open(store: Arc<dyn Store>, options: GraphOptions) -> Result<Files> {
    let meta = Meta::open(Arc::clone(&store))?;
    let log = Log::open(Arc::clone(&store))?;
    let sections = SectionStore::open(Arc::clone(&store))?;
    let (checkpoint, declared) = meta.load()?;
    let (degrees, values) = meta.load_statistics(&checkpoint)?;
    let timeline = Timeline::new(REMEMBERED_UNITS);
    let counts = PublishedCounts::new(0, Counts::default());
    let memory = Memory::new(options.clamped(), sections, timeline, counts, declared);
    let mut files = Files::new(memory, store, log, meta);
    files.known.restore(values);
    files.restore(&checkpoint);
    files.resume_turns();
    files.replay(checkpoint, degrees)?;
    files.names.find_gaps();
    if files.cache.is_over() {
        // What the log had to say.
        files.flush_for_room();
    }
    Ok(files)
}

impl Files {
    /// Puts everything where the checkpoint says it is.
    fn restore(&mut self, checkpoint: &Checkpoint) {
        self.allocator.learn_seqs(&checkpoint.seqs);
        for entry in &checkpoint.stripes {
            let number = usize::from(entry.number);
            let stripe = self.blocks.stripe_for(number, entry.label);
            stripe.allocate_up_to(entry.allocated.min(crate::model::STRIPE_VERTICES));
            self.allocator.learn_stripe(number, entry.label);
        }
        self.secondaries.restore(checkpoint.secondaries.iter().copied());
        let manifest = Manifest::of(checkpoint);
        self.set_stored(manifest.keys());
        self.begin_with(manifest);
    }

    /// Applies what the log has since the checkpoint, and starts the clock after it.
    fn replay(&mut self, checkpoint: Checkpoint, degrees: DegreeTable) -> Result<()> {
        let (stamp, log) = (checkpoint.stamp, Log::open(Arc::clone(&self.store))?);
        // Held, as by any writer: what it has changed must not be taken for what can be evicted.
        let mut writer = self.lock_writer();
        *writer = Writer::at(stamp);
        writer.degrees = degrees;
        let mut replay = Replay::begin(self, writer, checkpoint.counts);
        match self.options.replay_threads {
            0 | 1 => log.replay(stamp, |record, bytes| replay.take(record, bytes))?,
            _ => decode_beside(&log, stamp, &mut replay)?,
        }
        let counts = replay.end()?;
        let applied = self.lock_writer().applied;
        let timeline = match applied {
            0 => Timeline::new(REMEMBERED_UNITS),
            applied => Timeline::recover(Stamp::from_bits(applied), REMEMBERED_UNITS),
        };
        let visible = timeline.visible().bits();
        self.lock_writer().applied = visible;
        self.begin_at(timeline, PublishedCounts::new(visible, counts));
        Ok(())
    }
}

/// Commits, with their bytes in the log.
type Decoded = Vec<(Record, usize)>;

/// Bytes of the log that the decoding thread hands over at a time, and how often it may be ahead.
const DECODED_BYTES: usize = 256 << 10;
const AHEAD: usize = 4;

/// Lets a thread read and decode the log while this one applies it.
fn decode_beside(log: &Log, checkpoint: Tick, replay: &mut Replay<'_>) -> Result<()> {
    let (sender, receiver) = sync_channel::<Decoded>(AHEAD);
    std::thread::scope(|scope| {
        let decoder = scope.spawn(move || {
            let (mut decoded, mut size) = (Decoded::new(), 0);
            log.replay(checkpoint, |record, bytes| {
                decoded.push((record, bytes));
                size += bytes;
                if size >= DECODED_BYTES {
                    size = 0;
                    // Nobody listens any more once applying has failed, which is told then.
                    let _ = sender.send(std::mem::take(&mut decoded));
                }
                Ok(())
            })?;
            let _ = sender.send(decoded);
            Ok(())
        });
        let applied = receiver.iter().flatten().try_for_each(|(record, bytes)| replay.take(record, bytes));
        drop(receiver);
        let decoded = decoder.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        applied.and(decoded)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_that_was_never_written_opens_empty_any_number_of_times() {
        let store: Arc<dyn Store> = Arc::new(store::MemoryStore::new());
        for _ in 0..3 {
            let files = open(Arc::clone(&store), GraphOptions::default()).unwrap();
            let visible = files.timeline.visible().bits();
            assert_eq!(visible, 0);
            assert_eq!(files.counts.at(visible).unwrap().vertices(None), 0);
        }
    }
}
