//! Reads of trees.

use std::sync::Arc;

use values::{EdgeRef, VertexRef};

use super::list::Run;
use super::reader::Reader;
use crate::apply::belongs_behind;
use crate::cells::SectionState;
use crate::model::{Dir, EdgeLabelId, KeyId, slot_of};
use crate::resident::hold_still;
use crate::sections::{
    Adjacency, EdgeNode, EdgePlace, EdgeTree, FoundEdge, MergedList, NodePlace, Order, OwnChanges, TreeName,
    TreePart, TreeRoot,
};

/// Where a reader stands in an adjacency list: a position, and in a tree the node that holds it. A new one stands at the
/// beginning. Positions are stable for a snapshot, so a place may be kept for as long as the snapshot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// The next edge to look at.
    pub position: usize,
    /// The tree that `node` is of.
    pub(crate) version: u64,
    pub(crate) node: NodePlace,
    /// The position of the first edge of `node`.
    pub(crate) first: usize,
    /// The secondary tree whose order positions are of.
    pub(crate) tree: Option<KeyId>,
}

impl Place {
    /// The secondary tree whose order the position is of, by its property.
    pub fn tree(&self) -> Option<KeyId> {
        self.tree
    }

    /// A place at a position.
    pub fn at(position: usize) -> Self {
        Self { position, ..Self::default() }
    }
}

impl Reader<'_> {
    /// The beginning of a list, for who reads all of it in whatever order: in that of its edge-trees of which most is in memory
    /// (ByteGraph, section 4.3.2). A transaction's reader always stands in the primary one.
    #[inline]
    pub fn whole(&self, v: VertexRef, label: EdgeLabelId, dir: Dir) -> Place {
        match self.memory.secondaries.is_empty() {
            true => Place::default(),
            false if !self.list(v, label, dir).has_tree() => Place::default(),
            false => {
                let tree = self.warmest_tree(TreeName::primary(v, label, dir));
                Place { tree, ..Place::default() }
            }
        }
    }

    /// The tree of this name that this reader may read; none if the list is packed or has no such secondary tree.
    pub(crate) fn tree_of(&self, name: TreeName) -> Option<Arc<EdgeTree>> {
        if name.by.is_some() {
            return self.memory.secondaries.visible(name, self.tick);
        }
        self.adjacency(name.v, name.label, name.dir)?.tree(slot_of(name.v)).cloned()
    }

    /// The root of a tree. None if the list has gone back into its section since (see [`Reader::went_back`]), or it cannot be
    /// loaded, which is kept in the snapshot.
    pub(crate) fn tree_root<'s>(&'s self, tree: &Arc<EdgeTree>, name: TreeName) -> Option<&'s TreeRoot> {
        let root = tree.root.read(self.memory.cache.account.era(), &self.guard);
        // Asked for behind the root, which is replaced last: whoever finds a new one knows of the former.
        if let Some(former) = tree.former(self.tick, &self.guard) {
            return Some(former);
        }
        match root {
            SectionState::Loaded(root) => Some(root),
            _ => self.load_root(tree, name),
        }
    }

    #[cold]
    fn load_root<'s>(&'s self, tree: &Arc<EdgeTree>, name: TreeName) -> Option<&'s TreeRoot> {
        if name.by.is_none() {
            self.load_with_next(name.key(TreePart::Root));
        }
        let mut tree = Arc::clone(tree);
        let mut loaded = self.memory.tree_root(self.request(), &tree, name, &self.guard);
        let mut current = self.memory.is_current(&tree, name, &self.guard);
        let _still = (!current).then(hold_still);
        while !current {
            // The section that this reader came by has been evicted: what is in the store may be newer than its snapshot,
            // and only who comes by the section of now can tell.
            tree = self.tree_of(name)?;
            loaded = self.memory.tree_root(self.request(), &tree, name, &self.guard);
            current = self.memory.is_current(&tree, name, &self.guard);
        }
        // The list may have been sorted anew meanwhile, or since the section left that this reader came by.
        if let Some(former) = tree.former(self.tick, &self.guard) {
            return Some(former);
        }
        self.or_fail(loaded)
    }

    /// Whether a list of whose tree there is no root has gone back into its section: then it is to be asked for again. (The
    /// section that led to the tree had left memory while this reader went on with it.)
    pub(crate) fn went_back(&self, name: TreeName) -> bool {
        name.by.is_none() && self.check().is_ok()
    }

    /// The length of a tree's list, without the transaction's own changes.
    pub(crate) fn tree_degree(&self, tree: &Arc<EdgeTree>, name: TreeName) -> usize {
        match self.tree_root(tree, name) {
            Some(root) => root.degree(self.tick) as usize,
            None if self.went_back(name) => self.committed_len(name) as usize,
            None => 0,
        }
    }

    /// The out-edge with a sequence number in a tree's list.
    pub(crate) fn find_in_tree(
        &self,
        tree: &Arc<EdgeTree>,
        name: TreeName,
        seq: u32,
    ) -> Option<FoundEdge<'_>> {
        let Some(root) = self.tree_root(tree, name) else {
            let again = self.went_back(name).then(|| self.find_committed(name.v, name.label, seq));
            return again.flatten();
        };
        let find = |node: &Arc<EdgeNode>| self.node_section(node, name)?.find(0, self.tick, seq);
        match root.order {
            Order::Arrival => root.candidates(name.v, seq).find_map(|place| find(root.node(place)?)),
            Order::Key(_) => root.nodes().filter(|node| node.span.contains(seq)).find_map(find),
        }
    }

    /// Where the properties of an edge are according to its other end, if its source has them in a tree by a property, where
    /// nothing says which node that is: most edges of a hub lead to vertices with few. None if its source is to be asked.
    ///
    /// ```text
    /// hub ─ out ─▶ │ by weight │ … │ … │ … │         any node whose sequence numbers reach so far may have it
    /// fan ◀─ in ── │ 7 │ 9 │ 12 │                    here it is
    /// ```
    pub(crate) fn place_at_other_end(&self, e: EdgeRef) -> Option<Option<EdgePlace<'_>>> {
        let label = EdgeLabelId(e.label);
        let root_of =
            |section: &Adjacency, name: TreeName| self.tree_root(section.tree(slot_of(name.v))?, name);
        let out =
            root_of(self.adjacency(e.src, label, Dir::Out)?, TreeName::primary(e.src, label, Dir::Out))?;
        if out.order == Order::Arrival {
            return None;
        }
        let name = TreeName::primary(e.dst, label, Dir::In);
        let section = self.adjacency(e.dst, label, Dir::In)?;
        if section.tree(slot_of(e.dst)).is_some() {
            let into = root_of(section, name)?;
            // Of two of a kind, the shorter one.
            if into.order != Order::Arrival && into.nodes().count() >= out.nodes().count() {
                return None;
            }
        }
        Some(self.place_in_list(name, (e.src, e.seq)))
    }

    /// Where the properties of the edge to a neighbour with a sequence number are in a list, if it is there.
    pub(crate) fn place_in_list(&self, name: TreeName, edge: (VertexRef, u32)) -> Option<EdgePlace<'_>> {
        let section = self.adjacency(name.v, name.label, name.dir)?;
        let Some(tree) = section.tree(slot_of(name.v)) else {
            return section.find_to(slot_of(name.v), self.tick, edge);
        };
        let root = self.tree_root(tree, name)?;
        let find = |node: &Arc<EdgeNode>| self.node_section(node, name)?.find_to(0, self.tick, edge);
        let src = if name.dir == Dir::Out { name.v } else { edge.0 };
        match root.order {
            Order::Arrival => root.candidates(src, edge.1).find_map(|place| find(root.node(place)?)),
            Order::Key(_) => root.nodes().filter(|node| node.span.contains(edge.1)).find_map(find),
        }
    }

    /// The run of a tree, or of the packed list, that holds a place.
    pub(crate) fn run_of(&self, name: TreeName, place: &mut Place) -> Run<'_> {
        match name.by.and_then(|_| self.tree_of(name)) {
            Some(tree) => self.tree_run(&tree, name, place),
            None => self.run(name.v, name.label, name.dir, place),
        }
    }

    /// The run of a tree's list that holds a place; empty at the end of the list.
    pub(crate) fn tree_run<'s>(&'s self, tree: &Arc<EdgeTree>, name: TreeName, place: &mut Place) -> Run<'s> {
        let TreeName { v, label, dir, .. } = name;
        let Some(root) = self.tree_root(tree, name) else {
            return match self.went_back(name) {
                true => self.run(v, label, dir, place),
                false => Run::empty(v, label, dir),
            };
        };
        let own = self.own_changes(v, label, dir);
        let total = self.list_len(v, label, dir) as usize;
        if place.version != root.version || place.first > place.position {
            self.count_list(name.label);
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
        // Behind the end, or a node could not be read: for the reader the list ends here.
        Run::empty(v, label, dir).part_of(place.position, place.position)
    }

    /// What the transaction has done to a list.
    pub(crate) fn own_changes(&self, v: VertexRef, label: EdgeLabelId, dir: Dir) -> Option<OwnChanges<'_>> {
        let own = self.own?.list(v, label, dir)?;
        Some(OwnChanges::of(Some(own)))
    }

    /// Counts a list that somebody begins to read.
    pub(crate) fn count_list(&self, label: EdgeLabelId) {
        if self.counts {
            self.memory.node_sizes.count_list(label);
        }
    }

    pub(crate) fn node_section(&self, node: &Arc<EdgeNode>, name: TreeName) -> Option<&Adjacency> {
        if self.counts {
            self.memory.secondaries.count_node();
            self.memory.node_sizes.count_read(name.label);
        }
        self.or_fail(self.memory.edge_node(self.request(), node, name, &self.guard))
    }
}

