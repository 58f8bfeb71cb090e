//! Edge-trees: adjacency lists that have outgrown their place in a section (ByteGraph, section 4.1).
//!
//! ```text
//! section of the block      root node                 meta nodes                 edge nodes
//! │ slot 17: ● tree │ ───▶ │ degree, order        │   │ first edge │ node ● │──▶ │ neighbours │ seqs │ columns │ delta │
//!                          │ first edge │ meta ●  │─▶ │ first edge │ node ● │──▶ │ …
//!                          │ first edge │ meta ●  │   │ …
//! ```
//!
//! * A tree has three levels. On disk every node is one key-value pair; while all edge nodes fit one meta node, the root
//!   holds it itself.
//! * An edge node is an adjacency section with one slot: an immutable base and stamped versions over it. At the end of a
//!   list a full node is left as it is and the next one is begun; in the midst of a list by sort key a full node is split
//!   in half. Two small neighbours are merged.
//! * The root holds the exact degree as of every snapshot. Root and meta nodes are immutable: a split makes new ones and
//!   swaps the pointer to the root, so readers never wait. Who read the old root finds in the old edge nodes everything
//!   its snapshot can see.
//! * Storage ids are given out when a node is first flushed. A node whose range of the list shrinks gets a new one, so
//!   that an older root on disk, should a crash leave it there, still leads to everything that belongs to it.
//! * A list whose tree has become small goes back into its section with the next flush (`apply/uproot.rs`).

mod change;
mod codec;
mod node;
mod root;
mod windows;

pub(crate) use change::TreeChange;
pub(crate) use codec::{Below, StoredMeta, StoredRoot, encode_meta, encode_root};
pub(crate) use node::{EdgeNode, FirstEdge, Target};
pub(crate) use root::{Meta, NodePlace, TreeRoot};
pub(crate) use windows::{Span, Windows};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crossbeam_epoch::Guard;
use parking_lot::Mutex;

use super::key::SectionKey;
use crate::cells::{Account, SectionCell};
use crate::model::{Dir, EdgeLabelId, KeyId, Tick};
use values::VertexRef;

/// The place of a tree. Its name, a [`TreeName`], is known to whoever comes here.
pub(crate) struct EdgeTree {
    pub(crate) root: SectionCell<TreeRoot>,
    /// The list as it lay before it was sorted anew, for the snapshots up to `former_until`: see `lists/resort`.
    pub(crate) former: SectionCell<TreeRoot>,
    /// The last snapshot that reads `former`; 0 if there is none.
    pub(crate) former_until: AtomicU64,
    /// Storage ids on disk that the next root will not lead to.
    retired: Mutex<Vec<TreePart>>,
    /// Whether the store has a root of it.
    pub(crate) stored: AtomicBool,
    /// Whether a flush is writing it.
    pub(crate) flushing: AtomicBool,
}

impl EdgeTree {
    /// A tree that is on disk.
    pub(crate) fn stored() -> Self {
        let tree = Self::empty(true);
        tree.root.set_stored(&crossbeam_epoch::pin());
        tree
    }

    /// A tree that is new.
    pub(crate) fn new(root: TreeRoot, account: &Arc<Account>) -> Self {
        let tree = Self::empty(false);
        tree.root.replace(root, account, &crossbeam_epoch::pin());
        tree
    }

    fn empty(stored: bool) -> Self {
        let (stored, flushing) = (AtomicBool::new(stored), AtomicBool::new(false));
        let (former, former_until) = (SectionCell::empty(), AtomicU64::new(0));
        Self { root: SectionCell::empty(), former, former_until, retired: Mutex::default(), stored, flushing }
    }

    /// The root that a snapshot at `tick` reads instead of the newest one. To be asked for behind that, of the same tree: the
    /// newest is replaced last, so whoever has a new one finds the former here.
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

    /// Whether a flush is writing it.
    pub(crate) fn is_flushing(&self) -> bool {
        self.flushing.load(Ordering::Relaxed)
    }

    /// Whether a section that leads to the tree can be stored.
    pub(crate) fn is_stored(&self) -> bool {
        self.stored.load(Ordering::Relaxed)
    }

    /// Takes the storage ids that the next root will not lead to: for who deletes what is there.
    pub(crate) fn take_retired(&self) -> Vec<TreePart> {
        std::mem::take(&mut self.retired.lock())
    }

    /// These storage ids, which stay.
    pub(crate) fn retired(&self) -> Vec<TreePart> {
        self.retired.lock().clone()
    }

    /// Notes that what is stored there belongs to no list any more.
    pub(crate) fn retire(&self, part: TreePart) {
        if !matches!(part, TreePart::Meta(0) | TreePart::Node(0)) {
            self.retired.lock().push(part);
        }
    }
}

/// Whose list a tree is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct TreeName {
    pub(crate) v: VertexRef,
    pub(crate) label: EdgeLabelId,
    pub(crate) dir: Dir,
    /// The property that a secondary tree is sorted by; none of the primary.
    pub(crate) by: Option<KeyId>,
}

impl TreeName {
    /// The primary tree of a list.
    pub(crate) fn primary(v: VertexRef, label: EdgeLabelId, dir: Dir) -> Self {
        Self { v, label, dir, by: None }
    }

    /// The tree of the same list that is sorted by a property, or the primary.
    pub(crate) fn by(self, by: Option<KeyId>) -> Self {
        Self { by, ..self }
    }

    /// The key of a part of the tree in the store.
    pub(crate) fn key(self, part: TreePart) -> SectionKey {
        SectionKey::Tree { name: self, part }
    }
}

/// Which node of a tree; storage ids begin with 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum TreePart {
    Root,
    Meta(u32),
    Node(u32),
}
