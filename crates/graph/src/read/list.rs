//! Adjacency lists.

use values::{EdgeRef, Value, VertexRef};

use super::reader::Reader;
use super::runs::{Place, Runs};
use crate::model::{Dir, EDGE_ID_KEY, EdgeLabelId, KeyId, ValueRef, slot_of};
use crate::sections::{Adjacency, AdjacencyBuilder, MergedList, TreeName, order_values, partition_point};

/// A stretch of an adjacency list that lies together: all of it, unless it is long enough to have an edge-tree.
///
/// ```text
/// list   0 ─────────────────────────────────────── total
/// runs   │ 2,000 edges │ 2,000 edges │ 1,312 edges │
///                      first … end
/// ```
///
/// Edges are numbered within the run, from 0.
pub struct Run<'r> {
    owner: VertexRef,
    label: EdgeLabelId,
    dir: Dir,
    first: usize,
    total: usize,
    edges: Edges<'r>,
}

enum Edges<'r> {
    None,
    /// Positions from `start` on of a base that has no changes here.
    Base {
        neighbours: &'r [VertexRef],
        section: &'r Adjacency,
        start: usize,
    },
    /// Edges from `start` on of a list put together.
    Merged {
        list: Box<MergedList<'r>>,
        start: usize,
    },
}

impl<'r> Run<'r> {
    pub(crate) fn empty(owner: VertexRef, label: EdgeLabelId, dir: Dir) -> Self {
        Self { owner, label, dir, first: 0, total: 0, edges: Edges::None }
    }

    #[inline]
    pub(crate) fn base(
        owner: VertexRef,
        label: EdgeLabelId,
        dir: Dir,
        section: &'r Adjacency,
        (start, end): (usize, usize),
    ) -> Self {
        let neighbours = &section.neighbours()[start..end];
        Self {
            owner,
            label,
            dir,
            first: 0,
            total: end - start,
            edges: Edges::Base { neighbours, section, start },
        }
    }

    pub(crate) fn merged(owner: VertexRef, label: EdgeLabelId, dir: Dir, list: MergedList<'r>) -> Self {
        let total = list.len();
        Self { owner, label, dir, first: 0, total, edges: Edges::Merged { list: Box::new(list), start: 0 } }
    }

    /// The same as a part of a longer list.
    pub(crate) fn part_of(self, first: usize, total: usize) -> Self {
        Self { first, total, ..self }
    }

    /// Without the edges before a position in the list.
    pub(crate) fn starting_at(mut self, position: usize) -> Self {
        let skipped = position.saturating_sub(self.first).min(self.neighbours().len());
        self.first += skipped;
        match &mut self.edges {
            Edges::Base { neighbours, start, .. } => {
                *neighbours = &neighbours[skipped..];
                *start += skipped;
            }
            Edges::Merged { start, .. } => *start += skipped,
            Edges::None => {}
        }
        self
    }

    /// The position in the list of the run's first edge.
    #[inline]
    pub fn first(&self) -> usize {
        self.first
    }

    /// The position in the list behind the run's last edge.
    #[inline]
    pub fn end(&self) -> usize {
        self.first + self.neighbours().len()
    }

    /// The number of edges of the whole list.
    #[inline]
    pub fn total(&self) -> usize {
        self.total
    }

    /// The vertices at the other ends.
    #[inline]
    pub fn neighbours(&self) -> &[VertexRef] {
        match &self.edges {
            Edges::Base { neighbours, .. } => neighbours,
            Edges::Merged { list, start } => &list.neighbours[*start..],
            Edges::None => &[],
        }
    }

    /// Whether it was put together for this call from a base and its changes, which costs something for every edge.
    #[inline]
    pub fn is_merged(&self) -> bool {
        matches!(self.edges, Edges::Merged { .. })
    }

    /// The vertex at the other end of edge `i`.
    ///
    /// # Panics
    /// If the run has no edge `i`.
    #[inline]
    pub fn neighbour(&self, i: usize) -> VertexRef {
        self.neighbours()[i]
    }

