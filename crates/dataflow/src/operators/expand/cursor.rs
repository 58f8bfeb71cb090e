//! Where an expansion stands.

use graph::{Dir, Place, ReadUnit, Seek};
use values::VertexRef;

use crate::edge_part::EdgePart;

use super::super::view::Graph;
use super::next_list;
use super::sorted::Ordered;

/// Where an expansion stands: the next edge of the next list of the next row.
///
/// ```text
/// row 0   out ┬ knows    [v v v v]
///             └ created  [v v v v v v … 500,000 more]
///                             ▲ (row 0, list 1, position 2): continue here
/// row 1   …
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    pub(super) row: usize,
    /// Which (direction, label) pair, directions first.
    pub(super) list: usize,
    pub(super) place: Place,
    /// In a range of a list that a sort key orders.
    pub(super) seek: Seek,
    /// Of a list of which a part is wanted: how it is read.
    pub(super) ordered: Option<Ordered>,
    /// Edges of the list that have passed.
    pub(super) taken: usize,
    /// If only a part of one list of the one row is wanted: its first position, and the position behind its last edge.
    part: Option<(usize, usize)>,
}

impl Cursor {
    /// At the beginning of a part of one list of one row: nothing else of the input is wanted.
    pub(super) fn of(part: &EdgePart) -> Self {
        let place = part.stretch.place;
        let part_ = Some((place.position, part.stretch.end));
        Self { list: part.list, place, part: part_, ..Self::default() }
    }

    /// Whether only a part of a list is wanted.
    #[inline]
    pub(super) fn is_partial(&self) -> bool {
        self.part.is_some()
    }

    /// Whether nothing of the list was looked at yet.
    #[inline]
    pub(super) fn is_at_beginning(&self) -> bool {
        self.place.position == self.part.map_or(0, |(first, _)| first)
    }

    /// The position up to which a list of that length is wanted.
    #[inline]
    pub(super) fn end(&self, len: usize) -> usize {
        self.part.map_or(len, |(_, end)| end.min(len))
    }

    /// Of the edges from here on, the first of which are `rest`, and which are `left` in all: those that are wanted.
    #[inline]
    pub(super) fn wanted<'r>(&self, rest: &'r [VertexRef], left: usize) -> (&'r [VertexRef], usize) {
        match self.part {
            None => (rest, left),
            Some((_, end)) => {
                let wanted = end.saturating_sub(self.place.position);
                (&rest[..rest.len().min(wanted)], left.min(wanted))
            }
        }
    }

    /// Whether all that is wanted of a list has been looked at, if it is a part.
    #[inline]
    pub(super) fn is_behind_part(&self) -> bool {
        self.part.is_some_and(|(_, end)| self.place.position >= end)
    }

    /// Passes over the lists that the vertex of its row does not have, of as many labels as the graph has; whether there is one
    /// left in this row. If not, it is at the next. That the vertex was asked for lists is noted.
    pub(super) fn find_list(&mut self, v: VertexRef, dirs: &[Dir], labels: usize, graph: &Graph<'_>) -> bool {
        if self.is_partial() || !self.is_at_beginning() {
            return true;
        }
        if self.list == 0 {
            dirs.iter().for_each(|&dir| graph.note(|| ReadUnit::AnyList(v, dir)));
        }
        self.list = next_list(v, self.list, dirs, labels, graph);
        let found = self.list < dirs.len() * labels;
        if !found {
            (self.list, self.row) = (0, self.row + 1);
        }
        found
    }

    /// Goes to the next list of so many per row; to the end of the input, if only a part was wanted.
    pub(super) fn next_list(&mut self, lists: usize) {
        // The rest of the place is of the list before, as its version says.
        self.place.position = 0;
        (self.ordered, self.taken) = (None, 0);
        self.list += 1;
        if self.list >= lists || self.part.is_some() {
            self.list = 0;
            self.row += 1;
        }
    }
}
