//! Texts of whatever there is: `asString()`, `concat()`, and `format()`, text with variables.

use planner::physical::op::ToText;
use values::{Value, watch};

use super::super::element::{self, Key};
use super::super::long_text;
use super::super::property::check_one;
use super::Around;
use super::text::{BYTES_PER_TICK, text_of};
use crate::error::QueryError;

/// The functions of the family; `format()` may have no result.
pub(super) fn apply(
    function: ToText,
    object: &Value,
    args: &[Value],
    around: Around<'_>,
) -> Result<Option<Value>, QueryError> {
    match function {
        ToText::AsString => as_string(object, around).map(Some),
        ToText::Concat => concat(object, args, around).map(Some),
        // Its arguments may be missing, so it takes them itself.
        ToText::Format => format(object, &args.iter().cloned().map(Some).collect::<Vec<_>>(), around),
    }
}

/// `asString()`.
fn as_string(object: &Value, around: Around<'_>) -> Result<Value, QueryError> {
    match object {
        Value::Null => Err(around.error("Can't parse null as String.")),
        Value::String(_) => Ok(object.clone()),
        other => Ok(Value::str(text_of(other, around)?)),
    }
}

/// `concat(…)`: nulls are skipped; null if everything is.
fn concat(object: &Value, args: &[Value], around: Around<'_>) -> Result<Value, QueryError> {
    let mut result: Option<String> = None;
    for part in std::iter::once(object).chain(args) {
        match part {
            Value::Null => {}
            Value::String(text) => {
                let whole = result.get_or_insert_default();
                watch::ticks(1 + text.len() / BYTES_PER_TICK);
                around.fits(whole.len() + text.len())?;
                whole.push_str(text);
            }
            other => {
                let message = format!(
                    "String concat() can only take string as argument, encountered {}",
                    other.type_name()
                );
                return Err(around.error(message));
            }
        }
    }
    Ok(result.map(Value::str).unwrap_or_default())
}

/// Replaces each `%{name}` of the template in the argument by the property of that name of the current element, else by
/// the entry of the current map, else by the side-effect, else by the last object labelled so in the path. `%%{` is not a variable.
/// Nothing, if a variable stands for nothing or for null. Behind the template comes a sorted list of the names of side-effects, and each
/// of these; `%{_}` is what the arguments behind them say in turn, or the current object where there are none.
pub(super) fn format(
    object: &Value,
    args: &[Option<Value>],
    around: Around<'_>,
) -> Result<Option<Value>, QueryError> {
    let [Some(Value::String(template)), Some(Value::List(names)), more @ ..] = args else {
        return Err(around.error("Format string for Format step can't be null."));
    };
    let (side_effects, made) = more.split_at(names.len().min(more.len()));
    let side_effect = |name: &str| {
        let place = names.binary_search_by(|known| known.as_str().cmp(&Some(name))).ok()?;
        side_effects.get(place).cloned().flatten()
    };
    let mut turns = made.iter().cycle();
    let template: &str = template;
    let mut result = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, name, after)) = next_variable(rest) {
        watch::tick();
        let value = match name {
            "_" if made.is_empty() => Some(object.clone()),
            "_" => turns.next().cloned().flatten(),
            name => match of_object(name, object, around)? {
                Some(value) => Some(value),
                None => side_effect(name).or_else(|| last_labelled(name, around)),
            },
        };
        let Some(value) = value.filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        result.push_str(before);
        result.push_str(&text_of(&value, around)?);
        around.fits(result.len())?;
        rest = after;
    }
    result.push_str(rest);
    Ok(Some(Value::str(result)))
}

/// The text before the next variable, the variable's name, and the text after it.
fn next_variable(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let at = from + long_text::first(&text[from..], "%{")?;
        if text[..at].ends_with('%') {
            watch::tick();
            from = at + 2;
            continue;
        }
        let end = at + long_text::first(&text[at..], "}")?;
        return Some((&text[..at], &text[at + 2..end], &text[end + 1..]));
    }
}

/// What an object has under a name. A vertex must not have several values of a property of that name, as in by('name').
fn of_object(name: &str, object: &Value, around: Around<'_>) -> Result<Option<Value>, QueryError> {
    let key = Key::resolve(name, None, around.graph);
    if let (Value::VertexRef(v), Some(key)) = (object, key.id)
        && check_one(*v, key, around.graph).is_err()
    {
        let message =
            format!("Multiple properties exist for the provided key, use Vertex.properties({name})");
        return Err(around.error(message));
    }
    // An entry of a map has no names.
    if let Value::Entry(_) = object {
        return Ok(None);
    }
    Ok(element::with_property(object, key, around.graph, |value| value.map(graph::ValueRef::to_value)))
}

fn last_labelled(name: &str, around: Around<'_>) -> Option<Value> {
    let mut visited = around.batch.path.as_ref()?.looked_through(around.row);
    visited.find(|v| v.labels().iter().any(|label| label == name)).map(|v| v.object())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubled_percent_sign_is_no_variable() {
        assert_eq!(next_variable("a %{b} c"), Some(("a ", "b", " c")));
        assert_eq!(next_variable("%%{b}"), None);
        assert_eq!(next_variable("%%{b} %{c}"), Some(("%%{b} ", "c", "")));
        assert_eq!(next_variable("no %{end"), None);
    }
}
