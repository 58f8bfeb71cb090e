//! Functions of text. Places count UTF-16 units, as Java does.

use std::fmt::Write;

use gremlin::StepName;
use values::{Str, Value, watch};

use super::Around;
use crate::detach;
use crate::error::QueryError;

/// Longest text that a function makes, in bytes.
pub(super) const MAX_TEXT: usize = 16 << 20;

/// `asString()`.
pub(super) fn as_string(object: &Value, around: Around<'_>) -> Result<Value, QueryError> {
    match object {
        Value::Null => Err(around.error("Can't parse null as String.")),
        Value::String(_) => Ok(object.clone()),
        other => Ok(Value::str(text_of(other, around)?)),
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
                around.fits(whole.len())?;
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
        StepName::Split => split(text, args.first().and_then(Value::as_str), around)?,
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
    let (mut result, mut rest) = (String::new(), 0);
    for (at, found) in text.match_indices(old) {
        watch::tick();
        result.push_str(&text[rest..at]);
        result.push_str(new);
        rest = at + found.len();
        around.fits(result.len())?;
    }
    result.push_str(&text[rest..]);
    around.fits(result.len())?;
    Ok(Value::str(result))
}

/// Text that must not become too long.
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.push_str(text);
        if self.0.len() > MAX_TEXT { Err(std::fmt::Error) } else { Ok(()) }
    }
}

/// The text of an object. It may be much longer than what the object holds.
pub(super) fn text_of(object: &Value, around: Around<'_>) -> Result<String, QueryError> {
    let mut text = Bounded(String::new());
    if detach::write_text(object, &around.graph.reader, &mut text).is_err() {
        around.fits(text.0.len())?;
    }
    Ok(text.0)
}

/// As [`parts`], within the query's bound of memory: the parts of a text are many times as large as the text.
fn split(text: &str, separator: Option<&str>, around: Around<'_>) -> Result<Value, QueryError> {
    let limit = around.cx.query.memory.limit();
    let mut all = Vec::new();
    for part in parts(text, separator) {
        watch::tick();
        all.push(Value::from(part));
        let size = (all.len() * size_of::<Value>()) as u64;
        if size > limit {
            return Err(QueryError::ValueTooLarge { size, limit });
        }
    }
    Ok(all.into())
}

/// By an empty separator into characters, by none at white space; adjacent separators count as one.
fn parts<'t>(text: &'t str, separator: Option<&'t str>) -> Box<dyn Iterator<Item = &'t str> + 't> {
    match separator {
        Some("") => Box::new(text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()])),
        Some(separator) => Box::new(text.split(separator).filter(|part| !part.is_empty())),
        None => Box::new(text.split_whitespace()),
    }
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
        let split = |text, separator| parts(text, separator).collect::<Vec<_>>();
        assert_eq!(split("a,,b,", Some(",")), ["a", "b"]);
        assert_eq!(split("a b", Some("")), ["a", " ", "b"]);
        assert_eq!(split(" a  b ", None), ["a", "b"]);
        assert_eq!(split("abc", Some("bc")), ["a"]);
    }
}
