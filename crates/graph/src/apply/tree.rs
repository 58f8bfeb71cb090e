//! Changes of trees, by the writer.

use std::sync::Arc;

use crossbeam_epoch::Guard;
use rustc_hash::FxHashSet;
use values::VertexRef;

use super::tree_build::{first_edge, part};
use crate::cells::{Account, Version};
use crate::error::Result;
use crate::model::{EdgeCells, KeyId, Tick, TreeBounds, ValueRef, under_key};
use crate::resident::Memory;
use crate::sections::{
    Adjacency, AdjacencyBuilder, EdgeChange, EdgeChangeKind, EdgeNode, EdgePlace, EdgeTree, FirstEdge,
    Mergeable, NodePlace, Order, SortPlace, Target, TreeChange, TreeName, TreePart, TreeRoot, Windows,
    identity, order_values,
};

/// A tree that is changed.
pub(crate) struct TreeWriter<'a> {
    pub(crate) memory: &'a Memory,
    pub(crate) tree: &'a EdgeTree,
    pub(crate) name: TreeName,
    /// No reader asks for anything before this.
    pub(crate) watermark: Tick,
    pub(crate) guard: &'a Guard,
}

impl<'a> TreeWriter<'a> {
    /// Applies a change, unless the tree has it already.
    pub(crate) fn apply(&self, change: TreeChange<'_>) -> Result<()> {
        let root = self.root()?;
        if root.settled >= change.tick {
            return Ok(());
        }
        match change.kind {
            EdgeChangeKind::Insert(cells) => self.insert(root, change, cells)?,
            EdgeChangeKind::Update(cells) => self.update(root, change, cells)?,
            EdgeChangeKind::Delete => self.delete(root, change)?,
        }
        let root = self.root()?;
        root.change_degree(change.tick, change.kind.growth());
        if root.is_ripe(self.watermark) {
            self.tree.root.replace(root.merged(self.watermark), self.account(), self.guard);
        }
        Ok(())
    }

    /// The properties that an edge has now; none if it is not in the tree.
    pub(crate) fn cells_of(&self, change: TreeChange<'_>) -> Result<Option<EdgeCells>> {
        let root = self.root()?;
        let Some(place) = self.find_anywhere(root, change, |_| true)? else { return Ok(None) };
        let found = self.section(node_at(root, place))?.find_to(0, Tick::MAX, change.edge());
        Ok(found.map(EdgePlace::cells))
    }

