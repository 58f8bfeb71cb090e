//! `groupCount`: how often each object occurs.

use indexmap::IndexMap;
use indexmap::map::Entry;
use planner::physical::OpKind;
use values::{Map, Seeded, Value};

use crate::batch::{Batch, bulk};
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::fan::trace;
use super::held::Held;
use super::per_tag::PerTag;
use super::reduce::{emit_results, owed};
use super::seen::extent;
use super::slots::object;
use super::waiting::Waiting;

type Counts = IndexMap<Value, u64, Seeded>;

/// See the module. Into a map at the end, or into a side-effect, and then on their way; there is a map for a stream without
/// traversers too. A traverser whose key is absent is not counted.
#[derive(Default)]
pub(super) struct GroupCount {
    counts: PerTag<Counts>,
    held: Held,
    /// Traversers that go on when all of the stream is in the side-effect.
    waiting: Waiting,
}

/// Bytes of an entry of the map.
const ENTRY: usize = 2 * size_of::<Value>() + 16;

impl Operator for GroupCount {
    fn step(
        &mut self,
        input: Option<Batch>,
        cx: &Context<'_>,
        _out: &mut Output,
    ) -> Result<Step, QueryError> {
        let (Some(mut batch), OpKind::GroupCount { key, side_effect }) = (input, &cx.op.kind) else {
            return Ok(Step::Idle);
        };
        if let Some(side_effect) = side_effect {
            let mut counts = Counts::default();
            for row in 0..batch.len {
                if let Some(key) = object(&batch, key, row) {
                    let count = counts.entry(key).or_insert(0);
                    *count = bulk::sum(*count, batch.bulk(row));
                }
            }
            cx.charge((counts.len() * ENTRY) as isize)?;
            cx.query.side_effects.merge_counts(*side_effect, counts.into_iter())?;
            trace(&mut batch, cx.op);
            self.waiting.push(batch, cx)?;
            return Ok(Step::Idle);
        }
        let mut bytes = 0;
        for row in 0..batch.len {
            let Some(key) = object(&batch, key, row) else { continue };
            let counts = self.counts.at(batch.tags.get(row));
            match counts.entry(key) {
                Entry::Occupied(mut count) => *count.get_mut() = bulk::sum(*count.get(), batch.bulk(row)),
                Entry::Vacant(place) => {
                    bytes += ENTRY + extent(place.key());
                    place.insert(batch.bulk(row));
                }
            }
        }
        self.held.grow(cx, bytes)?;
        Ok(Step::Idle)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        if let OpKind::GroupCount { side_effect: None, .. } = &cx.op.kind {
            owed(cx).for_each(|tag| _ = self.counts.at(tag));
            let count = |(key, n): (Value, u64)| Ok((key, Value::Long(bulk::exact(n)?)));
            let map = |counts: Counts| counts.into_iter().map(count).collect::<Result<Map, QueryError>>();
            let entered = self.counts.take().filter(|(tag, _)| cx.entered.contains(*tag));
            let results = entered.map(|(tag, counts)| Ok((tag, map(counts)?.into())));
            emit_results(results.collect::<Result<_, QueryError>>()?, cx, out);
            self.held.release();
        }
        Ok(self.waiting.release_next(out))
    }

    fn reset(&mut self) {
        self.counts.clear();
        self.waiting.clear();
        self.held.release();
    }
}
