//! Lists on their way back from trees into sections.
//!
//! ```text
//! writer     removes edges ─▶ few are left: wilted ─┐                     ┌─▶ may become a tree again, with other storage ids
//! flush                                             └▶ packed ─▶ written ─┴─▶ checkpoint ─▶ nodes deleted
//!                                                     (nobody flushes meanwhile)
//! ```
//!
//! A list goes back when a flush begins, not with the commit that made it small: no flush then is writing its tree, and a
//! list that grows again before has not moved. It goes when every change of it is behind the watermark, so that no reader needs
//! a version of it, when it has no secondary trees, nor any that somebody could still be reading, and when tree and section lie
//! in the same order for whoever may be reading: positions are then the same before and after, and who stands in the list goes on. Until then it is tried again by every flush.
//!
//! In memory the tree lives for as long as a reader has hold of it. In the store it stays until the checkpoint names the
//! section that has the list, and readers of evicted roots that lead to its nodes have gone. Should the list become a tree again
//! before, its nodes get storage ids that the old one does not have: a crash may leave the old root, or the new one over it.
//! What a crash leaves of a tree that is no more is deleted when the list becomes one again.

use std::collections::BTreeMap;
use std::sync::Arc;

use crossbeam_epoch::Guard;

use crate::error::Result;
use crate::model::{Tick, slot_of};
use crate::resident::{Memory, Writer};
use crate::sections::{Adjacency, EdgeTree, SectionKey, SectionName, TreeName, TreeRoot, tree_prefix};

/// A tree that goes.
struct Leaving<'g> {
    name: TreeName,
    tree: Arc<EdgeTree>,
    root: &'g TreeRoot,
}

impl Memory {
    /// Moves lists whose trees have become small back into their sections. For who flushes, before it looks what is to be
    /// written. What cannot be loaded now stays as it is.
    pub(crate) fn uproot_wilted(&self) {
        let mut sections: BTreeMap<SectionKey, Vec<TreeName>> = BTreeMap::new();
        for &name in &self.lock_writer().wilted {
            let key = SectionKey::of(name.v, SectionName::Adjacency(name.label, name.dir));
            sections.entry(key).or_default().push(name);
        }
        let mut moved = 0;
        for (key, names) in sections {
            if moved > 0 && self.cache.is_far_over() {
                // What has moved must be written before more is loaded.
                return;
            }
            let mut writer = self.lock_writer();
            match self.uproot(key, &names, &mut writer) {
                Ok(lists) => moved += lists,
                Err(error) => {
                    tracing::warn!(%error, %key, "a list that has become short keeps its edge-tree for now");
                }
            }
            // Commits may go on between two sections.
            parking_lot::MutexGuard::unlock_fair(writer);
        }
    }

    /// Moves those of a section's lists that can go; how many.
    fn uproot(&self, key: SectionKey, names: &[TreeName], writer: &mut Writer) -> Result<usize> {
        let guard = crossbeam_epoch::pin();
        let Some(cell) = self.list_cell(key) else { return Ok(0) };
        let Some(section) = self.section(cell, || key, &guard)? else { return Ok(0) };
        let watermark = self.settled_stamp(writer);
        let (mut leaving, mut lists) = (Vec::new(), Vec::new());
        for &name in names {
            if self.secondaries.has_any(name) {
                continue;
            }
            let Some(tree) = self.leaving(section, name, watermark, writer, &guard)? else { continue };
            let nodes = tree.root.nodes().map(|node| self.edge_node(None, node, name, &guard));
            lists.push((slot_of(name.v), nodes.collect::<Result<Vec<&Adjacency>>>()?));
            leaving.push(tree);
        }
        if leaving.is_empty() {
            return Ok(0);
        }
        cell.replace(section.merged_with(watermark, &lists), &self.cache.account, &guard);
        writer.dirty.insert(key);
        let moved = leaving.len();
        writer.went_back += moved as u64;
        for Leaving { name, tree, root } in leaving {
            writer.wilted.remove(&name);
            writer.dirty_trees.remove(&name);
            writer.felled.entry(name).or_default().add(&tree, root);
        }
        Ok(moved)
    }

