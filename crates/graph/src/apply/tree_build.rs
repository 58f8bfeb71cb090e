//! Makes a tree of a list, and loads one.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossbeam_epoch::Guard;

use crate::cache::{Entry, Request};
use crate::cells::{Account, SectionState};
use crate::core::Core;
use crate::error::{GraphError, Result};
use crate::model::{Dir, TreeBounds, adjacency_number, slot_of, vertex_at};
use crate::sections::{
    Adjacency, AdjacencyBuilder, Below, EdgeNode, EdgeTree, FirstEdge, Meta, Order, SectionKey, SectionName,
    StoredMeta, StoredRoot, StoredSection, TreeName, TreePart, TreeRoot, Windows, encode_meta, encode_root,
};

/// A list on its way into a tree.
pub(crate) struct TreeBuild<'a> {
    /// The list, as the only slot of a section without changes.
    pub(crate) list: &'a Adjacency,
    pub(crate) dir: Dir,
    pub(crate) bounds: TreeBounds,
    /// The first storage id that it may use.
    pub(crate) first_id: u32,
    /// What its nodes in memory count to.
    pub(crate) account: &'a Arc<Account>,
}

impl TreeBuild<'_> {
    /// The tree in memory.
    pub(crate) fn root(&self) -> TreeRoot {
        let guard = crossbeam_epoch::pin();
        let (start, end) = self.list.base_range(0);
        let mut nodes: Vec<Arc<EdgeNode>> = Vec::new();
        let mut from = start;
        while from < end || nodes.is_empty() {
            let to = end.min(from + self.fill());
            let windows = self.windows(nodes.last().and_then(|node| node.windows.as_ref()), from..to);
            let first = if from == start { FirstEdge::Least } else { first_edge(self.list, from) };
            let section = part(self.list, from..to);
            nodes.push(Arc::new(EdgeNode::fresh(section, first, windows, self.account, &guard)));
            from = to;
        }
        let metas = nodes.chunks(self.bounds.fan_out).map(|nodes| Meta::new(0, true, nodes.into()));
        let (settled, order) = (self.list.settled, self.list.order);
        TreeRoot::new(settled, order, self.first_id, (end - start) as u32, metas.collect())
    }

    /// The tree as it is stored: its nodes, encoded, with the types of this version of the schema.
    pub(crate) fn stored(&self, name: TreeName, schema: u64) -> Vec<(SectionKey, Vec<u8>)> {
        let root = self.root();
        let guard = crossbeam_epoch::pin();
        let mut next = root.next_id.load(Ordering::Relaxed);
        let mut parts = Vec::new();
        for node in root.nodes() {
            let id = node.assign_id(&mut next);
            if let Some(section) = node.cell.loaded(&guard) {
                node.set_stored_len(section.neighbours().len() as u32);
                parts.push((name.key(TreePart::Node(id)), section.encode(schema)));
            }
        }
        if root.metas.len() > 1 {
            for meta in root.metas.iter() {
                meta.id.store(next, Ordering::Relaxed);
                parts.push((name.key(TreePart::Meta(next)), encode_meta(meta)));
                next += 1;
            }
        }
        root.next_id.store(next, Ordering::Relaxed);
        parts.push((name.key(TreePart::Root), encode_root(&root, root.settled)));
        parts
    }

    /// Edges of a new node: all it can hold where the list grows at its end, else with room to grow.
    fn fill(&self) -> usize {
        match self.list.order {
            Order::Arrival => self.bounds.max,
            Order::Key(_) => (self.bounds.min + self.bounds.max).div_ceil(2).max(1),
        }
    }

    fn windows(&self, before: Option<&Windows>, range: std::ops::Range<usize>) -> Option<Windows> {
        if self.list.order != Order::Arrival {
            return None;
        }
        let windows = before.map_or_else(|| Windows::first(self.dir), Windows::after);
        for i in range {
            windows.include(self.list.neighbours()[i], self.list.seqs()[i], before);
        }
        Some(windows)
    }
}

