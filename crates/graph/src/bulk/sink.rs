//! Where finished vertex sections go: a thread of its own encodes stripes and feeds them to the store.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::stripe::{Encoded, StripeBuilder};
use crate::core::Core;
use crate::section_key::SectionKey;
use crate::{GraphError, Result, Tick};

/// Stripes that wait for the thread.
const QUEUE: usize = 2;

/// Bytes that one ingestion gathers; each costs the store a table.
pub(super) const INGEST_BYTES: usize = 96 << 20;

/// The sending end, and the thread behind it. Dropping it gives up what is not stored yet and waits for the thread, so
/// that nobody writes to the store behind the back of the next load.
pub(super) struct StripeSink {
    stripes: Option<SyncSender<StripeBuilder>>,
    thread: Option<JoinHandle<Result<Vec<SectionKey>>>>,
    given_up: Arc<AtomicBool>,
}

impl StripeSink {
    pub(super) fn start(core: &Arc<Core>, settled: Tick, schema: u64) -> Result<Self> {
        let (stripes, received) = sync_channel(QUEUE);
        let given_up = Arc::new(AtomicBool::new(false));
        let (core, stop) = (Arc::clone(core), Arc::clone(&given_up));
        let thread = std::thread::Builder::new()
            .name("bulk-load".into())
            .spawn(move || consume(&core, (settled, schema), &received, &stop))
            .map_err(|error| failed(&format!("a thread could not be started: {error}")))?;
        Ok(Self { stripes: Some(stripes), thread: Some(thread), given_up })
    }

    /// Hands over a stripe that is full; waits while the thread is behind.
    pub(super) fn send(&self, stripe: StripeBuilder) -> Result<()> {
        let sent = self.stripes.as_ref().is_some_and(|stripes| stripes.send(stripe).is_ok());
        if sent { Ok(()) } else { Err(failed("writing sections failed; finish the load to learn why")) }
    }

    /// Waits until everything is stored; the sections there are now.
    pub(super) fn finish(mut self) -> Result<Vec<SectionKey>> {
        self.join()
    }

    fn join(&mut self) -> Result<Vec<SectionKey>> {
        // Without a sender the thread comes to the end of its input.
        self.stripes = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(outcome)) => outcome,
            Some(Err(_)) => Err(failed("the thread that writes sections panicked")),
            None => Ok(Vec::new()),
        }
    }
}

impl Drop for StripeSink {
    fn drop(&mut self) {
        self.given_up.store(true, Ordering::Relaxed);
        // Whatever went wrong, nobody waits for the load any more.
        let _ = self.join();
    }
}

fn failed(problem: &str) -> GraphError {
    GraphError::BadBulk { what: "vertices".into(), problem: problem.into() }
}

fn consume(
    core: &Core,
    (settled, schema): (Tick, u64),
    stripes: &Receiver<StripeBuilder>,
    given_up: &AtomicBool,
) -> Result<Vec<SectionKey>> {
    let (mut keys, mut gathered, mut bytes) = (Vec::new(), Vec::new(), 0);
    for stripe in stripes {
        let sections = stripe.encode(settled, schema);
        bytes += sections.iter().map(|(_, encoded)| encoded.len()).sum::<usize>();
        gathered.extend(sections);
        if bytes >= INGEST_BYTES {
            bytes = 0;
            store_sections(core, settled, std::mem::take(&mut gathered), &mut keys)?;
        }
    }
    if !given_up.load(Ordering::Relaxed) {
        store_sections(core, settled, gathered, &mut keys)?;
    }
    Ok(keys)
}

fn store_sections(
    core: &Core,
    settled: Tick,
    mut sections: Vec<Encoded>,
    keys: &mut Vec<SectionKey>,
) -> Result<()> {
    sections.sort_unstable_by_key(|(key, _)| key.bytes());
    keys.extend(sections.iter().map(|(key, _)| *key));
    core.sections.ingest(settled, &mut sections.into_iter())
}
