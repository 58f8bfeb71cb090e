//! Reads of trees.

use values::VertexRef;

use super::node::EdgeNode;
use super::root::{NodePlace, TreeRoot};
use super::write::belongs_behind;
use super::{EdgeTree, TreeName};
use crate::list::Run;
use crate::section::{Adjacency, FoundEdge, MergedList, Order, OwnChanges};
use crate::{Dir, EdgeLabelId, Reader};

/// Where a reader stands in an adjacency list: a position, and in a tree the node that holds it. A new one stands at the
/// beginning. Positions are stable for a snapshot, so a place may be kept for as long as the snapshot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// The next edge to look at.
    pub position: usize,
    /// The tree that `node` is of.
    version: u64,
    node: NodePlace,
    /// The position of the first edge of `node`.
    first: usize,
}

impl Place {
    /// A place at a position.
    pub fn at(position: usize) -> Self {
        Self { position, ..Self::default() }
    }
}

impl Reader<'_> {
    /// The root of a tree; a failure to load it is kept in the snapshot.
    pub(crate) fn tree_root<'s>(&'s self, tree: &EdgeTree, name: TreeName) -> Option<&'s TreeRoot> {
        match self.core.tree_root(tree, name, &self.guard) {
            Ok(root) => Some(root),
            Err(error) => {
                self.snapshot().fail(error);
                None
            }
        }
    }

    /// The length of a tree's list, without the transaction's own changes.
    pub(crate) fn tree_degree(&self, tree: &EdgeTree, name: TreeName) -> usize {
        self.tree_root(tree, name).map_or(0, |root| root.degree(self.tick) as usize)
    }

    /// The out-edge with a sequence number in a tree's list.
    pub(crate) fn find_in_tree(&self, tree: &EdgeTree, name: TreeName, seq: u32) -> Option<FoundEdge<'_>> {
        let root = self.tree_root(tree, name)?;
        let find = |node: &EdgeNode| self.node_section(node, name)?.find(0, self.tick, seq);
        match root.order {
            Order::Arrival => root.candidates(name.v, seq).find_map(|place| find(root.node(place)?)),
            Order::Key(_) => root.nodes().find_map(|node| find(node)),
        }
    }

    /// The run of a tree's list that holds a place; empty at the end of the list.
    pub(crate) fn tree_run<'s>(&'s self, tree: &EdgeTree, name: TreeName, place: &mut Place) -> Run<'s> {
        let TreeName { v, label, dir } = name;
        let Some(root) = self.tree_root(tree, name) else { return Run::empty(v, label, dir) };
        let own = self.own_changes(v, label, dir);
        let total = self.list_len(v, label, dir) as usize;
        if place.version != root.version || place.first > place.position {
            (place.version, place.node, place.first) = (root.version, NodePlace::default(), 0);
        }
        while let Some(node) = root.node(place.node) {
            let in_place = NodeView { reader: self, root, name, node, place: place.node };
            if own.is_none() && place.first + node.len_at(self.tick, &self.guard) <= place.position {
                place.first += node.len_at(self.tick, &self.guard);
            } else if let Some(run) = in_place.run(own.as_ref()) {
                if place.position < place.first + run.neighbours().len() {
                    return run.part_of(place.first, total);
                }
                place.first += run.neighbours().len();
            }
            place.node = root.next(place.node);
        }
        Run::empty(v, label, dir).part_of(total.max(place.position), total)
    }

    /// What the transaction has done to a list.
    pub(crate) fn own_changes(&self, v: VertexRef, label: EdgeLabelId, dir: Dir) -> Option<OwnChanges<'_>> {
        let own = self.own?.list(v, label, dir)?;
        Some(OwnChanges::of(Some(own)))
    }

    fn node_section(&self, node: &EdgeNode, name: TreeName) -> Option<&Adjacency> {
        match self.core.edge_node(node, name, &self.guard) {
            Ok(section) => Some(section),
            Err(error) => {
                self.snapshot().fail(error);
                None
            }
        }
    }
}

/// An edge node, read by a snapshot.
struct NodeView<'s, 'n> {
    reader: &'s Reader<'s>,
    root: &'n TreeRoot,
    name: TreeName,
    node: &'n EdgeNode,
    place: NodePlace,
}

impl<'s> NodeView<'s, '_> {
    /// Its part of the list.
    fn run(&self, own: Option<&OwnChanges<'s>>) -> Option<Run<'s>> {
        let TreeName { v, label, dir } = self.name;
        let section: &'s Adjacency = self.reader.node_section(self.node, self.name)?;
        let range = section.base_range(0);
        let committed = section.delta.visible(0, self.reader.tick);
        if committed.is_none() && own.is_none() {
            return Some(Run::base(v, label, dir, section, range));
        }
        let own = own.map(|own| self.own_part(own));
        let merged = MergedList::new(Some(section), range, committed, own.as_ref(), self.root.order);
        Some(Run::merged(v, label, dir, merged))
    }

    /// The transaction's own changes, with those inserts that belong into this node.
    fn own_part(&self, own: &OwnChanges<'s>) -> OwnChanges<'s> {
        let next = self.root.node(self.root.next(self.place));
        match self.root.order {
            // What the transaction adds, it adds at the end.
            Order::Arrival if next.is_none() => own.clone(),
            Order::Arrival => own.without_inserts(),
            order @ Order::Key(_) => own.with_inserts(|change, cells| {
                belongs_behind(&self.node.first, change, cells, order)
                    && next.is_none_or(|next| !belongs_behind(&next.first, change, cells, order))
            }),
        }
    }
}

/// Iterates over the runs of a list.
pub(crate) struct Runs<'r> {
    reader: &'r Reader<'r>,
    name: TreeName,
    place: Place,
    ended: bool,
}

impl<'r> Runs<'r> {
    pub(crate) fn new(reader: &'r Reader<'r>, name: TreeName) -> Self {
        Self { reader, name, place: Place::default(), ended: false }
    }
}

impl<'r> Iterator for Runs<'r> {
    type Item = Run<'r>;

    fn next(&mut self) -> Option<Run<'r>> {
        if self.ended {
            return None;
        }
        let TreeName { v, label, dir } = self.name;
        let run = self.reader.run(v, label, dir, &mut self.place);
        self.place.position = run.end();
        self.ended = run.end() >= run.total();
        (!run.neighbours().is_empty()).then_some(run)
    }
}
