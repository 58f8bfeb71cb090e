//! `math`: arithmetic expressions over doubles.

use std::sync::Arc;

use planner::physical::{OpKind, Slot, op};
use values::{Str, Value, excerpt, watch};

use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::row_origins::trace;

/// Instructions that are done in a tick of the query's watch; some take 100 ns.
const INSTRUCTIONS_PER_TICK: usize = 2;

/// Evaluates an expression for each traverser. Traversers of which a `by` made nothing do
/// not come here, so each variable must be a number.
#[derive(Default)]
pub(super) struct MathOp {
    variables: Vec<f64>,
    stack: Vec<f64>,
}

impl Operator for MathOp {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let (Some(batch), OpKind::Math(op::Math { expression, variables })) = (input, &cx.op.kind) else {
            return Ok(Step::Idle);
        };
        let error = |message: String| QueryError::step(&cx.op.step, message);
        let mut results = Vec::with_capacity(batch.len);
        for row in 0..batch.len {
            watch::ticks(1 + expression.instructions() / INSTRUCTIONS_PER_TICK);
            self.variables.clear();
            for (name, slot) in variables {
                self.variables.push(number(&batch, row, name, *slot).map_err(error)?);
            }
            let result = expression.evaluate(&self.variables, &mut self.stack).map_err(error)?;
            results.push(Value::Double(result));
        }
        let mut mapped = batch;
        mapped.current = Arc::new(Column::Values(results));
        trace(&mut mapped, cx.op);
        out.emit(mapped);
        Ok(Step::Idle)
    }

    fn is_blank(&self) -> bool {
        true
    }

    fn reset(&mut self) {}
}

/// The value of a variable for a row.
fn number(batch: &Batch, row: usize, name: &Str, slot: Option<Slot>) -> Result<f64, String> {
    let column = match slot {
        None => Some(&batch.current),
        Some(slot) => batch.slot(slot),
    };
    let value = column.and_then(|column| column.get(row)).unwrap_or_default();
    value.as_f64().ok_or_else(|| {
        let found = value.type_name();
        let begins = format!(
            "The variable {name} for math() step must resolve to a Number - it is instead of type {found}"
        );
        // What an element is called in here says nothing to anybody.
        if value.extent().is_attached { begins } else { format!("{begins} with value {}", excerpt(&value)) }
    })
}
