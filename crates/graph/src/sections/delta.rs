//! The delta of one section.

use std::sync::OnceLock;

use crate::cells::{Chains, Version};
use crate::model::Tick;

/// Versions that a delta does not need to exceed before it is merged, however large the base.
pub(super) const LARGEST: usize = 4096;

/// Stamped versions over a base, allocated with the first of them. A reader of a section without a delta pays one
/// branch.
pub(crate) struct Delta<T> {
    chains: OnceLock<Box<Chains<T>>>,
}

impl<T> Delta<T> {
    pub(crate) const fn new() -> Self {
        Self { chains: OnceLock::new() }
    }

    /// Whether there never was a version.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.chains.get().is_none()
    }

    /// Makes room for versions of `slots` before there is one: from now on the delta does not count as empty.
    pub(crate) fn open(&self, slots: usize) {
        self.chains.get_or_init(|| Box::new(Chains::new(slots)));
    }

    /// The newest version of `slot`.
    #[inline]
    pub(crate) fn head(&self, slot: usize) -> Option<&Version<T>> {
        self.chains.get()?.head(slot)
    }

    /// The newest version of `slot` that a snapshot at `stamp` sees.
    #[inline]
    pub(crate) fn visible(&self, slot: usize, stamp: Tick) -> Option<&Version<T>> {
        self.head(slot)?.visible(stamp)
    }

    /// Publishes a version; a delta that is new has room for `slots`.
    pub(crate) fn push(&self, slots: usize, slot: usize, stamp: Tick, change: T) {
        self.chains.get_or_init(|| Box::new(Chains::new(slots))).push(slot, stamp, change);
    }

    /// All slots with a version, ascending, each with its newest.
    pub(crate) fn heads(&self) -> impl Iterator<Item = (usize, &Version<T>)> {
        self.chains.get().into_iter().flat_map(|chains| chains.heads())
    }

    /// Versions in all.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.chains.get().map_or(0, |chains| chains.len())
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
        let chains = self.chains.get()?;
        let mut versions = chains.heads().flat_map(|(_, head)| head.history());
        versions.find(|version| convert(version.change()).is_some())?;
        let converted = Self::new();
        for (slot, head) in chains.heads() {
            let versions: Vec<_> = head.history().collect();
            for version in versions.into_iter().rev() {
                let change = convert(version.change()).unwrap_or_else(|| version.change().clone());
                converted.push(chains.slots(), slot, version.stamp(), change);
            }
        }
        Some(converted)
    }

    /// A delta with copies of the versions after `stamp`, without those of the slot that is left out.
    pub(crate) fn newer_than(&self, stamp: Tick, left_out: Option<usize>) -> Self {
        let newer = Self::new();
        let Some(chains) = self.chains.get() else { return newer };
        let mut versions = Vec::new();
        for (slot, head) in chains.heads().filter(|(slot, _)| Some(*slot) != left_out) {
            versions.extend(head.history().take_while(|version| version.stamp() > stamp));
            for version in versions.drain(..).rev() {
                newer.push(chains.slots(), slot, version.stamp(), version.change().clone());
            }
        }
        newer
    }
}
