//! Version chains: the stamped delta over an immutable base.
//!
//! ```text
//! Chains                 Group (32 heads)        newest                oldest
//! ┌───┬───┬───┬───┐      ┌──────┬──────┬───┐     ┌─────────────┐      ┌─────────────┐
//! │ ● │ · │ · │ ● │ ───▶ │  ●   │  ·   │ … │ ──▶ │ stamp 9, T  │ ───▶ │ stamp 4, T  │ ──▶ (base)
//! └───┴───┴───┴───┘      └──────┴──────┴───┘     └─────────────┘      └─────────────┘
//! ```
//!
//! Argument for soundness, for the whole module:
//!
//! * A node and a group are written before the pointer to them is published with `Release`, and read only through a
//!   pointer that was loaded with `Acquire`; after publication they are never written again (a group's heads are
//!   atomics).
//! * A published pointer is never unlinked while the chain lives. Nodes and groups are freed by `drop(&mut self)`
//!   only, when no reference into the chain can be left: every reference handed out borrows the chain.
//! * Pushing is a compare-and-swap loop, so even two pushing threads lose nothing. (The graph has one writer at a
//!   time; the loop then runs once.)

use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// One stamped change. Immutable.
pub(crate) struct Version<T> {
    stamp: u64,
    change: T,
    next: *const Version<T>,
}

// SAFETY: a version is immutable after publication; sharing it between threads shares `T` by reference, and dropping
// the chain on another thread moves `T` there. `next` is only followed, never written.
unsafe impl<T: Send + Sync> Send for Version<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Version<T> {}

impl<T> Version<T> {
    /// The commit (or, in a transaction's overlay, the write number) that made this version.
    #[inline]
    pub(crate) fn stamp(&self) -> u64 {
        self.stamp
    }

    /// What changed.
    #[inline]
    pub(crate) fn change(&self) -> &T {
        &self.change
    }

    /// The version before.
    #[inline]
    pub(crate) fn older(&self) -> Option<&Version<T>> {
        // SAFETY: null or a node of the same chain, published before this one and alive as long as the chain, which
        // `self` borrows.
        unsafe { self.next.as_ref() }
    }

    /// This version and all before it, newest first.
    pub(crate) fn history(&self) -> impl Iterator<Item = &Version<T>> {
        std::iter::successors(Some(self), |version| version.older())
    }

    /// The newest version, from this one on, that a snapshot at `stamp` sees.
    #[inline]
    pub(crate) fn visible(&self, stamp: u64) -> Option<&Version<T>> {
        let mut version = self;
        while version.stamp > stamp {
            version = version.older()?;
        }
        Some(version)
    }
}

/// The versions of one slot, newest first.
pub(crate) struct Chain<T> {
    head: AtomicPtr<Version<T>>,
}