    fn root(&self) -> Result<&'a TreeRoot> {
        self.memory.tree_root(None, self.tree, self.name, self.guard)
    }

    fn account(&self) -> &'a Arc<Account> {
        &self.memory.cache.account
    }

    fn bounds(&self) -> TreeBounds {
        self.memory.node_sizes.bounds(self.name.label)
    }

    fn section(&self, node: &Arc<EdgeNode>) -> Result<&'a Adjacency> {
        if let Some(section) = node.cell.loaded(self.guard) {
            return Ok(section);
        }
        let section = self.memory.edge_node(None, node, self.name, self.guard)?;
        let len = section.neighbours().len() as u32;
        if len != node.stored_len() {
            // Replaying after a flush that did not get as far as the root: what leads to the node must be written again.
            node.set_stored_len(len);
            node.set_dirty(true);
        }
        Ok(section)
    }

    fn insert(&self, root: &TreeRoot, change: TreeChange<'_>, cells: &EdgeCells) -> Result<()> {
        let target = match root.order {
            Order::Arrival => Target::Last,
            Order::Key(key) => Target::Place(place_in(cells, key, change.edge())),
        };
        let mut place = root.locate(&target);
        let mut node = Arc::clone(node_at(root, place));
        let section = self.section(&node)?;
        if section.settled >= change.tick {
            // Replaying: the node has it, but what leads to the node may be older, and must be written again.
            self.widen(root, place, change);
            node.set_dirty(true);
            return Ok(());
        }
        if place == root.last()
            && section.degree(0, Tick::MAX) >= self.bounds().max
            && is_behind(section, &target)
        {
            (place, node) = self.open_next(root, place, &target, change.tick)?;
        }
        self.widen(self.root()?, place, change);
        self.push(&node, change, change.kind)?;
        let section = self.section(&node)?;
        if section.degree(0, Tick::MAX) > self.bounds().max {
            self.split(self.root()?, place, &node)?;
        }
        Ok(())
    }

    /// Lets what is known of a node's sequence numbers reach an edge that it has.
    fn widen(&self, root: &TreeRoot, place: NodePlace, change: TreeChange<'_>) {
        let windows = |place| root.node(place).and_then(|node| node.windows.as_ref());
        if let Some(own) = windows(place) {
            own.include(change.neighbour, change.seq, root.previous(place).and_then(windows));
        }
        if let Some(node) = root.node(place) {
            node.span.include(change.seq);
        }
    }

    /// Publishes a version in a node, unless its base has it, and merges the node's versions if they are many.
    fn push(&self, node: &Arc<EdgeNode>, change: TreeChange<'_>, kind: &EdgeChangeKind) -> Result<()> {
        let section = self.section(node)?;
        if section.settled >= change.tick {
            return Ok(());
        }
        if node.id() != 0 && self.memory.cache.has_evicted_roots_since(self.watermark) {
            self.tree.retire(TreePart::Node(node.forget_id()));
        }
        let root = self.root()?;
        if !Arc::ptr_eq(node, node_at(root, root.last())) {
            self.memory.node_sizes.count_change(self.name.label);
        }
        let before = section.delta_bytes();
        section.push(0, change.tick, change.neighbour, change.seq, kind.clone());
        node.cell.grow(section.delta_bytes() - before + kind.weight(), self.guard);
        node.set_dirty(true);
        let versions = section.delta_len();
        if node.is_ripe(versions, self.memory.options.merge_versions) {
            if section.delta_up_to(self.watermark) * 2 >= versions {
                node.cell.replace(section.merged(self.watermark), self.account(), self.guard);
                node.set_ripe_at(0);
            } else {
                node.set_ripe_at(versions * 2);
            }
        }
        Ok(())
    }

    /// Begins a node behind the last one, which is full and stays as it is.
    fn open_next(
        &self,
        root: &TreeRoot,
        last: NodePlace,
        target: &Target<'_>,
        tick: Tick,
    ) -> Result<(NodePlace, Arc<EdgeNode>)> {
        let full = node_at(root, last);
        let first = match target {
            Target::Last => FirstEdge::Least,
            Target::Place(place) => FirstEdge::at(*place),
        };
        let windows = full.windows.as_ref().map(Windows::after);
        let mut section = Adjacency::empty(root.order).into_node();
        // Of the commits before this one, none belongs here.
        section.settled = tick.saturating_sub(1);
        let next = Arc::new(EdgeNode::fresh(section, first, windows, self.account(), self.guard));
        self.tree.retire(TreePart::Node(full.forget_id()));
        self.publish(root, (last, last), vec![Arc::clone(full), Arc::clone(&next)]);
        Ok((self.root()?.last(), next))
    }

    /// Swaps in a root over other edge nodes.
    fn publish(&self, root: &TreeRoot, (from, to): (NodePlace, NodePlace), nodes: Vec<Arc<EdgeNode>>) {
        let retire = |id| self.tree.retire(TreePart::Meta(id));
        let metas = root.replaced(from, to, nodes, self.bounds().fan_out, retire);
        self.tree.root.replace(root.over(self.watermark, metas), self.account(), self.guard);
    }

    /// Splits a node that has too many edges, once most of them are settled.
    fn split(&self, root: &TreeRoot, place: NodePlace, node: &Arc<EdgeNode>) -> Result<()> {
        let section = self.section(node)?;
        let settled = section.base_range(0).1;
        if root.order == Order::Arrival || settled < self.bounds().max.div_ceil(2).max(2) {
            return Ok(());
        }
        let section = section.merged(self.watermark);
        let (_, end) = section.base_range(0);
        if end < 2 {
            return Ok(());
        }
        let cut = end / 2;
        let (left, right) = (part(&section, 0..cut), part(&section, cut..end));
        let first = first_edge(&section, cut);
        let mut in_right: FxHashSet<u64> =
            (cut..end).map(|i| identity(section.neighbours()[i], section.seqs()[i])).collect();
        for version in oldest_first(&section) {
            let change = version.change();
            if let EdgeChangeKind::Insert(cells) = &change.kind
                && belongs_behind(&first, change, cells, root.order)
            {
                in_right.insert(change.identity());
            }
            let side = if in_right.contains(&change.identity()) { &right } else { &left };
            side.push(0, version.stamp(), change.neighbour, change.seq, change.kind.clone());
            if matches!(change.kind, EdgeChangeKind::Delete) {
                // Should it be inserted again, at another place.
                in_right.remove(&change.identity());
            }
        }
        self.tree.retire(TreePart::Node(node.forget_id()));
        let nodes = [(left, node.first.clone()), (right, first)].into_iter().map(|(section, first)| {
            Arc::new(EdgeNode::fresh(section, first, None, self.account(), self.guard))
        });
        self.publish(root, (place, place), nodes.collect());
        Ok(())
    }

    fn update(&self, root: &TreeRoot, change: TreeChange<'_>, cells: &EdgeCells) -> Result<()> {
        let found = self.find(root, change)?;
        let Order::Key(key) = root.order else {
            return found.map_or(Ok(()), |place| self.push(node_at(root, place), change, change.kind));
        };
        let inserted = EdgeChangeKind::Insert(cells.clone());
        let insertion = TreeChange { kind: &inserted, ..change };
        let Some(place) = found else {
            // Replaying: it has left the node that is ahead, but the one where it belongs may not be.
            return self.insert(root, insertion, cells);
        };
        let node = node_at(root, place);
        let before = self.section(node)?.find_to(0, Tick::MAX, change.edge());
        let value = before.and_then(|before| before.value(key));
        if order_values(value, under_key(cells, key).map(ValueRef::of)).is_eq() {
            return self.push(node, change, change.kind);
        }
        self.push(node, change, &EdgeChangeKind::Delete)?;
        self.insert(root, insertion, cells)
    }

    fn delete(&self, root: &TreeRoot, change: TreeChange<'_>) -> Result<()> {
        let Some(place) = self.find(root, change)? else { return Ok(()) };
        self.push(node_at(root, place), change, change.kind)?;
        self.shrink(self.root()?, place, change.tick)
    }

    /// Merges a node with a neighbour under the same meta node if both are small, after a change at `tick`.
    fn shrink(&self, root: &TreeRoot, place: NodePlace, tick: Tick) -> Result<()> {
        let min = self.bounds().min;
        // Counting also what old readers still see: two that hold little may be large together.
        let is_small = |place| root.node(place).is_some_and(|node| node.bulk(self.guard) < min);
        if !is_small(place) {
            return Ok(());
        }
        let next = NodePlace { entry: place.entry + 1, ..place };
        let previous = place.entry.checked_sub(1).map(|entry| NodePlace { entry, ..place });
        match previous {
            Some(previous) if is_small(previous) => self.join(root, (previous, place), tick),
            _ if is_small(next) => self.join(root, (place, next), tick),
            _ => Ok(()),
        }
    }

    /// Makes one node of two neighbours, unless one of them is ahead of a change at `tick`.
    fn join(&self, root: &TreeRoot, (left, right): (NodePlace, NodePlace), tick: Tick) -> Result<()> {
        let (left_node, right_node) = (node_at(root, left), node_at(root, right));
        let (a, b) = (self.section(left_node)?, self.section(right_node)?);
        if a.settled.max(b.settled) >= tick {
            // Replaying: one has what follows already, and the other one does not. Of what became of both nobody could say.
            return Ok(());
        }
        let (a, b) = (a.merged(self.watermark), b.merged(self.watermark));
        let mut builder = AdjacencyBuilder::new(root.order, 0);
        for section in [&a, &b] {
            let (start, end) = section.base_range(0);
            builder.copy(section, start..end);
        }
        builder.end_slot();
        let joined = builder.finish(a.settled.max(b.settled)).into_node();
        let mut versions: Vec<&Version<EdgeChange>> =
            [&a, &b].into_iter().flat_map(|section| oldest_first(section)).collect();
        // An edge that has moved from one to the other was deleted there before it was inserted here.
        let inserts = |change: &EdgeChange| matches!(change.kind, EdgeChangeKind::Insert(_));
        versions.sort_by_key(|version| (version.stamp(), inserts(version.change())));
        for version in versions {
            let change = version.change();
            joined.push(0, version.stamp(), change.neighbour, change.seq, change.kind.clone());
        }
        for node in [left_node, right_node] {
            self.tree.retire(TreePart::Node(node.forget_id()));
        }
        let late =
            [left_node, right_node].iter().any(|node| node.windows.as_ref().is_some_and(Windows::is_late));
        let windows = right_node.windows.as_ref().map(|windows| windows.after().inherit(late));
        let node = EdgeNode::fresh(joined, left_node.first.clone(), windows, self.account(), self.guard);
        self.publish(root, (left, right), vec![Arc::new(node)]);
        Ok(())
    }

    /// The node that has an edge now and must learn of the change. Replaying, a node may be ahead of it: what it has is of
    /// later, and another one may still have the edge as it was before.
    fn find(&self, root: &TreeRoot, change: TreeChange<'_>) -> Result<Option<NodePlace>> {
        self.find_anywhere(root, change, |section| section.settled < change.tick)
    }

    /// The node that has an edge, among those that `may` be the one.
    fn find_anywhere(
        &self,
        root: &TreeRoot,
        change: TreeChange<'_>,
        may: impl Fn(&Adjacency) -> bool,
    ) -> Result<Option<NodePlace>> {
        let has = |place: NodePlace| {
            let section = self.section(node_at(root, place))?;
            Ok(may(section) && section.find_to(0, Tick::MAX, change.edge()).is_some())
        };
        if root.order == Order::Arrival {
            return find_place(root.candidates(change.neighbour, change.seq), has);
        }
        let (value, neighbour, seq) = (change.before.map(ValueRef::of), change.neighbour, change.seq);
        let likeliest = root.locate(&Target::Place(SortPlace { value, neighbour, seq }));
        if has(likeliest)? {
            return Ok(Some(likeliest));
        }
        // Its old value may be older than that of a writer who was not seen.
        let may_have = |place: &NodePlace| node_at(root, *place).span.contains(change.seq);
        find_place(root.places().filter(may_have), has)
    }
}

