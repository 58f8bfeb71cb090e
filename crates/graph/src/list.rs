//! One adjacency list.

use values::{EdgeRef, Value, VertexRef};

use crate::catalog::EDGE_ID_KEY;
use crate::section::{Adjacency, MergedList};
use crate::{Dir, EdgeLabelId, KeyId, ValueRef};

/// One adjacency list as the snapshot sees it, in sort-key order (insertion order by default). Positions are stable
/// for a snapshot.
pub struct List<'r> {
    owner: VertexRef,
    label: EdgeLabelId,
    dir: Dir,
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
    Merged(Box<MergedList<'r>>),
}

impl<'r> List<'r> {
    pub(crate) fn empty(owner: VertexRef, label: EdgeLabelId, dir: Dir) -> Self {
        Self { owner, label, dir, edges: Edges::None }
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
        Self { owner, label, dir, edges: Edges::Base { neighbours, section, start } }
    }

    pub(crate) fn merged(owner: VertexRef, label: EdgeLabelId, dir: Dir, list: MergedList<'r>) -> Self {
        Self { owner, label, dir, edges: Edges::Merged(Box::new(list)) }
    }

    /// The number of edges.
    #[inline]
    pub fn len(&self) -> usize {
        self.neighbours().len()
    }

    /// Whether there is no edge.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The vertex at the other end of edge `i`.
    ///
    /// # Panics
    /// If `i` is not below [`List::len`].
    #[inline]
    pub fn neighbour(&self, i: usize) -> VertexRef {
        self.neighbours()[i]
    }

    /// The vertices at the other ends.
    #[inline]
    pub fn neighbours(&self) -> &[VertexRef] {
        match &self.edges {
            Edges::Base { neighbours, .. } => neighbours,
            Edges::Merged(list) => &list.neighbours,
            Edges::None => &[],
        }
    }

    /// Edge `i`.
    ///
    /// # Panics
    /// If `i` is not below [`List::len`].
    #[inline]
    pub fn edge(&self, i: usize) -> EdgeRef {
        let neighbour = self.neighbour(i);
        let seq = match &self.edges {
            Edges::Base { section, start, .. } => section.seqs()[start + i],
            Edges::Merged(list) => list.seq(i),
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
        if i >= self.len() || key == EDGE_ID_KEY {
            return None;
        }
        match &self.edges {
            Edges::Base { section, start, .. } => section.base_value(start + i, key),
            Edges::Merged(list) => list.value(i, key),
            Edges::None => None,
        }
    }

    /// The value of edge `i` under `key`; none beyond the end.
    #[inline]
    pub fn value(&self, i: usize, key: KeyId) -> Option<Value> {
        self.value_ref(i, key).map(ValueRef::to_value)
    }

    /// Which vertex's list this is.
    pub fn owner(&self) -> VertexRef {
        self.owner
    }

    /// Along which edge label.
    pub fn label(&self) -> EdgeLabelId {
        self.label
    }

    /// Which way.
    pub fn dir(&self) -> Dir {
        self.dir
    }

    /// The user's id of edge `i`, if it was given one.
    pub(crate) fn user_id(&self, i: usize) -> Option<ValueRef<'_>> {
        match &self.edges {
            Edges::Base { section, start, .. } => section.base_value(start + i, EDGE_ID_KEY),
            Edges::Merged(list) => list.value(i, EDGE_ID_KEY),
            Edges::None => None,
        }
    }
}
