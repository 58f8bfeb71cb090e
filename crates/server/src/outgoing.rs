//! Answers that are written out and that their clients have not taken yet, bounded in bytes for all connections together.
//!
//! What a query's results hold is counted by the engine until they have left; but a result may be there a hundred times and be held
//! once, and a client may take its answer as slowly as it likes, on as many connections as it has. So there has to be room for an
//! answer before it is written, and it counts until it is taken:
//!
//! ```text
//! 0                              half of it                             bound
//! │ ▒▒▒▒▒ one holder's answers ▒▒▒▒▒ │ ▒▒▒▒▒▒ all others' together ▒▒▒▒▒▒ │  an answer waits
//! ```
//!
//! A holder's answers have no more than half of it, or what the largest answer there may be has. Small ones always come through:
//! nobody counts them. And of who has none, one of a usual size does, whatever others have.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::time::{Instant, sleep};

use crate::{ErrorKind, Holder, QueryError, connections::Guest, page::MOST_BYTES};

/// Bytes of an answer that is not counted.
pub(crate) const FREE: u64 = 64 << 10;

/// Bytes that a message usually has at most: one is sent when its results come to half of that (`page::PAGE_BYTES`).
const USUAL: u64 = 2 << 20;

/// So often it looks whether there is some.
pub(crate) const LOOK: Duration = Duration::from_millis(20);

/// Bytes of a second in which a client has to take what is counted.
const SLOWEST: u64 = 1 << 20;

/// Bytes of answers that wait to be taken, of a server that receives so many bytes of requests at a time: half as many, and at least
/// what the largest one has and a quarter of that for others.
pub fn outgoing_bytes(receiving: u64) -> u64 {
    (receiving / 2).max(MOST_BYTES + MOST_BYTES / 4)
}

/// What is counted of all answers.
#[derive(Debug)]
pub(crate) struct Outgoing {
    bound: u64,
    /// That of one holder.
    most: u64,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    all: u64,
    by_holder: HashMap<Holder, u64>,
}

/// Room for an answer; dropping it says that the answer was taken.
#[derive(Debug, Default)]
pub(crate) struct Room(Option<Counted>);

#[derive(Debug)]
struct Counted {
    outgoing: Arc<Outgoing>,
    holder: Holder,
    bytes: u64,
}

impl Outgoing {
    /// At most so many bytes, and so many of one holder.
    fn bounded(bound: u64, most: u64) -> Arc<Self> {
        Arc::new(Self { bound, most, taken: Mutex::default() })
    }

    /// That of a server that receives so many bytes of requests at a time.
    pub(crate) fn new(receiving: u64) -> Arc<Self> {
        let bound = outgoing_bytes(receiving);
        Self::bounded(bound, MOST_BYTES.max(bound / 2))
    }

    /// Room for an answer of so many bytes, if there is some.
    fn take(self: &Arc<Self>, holder: Holder, bytes: u64) -> Option<Room> {
        let bytes = self.share(bytes);
        let mut taken = self.taken.lock();
        let has_room = taken.has_room(&holder, bytes, self);
        if has_room {
            taken.add(&holder, bytes);
        }
        has_room.then(|| Room(Some(Counted { outgoing: self.clone(), holder, bytes })))
    }

    /// What an answer of so many bytes counts for: no more than any holder may have, so that there is room for it sooner or later.
    fn share(&self, bytes: u64) -> u64 {
        bytes.min(self.most)
    }
}

impl Taken {
    fn has_room(&self, holder: &Holder, bytes: u64, of: &Outgoing) -> bool {
        let own = self.by_holder.get(holder).copied().unwrap_or(0);
        let fits = own + bytes <= of.most && self.all + bytes <= of.bound;
        fits || own == 0 && bytes <= USUAL
    }

    fn add(&mut self, holder: &Holder, bytes: u64) {
        self.all += bytes;
        *self.by_holder.entry(holder.clone()).or_default() += bytes;
    }

    fn remove(&mut self, holder: &Holder, bytes: u64) {
        self.all -= bytes;
        if let Some(own) = self.by_holder.get_mut(holder) {
            *own -= bytes;
            if *own == 0 {
                self.by_holder.remove(holder);
            }
        }
    }
}

