//! Answers that are written out and that their clients have not taken yet, bounded in bytes for all connections together.
//!
//! What a query's results hold is counted by the engine until they have left; but a result may be there a hundred times and be held
//! once, and a client may take its answer as slowly as it likes, on as many connections as it has. So there has to be room for an
//! answer before it is written, and it counts until it is taken:
//!
//! ```text
//! 0                                                                        bound
//! │ ▒▒▒▒▒▒ others' answers ▒▒▒▒▒▒ │ ▒▒▒ the holder's ▒▒▒ │   as much again   │
//! ```
//!
//! A holder's answers have no more than what they leave, so that nobody has it all; but where there is no other, one has room whatever
//! it has. Small ones always come through: nobody counts them.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::time::{Instant, sleep};

use crate::{ErrorKind, Holder, QueryError, connections::Guest, page::MOST_BYTES};

/// Bytes of an answer that is not counted.
pub(crate) const FREE: u64 = 64 << 10;

/// Bytes that a message usually has at most: one is sent when its results come to half of that (`page::PAGE_BYTES`).
const USUAL: u64 = 2 << 20;

/// For so long an answer waits for room.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// So often it looks whether there is some.
pub(crate) const LOOK: Duration = Duration::from_millis(5);

/// Bytes of a second in which a client has to take what is counted.
const SLOWEST: u64 = 256 << 10;

/// Bytes of answers that wait to be taken, of a server that receives so many bytes of requests at a time: half as many, and at least what
/// the largest one has.
pub fn outgoing_bytes(receiving: u64) -> u64 {
    (receiving / 2).max(MOST_BYTES)
}

/// What is counted of all answers.
#[derive(Debug)]
pub(crate) struct Outgoing {
    bound: u64,
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
    /// At most so many bytes.
    pub(crate) fn new(bound: u64) -> Arc<Self> {
        Arc::new(Self { bound, taken: Mutex::default() })
    }

    /// Room for an answer of so many bytes, if there is some.
    fn take(self: &Arc<Self>, holder: Holder, bytes: u64) -> Option<Room> {
        self.take_of(holder, bytes, self.bound)
    }

    /// The same, of so much room.
    fn take_of(self: &Arc<Self>, holder: Holder, bytes: u64, bound: u64) -> Option<Room> {
        let has_room = self.taken.lock().add(&holder, bytes, bound);
        has_room.then(|| Room(Some(Counted { outgoing: self.clone(), holder, bytes })))
    }
}

impl Taken {
    /// Counts more bytes of a holder's, if there is room for them.
    fn add(&mut self, holder: &Holder, bytes: u64, bound: u64) -> bool {
        let own = self.by_holder.get(holder).copied().unwrap_or(0).saturating_add(bytes);
        let all = self.all.saturating_add(bytes);
        if self.all > 0 && own > bound.saturating_sub(all) {
            return false;
        }
        self.all = all;
        self.by_holder.insert(holder.clone(), own);
        true
    }

    fn remove(&mut self, holder: &Holder, bytes: u64) {
        self.all = self.all.saturating_sub(bytes);
        if let Some(own) = self.by_holder.get_mut(holder) {
            *own = own.saturating_sub(bytes);
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

    /// The same, for which the answer waits.
    ///
    /// # Errors
    /// If there is none for as long as it may wait.
    pub(crate) async fn room_in_time(
        &self,
        bytes: u64,
        deadline: Option<std::time::Instant>,
    ) -> Result<Room, QueryError> {
        let until = until(deadline);
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

    /// The answer is written, and has so many bytes.
    ///
    /// # Errors
    /// If it has far more than was said of it, and there is no room for them.
    pub(crate) fn written(&self, room: Room, bytes: usize) -> Result<Room, QueryError> {
        let bytes = bytes as u64;
        drop(room);
        if bytes <= FREE {
            return Ok(Room::default());
        }
        let (outgoing, holder) = (&self.host.outgoing, self.client().holder());
        // What was said of it is roughly true: where that had room, the usual answer is not refused for being a little longer.
        let bound = if bytes <= USUAL { u64::MAX } else { outgoing.bound };
        outgoing.take_of(holder, bytes, bound).ok_or_else(untaken)
    }
}

/// Until when an answer waits for room.
pub(crate) fn until(deadline: Option<std::time::Instant>) -> Instant {
    let patience = Instant::now() + PATIENCE;
    deadline.map_or(patience, |deadline| patience.min(deadline.into()))
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
    let message = "there is no room for the answer beside those that wait to be taken by their clients, above all by this one (if it has \
                   written, outside of a transaction, that is committed); take the others first, or ask for fewer results at once";
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
    fn nobody_has_all_the_room_and_one_alone_has_what_it_needs() {
        let outgoing = Outgoing::new(8 * MB);
        let take = |number, bytes| outgoing.take(holder(number), bytes);
        let alone = take(1, 100 * MB).expect("there is no other");
        assert!(take(1, MB).is_none() && take(2, MB).is_none());
        drop(alone);
        let own: Vec<_> = (0..20).map_while(|_| take(1, MB)).collect();
        assert_eq!(own.len(), 4, "half of it");
        let other: Vec<_> = (0..20).map_while(|_| take(2, MB)).collect();
        assert_eq!(other.len(), 2, "half of the rest");
        assert!(take(3, MB).is_some(), "and so on");
        drop((own, other));
        assert_eq!(all(&outgoing), 0);
        assert!(outgoing.taken.lock().by_holder.is_empty());
    }

    #[test]
    fn any_number_is_refused_and_not_wrapped() {
        let outgoing = Outgoing::new(8 * MB);
        let huge = outgoing.take(holder(1), u64::MAX).expect("alone");
        assert!(outgoing.take(holder(1), u64::MAX).is_none() && outgoing.take(holder(2), MB).is_none());
        drop(huge);
        assert_eq!(all(&outgoing), 0);
    }
}
