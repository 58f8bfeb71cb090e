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

/// What somebody's open transactions may hold together: a bound beside that of all transactions.
pub trait Allowance: Send + Sync {
    /// Takes so many bytes; false, and nothing taken, if that is too much. What `must` be is taken in any case.
    fn take(&self, bytes: usize, must: bool) -> bool;

    /// Gives bytes back that were taken.
    fn give_back(&self, bytes: usize);
}

/// What one transaction holds; given back when it is dropped.
pub(crate) struct Held {
    all: Arc<HeldBytes>,
    bytes: usize,
    /// What it is taken from, too.
    allowance: Option<Arc<dyn Allowance>>,
}

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Held").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// Whose bound there is no room in.
enum Full {
    /// That of all transactions.
    All,
    /// That of whoever has this one.
    Allowance,
}

impl Held {
    pub(crate) fn new(all: &Arc<HeldBytes>) -> Self {
        Self { all: Arc::clone(all), bytes: 0, allowance: None }
    }

    /// The same, taken from an allowance, too.
    pub(crate) fn taken_from(mut self, allowance: Arc<dyn Allowance>) -> Self {
        self.allowance = Some(allowance);
        self
    }

    /// Of another one, which holds nothing yet.
    pub(crate) fn another(&self) -> Self {
        Self { all: Arc::clone(&self.all), bytes: 0, allowance: self.allowance.clone() }
    }

    /// Bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes room for a write with so many bytes of values; nothing if it is refused.
    ///
    /// # Errors
    /// If all transactions together would hold too much: [`GraphError::Crowded`], which passes, if the others hold most of it,
    /// and [`GraphError::LimitExceeded`] if this one does.
    pub(crate) fn take(&mut self, value_bytes: usize) -> Result<()> {
        let bytes = WRITE_BYTES + COPIES * value_bytes;
        let (own, limit) = (self.bytes + bytes, self.all.most as u64);
        Err(match self.take_bytes(bytes) {
            Ok(()) => return Ok(()),
            Err(Full::Allowance) => GraphError::LimitExceeded {
                what: "the bytes of memory of this transaction and all others of whoever has it",
                limit: own as u64,
                advice: "commit the work in several smaller transactions, or end some of the others first",
            },
            Err(Full::All) if own <= self.all.most / 2 => GraphError::Crowded { limit },
            Err(Full::All) => GraphError::LimitExceeded {
                what: "the bytes of memory of all open transactions, of which this one holds most,",
                limit,
                advice: "commit the work in several smaller transactions, or raise engine.cache: of 256 MiB to 2 GiB, it is half",
            },
        })
    }

    /// Takes room for so many further units that were read; false, and nothing taken, if there is none.
    pub(crate) fn take_for_reads(&mut self, units: usize) -> bool {
        self.take_bytes(units * READ_BYTES).is_ok()
    }

    fn take_bytes(&mut self, bytes: usize) -> Result<(), Full> {
        let own = self.bytes + bytes;
        // What is refused counts at no time: the others would be refused with it.
        let room = |all: usize| {
            let all = all + bytes;
            (own <= FREE_BYTES || all <= self.all.most).then_some(all)
        };
        if let Some(allowance) = &self.allowance
            && !allowance.take(bytes, own <= FREE_BYTES)
        {
            return Err(Full::Allowance);
        }
        if self.all.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room).is_err() {
            self.allowance.iter().for_each(|allowance| allowance.give_back(bytes));
            return Err(Full::All);
        }
        self.bytes = own;
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.all.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
        if let Some(allowance) = &self.allowance {
            allowance.give_back(self.bytes);
        }
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

    /// Room for so many bytes, whatever else.
    struct Purse(AtomicUsize, usize);

    impl Allowance for Purse {
        fn take(&self, bytes: usize, must: bool) -> bool {
            let room = |all: usize| (must || all + bytes <= self.1).then_some(all + bytes);
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room).is_ok()
        }

        fn give_back(&self, bytes: usize) {
            self.0.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    #[test]
    fn what_an_allowance_does_not_leave_is_refused_though_others_leave_it() {
        let all = HeldBytes::new(4 << 20);
        let purse = Arc::new(Purse(AtomicUsize::new(0), 1 << 20));
        let held = || Held::new(&all).taken_from(purse.clone());
        let (mut one, mut other) = (held(), held());
        one.take(200_000).unwrap();
        assert!(matches!(one.take(100_000), Err(GraphError::LimitExceeded { .. })));
        other.take(1_000).unwrap();
        assert!(other.take(100_000).is_err(), "it is of both");
        Held::new(&all).take(100_000).unwrap();
        assert_eq!(purse.0.load(Ordering::Relaxed), one.bytes + other.bytes);
        let third = one.another();
        drop((one, other, third));
        assert_eq!((purse.0.load(Ordering::Relaxed), all.bytes.load(Ordering::Relaxed)), (0, 0));
    }
}
