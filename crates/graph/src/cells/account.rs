//! What sections take in memory, and who used them lately.
//!
//! ```text
//!                live                                   garbage
//!   ┌──────────────────────────────────┐   ┌────────────────────────────────┐
//!   │ reached through their cells      │ ─▶│ swapped out; freed when readers │ ─▶ gone
//!   └──────────────────────────────────┘   │ that may see them have ended    │
//!                                          └────────────────────────────────┘
//! ```
//!
//! Time is counted in *eras*: one passes whenever a certain share of the budget has been loaded. A section that is read
//! again in a later era than it was loaded in is wanted for more than one scan. Within an era, reading costs a reader
//! two loads and a comparison, and only the first read of an era writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

/// Something whose size in memory is known.
pub(crate) trait Weigh {
    /// Bytes, itself and what it owns.
    fn weight(&self) -> usize;
}

/// The bytes of all sections of one graph.
#[derive(Debug)]
pub(crate) struct Account {
    live: AtomicUsize,
    garbage: AtomicUsize,
    /// The most that both were together.
    most: AtomicUsize,
    era: AtomicU32,
    /// Bytes loaded in this era, and those that end it.
    loaded: AtomicUsize,
    era_bytes: usize,
}

impl Account {
    /// An empty account. An era ends when `era_bytes` were loaded.
    pub(crate) fn new(era_bytes: usize) -> Arc<Self> {
        let zero = AtomicUsize::default;
        Arc::new(Self {
            live: zero(),
            garbage: zero(),
            most: zero(),
            era: AtomicU32::new(1),
            loaded: zero(),
            era_bytes: era_bytes.max(1),
        })
    }

    /// Bytes that are reached through cells.
    pub(crate) fn live(&self) -> usize {
        self.live.load(Ordering::Relaxed)
    }

    /// Bytes that were swapped out and wait for their last readers.
    pub(crate) fn garbage(&self) -> usize {
        self.garbage.load(Ordering::Relaxed)
    }

    /// All bytes.
    pub(crate) fn total(&self) -> usize {
        self.live() + self.garbage()
    }

    /// The most that all bytes have been, as of when something was charged.
    pub(crate) fn most(&self) -> usize {
        self.most.load(Ordering::Relaxed)
    }

    fn charge(&self, bytes: usize) {
        self.live.fetch_add(bytes, Ordering::Relaxed);
        let total = self.total();
        if total > self.most() {
            self.most.fetch_max(total, Ordering::Relaxed);
        }
    }

    #[inline]
    pub(crate) fn era(&self) -> u32 {
        self.era.load(Ordering::Relaxed)
    }

    /// Counts what was loaded from disk.
    pub(crate) fn count_loaded(&self, bytes: usize) {
        if self.loaded.fetch_add(bytes, Ordering::Relaxed) + bytes >= self.era_bytes {
            self.loaded.store(0, Ordering::Relaxed);
            self.era.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A section with what the cache knows of it.
pub(crate) struct Resident<T> {
    /// The era of the last read.
    touched: AtomicU32,
    /// The era of the last read when the cache last looked.
    seen: AtomicU32,
    /// Whether the cache has it in one of its queues.
    queued: AtomicBool,
    charge: Charge,
    pub(super) section: T,
}

impl<T: Weigh> Resident<T> {
    pub(crate) fn new(section: T, account: &Arc<Account>) -> Self {
        let bytes = section.weight() + size_of::<Self>() - size_of::<T>();
        let era = account.era();
        Self {
            touched: AtomicU32::new(era),
            seen: AtomicU32::new(era),
            queued: AtomicBool::new(false),
            charge: Charge::new(bytes, account),
            section,
        }
    }
}

impl<T> Resident<T> {
    /// The section.
    #[inline]
    pub(crate) fn section(&self) -> &T {
        &self.section
    }

    /// Takes over what is known of the section that this one replaces.
    pub(super) fn inherit(&self, old: &Self) {
        self.touched.store(old.touched.load(Ordering::Relaxed), Ordering::Relaxed);
        self.seen.store(old.seen.load(Ordering::Relaxed), Ordering::Relaxed);
        self.queued.store(old.queued.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Notes that it is read.
    #[inline]
    pub(super) fn touch(&self, era: u32) {
        if self.touched.load(Ordering::Relaxed) != era {
            self.touched.store(era, Ordering::Relaxed);
        }
    }

    /// Whether it was read in another era than when this was asked before, or than it came in.
    pub(crate) fn was_touched(&self) -> bool {
        let touched = self.touched.load(Ordering::Relaxed);
        self.seen.swap(touched, Ordering::Relaxed) != touched
    }

    /// Whether the cache queues it; as of now it does, or does not.
    pub(crate) fn set_queued(&self, queued: bool) -> bool {
        self.queued.swap(queued, Ordering::Relaxed)
    }

    /// Bytes, with what is around it.
    pub(crate) fn bytes(&self) -> usize {
        self.charge.bytes.load(Ordering::Relaxed)
    }

    /// It has got `bytes` larger. Only while no other thread retires it: the writer's call.
    pub(super) fn grow(&self, bytes: usize) {
        self.charge.grow(bytes);
    }

    /// It is out of its cell.
    pub(super) fn retire(&self) {
        self.charge.retire();
    }
}

/// A part of an account, given back on drop.
struct Charge {
    bytes: AtomicUsize,
    retired: AtomicBool,
    account: Arc<Account>,
}

impl Charge {
    fn new(bytes: usize, account: &Arc<Account>) -> Self {
        account.charge(bytes);
        Self { bytes: AtomicUsize::new(bytes), retired: AtomicBool::new(false), account: Arc::clone(account) }
    }

    fn grow(&self, bytes: usize) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.account.charge(bytes);
    }

    fn retire(&self) {
        if !self.retired.swap(true, Ordering::Relaxed) {
            let bytes = self.bytes.load(Ordering::Relaxed);
            self.account.garbage.fetch_add(bytes, Ordering::Relaxed);
            self.account.live.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        let part = if *self.retired.get_mut() { &self.account.garbage } else { &self.account.live };
        part.fetch_sub(*self.bytes.get_mut(), Ordering::Relaxed);
    }
}

/// Something that takes so many bytes.
#[cfg(test)]
pub(crate) struct Bytes(pub(crate) usize);

#[cfg(test)]
impl Weigh for Bytes {
    fn weight(&self) -> usize {
        size_of::<Self>() + self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_charged_is_given_back_from_where_it_stands() {
        let account = Account::new(1000);
        let section = Resident::new(Bytes(100), &account);
        section.grow(50);
        let bytes = section.bytes();
        assert!(bytes >= 150);
        assert_eq!((account.live(), account.garbage()), (bytes, 0));
        section.retire();
        section.retire();
        assert_eq!((account.live(), account.garbage()), (0, bytes));
        let other = Resident::new(Bytes(1), &account);
        drop(section);
        assert_eq!((account.live(), account.garbage()), (other.bytes(), 0));
        drop(other);
        assert_eq!(account.total(), 0);
        assert!(account.most() >= bytes + size_of::<Resident<Bytes>>(), "as much as both were");
    }

    #[test]
    fn only_reads_of_a_later_era_count() {
        let account = Account::new(1000);
        let section = Resident::new(Bytes(100), &account);
        section.touch(account.era());
        assert!(!section.was_touched(), "read in the era it came in");
        account.count_loaded(400);
        account.count_loaded(600);
        section.touch(account.era());
        assert!(section.was_touched());
        assert!(!section.was_touched(), "not since");
    }
}