    /// The tree of a list, if it can go now. If it need not go any more, it counts as wilted no longer.
    fn leaving<'g>(
        &self,
        section: &Adjacency,
        name: TreeName,
        watermark: Tick,
        writer: &mut Writer,
        guard: &'g Guard,
    ) -> Result<Option<Leaving<'g>>> {
        let Some(tree) = section.tree(slot_of(name.v)) else {
            writer.wilted.remove(&name);
            return Ok(None);
        };
        let root = self.tree_root(None, tree, name, guard)?;
        let is_long = root.degree(Tick::MAX) as usize > self.node_sizes.declared(name.label).packed_again();
        // By a key that is not declared any more it can lie as a tree.
        if is_long || root.order != section.order && !self.resorts.is_turning(name.label) {
            writer.wilted.remove(&name);
            return Ok(None);
        }
        let same_order = root.order == section.order && !section.is_between_orders();
        let is_sorted_anew = tree.has_former() || self.resorts.is_building(name);
        let can_go =
            root.is_settled(watermark) && same_order && !is_sorted_anew && !self.secondaries.has_any(name);
        Ok(can_go.then(|| Leaving { name, tree: Arc::clone(tree), root }))
    }

    /// Deletes what is in the store of trees that a list has had before this process; for a list that is about to get one. (A
    /// crash, or evicted roots that were read until the end, has kept it from being deleted.) No section leads there: the list
    /// was packed when the graph was opened, or went back and is stored so.
    pub(crate) fn clear_ground(&self, name: TreeName) {
        if let Err(error) = self.sections.delete_all(&tree_prefix(name)) {
            tracing::warn!(%error, ?name, "what is left of an older edge-tree of this list takes up space");
        }
    }

    /// The keys of trees that have gone, once nobody can be reading anything there. After a flush; before another one.
    ///
    /// Whatever the cache keeps of the same lists was kept before, and can be deleted at the same time.
    pub(crate) fn take_felled(&self, writer: &mut Writer) -> Vec<SectionKey> {
        if self.cache.has_evicted_roots_since(self.timeline.watermark().bits()) {
            return Vec::new();
        }
        let felled = std::mem::take(&mut writer.felled).into_iter();
        felled.flat_map(|(name, felled)| felled.parts.into_iter().map(move |part| name.key(part))).collect()
    }
}

#[cfg(test)]
mod tests {
    use store::MemoryStore;

    use super::*;
    use crate::graph::Graph;
    use crate::model::{Dir, GraphOptions, SecondaryOptions, TreeBounds};
    use crate::read::Place;
    use crate::sections::TreePart;
    use values::EdgeRef;

    fn open() -> Graph {
        let tree = TreeBounds { min: 2, max: 8, fan_out: 3 };
        let secondary = SecondaryOptions { builders: 0, ..SecondaryOptions::default() };
        let options = GraphOptions { tree, secondary, keeper: false, ..GraphOptions::default() };
        Graph::open(Arc::new(MemoryStore::new()), options).unwrap()
    }

    /// A reader finds a section that leads to a tree. Before it asks for the root, the section leaves memory, and the list
    /// goes back: the tree it has hold of leads nowhere.
    #[test]
    fn who_came_by_a_section_that_was_evicted_finds_the_list_where_it_is_now() {
        let graph = open();
        let definer = graph.definer();
        let transaction = graph.begin();
        let hub = transaction.add_vertex(None, "hub").unwrap();
        let edges: Vec<EdgeRef> =
            (0..40).map(|_| transaction.add_edge(None, "likes", hub, hub).unwrap()).collect();
        transaction.commit().unwrap();
        let old = graph.snapshot();
        let transaction = graph.begin();
        edges[3..].iter().for_each(|e| transaction.drop_edge(*e).unwrap());
        transaction.commit().unwrap();
        // The old snapshot holds it back.
        graph.flush().unwrap();
        drop(old);
        definer.evict_to(0);
        let transaction = graph.begin();
        transaction.add_vertex(None, "other").unwrap();
        transaction.commit().unwrap();
        let snapshot = graph.snapshot();
        let reader = snapshot.reader();
        let name = TreeName::primary(hub, snapshot.catalog().edge_label("likes").unwrap(), Dir::Out);
        let stale = reader.tree_of(name).unwrap();
        definer.evict_to(0);
        assert!(definer.tree_in_memory(name, &reader.guard).is_none(), "the section was to leave memory");
        graph.flush().unwrap();
        assert_eq!(graph.stats().lists_packed_again, 2, "out-edges and in-edges");
        assert!(
            definer.sections.stored_bytes(name.key(TreePart::Root)).is_err(),
            "the tree was to be deleted"
        );
        assert_eq!(reader.tree_degree(&stale, name), 3);
        assert_eq!(reader.tree_run(&stale, name, &mut Place::at(1)).neighbours(), [hub; 3]);
        assert!(reader.find_in_tree(&stale, name, edges[2].seq).is_some());
        assert!(reader.find_in_tree(&stale, name, edges[3].seq).is_none());
        snapshot.check().unwrap();
    }
}
