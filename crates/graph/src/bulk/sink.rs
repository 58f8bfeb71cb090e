//! Where finished sections go: they are gathered, and a thread of its own feeds them to the store.
//!
//! ```text
//! sections, in the order of their keys ─▶ gathered up to some MiB ═▶ ingested: a run of tables behind the one before
//! nodes of edge-trees                  ─▶ likewise                ═▶ sorted, ingested
//! ```
//!
//! Ingesting waits for the device: what comes meanwhile is gathered, up to the same bound, and then waits in its turn.
//! The store merges runs whose keys overlap. None of these do, so that everything is written once.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::stripe::Encoded;
use crate::core::Core;
use crate::section_key::SectionKey;
use crate::{GraphError, Result, Tick};

/// Bytes that one ingestion gathers, at least and at most.
const INGEST_BYTES: [usize; 2] = [8 << 20, 96 << 20];

/// The gathering end, and the thread behind it. Dropping it gives up what is not stored yet and waits for the thread, so
/// that nobody writes to the store behind the back of the next load.
pub(super) struct SectionSink {
    batches: Option<SyncSender<Vec<Encoded>>>,
    thread: Option<JoinHandle<Result<()>>>,
    /// Bytes that one ingestion gathers.
    bound: usize,
    sections: Batch,
    trees: Batch,
    /// Of all sections so far, but for the nodes of edge-trees, which are named by the sections that have their lists.
    keys: Vec<SectionKey>,
}

/// What is gathered.
#[derive(Default)]
struct Batch {
    sections: Vec<Encoded>,
    bytes: usize,
}

impl Batch {
    fn add(&mut self, mut sections: Vec<Encoded>) {
        self.bytes += sections.iter().map(|(_, encoded)| encoded.len()).sum::<usize>();
        self.sections.append(&mut sections);
    }
}

impl SectionSink {
    /// Starts the thread. There are about `room` bytes of memory for what is gathered and what is stored.
    pub(super) fn start(core: &Arc<Core>, room: usize, settled: Tick) -> Result<Self> {
        // Without room: who sends waits until it is taken, so that one batch is stored and one is gathered.
        let (batches, received) = sync_channel(0);
        let core = Arc::clone(core);
        let thread = std::thread::Builder::new()
            .name("bulk-store".into())
            .spawn(move || store_batches(&core, settled, &received))
            .map_err(|error| failed(&format!("a thread could not be started: {error}")))?;
        // One of each kind is gathered, and one is stored.
        let bound = (room / 3).clamp(INGEST_BYTES[0], INGEST_BYTES[1]);
        let (sections, trees) = Default::default();
        Ok(Self { batches: Some(batches), thread: Some(thread), bound, sections, trees, keys: Vec::new() })
    }

    /// Takes sections whose keys follow those of all before them; waits while the thread is behind.
    ///
    /// # Errors
    /// Why the thread has failed. There is nothing to be stored any more then.
    pub(super) fn add(&mut self, sections: Vec<Encoded>) -> Result<()> {
        self.keys.extend(sections.iter().map(|(key, _)| *key));
        self.sections.add(sections);
        if self.sections.bytes >= self.bound {
            let batch = std::mem::take(&mut self.sections);
            self.send(batch.sections)?;
        }
        Ok(())
    }

    /// Takes nodes of edge-trees that sections before them name.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub(super) fn add_trees(&mut self, nodes: Vec<Encoded>) -> Result<()> {
        self.trees.add(nodes);
        if self.trees.bytes >= self.bound {
            self.send_trees()?;
        }
        Ok(())
    }

    fn send_trees(&mut self) -> Result<()> {
        let mut nodes = std::mem::take(&mut self.trees).sections;
        nodes.sort_by_cached_key(|(key, _)| key.bytes());
        self.send(nodes)
    }

    fn send(&mut self, batch: Vec<Encoded>) -> Result<()> {
        if self.batches.as_ref().is_some_and(|open| open.send(batch).is_ok()) {
            return Ok(());
        }
        // Only a thread that has failed does not wait for more.
        self.join().and_then(|()| Err(failed("sections could not be stored")))
    }

    /// Waits until everything is stored; the keys of all sections there are now.
    ///
    /// # Errors
    /// Why the thread has failed, unless that was told before; an error in any case.
    pub(super) fn finish(mut self) -> Result<Vec<SectionKey>> {
        let batch = std::mem::take(&mut self.sections);
        self.send(batch.sections)?;
        self.send_trees()?;
        self.join()?;
        Ok(std::mem::take(&mut self.keys))
    }

    fn join(&mut self) -> Result<()> {
        // Without a sender the thread comes to the end of its input.
        self.batches = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(outcome)) => outcome,
            Some(Err(_)) => Err(failed("the thread that writes sections panicked")),
            None => Err(failed("some of them could not be stored")),
        }
    }
}

impl Drop for SectionSink {
    fn drop(&mut self) {
        // Whatever went wrong, nobody waits for the load any more.
        let _ = self.join();
    }
}

fn failed(problem: &str) -> GraphError {
    GraphError::BadBulk { what: "sections".into(), problem: problem.into() }
}

fn store_batches(core: &Core, settled: Tick, batches: &Receiver<Vec<Encoded>>) -> Result<()> {
    batches.iter().try_for_each(|batch| core.sections.ingest(settled, &mut batch.into_iter()))
}
