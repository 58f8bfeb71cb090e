//! What open transactions have written, until they are committed or rolled back: bounded for all of them together.
//!
//! ```text
//! transaction ─ Held ─┐
//! transaction ─ Held ─┼─▶ HeldBytes ≤ GraphOptions::held_bytes      and the first 64 KiB of each, which nobody refuses
//! transaction ─ Held ─┘
//! ```
//!
//! A write is counted as what it takes at most, all in all: the operation, its place in the transaction's tables, its versions
//! in the overlay, what it is validated by, and its bytes once each as a value, a version, a record, a group and in the store.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{GraphError, Result};

/// Bytes of memory that a write takes beside its values: an estimate. When a million edges were committed at
/// once, some 700 each were live, with what they are validated by, which has a bound of its own.
const WRITE_BYTES: usize = 640;

/// Bytes of memory that a unit takes that was read.
const READ_BYTES: usize = 48;

/// How often the bytes of its values are in memory when it is committed.
const COPIES: usize = 5;

/// What a transaction may hold however much others do, so that a few large ones do not stop all small ones.
const FREE_BYTES: usize = 64 << 10;

/// The bytes that all open transactions hold.
#[derive(Debug)]
pub(crate) struct HeldBytes {
    bytes: AtomicUsize,
    most: usize,
}

impl HeldBytes {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { bytes: AtomicUsize::new(0), most })
    }
}

/// What one transaction holds; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    pub(super) all: Arc<HeldBytes>,
    bytes: usize,
}

impl Held {
    pub(crate) fn new(all: &Arc<HeldBytes>) -> Self {
        Self { all: Arc::clone(all), bytes: 0 }
    }

    /// Takes room for a write with so many bytes of values; nothing if it is refused.
    ///
    /// # Errors
    /// If all transactions together would hold too much: [`GraphError::Crowded`], which passes, if the others hold most of it,
    /// and [`GraphError::LimitExceeded`] if this one does.
    pub(crate) fn take(&mut self, value_bytes: usize) -> Result<()> {
        let bytes = WRITE_BYTES + COPIES * value_bytes;
        if self.take_bytes(bytes) {
            return Ok(());
        }
        let own = self.bytes + bytes;
        let limit = self.all.most as u64;
        if own <= self.all.most / 2 {
            return Err(GraphError::Crowded { limit });
        }
        Err(GraphError::LimitExceeded {
            what: "the bytes of memory of all open transactions, of which this one holds most,",
            limit,
            advice: "commit the work in several smaller transactions, or raise engine.cache: of 256 MiB to 2 GiB, it is half",
        })
    }

    /// Takes room for so many further units that were read; false, and nothing taken, if there is none.
    pub(crate) fn take_for_reads(&mut self, units: usize) -> bool {
        self.take_bytes(units * READ_BYTES)
    }

    fn take_bytes(&mut self, bytes: usize) -> bool {
        let own = self.bytes + bytes;
        // What is refused counts at no time: the others would be refused with it.
        let room = |all: usize| {
            let all = all + bytes;
            (own <= FREE_BYTES || all <= self.all.most).then_some(all)
        };
        let taken = self.all.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room).is_ok();
        if taken {
            self.bytes = own;
        }
        taken
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.all.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_holds_another_cannot_and_small_ones_always_may() {
        let all = HeldBytes::new(1 << 20);
        let mut large = Held::new(&all);
        let writes = (0..).take_while(|_| large.take(100).is_ok()).count();
        assert_eq!(writes, (1 << 20) / (WRITE_BYTES + 100 * COPIES));
        let mut small = Held::new(&all);
        let writes = (0..).take_while(|_| small.take(0).is_ok()).count();
        assert_eq!(writes, FREE_BYTES / WRITE_BYTES);
        assert!(matches!(large.take(100), Err(GraphError::LimitExceeded { limit: 0x10_0000, .. })));
        let crowded = small.take(0).unwrap_err();
        assert!(matches!(crowded, GraphError::Crowded { limit: 0x10_0000 }) && crowded.is_retryable());
        drop((large, small));
        assert_eq!(all.bytes.load(Ordering::Relaxed), 0);
        Held::new(&all).take(FREE_BYTES).unwrap();
    }

    #[test]
    fn what_was_refused_counts_as_nothing() {
        let all = HeldBytes::new(1 << 20);
        let (mut one, mut other) = (Held::new(&all), Held::new(&all));
        one.take(100_000).unwrap();
        for _ in 0..1_000 {
            other.take(200_000).unwrap_err();
        }
        assert_eq!(all.bytes.load(Ordering::Relaxed), one.bytes);
        one.take(50_000).unwrap();
        other.take(10_000).unwrap();
    }
}
