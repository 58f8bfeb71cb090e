//! Finished stripes until the edges of their vertices are there: encoded by a thread of its own, then in memory or, when there
//! is no more room, in a temporary file.
//!
//! ```text
//! stripes ─▶ encoded ─▶ in the order in which they are full │ 0 │ 3 │ 1 │ 2 │ 4 │ … ─▶ taken in the order of their keys
//! ```
//!
//! They could be stored at once, but what is stored out of order the store writes once more, with all that is around it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use store::{Scratch, Store};

use super::feed::{Feed, failed};
use super::stripe::{Encoded, StripeBuilder};
use crate::error::Result;
use crate::model::Tick;
use crate::sections::SectionKey;

/// Stripes that wait for the thread.
const QUEUE: usize = 2;

/// The thread, as it is fed.
pub(super) type StripeStaging = Feed<StripeBuilder, StagedStripes>;

/// All stripes, encoded.
pub(super) struct StagedStripes {
    /// Bytes of memory for further ones.
    room: usize,
    /// None as long as there is room, and where the store does not keep its data in files.
    file: Option<Scratch>,
    stripes: VecDeque<Staged>,
}

struct Staged {
    stripe: usize,
    place: Place,
}

enum Place {
    Memory(Vec<Encoded>),
    /// Where it begins, and the sections with their lengths, one after another.
    File(u64, Vec<(SectionKey, usize)>),
}

/// Starts the thread, which keeps `room` bytes in memory. Sections say that they are settled at `settled`, and have the
/// types of this version of the schema.
///
/// # Errors
/// If there is no thread.
pub(super) fn start_staging(
    store: &Arc<dyn Store>,
    room: usize,
    settled: Tick,
    schema: u64,
) -> Result<StripeStaging> {
    let staged = StagedStripes { room, file: None, stripes: VecDeque::new() };
    let store = Arc::clone(store);
    let work = move |received: &Receiver<_>| staged.fill(&*store, received, (settled, schema));
    Feed::start(("bulk-stage", ("vertices", "encoded")), QUEUE, work)
}

impl StagedStripes {
    fn fill(
        mut self,
        store: &dyn Store,
        received: &Receiver<StripeBuilder>,
        (settled, schema): (Tick, u64),
    ) -> Result<Self> {
        for builder in received {
            let stripe = builder.number();
            let place = self.keep(store, builder.encode(settled, schema))?;
            self.stripes.push_back(Staged { stripe, place });
        }
        self.stripes.make_contiguous().sort_by_key(|staged| staged.stripe);
        Ok(self)
    }

    fn keep(&mut self, store: &dyn Store, sections: Vec<Encoded>) -> Result<Place> {
        let bytes = sections.iter().map(|(_, encoded)| encoded.len()).sum();
        if let Some(rest) = self.room.checked_sub(bytes) {
            self.room = rest;
            return Ok(Place::Memory(sections));
        }
        if self.file.is_none() {
            self.file = store.scratch().map_err(Arc::new)?;
        }
        let Some(file) = &mut self.file else { return Ok(Place::Memory(sections)) };
        let start = file.len();
        let index = sections.iter().map(|(key, encoded)| (*key, encoded.len())).collect();
        let sections: Vec<&[u8]> = sections.iter().map(|(_, encoded)| &encoded[..]).collect();
        file.append(&sections.concat()).map_err(Arc::new)?;
        Ok(Place::File(start, index))
    }

    /// Bytes that went through a temporary file.
    pub(super) fn file_bytes(&self) -> u64 {
        self.file.as_ref().map_or(0, Scratch::len)
    }

    /// The sections of the next stripe, in the order of their keys, if it is `last` or one before.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub(super) fn next_up_to(&mut self, last: usize) -> Result<Option<Vec<Encoded>>> {
        let Some(staged) = self.stripes.pop_front_if(|staged| staged.stripe <= last) else { return Ok(None) };
        let sections = match staged.place {
            Place::Memory(sections) => sections,
            Place::File(start, index) => {
                let file =
                    self.file.as_ref().ok_or_else(|| failed("vertices", "their temporary file is gone"))?;
                taken(file, start, index)?
            }
        };
        Ok(Some(sections))
    }
}

fn taken(file: &Scratch, start: u64, index: Vec<(SectionKey, usize)>) -> Result<Vec<Encoded>> {
    let bytes = file.take(start, index.iter().map(|(_, length)| length).sum()).map_err(Arc::new)?;
    let mut rest = &bytes[..];
    let section = |(key, length): (SectionKey, usize)| {
        let (section, others) = rest.split_at(length);
        rest = others;
        (key, section.to_vec())
    };
    Ok(index.into_iter().map(section).collect())
}
