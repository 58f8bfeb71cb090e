//! Where finished sections go: a thread of its own encodes stripes and gathers sections, another feeds them to the store.
//!
//! ```text
//! stripes ─ encoded ─┐
//! lumps of sections ─┴─▶ gathered up to some bound ═▶ sorted ─▶ ingested: one run of tables
//!                            (bulk-load)                 (bulk-store)
//! ```
//!
//! Ingesting waits for the device: what comes meanwhile is gathered, up to the same bound, and then waits in its turn.
//!
//! The store merges runs whose keys overlap, as those of different edge labels do: the sections of a stripe are together. So
//! the fewer there are the less is written twice, and what is small waits for others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::stripe::{Encoded, StripeBuilder};
use crate::core::Core;
use crate::section_key::SectionKey;
use crate::{GraphError, Result, Tick};

/// Stripes and lumps that wait for the thread.
const QUEUE: usize = 2;

/// Bytes that one ingestion gathers, unless there is more room for lumps: stripes do not overlap, and need none.
const INGEST_BYTES: usize = 96 << 20;
/// Bytes that one gathers at most.
const MOST_INGEST_BYTES: usize = 1 << 30;

/// Bytes of sections from which on they are handed over together.
const LUMP_BYTES: usize = 8 << 20;

/// The sending end, and the threads behind it. Dropping it gives up what is not stored yet and waits for them, so
/// that nobody writes to the store behind the back of the next load.
pub(super) struct SectionSink {
    goods: Option<SyncSender<Goods>>,
    thread: Option<JoinHandle<Result<Vec<SectionKey>>>>,
    given_up: Arc<AtomicBool>,
    /// Bytes of lumps that one ingestion gathers.
    room: usize,
}

/// What is handed over.
enum Goods {
    Stripe(StripeBuilder),
    /// And how many bytes to gather.
    Sections(Vec<Encoded>, usize),
}

impl SectionSink {
    pub(super) fn start(core: &Arc<Core>, settled: Tick, schema: u64) -> Result<Self> {
        let (goods, received) = sync_channel(QUEUE);
        let given_up = Arc::new(AtomicBool::new(false));
        let (core, stop) = (Arc::clone(core), Arc::clone(&given_up));
        let thread = std::thread::Builder::new()
            .name("bulk-load".into())
            .spawn(move || consume(&core, (settled, schema), &received, &stop))
            .map_err(|error| failed(&format!("a thread could not be started: {error}")))?;
        Ok(Self { goods: Some(goods), thread: Some(thread), given_up, room: INGEST_BYTES })
    }

    /// Says how many bytes of memory there are for sections that are gathered; some are taken in any case.
    pub(super) fn give_room(&mut self, bytes: usize) {
        self.room = bytes.clamp(INGEST_BYTES, MOST_INGEST_BYTES);
    }

    /// Hands over a stripe that is full; waits while the thread is behind.
    ///
    /// # Errors
    /// Why the thread has failed. There is nothing to be stored any more then.
    pub(super) fn send_stripe(&mut self, stripe: StripeBuilder) -> Result<()> {
        self.send(Goods::Stripe(stripe))
    }

    /// Hands over sections, some MiB at a time; waits while the thread is behind. `beside` is asked for further ones that
    /// have come with each.
    ///
    /// # Errors
    /// As [`Self::send_stripe`], or the first one of `sections`.
    pub(super) fn send_sections(
        &mut self,
        sections: &mut dyn Iterator<Item = Result<Encoded>>,
        mut beside: impl FnMut() -> Vec<Encoded>,
    ) -> Result<()> {
        let (mut lump, mut bytes) = (Vec::new(), 0);
        for section in sections {
            let first = lump.len();
            lump.push(section?);
            lump.append(&mut beside());
            bytes += encoded_bytes(&lump[first..]);
            if bytes >= LUMP_BYTES {
                bytes = 0;
                self.send(Goods::Sections(std::mem::take(&mut lump), self.room))?;
            }
        }
        self.send(Goods::Sections(lump, self.room))
    }

