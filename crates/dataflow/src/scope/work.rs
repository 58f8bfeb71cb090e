//! How much there is to do for a batch, as far as one can see: an expansion follows so many edges.

use std::borrow::Cow;
use std::ops::Range;

use graph::{Dir, EdgeLabelId, KeyId, Reader};
use planner::physical::{EdgeLabels, Hop, Op, OpKind, Pipeline, SortedPart, op};
use values::{Direction, VertexRef};

use crate::batch::{Batch, Column};
use crate::edge_part::EdgePart;
use crate::operator::Context;
use crate::operators::{View, Viewpoint};

/// Edges that it takes about a millisecond to follow, or longer.
pub(super) const LARGE: u64 = 1 << 20;
/// What it costs to have a scope work on a row, in edges.
const PER_SCOPE: f64 = 16.0;
/// Most that following an edge is believed to cost, in edges: plans are guesses.
const MOST_PER_EDGE: f64 = 1024.0;
/// Most edges of one list in a piece, but for the rest of an edge node: what waits for pieces before it is bounded.
const LARGEST_PART: u64 = 1 << 16;
/// Edges that a row is taken for of which nothing is known, and that it costs to look at a row.
const PER_ROW: u64 = 16;
/// Edge labels whose lists are measured, in both directions if need be, for many rows.
const FEW_LABELS: usize = 4;
/// Rows of which every list is measured, however many there are.
pub(super) const FEW_ROWS: usize = 4;

/// What there is to do.
#[derive(Default)]
pub(super) struct Work {
    /// In edges.
    pub(super) total: u64,
    /// Of each row; empty if nothing is known of them.
    rows: Vec<u64>,
    /// What is followed from the rows, if parts of a list can be followed by themselves.
    lists: Option<Lists>,
}

/// The lists of a row.
struct Lists {
    dirs: &'static [Dir],
    labels: Vec<EdgeLabelId>,
    /// Whether these are all labels of the graph, of which a row may have few.
    are_all: bool,
    /// Properties in whose order less of a list may have to be read than all of it.
    orders: Vec<KeyId>,
    /// The graph that was looked at.
    viewpoint: Viewpoint,
}

/// What goes into one piece.
#[derive(Debug)]
pub(super) enum Cut {
    /// These rows.
    Rows(Range<u32>),
    /// Some of the edges of this row.
    Edges(u32, EdgePart),
}

impl Work {
    /// For a batch that a pipeline receives.
    pub(super) fn of(batch: &Batch, pipeline: &Pipeline, cx: &Context<'_>) -> Self {
        let guess = Self { total: batch.len as u64 * PER_ROW, ..Self::default() };
        let (Some((direction, labels, orders)), Some(vertices)) = (first_hop(pipeline), vertices_of(batch))
        else {
            return guess;
        };
        let viewpoint = Viewpoint::now(cx);
        let view = View::at(&viewpoint, cx);
        let reader = &view.graph().reader;
        let are_all = matches!(labels, EdgeLabels::All);
        let labels: Vec<EdgeLabelId> = match labels {
            EdgeLabels::Only(labels) => labels.clone(),
            EdgeLabels::All => {
                (0..reader.snapshot().catalog().edge_label_bound() as u16).map(EdgeLabelId).collect()
            }
        };
        if labels.is_empty() || labels.len() > FEW_LABELS && batch.len > FEW_ROWS {
            return guess;
        }
        let mut rows = vec![PER_ROW / 4; batch.len];
        if batch.len > FEW_ROWS {
            for &dir in Dir::of(direction) {
                labels.iter().for_each(|&label| reader.degrees(label, dir).add_to(&vertices, &mut rows));
            }
        } else {
            let along = if are_all { &[][..] } else { &labels };
            let degrees = vertices.iter().map(|&v| reader.degree(v, direction, along));
            rows.iter_mut().zip(degrees).for_each(|(row, degree)| *row += degree);
        }
        let orders = orders.iter().map(|part| part.key).collect();
        let lists = Lists { dirs: Dir::of(direction), labels, are_all, orders, viewpoint };
        Self { total: rows.iter().sum(), rows, lists: Some(lists) }
    }

