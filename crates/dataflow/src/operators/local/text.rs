//! Functions of text. Places count UTF-16 units, as Java does.

use gremlin::StepName;
use values::{Str, Value};

use super::Around;
use crate::detach;
use crate::error::QueryError;

/// Longest text that a function makes, in bytes.
const MAX_TEXT: usize = 64 << 20;

/// `asString()`.
pub(super) fn as_string(object: &Value, around: Around<'_>) -> Result<Value, QueryError> {
    match object {
        Value::Null => Err(around.error("Can't parse null as String.")),
        Value::String(_) => Ok(object.clone()),
        other => Ok(Value::str(detach::text(other, &around.graph.reader))),
    }
}

/// `concat(…)`: nulls are skipped; null if everything is.
pub(super) fn concat(object: &Value, args: &[Value], around: Around<'_>) -> Result<Value, QueryError> {
    let mut result: Option<String> = None;
    for part in std::iter::once(object).chain(args) {
        match part {
            Value::Null => {}
            Value::String(text) => {
                let whole = result.get_or_insert_default();
                whole.push_str(text);
                if whole.len() > MAX_TEXT {
                    return Err(around.error("the text would be longer than 64 MiB"));
                }
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

/// The functions of one text and constants.
pub(super) fn of_string(
    name: StepName,
    text: &Str,
    args: &[Value],
    around: Around<'_>,
) -> Result<Value, QueryError> {
    Ok(match name {
        StepName::Length => Value::Int(i32::try_from(text.encode_utf16().count()).unwrap_or(i32::MAX)),
        StepName::ToLower => Value::str(text.to_lowercase()),
        StepName::ToUpper => Value::str(text.to_uppercase()),
        StepName::Trim => Value::str(text.trim()),
        StepName::LTrim => Value::str(text.trim_start()),
        StepName::RTrim => Value::str(text.trim_end()),
        StepName::Replace => replace(text, args, around)?,
        StepName::Split => split(text, args.first().and_then(Value::as_str)),
        StepName::Substring => substring(text, args, around)?,
        other => return Err(around.error(format!("{}() is not a function of text", other.as_str()))),
    })
}

/// Nothing changes if the text to replace is empty or either argument is null.
fn replace(text: &Str, args: &[Value], around: Around<'_>) -> Result<Value, QueryError> {
    let (Some(old), Some(new)) = (args.first().and_then(Value::as_str), args.get(1).and_then(Value::as_str))
    else {
        return Ok(Value::String(text.clone()));
    };
    if old.is_empty() {
        return Ok(Value::String(text.clone()));
    }
    let growth = text.matches(old).count().saturating_mul(new.len());
    if growth > MAX_TEXT {
        return Err(around.error("the text would be longer than 64 MiB"));
    }
    Ok(Value::str(text.replace(old, new)))
}

/// By an empty separator into characters, by none at white space; adjacent separators count as one.
fn split(text: &str, separator: Option<&str>) -> Value {
    let parts: Vec<Value> = match separator {
        Some("") => text.chars().map(|c| Value::str(c.to_string())).collect(),
        Some(separator) => text.split(separator).filter(|part| !part.is_empty()).map(Value::from).collect(),
        None => text.split_whitespace().map(Value::from).collect(),
    };
    parts.into()
}

/// From `start` to before `end` (or the end); negative places count from the end.
fn substring(text: &str, args: &[Value], around: Around<'_>) -> Result<Value, QueryError> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let len = units.len() as i64;
    let place = |i: usize| match args.get(i) {
        None | Some(Value::Null) => Ok(None),
        Some(place) => match place.as_i64() {
            Some(place) if place < 0 => Ok(Some(len.saturating_add(place).max(0))),
            Some(place) => Ok(Some(place.min(len))),
            None => {
                Err(around.error(format!("substring() needs whole numbers, found {}", place.type_name())))
            }
        },
    };
    let start = place(0)?.unwrap_or(0);
    let end = place(1)?.unwrap_or(len);
    let (start, end) = (start as usize, end.max(start) as usize);
    Ok(Value::str(String::from_utf16_lossy(&units[start..end])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitting_drops_empty_parts_except_between_characters() {
        let words =
            |parts: &[&str]| -> Value { parts.iter().map(|p| Value::from(*p)).collect::<Vec<_>>().into() };
        assert_eq!(split("a,,b,", Some(",")), words(&["a", "b"]));
        assert_eq!(split("a b", Some("")), words(&["a", " ", "b"]));
        assert_eq!(split(" a  b ", None), words(&["a", "b"]));
        assert_eq!(split("abc", Some("bc")), words(&["a"]));
    }
}
