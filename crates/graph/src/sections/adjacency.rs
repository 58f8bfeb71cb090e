//! The adjacency of a block along one edge label, one way; or, with a single slot, an edge node of a tree.
//!
//! ```text
//! offsets    │0│3│3│5│…        one per slot, and one: slot s owns the positions offsets[s]..offsets[s+1]
//! neighbours │b│c│d│a│c│…      the other ends, in sort-key order within each slot
//! seqs       │0│4│9│1│7│…      with the source vertex: the edge's identity
//! columns    since │…│…│       edge properties by position; stored in both directions
//! trees      (slot, edge-tree)…  lists that have outgrown their place; their base range is empty
//! delta      chains of inserts, deletes and updates per slot, each with the degree after it
//! ```
//!
//! A list lies in its [`Order`], base and inserts together; merging keeps it, so positions are stable for a snapshot. Where
//! snapshots differ in the order in which they read the lists, the section is *between orders*: see `lists/resort`.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use values::VertexRef;

use super::adjacency_builder::AdjacencyBuilder;
use super::delta::Delta;
use super::merged_list::MergedList;
use super::order::{Order, SortPlace};
use super::stripes::Stripes;
use super::tree::EdgeTree;
use super::values::{Rows, Values};
use crate::cells::Version;
use crate::model::{EdgeCells, KeyId, SLOTS, Tick, ValueRef, cells_weight, under_key};

/// A change of one adjacency list. `neighbour` and `seq` together identify an edge within the list.
#[derive(Clone, Debug)]
pub(crate) struct EdgeChange {
    pub(crate) kind: EdgeChangeKind,
    pub(crate) neighbour: VertexRef,
    pub(crate) seq: u32,
    /// The length of the list after this change.
    pub(crate) degree: u32,
}

/// What happened to the edge.
#[derive(Clone, Debug)]
pub(crate) enum EdgeChangeKind {
    /// It was added with these properties.
    Insert(EdgeCells),
    /// Its properties became these.
    Update(EdgeCells),
    /// It was dropped.
    Delete,
}

impl EdgeChangeKind {
    /// The properties that the edge has after it, unless it was dropped.
    #[inline]
    pub(crate) fn cells(&self) -> Option<&EdgeCells> {
        match self {
            Self::Insert(cells) | Self::Update(cells) => Some(cells),
            Self::Delete => None,
        }
    }

    /// By how much the list grows.
    pub(crate) fn growth(&self) -> i64 {
        match self {
            Self::Insert(_) => 1,
            Self::Update(_) => 0,
            Self::Delete => -1,
        }
    }

    /// Bytes of its values.
    pub(crate) fn weight(&self) -> usize {
        self.cells().map_or(0, |cells| cells_weight(cells))
    }
}

impl EdgeChange {
    /// The other end and the sequence number.
    pub(crate) fn edge(&self) -> (VertexRef, u32) {
        (self.neighbour, self.seq)
    }

    /// The edge's identity within the list, as one number.
    #[inline]
    pub(crate) fn identity(&self) -> u64 {
        identity(self.neighbour, self.seq)
    }
}

#[inline]
pub(crate) fn identity(neighbour: VertexRef, seq: u32) -> u64 {
    u64::from(neighbour.0) << 32 | u64::from(seq)
}

/// An edge that was looked for by its sequence number.
pub(crate) struct FoundEdge<'r> {
    pub(crate) neighbour: VertexRef,
    pub(crate) place: EdgePlace<'r>,
}

/// Where the properties of one edge are.
#[derive(Clone, Copy)]
pub(crate) enum EdgePlace<'r> {
    /// At a position of a base.
    Base(&'r Adjacency, usize),
    /// In a version.
    Cells(&'r EdgeCells),
}

impl<'r> EdgePlace<'r> {
    /// The value under `key`.
    pub(crate) fn value(self, key: KeyId) -> Option<ValueRef<'r>> {
        match self {
            Self::Base(base, position) => base.base_value(position, key),
            Self::Cells(cells) => under_key(cells, key).map(ValueRef::of),
        }
    }

    /// All properties, ascending by key.
    pub(crate) fn cells(self) -> EdgeCells {
        match self {
            Self::Base(base, position) => base.base_cells(position),
            Self::Cells(cells) => Arc::clone(cells),
        }
    }
}

