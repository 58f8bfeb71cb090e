//! The lists of many vertices, as far as they lie packed in their sections.

use graph::{Dir, EdgeLabelId, Ends, Lists};
use values::VertexRef;

use crate::batch::{Batch, Column};

use super::super::view::Graph;

/// Rows from which on it pays to remember where lists are.
const SOME_ROWS: usize = 8;

/// Rows from which on it pays to find the lists of all blocks at once.
const MANY_ROWS: usize = 24;

/// Lists per row up to which it is remembered.
const FEW_LISTS: usize = 4;

/// How many rows ahead lists are fetched from memory.
const AHEAD: usize = 3;

/// The lists of the rows of a batch that lie packed.
pub(super) struct PackedLists<'b, 'g> {
    /// What the rows are at.
    vertices: &'b [VertexRef],
    /// For each (direction, label) pair, directions first; empty if nothing is remembered.
    lists: Vec<Lists<'g>>,
}

impl<'b, 'g> PackedLists<'b, 'g> {
    /// Of the rows from `first` on.
    pub(super) fn of(
        batch: &'b Batch,
        first: usize,
        dirs: &[Dir],
        labels: &[EdgeLabelId],
        graph: &'g Graph<'_>,
    ) -> Self {
        let Column::Vertices(vertices) = &*batch.current else {
            return Self { vertices: &[], lists: Vec::new() };
        };
        graph.reader.expect(&vertices[first.min(vertices.len())..]);
        let mut lists = Vec::new();
        if vertices.len() >= first + SOME_ROWS && dirs.len() * labels.len() <= FEW_LISTS {
            for &dir in dirs {
                lists.extend(labels.iter().map(|&label| graph.reader.lists(label, dir)));
            }
            if vertices.len() >= first + MANY_ROWS {
                lists.iter_mut().for_each(|lists| lists.expect_many_near(vertices[first]));
            }
        }
        Self { vertices, lists }
    }

    /// What is left of a list of the vertex in a row from a position on, if the list lies packed.
    #[inline]
    pub(super) fn list(
        &mut self,
        v: VertexRef,
        list: usize,
        row: usize,
        position: usize,
    ) -> Option<Ends<'g>> {
        let lists = self.lists.get_mut(list)?;
        if let (0, Some(soon)) = (position, self.vertices.get(row + AHEAD)) {
            lists.expect(*soon);
        }
        let ends = lists.packed(v)?;
        Some(ends.part(ends.list.get(position..).unwrap_or_default()))
    }
}
