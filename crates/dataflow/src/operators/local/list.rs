//! Functions of lists, of two lists, and of what else has members.

use planner::physical::Function;
use planner::physical::op::ListFunction;
use values::{Map, SeededSet, Set, Value, watch};

use super::super::long_text;
use super::text::text_of;
use super::{Around, collection};
use crate::error::QueryError;

/// Most pairs that a `product` makes.
const MAX_PAIRS: usize = 10_000_000;

/// Bytes of a pair.
const PAIR: u64 = 3 * size_of::<Value>() as u64 + 64;

/// The functions of the family.
pub(super) fn apply(
    function: ListFunction,
    object: &Value,
    args: &[Value],
    around: Around<'_>,
) -> Result<Value, QueryError> {
    match function {
        ListFunction::Combine
        | ListFunction::Difference
        | ListFunction::Disjunct
        | ListFunction::Intersect
        | ListFunction::Merge
        | ListFunction::Product => combine(function, object, args, around),
        ListFunction::Conjoin => conjoin(object, args, around),
        ListFunction::Index => index(object, args, around),
        ListFunction::Reverse => reverse(object, around),
    }
}

/// `combine`, `difference`, `disjunct`, `intersect`, `merge` and `product` with the list in the argument.
fn combine(
    name: ListFunction,
    object: &Value,
    args: &[Value],
    around: Around<'_>,
) -> Result<Value, QueryError> {
    let argument = args.first().unwrap_or(&Value::Null);
    if let (ListFunction::Merge, Value::Map(map)) = (name, object) {
        return merge_maps(map, argument, around);
    }
    let a = incoming(name, object, around)?;
    let b = given(name, argument, around)?;
    Ok(match name {
        ListFunction::Combine => a.into_iter().chain(b).collect::<Vec<_>>().into(),
        ListFunction::Merge => a.into_iter().chain(b).collect::<Set>().into(),
        ListFunction::Difference => {
            let b: SeededSet<Value> = b.into_iter().collect();
            a.into_iter().filter(|m| !b.contains(m)).collect::<Set>().into()
        }
        ListFunction::Intersect => {
            let a: SeededSet<Value> = a.into_iter().collect();
            b.into_iter().filter(|m| a.contains(m)).collect::<Set>().into()
        }
        ListFunction::Disjunct => {
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

fn incoming(name: ListFunction, object: &Value, around: Around<'_>) -> Result<Vec<Value>, QueryError> {
    let name = Function::List(name).as_str();
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

fn given(name: ListFunction, argument: &Value, around: Around<'_>) -> Result<Vec<Value>, QueryError> {
    let name = Function::List(name).as_str();
    match argument {
        Value::List(_) | Value::Set(_) | Value::BulkSet(_) | Value::Path(_) => {
            collection::members(argument, around)
        }
        found if around.is_computed(0) => {
            let found =
                if found.is_null() { "not null" } else { &format!("encountered {}", found.type_name()) };
            Err(around.error(format!(
                "Provided traversal argument for {name} step must yield an iterable type, {found}"
            )))
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
fn conjoin(object: &Value, args: &[Value], around: Around<'_>) -> Result<Value, QueryError> {
    let members = incoming(ListFunction::Conjoin, object, around)?;
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
    // TinkerPop asks whether it has written anything, delimiters among it.
    Ok(if any && !(all.is_empty() && delimiter.is_empty()) { Value::str(all) } else { Value::Null })
}

/// `index()`: pairs of member and place, or a map from place to member.
fn index(object: &Value, args: &[Value], around: Around<'_>) -> Result<Value, QueryError> {
    around.hold((collection::count(object) as u64).saturating_mul(PAIR))?;
    let numbered = collection::each(object).enumerate();
    Ok(match args.first().and_then(Value::as_i64) {
        Some(1) => numbered.map(|(i, member)| (Value::Int(i as i32), member)).collect::<Map>().into(),
        _ => {
            numbered.map(|(i, member)| Value::list([member, Value::Int(i as i32)])).collect::<Vec<_>>().into()
        }
    })
}

fn reverse(object: &Value, around: Around<'_>) -> Result<Value, QueryError> {
    Ok(match object {
        Value::String(string) => Value::str(long_text::reversed(string)),
        Value::List(_) | Value::Set(_) | Value::BulkSet(_) | Value::Path(_) => {
            let mut members = collection::members(object, around)?;
            members.reverse();
            members.into()
        }
        other => other.clone(),
    })
}
