//! `range`, `limit`, `skip`: a part of the stream, counted by traversers.

use std::sync::Arc;

use planner::physical::{OpKind, op};

use crate::batch::{Batch, bulk};
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::per_tag::PerTag;
use super::row_origins::trace;

/// See the module. Completes its scope instance once full, if the instance has a single tag.
#[derive(Default)]
pub(super) struct Range {
    /// Traversers that have come, per tag.
    come: PerTag<u64>,
}

impl Operator for Range {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let (Some(batch), OpKind::Range(op::Range { low, high })) = (input, &cx.op.kind) else {
            return Ok(Step::Idle);
        };
        let end = high.unwrap_or(u64::MAX);
        let (mut rows, mut bulks) = (Vec::new(), Vec::new());
        let mut cut = false;
        for row in 0..batch.len {
            let come = self.come.at(batch.tags.get(row));
            let (first, count) = (*come, batch.bulk(row));
            *come = bulk::sum(first, count);
            let skipped = low.saturating_sub(first).min(count);
            let room = end.saturating_sub(first.max(*low));
            let inside = bulk::difference(count, skipped).min(room);
            if inside > 0 {
                cut |= inside != count;
                rows.push(row as u32);
                bulks.push(inside);
            }
        }
        if !rows.is_empty() {
            let mut part = if rows.len() == batch.len { batch } else { batch.gather(&rows) };
            if cut {
                part.bulk = Some(Arc::new(bulks));
            }
            trace(&mut part, cx.op);
            out.emit(part);
        }
        let full = cx.single_tag && *self.come.at(0) >= end;
        Ok(if full { Step::Done } else { Step::Idle })
    }

    fn reset(&mut self) {
        self.come.clear();
    }
}
