//! `groupCount`: how often each object occurs.

use planner::physical::{OpKind, op};
use values::{Map, Value};

use crate::batch::{Batch, bulk};
use crate::error::QueryError;
use crate::growing::{Chunks, GrowingMap};
use crate::memory::reclaim;
use crate::operator::{Context, Operator, Output, Step};

use super::per_tag::PerTag;
use super::reduce::{emit_results, tags};
use super::row_origins::trace;
use super::seen::extent;
use super::slots::object;
use super::waiting::Waiting;
use crate::memory::StateMemory;

type Counts = GrowingMap<Value, u64>;

/// See the module. Into a map at the end, or into a side-effect, and then on their way; there is a map for a stream without
/// traversers too. A traverser whose key is absent is not counted in a
/// map, and an error in a side-effect, as in TinkerPop.
#[derive(Default)]
pub(super) struct GroupCount {
    counts: PerTag<Counts>,
    /// The map that is being made when the input has ended.
    making: Option<Making>,
    held: StateMemory,
    /// Traversers that go on when all of the stream is in the side-effect.
    waiting: Waiting,
}

/// The map of a tag on its way: some entries at a time, for there may be millions.
struct Making {
    tag: u32,
    counts: Chunks<(Value, u64)>,
    map: Map,
}

/// Entries that a map is given between two looks at the clock.
const STRETCH: usize = 1 << 10;

/// Bytes of an entry of the map.
const ENTRY: usize = 2 * size_of::<Value>() + 16;

impl Operator for GroupCount {
    fn step(
        &mut self,
        input: Option<Batch>,
        cx: &Context<'_>,
        _out: &mut Output,
    ) -> Result<Step, QueryError> {
        let (Some(mut batch), OpKind::GroupCount(op::GroupCount { key, side_effect })) = (input, &cx.op.kind)
        else {
            return Ok(Step::Idle);
        };
        if let Some(side_effect) = side_effect {
            let mut counts = Counts::default();
            for row in 0..batch.len {
                let Some(key) = object(&batch, key, row) else {
                    let message = "the provided traverser does not map to a value: its by() yields nothing";
                    return Err(QueryError::step(&cx.op.step, message));
                };
                let (_, count, _) = counts.get_or_insert(key, || 0);
                *count = bulk::sum(*count, batch.bulk(row));
            }
            let grown = cx.query.side_effects.merge_counts(*side_effect, counts.into_iter())?;
            // It lives as long as the query, and so does the charge.
            cx.charge(grown)?;
            trace(&mut batch, cx.op);
            self.waiting.push(batch, cx)?;
            return Ok(Step::Idle);
        }
        let mut bytes = 0;
        for row in 0..batch.len {
            let Some(key) = object(&batch, key, row) else { continue };
            let counts = self.counts.at(batch.tags.get(row));
            let (number, count, is_new) = counts.get_or_insert(key, || 0);
            *count = bulk::sum(*count, batch.bulk(row));
            if is_new {
                bytes += ENTRY + counts.key(number).map_or(0, extent);
            }
        }
        self.held.grow(&cx.query.memory, bytes)?;
        Ok(Step::Idle)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        if let OpKind::GroupCount(op::GroupCount { side_effect: None, .. }) = &cx.op.kind {
            if !self.make_maps(cx, out)? {
                return Ok(Step::More);
            }
            self.held.release();
        }
        Ok(self.waiting.release_next(out))
    }

    fn reset(&mut self) {
        let counts = std::mem::take(&mut self.counts);
        let bytes = self.held.bytes();
        reclaim::free((counts, self.making.take(), std::mem::take(&mut self.held)), bytes);
        self.waiting.clear();
    }
}

impl GroupCount {
    /// Makes the maps and emits them, as far as that goes in this turn; whether all have been.
    fn make_maps(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<bool, QueryError> {
        let mut results = Vec::new();
        let all = loop {
            if self.making.is_none() {
                let Some((tag, counts)) = self.counts.take_next(tags(cx)) else { break true };
                if cx.entered.contains(tag) {
                    let map = Map::with_capacity(counts.len());
                    self.making = Some(Making { tag, counts: counts.into_iter(), map });
                }
            }
            if let Some(making) = &mut self.making {
                for (key, count) in making.counts.by_ref().take(STRETCH) {
                    making.map.insert(key, Value::Long(bulk::exact(count)?));
                }
            }
            if let Some(Making { tag, map, .. }) = self.making.take_if(|making| making.counts.len() == 0) {
                results.push((tag, Value::from(map)));
            }
            if results.len() == Batch::TARGET_ROWS || cx.quota.is_spent() {
                break false;
            }
        };
        emit_results(results, cx, out);
        Ok(all)
    }
}
