//! Functions that are known by name, and the same on each member of a list.

use planner::physical::Function;
use values::Value;

use super::{Around, collection, date, list, number, property, text, to_text};
use crate::error::QueryError;

/// Calls a function on an object; there may be no result.
pub(super) fn call(
    function: Function,
    args: &[Value],
    object: &Value,
    around: Around<'_>,
) -> Result<Option<Value>, QueryError> {
    match function {
        Function::Text(function) => text::apply(function, object, args, around).map(Some),
        Function::ToText(function) => to_text::apply(function, object, args, around),
        Function::Number(function) => number::apply(function, object, args, around).map(Some),
        Function::Date(function) => date::apply(function, object, args, around).map(Some),
        Function::Property(function) => property::apply(function, object, around).map(Some),
        Function::List(function) => list::apply(function, object, args, around).map(Some),
    }
}

/// Calls a function on each member of a list (`Scope.local`), or on an object that is no list.
pub(super) fn call_on_each(
    function: Function,
    args: &[Value],
    object: &Value,
    around: Around<'_>,
) -> Result<Option<Value>, QueryError> {
    match object {
        Value::List(_) | Value::Set(_) | Value::BulkSet(_) | Value::Path(_) => {
            let each = collection::members(object, around)?.into_iter();
            let member = |member: Value| {
                check_text(function, &member, " in list", around)?;
                call(function, args, &member, around)
            };
            let results = each.filter_map(|one| member(one).transpose());
            Ok(Some(results.collect::<Result<Vec<Value>, QueryError>>()?.into()))
        }
        one => {
            check_text(function, one, "", around)?;
            call(function, args, one, around)
        }
    }
}

/// Refuses what a function of text cannot take, in the words for `Scope.local`.
fn check_text(function: Function, object: &Value, place: &str, around: Around<'_>) -> Result<(), QueryError> {
    if !matches!(function, Function::Text(_)) || matches!(object, Value::Null | Value::String(_)) {
        return Ok(());
    }
    Err(around.error(format!(
        "The {}(local) step can only take string or list of strings, encountered {}{place}",
        function.as_str(),
        object.type_name()
    )))
}
