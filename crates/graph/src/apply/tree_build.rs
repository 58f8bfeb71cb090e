//! Makes a tree of a list, and loads one.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::cells::Account;
use crate::model::{Dir, TreeBounds};
use crate::sections::{
    Adjacency, AdjacencyBuilder, EdgeNode, FirstEdge, Meta, Order, SectionKey, StoredSection, TreeName,
    TreePart, TreeRoot, Windows, encode_meta, encode_root,
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
        let definer = graph.definer();
        let transaction = graph.begin();
        let hub = transaction.add_vertex(None, "hub").unwrap();
        for _ in 0..40 {
            transaction.add_edge(None, "likes", hub, hub).unwrap();
        }
        transaction.commit().unwrap();
        graph.flush().unwrap();
        definer.evict_to(0);
        let snapshot = graph.snapshot();
        let reader = snapshot.reader();
        let name = TreeName::primary(hub, snapshot.catalog().edge_label("likes").unwrap(), Dir::Out);
        let stale = reader.tree_of(name).unwrap();
        let load = definer.cache.loads.try_begin(name.key(TreePart::Root)).unwrap();
        definer.evict_to(0);
        assert!(definer.is_current(&stale, name, &reader.guard), "its root is being loaded");
        drop(load);
        definer.evict_to(0);
        assert!(!definer.is_current(&stale, name, &reader.guard));
        assert!(reader.tree_of(name).is_some(), "the section is there again, with another object");
        assert!(definer.tree_root(None, &stale, name, &reader.guard).is_err());
        assert!(stale.root.loaded(&reader.guard).is_none());
        assert_eq!(reader.tree_degree(&stale, name), 40);
        snapshot.check().unwrap();
    }
}
