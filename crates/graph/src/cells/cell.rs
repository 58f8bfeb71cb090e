//! The place of one section: empty, on disk, or in memory.
//!
//! ```text
//!            set stored              load (any thread, one at a time)
//!   Empty ──────────────▶ Stored ─────────────────────────────▶ Loaded ──┐ replace (the writer,
//!     │                      ▲                                    │  ▲   │ merging delta into base)
//!     │                      └──────── evict (the writer) ────────┘  │   │
//!     └── replace ───────────────────────────────────────────────────┴───┘
//! ```
//!
//! Who loads a section must be the only one to load it (see `cache::Loads`): between its reading and its installing,
//! another one's section could have been loaded, changed, flushed and evicted, and the old one would come back.
//!
//! Soundness: a section is reached through the pointer only, under an epoch guard. Who swaps a pointer out hands it to
//! the epoch collector, which frees it once every guard that could have seen it is gone.

use crossbeam_epoch::{Atomic, Guard, Owned, Shared};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::account::{Account, Resident, Weigh};

/// Tag of the null pointer that stands for a section on disk.
const STORED: usize = 1;

/// What a [`SectionCell`] holds.
pub(crate) enum SectionState<'g, T> {
    /// There is no such section.
    Empty,
    /// It must be loaded first.
    Stored,
    /// Here it is, for as long as the guard lives.
    Loaded(&'g T),
}

/// A pointer to a section, swapped atomically.
pub(crate) struct SectionCell<T> {
    pointer: Atomic<Resident<T>>,
}

impl<T> SectionCell<T> {
    pub(crate) const fn empty() -> Self {
        Self { pointer: Atomic::null() }
    }

    /// What is there now.
    #[inline]
    pub(crate) fn get<'g>(&self, guard: &'g Guard) -> SectionState<'g, T> {
        let pointer = self.pointer.load(Ordering::Acquire, guard);
        match resident(pointer) {
            Some(resident) => SectionState::Loaded(&resident.section),
            None if pointer.tag() == STORED => SectionState::Stored,
            None => SectionState::Empty,
        }
    }

    /// What is there now, for a read that counts as one in `era`.
    #[inline]
    pub(crate) fn read<'g>(&self, era: u32, guard: &'g Guard) -> SectionState<'g, T> {
        let pointer = self.pointer.load(Ordering::Acquire, guard);
        match resident(pointer) {
            Some(resident) => {
                resident.touch(era);
                SectionState::Loaded(&resident.section)
            }
            None if pointer.tag() == STORED => SectionState::Stored,
            None => SectionState::Empty,
        }
    }

    /// Whether there is a section, in memory or on disk.
    #[inline]
    pub(crate) fn is_there(&self, guard: &Guard) -> bool {
        let pointer = self.pointer.load(Ordering::Acquire, guard);
        resident(pointer).is_some() || pointer.tag() == STORED
    }

    /// The section, if it is in memory.
    #[inline]
    pub(crate) fn loaded<'g>(&self, guard: &'g Guard) -> Option<&'g T> {
        self.resident(guard).map(|resident| &resident.section)
    }

    /// What the cache knows of the section, if it is in memory.
    #[inline]
    pub(crate) fn resident<'g>(&self, guard: &'g Guard) -> Option<&'g Resident<T>> {
        resident(self.pointer.load(Ordering::Acquire, guard))
    }

    /// Marks an empty place as being on disk. Does nothing to a place that is not empty.
    pub(crate) fn set_stored(&self, guard: &Guard) {
        let stored = Shared::null().with_tag(STORED);
        let _ =
            self.pointer.compare_exchange(Shared::null(), stored, Ordering::AcqRel, Ordering::Acquire, guard);
    }

    /// Forgets a section in memory that is on disk just as it is; its bytes. The call of whoever may write.
    pub(crate) fn evict(&self, guard: &Guard) -> usize {
        let current = self.pointer.load(Ordering::Acquire, guard);
        let Some(section) = resident(current) else { return 0 };
        let stored = Shared::null().with_tag(STORED);
        let swapped =
            self.pointer.compare_exchange(current, stored, Ordering::AcqRel, Ordering::Acquire, guard);
        if swapped.is_err() {
            return 0;
        }
        self.retire(current, guard);
        section.bytes()
    }

    /// Empties the place, and hands what was there to the collector.
    pub(crate) fn clear(&self, guard: &Guard) {
        self.retire(self.pointer.swap(Shared::null(), Ordering::AcqRel, guard), guard);
    }

    /// Counts `bytes` that the section has grown by. The writer's call.
    pub(crate) fn grow(&self, bytes: usize, guard: &Guard) {
        if let Some(resident) = self.resident(guard) {
            resident.grow(bytes);
        }
    }

    fn retire(&self, old: Shared<'_, Resident<T>>, guard: &Guard) {
        if let Some(section) = resident(old) {
            section.retire();
            // SAFETY: it was unlinked by the swap, so no later guard can reach it; swapped out once, retired once.
            unsafe { guard.defer_destroy(old) };
        }
    }
}

