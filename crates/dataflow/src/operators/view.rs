//! The graph as an operator reads it during one call.

use std::borrow::Cow;

use graph::{Dir, EdgeLabelId, KeyId, ReadNotes, ReadUnit, Reader, Snapshot, Transaction};
use planner::physical::EdgeLabels;
use values::{EdgeRef, VertexRef};

use crate::operator::Context;

/// A snapshot, and the transaction that must know what was read, if the query runs in one.
pub(crate) struct View<'a> {
    snapshot: Cow<'a, Snapshot>,
    transaction: Option<&'a Transaction>,
}

impl<'a> View<'a> {
    /// The graph as it is now for the query. In a transaction that includes the writes made before this call.
    pub(crate) fn of(cx: &Context<'a>) -> Self {
        Self { snapshot: cx.query.snapshot(), transaction: cx.query.transaction() }
    }

    /// The graph as it was at a viewpoint.
    pub(crate) fn at(viewpoint: &Viewpoint, cx: &Context<'a>) -> Self {
        match &viewpoint.0 {
            Some(snapshot) => {
                Self { snapshot: Cow::Owned(snapshot.clone()), transaction: cx.query.transaction() }
            }
            None => Self::of(cx),
        }
    }

    /// Begins to read. What is read inside a transaction is known to it when this is dropped.
    pub(crate) fn graph(&self) -> Graph<'_> {
        Graph { reader: self.snapshot.reader(), notes: self.transaction.map(ReadNotes::new) }
    }
}

/// What an operator with a cursor keeps while it works on one input: in a transaction the graph may change between two
/// calls by the query's own hand (`g.V().addV()`), and the cursor must not meet what it has caused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Viewpoint(Option<Snapshot>);

impl Viewpoint {
    /// The graph as it is now.
    pub(crate) fn now(cx: &Context<'_>) -> Self {
        Self(cx.query.transaction().map(|_| cx.query.snapshot().into_owned()))
    }

    /// Stays with the graph as it is now.
    pub(super) fn take(&mut self, cx: &Context<'_>) {
        *self = Self::now(cx);
    }

    /// Lets it go.
    pub(super) fn release(&mut self) {
        self.0 = None;
    }
}

/// A reader that tells the transaction, if there is one, which units were read (DESIGN section 4). A query that only
/// reads pays one branch for it.
pub(crate) struct Graph<'a> {
    /// All reads.
    pub(crate) reader: Reader<'a>,
    notes: Option<ReadNotes<'a>>,
}

impl Graph<'_> {
    /// Records that a unit is read.
    #[inline]
    pub(super) fn note(&self, unit: impl FnOnce() -> ReadUnit) {
        if let Some(notes) = &self.notes {
            notes.note(unit());
        }
    }

    /// Whether somebody keeps a record of what is read.
    #[inline]
    pub(super) fn is_noted(&self) -> bool {
        self.notes.is_some()
    }

    /// Records that a vertex's existence is read: also where its label is, which never changes.
    #[inline]
    pub(super) fn note_vertex(&self, v: VertexRef) {
        self.note(|| ReadUnit::Existence(v));
    }

    /// Records that it is read what a vertex has under a key; under all keys, if none is given.
    #[inline]
    pub(super) fn note_property(&self, v: VertexRef, key: Option<KeyId>) {
        self.note(|| key.map_or(ReadUnit::VertexRecord(v), |key| ReadUnit::Property(v, key)));
    }

    /// Records that it is read what the vertices in some rows have under a key.
    #[inline]
    pub(super) fn note_properties(
        &self,
        vertices: &[VertexRef],
        rows: impl Iterator<Item = u32>,
        key: KeyId,
    ) {
        if self.notes.is_some() {
            rows.for_each(|row| self.note_property(vertices[row as usize], Some(key)));
        }
    }

    /// Records that an edge's existence is read.
    #[inline]
    pub(super) fn note_edge(&self, e: EdgeRef) {
        self.note(|| ReadUnit::EdgeExistence(e));
    }

    /// Records that it is read what an edge has under a key; under all keys, if none is given.
    #[inline]
    pub(super) fn note_edge_property(&self, e: EdgeRef, key: Option<KeyId>) {
        self.note(|| key.map_or(ReadUnit::Edge(e), |key| ReadUnit::EdgeProperty(e, key)));
    }

    /// Records that an adjacency list is read.
    #[inline]
    pub(super) fn note_list(&self, v: VertexRef, label: EdgeLabelId, dir: Dir) {
        self.note(|| ReadUnit::List(v, label, dir));
    }

    /// Records that the adjacency lists of a vertex along some labels are read; along all, without labels.
    pub(crate) fn note_whole_lists(&self, v: VertexRef, dirs: &[Dir], labels: Option<&[EdgeLabelId]>) {
        for &dir in dirs {
            match labels {
                None => self.note(|| ReadUnit::AnyList(v, dir)),
                Some(labels) => labels.iter().for_each(|&label| self.note_list(v, label, dir)),
            }
        }
    }

    /// Records that the adjacency lists of vertices are read.
    #[inline]
    pub(super) fn note_lists(&self, vertices: &[VertexRef], label: EdgeLabelId, dir: Dir) {
        if self.notes.is_some() {
            vertices.iter().for_each(|&v| self.note_list(v, label, dir));
        }
    }

    /// Records that a list is read as one of those along some labels: as all of one direction, if whatever label will do. Then
    /// also a label that nobody knows yet counts.
    #[inline]
    pub(super) fn note_list_among(
        &self,
        v: VertexRef,
        (dir, label): (Dir, EdgeLabelId),
        labels: &EdgeLabels,
    ) {
        self.note(|| match labels {
            EdgeLabels::All => ReadUnit::AnyList(v, dir),
            EdgeLabels::Only(_) => ReadUnit::List(v, label, dir),
        });
    }
}