    /// Cuts a batch into so many parts, of about as much work each, but no less than `least` edges; so there may be fewer.
    /// Rows that mean more work than two parts should are cut along their lists, and there may be more parts then.
    pub(super) fn cut(&self, batch: &Batch, parts: u64, least: u64, cx: &Context<'_>) -> Vec<Cut> {
        self.cut_with(batch.len as u32, parts, least.max(1), |row, edges, cut| {
            match (&self.lists, batch.current.vertex(row as usize)) {
                (Some(lists), Some(v)) => lists.cut(v, row, edges.min(LARGEST_PART), cx, cut),
                _ => cut.push(Cut::Rows(row..row + 1)),
            }
        })
    }

    /// The same; `along` cuts a row along its lists into parts of so many edges.
    fn cut_with(
        &self,
        len: u32,
        parts: u64,
        least: u64,
        mut along: impl FnMut(u32, u64, &mut Vec<Cut>),
    ) -> Vec<Cut> {
        let parts = parts.min(self.total / least).max(1);
        let fair = (self.total / parts).max(least);
        let (mut cut, mut first, mut done, mut next) = (Vec::new(), 0, 0, 1);
        for row in 0..len {
            let work = self.rows.get(row as usize).copied().unwrap_or(PER_ROW);
            done += work;
            if work >= 2 * fair {
                cut.extend((first < row).then_some(Cut::Rows(first..row)));
                along(row, fair, &mut cut);
            } else if done * parts >= self.total * next {
                cut.push(Cut::Rows(first..row + 1));
            } else {
                continue;
            }
            (first, next) = (row + 1, done * parts / self.total.max(1) + 1);
        }
        cut.extend((first < len).then_some(Cut::Rows(first..len)));
        cut
    }
}

impl Lists {
    /// Cuts what is followed from a row into parts of at least so many edges.
    fn cut(&self, v: VertexRef, row: u32, edges: u64, cx: &Context<'_>, into: &mut Vec<Cut>) {
        let view = View::at(&self.viewpoint, cx);
        let reader = &view.graph().reader;
        // Of an empty list there is no part whose reader would.
        view.graph().note_whole_lists(v, self.dirs, (!self.are_all).then_some(&self.labels));
        let is_ordered = |(_, dir, label): (usize, Dir, EdgeLabelId)| {
            let list = reader.list(v, label, dir);
            self.orders.iter().any(|key| list.ordered_by(*key).is_some())
        };
        if !self.orders.is_empty() && self.of(v, reader).any(is_ordered) {
            return into.push(Cut::Rows(row..row + 1));
        }
        for (list, dir, label) in self.of(v, reader) {
            let stretches = reader.stretches(v, label, dir, edges as usize);
            into.extend(stretches.into_iter().map(|stretch| {
                Cut::Edges(row, EdgePart { list, stretch, viewpoint: self.viewpoint.clone() })
            }));
        }
    }

    /// The lists that a vertex may have, by number, directions first.
    fn of(&self, v: VertexRef, reader: &Reader<'_>) -> impl Iterator<Item = (usize, Dir, EdgeLabelId)> {
        let labels = &self.labels;
        self.dirs.iter().enumerate().flat_map(move |(nth, &dir)| {
            let mut at = 0;
            std::iter::from_fn(move || {
                if self.are_all {
                    // All labels have their ids for places.
                    at = reader.next_label(v, dir, *labels.get(at)?)?.index();
                }
                let label = *labels.get(at)?;
                at += 1;
                Some((nth * labels.len() + at - 1, dir, label))
            })
        })
    }
}

