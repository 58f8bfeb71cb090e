//! `math`: arithmetic expressions over doubles.

mod expression;
mod parser;

use std::sync::Arc;

use planner::physical::{OpKind, Slot};
use values::{Str, Value};

use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::fan::trace;

use expression::Expression;

/// Evaluates an expression for each traverser. Compiled when the operator is made; a traverser that lacks one of the
/// variables is dropped.
#[derive(Default)]
pub(super) struct MathOp {
    compiled: Option<Expression>,
    variables: Vec<f64>,
    stack: Vec<f64>,
}

impl Operator for MathOp {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let (Some(batch), OpKind::Math { expression, variables }) = (input, &cx.op.kind) else {
            return Ok(Step::Idle);
        };
        let error = |message: String| QueryError::step(&cx.op.step, message);
        if self.compiled.is_none() {
            let names: Vec<&str> = variables.iter().map(|(name, _)| name.as_str()).collect();
            self.compiled = Some(parser::parse(expression, &names).map_err(error)?);
        }
        let Some(compiled) = &self.compiled else { return Ok(Step::Idle) };
        let (mut rows, mut results) = (Vec::with_capacity(batch.len), Vec::with_capacity(batch.len));
        for row in 0..batch.len {
            self.variables.clear();
            for (name, slot) in variables {
                match number(&batch, row, name, *slot).map_err(error)? {
                    Some(v) => self.variables.push(v),
                    None => break,
                }
            }
            if self.variables.len() == variables.len() {
                let result = compiled.evaluate(&self.variables, &mut self.stack).map_err(error)?;
                rows.push(row as u32);
                results.push(Value::Double(result));
            }
        }
        if !rows.is_empty() {
            let mut mapped = if rows.len() == batch.len { batch } else { batch.gather(&rows) };
            mapped.current = Arc::new(Column::Values(results));
            trace(&mut mapped, cx.op);
            out.emit(mapped);
        }
        Ok(Step::Idle)
    }

    fn reset(&mut self) {}
}

/// The value of a variable for a row; `None` where its slot is absent.
fn number(batch: &Batch, row: usize, name: &Str, slot: Option<Slot>) -> Result<Option<f64>, String> {
    let column = match slot {
        None => Some(&batch.current),
        Some(slot) => batch.slot(slot),
    };
    let Some(value) = column.and_then(|column| column.get(row)) else { return Ok(None) };
    match value.as_f64() {
        Some(v) => Ok(Some(v)),
        None => Err(format!(
            "The variable {name} for math() step must resolve to a Number - it is instead of type {} with value {value}",
            value.type_name()
        )),
    }
}