    /// Edge `i`.
    ///
    /// # Panics
    /// If the run has no edge `i`.
    #[inline]
    pub fn edge(&self, i: usize) -> EdgeRef {
        let neighbour = self.neighbour(i);
        let seq = match &self.edges {
            Edges::Base { section, start, .. } => section.seqs()[start + i],
            Edges::Merged { list, start } => list.seq(start + i),
            Edges::None => 0,
        };
        let (src, dst) = match self.dir {
            Dir::Out => (self.owner, neighbour),
            Dir::In => (neighbour, self.owner),
        };
        EdgeRef { src, dst, seq, label: self.label.0 }
    }

    /// The value of edge `i` under `key`, borrowed; none beyond the end.
    #[inline]
    pub fn value_ref(&self, i: usize, key: KeyId) -> Option<ValueRef<'_>> {
        if key == EDGE_ID_KEY { None } else { self.stored_value(i, key) }
    }

    /// The values under `key`, by the edges' numbers, if each of them has a long and lies in a column of longs.
    #[inline]
    pub fn longs(&self, key: KeyId) -> Option<&[i64]> {
        match &self.edges {
            Edges::Base { section, start, neighbours } => {
                section.base_longs(*start..*start + neighbours.len(), key)
            }
            _ => None,
        }
    }

    /// Of a run that is ordered by `key`: the first edge whose value is not before `value`; the run's length if all are.
    pub fn first_from(&self, key: KeyId, value: ValueRef<'_>) -> usize {
        let edges = 0..self.neighbours().len();
        let before = |i: usize| order_values(self.value_ref(i, key), Some(value)).is_lt();
        partition_point(edges, before)
    }

    /// Of a run that is ordered by `key`: the first edge whose value is after `value`; the run's length if none is.
    pub fn first_after(&self, key: KeyId, value: ValueRef<'_>) -> usize {
        let edges = 0..self.neighbours().len();
        let not_after = |i: usize| order_values(self.value_ref(i, key), Some(value)).is_le();
        partition_point(edges, not_after)
    }

    /// The value of edge `i` under `key`; none beyond the end.
    #[inline]
    pub fn value(&self, i: usize, key: KeyId) -> Option<Value> {
        self.value_ref(i, key).map(ValueRef::to_value)
    }

    /// Hands out what edge `i` has under each key; nothing beyond the end.
    pub fn each_value(&self, i: usize, mut visit: impl FnMut(KeyId, ValueRef<'_>)) {
        let mut visit = |key: KeyId, value: ValueRef<'_>| {
            if key != EDGE_ID_KEY {
                visit(key, value);
            }
        };
        match &self.edges {
            Edges::Base { section, start, neighbours } if i < neighbours.len() => {
                section.each_base_value(start + i, &mut visit);
            }
            Edges::Merged { list, start } if start + i < list.len() => {
                list.each_value(start + i, &mut visit);
            }
            _ => {}
        }
    }

    /// The id of edge `i`: the user's or the generated long.
    ///
    /// # Panics
    /// If the run has no edge `i`.
    pub fn edge_id(&self, i: usize) -> Value {
        self.user_id(i).map_or_else(|| Value::Long(self.edge(i).generated_id()), ValueRef::to_value)
    }

    /// The user's id of edge `i`, if it was given one.
    pub(crate) fn user_id(&self, i: usize) -> Option<ValueRef<'_>> {
        self.stored_value(i, EDGE_ID_KEY)
    }

    #[inline]
    fn stored_value(&self, i: usize, key: KeyId) -> Option<ValueRef<'_>> {
        match &self.edges {
            Edges::Base { section, start, neighbours } if i < neighbours.len() => {
                section.base_value(start + i, key)
            }
            Edges::Merged { list, start } if start + i < list.len() => list.value(start + i, key),
            _ => None,
        }
    }

    /// Appends edge `i` to the current slot of a builder.
    pub(crate) fn append_to(&self, i: usize, builder: &mut AdjacencyBuilder) {
        match &self.edges {
            Edges::Base { section, start, .. } => builder.copy(section, start + i..start + i + 1),
            Edges::Merged { list, start } => list.append_to(start + i, builder),
            Edges::None => {}
        }
    }

    /// Along which edge label.
    pub fn label(&self) -> EdgeLabelId {
        self.label
    }

    /// Which way.
    pub fn dir(&self) -> Dir {
        self.dir
    }
}