/// A node that begins with the edge at a base position.
pub(crate) fn first_edge(list: &Adjacency, position: usize) -> FirstEdge {
    match list.order {
        Order::Arrival => FirstEdge::Least,
        Order::Key(key) => FirstEdge::at(list.base_place(position, key)),
    }
}

/// Some base positions as an edge node.
pub(crate) fn part(list: &Adjacency, range: std::ops::Range<usize>) -> Adjacency {
    let mut builder = AdjacencyBuilder::new(list.order, range.len());
    builder.copy(list, range);
    builder.end_slot();
    builder.finish(list.settled).into_node()
}

impl Core {
    /// The root of a tree, loaded together with its meta nodes if it is on disk.
    pub(crate) fn tree_root<'g>(
        &self,
        tree: &EdgeTree,
        name: TreeName,
        guard: &'g Guard,
    ) -> Result<&'g TreeRoot> {
        self.tree_root_for(None, tree, name, guard)
    }

    /// As [`Core::tree_root`], on behalf of a request if there is one.
    pub(crate) fn tree_root_for<'g>(
        &self,
        request: Option<&Arc<Request>>,
        tree: &EdgeTree,
        name: TreeName,
        guard: &'g Guard,
    ) -> Result<&'g TreeRoot> {
        match tree.root.read(self.cache.account.era(), guard) {
            SectionState::Loaded(root) => Ok(root),
            // The writer may have loaded it meanwhile, and written it elsewhere.
            _ => self
                .load_tree(request, tree, name, guard)
                .or_else(|error| tree.root.loaded(guard).ok_or(error)),
        }
    }

    #[cold]
    fn load_tree<'g>(
        &self,
        request: Option<&Arc<Request>>,
        tree: &EdgeTree,
        name: TreeName,
        guard: &'g Guard,
    ) -> Result<&'g TreeRoot> {
        self.make_room(false);
        let key = name.key(TreePart::Root);
        let is_absent = || tree.root.loaded(guard).is_none();
        let _load = loop {
            if let Some(load) = self.begin_load(key, request, is_absent)? {
                break load;
            }
            // Somebody else has loaded it; unless it has been evicted since.
            if let Some(root) = tree.root.loaded(guard) {
                return Ok(root);
            }
        };
        // The section stays for as long as the load lasts. If it has left before, whoever asks comes by it again.
        let current = self.tree_in_memory(name, guard);
        if !current.is_some_and(|current| std::ptr::eq(&*current, tree)) {
            return Err(nowhere(key));
        }
        let (mut stored, _): (StoredRoot, _) = self.sections.load(key)?;
        let below = std::mem::replace(&mut stored.below, Below::Metas(Box::default()));
        let metas: Arc<[Arc<Meta>]> = match below {
            Below::Nodes(nodes) => [nodes.into_meta(0)].into(),
            Below::Metas(ids) => ids
                .iter()
                .map(|&id| {
                    let (meta, _): (StoredMeta, _) = self.sections.load(name.key(TreePart::Meta(id)))?;
                    Ok(meta.into_meta(id))
                })
                .collect::<Result<_>>()?,
        };
        let root = stored.into_root(metas);
        self.settle_in(&tree.root, root, key, || Entry::Section(key), guard).ok_or_else(|| nowhere(key))
    }

    /// A tree, if the section that leads to it is in memory; secondary ones always are known.
    pub(crate) fn tree_in_memory(&self, name: TreeName, guard: &Guard) -> Option<Arc<EdgeTree>> {
        if name.by.is_some() {
            return self.secondaries.tree(name);
        }
        let cell = self.blocks.block(name.v)?.adjacency.get(adjacency_number(name.label, name.dir))?;
        cell.loaded(guard)?.tree(slot_of(name.v)).cloned()
    }

    /// Whether this is the object of the tree that the section leads to now.
    pub(crate) fn is_current(&self, tree: &Arc<EdgeTree>, name: TreeName, guard: &Guard) -> bool {
        self.tree_in_memory(name, guard).is_some_and(|current| Arc::ptr_eq(&current, tree))
    }

    /// The trees that a section in memory leads to.
    pub(crate) fn trees_of(&self, key: SectionKey, guard: &Guard) -> Vec<(TreeName, Arc<EdgeTree>)> {
        let SectionKey::Block { stripe, tablet, name: SectionName::Adjacency(label, dir) } = key else {
            return Vec::new();
        };
        let Some(block) = self.blocks.stripe(stripe.into()).map(|stripe| stripe.block(tablet.into())) else {
            return Vec::new();
        };
        let section = block.adjacency.get(adjacency_number(label, dir)).and_then(|cell| cell.loaded(guard));
        let trees = section.into_iter().flat_map(|section| section.trees());
        let name = |slot| TreeName::primary(vertex_at(stripe, tablet, slot), label, dir);
        trees.map(|(slot, tree)| (name(*slot), Arc::clone(tree))).collect()
    }

    /// The section of an edge node.
    pub(crate) fn edge_node<'g>(
        &self,
        node: &Arc<EdgeNode>,
        name: TreeName,
        guard: &'g Guard,
    ) -> Result<&'g Adjacency> {
        self.edge_node_for(None, node, name, guard)
    }

    /// As [`Core::edge_node`], on behalf of a request if there is one.
    pub(crate) fn edge_node_for<'g>(
        &self,
        request: Option<&Arc<Request>>,
        node: &Arc<EdgeNode>,
        name: TreeName,
        guard: &'g Guard,
    ) -> Result<&'g Adjacency> {
        if let SectionState::Loaded(section) = node.cell.read(self.cache.account.era(), guard) {
            return Ok(section);
        }
        // The writer may load it meanwhile, and give it another place in the store.
        let key = || name.key(TreePart::Node(node.id()));
        match self.load(request, &node.cell, key, || Entry::node(node), guard) {
            Ok(Some(section)) => Ok(section),
            Ok(None) => Err(nowhere(key())),
            Err(error) => node.cell.loaded(guard).ok_or(error),
        }
    }
}

