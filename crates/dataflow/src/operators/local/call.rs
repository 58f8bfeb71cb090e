//! Functions that are known by name, and the same on each member of a list.

use planner::physical::Function;
use values::{Value, watch};

use super::{Around, FREE, collection, date, list, number, property, text, to_text};
use crate::batch::Weight;
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
            call_on_members(function, args, collection::members(object, around)?, around).map(Some)
        }
        one => {
            check_text(function, one, "", around)?;
            call(function, args, one, around)
        }
    }
}

/// Calls a function on members; those without a result are left out.
fn call_on_members(
    function: Function,
    args: &[Value],
    members: Vec<Value>,
    around: Around<'_>,
) -> Result<Value, QueryError> {
    let (mut results, mut made) = (Vec::with_capacity(members.len()), Made::default());
    for member in members {
        watch::tick();
        check_text(function, &member, " in list", around)?;
        if let Some(result) = call(function, args, &member, around)? {
            made.add(&result, around)?;
            results.push(result);
        }
    }
    Ok(results.into())
}

/// What a function has made of members so far, while there are more. Of each may come something much larger than it is, such as a
/// text of bytes.
#[derive(Default)]
struct Made {
    weight: Weight,
    /// Bytes of it that are held.
    held: usize,
}

impl Made {
    /// Adds a result, and holds what there is, if that has grown by enough.
    ///
    /// # Errors
    /// If there is no room for it.
    fn add(&mut self, result: &Value, around: Around<'_>) -> Result<(), QueryError> {
        self.weight.add(result);
        let more = self.weight.bytes.saturating_sub(self.held) as u64;
        // Of less `hold` takes no notice.
        if more > FREE {
            self.held = self.weight.bytes;
            around.hold(more)?;
        }
        Ok(())
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
