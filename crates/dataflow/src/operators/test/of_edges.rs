//! Tests of the edges of a list, where they lie.

use std::ops::Range;

use graph::Run;

use super::super::predicate::LongRange;
use super::super::view::Graph;
use super::{Object, Ready, Subject};
use crate::batch::Batch;
use crate::error::QueryError;

/// Where edges were met: at a row of a batch.
#[derive(Clone, Copy)]
pub(in crate::operators) struct Met<'a> {
    pub(in crate::operators) batch: &'a Batch,
    pub(in crate::operators) row: usize,
    pub(in crate::operators) graph: &'a Graph<'a>,
    pub(in crate::operators) loops: i64,
}

impl<'a> Met<'a> {
    fn subject(self, run: &'a Run<'a>, i: usize) -> Subject<'a> {
        let Self { batch, row, graph, loops } = self;
        Subject { object: Object::Listed(run, i), batch, row, graph, loops }
    }
}

impl Ready {
    /// Those of some edges of a run that pass, ascending, in place of what `kept` held.
    ///
    /// # Errors
    /// If a path lacks a label that the test asks for.
    pub(in crate::operators) fn select_edges(
        &self,
        run: &Run<'_>,
        edges: Range<usize>,
        met: Met<'_>,
        kept: &mut Vec<u32>,
    ) -> Result<(), QueryError> {
        kept.clear();
        match self {
            Self::Has(key, check)
                if let (Some(longs), Some(wanted)) = (run.longs(*key), LongRange::of(check)) =>
            {
                select_longs(&longs[edges.clone()], wanted, edges.start as u32, kept);
                Ok(())
            }
            Self::And(tests) if let Some((first, others)) = tests.split_first() => {
                first.select_edges(run, edges, met, kept)?;
                others.iter().try_for_each(|test| test.retain_edges(run, met, kept))
            }
            _ => {
                kept.extend(edges.start as u32..edges.end as u32);
                self.retain_edges(run, met, kept)
            }
        }
    }

    /// Keeps those of the edges that pass.
    fn retain_edges(&self, run: &Run<'_>, met: Met<'_>, kept: &mut Vec<u32>) -> Result<(), QueryError> {
        let mut failure = None;
        kept.retain(|i| {
            failure.is_none()
                && self.holds(met.subject(run, *i as usize)).unwrap_or_else(|error| {
                    failure = Some(error);
                    false
                })
        });
        failure.map_or(Ok(()), Err)
    }
}

/// Appends the places of those that are wanted, counted from `first`. Every place is written, and the place to write moves
/// on if it stays: half of them passing at random would cost a misprediction each.
fn select_longs(longs: &[i64], wanted: LongRange, first: u32, kept: &mut Vec<u32>) {
    kept.resize(longs.len(), 0);
    let mut count = 0;
    for (place, long) in (first..).zip(longs) {
        kept[count] = place;
        count += usize::from(wanted.holds(*long));
    }
    kept.truncate(count);
}
