//! A tree whose list was sorted anew: older snapshots go on reading it as it was.
//!
//! ```text
//! snapshots      ──── up to `former_until` ────┬──── later ────▶
//! root               former                    │     root
//!                      │                       │       │
//! edge nodes     │ 7 2 9 │ 1 8 3 │             │  │ 1 2 3 │ 7 8 9 │      of both, in memory or under ids of their own in the store
//! ```
//!
//! The former root is complete for those snapshots, and nothing changes in it any more. It stays in memory until the last of
//! them has ended, and so does the section that leads to the tree; its nodes may leave memory, if they are in the store as they
//! are. Then their storage ids are retired, and the next flush deletes them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossbeam_epoch::Guard;

use super::root::TreeRoot;
use super::{EdgeTree, TreePart};
use crate::Tick;
use crate::memory::Account;

impl EdgeTree {
    /// The root that a snapshot at `tick` reads instead of the newest one.
    #[inline]
    pub(crate) fn former<'g>(&self, tick: Tick, guard: &'g Guard) -> Option<&'g TreeRoot> {
        if tick > self.former_until.load(Ordering::Acquire) { None } else { self.former.loaded(guard) }
    }

    /// Whether there is one.
    pub(crate) fn has_former(&self) -> bool {
        self.former_until.load(Ordering::Acquire) != 0
    }

    /// The root that older snapshots read, whichever they are.
    pub(crate) fn any_former<'g>(&self, guard: &'g Guard) -> Option<&'g TreeRoot> {
        self.former.loaded(guard)
    }

    /// Puts another root in the place of `old`, which snapshots up to `until` go on reading. The writer's call, when no
    /// snapshot is newer than that and there is no former root.
    pub(crate) fn replace_root(
        &self,
        (old, until): (TreeRoot, Tick),
        new: TreeRoot,
        account: &Arc<Account>,
        guard: &Guard,
    ) {
        self.former.replace(old, account, guard);
        self.former_until.store(until, Ordering::Release);
        self.root.replace(new, account, guard);
    }

    /// Forgets the former root, once no snapshot reads it; what is stored of it is retired. The writer's call; whether there
    /// was one.
    pub(crate) fn forget_former(&self, watermark: Tick, guard: &Guard) -> bool {
        if watermark <= self.former_until.load(Ordering::Acquire) {
            return false;
        }
        let Some(former) = self.former.loaded(guard) else { return false };
        // Without an id, a node counts as one that belongs to no tree.
        former.nodes().for_each(|node| self.retire(TreePart::Node(node.forget_id())));
        former.metas.iter().for_each(|meta| self.retire(TreePart::Meta(meta.id.load(Ordering::Relaxed))));
        self.former_until.store(0, Ordering::Release);
        self.former.clear(guard);
        true
    }
}