/// The first place for which `has` holds.
fn find_place(
    mut places: impl Iterator<Item = NodePlace>,
    has: impl Fn(NodePlace) -> Result<bool>,
) -> Result<Option<NodePlace>> {
    places.find_map(|place| has(place).map(|has| has.then_some(place)).transpose()).transpose()
}

/// The node at a place where there is one.
fn node_at(root: &TreeRoot, place: NodePlace) -> &Arc<EdgeNode> {
    root.node(place).unwrap_or_else(|| unreachable!("places come from the same root"))
}

/// What places an edge with these properties in an order by `key`.
fn place_in(cells: &EdgeCells, key: KeyId, (neighbour, seq): (VertexRef, u32)) -> SortPlace<'_> {
    SortPlace { value: under_key(cells, key).map(ValueRef::of), neighbour, seq }
}

/// Whether a target comes behind every edge that the newest version of a node has.
fn is_behind(section: &Adjacency, target: &Target<'_>) -> bool {
    let (start, end) = section.base_range(0);
    let mut changes = section.delta.head(0).into_iter().flat_map(Version::history).map(Version::change);
    match (target, section.order) {
        (Target::Last, _) => true,
        (Target::Place(place), Order::Key(key)) => {
            let base = end == start || section.base_place(end - 1, key).order(place).is_lt();
            let is_before = |change: &EdgeChange| {
                let cells = change.kind.cells();
                cells.is_none_or(|cells| place_in(cells, key, change.edge()).order(place).is_lt())
            };
            base && changes.all(is_before)
        }
        (Target::Place(_), _) => false,
    }
}

/// Whether an inserted edge belongs to the node that begins with `first`, or one behind it.
pub(crate) fn belongs_behind(
    first: &FirstEdge,
    change: &EdgeChange,
    cells: &EdgeCells,
    order: Order,
) -> bool {
    let target = match order {
        Order::Arrival => Target::Last,
        Order::Key(key) => Target::Place(place_in(cells, key, change.edge())),
    };
    !first.is_after(&target)
}

/// The versions of a node, oldest first.
fn oldest_first(section: &Adjacency) -> Vec<&Version<EdgeChange>> {
    let mut versions: Vec<_> = section.delta.head(0).into_iter().flat_map(Version::history).collect();
    versions.reverse();
    versions
}
