//! Functions of two lists.

use gremlin::StepName;
use values::{Map, SeededSet, Set, Value, watch};

use super::text::text_of;
use super::{Around, collection};
use crate::error::QueryError;

/// Most pairs that a `product` makes.
const MAX_PAIRS: usize = 10_000_000;

/// Bytes of a pair.
pub(super) const PAIR: u64 = 3 * size_of::<Value>() as u64 + 64;

/// `combine`, `difference`, `disjunct`, `intersect`, `merge` and `product` with the list in the argument.
pub(super) fn combine(
    name: StepName,
    object: &Value,
    args: &[Value],
    around: Around<'_>,
) -> Result<Value, QueryError> {
    let argument = args.first().unwrap_or(&Value::Null);
    if let (StepName::Merge, Value::Map(map)) = (name, object) {
        return merge_maps(map, argument, around);
    }
    let a = incoming(name, object, around)?;
    let b = given(name, argument, around)?;
    Ok(match name {
        StepName::Combine => a.into_iter().chain(b).collect::<Vec<_>>().into(),
        StepName::Merge => a.into_iter().chain(b).collect::<Set>().into(),
        StepName::Difference => {
            let b: SeededSet<Value> = b.into_iter().collect();
            a.into_iter().filter(|m| !b.contains(m)).collect::<Set>().into()
        }
        StepName::Intersect => {
            let a: SeededSet<Value> = a.into_iter().collect();
            b.into_iter().filter(|m| a.contains(m)).collect::<Set>().into()
        }
        StepName::Disjunct => {
            let (a, b): (Set, Set) = (a.into_iter().collect(), b.into_iter().collect());
            let only_a = a.iter().filter(|m| !b.contains(m));
            only_a.chain(b.iter().filter(|m| !a.contains(m))).cloned().collect::<Set>().into()
        }
        _ => product(&a, &b, around)?,
    })
}

fn product(a: &[Value], b: &[Value], around: Around<'_>) -> Result<Value, QueryError> {
    if a.len().saturating_mul(b.len()) > MAX_PAIRS {
        return Err(around.error(format!("product() would make more than {MAX_PAIRS} pairs")));
    }
    around.hold((a.len() * b.len()) as u64 * PAIR)?;
    let pair = |x: &Value, y: &Value| {
        watch::tick();
        Value::list([x.clone(), y.clone()])
    };
    Ok(a.iter().flat_map(|x| b.iter().map(move |y| pair(x, y))).collect::<Vec<_>>().into())
}

fn merge_maps(map: &Map, argument: &Value, around: Around<'_>) -> Result<Value, QueryError> {
    let Value::Map(more) = argument else {
        let message = format!(
            "merge step expected provided argument to evaluate to a Map, encountered {}",
            argument.type_name()
        );
        return Err(around.error(message));
    };
    let mut merged = map.clone();
    merged.0.extend(more.iter().map(|(k, v)| (k.clone(), v.clone())));
    Ok(merged.into())
}

fn incoming(name: StepName, object: &Value, around: Around<'_>) -> Result<Vec<Value>, QueryError> {
    let name = name.as_str();
    match object {
        Value::List(_) | Value::Set(_) | Value::BulkSet(_) | Value::Path(_) => {
            collection::members(object, around)
        }
        Value::Null => Err(around.error(format!("Incoming traverser for {name} step can't be null."))),
        other => Err(around.error(format!(
            "{name} step can only take an array or an Iterable type for incoming traversers, encountered {}",
            other.type_name()
        ))),
    }
}

fn given(name: StepName, argument: &Value, around: Around<'_>) -> Result<Vec<Value>, QueryError> {
    let name = name.as_str();
    match argument {
        Value::List(_) | Value::Set(_) | Value::BulkSet(_) | Value::Path(_) => {
            collection::members(argument, around)
        }
        Value::Null => Err(around.error(format!("Argument provided for {name} step can't be null."))),
        Value::Map(_) if name == "merge" => {
            Err(around.error("merge step type mismatch: expected argument to be Iterable but got Map"))
        }
        other => Err(around.error(format!(
            "{name} step can only take an array or an Iterable as an argument, encountered {}",
            other.type_name()
        ))),
    }
}

/// `conjoin(delimiter)`: the texts of the members that are not null, with the delimiter between them.
pub(super) fn conjoin(object: &Value, args: &[Value], around: Around<'_>) -> Result<Value, QueryError> {
    let members = incoming(StepName::Conjoin, object, around)?;
    let delimiter = args
        .first()
        .and_then(Value::as_str)
        .ok_or_else(|| around.error("Input delimiter to conjoin step can't be null."))?;
    if members.is_empty() {
        return Ok(Value::str(""));
    }
    let (mut all, mut any) = (String::new(), false);
    for member in members.iter().filter(|member| !member.is_null()) {
        watch::tick();
        if std::mem::replace(&mut any, true) {
            all.push_str(delimiter);
        }
        all.push_str(&text_of(member, around)?);
        around.fits(all.len())?;
    }
    Ok(if any { Value::str(all) } else { Value::Null })
}