fn nowhere(key: SectionKey) -> GraphError {
    GraphError::Corrupt { what: key.to_string(), problem: "it is neither on disk nor in memory".into() }
}

#[cfg(test)]
mod tests {
    use store::MemoryStore;

    use super::*;
    use crate::graph::Graph;
    use crate::model::{Dir, GraphOptions, TreeBounds};

    /// A root in an object that nothing leads to any more would be taken for one of now by who has hold of the object.
    #[test]
    fn a_section_stays_while_a_root_is_loaded_and_later_none_is_loaded_into_what_it_led_to() {
        let options = GraphOptions {
            tree: TreeBounds { min: 2, max: 8, fan_out: 3 },
            keeper: false,
            ..GraphOptions::default()
        };
        let graph = Graph::open(Arc::new(MemoryStore::new()), options).unwrap();
        let core = graph.core();
        let transaction = graph.begin();
        let hub = transaction.add_vertex(None, "hub").unwrap();
        for _ in 0..40 {
            transaction.add_edge(None, "likes", hub, hub).unwrap();
        }
        transaction.commit().unwrap();
        graph.flush().unwrap();
        core.evict_to(0);
        let snapshot = graph.snapshot();
        let reader = snapshot.reader();
        let name = TreeName::primary(hub, snapshot.catalog().edge_label("likes").unwrap(), Dir::Out);
        let stale = reader.tree_of(name).unwrap();
        let load = core.cache.loads.try_begin(name.key(TreePart::Root)).unwrap();
        core.evict_to(0);
        assert!(core.is_current(&stale, name, &reader.guard), "its root is being loaded");
        drop(load);
        core.evict_to(0);
        assert!(!core.is_current(&stale, name, &reader.guard));
        assert!(reader.tree_of(name).is_some(), "the section is there again, with another object");
        assert!(core.tree_root(&stale, name, &reader.guard).is_err());
        assert!(stale.root.loaded(&reader.guard).is_none());
        assert_eq!(reader.tree_degree(&stale, name), 40);
        snapshot.check().unwrap();
    }
}