/// One adjacency list as the snapshot sees it, in sort-key order (insertion order by default). Positions are stable
/// for a snapshot. What goes through many lists takes their runs itself: [`Reader::run`].
#[derive(Clone, Copy)]
pub struct List<'r> {
    reader: &'r Reader<'r>,
    name: TreeName,
}

impl<'r> List<'r> {
    pub(crate) fn new(reader: &'r Reader<'r>, v: VertexRef, label: EdgeLabelId, dir: Dir) -> Self {
        Self { reader, name: TreeName::primary(v, label, dir) }
    }

    pub(crate) fn reader(self) -> &'r Reader<'r> {
        self.reader
    }

    pub(crate) fn name(self) -> TreeName {
        self.name
    }

    /// The number of edges.
    pub fn len(self) -> usize {
        match self.name.by.and_then(|_| self.reader.tree_of(self.name)) {
            Some(tree) => self.reader.tree_degree(&tree, self.name),
            None => self.reader.list_len(self.name.v, self.name.label, self.name.dir) as usize,
        }
    }

    /// Whether it is long enough to have an edge-tree.
    #[inline]
    pub fn has_tree(self) -> bool {
        let section = self.reader.adjacency(self.name.v, self.name.label, self.name.dir);
        section.is_some_and(|section| section.tree(slot_of(self.name.v)).is_some())
    }

    /// Whether there is no edge.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The runs of the list, in order; none of them empty.
    pub fn runs(self) -> impl Iterator<Item = Run<'r>> {
        Runs::new(self.reader, self.name)
    }

    /// The run that holds a place: [`Reader::run`] of the list as this value of the type reads it.
    pub fn run(self, place: &mut Place) -> Run<'r> {
        self.reader.run_of(self.name, place)
    }

    /// The same edges in the order of their values under `key`, if they lie so or in a secondary edge-tree that does. A list
    /// that was read so for a part must be read so to its end: see [`List::in_tree`].
    pub fn ordered_by(self, key: KeyId) -> Option<Self> {
        if self.sort_key() == Some(key) {
            return Some(self);
        }
        // A transaction's own writes know nothing of secondary trees.
        let secondary = Self { name: self.name.by(Some(key)), ..self };
        (self.reader.own.is_none() && self.reader.tree_of(secondary.name).is_some()).then_some(secondary)
    }

    /// The properties by which it has secondary edge-trees.
    pub fn secondary_keys(self) -> Vec<KeyId> {
        match self.reader.own {
            Some(_) => Vec::new(),
            None => self.reader.memory.secondaries.keys_of(self.name, self.reader.tick),
        }
    }

    /// The tree that is read: that of a property, or none for the list as it lies.
    pub fn tree(self) -> Option<KeyId> {
        self.name.by
    }

    /// The same edges as the tree has them that [`List::tree`] named before. For a snapshot it stays readable.
    pub fn in_tree(self, tree: Option<KeyId>) -> Self {
        Self { name: self.name.by(tree), ..self }
    }

    /// The property by whose values the list is ordered, if it is not by insertion.
    pub fn sort_key(self) -> Option<KeyId> {
        self.reader.list_order(self.name).key()
    }

    /// The vertices at the other ends.
    pub fn neighbours(self) -> impl Iterator<Item = VertexRef> {
        self.runs().flat_map(|run| run.neighbours().to_vec())
    }

    /// The edges.
    pub fn edges(self) -> impl Iterator<Item = EdgeRef> {
        self.runs().flat_map(|run| (0..run.neighbours().len()).map(move |i| run.edge(i)))
    }
}
