//! `tail`: the last traversers of the stream.

use std::collections::VecDeque;
use std::sync::Arc;

use planner::physical::OpKind;

use crate::batch::Batch;
use crate::error::QueryError;
use crate::memory::reclaim;
use crate::operator::{Context, Operator, Output, Step};

use super::per_tag::PerTag;
use super::row_store::{Leaving, Place, RowStore};
use crate::memory::StateMemory;

/// Rows that are stored beyond those that can still leave before the store is compacted.
const SLACK: usize = 4 * Batch::TARGET_ROWS;

/// The last rows of one tag, and the sum of their bulks.
#[derive(Debug, Default)]
struct Last {
    rows: VecDeque<Place>,
    bulk: u64,
}

/// See the module.
#[derive(Default)]
pub(super) struct Tail {
    store: RowStore,
    last: PerTag<Last>,
    /// Rows that are stored, and how many of them can still leave.
    stored: usize,
    live: usize,
    leaving: Leaving,
    held: StateMemory,
    ended: bool,
}

impl Operator for Tail {
    fn step(
        &mut self,
        input: Option<Batch>,
        cx: &Context<'_>,
        _out: &mut Output,
    ) -> Result<Step, QueryError> {
        let (Some(batch), OpKind::Tail(n)) = (input, &cx.op.kind) else { return Ok(Step::Idle) };
        let batch = Arc::new(batch);
        let number = self.store.add(batch.clone());
        self.stored += batch.len;
        for row in 0..batch.len {
            let last = self.last.at(batch.tags.get(row));
            let place = Place { batch: number, row: row as u32, bulk: batch.bulk(row) };
            let before = last.rows.len();
            last.push(place, *n);
            self.live = self.live + last.rows.len() - before;
        }
        self.compact_if_worthwhile();
        self.held.set(&cx.query.memory, self.store.bytes())?;
        Ok(Step::Idle)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        if !std::mem::replace(&mut self.ended, true) {
            self.leaving.start(self.last.take().flat_map(|(_, last)| last.rows));
        }
        Ok(self.leaving.emit_next(&self.store, cx, out))
    }

    fn reset(&mut self) {
        let bytes = self.held.bytes();
        if bytes > reclaim::KEPT {
            return reclaim::free(std::mem::take(self), bytes);
        }
        self.store.clear();
        self.last.clear();
        self.leaving.clear();
        self.held.release();
        (self.stored, self.live) = (0, 0);
        self.ended = false;
    }
}

impl Last {
    /// Adds a row and drops what is then no longer among the last `n`, which fits a long.
    fn push(&mut self, place: Place, n: u64) {
        if n == 0 {
            return;
        }
        let place = Place { bulk: place.bulk.min(n), ..place };
        self.rows.push_back(place);
        self.bulk += place.bulk;
        while self.bulk > n {
            let excess = self.bulk - n;
            let Some(oldest) = self.rows.front_mut() else { break };
            if oldest.bulk <= excess {
                self.bulk -= oldest.bulk;
                self.rows.pop_front();
            } else {
                oldest.bulk -= excess;
                self.bulk = n;
            }
        }
    }
}

impl Tail {
    /// Frees batches of which little can still leave.
    fn compact_if_worthwhile(&mut self) {
        let live = self.live;
        if self.stored <= 2 * live + SLACK {
            return;
        }
        let tags = self.last.len() as u32;
        let mut places: Vec<Place> = Vec::with_capacity(live);
        (0..tags).for_each(|tag| places.extend(&self.last.at(tag).rows));
        self.store.compact(&mut places);
        let mut compacted = places.into_iter();
        for tag in 0..tags {
            self.last.at(tag).rows.iter_mut().zip(&mut compacted).for_each(|(place, new)| *place = new);
        }
        self.stored = live;
    }
}
