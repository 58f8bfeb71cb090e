//! What becomes of one edge of a list.

use values::{Value, VertexRef};

use crate::model::Tick;
use crate::sections::adjacency::EdgeChangeKind;

/// A change of one edge of a tree's list.
#[derive(Clone, Copy)]
pub(crate) struct TreeChange<'a> {
    pub(crate) tick: Tick,
    pub(crate) neighbour: VertexRef,
    pub(crate) seq: u32,
    pub(crate) kind: &'a EdgeChangeKind,
    /// In a list by sort key, of an update or a delete: the value that the edge had. It says where to look first.
    pub(crate) before: Option<&'a Value>,
}

impl TreeChange<'_> {
    /// The other end and the sequence number.
    pub(crate) fn edge(&self) -> (VertexRef, u32) {
        (self.neighbour, self.seq)
    }
}
