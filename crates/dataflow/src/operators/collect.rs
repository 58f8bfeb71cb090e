//! `aggregate`: objects into a side-effect.

use planner::physical::{OpKind, op};
use values::Value;

use crate::batch::{Batch, Weight, bulk};
use crate::error::QueryError;
use crate::executor::LongStep;
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

/// Times that objects are added from which on others may have the executor meanwhile.
const MANY: u64 = 1 << 14;

/// How often objects are added that come together.
///
/// # Errors
/// If that is more than a long holds.
fn copies(objects: &[(Value, u64)]) -> Result<usize, QueryError> {
    Ok(bulk::exact(objects.iter().fold(0, |sum, (_, count)| bulk::sum(sum, *count)))? as usize)
}

fn are_many(objects: &[(Value, u64)]) -> bool {
    objects.iter().any(|(_, count)| *count >= MANY)
}

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
        let each = match cx.query.side_effects.takes_each(*side_effect) {
            true => copies(&objects)?.saturating_mul(size_of::<Value>()).min(1 << 60),
            false => 0,
        };
        cx.charge((self.weight.bytes - before + slots + each) as isize)?;
        trace(&mut batch, cx.op);
        if *eager {
            // What is in front of it sees nothing of them before all are there.
            objects.into_iter().for_each(|object| self.objects.push(object));
            self.waiting.push(batch, cx)?;
        } else {
            let _long = are_many(&objects).then(|| LongStep::begin(|| cx.query.check())).transpose()?;
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
            let some: Vec<_> = adding.by_ref().take(at_once).collect();
            let _long = are_many(&some).then(|| LongStep::begin(|| cx.query.check())).transpose()?;
            cx.query.side_effects.add_all(*side_effect, some.into_iter())?;
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