/// The adjacency section.
pub(crate) struct Adjacency {
    /// Everything up to this stamp is in the base.
    pub(crate) settled: Tick,
    offsets: Box<[u32]>,
    neighbours: Box<[VertexRef]>,
    seqs: Box<[u32]>,
    columns: Box<[(KeyId, Values)]>,
    /// How its lists lie, and how they are read unless the section is between orders.
    pub(crate) order: Order,
    /// Whether newer snapshots read its lists in another order than that in which they lie. Its delta is then never empty.
    between_orders: AtomicBool,
    /// In which stripes the neighbours are.
    pub(crate) ends: Stripes,
    /// Whether the sequence numbers of every slot ascend (and differ: they may come from many sources), so that an edge is found by binary search.
    ascending: bool,
    /// Chains that the delta gets: one per vertex, or one for an edge node.
    slots: u16,
    /// Ascending by slot.
    trees: Box<[(u16, Arc<EdgeTree>)]>,
    pub(crate) delta: Delta<EdgeChange>,
}

impl Adjacency {
    /// A section of a base alone. `offsets` begins with 0, never descends and ends with the number of neighbours;
    /// `seqs` is as long as `neighbours`.
    pub(crate) fn new(
        settled: Tick,
        order: Order,
        offsets: Box<[u32]>,
        neighbours: Box<[VertexRef]>,
        seqs: Box<[u32]>,
        columns: Box<[(KeyId, Values)]>,
    ) -> Self {
        debug_assert_eq!(offsets.last().map(|&end| end as usize), Some(neighbours.len()));
        let ascends = |pair: &[u32]| {
            let list = seqs.get(pair[0] as usize..pair[1] as usize).unwrap_or_default();
            list.is_sorted_by(|a, b| a < b)
        };
        let ascending = offsets.windows(2).all(ascends);
        Self {
            settled,
            ends: Stripes::of(&neighbours),
            offsets,
            neighbours,
            seqs,
            columns,
            order,
            between_orders: AtomicBool::new(false),
            ascending,
            slots: SLOTS as u16,
            trees: Box::default(),
            delta: Delta::new(),
        }
    }

    /// A section without edges.
    pub(crate) fn empty(order: Order) -> Self {
        Self::new(0, order, Box::new([0]), Box::default(), Box::default(), Box::default())
    }

    /// The same as an edge node: it has one slot.
    pub(crate) fn into_node(mut self) -> Self {
        self.slots = 1;
        self
    }

    /// Whether it is an edge node.
    pub(crate) fn is_node(&self) -> bool {
        self.slots == 1
    }

    /// The same with these trees, ascending by slot.
    pub(crate) fn with_trees(mut self, trees: Box<[(u16, Arc<EdgeTree>)]>) -> Self {
        self.trees = trees;
        self
    }

    /// The same edges with other properties; `delta` has the same changes.
    pub(super) fn with_values(&self, columns: Box<[(KeyId, Values)]>, delta: Delta<EdgeChange>) -> Self {
        let other = Self {
            settled: self.settled,
            ends: self.ends,
            offsets: self.offsets.clone(),
            neighbours: self.neighbours.clone(),
            seqs: self.seqs.clone(),
            columns,
            order: self.order,
            between_orders: AtomicBool::new(false),
            ascending: self.ascending,
            slots: self.slots,
            trees: self.trees.clone(),
            delta,
        };
        other.between_orders_as(self)
    }

    /// Whether newer snapshots read the lists in another order than that in which they lie.
    #[inline]
    pub(crate) fn is_between_orders(&self) -> bool {
        self.between_orders.load(Ordering::Acquire)
    }

    /// From now on newer snapshots read the lists in another order. Before there are any, and while nothing is committed.
    pub(crate) fn part_from_order(&self) {
        self.between_orders.store(true, Ordering::Release);
        // So that nobody reads the base without a closer look.
        self.delta.open(self.slots.into());
    }

    /// The same, if it takes the place of one of which it holds.
    fn between_orders_as(self, before: &Self) -> Self {
        if before.is_between_orders() {
            self.part_from_order();
        }
        self
    }

    /// The lists that have trees of their own, ascending by slot.
    #[inline]
    pub(crate) fn trees(&self) -> &[(u16, Arc<EdgeTree>)] {
        &self.trees
    }

    /// The tree of a slot, if its list has one.
    #[inline]
    pub(crate) fn tree(&self, slot: usize) -> Option<&Arc<EdgeTree>> {
        let place = self.trees.binary_search_by_key(&slot, |(slot, _)| usize::from(*slot)).ok()?;
        Some(&self.trees[place].1)
    }

    /// Whether the list of a slot, packed or not, can be read from its base range alone.
    #[inline]
    pub(crate) fn is_plain(&self, (start, end): (usize, usize)) -> bool {
        self.delta.is_empty() && (start < end || self.trees.is_empty())
    }

    /// The base positions of a slot.
    #[inline]
    pub(crate) fn base_range(&self, slot: usize) -> (usize, usize) {
        match self.offsets.get(slot..slot + 2) {
            Some(pair) => (pair[0] as usize, pair[1] as usize),
            None => (0, 0),
        }
    }

