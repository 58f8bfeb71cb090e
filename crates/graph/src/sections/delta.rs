//! The delta of one section.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::cells::{Chain, Chains, Version};
use crate::model::Tick;

/// Versions that a delta does not need to exceed before it is merged, however large the base.
pub(super) const LARGEST: usize = 4096;

/// What the allocator keeps beside a version, at most: blocks of 64 bytes and more come in steps of a fifth.
const ROUNDED: usize = 16;

/// Stamped versions over a base, allocated with the first of them. A reader of a section without a delta pays one
/// branch.
///
/// ```text
/// first    slot │ chain of its versions          chains    the versions of all other slots, from the second slot on
/// ```
///
/// The slot that has a version first has a place of its own, since most sections of a label with few vertices never have another:
/// the chains of 1,024 slots take half a kilobyte for one version.
pub(crate) struct Delta<T> {
    first: OnceLock<First<T>>,
    chains: OnceLock<Box<Chains<T>>>,
}

/// The first slot that had a version.
struct First<T> {
    slot: u32,
    versions: AtomicU32,
    chain: Chain<T>,
}

impl<T> Delta<T> {
    pub(crate) const fn new() -> Self {
        Self { first: OnceLock::new(), chains: OnceLock::new() }
    }

    /// Whether there never was a version.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first.get().is_none() && self.chains.get().is_none()
    }

    /// Makes room for versions of `slots` before there is one: from now on the delta does not count as empty.
    pub(crate) fn open(&self, slots: usize) {
        self.chains.get_or_init(|| Box::new(Chains::new(slots)));
    }

    /// The newest version of `slot`.
    #[inline]
    pub(crate) fn head(&self, slot: usize) -> Option<&Version<T>> {
        let first = self.first.get()?;
        if first.slot as usize == slot { first.chain.head() } else { self.chains.get()?.head(slot) }
    }

    /// The newest version of `slot` that a snapshot at `stamp` sees.
    #[inline]
    pub(crate) fn visible(&self, slot: usize, stamp: Tick) -> Option<&Version<T>> {
        self.head(slot)?.visible(stamp)
    }

    /// Publishes a version; a delta that is new has room for `slots`.
    ///
    /// # Panics
    /// If `slot` is none of them.
    pub(crate) fn push(&self, slots: usize, slot: usize, stamp: Tick, change: T) {
        let new = || First { slot: slot as u32, versions: AtomicU32::new(0), chain: Chain::new() };
        let first = self.first.get_or_init(new);
        if first.slot as usize == slot {
            first.chain.push(stamp, change);
            first.versions.fetch_add(1, Ordering::Relaxed);
        } else {
            self.chains.get_or_init(|| Box::new(Chains::new(slots))).push(slot, stamp, change);
        }
    }

    /// All slots with a version, ascending, each with its newest.
    pub(crate) fn heads(&self) -> impl Iterator<Item = (usize, &Version<T>)> {
        let mut first = self.first.get().and_then(|first| Some((first.slot as usize, first.chain.head()?)));
        let mut rest = self.chains.get().into_iter().flat_map(|chains| chains.heads()).peekable();
        std::iter::from_fn(move || match (first, rest.peek()) {
            (Some((slot, _)), Some(other)) if other.0 < slot => rest.next(),
            (Some(_), _) => first.take(),
            (None, _) => rest.next(),
        })
    }

    /// Versions in all.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        let first = self.first.get().map_or(0, |first| first.versions.load(Ordering::Relaxed) as usize);
        first + self.chains.get().map_or(0, |chains| chains.len())
    }

    /// Bytes of all versions and of what leads to them, without what their values point to.
    pub(crate) fn bytes(&self) -> usize {
        let chains = self.chains.get().map_or(0, |chains| chains.bytes());
        chains + self.len() * (size_of::<Version<T>>() + ROUNDED)
    }

    /// Slots that a copy needs room for, if it has several.
    fn slots(&self) -> usize {
        self.chains.get().map_or(0, |chains| chains.slots())
    }

    /// Versions up to `stamp`.
    pub(crate) fn count_up_to(&self, stamp: Tick) -> usize {
        self.heads().flat_map(|(_, head)| head.history()).filter(|version| version.stamp() <= stamp).count()
    }

    /// Whether the delta is large enough beside a base of `rows` to be merged: merging then costs a constant factor
    /// over the writes that made it grow, until bases have 16,384 rows; from there on the cost grows, slowly (a list of
    /// a million edges is copied in some milliseconds), but looking for one edge in a hub's versions stays cheap.
    pub(crate) fn is_ripe(&self, smallest: usize, rows: usize) -> bool {
        self.len() > smallest.max((rows / 4).min(LARGEST))
    }
}

