//! How much there is to do for a batch, as far as one can see: an expansion follows so many edges.

use std::ops::Range;

use graph::Dir;
use planner::physical::{EdgeLabels, Hop, OpKind, Pipeline};

use crate::batch::{Batch, Column};
use crate::operator::Context;

/// Edges from which on a batch is split, if somebody is idle.
pub(super) const SPLIT_WORK: u64 = 8_192;
/// Fewest edges in a piece: below, moving costs more than it gains.
pub(super) const PIECE_WORK: u64 = 1_024;
/// Edges that a row is taken for of which nothing is known, and that it costs to look at a row.
const PER_ROW: u64 = 16;
/// Edge labels whose lists are measured.
const FEW_LABELS: usize = 4;

/// What there is to do.
#[derive(Default)]
pub(super) struct Work {
    /// In edges.
    pub(super) total: u64,
    /// Of each row; empty if nothing is known of them.
    rows: Vec<u64>,
}

impl Work {
    /// For a batch that a pipeline receives.
    pub(super) fn of(batch: &Batch, pipeline: &Pipeline, cx: &Context<'_>) -> Self {
        let guess = Self { total: batch.len as u64 * PER_ROW, rows: Vec::new() };
        let hop = match pipeline.ops.first().map(|op| &op.kind) {
            Some(OpKind::Expand { direction, labels, sorted: None, .. }) => (direction, labels),
            Some(OpKind::BulkByWalks { first: Hop { direction, labels }, .. }) => (direction, labels),
            _ => return guess,
        };
        let ((direction, EdgeLabels::Only(labels)), Column::Vertices(vertices)) = (hop, &*batch.current)
        else {
            return guess;
        };
        if labels.len() > FEW_LABELS {
            return guess;
        }
        let snapshot = cx.query.snapshot();
        let reader = snapshot.reader();
        let mut rows = vec![PER_ROW / 4; batch.len];
        for &dir in Dir::of(*direction) {
            labels.iter().for_each(|&label| reader.degrees(label, dir).add_to(vertices, &mut rows));
        }
        Self { total: rows.iter().sum(), rows }
    }

    /// Cuts the rows into so many parts, of about as much work each; there may be fewer parts.
    pub(super) fn cut(&self, len: u32, parts: u64) -> Vec<Range<u32>> {
        let (mut cut, mut first, mut done) = (Vec::new(), 0, 0);
        for row in 0..len {
            done += self.rows.get(row as usize).copied().unwrap_or(PER_ROW);
            if done * parts >= self.total * (cut.len() as u64 + 1) {
                cut.push(first..row + 1);
                first = row + 1;
            }
        }
        if first < len {
            cut.push(first..len);
        }
        cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_about_as_much_work_each_and_every_row_is_in_one() {
        let rows = vec![1, 1, 100, 1, 1, 1, 50, 50, 1, 1, 1, 1];
        let work = Work { total: rows.iter().sum(), rows };
        let parts = work.cut(12, 4);
        assert_eq!(parts.iter().cloned().flatten().collect::<Vec<u32>>(), (0..12).collect::<Vec<u32>>());
        assert!(parts.len() <= 4 && parts.iter().all(|part| !part.is_empty()), "{parts:?}");
        assert_eq!(parts[0], 0..3, "the long list is as much as two parts");
        let even = Work { total: 160, rows: Vec::new() };
        assert_eq!(even.cut(10, 5), [0..2, 2..4, 4..6, 6..8, 8..10]);
    }
}
