//! The place of one section: empty, on disk, or in memory.
//!
//! ```text
//!            set stored                     load (any thread)
//!   Empty ──────────────▶ Stored ─────────────────────────────▶ Loaded ──┐ replace (the writer,
//!     │                                                           ▲  ▲   │ merging delta into base)
//!     └── replace ────────────────────────────────────────────────┘  └───┘
//! ```
//!
//! Eviction (not there yet) will be one more arrow, from Loaded back to Stored.
//!
//! Soundness: a section is reached through the pointer only, under an epoch guard. Who swaps a pointer out hands it to
//! the epoch collector, which frees it once every guard that could have seen it is gone.

use crossbeam_epoch::{Atomic, Guard, Owned, Shared};
use std::sync::atomic::Ordering;

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
    pointer: Atomic<T>,
}

impl<T> SectionCell<T> {
    pub(crate) const fn empty() -> Self {
        Self { pointer: Atomic::null() }
    }

    /// What is there now.
    #[inline]
    pub(crate) fn get<'g>(&self, guard: &'g Guard) -> SectionState<'g, T> {
        state(self.pointer.load(Ordering::Acquire, guard))
    }

    /// The section, if it is in memory.
    #[inline]
    pub(crate) fn loaded<'g>(&self, guard: &'g Guard) -> Option<&'g T> {
        match self.get(guard) {
            SectionState::Loaded(section) => Some(section),
            _ => None,
        }
    }

    /// Marks an empty place as being on disk. Does nothing to a place that is not empty.
    pub(crate) fn set_stored(&self, guard: &Guard) {
        let stored = Shared::null().with_tag(STORED);
        let _ =
            self.pointer.compare_exchange(Shared::null(), stored, Ordering::AcqRel, Ordering::Acquire, guard);
    }

    /// Puts a section that was loaded in its place, unless another thread was faster; the one that is there now.
    pub(crate) fn install<'g>(&self, section: T, guard: &'g Guard) -> Option<&'g T> {
        let stored = Shared::null().with_tag(STORED);
        let exchange = self.pointer.compare_exchange(
            stored,
            Owned::new(section),
            Ordering::AcqRel,
            Ordering::Acquire,
            guard,
        );
        let now = match exchange {
            Ok(installed) => installed,
            Err(lost) => lost.current,
        };
        match state(now) {
            SectionState::Loaded(section) => Some(section),
            _ => None,
        }
    }

    /// Replaces whatever is there, and hands the old section to the collector.
    pub(crate) fn replace<'g>(&self, section: T, guard: &'g Guard) -> &'g T {
        let fresh = Owned::new(section).into_shared(guard);
        self.retire(self.pointer.swap(fresh, Ordering::AcqRel, guard), guard);
        // SAFETY: just published, and freed no earlier than after `guard`.
        unsafe { fresh.deref() }
    }

    /// Empties the place, and hands what was there to the collector.
    pub(crate) fn clear(&self, guard: &Guard) {
        self.retire(self.pointer.swap(Shared::null(), Ordering::AcqRel, guard), guard);
    }

    fn retire(&self, old: Shared<'_, T>, guard: &Guard) {
        if !old.is_null() {
            // SAFETY: it was unlinked by the swap, so no later guard can reach it; swapped out once, retired once.
            unsafe { guard.defer_destroy(old) };
        }
    }
}

#[inline]
fn state<T>(pointer: Shared<'_, T>) -> SectionState<'_, T> {
    // SAFETY: null, or published with `Release` and not freed before the guard behind its lifetime is gone.
    match unsafe { pointer.as_ref() } {
        Some(section) => SectionState::Loaded(section),
        None if pointer.tag() == STORED => SectionState::Stored,
        None => SectionState::Empty,
    }
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

    #[test]
    fn the_first_of_two_loaders_wins_and_the_other_section_is_dropped() {
        let dropped = Arc::new(AtomicUsize::new(0));
        let cell = SectionCell::empty();
        let guard = crossbeam_epoch::pin();
        assert!(matches!(cell.get(&guard), SectionState::Empty));
        cell.set_stored(&guard);
        assert!(matches!(cell.get(&guard), SectionState::Stored));
        assert_eq!(cell.install(Counted(1, dropped.clone()), &guard).map(|s| s.0), Some(1));
        assert_eq!(cell.install(Counted(2, dropped.clone()), &guard).map(|s| s.0), Some(1));
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
        cell.set_stored(&guard);
        assert!(cell.loaded(&guard).is_some(), "what is loaded is not forgotten");
        drop(cell);
        assert_eq!(dropped.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn a_reader_keeps_the_section_it_saw_while_the_writer_replaces_it() {
        let dropped = Arc::new(AtomicUsize::new(0));
        let cell = SectionCell::<Counted>::empty();
        let rounds = if cfg!(miri) { 20 } else { 1_000 };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut last = 0;
                while last < rounds {
                    let guard = crossbeam_epoch::pin();
                    let Some(section) = cell.loaded(&guard) else { continue };
                    assert!(section.0 >= last);
                    last = section.0;
                }
            });
            for round in 1..=rounds {
                let guard = crossbeam_epoch::pin();
                cell.replace(Counted(round, dropped.clone()), &guard);
            }
        });
    }
}
