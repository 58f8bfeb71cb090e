//! Whether what leads to the nodes of a tree says of them what they are.

use std::sync::Arc;

use super::reader::Reader;
use crate::model::{Dir, KeyId, slot_of};
use crate::sections::{Adjacency, EdgeNode, NodePlace, Order, Target, TreeName, TreeRoot};

impl Reader<'_> {
    /// What is wrong with the tree of a list, if it has one: a node that is not as its entry in the meta node says, or an edge
    /// that would not be found by its number or its value.
    pub(crate) fn tree_problem(&self, name: TreeName) -> Option<String> {
        let tree = match name.by {
            None => Arc::clone(self.adjacency(name.v, name.label, name.dir)?.tree(slot_of(name.v))?),
            Some(_) => self.tree_of(name)?,
        };
        let root = self.tree_root(&tree, name)?;
        root.places().find_map(|place| {
            let node = root.node(place)?;
            let section = self.node_section(node, name)?;
            node_problem(root, place, node, section, name)
                .map(|problem| format!("node {} of its edge-tree {problem}", node.id()))
        })
    }
}

fn node_problem(
    root: &TreeRoot,
    place: NodePlace,
    node: &EdgeNode,
    section: &Adjacency,
    name: TreeName,
) -> Option<String> {
    let (start, end) = section.base_range(0);
    // What the log has of it was not stored yet.
    if !node.is_dirty() && end - start != node.stored_len() as usize {
        return Some(format!("has {} edges, and {} are said", end - start, node.stored_len()));
    }
    match root.order {
        Order::Arrival => {
            let is_found = |i: usize| {
                let src = if name.dir == Dir::Out { name.v } else { section.neighbours()[i] };
                root.candidates(src, section.seqs()[i]).any(|candidate| candidate == place)
            };
            (start..end).find(|i| !is_found(*i)).map(|i| unreachable_edge(section, i))
        }
        Order::Key(key) => {
            let is_within = |i: &usize| node.span.contains(section.seqs()[*i]);
            let strayed = || (start..end).find(|i| !is_in_place(root, place, section, (*i, key)));
            (start..end).find(|i| !is_within(i)).or_else(strayed).map(|i| unreachable_edge(section, i))
        }
    }
}

/// Whether an edge is behind the first one of its node and before that of the next.
fn is_in_place(root: &TreeRoot, place: NodePlace, section: &Adjacency, (i, key): (usize, KeyId)) -> bool {
    let target = Target::Place(section.base_place(i, key));
    let is_after = |place| root.node(place).is_some_and(|node| node.first.is_after(&target));
    let has_next = root.node(root.next(place)).is_some();
    !is_after(place) && (!has_next || is_after(root.next(place)))
}

fn unreachable_edge(section: &Adjacency, i: usize) -> String {
    let (neighbour, seq) = (section.neighbours()[i].0, section.seqs()[i]);
    format!("has the edge {seq} of vertex {neighbour}, which would be looked for elsewhere")
}
