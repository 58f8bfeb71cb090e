//! All reads of a graph: elements and adjacency. (Access paths are in `access.rs`, properties in `property.rs`.)

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::sync::Arc;

use crossbeam_epoch::Guard;
use values::{Direction, EdgeRef, Value, VertexRef};

use super::ahead::Ahead;
use super::list::{List, Run};
use super::overlay::{Own, OwnEdge};
use super::runs::Place;
use super::snapshot::Snapshot;
use crate::cache::Request;
use crate::cells::{SectionCell, SectionState};
use crate::error::Result;
use crate::model::{
    Dir, EDGE_ID_KEY, EdgeLabelId, Tick, ValueRef, VertexLabelId, adjacency_number, slot_of, stripe_of,
};
use crate::place::Block;
use crate::resident::Memory;
use crate::sections::{
    Adjacency, EdgePlace, FoundEdge, Mergeable, MergedList, Order, Presence, SectionKey, SectionName,
    TreeName, VertexState,
};

/// All reads, against one [`Snapshot`], for one batch. Not `Send`: it pins memory against reclamation, so make one
/// per batch and drop it.
///
/// Reads return plain values; whether all of them could be answered is told by [`Reader::check`].
pub struct Reader<'a> {
    snapshot: &'a Snapshot,
    pub(crate) memory: &'a Memory,
    pub(crate) tick: Tick,
    pub(crate) own: Option<Own<'a>>,
    /// Whether the edge nodes that it reads count as read by somebody.
    pub(crate) counts: bool,
    /// What it will be asked for next: see [`Reader::expect`].
    pub(crate) ahead: RefCell<Ahead>,
    /// Whether it has had to load something.
    pub(crate) has_missed: Cell<bool>,
    pub(crate) guard: Guard,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot) -> Self {
        Self::with_own(snapshot, snapshot.own())
    }

    /// A reader that lays some writes over a snapshot.
    pub(crate) fn with_own(snapshot: &'a Snapshot, own: Option<Own<'a>>) -> Self {
        let (memory, tick) = (snapshot.memory(), snapshot.stamp().bits());
        Self {
            snapshot,
            memory,
            tick,
            own,
            counts: true,
            ahead: RefCell::default(),
            has_missed: Cell::new(false),
            guard: crossbeam_epoch::pin(),
        }
    }

    /// The snapshot that is read.
    pub fn snapshot(&self) -> &'a Snapshot {
        self.snapshot
    }

    /// The request on whose behalf is read.
    pub(crate) fn request(&self) -> Option<&'a Arc<Request>> {
        self.snapshot.request()
    }

    /// Whether all reads of the snapshot could be answered so far: [`Snapshot::check`].
    ///
    /// # Errors
    /// The first failure.
    pub fn check(&self) -> Result<()> {
        self.snapshot.check()
    }

    /// The label of a vertex that exists or once existed.
    #[inline]
    pub fn label(&self, v: VertexRef) -> VertexLabelId {
        self.memory.blocks.stripe(stripe_of(v)).map_or(VertexLabelId(0), |stripe| stripe.label)
    }

    /// One past the highest label that an edge which this reader finds may have. The own writes of a transaction may have brought
    /// labels that its snapshot has not heard of.
    #[inline]
    pub(crate) fn edge_label_bound(&self) -> usize {
        let known = self.snapshot.catalog().edge_label_bound();
        self.own.map_or(known, |own| known.max(own.edge_label_bound()))
    }

    /// Whether the vertex exists. (Always inlined: scans ask it of every vertex.)
    #[inline(always)]
    pub fn exists(&self, v: VertexRef) -> bool {
        self.exists_in(v, || self.presence(v))
    }

    /// The same for who knows where it is noted.
    #[inline]
    pub(crate) fn exists_in<'s>(
        &'s self,
        v: VertexRef,
        presence: impl FnOnce() -> Option<&'s Presence>,
    ) -> bool {
        if let Some(own) = self.own
            && let Some(state) = own.vertex(v)
        {
            return matches!(state, VertexState::Exists(_));
        }
        presence().is_some_and(|presence| presence.exists(slot_of(v), self.tick))
    }

    /// The id: the user's or the generated long, which is the reference.
    #[inline]
    pub fn id(&self, v: VertexRef) -> Value {
        let own = self.own.and_then(|own| own.user_id(v)).flatten();
        let id = own.map(ValueRef::of).or_else(|| self.committed_id(v));
        id.map_or(Value::Long(v.0.into()), ValueRef::to_value)
    }

    /// The id that a user gave to the vertex.
    pub(crate) fn user_id(&self, v: VertexRef) -> Option<ValueRef<'_>> {
        if let Some(own) = self.own
            && let Some(id) = own.user_id(v)
        {
            return id.map(ValueRef::of);
        }
        self.committed_id(v)
    }

    /// The same without what this transaction did: one that it has dropped is still called so.
    fn committed_id(&self, v: VertexRef) -> Option<ValueRef<'_>> {
        self.presence(v)?.user_id(slot_of(v), self.tick)
    }

    /// The adjacency of one vertex along one edge label, one way.
    pub fn list(&self, v: VertexRef, label: EdgeLabelId, dir: Dir) -> List<'_> {
        List::new(self, v, label, dir)
    }

    /// The run that holds a place in the adjacency list of one vertex along one edge label, one way: the whole list,
    /// unless it has an edge-tree. At the end of the list it is empty, or ends before the place.
    #[inline(always)]
    pub fn run(&self, v: VertexRef, label: EdgeLabelId, dir: Dir, place: &mut Place) -> Run<'_> {
        if let Some(section) = self.adjacency(v, label, dir)
            && self.own.is_none()
            && let range = section.base_range(slot_of(v))
            && section.is_plain(range)
        {
            return Run::base(v, label, dir, section, range);
        }
        self.run_with_changes(v, label, dir, place)
    }

    /// The run of a list that has a tree or changes, or whose section has no base.
    #[inline(never)]
    fn run_with_changes(&self, v: VertexRef, label: EdgeLabelId, dir: Dir, place: &mut Place) -> Run<'_> {
        let run = self.changed_run(v, label, dir, place);
        if run.end() >= place.position {
            return run;
        }
        // What was read before could not be read again: for the reader the list ends here.
        Run::empty(v, label, dir).part_of(place.position, place.position)
    }

    fn changed_run(&self, v: VertexRef, label: EdgeLabelId, dir: Dir, place: &mut Place) -> Run<'_> {
        let order = Order::of(self.snapshot.catalog().sort_key(label));
        let Some(section) = self.adjacency(v, label, dir) else {
            return match self.own_changes(v, label, dir) {
                None => Run::empty(v, label, dir),
                own => Run::merged(v, label, dir, MergedList::new(None, (0, 0), None, own.as_ref(), order)),
            };
        };
        if let Some(tree) = section.tree(slot_of(v)) {
            let name = TreeName::primary(v, label, dir);
            return match place.tree().and_then(|by| self.tree_of(name.by(Some(by)))) {
                Some(other) => self.tree_run(&other, name.by(place.tree()), place),
                None => self.tree_run(tree, name, place),
            };
        }
        let (range, order) = (section.base_range(slot_of(v)), self.order_of(section, label));
        match (section.delta.visible(slot_of(v), self.tick), self.own_changes(v, label, dir)) {
            (None, None) if order == section.order => Run::base(v, label, dir, section, range),
            (committed, own) => {
                let merged = MergedList::new(Some(section), range, committed, own.as_ref(), order);
                Run::merged(v, label, dir, merged)
            }
        }
    }

    /// In which order this reader finds the packed lists of a section.
    #[inline]
    pub(crate) fn order_of(&self, section: &Adjacency, label: EdgeLabelId) -> Order {
        match section.is_between_orders() {
            true => self.memory.resorts.orders.at(label, self.tick).unwrap_or(section.order),
            false => section.order,
        }
    }

    /// The non-empty lists of a vertex one way, in the order of the label ids.
    pub fn for_each_label(&self, v: VertexRef, dir: Dir, mut f: impl FnMut(EdgeLabelId, List<'_>)) {
        self.each_label(v, dir, |label| {
            let list = self.list(v, label, dir);
            if !list.is_empty() {
                f(label, list);
            }
        });
    }

    /// The labels that a vertex may have lists of one way, in the order of their ids.
    fn each_label(&self, v: VertexRef, dir: Dir, mut f: impl FnMut(EdgeLabelId)) {
        let _ = self.try_each_label(v, dir, EdgeLabelId(0), |label| {
            f(label);
            ControlFlow::<()>::Continue(())
        });
    }

    /// The number of edges along `labels` (all, when empty); for `Both` a self-loop counts twice. Constant per label.
    pub fn degree(&self, v: VertexRef, dir: Direction, labels: &[EdgeLabelId]) -> u64 {
        let mut degree = 0;
        for &dir in Dir::of(dir) {
            if labels.is_empty() {
                self.each_label(v, dir, |label| degree += self.list_len(v, label, dir));
            } else {
                degree += labels.iter().map(|&label| self.list_len(v, label, dir)).sum::<u64>();
            }
        }
        degree
    }

    /// The length of one list.
    #[inline]
    pub fn list_len(&self, v: VertexRef, label: EdgeLabelId, dir: Dir) -> u64 {
        if let Some(own) = self.own
            && let Some(version) = own.list(v, label, dir)
        {
            return version.change().degree.into();
        }
        self.committed_len(TreeName::primary(v, label, dir))
    }

    /// The same without a transaction's own changes.
    #[inline]
    pub(crate) fn committed_len(&self, list: TreeName) -> u64 {
        let TreeName { v, label, dir, .. } = list;
        let Some(section) = self.adjacency(v, label, dir) else { return 0 };
        match section.tree(slot_of(v)) {
            Some(tree) => self.tree_degree(tree, list) as u64,
            None => section.degree(slot_of(v), self.tick) as u64,
        }
    }

    /// Whether the edge exists.
    pub fn edge_exists(&self, e: EdgeRef) -> bool {
        self.edge_place(e).is_some()
    }

    /// Whether there is a transaction whose own changes are seen.
    pub fn sees_own(&self) -> bool {
        self.own.is_some()
    }

    /// Whether this transaction has dropped the edge.
    pub fn has_dropped(&self, e: EdgeRef) -> bool {
        self.own.is_some_and(|own| matches!(own.edge(e.src, e.seq), Some(OwnEdge::Dropped)))
    }

    /// The id of an edge: the user's or the generated long. One that this transaction has dropped is still called as it was.
    pub fn edge_id(&self, e: EdgeRef) -> Value {
        let place = self.edge_place(e).or_else(|| self.edge_place_before(e));
        let user = place.and_then(|place| place.value(EDGE_ID_KEY));
        user.map_or(Value::Long(e.generated_id()), ValueRef::to_value)
    }

    /// Where the properties of an edge were that this transaction has dropped.
    #[cold]
    fn edge_place_before(&self, e: EdgeRef) -> Option<EdgePlace<'_>> {
        match self.own?.edge_before(e.src, e.seq) {
            Some(OwnEdge::Exists(_, _, cells)) => Some(EdgePlace::Cells(cells)),
            _ => Some(self.find_committed(e.src, EdgeLabelId(e.label), e.seq)?.place),
        }
    }

    /// Where the properties of an edge are, if it exists.
    pub(crate) fn edge_place(&self, e: EdgeRef) -> Option<EdgePlace<'_>> {
        let label = EdgeLabelId(e.label);
        let is_own = self.own.is_some_and(|own| own.edge(e.src, e.seq).is_some());
        let other_end = if is_own { None } else { self.place_at_other_end(e) };
        other_end.unwrap_or_else(|| Some(self.find_edge(e.src, label, e.seq)?.place))
    }

    /// The out-edge of a vertex with this label and sequence number.
    pub(crate) fn find_edge(&self, src: VertexRef, label: EdgeLabelId, seq: u32) -> Option<FoundEdge<'_>> {
        match self.own.and_then(|own| own.edge(src, seq)) {
            Some(OwnEdge::Exists(dst, own_label, cells)) => {
                let found = FoundEdge { neighbour: *dst, place: EdgePlace::Cells(cells) };
                (*own_label == label).then_some(found)
            }
            Some(OwnEdge::Dropped) => None,
            None => self.find_committed(src, label, seq),
        }
    }

    /// The same without a transaction's own changes.
    pub(crate) fn find_committed(
        &self,
        src: VertexRef,
        label: EdgeLabelId,
        seq: u32,
    ) -> Option<FoundEdge<'_>> {
        let section = self.adjacency(src, label, Dir::Out)?;
        match section.tree(slot_of(src)) {
            Some(tree) => self.find_in_tree(tree, TreeName::primary(src, label, Dir::Out), seq),
            None => section.find(slot_of(src), self.tick, seq),
        }
    }

    #[inline]
    pub(crate) fn presence(&self, v: VertexRef) -> Option<&Presence> {
        let block = self.memory.blocks.block(v)?;
        self.resolve(&block.presence, || SectionKey::of(v, SectionName::Presence))
    }

    #[inline]
    pub(crate) fn adjacency(&self, v: VertexRef, label: EdgeLabelId, dir: Dir) -> Option<&Adjacency> {
        let block: &Block = self.memory.blocks.block(v)?;
        let cell = block.adjacency.get(adjacency_number(label, dir))?;
        self.resolve(cell, || SectionKey::of(v, SectionName::Adjacency(label, dir)))
    }

    /// The section in a cell; a failure to load it is kept in the snapshot and reads as if it were empty.
    #[inline]
    pub(crate) fn resolve<T: Mergeable>(
        &self,
        cell: &SectionCell<T>,
        key: impl FnOnce() -> SectionKey,
    ) -> Option<&T> {
        match cell.read(self.memory.cache.account.era(), &self.guard) {
            SectionState::Loaded(section) => Some(section),
            SectionState::Empty => None,
            SectionState::Stored => self.resolve_stored(cell, key()),
        }
    }

    /// As [`Reader::resolve`], of what is on disk.
    #[cold]
    fn resolve_stored<T: Mergeable>(&self, cell: &SectionCell<T>, key: SectionKey) -> Option<&T> {
        self.load_with_next(key);
        self.or_fail(self.memory.section_for(self.request(), cell, || key, &self.guard)).flatten()
    }

    /// What was loaded; a failure is kept in the snapshot.
    pub(crate) fn or_fail<T>(&self, loaded: Result<T>) -> Option<T> {
        loaded.map_err(|error| self.snapshot.fail(error)).ok()
    }
}
