//! How large the edge nodes of each label get: larger where reads dominate, smaller where writes do (ByteGraph, section 4.1).
//!
//! ```text
//! scale    -2      -1       0        1        2          of the bounds that were configured
//! max     500   1,000   2,000    4,000    8,000
//!           ◀─ eight changes for a read    eight reads for a change ─▶      a step per period
//! ```
//!
//! A change rewrites a node when it is flushed, and all of it; a read that goes through a list costs a lookup per node.
//! Changes of a list's last node do not count: a list that grows at its end leaves full nodes behind, however large.
//!
//! Nodes have the size that was right when they were split, begun or merged. When a list leaves its section is not
//! touched by this. Neither are labels whose schema says how large nodes get ([`NodeBounds`]): who declares it knows better
//! than a count of the last few seconds, and would not find his number there if it moved.

use std::sync::atomic::{AtomicBool, AtomicI8, AtomicU64, Ordering};

use parking_lot::RwLock;
use rustc_hash::FxHashMap;

use crate::model::{EdgeLabelId, NodeBounds, Schema, TreeBounds};

/// Labels that are told apart; more share their places.
const LABELS: usize = 256;

/// How many times one kind of access must outnumber the other.
const DOMINANCE: u64 = 8;

/// Fewer reads and changes in a period say nothing.
const ENOUGH: u64 = 1_000;

/// How far bounds may move: by powers of two.
const MOST: i8 = 2;

/// How the trees of one label are used.
#[derive(Default)]
struct Mix {
    /// Lists that somebody began to read.
    lists: AtomicU64,
    /// Edge nodes read, and nodes in the midst of lists changed.
    reads: AtomicU64,
    changes: AtomicU64,
    /// The same when the period began.
    reads_before: AtomicU64,
    changes_before: AtomicU64,
    scale: AtomicI8,
}

/// How the edge-trees of one edge label are used, since the graph was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TreeUse {
    /// Times that somebody began to read a list, or a part of one.
    pub lists: u64,
    /// Edge nodes that were read for that: their number for each list is the read amplification.
    pub nodes_read: u64,
    /// Changes of nodes in the midst of lists, each of which has the node rewritten.
    pub nodes_changed: u64,
    /// Edges that a node which is made now may hold.
    pub node_edges: usize,
}

/// How the trees of all labels are used, and the bounds that follow from it.
pub(crate) struct NodeSizes {
    base: TreeBounds,
    labels: Box<[Mix; LABELS]>,
    /// What the schema says; mostly nothing, which costs one look.
    declared: RwLock<FxHashMap<EdgeLabelId, NodeBounds>>,
    any_declared: AtomicBool,
}

impl NodeSizes {
    pub(crate) fn new(base: TreeBounds, schema: &Schema) -> Self {
        let sizes = Self {
            base,
            labels: Box::new(std::array::from_fn(|_| Mix::default())),
            declared: RwLock::default(),
            any_declared: AtomicBool::new(false),
        };
        sizes.declare(schema);
        sizes
    }

    /// Takes over what a schema says, for nodes that are made from now on.
    pub(crate) fn declare(&self, schema: &Schema) {
        let declared: FxHashMap<_, _> = schema.node_bounds().collect();
        let mut places = self.declared.write();
        self.any_declared.store(!declared.is_empty(), Ordering::Relaxed);
        *places = declared;
    }

    fn declared_of(&self, label: EdgeLabelId) -> Option<TreeBounds> {
        if !self.any_declared.load(Ordering::Relaxed) {
            return None;
        }
        self.declared.read().get(&label).map(|declared| declared.of_tree(self.base))
    }

    /// The bounds of a label that do not follow its use: those that are declared, or else configured. They say when a list
    /// leaves its section, and when it goes back.
    pub(crate) fn declared(&self, label: EdgeLabelId) -> TreeBounds {
        self.declared_of(label).unwrap_or(self.base)
    }

    fn mix(&self, label: EdgeLabelId) -> &Mix {
        &self.labels[label.index() % LABELS]
    }