impl<T: Clone> Delta<T> {
    /// A delta of the same versions with other changes, where `convert` has one; nothing if it has none.
    pub(crate) fn converted(&self, convert: impl Fn(&T) -> Option<T>) -> Option<Self> {
        let mut versions = self.heads().flat_map(|(_, head)| head.history());
        versions.find(|version| convert(version.change()).is_some())?;
        let converted = Self::new();
        for (slot, head) in self.heads() {
            let versions: Vec<_> = head.history().collect();
            for version in versions.into_iter().rev() {
                let change = convert(version.change()).unwrap_or_else(|| version.change().clone());
                converted.push(self.slots(), slot, version.stamp(), change);
            }
        }
        Some(converted)
    }

    /// A delta with copies of the versions after `stamp`, without those of the slot that is left out.
    pub(crate) fn newer_than(&self, stamp: Tick, left_out: Option<usize>) -> Self {
        let newer = Self::new();
        let mut versions = Vec::new();
        for (slot, head) in self.heads().filter(|(slot, _)| Some(*slot) != left_out) {
            versions.extend(head.history().take_while(|version| version.stamp() > stamp));
            for version in versions.drain(..).rev() {
                newer.push(self.slots(), slot, version.stamp(), version.change().clone());
            }
        }
        newer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(versions: &[(usize, Tick, u32)]) -> Delta<u32> {
        let delta = Delta::new();
        versions.iter().for_each(|&(slot, stamp, change)| delta.push(100, slot, stamp, change));
        delta
    }

    fn all(delta: &Delta<u32>) -> Vec<(usize, Vec<(Tick, u32)>)> {
        let version = |version: &Version<u32>| (version.stamp(), *version.change());
        delta.heads().map(|(slot, head)| (slot, head.history().map(version).collect())).collect()
    }

    #[test]
    fn the_slot_that_came_first_is_found_and_told_like_any_other() {
        let delta = of(&[(40, 1, 7), (3, 2, 8), (70, 2, 9), (40, 5, 10)]);
        let expected = [(3, vec![(2, 8)]), (40, vec![(5, 10), (1, 7)]), (70, vec![(2, 9)])];
        assert_eq!((all(&delta), delta.len(), delta.count_up_to(2)), (expected.to_vec(), 4, 3));
        assert_eq!(delta.visible(40, 4).map(|version| *version.change()), Some(7));
        assert!(delta.head(41).is_none() && delta.visible(3, 1).is_none() && !delta.is_empty());
    }

    #[test]
    fn a_copy_has_what_is_newer_and_room_for_more() {
        let delta = of(&[(40, 1, 7), (3, 2, 8), (70, 2, 9), (40, 5, 10)]);
        let newer = delta.newer_than(1, Some(3));
        assert_eq!(all(&newer), [(40, vec![(5, 10)]), (70, vec![(2, 9)])]);
        newer.push(100, 99, 6, 11);
        assert_eq!(all(&newer).len(), 3);
        // Of a slot alone, which leads to no other, and then has others beside it.
        let alone = of(&[(40, 1, 7), (40, 5, 10)]).newer_than(1, None);
        alone.push(100, 0, 6, 12);
        assert_eq!(all(&alone), [(0, vec![(6, 12)]), (40, vec![(5, 10)])]);
        let converted = delta.converted(|change| (*change == 9).then_some(1)).unwrap();
        assert_eq!(all(&converted)[2], (70, vec![(2, 1)]));
        assert!(delta.converted(|_| None).is_none() && Delta::<u32>::new().newer_than(0, None).is_empty());
    }

    #[test]
    fn one_version_takes_a_fifth_of_what_the_chains_of_all_slots_do() {
        let (one, two) = (of(&[(5, 1, 1)]), of(&[(5, 1, 1), (6, 1, 1)]));
        assert!(one.bytes() > 0 && one.bytes() * 5 < two.bytes(), "{} and {}", one.bytes(), two.bytes());
        assert_eq!(Delta::<u32>::new().bytes(), 0);
    }
}