    fn send(&mut self, goods: Goods) -> Result<()> {
        if self.goods.as_ref().is_some_and(|open| open.send(goods).is_ok()) {
            return Ok(());
        }
        // Only a thread that has failed does not wait for more.
        self.join().and_then(|_| Err(failed("sections could not be stored")))
    }

    /// Waits until everything is stored; the sections there are now, but for the nodes of edge-trees, which are named by
    /// the sections that have their lists.
    ///
    /// # Errors
    /// Why the thread has failed, unless that was told before; an error in any case.
    pub(super) fn finish(mut self) -> Result<Vec<SectionKey>> {
        self.join()
    }

    fn join(&mut self) -> Result<Vec<SectionKey>> {
        // Without a sender the thread comes to the end of its input.
        self.goods = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(outcome)) => outcome,
            Some(Err(_)) => Err(failed("the thread that writes sections panicked")),
            None => Err(failed("some of them could not be stored")),
        }
    }
}

impl Drop for SectionSink {
    fn drop(&mut self) {
        self.given_up.store(true, Ordering::Relaxed);
        // Whatever went wrong, nobody waits for the load any more.
        let _ = self.join();
    }
}

fn failed(problem: &str) -> GraphError {
    GraphError::BadBulk { what: "sections".into(), problem: problem.into() }
}

fn encoded_bytes(sections: &[Encoded]) -> usize {
    sections.iter().map(|(_, encoded)| encoded.len()).sum()
}

/// Stores all that comes; the keys of what was stored.
fn consume(
    core: &Core,
    (settled, schema): (Tick, u64),
    goods: &Receiver<Goods>,
    given_up: &AtomicBool,
) -> Result<Vec<SectionKey>> {
    std::thread::scope(|scope| {
        // Without room: who sends waits until it is taken, so that one batch is stored and one is gathered at most.
        let (batches, received) = sync_channel(0);
        let storing = std::thread::Builder::new()
            .name("bulk-store".into())
            .spawn_scoped(scope, move || store_batches(core, settled, &received))
            .map_err(|error| failed(&format!("a thread could not be started: {error}")))?;
        gather((settled, schema), goods, given_up, batches);
        storing.join().unwrap_or_else(|_| Err(failed("the thread that stores sections panicked")))
    })
}

/// Makes batches of all that comes, until that ends or nobody takes them any more.
fn gather(
    (settled, schema): (Tick, u64),
    goods: &Receiver<Goods>,
    given_up: &AtomicBool,
    batches: SyncSender<Vec<Encoded>>,
) {
    let (mut gathered, mut bytes) = (Vec::new(), 0);
    for goods in goods {
        let (sections, bound) = match goods {
            Goods::Stripe(stripe) => (stripe.encode(settled, schema), INGEST_BYTES),
            Goods::Sections(sections, room) => (sections, room),
        };
        bytes += encoded_bytes(&sections);
        gathered.extend(sections);
        if bytes >= bound {
            bytes = 0;
            if batches.send(std::mem::take(&mut gathered)).is_err() {
                return;
            }
        }
    }
    if !given_up.load(Ordering::Relaxed) {
        // Who does not take it has failed, and says why.
        let _ = batches.send(gathered);
    }
}

fn store_batches(core: &Core, settled: Tick, batches: &Receiver<Vec<Encoded>>) -> Result<Vec<SectionKey>> {
    let mut keys = Vec::new();
    for batch in batches {
        store_sections(core, settled, batch, &mut keys)?;
    }
    Ok(keys)
}

fn store_sections(
    core: &Core,
    settled: Tick,
    mut sections: Vec<Encoded>,
    keys: &mut Vec<SectionKey>,
) -> Result<()> {
    sections.sort_by_cached_key(|(key, _)| key.bytes());
    let is_tree = |key: &SectionKey| matches!(key, SectionKey::Tree { .. });
    keys.extend(sections.iter().map(|(key, _)| *key).filter(|key| !is_tree(key)));
    core.sections.ingest(settled, &mut sections.into_iter())
}
