//! Where finished sections go: a thread of its own feeds them to the store.
//!
//! ```text
//! sections, in the order of their keys ─▶ portions of some MiB ─▶ queue ═▶ one ingestion that goes on: runs of tables
//! nodes of edge-trees                  ─▶ gathered, sorted     ─▶   │   ═▶ an ingestion of their own in between
//! ```
//!
//! Storing waits for the device now and then: what comes meanwhile waits in the queue.
//! The store merges runs whose keys overlap. None of these do, so that everything is written once.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use super::feed::Feed;
use super::stripe::Encoded;
use crate::error::Result;
use crate::model::Tick;
use crate::resident::Memory;
use crate::sections::SectionKey;

/// Bytes of sections that wait, at least and at most; nodes of edge-trees are gathered up to the same bound.
const WAITING_BYTES: [usize; 2] = [8 << 20, 96 << 20];
/// Portions that wait.
const QUEUE: usize = 16;

/// The gathering end, and the thread behind it. Dropping it gives up what is not stored yet and waits for the thread.
pub(super) struct SectionSink {
    portions: Feed<Portion, ()>,
    /// Bytes that may wait.
    bound: usize,
    sections: Gathered,
    trees: Gathered,
    /// Of all sections so far, but for the nodes of edge-trees, which are named by the sections that have their lists.
    keys: Vec<SectionKey>,
}

/// What is stored together.
enum Portion {
    /// Sections whose keys follow those of the portions of sections before.
    Sections(Vec<Encoded>),
    /// Nodes of edge-trees, in the order of their keys.
    Trees(Vec<Encoded>),
}

/// What is gathered.
#[derive(Default)]
struct Gathered {
    sections: Vec<Encoded>,
    bytes: usize,
}

impl Gathered {
    fn add(&mut self, mut sections: Vec<Encoded>) {
        self.bytes += sections.iter().map(|(_, encoded)| encoded.len()).sum::<usize>();
        self.sections.append(&mut sections);
    }

    fn take(&mut self) -> Vec<Encoded> {
        std::mem::take(self).sections
    }
}

impl SectionSink {
    /// Starts the thread. There are about `room` bytes of memory for what is gathered and what waits.
    pub(super) fn start(memory: &Arc<Memory>, room: usize, settled: Tick) -> Result<Self> {
        let memory = Arc::clone(memory);
        let work = move |received: &Receiver<Portion>| store(&memory, settled, received);
        let portions = Feed::start(("bulk-store", ("sections", "stored")), QUEUE, work)?;
        // Sections wait, nodes of trees are gathered, and others of them are stored.
        let bound = (room / 3).clamp(WAITING_BYTES[0], WAITING_BYTES[1]);
        let (sections, trees) = Default::default();
        Ok(Self { portions, bound, sections, trees, keys: Vec::new() })
    }

    /// Takes sections whose keys follow those of all before them; waits while the thread is behind.
    ///
    /// # Errors
    /// Why the thread has failed. There is nothing to be stored any more then.
    pub(super) fn add(&mut self, sections: Vec<Encoded>) -> Result<()> {
        self.keys.extend(sections.iter().map(|(key, _)| *key));
        self.sections.add(sections);
        if self.sections.bytes >= self.bound / QUEUE {
            let portion = Portion::Sections(self.sections.take());
            self.portions.send(portion)?;
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
        let mut nodes = self.trees.take();
        nodes.sort_by_cached_key(|(key, _)| key.bytes());
        self.portions.send(Portion::Trees(nodes))
    }

    /// Waits until everything is stored; the keys of all sections there are now.
    ///
    /// # Errors
    /// Why the thread has failed, unless that was told before; an error in any case.
    pub(super) fn finish(mut self) -> Result<Vec<SectionKey>> {
        let portion = Portion::Sections(self.sections.take());
        self.portions.send(portion)?;
        self.send_trees()?;
        self.portions.finish()?;
        Ok(self.keys)
    }
}

/// Ingests portions until there are no more: sections as long as no nodes of trees come between.
fn store(memory: &Memory, settled: Tick, received: &Receiver<Portion>) -> Result<()> {
    let mut next = received.recv().ok();
    while let Some(portion) = next.take() {
        let first = match portion {
            Portion::Sections(sections) => sections,
            Portion::Trees(nodes) => {
                memory.sections.ingest(settled, &mut nodes.into_iter())?;
                next = received.recv().ok();
                continue;
            }
        };
        let further = std::iter::from_fn(|| match received.recv() {
            Ok(Portion::Sections(sections)) => Some(sections),
            other => {
                next = other.ok();
                None
            }
        });
        memory.sections.ingest(settled, &mut std::iter::once(first).chain(further.fuse()).flatten())?;
    }
    Ok(())
}
