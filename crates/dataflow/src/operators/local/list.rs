//! Functions of lists, of two lists, and of what else has members.

use planner::physical::Function;
use planner::physical::op::ListFunction;
use values::{Map, Value, watch};

use super::super::long_text;
use super::collection::{count, distinct, distinct_count, each};
use super::distinct::Distinct;
use super::held::Held;
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
    check_incoming(name, object, around)?;
    check_given(name, argument, around)?;
    match name {
        ListFunction::Combine => joined(object, argument, around),
        ListFunction::Merge => merged(object, argument, around),
        ListFunction::Difference => difference(object, argument, around),
        ListFunction::Intersect => intersection(object, argument, around),
        ListFunction::Disjunct => disjunction(object, argument, around),
        _ => product(object, argument, around),
    }
}

/// The members of one, and those of the other.
fn joined(a: &Value, b: &Value, around: Around<'_>) -> Result<Value, QueryError> {
    let bytes = collection::bytes_of_members(a).saturating_add(collection::bytes_of_members(b));
    Ok(made(collection::gathered(each(a).chain(each(b)), bytes, around)?))
}

/// Members of either.
fn merged(a: &Value, b: &Value, around: Around<'_>) -> Result<Value, QueryError> {
    let most = distinct_count(a).saturating_add(distinct_count(b));
    Ok(Distinct::of(distinct(a).chain(distinct(b)), most, around)?.into_value())
}

/// Members of one that are none of the other.
fn difference(a: &Value, b: &Value, around: Around<'_>) -> Result<Value, QueryError> {
    let without = table_of(b, around)?;
    let left = distinct(a).filter(|member| !without.contains(member));
    let left = Distinct::of(left, distinct_count(a), around)?;
    without.free();
    Ok(left.into_value())
}

/// Members of both, in the order of the other.
fn intersection(a: &Value, b: &Value, around: Around<'_>) -> Result<Value, QueryError> {
    let within = table_of(a, around)?;
    let both = distinct(b).filter(|member| within.contains(member));
    let both = Distinct::of(both, distinct_count(b), around)?;
    within.free();
    Ok(both.into_value())
}

/// Members of one of them alone.
fn disjunction(a: &Value, b: &Value, around: Around<'_>) -> Result<Value, QueryError> {
    let (a, b) = (table_of(a, around)?, table_of(b, around)?);
    let only_a = a.set().iter().filter(|member| !b.contains(member));
    let only_b = b.set().iter().filter(|member| !a.contains(member));
    let alone = only_a.chain(only_b).inspect(|_| watch::tick()).cloned();
    let alone = Distinct::of(alone, a.set().len() + b.set().len(), around)?;
    a.free();
    b.free();
    Ok(alone.into_value())
}

/// Members to be looked for.
fn table_of<'a>(object: &Value, around: Around<'a>) -> Result<Distinct<'a>, QueryError> {
    Distinct::of(distinct(object), distinct_count(object), around)
}

fn product(a: &Value, b: &Value, around: Around<'_>) -> Result<Value, QueryError> {
    let (a, b) = (collection::listed(a, around)?, collection::listed(b, around)?);
    let pairs = a.len().saturating_mul(b.len());
    if pairs > MAX_PAIRS {
        return Err(around.error(format!("product() would make more than {MAX_PAIRS} pairs")));
    }
    let pair = |x: &Value, y: &Value| {
        watch::tick();
        Value::list([x.clone(), y.clone()])
    };
    let all = a.iter().flat_map(|x| b.iter().map(move |y| pair(x, y)));
    let all = collection::gathered(all, pairs as u64 * PAIR, around)?;
    a.free();
    b.free();
    Ok(made(all))
}

/// A list that is made.
fn made(list: Held<Vec<Value>>) -> Value {
    list.into_inner().into()
}

fn merge_maps(map: &Map, argument: &Value, around: Around<'_>) -> Result<Value, QueryError> {
    let Value::Map(more) = argument else {
        let message = format!(
            "merge step expected provided argument to evaluate to a Map, encountered {}",
            argument.type_name()
        );
        return Err(around.error(message));
    };
    let entries = map.iter().chain(more.iter()).map(|(key, value)| (key.clone(), value.clone()));
    let merged = collection::mapped(entries, map.len() + more.len(), around)?;
    Ok(merged.into_inner().of_kind(map.kind()).into())
}

/// Whether the function takes such an object.
fn check_incoming(name: ListFunction, object: &Value, around: Around<'_>) -> Result<(), QueryError> {
    let name = Function::List(name).as_str();
    match object {
        Value::List(_) | Value::Set(_) | Value::BulkSet(_) | Value::Path(_) => Ok(()),
        Value::Null => Err(around.error(format!("Incoming traverser for {name} step can't be null."))),
        other => Err(around.error(format!(
            "{name} step can only take an array or an Iterable type for incoming traversers, encountered {}",
            other.type_name()
        ))),
    }
}

/// Whether it takes such an argument.
fn check_given(name: ListFunction, argument: &Value, around: Around<'_>) -> Result<(), QueryError> {
    let name = Function::List(name).as_str();
    match argument {
        Value::List(_) | Value::Set(_) | Value::BulkSet(_) | Value::Path(_) => Ok(()),
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
    check_incoming(ListFunction::Conjoin, object, around)?;
    let delimiter = args
        .first()
        .and_then(Value::as_str)
        .ok_or_else(|| around.error("Input delimiter to conjoin step can't be null."))?;
    let members = collection::listed(object, around)?;
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
    members.free();
    // TinkerPop asks whether it has written anything, delimiters among it.
    Ok(if any && !(all.is_empty() && delimiter.is_empty()) { Value::str(all) } else { Value::Null })
}

/// `index()`: pairs of member and place, or a map from place to member.
fn index(object: &Value, args: &[Value], around: Around<'_>) -> Result<Value, QueryError> {
    let members = count(object);
    let numbered = each(object).enumerate().map(|(i, member)| (Value::Int(i as i32), member));
    if let Some(1) = args.first().and_then(Value::as_i64) {
        return Ok(collection::mapped(numbered, members, around)?.into_inner().into());
    }
    let pairs = numbered.map(|(place, member)| Value::list([member, place]));
    Ok(made(collection::gathered(pairs, (members as u64).saturating_mul(PAIR), around)?))
}

fn reverse(object: &Value, around: Around<'_>) -> Result<Value, QueryError> {
    Ok(match object {
        Value::String(string) => Value::str(long_text::reversed(string)),
        Value::List(_) | Value::Set(_) | Value::BulkSet(_) | Value::Path(_) => {
            let mut members = collection::listed(object, around)?;
            turn_round(&mut members);
            made(members)
        }
        other => other.clone(),
    })
}

/// The first is the last from now on.
fn turn_round(members: &mut [Value]) {
    let len = members.len();
    for place in 0..len / 2 {
        watch::tick();
        members.swap(place, len - 1 - place);
    }
}
