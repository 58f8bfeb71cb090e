//! `timeLimit`: the stream ends some time after its first traverser.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use planner::physical::OpKind;

use crate::batch::Batch;
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::per_tag::PerTag;
use super::row_origins::trace;

/// See the module. A time begins anew for each scope tag, as that of a subquery for each traverser; a loop has one for all of its
/// iterations.
#[derive(Default)]
pub(super) struct TimeLimit {
    /// When it began, per tag.
    began: PerTag<Option<Duration>>,
    /// The same of a loop.
    of_loop: Option<Arc<Mutex<Option<Duration>>>>,
}

impl Operator for TimeLimit {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let (Some(batch), OpKind::TimeLimit(millis)) = (input, &cx.op.kind) else { return Ok(Step::Idle) };
        let (now, limit) = (cx.query.clock.now(), Duration::from_millis(*millis));
        let is_over = |began: &mut Option<Duration>| now.saturating_sub(*began.get_or_insert(now)) >= limit;
        if let (Some(memory), None) = (cx.loop_memory, &self.of_loop) {
            self.of_loop = Some(memory.shared(cx.op.id));
        }
        let ended = match &self.of_loop {
            Some(began) => is_over(&mut began.lock()),
            None if cx.single_tag => batch.len > 0 && is_over(self.began.at(0)),
            None => {
                let began = &mut self.began;
                let in_time: Vec<u32> = (0..batch.len as u32)
                    .filter(|row| !is_over(began.at(batch.tags.get(*row as usize))))
                    .collect();
                pass(batch.gather(&in_time), cx, out);
                return Ok(Step::Idle);
            }
        };
        if !ended {
            pass(batch, cx, out);
            return Ok(Step::Idle);
        }
        Ok(if cx.single_tag { Step::Done } else { Step::Idle })
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}

fn pass(mut batch: Batch, cx: &Context<'_>, out: &mut Output) {
    trace(&mut batch, cx.op);
    out.emit(batch);
}