    #[inline]
    pub(crate) fn neighbours(&self) -> &[VertexRef] {
        &self.neighbours
    }

    #[inline]
    pub(crate) fn seqs(&self) -> &[u32] {
        &self.seqs
    }

    pub(crate) fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    pub(crate) fn columns(&self) -> &[(KeyId, Values)] {
        &self.columns
    }

    /// The value at a base position under a key.
    #[inline]
    pub(crate) fn base_value(&self, position: usize, key: KeyId) -> Option<ValueRef<'_>> {
        under_key(&self.columns, key)?.get(position)
    }

    /// The values at base positions under a key, if all of the section's edges have longs.
    #[inline]
    pub(crate) fn base_longs(&self, positions: Range<usize>, key: KeyId) -> Option<&[i64]> {
        match under_key(&self.columns, key).map(|values| (values.is_full(), values.rows()))? {
            (true, Rows::Long(longs)) => longs.get(positions),
            _ => None,
        }
    }

    /// Hands out the properties at a base position, ascending by key.
    pub(crate) fn each_base_value(&self, position: usize, visit: &mut dyn FnMut(KeyId, ValueRef<'_>)) {
        for (key, values) in &self.columns {
            if let Some(value) = values.get(position) {
                visit(*key, value);
            }
        }
    }

    /// The properties at a base position.
    pub(crate) fn base_cells(&self, position: usize) -> EdgeCells {
        let cell = |(key, values): &(KeyId, Values)| Some((*key, values.get(position)?.to_value()));
        self.columns.iter().filter_map(cell).collect()
    }

    /// The length of a list that has no tree.
    #[inline]
    pub(crate) fn degree(&self, slot: usize, stamp: Tick) -> usize {
        match self.delta.visible(slot, stamp) {
            None => {
                let (start, end) = self.base_range(slot);
                end - start
            }
            Some(version) => version.change().degree as usize,
        }
    }

    /// The base position of an out-edge of a slot, whether or not it was deleted since.
    fn base_position(&self, slot: usize, seq: u32) -> Option<usize> {
        let (start, end) = self.base_range(slot);
        let seqs = &self.seqs[start..end];
        let place = match self.ascending {
            true => seqs.binary_search(&seq).ok(),
            false => seqs.iter().position(|&s| s == seq),
        };
        place.map(|place| start + place)
    }

    /// Where an out-edge's properties are as of `stamp`, if it exists then. In lists of out-edges the sequence number
    /// alone identifies an edge.
    pub(crate) fn find(&self, slot: usize, stamp: Tick, seq: u32) -> Option<FoundEdge<'_>> {
        if let Some(change) = self.last_change(slot, stamp, |change| change.seq == seq) {
            let place = EdgePlace::Cells(change.kind.cells()?);
            return Some(FoundEdge { neighbour: change.neighbour, place });
        }
        let position = self.base_position(slot, seq)?;
        Some(FoundEdge { neighbour: self.neighbours[position], place: EdgePlace::Base(self, position) })
    }

    /// Where the properties of an edge are as of `stamp`, if it exists then, in lists of either direction.
    pub(crate) fn find_to(
        &self,
        slot: usize,
        stamp: Tick,
        (neighbour, seq): (VertexRef, u32),
    ) -> Option<EdgePlace<'_>> {
        let wanted = identity(neighbour, seq);
        if let Some(change) = self.last_change(slot, stamp, |change| change.identity() == wanted) {
            return change.kind.cells().map(EdgePlace::Cells);
        }
        Some(EdgePlace::Base(self, self.position_of(slot, neighbour, seq)?))
    }

    /// The last change of an edge by `stamp`, if it is not as it is in the base.
    #[inline]
    fn last_change(
        &self,
        slot: usize,
        stamp: Tick,
        same: impl Fn(&EdgeChange) -> bool,
    ) -> Option<&EdgeChange> {
        self.delta.visible(slot, stamp)?.history().map(Version::change).find(|change| same(change))
    }

    /// Publishes a change of a slot's list; the degree is computed here.
    pub(crate) fn push(
        &self,
        slot: usize,
        stamp: Tick,
        neighbour: VertexRef,
        seq: u32,
        kind: EdgeChangeKind,
    ) {
        let degree = (self.degree(slot, Tick::MAX) as u64).saturating_add_signed(kind.growth()) as u32;
        self.delta.push(self.slots.into(), slot, stamp, EdgeChange { kind, neighbour, seq, degree });
    }

    /// The base position of an edge, whether or not it was deleted since.
    fn position_of(&self, slot: usize, neighbour: VertexRef, seq: u32) -> Option<usize> {
        if self.ascending {
            return self.base_position(slot, seq).filter(|&position| self.neighbours[position] == neighbour);
        }
        let (mut from, end) = self.base_range(slot);
        while let Some(place) = self.neighbours[from..end].iter().position(|other| *other == neighbour) {
            if self.seqs[from + place] == seq {
                return Some(from + place);
            }
            from += place + 1;
        }
        None
    }

    /// What places the edge at a base position in the list's order by `key`.
    pub(crate) fn base_place(&self, position: usize, key: KeyId) -> SortPlace<'_> {
        let value = self.base_value(position, key);
        SortPlace { value, neighbour: self.neighbours[position], seq: self.seqs[position] }
    }

    /// A section whose base includes everything up to `stamp`.
    pub(crate) fn merged(&self, stamp: Tick) -> Self {
        self.merged_without(stamp, None)
    }

    /// The same, but for the list of one slot, which is left out altogether.
    pub(crate) fn merged_without(&self, stamp: Tick, left_out: Option<usize>) -> Self {
        let append = |slot: usize, builder: &mut AdjacencyBuilder| {
            if left_out != Some(slot) {
                self.append_list(slot, stamp, builder);
            }
        };
        let mut merged = self.rebuilt(self.order, stamp, 0, append);
        merged.trees = self.trees.clone();
        merged.delta = self.delta.newer_than(stamp, left_out);
        merged.between_orders_as(self)
    }

    /// A section whose lists lie by a property, and whose base includes everything up to `stamp`. What comes later it does not
    /// have yet: see [`Adjacency::with_later`].
    pub(crate) fn sorted(&self, stamp: Tick, key: KeyId) -> Self {
        let order = Order::Key(key);
        let mut sorted = self.rebuilt(order, stamp, 0, |slot, builder| {
            let newest = self.delta.visible(slot, stamp);
            let list = MergedList::new(Some(self), self.base_range(slot), newest, None, order);
            list.append_all(builder);
        });
        sorted.trees = self.trees.clone();
        sorted
    }

    /// The section with the changes that another one, of the same edges, has after this one's base.
    pub(crate) fn with_later(mut self, other: &Self) -> Self {
        self.delta = other.delta.newer_than(self.settled, None);
        self
    }

    /// The same, with some lists packed that have had trees: each is a slot and the edge nodes of its tree in order, which
    /// have no changes after `stamp`.
    pub(crate) fn merged_with(&self, stamp: Tick, lists: &[(usize, Vec<&Self>)]) -> Self {
        let packed = |slot: usize| lists.iter().find(|(packed, _)| *packed == slot).map(|(_, nodes)| nodes);
        let append = |slot: usize, builder: &mut AdjacencyBuilder| match packed(slot) {
            Some(nodes) => nodes.iter().for_each(|node| node.append_list(0, stamp, builder)),
            None => self.append_list(slot, stamp, builder),
        };
        let slots = lists.iter().map(|(slot, _)| slot + 1).max().unwrap_or(0);
        let mut merged = self.rebuilt(self.order, stamp, slots, append);
        let trees = self.trees.iter().filter(|(slot, _)| packed((*slot).into()).is_none());
        merged.trees = trees.cloned().collect();
        merged.delta = self.delta.newer_than(stamp, None);
        merged
    }

    /// A base that includes everything up to `stamp`, of the lists that are appended slot by slot in an order: as many slots as
    /// this section has, and `least`.
    fn rebuilt(
        &self,
        order: Order,
        stamp: Tick,
        least: usize,
        append: impl Fn(usize, &mut AdjacencyBuilder),
    ) -> Self {
        let slots = self.delta.heads().last().map_or(0, |(slot, _)| slot + 1).max(self.offsets.len() - 1);
        let mut builder = AdjacencyBuilder::new(order, self.neighbours.len() + self.delta.len());
        for slot in 0..slots.max(least) {
            append(slot, &mut builder);
            builder.end_slot();
        }
        let mut rebuilt = builder.finish(self.settled.max(stamp));
        rebuilt.slots = self.slots;
        rebuilt
    }

    /// Appends the list of a slot as of `stamp` to a builder's current slot, in order.
    pub(crate) fn append_list(&self, slot: usize, stamp: Tick, builder: &mut AdjacencyBuilder) {
        let (start, end) = self.base_range(slot);
        let newest = self.delta.visible(slot, stamp);
        if newest.is_none() {
            return builder.copy(self, start..end);
        }
        MergedList::new(Some(self), (start, end), newest, None, self.order).append_all(builder);
    }

    pub(crate) fn bytes(&self) -> usize {
        let columns: usize = self.columns.iter().map(|(_, values)| values.bytes()).sum();
        self.offsets.len() * 4 + self.neighbours.len() * 8 + columns
    }
}
