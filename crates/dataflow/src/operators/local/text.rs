//! Functions of text. Places count UTF-16 units, as Java does.

use std::fmt::Write;

use planner::physical::Function;
use planner::physical::op::TextFunction;
use values::{Str, Value, watch};

use super::super::long_text::{self, is_space, places};
use super::Around;
use super::held::Held;
use crate::detach;
use crate::error::QueryError;

/// Longest text that a function makes, in bytes.
pub(super) const MAX_TEXT: usize = 16 << 20;

/// The functions of one text and constants; null of null.
pub(super) fn apply(
    function: TextFunction,
    object: &Value,
    args: &[Value],
    around: Around<'_>,
) -> Result<Value, QueryError> {
    let text = match object {
        Value::Null => return Ok(Value::Null),
        Value::String(text) => text,
        other => {
            return Err(around.error(format!(
                "The {}() step can only take string as argument, encountered {}",
                Function::Text(function).as_str(),
                other.type_name()
            )));
        }
    };
    Ok(match function {
        TextFunction::Length => Value::Int(i32::try_from(long_text::units(text)).unwrap_or(i32::MAX)),
        TextFunction::ToLower => fitting(long_text::lower(text), around)?,
        TextFunction::ToUpper => fitting(long_text::upper(text), around)?,
        TextFunction::Trim => {
            Value::str(long_text::without_trailing_space(long_text::without_leading_space(text)))
        }
        TextFunction::LTrim => Value::str(long_text::without_leading_space(text)),
        TextFunction::RTrim => Value::str(long_text::without_trailing_space(text)),
        TextFunction::Replace => replace(text, args, around)?,
        TextFunction::Split => split(text, args.first().and_then(Value::as_str), around)?,
        TextFunction::Substring => substring(text, args, around)?,
    })
}

/// A text that may have become longer: some letters are several in the other case.
fn fitting(text: String, around: Around<'_>) -> Result<Value, QueryError> {
    around.fits(text.len())?;
    Ok(Value::str(text))
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
    for at in places(text, old) {
        watch::tick();
        around.fits(result.len() + at - rest + new.len())?;
        result.push_str(&text[rest..at]);
        result.push_str(new);
        rest = at + old.len();
    }
    around.fits(result.len() + text.len() - rest)?;
    result.push_str(&text[rest..]);
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
    watch::ticks(1 + text.0.len() / BYTES_PER_TICK);
    Ok(text.0)
}

/// As [`parts`], within the query's bound of memory: the parts of a text are many times as large as the text.
fn split(text: &str, separator: Option<&str>, around: Around<'_>) -> Result<Value, QueryError> {
    /// Bytes of parts that are charged together.
    const HELD_AT_ONCE: u64 = 1 << 20;
    let (mut all, mut size) = (Held::<Vec<Value>>::default(), 0);
    for part in parts(text, separator) {
        watch::ticks(1 + part.len() / BYTES_PER_TICK);
        let part = Value::from(part);
        size += part.extent().expanded;
        around.admit(size)?;
        if size >= all.bytes() + HELD_AT_ONCE {
            all.hold(size, around)?;
        }
        all.push(part);
    }
    Ok(all.into_inner().into())
}

/// Bytes of a text that are made in a tick of the query's watch.
pub(super) const BYTES_PER_TICK: usize = 64;

/// By an empty separator into characters (of none: the empty text, as Java's `split("")`), by none at white space; adjacent separators
/// count as one. What is behind the last separator is a part though it be empty, as in commons-lang's `splitByWholeSeparator`.
fn parts<'t>(text: &'t str, separator: Option<&'t str>) -> Box<dyn Iterator<Item = &'t str> + 't> {
    match separator {
        Some("") if text.is_empty() => Box::new(std::iter::once(text)),
        Some("") => Box::new(text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()])),
        Some(separator) => {
            let ends =
                places(text, separator).map(|end| (end, false)).chain([(text.len(), !text.is_empty())]);
            let parts = ends.scan(0, |from, (end, is_last)| {
                let part = &text[*from..end];
                *from = (end + separator.len()).min(text.len());
                Some((part, is_last))
            });
            Box::new(parts.filter(|(part, is_last)| *is_last || !part.is_empty()).map(|(part, _)| part))
        }
        None => Box::new(text.split(is_space).filter(|part| !part.is_empty())),
    }
}

/// From `start` to before `end` (or the end); negative places count from the end.
fn substring(text: &str, args: &[Value], around: Around<'_>) -> Result<Value, QueryError> {
    let place = |i: usize| match args.get(i) {
        None | Some(Value::Null) => Ok(None),
        Some(place) => match place.as_i64() {
            Some(place) => Ok(Some(place)),
            None => {
                Err(around.error(format!("substring() needs whole numbers, found {}", place.type_name())))
            }
        },
    };
    let (start, end) = (place(0)?.unwrap_or(0), place(1)?.unwrap_or(i64::MAX));
    let len = if start < 0 || end < 0 { long_text::units(text) as i64 } else { 0 };
    let from_begin = |place: i64| if place < 0 { (len + place).max(0) } else { place } as usize;
    Ok(Value::str(long_text::cut(text, from_begin(start), from_begin(end))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitting_drops_empty_parts_but_the_last() {
        let split = |text, separator| parts(text, separator).collect::<Vec<_>>();
        assert_eq!(split("a,,b,", Some(",")), ["a", "b", ""]);
        assert_eq!(split(",a", Some(",")), ["a"]);
        assert_eq!(split("xxx", Some("xx")), ["x"]);
        assert_eq!(split("xxxx", Some("xx")), [""]);
        assert!(split("", Some(",")).is_empty());
        assert_eq!(split("a b", Some("")), ["a", " ", "b"]);
        assert_eq!(split("", Some("")), [""]);
        assert_eq!(split(" a  b ", None), ["a", "b"]);
        assert_eq!(split("abc", Some("bc")), ["a", ""]);
    }
}