impl<T> Chain<T> {
    pub(crate) const fn new() -> Self {
        Self { head: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// The newest version.
    #[inline]
    pub(crate) fn head(&self) -> Option<&Version<T>> {
        // SAFETY: null or a published node; see the module's argument.
        unsafe { self.head.load(Ordering::Acquire).as_ref() }
    }

    /// The newest version that a snapshot at `stamp` sees.
    #[inline]
    pub(crate) fn visible(&self, stamp: u64) -> Option<&Version<T>> {
        self.head()?.visible(stamp)
    }

    /// Publishes a version in front of all others.
    pub(crate) fn push(&self, stamp: u64, change: T) {
        let mut next = self.head.load(Ordering::Acquire);
        let node = Box::into_raw(Box::new(Version { stamp, change, next }));
        while let Err(newer) =
            self.head.compare_exchange_weak(next, node, Ordering::AcqRel, Ordering::Acquire)
        {
            next = newer;
            // SAFETY: `node` came from `Box::into_raw` above and is not published yet, so it is ours alone.
            unsafe { (*node).next = next };
        }
    }
}

impl<T> Drop for Chain<T> {
    fn drop(&mut self) {
        let mut node = *self.head.get_mut();
        while !node.is_null() {
            // SAFETY: `&mut self` proves that no reference into the chain is left; each node is reached once.
            let owned = unsafe { Box::from_raw(node) };
            node = owned.next.cast_mut();
        }
    }
}

const GROUP: usize = 32;

struct Group<T> {
    chains: [Chain<T>; GROUP],
}

/// A fixed number of version chains, most of them empty: heads are allocated in groups of 32 when one is needed.
pub(crate) struct Chains<T> {
    groups: Box<[AtomicPtr<Group<T>>]>,
    len: AtomicUsize,
    /// Groups that are there.
    present: AtomicUsize,
}

impl<T> Chains<T> {
    /// `slots` empty chains.
    pub(crate) fn new(slots: usize) -> Self {
        let groups = (0..slots.div_ceil(GROUP)).map(|_| AtomicPtr::default()).collect();
        Self { groups, len: AtomicUsize::new(0), present: AtomicUsize::new(0) }
    }

    /// Bytes that this takes, without the versions.
    pub(crate) fn bytes(&self) -> usize {
        let groups = self.present.load(Ordering::Relaxed) * size_of::<Group<T>>();
        size_of::<Self>() + size_of_val(&*self.groups) + groups
    }

    /// Number of slots: at least what was asked for.
    pub(crate) fn slots(&self) -> usize {
        self.groups.len() * GROUP
    }

    /// Versions in all chains together.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// The chain of `slot`, if any version was ever pushed near it.
    #[inline]
    pub(crate) fn chain(&self, slot: usize) -> Option<&Chain<T>> {
        let group = self.groups.get(slot / GROUP)?.load(Ordering::Acquire);
        // SAFETY: null or a published group; see the module's argument.
        let group = unsafe { group.as_ref()? };
        Some(&group.chains[slot % GROUP])
    }

    /// The newest version of `slot`.
    #[inline]
    pub(crate) fn head(&self, slot: usize) -> Option<&Version<T>> {
        self.chain(slot)?.head()
    }

    /// Publishes a version of `slot`.
    ///
    /// # Panics
    /// If `slot` is out of bounds.
    pub(crate) fn push(&self, slot: usize, stamp: u64, change: T) {
        self.group(slot / GROUP).chains[slot % GROUP].push(stamp, change);
        self.len.fetch_add(1, Ordering::Relaxed);
    }

    /// The slots that have a version, ascending, with their newest.
    pub(crate) fn heads(&self) -> impl Iterator<Item = (usize, &Version<T>)> {
        (0..self.groups.len()).flat_map(move |group| {
            let present = !self.groups[group].load(Ordering::Acquire).is_null();
            let slots = if present { group * GROUP..(group + 1) * GROUP } else { 0..0 };
            slots.filter_map(move |slot| Some((slot, self.head(slot)?)))
        })
    }

    fn group(&self, index: usize) -> &Group<T> {
        let cell = &self.groups[index];
        let present = cell.load(Ordering::Acquire);
        if !present.is_null() {
            // SAFETY: a published group; see the module's argument.
            return unsafe { &*present };
        }
        let fresh = Box::into_raw(Box::new(Group { chains: [const { Chain::new() }; GROUP] }));
        match cell.compare_exchange(std::ptr::null_mut(), fresh, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => {
                self.present.fetch_add(1, Ordering::Relaxed);
                // SAFETY: just published, never unlinked while `self` lives.
                unsafe { &*fresh }
            }
            Err(winner) => {
                // SAFETY: `fresh` was not published, so it is ours alone.
                drop(unsafe { Box::from_raw(fresh) });
                // SAFETY: a published group.
                unsafe { &*winner }
            }
        }
    }
}

impl<T> Drop for Chains<T> {
    fn drop(&mut self) {
        for group in &mut self.groups {
            let group = *group.get_mut();
            if !group.is_null() {
                // SAFETY: `&mut self` proves that no reference into the group is left; it came from a box.
                drop(unsafe { Box::from_raw(group) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_snapshot_sees_the_newest_version_up_to_its_stamp() {
        let chains = Chains::new(100);
        chains.push(70, 3, "three");
        chains.push(70, 8, "eight");
        let head = chains.head(70).unwrap();
        assert_eq!(head.visible(9).map(|v| *v.change()), Some("eight"));
        assert_eq!(head.visible(7).map(|v| *v.change()), Some("three"));
        assert!(head.visible(2).is_none());
        assert!(chains.head(71).is_none() && chains.head(0).is_none() && chains.head(5000).is_none());
        assert_eq!(chains.heads().map(|(slot, v)| (slot, v.stamp())).collect::<Vec<_>>(), [(70, 8)]);
    }

    #[test]
    fn readers_see_whole_versions_while_a_writer_pushes() {
        let chains = Arc::new(Chains::<Box<u64>>::new(64));
        let rounds = if cfg!(miri) { 50 } else { 5_000 };
        std::thread::scope(|scope| {
            for _ in 0..2 {
                let chains = Arc::clone(&chains);
                scope.spawn(move || {
                    let mut last = 0;
                    while last < rounds {
                        let Some(head) = chains.head(7) else { continue };
                        assert_eq!(**head.change(), head.stamp() * 3);
                        assert!(head.stamp() >= last, "the newest version never goes back");
                        last = head.stamp();
                    }
                });
            }
            for stamp in 1..=rounds {
                chains.push(7, stamp, Box::new(stamp * 3));
            }
        });
        assert_eq!(chains.len() as u64, rounds);
    }

    #[test]
    fn pushes_of_two_threads_are_all_there() {
        let chains = Chains::<u64>::new(64);
        std::thread::scope(|scope| {
            for thread in 0..2 {
                let chains = &chains;
                scope.spawn(move || (0..40).for_each(|n| chains.push(n % 3, 1, (thread * 100 + n) as u64)));
            }
        });
        let total: usize = (0..3).map(|slot| chains.head(slot).unwrap().history().count()).sum();
        assert_eq!(total, 80);
    }
}
