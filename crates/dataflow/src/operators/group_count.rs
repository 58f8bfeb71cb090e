//! `groupCount`: how often each object occurs.

use indexmap::IndexMap;
use planner::physical::OpKind;
use rustc_hash::FxBuildHasher;
use values::{Map, Value};

use crate::batch::Batch;
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::fan::trace;
use super::held::Held;
use super::per_tag::PerTag;
use super::reduce::{emit_results, owed};
use super::seen::extent;
use super::slots::object;

type Counts = IndexMap<Value, u64, FxBuildHasher>;

/// See the module. Into a map at the end, or into a side-effect on the way; there is a map for a stream without
/// traversers too. A traverser whose key is absent is not counted.
#[derive(Default)]
pub(super) struct GroupCount {
    counts: PerTag<Counts>,
    held: Held,
}

/// Bytes of an entry of the map.
const ENTRY: usize = 2 * size_of::<Value>() + 16;

impl Operator for GroupCount {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let (Some(mut batch), OpKind::GroupCount { key, side_effect }) = (input, &cx.op.kind) else {
            return Ok(Step::Idle);
        };
        if let Some(side_effect) = side_effect {
            let mut counts = Counts::default();
            for row in 0..batch.len {
                if let Some(key) = object(&batch, key, row) {
                    *counts.entry(key).or_insert(0) += batch.bulk(row);
                }
            }
            cx.charge((counts.len() * ENTRY) as isize)?;
            cx.query.side_effects.merge_counts(*side_effect, counts.into_iter())?;
            trace(&mut batch, cx.op);
            out.emit(batch);
            return Ok(Step::Idle);
        }
        let mut bytes = 0;
        for row in 0..batch.len {
            let Some(key) = object(&batch, key, row) else { continue };
            let counts = self.counts.at(batch.tags.get(row));
            let behind = extent(&key);
            let before = counts.len();
            let count = counts.entry(key).or_insert(0);
            *count = count.saturating_add(batch.bulk(row));
            bytes += (counts.len() - before) * (ENTRY + behind);
        }
        self.held.grow(cx, bytes)?;
        Ok(Step::Idle)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        if let OpKind::GroupCount { side_effect: None, .. } = &cx.op.kind {
            self.counts.cover(owed(cx));
            let count = |(key, n): (Value, u64)| (key, Value::Long(i64::try_from(n).unwrap_or(i64::MAX)));
            let map = |counts: Counts| counts.into_iter().map(count).collect::<Map>();
            let results = self.counts.take().map(|(tag, counts)| (tag, map(counts).into())).collect();
            emit_results(results, cx, out);
            self.held.release();
        }
        Ok(Step::Idle)
    }

    fn reset(&mut self) {
        self.counts.clear();
        self.held.release();
    }
}