impl<T: Weigh> SectionCell<T> {
    /// Puts a section that was loaded in its place, unless there is one; the one that is there now.
    pub(crate) fn install<'g>(
        &self,
        section: T,
        account: &Arc<Account>,
        guard: &'g Guard,
    ) -> Option<&'g Resident<T>> {
        let stored = Shared::null().with_tag(STORED);
        let exchange = self.pointer.compare_exchange(
            stored,
            Owned::new(Resident::new(section, account)),
            Ordering::AcqRel,
            Ordering::Acquire,
            guard,
        );
        resident(exchange.unwrap_or_else(|lost| lost.current))
    }

    /// Replaces whatever is there, and hands the old section to the collector.
    pub(crate) fn replace<'g>(&self, section: T, account: &Arc<Account>, guard: &'g Guard) -> &'g T {
        let fresh = Resident::new(section, account);
        if let Some(old) = self.resident(guard) {
            fresh.inherit(old);
        }
        let fresh = Owned::new(fresh).into_shared(guard);
        self.retire(self.pointer.swap(fresh, Ordering::AcqRel, guard), guard);
        // SAFETY: just published, and freed no earlier than after `guard`.
        unsafe { &fresh.deref().section }
    }
}

#[inline]
fn resident<'g, T>(pointer: Shared<'g, Resident<T>>) -> Option<&'g Resident<T>> {
    // SAFETY: null, or published with `Release` and not freed before the guard behind its lifetime is gone.
    unsafe { pointer.as_ref() }
}

impl<T> Drop for SectionCell<T> {
    fn drop(&mut self) {
        // SAFETY: `&mut self` proves that nobody else reaches the cell.
        let guard = unsafe { crossbeam_epoch::unprotected() };
        let pointer = self.pointer.load(Ordering::Relaxed, guard);
        if !pointer.is_null() {
            // SAFETY: as above; the pointer came from an `Owned`.
            drop(unsafe { pointer.into_owned() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    struct Counted(u64, Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.1.fetch_add(1, Ordering::SeqCst);
        }
    }
    impl Weigh for Counted {
        fn weight(&self) -> usize {
            size_of::<Self>()
        }
    }

    #[test]
    fn the_first_of_two_loaders_wins_and_the_other_section_is_dropped() {
        let (dropped, account) = (Arc::new(AtomicUsize::new(0)), Account::new(1));
        let cell = SectionCell::empty();
        let guard = crossbeam_epoch::pin();
        let load = |number| cell.install(Counted(number, dropped.clone()), &account, &guard);
        assert!(matches!(cell.get(&guard), SectionState::Empty));
        cell.set_stored(&guard);
        assert!(matches!(cell.get(&guard), SectionState::Stored));
        assert_eq!(load(1).map(|s| s.section().0), Some(1));
        assert_eq!(load(2).map(|s| s.section().0), Some(1));
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
        cell.set_stored(&guard);
        assert!(cell.loaded(&guard).is_some(), "what is loaded is not forgotten");
        drop(cell);
        assert_eq!((dropped.load(Ordering::SeqCst), account.total()), (2, 0));
    }

    #[test]
    fn a_section_that_is_evicted_can_be_read_by_who_saw_it_and_loaded_again() {
        let (dropped, account) = (Arc::new(AtomicUsize::new(0)), Account::new(1));
        let cell = SectionCell::empty();
        let guard = crossbeam_epoch::pin();
        cell.set_stored(&guard);
        assert_eq!(cell.evict(&guard), 0, "there is nothing");
        let section = cell.install(Counted(1, dropped.clone()), &account, &guard).unwrap();
        assert_eq!(cell.evict(&guard), section.bytes());
        assert!(matches!(cell.get(&guard), SectionState::Stored));
        assert_eq!(section.section().0, 1);
        assert_eq!((account.live(), account.garbage()), (0, section.bytes()));
        let again = cell.install(Counted(2, dropped.clone()), &account, &guard).unwrap();
        assert_eq!(again.section().0, 2);
    }

    #[test]
    fn a_reader_keeps_the_section_it_saw_while_the_writer_replaces_and_evicts_it() {
        let (dropped, account) = (Arc::new(AtomicUsize::new(0)), Account::new(1));
        let cell = SectionCell::<Counted>::empty();
        let rounds = if cfg!(miri) { 20 } else { 1_000 };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut last = 0;
                while last < rounds {
                    let guard = crossbeam_epoch::pin();
                    let SectionState::Loaded(section) = cell.read(account.era(), &guard) else { continue };
                    assert!(section.0 >= last);
                    last = section.0;
                }
            });
            for round in 1..=rounds {
                let guard = crossbeam_epoch::pin();
                match round % 3 {
                    0 => {
                        cell.evict(&guard);
                        cell.install(Counted(round, dropped.clone()), &account, &guard);
                    }
                    _ => drop(cell.replace(Counted(round, dropped.clone()), &account, &guard)),
                }
            }
        });
    }
}