impl Guest {
    /// Room for an answer of about so many bytes, if there is some now.
    pub(crate) fn room(&self, bytes: u64) -> Option<Room> {
        if bytes <= FREE {
            return Some(Room::default());
        }
        self.host.outgoing.take(self.client().holder(), bytes)
    }

    /// The same, for which the answer waits until a deadline, or for as long as one write may take.
    ///
    /// # Errors
    /// If there is none in time.
    pub(crate) async fn room_in_time(
        &self,
        bytes: u64,
        deadline: Option<std::time::Instant>,
    ) -> Result<Room, QueryError> {
        let until = self.waits_until(deadline);
        loop {
            if let Some(room) = self.room(bytes) {
                return Ok(room);
            }
            if Instant::now() >= until {
                return Err(untaken());
            }
            sleep(LOOK).await;
        }
    }

    /// Until when an answer waits for room that has to be there by a deadline, if it has one.
    pub(crate) fn waits_until(&self, deadline: Option<std::time::Instant>) -> Instant {
        deadline.map_or_else(|| Instant::now() + self.host.options.write_timeout, Instant::from)
    }

    /// The answer is written where it had room, and has so many bytes. They are there, so they count, and are not refused: what was
    /// said of them before is roughly true.
    pub(crate) fn written(&self, room: Room, bytes: usize) -> Room {
        let bytes = bytes as u64;
        if bytes <= FREE {
            return Room::default();
        }
        let outgoing = &self.host.outgoing;
        let Room(counted) = room;
        let mut counted = counted.unwrap_or_else(|| Counted {
            outgoing: outgoing.clone(),
            holder: self.client().holder(),
            bytes: 0,
        });
        let mut taken = outgoing.taken.lock();
        taken.remove(&counted.holder, counted.bytes);
        counted.bytes = bytes;
        taken.add(&counted.holder, counted.bytes);
        drop(taken);
        Room(Some(counted))
    }
}

impl Room {
    /// How long its client has for taking it, above what it has for any; `None` if it is not counted.
    pub(crate) fn time_to_take(&self) -> Option<Duration> {
        self.0.as_ref().map(|counted| Duration::from_millis(counted.bytes * 1000 / SLOWEST))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.outgoing.taken.lock().remove(&self.holder, self.bytes);
    }
}

/// What a client is told whose answer has no room.
pub(crate) fn untaken() -> QueryError {
    let message = "there is no room for the answer beside those that wait to be taken by their clients, above all by this one (what \
                   it has written stands, committed or in its transaction); take the others first, or ask for fewer results at once";
    QueryError::new(ErrorKind::Limit, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1 << 20;

    fn holder(number: u8) -> Holder {
        Holder::Address([10, 0, 0, number].into())
    }

    fn all(outgoing: &Outgoing) -> u64 {
        outgoing.taken.lock().all
    }

    #[test]
    fn nobody_has_all_the_room_and_the_largest_has_what_it_needs() {
        let outgoing = Outgoing::bounded(8 * MB, 4 * MB);
        let take = |number, bytes| outgoing.take(holder(number), bytes);
        let largest = take(1, u64::MAX).expect("there is room for any");
        assert_eq!(all(&outgoing), 4 * MB);
        assert!(take(1, FREE).is_none(), "it has half");
        let other: Vec<_> = (0..20).map_while(|_| take(2, MB)).collect();
        assert_eq!(other.len(), 4, "and another one the rest");
        let usual = take(3, USUAL).expect("of who has none, one of usual size");
        assert!(take(3, FREE).is_none() && take(4, USUAL + 1).is_none());
        drop(largest);
        assert!(take(4, USUAL).is_some() && take(2, FREE).is_none());
        drop((other, usual));
        assert_eq!(all(&outgoing), 0);
        assert!(outgoing.taken.lock().by_holder.is_empty());
    }

    #[test]
    fn there_is_room_for_the_largest_on_any_machine() {
        for receiving in [0, 256 * MB, 8 << 30] {
            assert!(Outgoing::new(receiving).take(holder(1), u64::MAX).is_some());
        }
    }
}