/// An edge node, read by a snapshot.
pub(crate) struct NodeView<'s, 'n> {
    pub(crate) reader: &'s Reader<'s>,
    pub(crate) root: &'n TreeRoot,
    pub(crate) name: TreeName,
    pub(crate) node: &'n Arc<EdgeNode>,
    pub(crate) place: NodePlace,
}

impl<'s> NodeView<'s, '_> {
    /// Its part of the list.
    pub(crate) fn run(&self, own: Option<&OwnChanges<'s>>) -> Option<Run<'s>> {
        let TreeName { v, label, dir, .. } = self.name;
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

impl Reader<'_> {
    /// How a list lies.
    pub(crate) fn list_order(&self, name: TreeName) -> Order {
        if let Some(key) = name.by {
            return Order::Key(key);
        }
        let TreeName { v, label, dir, .. } = name;
        let Some(section) = self.adjacency(v, label, dir) else {
            return Order::of(self.snapshot().catalog().sort_key(label));
        };
        match section.tree(slot_of(v)) {
            Some(tree) => match self.tree_root(tree, name) {
                Some(root) => root.order,
                None if self.went_back(name) => self.list_order(name),
                None => Order::Arrival,
            },
            None => self.order_of(section, label),
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
        // Nodes may have been joined since: then the run begins before what comes next.
        let run = self.reader.run_of(self.name, &mut self.place).starting_at(self.place.position);
        self.place.position = run.end();
        self.ended = run.end() >= run.total();
        (!run.neighbours().is_empty()).then_some(run)
    }
}
