//! `format()`: text with variables.

use values::Value;

use super::super::element::{self, Key};
use super::Around;
use super::text::text_of;
use crate::error::QueryError;

/// Replaces each `%{name}` of the template in the argument by the property of that name of the current element, else by
/// the entry of the current map, else by the last object labelled so in the path. `%%{` is not a variable. Nothing, if a
/// variable stands for nothing or for null.
pub(super) fn format(
    object: &Value,
    args: &[Value],
    around: Around<'_>,
) -> Result<Option<Value>, QueryError> {
    let Some(template) = args.first().and_then(Value::as_str) else {
        return Err(around.error("Format string for Format step can't be null."));
    };
    let mut result = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, name, after)) = next_variable(rest) {
        let Some(value) = variable(name, object, around).filter(|value| !value.is_null()) else {
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
        let at = from + text[from..].find("%{")?;
        if text[..at].ends_with('%') {
            from = at + 2;
            continue;
        }
        let end = at + text[at..].find('}')?;
        return Some((&text[..at], &text[at + 2..end], &text[end + 1..]));
    }
}

fn variable(name: &str, object: &Value, around: Around<'_>) -> Option<Value> {
    if name == "_" {
        return Some(object.clone());
    }
    let key = Key::resolve(name, None, around.graph);
    element::with_property(object, key, around.graph, |value| value.map(graph::ValueRef::to_value)).or_else(
        || {
            let mut visited = around.batch.path.as_ref()?.backwards(around.row);
            visited.find(|v| v.labels().iter().any(|label| label == name)).map(|v| v.object())
        },
    )
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
