//! `sample`: some traversers, drawn at random.

use std::sync::Arc;

use planner::physical::OpKind;

use crate::batch::Batch;
use crate::error::QueryError;
use crate::memory::reclaim;
use crate::operator::{Context, Operator, Output, Step};

use super::per_tag::PerTag;
use super::random::Random;
use super::row_store::{Leaving, Place, RowStore};
use super::seeded;
use crate::memory::StateMemory;

/// Draws between two looks at the bound of memory.
const LOOK: u64 = 1 << 12;

/// Bytes of a draw. The list that it is in may have room for as many again.
const DRAW: usize = 2 * size_of::<(f64, u64, Place)>();

/// See the module. Weighted, without replacement (Efraimidis and Spirakis): each traverser draws u^(1/weight) with u in
/// 0..1, and the largest draws win: their logarithms are kept. Of traversers that travel as one, only the largest draws are
/// made, as many as can win: the largest of n is u^(1/n), the next that times u^(1/(n-1)), and so on. The winners keep the
/// order of the stream.
#[derive(Default)]
pub(super) struct Sample {
    store: RowStore,
    /// Per tag, logarithms of draws: a heap's worth of (draw, number of the row, row), cut back when it is twice too long.
    drawn: PerTag<Vec<(f64, u64, Place)>>,
    rows: u64,
    /// Draws that are kept, of all tags.
    kept: usize,
    random: Option<Random>,
    leaving: Leaving,
    held: StateMemory,
    ended: bool,
}

impl Operator for Sample {
    fn step(
        &mut self,
        input: Option<Batch>,
        cx: &Context<'_>,
        _out: &mut Output,
    ) -> Result<Step, QueryError> {
        let (Some(batch), OpKind::Sample(wanted, weight)) = (input, &cx.op.kind) else {
            return Ok(Step::Idle);
        };
        let random = self.random.get_or_insert_with(|| Random::of(cx));
        let batch = Arc::new(batch);
        let number = self.store.add(batch.clone());
        let wanted = *wanted as usize;
        for row in 0..batch.len {
            let weight = match weight {
                None => 1.0,
                Some(slot) => match batch.slot(*slot).and_then(|column| column.get(row)) {
                    None => continue,
                    Some(value) => value.as_f64().ok_or_else(|| {
                        let message =
                            format!("sample() needs numbers as weights, found {}", value.type_name());
                        QueryError::step(&cx.op.step, message)
                    })?,
                },
            };
            // What weighs nothing is never drawn, but is there where all have room.
            let weighs = weight > 0.0;
            let drawn = self.drawn.at(batch.tags.get(row));
            if cx.query.draws.are_seeded() {
                drawn.push((
                    weight,
                    self.rows,
                    Place { batch: number, row: row as u32, bulk: batch.bulk(row) },
                ));
                self.kept += 1;
                self.rows += 1;
                continue;
            }
            let (bulk, mut largest) = (batch.bulk(row), 0.0);
            let place = Place { batch: number, row: row as u32, bulk: 1 };
            for before in 0..bulk.min(wanted as u64) {
                largest += random.fraction().ln() / (bulk - before) as f64;
                drawn.push((if weighs { largest / weight } else { f64::NEG_INFINITY }, self.rows, place));
                self.kept += 1;
                if before % LOOK == LOOK - 1 {
                    self.held.set(&cx.query.memory, self.store.bytes() + self.kept * DRAW)?;
                }
            }
            self.rows += 1;
            if drawn.len() > 2 * wanted + 64 {
                let before = drawn.len();
                keep_largest(drawn, wanted);
                self.kept -= before - drawn.len();
            }
        }
        self.held.set(&cx.query.memory, self.store.bytes() + self.kept * DRAW)?;
        Ok(Step::Idle)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let OpKind::Sample(wanted, _) = &cx.op.kind else { return Ok(Step::Idle) };
        if !std::mem::replace(&mut self.ended, true) {
            if cx.query.draws.are_seeded() {
                let places = self.seeded(*wanted, cx);
                self.leaving.start(places.into_iter());
                return Ok(self.leaving.emit_next(&self.store, cx, out));
            }
            let wanted = *wanted as usize;
            self.leaving.start(self.drawn.take().flat_map(move |(_, drawn)| winners(drawn, wanted)));
        }
        Ok(self.leaving.emit_next(&self.store, cx, out))
    }

    fn reset(&mut self) {
        let bytes = self.held.bytes();
        if bytes > reclaim::KEPT {
            let random = self.random.take();
            let remains = std::mem::replace(self, Self { random, ..Self::default() });
            return reclaim::free(remains, bytes);
        }
        self.store.clear();
        self.drawn.clear();
        self.leaving.clear();
        self.kept = 0;
        self.held.release();
        self.ended = false;
    }
}

impl Sample {
    /// What `SeedStrategy` draws.
    fn seeded(&mut self, wanted: u64, cx: &Context<'_>) -> Vec<Place> {
        let (drawn, store, mut places) = (self.drawn.take(), &self.store, Vec::new());
        for (_, rows) in drawn {
            let rows = rows.into_iter().map(|(weight, _, place)| (place, weight));
            let rows = seeded::merged(rows, store, cx);
            let drawn = cx.query.draws.seeded(cx.op.id, |random| seeded::sample(random, rows, wanted));
            places.extend(drawn.into_iter().flatten());
        }
        places
    }
}

/// The rows of the largest draws, in the order of the stream, with how many traversers of each win.
fn winners(mut drawn: Vec<(f64, u64, Place)>, wanted: usize) -> Vec<Place> {
    keep_largest(&mut drawn, wanted);
    drawn.sort_by_key(|(_, row, _)| *row);
    let mut places: Vec<Place> = Vec::new();
    for (_, _, place) in drawn {
        match places.last_mut() {
            Some(last) if (last.batch, last.row) == (place.batch, place.row) => last.bulk += 1,
            _ => places.push(place),
        }
    }
    places
}

fn keep_largest(drawn: &mut Vec<(f64, u64, Place)>, wanted: usize) {
    if drawn.len() > wanted {
        drawn.select_nth_unstable_by(wanted, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        drawn.truncate(wanted);
    }
}
