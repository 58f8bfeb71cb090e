//! The adjacency of a block along one edge label, one way.
//!
//! ```text
//! offsets    │0│3│3│5│…        one per slot, and one: slot s owns the positions offsets[s]..offsets[s+1]
//! neighbours │b│c│d│a│c│…      the other ends, in sort-key order within each slot
//! seqs       │0│4│9│1│7│…      with the source vertex: the edge's identity
//! columns    since │…│…│       edge properties by position; stored in both directions
//! delta      chains of inserts, deletes and updates per slot, each with the degree after it
//! ```
//!
//! A list is its base positions and then its inserts, oldest first; merging keeps that order, so positions are stable
//! for a snapshot.

use std::sync::Arc;

use values::{Value, VertexRef};

use super::SLOTS;
use super::adjacency_builder::AdjacencyBuilder;
use super::delta::Delta;
use super::merged_list::MergedList;
use super::values::{Values, column};
use crate::memory::Version;
use crate::{KeyId, Tick, ValueRef};

/// The properties of one edge, ascending by key; shared by both of its ends.
pub(crate) type EdgeCells = Arc<[(KeyId, Value)]>;

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

impl EdgeChange {
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
            Self::Cells(cells) => cells.iter().find(|(k, _)| *k == key).map(|(_, value)| ValueRef::of(value)),
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
    /// Whether the sequence numbers of every slot ascend, so that an edge is found by binary search.
    ascending: bool,
    pub(crate) delta: Delta<EdgeChange>,
}

impl Adjacency {
    /// A section of a base alone. `offsets` begins with 0, never descends and ends with the number of neighbours;
    /// `seqs` is as long as `neighbours`.
    pub(crate) fn new(
        settled: Tick,
        offsets: Box<[u32]>,
        neighbours: Box<[VertexRef]>,
        seqs: Box<[u32]>,
        columns: Box<[(KeyId, Values)]>,
    ) -> Self {
        debug_assert_eq!(offsets.last().map(|&end| end as usize), Some(neighbours.len()));
        let ascends = |pair: &[u32]| {
            let list = seqs.get(pair[0] as usize..pair[1] as usize).unwrap_or_default();
            list.is_sorted()
        };
        let ascending = offsets.windows(2).all(ascends);
        Self { settled, offsets, neighbours, seqs, columns, ascending, delta: Delta::new() }
    }

    /// A section without edges.
    pub(crate) fn empty() -> Self {
        Self::new(0, Box::new([0]), Box::default(), Box::default(), Box::default())
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
        column(&self.columns, key)?.get(position)
    }

    /// The properties at a base position.
    pub(crate) fn base_cells(&self, position: usize) -> EdgeCells {
        let cell = |(key, values): &(KeyId, Values)| Some((*key, values.get(position)?.to_value()));
        self.columns.iter().filter_map(cell).collect()
    }

    /// The length of a list.
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
        let newest = self.delta.visible(slot, stamp);
        let same = |version: &&Version<EdgeChange>| version.change().seq == seq;
        if let Some(version) = newest.and_then(|newest| newest.history().find(same)) {
            let change = version.change();
            return match &change.kind {
                EdgeChangeKind::Delete => None,
                EdgeChangeKind::Insert(cells) | EdgeChangeKind::Update(cells) => {
                    Some(FoundEdge { neighbour: change.neighbour, place: EdgePlace::Cells(cells) })
                }
            };
        }
        let position = self.base_position(slot, seq)?;
        Some(FoundEdge { neighbour: self.neighbours[position], place: EdgePlace::Base(self, position) })
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
        let before = self.degree(slot, Tick::MAX) as u32;
        let degree = match kind {
            EdgeChangeKind::Insert(_) => before + 1,
            EdgeChangeKind::Update(_) => before,
            EdgeChangeKind::Delete => before.saturating_sub(1),
        };
        self.delta.push(SLOTS, slot, stamp, EdgeChange { kind, neighbour, seq, degree });
    }

    /// A section whose base includes everything up to `stamp`.
    pub(crate) fn merged(&self, stamp: Tick) -> Self {
        let slots = self.delta.heads().last().map_or(0, |(slot, _)| slot + 1).max(self.offsets.len() - 1);
        let mut builder = AdjacencyBuilder::new(self.neighbours.len() + self.delta.len());
        for slot in 0..slots {
            match self.delta.visible(slot, stamp) {
                None => {
                    let (start, end) = self.base_range(slot);
                    builder.copy(self, start..end);
                }
                Some(version) => self.merge_slot(slot, version, &mut builder),
            }
            builder.end_slot();
        }
        let mut merged = builder.finish(self.settled.max(stamp));
        merged.delta = self.delta.newer_than(stamp);
        merged
    }

    fn merge_slot(&self, slot: usize, newest: &Version<EdgeChange>, builder: &mut AdjacencyBuilder) {
        let (start, end) = self.base_range(slot);
        let merged = MergedList::new(self, (start, end), Some(newest), None);
        for i in 0..merged.len() {
            match merged.override_of(i) {
                Some(change_cells) => {
                    builder.push(merged.neighbours[i], merged.seq(i), change_cells.iter());
                }
                None => {
                    let position = merged.sources[i] as usize;
                    builder.copy(self, position..position + 1);
                }
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let columns: usize = self.columns.iter().map(|(_, values)| values.bytes()).sum();
        self.offsets.len() * 4 + self.neighbours.len() * 8 + columns
    }
}