    /// Counts an edge node that is read.
    #[inline]
    pub(crate) fn count_read(&self, label: EdgeLabelId) {
        self.mix(label).reads.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a change of a node that is not the last of its list.
    pub(crate) fn count_change(&self, label: EdgeLabelId) {
        self.mix(label).changes.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a list, or a part of one, that somebody begins to read.
    #[inline]
    pub(crate) fn count_list(&self, label: EdgeLabelId) {
        self.mix(label).lists.fetch_add(1, Ordering::Relaxed);
    }

    /// How the trees of a label are used. (Of more than 256 labels, some are counted together.)
    pub(crate) fn of(&self, label: EdgeLabelId) -> TreeUse {
        let mix = self.mix(label);
        TreeUse {
            lists: mix.lists.load(Ordering::Relaxed),
            nodes_read: mix.reads.load(Ordering::Relaxed),
            nodes_changed: mix.changes.load(Ordering::Relaxed),
            node_edges: self.bounds(label).max,
        }
    }

    /// The bounds of nodes that are made now.
    pub(crate) fn bounds(&self, label: EdgeLabelId) -> TreeBounds {
        let adapted = || scaled(self.base, self.mix(label).scale.load(Ordering::Relaxed));
        self.declared_of(label).unwrap_or_else(adapted)
    }

    /// Ends a period.
    pub(crate) fn adapt(&self) {
        for mix in self.labels.iter() {
            let (all_reads, all_changes) =
                (mix.reads.load(Ordering::Relaxed), mix.changes.load(Ordering::Relaxed));
            let reads = all_reads.wrapping_sub(mix.reads_before.load(Ordering::Relaxed));
            let changes = all_changes.wrapping_sub(mix.changes_before.load(Ordering::Relaxed));
            if reads + changes >= ENOUGH {
                mix.reads_before.store(all_reads, Ordering::Relaxed);
                mix.changes_before.store(all_changes, Ordering::Relaxed);
                let scale = mix.scale.load(Ordering::Relaxed) + step(reads, changes);
                mix.scale.store(scale.clamp(-MOST, MOST), Ordering::Relaxed);
            }
        }
    }
}

/// Where the bounds go.
fn step(reads: u64, changes: u64) -> i8 {
    if reads >= changes.saturating_mul(DOMINANCE) {
        1
    } else if changes >= reads.saturating_mul(DOMINANCE) {
        -1
    } else {
        0
    }
}

fn scaled(base: TreeBounds, scale: i8) -> TreeBounds {
    let by = |edges: usize| match scale {
        0.. => edges << scale,
        _ => edges >> -scale,
    };
    TreeBounds { min: by(base.min), max: by(base.max), ..base }.clamped()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABEL: EdgeLabelId = EdgeLabelId(3);

    fn period(sizes: &NodeSizes, reads: u64, changes: u64) -> (usize, usize) {
        (0..reads).for_each(|_| sizes.count_read(LABEL));
        (0..changes).for_each(|_| sizes.count_change(LABEL));
        sizes.adapt();
        let TreeBounds { min, max, .. } = sizes.bounds(LABEL);
        (min, max)
    }

    #[test]
    fn nodes_grow_where_reads_dominate_and_shrink_where_changes_do_within_bounds() {
        let sizes = NodeSizes::new(TreeBounds::default(), &Schema::default());
        assert_eq!(period(&sizes, 500, 499), (1_000, 2_000), "too little to say anything");
        assert_eq!(period(&sizes, 3_000, 1_000), (1_000, 2_000), "of both there is much");
        assert_eq!(period(&sizes, 8_000, 1_000), (2_000, 4_000));
        assert_eq!(period(&sizes, 2_000, 0), (4_000, 8_000));
        assert_eq!(period(&sizes, 2_000, 0), (4_000, 8_000));
        assert_eq!(period(&sizes, 0, 2_000), (2_000, 4_000));
        for _ in 0..5 {
            period(&sizes, 0, 2_000);
        }
        assert_eq!(period(&sizes, 10, 2_000), (250, 500));
        assert_eq!(sizes.bounds(EdgeLabelId(4)).max, 2_000, "other labels are as they were");
        let used = sizes.of(LABEL);
        assert_eq!((used.nodes_read, used.node_edges), (15_510, 500), "{used:?}");
    }

    #[test]
    fn the_smallest_nodes_still_hold_two() {
        let sizes = NodeSizes::new(TreeBounds { min: 1, max: 2, fan_out: 2 }, &Schema::default());
        for _ in 0..3 {
            period(&sizes, 0, 2_000);
        }
        assert_eq!(period(&sizes, 0, 2_000), (0, 2));
    }
}