/// What following an edge costs in a pipeline, with all that is done with what it leads to, in edges; at least 1.
pub(super) fn per_edge(pipeline: &Pipeline) -> f64 {
    let cost = |op: &Op| if matches!(op.kind, OpKind::Scope(_)) { op.rows * PER_SCOPE } else { op.rows };
    let first = pipeline.ops.first().map_or(1.0, |op| op.rows).max(1.0);
    let per_edge = pipeline.ops.iter().map(cost).sum::<f64>() / first;
    if per_edge.is_finite() { per_edge.clamp(1.0, MOST_PER_EDGE) } else { MOST_PER_EDGE }
}

/// What a pipeline follows first, if it is all edges along some labels, in any part as good as in another; and the parts
/// that would be enough of lists with secondary edge-trees.
fn first_hop(pipeline: &Pipeline) -> Option<(Direction, &EdgeLabels, &[SortedPart])> {
    match &pipeline.ops.first()?.kind {
        OpKind::Expand(op::Expand { direction, labels, sorted: None, secondary, .. }) => {
            Some((*direction, labels, secondary))
        }
        OpKind::BulkByWalks(op::BulkByWalks { first: Hop { direction, labels }, .. })
        | OpKind::BulkByEnds(op::BulkByEnds { hop: Hop { direction, labels }, .. }) => {
            Some((*direction, labels, &[]))
        }
        _ => None,
    }
}

/// The vertices of the rows, if they are vertices.
fn vertices_of(batch: &Batch) -> Option<Cow<'_, [VertexRef]>> {
    match &*batch.current {
        Column::Vertices(vertices) => Some(Cow::Borrowed(vertices)),
        other if batch.len <= FEW_ROWS => {
            (0..batch.len).map(|row| other.vertex(row)).collect::<Option<_>>().map(Cow::Owned)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of the parts, and which of them were cut along their lists into parts of how many edges.
    fn cut(work: &Work, len: u32, parts: u64) -> (Vec<Range<u32>>, Vec<(u32, u64)>) {
        let mut along = Vec::new();
        let cut = work.cut_with(len, parts, 1024, |row, edges, cut| {
            along.push((row, edges));
            cut.push(Cut::Rows(row..row + 1));
        });
        let rows = cut.into_iter().map(|cut| match cut {
            Cut::Rows(rows) => rows,
            Cut::Edges(..) => unreachable!("this test has no lists"),
        });
        (rows.collect(), along)
    }

    #[test]
    fn parts_have_about_as_much_work_each_and_every_row_is_in_one() {
        let rows: Vec<u64> = [1, 1, 90, 1, 1, 1, 50, 50, 1, 1, 1, 1].map(|row| row * 100).into();
        let work = Work { total: rows.iter().sum(), rows, lists: None };
        let (parts, along) = cut(&work, 12, 4);
        assert_eq!(parts.iter().cloned().flatten().collect::<Vec<u32>>(), (0..12).collect::<Vec<u32>>());
        assert!(parts.len() <= 4 && parts.iter().all(|part| !part.is_empty()), "{parts:?}");
        assert_eq!(parts[0], 0..3, "the long list is almost as much as two parts");
        assert_eq!(along, [], "but not as much");
        let even = Work { total: 160_000, rows: vec![16_000; 10], lists: None };
        assert_eq!(cut(&even, 10, 5).0, [0..2, 2..4, 4..6, 6..8, 8..10]);
        let little = Work { total: 2_500, rows: vec![250; 10], lists: None };
        assert_eq!(cut(&little, 10, 5).0, [0..5, 5..10], "no part is too small to be sent");
    }

    #[test]
    fn a_row_that_is_more_than_two_parts_is_cut_along_its_lists() {
        let rows = vec![10, 5_000, 100_000, 20, 30_000, 10, 4_000];
        let work = Work { total: rows.iter().sum(), rows, lists: None };
        let (parts, along) = cut(&work, 7, 10);
        assert_eq!(along, [(2, 13_904), (4, 13_904)]);
        assert_eq!(parts, [0..2, 2..3, 3..4, 4..5, 5..7]);
    }
}
