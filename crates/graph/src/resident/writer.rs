//! What the one writer keeps: what differs from what is stored.

use crate::model::{DegreeTable, Tick};
use crate::sections::{EdgeTree, SectionKey, TreeName, TreePart, TreeRoot};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What the one writer keeps.
#[derive(Default)]
pub(crate) struct Writer {
    /// Sections that differ from what is stored.
    pub(crate) dirty: FxHashSet<SectionKey>,
    /// Sections that a flush is writing.
    pub(crate) flushing: FxHashSet<SectionKey>,
    /// The last commit applied.
    pub(crate) applied: Tick,
    /// The last checkpoint.
    pub(crate) checkpoint: Tick,
    /// Bytes of log since the checkpoint.
    pub(crate) log_bytes: u64,
    /// How many edges vertices have.
    pub(crate) degrees: DegreeTable,
    /// Trees that differ from what is stored.
    pub(crate) dirty_trees: FxHashMap<TreeName, Arc<EdgeTree>>,
    /// Lists whose trees have become so small that they should go back into their sections.
    pub(crate) wilted: BTreeSet<TreeName>,
    /// What the store still has of the trees of lists that went back.
    pub(crate) felled: FxHashMap<TreeName, Felled>,
    /// Lists that went back since the graph was opened.
    pub(crate) went_back: u64,
    /// Sections that could not be merged because of an old reader: how large to let the delta grow before trying again.
    pub(crate) patience: FxHashMap<SectionKey, usize>,
}

impl Writer {
    /// A writer of a graph whose sections are those of a checkpoint.
    pub(crate) fn at(checkpoint: Tick) -> Self {
        Self { applied: checkpoint, checkpoint, ..Self::default() }
    }

    /// One of those that replay the log side by side: it changes what no other one does, and knows nothing of the rest.
    pub(crate) fn replaying() -> Self {
        Self { applied: Tick::MAX, ..Self::default() }
    }

    /// Adds what such a one has changed.
    pub(crate) fn add(&mut self, part: Self) {
        self.dirty.extend(part.dirty);
        self.dirty_trees.extend(part.dirty_trees);
        self.degrees.add(&part.degrees);
    }

    /// Whether nothing differs from what is stored.
    pub(crate) fn is_clean(&self) -> bool {
        self.dirty.is_empty() && self.dirty_trees.is_empty()
    }

    /// The section was merged, by somebody else than who applies.
    pub(crate) fn forget_patience(&mut self, key: SectionKey) {
        self.patience.remove(&key);
    }

    /// Forgets a section that is not to be any more.
    pub(crate) fn forget(&mut self, key: SectionKey) {
        self.dirty.remove(&key);
        self.patience.remove(&key);
    }
}

/// What the store has of a tree that is no more.
#[derive(Default)]
pub(crate) struct Felled {
    pub(crate) parts: Vec<TreePart>,
    /// The first storage id that it did not give out.
    pub(crate) next_id: u32,
}

impl Felled {
    /// The first storage id of the tree that the same list gets again. From now on the root in the store is that one's.
    pub(crate) fn replant(&mut self) -> u32 {
        self.parts.retain(|part| *part != TreePart::Root);
        self.next_id.max(1)
    }

    pub(crate) fn add(&mut self, tree: &EdgeTree, root: &TreeRoot) {
        self.next_id = self.next_id.max(root.next_id.load(Ordering::Relaxed));
        // Without an id, a node counts as one that belongs to no tree, and stays with its readers.
        root.nodes().for_each(|node| tree.retire(TreePart::Node(node.forget_id())));
        root.metas.iter().for_each(|meta| tree.retire(TreePart::Meta(meta.id.load(Ordering::Relaxed))));
        self.parts.append(&mut tree.take_retired());
        self.parts.push(TreePart::Root);
    }
}
