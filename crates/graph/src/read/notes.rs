//! What reads tell about the trees that they use or miss.

use super::list::List;
use super::reader::Reader;
use crate::model::KeyId;
use crate::sections::TreeName;

/// Nodes of a tree that are looked at to learn how much of it is in memory.
const SAMPLE: usize = 64;

/// What a read has looked at of a list whose edges it filters by a property, or the first part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filtered {
    /// Edges that it has looked at.
    pub looked_at: usize,
    /// Of these, the edges that the filter lets pass.
    pub passed: usize,
    /// Whether these are the first that it has looked at.
    pub first: bool,
}

impl Filtered {
    /// Edge nodes that were looked at, and how few a tree by the property would need: in the best case all that pass lie
    /// together, and a request takes one node at least (ByteGraph, section 4.3.2).
    fn nodes(self, edges_per_node: usize) -> (f64, f64) {
        let nodes = |edges: usize| edges as f64 / edges_per_node as f64;
        let best = nodes(self.passed).max(if self.first { 1.0 } else { 0.0 });
        (nodes(self.looked_at), best)
    }
}

impl<'r> List<'r> {
    /// Notes that this list, as it lies, was filtered by a property: whether a tree by that property pays, such notes
    /// decide. Of a list without an edge-tree, nothing is noted.
    pub fn note_filtered(self, key: KeyId, filtered: Filtered) {
        let reader = self.reader();
        let per_node = reader.memory.node_sizes.declared(self.name().label).max;
        let len = self.len();
        if !reader.memory.secondaries.is_watched(reader) || len <= per_node {
            return;
        }
        let (looked_at, best) = filtered.nodes(per_node);
        let name = self.name().by(Some(key));
        reader.memory.secondaries.note_missed(name, looked_at - best, len as f64 / per_node as f64);
    }

    /// Notes that a part of this list was read by a secondary tree, instead of all of it.
    pub fn note_used(self, filtered: Filtered) {
        let reader = self.reader();
        if self.name().by.is_none() || !reader.memory.secondaries.is_watched(reader) {
            return;
        }
        let per_node = reader.memory.node_sizes.declared(self.name().label).max;
        let whole = if filtered.first { self.len() } else { 0 };
        // Later calls take away what they have looked at from what the first one has saved.
        let saved = (whole as f64 - filtered.looked_at as f64) / per_node as f64;
        reader.memory.secondaries.note_used(self.name(), saved);
    }
}

impl crate::resident::Secondaries {
    /// Whether what a reader does counts: what transactions read, they read from the primary trees in any case.
    fn is_watched(&self, reader: &Reader<'_>) -> bool {
        reader.own.is_none()
    }
}

impl Reader<'_> {
    /// Of the trees of a list, that of which most is in memory: for who reads all of it in whatever order. None for the
    /// primary tree, or a list that has no other.
    pub(crate) fn warmest_tree(&self, list: TreeName) -> Option<KeyId> {
        if self.own.is_some() || self.memory.secondaries.is_empty() {
            return None;
        }
        let keys = self.memory.secondaries.keys_of(list, self.tick);
        if keys.is_empty() {
            return None;
        }
        // The primary tree first: it is read if none of the others has more.
        let all = std::iter::once(None).chain(keys.into_iter().map(Some));
        let by_memory = all.map(|by| (self.part_in_memory(list.by(by)), by));
        by_memory.reduce(|most, other| if other.0 > most.0 { other } else { most })?.1
    }

    /// The part of a tree's nodes that are in memory, from 0 to 1, by a sample: whoever begins to read a list may want
    /// little of it.
    fn part_in_memory(&self, name: TreeName) -> f64 {
        let Some(tree) = self.tree_of(name) else { return 0.0 };
        let Some(root) = tree.root.loaded(&self.guard) else { return 0.0 };
        let nodes: usize = root.metas.iter().map(|meta| meta.nodes.len()).sum();
        let sample = root.nodes().step_by(nodes.div_ceil(SAMPLE).max(1));
        let (mut looked_at, mut loaded) = (0, 0);
        for node in sample {
            looked_at += 1;
            loaded += usize::from(node.cell.loaded(&self.guard).is_some());
        }
        f64::from(loaded as u32) / f64::from(looked_at.max(1))
    }
}
