//! `aggregate`: objects into a side-effect.

use planner::physical::{OpKind, op};
use values::Value;

use crate::batch::{Batch, Weight};
use crate::error::QueryError;
use crate::growing::{Chunked, Chunks};
use crate::operator::{Context, Operator, Output, Step};

use super::row_origins::trace;
use super::slots::object;
use super::waiting::Waiting;

/// See the module. Lazily, traversers pass on once their objects are in; eagerly, once all objects of the stream are.
#[derive(Default)]
pub(super) struct Collect {
    waiting: Waiting,
    /// Objects that are not in the side-effect yet.
    objects: Chunked<(Value, u64)>,
    /// Those on their way into it, since all have come.
    adding: Option<Chunks<(Value, u64)>>,
    weight: Weight,
}

/// Objects that go into the side-effect in one call: there may be millions.
const STRETCH: usize = 1 << 12;

impl Operator for Collect {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let (Some(mut batch), OpKind::Collect(op::Collect { side_effect, by, eager })) = (input, &cx.op.kind)
        else {
            return Ok(Step::Idle);
        };
        let objects: Vec<_> =
            (0..batch.len).filter_map(|row| Some((object(&batch, by, row)?, batch.bulk(row)))).collect();
        // The side-effect lives as long as the query, and so does the charge.
        let before = self.weight.bytes;
        objects.iter().for_each(|(object, _)| self.weight.add(object));
        let slots = objects.len() * (size_of::<Value>() + 24);
        cx.charge((self.weight.bytes - before + slots) as isize)?;
        trace(&mut batch, cx.op);
        if *eager {
            // What is in front of it sees nothing of them before all are there.
            objects.into_iter().for_each(|object| self.objects.push(object));
            self.waiting.push(batch, cx)?;
        } else {
            cx.query.side_effects.add_all(*side_effect, objects.into_iter())?;
            out.emit(batch);
        }
        Ok(Step::Idle)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let OpKind::Collect(op::Collect { side_effect, .. }) = &cx.op.kind else { return Ok(Step::Idle) };
        if self.objects.len() > 0 {
            self.adding = Some(std::mem::take(&mut self.objects).into_iter());
        }
        if let Some(adding) = &mut self.adding {
            // An assignment replaces the value by all the objects of the step.
            let at_once = if cx.query.side_effects.is_replaced(*side_effect) { usize::MAX } else { STRETCH };
            cx.query.side_effects.add_all(*side_effect, adding.by_ref().take(at_once))?;
            if adding.len() > 0 {
                return Ok(Step::More);
            }
            self.adding = None;
        }
        Ok(self.waiting.release_next(out))
    }

    fn reset(&mut self) {
        self.waiting.clear();
        self.objects.clear();
        self.adding = None;
        self.weight = Weight::default();
    }
}
