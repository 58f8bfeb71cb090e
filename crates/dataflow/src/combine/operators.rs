//! What TinkerPop's operators (`Operator.sum` and its kin) make of two values.

use gremlin::Operator;
use values::{Value, number};

use crate::error::QueryError;

/// Applies an operator other than `addAll`, of which each has its own. Numbers stay as they are where the other one is null;
/// elsewhere what is null gives way.
///
/// # Errors
/// If the values are not what the operator takes, in the words of `step`.
pub(crate) fn combine(
    operator: Operator,
    held: Value,
    added: Value,
    step: &str,
) -> Result<Value, QueryError> {
    use Operator as O;
    let made = match operator {
        O::Sum | O::SumLong => number::add(&held, &added),
        O::Minus => number::sub(&held, &added),
        O::Mult => number::mul(&held, &added),
        O::Div => number::div(&held, &added),
        O::Assign | O::AddAll => Ok(added),
        _ if held.is_null() => Ok(added),
        _ if added.is_null() => Ok(held),
        O::Min => number::min(&held, &added),
        O::Max => number::max(&held, &added),
        O::And => Ok(Value::Bool(truth(&held, step)? && truth(&added, step)?)),
        O::Or => Ok(Value::Bool(truth(&held, step)? || truth(&added, step)?)),
    };
    made.map_err(|error| QueryError::step(step, error.to_string()))
}

fn truth(value: &Value, step: &str) -> Result<bool, QueryError> {
    let message = || format!("it needs a boolean, not a {}", value.type_name());
    value.as_bool().ok_or_else(|| QueryError::step(step, message()))
}
