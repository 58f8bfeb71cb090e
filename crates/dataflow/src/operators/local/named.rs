//! Functions that are known by the name of their step.

use gremlin::StepName;
use values::{Map, Value};

use super::super::long_text;
use super::{Around, collection, date, list, number, text};
use crate::error::QueryError;

/// Calls a function on an object.
pub(super) fn apply(
    name: StepName,
    args: &[Value],
    object: &Value,
    around: Around<'_>,
) -> Result<Value, QueryError> {
    match name {
        StepName::Identity => Ok(object.clone()),
        StepName::Index => index(object, args, around),
        StepName::Reverse => reverse(object, around),
        StepName::AsString => text::as_string(object, around),
        StepName::AsNumber => number::as_number(object, args, around),
        StepName::AsBool => number::as_bool(object, around),
        StepName::AsDate => date::as_date(object, around),
        StepName::DateAdd => date::add(object, args, around),
        StepName::DateDiff => date::difference(object, args, around),
        StepName::Concat => text::concat(object, args, around),
        StepName::Conjoin => list::conjoin(object, args, around),
        StepName::Combine
        | StepName::Difference
        | StepName::Disjunct
        | StepName::Intersect
        | StepName::Merge
        | StepName::Product => list::combine(name, object, args, around),
        name if is_of_text(name) => match object {
            Value::Null => Ok(Value::Null),
            Value::String(string) => text::of_string(name, string, args, around),
            other => Err(around.error(format!(
                "The {}() step can only take string as argument, encountered {}",
                name.as_str(),
                other.type_name()
            ))),
        },
        other => Err(around.error(format!("{}() is not a function of one object", other.as_str()))),
    }
}

/// Calls a function on each member of a list (`Scope.local`), or on an object that is no list.
pub(super) fn apply_to_each(
    name: StepName,
    args: &[Value],
    object: &Value,
    around: Around<'_>,
) -> Result<Value, QueryError> {
    match object {
        Value::List(_) | Value::Set(_) | Value::BulkSet(_) | Value::Path(_) => {
            let each = collection::members(object, around)?.into_iter();
            let member = |member: Value| {
                check_text(name, &member, " in list", around)?;
                apply(name, args, &member, around)
            };
            Ok(each.map(member).collect::<Result<Vec<Value>, QueryError>>()?.into())
        }
        one => {
            check_text(name, one, "", around)?;
            apply(name, args, one, around)
        }
    }
}

/// Refuses what a function of text cannot take, in the words for `Scope.local`.
fn check_text(name: StepName, object: &Value, place: &str, around: Around<'_>) -> Result<(), QueryError> {
    if !is_of_text(name) || matches!(object, Value::Null | Value::String(_)) {
        return Ok(());
    }
    Err(around.error(format!(
        "The {}(local) step can only take string or list of strings, encountered {}{place}",
        name.as_str(),
        object.type_name()
    )))
}

fn is_of_text(name: StepName) -> bool {
    use StepName as S;
    matches!(
        name,
        S::Length
            | S::ToLower
            | S::ToUpper
            | S::Trim
            | S::LTrim
            | S::RTrim
            | S::Replace
            | S::Split
            | S::Substring
    )
}

/// `index()`: pairs of member and place, or a map from place to member.
fn index(object: &Value, args: &[Value], around: Around<'_>) -> Result<Value, QueryError> {
    around.hold((collection::count(object) as u64).saturating_mul(list::PAIR))?;
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
