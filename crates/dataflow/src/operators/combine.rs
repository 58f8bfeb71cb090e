//! What TinkerPop's operators (`Operator.sum` and its kin) make of two values.

use std::sync::Arc;

use gremlin::Operator;
use values::{Value, number};

use crate::error::QueryError;
use crate::operator::Context;

use super::local::{count, each};

/// Bytes of a member of a collection.
const MEMBER: usize = 4 * size_of::<Value>();

/// Applies an operator. Numbers stay as they are where the other one is null; elsewhere what is null gives way.
///
/// # Errors
/// If the values are not what the operator takes, or what it makes of them has no room.
pub(super) fn combine(
    operator: Operator,
    held: Value,
    added: Value,
    cx: &Context<'_>,
) -> Result<Value, QueryError> {
    use Operator as O;
    let made = match operator {
        O::Sum | O::SumLong => number::add(&held, &added),
        O::Minus => number::sub(&held, &added),
        O::Mult => number::mul(&held, &added),
        O::Div => number::div(&held, &added),
        O::Assign => Ok(added),
        _ if held.is_null() => Ok(added),
        _ if added.is_null() => Ok(held),
        O::Min => number::min(&held, &added),
        O::Max => number::max(&held, &added),
        O::And => Ok(Value::Bool(truth(&held, cx)? & truth(&added, cx)?)),
        O::Or => Ok(Value::Bool(truth(&held, cx)? | truth(&added, cx)?)),
        O::AddAll => return add_all(held, &added, cx),
    };
    made.map_err(|error| QueryError::step(&cx.op.step, error.to_string()))
}

fn truth(value: &Value, cx: &Context<'_>) -> Result<bool, QueryError> {
    let message = || format!("it needs a boolean, not a {}", value.type_name());
    value.as_bool().ok_or_else(|| QueryError::step(&cx.op.step, message()))
}

/// Both collections, or both maps, in one. What leaves is charged with the batch that it is in; here there must be room for it.
fn add_all(mut held: Value, added: &Value, cx: &Context<'_>) -> Result<Value, QueryError> {
    let bytes = (count(&held).saturating_add(count(added))).saturating_mul(MEMBER).min(isize::MAX as usize);
    cx.charge(bytes as isize)?;
    cx.charge(-(bytes as isize))?;
    let is_collection = matches!(added, Value::List(_) | Value::Set(_) | Value::BulkSet(_));
    match &mut held {
        Value::Map(map) if matches!(added, Value::Map(_)) => {
            let map = Arc::make_mut(map);
            if let Value::Map(more) = added {
                more.iter().for_each(|(key, value)| _ = map.insert(key.clone(), value.clone()));
            }
        }
        Value::List(list) if is_collection => Arc::make_mut(list).extend(each(added)),
        Value::Set(set) if is_collection => {
            let set = Arc::make_mut(set);
            each(added).for_each(|member| _ = set.insert(member));
        }
        _ => {
            let (one, other) = (held.type_name(), added.type_name());
            let message = format!("Objects must be both of Map or Collection: a={one} b={other}");
            return Err(QueryError::step(&cx.op.step, message));
        }
    }
    Ok(held)
}
