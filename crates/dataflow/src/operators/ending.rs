//! Steps that end a stream: `cap`, `discard`, `fail`.

use planner::physical::OpKind;
use values::{Map, Value};

use crate::batch::Batch;
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::reduce::{emit_results, owed};

/// `cap`: the side-effects, once the input has ended; several of them in a map by name.
#[derive(Default)]
pub(super) struct Cap;

impl Operator for Cap {
    fn step(
        &mut self,
        _input: Option<Batch>,
        _cx: &Context<'_>,
        _out: &mut Output,
    ) -> Result<Step, QueryError> {
        Ok(Step::Idle)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let OpKind::Cap(ids) = &cx.op.kind else { return Ok(Step::Idle) };
        let side_effects = &cx.query.side_effects;
        let value = match ids.as_slice() {
            [id] => side_effects.value(*id),
            ids => {
                let entry = |id: &planner::physical::SideEffectId| {
                    let name = &cx.query.plan.side_effects.get(id.0 as usize)?.name;
                    Some((Value::String(name.clone()), side_effects.value(*id)))
                };
                ids.iter().filter_map(entry).collect::<Map>().into()
            }
        };
        emit_results(owed(cx).map(|tag| (tag, value.clone())).collect(), cx, out);
        Ok(Step::Idle)
    }

    fn reset(&mut self) {}
}

/// `discard`: nothing passes.
pub(super) fn discard(_batch: Batch, _cx: &Context<'_>) -> Result<Option<Batch>, QueryError> {
    Ok(None)
}

/// `fail`: the first traverser ends the query.
pub(super) fn fail(_batch: Batch, cx: &Context<'_>) -> Result<Option<Batch>, QueryError> {
    match &cx.op.kind {
        OpKind::Fail(message) => Err(QueryError::Fail(message.to_string())),
        _ => Ok(None),
    }
}
