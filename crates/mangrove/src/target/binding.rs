//! `x=1`: a value for a variable, as it is typed.

use gremlin::{Argument, ParseError, Position, parse_parameters};
use values::{Str, Value};

/// What only stands in a text that is meant as Gremlin.
const SYNTAX: [char; 8] = ['\'', '"', '(', ')', '[', ']', '{', '}'];

/// Reads a name and its value: a literal of Gremlin (`1`, `2.5d`, `'text'`, `[1, 2]`, `true`), or any words, which are a text.
///
/// # Errors
/// For the user.
pub fn binding(text: &str) -> Result<(Str, Value), String> {
    let Some((name, value)) = text.split_once('=') else {
        return Err(format!("`{text}` is no value for a variable: expected NAME=VALUE, such as x=1"));
    };
    let (name, value) = (name.trim(), value.trim());
    if !is_name(name) {
        return Err(format!(
            "`{name}` is no name of a variable: letters, digits and _, beginning with a letter"
        ));
    }
    if name == "g" {
        return Err("g is the graph itself; choose another name for the variable".into());
    }
    Ok((name.into(), literal(name, value)?))
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && text.chars().all(is_part)
}

fn literal(name: &str, text: &str) -> Result<Value, String> {
    // A literal alone is no text of Gremlin; one in a map of parameters is.
    const BEFORE: &str = "[\"x\":";
    match parse_parameters(&format!("{BEFORE}{text}]")) {
        Ok(ref entries) if let [(_, Argument::Value(value))] = entries.as_slice() => match value {
            // `id` is more likely meant as a word than `T.id` is.
            Value::T(_) | Value::Direction(_) if !text.contains('.') => Ok(text.into()),
            value => Ok(value.clone()),
        },
        _ if !text.contains(SYNTAX) => Ok(text.into()),
        Ok(_) => Err(format!(
            "the value of {name} must be one literal of Gremlin, such as 1, 'text', [1, 2] or true"
        )),
        Err(ParseError { at, kind }) => {
            let at = at.map(|at| match at.line {
                1 => Position { column: at.column.saturating_sub(BEFORE.len() as u32), ..at },
                _ => at,
            });
            let error = ParseError { at, kind };
            Err(format!("the value of {name} is no literal of Gremlin: {error}; put a text into quotes"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        binding(text).unwrap().1
    }

    #[test]
    fn literals_are_read_and_other_words_are_texts() {
        assert_eq!(binding("x=1").unwrap(), ("x".into(), Value::Int(1)));
        assert_eq!(binding(" _x1 = 2L ").unwrap(), ("_x1".into(), Value::Long(2)));
        assert_eq!(value("x=true"), Value::Bool(true));
        assert_eq!(value("x='a=b'"), Value::from("a=b"));
        assert_eq!(value("x=[1, 'a']"), Value::list(vec![1.into(), "a".into()]));
        assert!(matches!(value("x=datetime('2026-11-27T00:00:00Z')"), Value::DateTime(_)));
        assert_eq!(value("x=-2.5d"), Value::Double(-2.5));
        assert!(matches!(value("x=T.id"), Value::T(_)));
        for text in ["id", "OUT", "marko", "marko smith", "2026-11-27", "a;b", ""] {
            assert_eq!(value(&format!("x={text}")), Value::from(text), "{text}");
        }
    }

    #[test]
    fn what_is_meant_as_gremlin_and_is_none_is_refused() {
        assert!(binding("x").unwrap_err().contains("NAME=VALUE"));
        assert!(binding("1x=1").unwrap_err().contains("no name of a variable"));
        assert!(binding("g=1").unwrap_err().contains("another name"));
        assert!(binding("x=[1,").unwrap_err().contains("no literal of Gremlin: line 1, column 4"));
        assert!(binding("x='a").unwrap_err().contains("quotes"));
        assert!(binding("x=g.V()").unwrap_err().contains("no literal of Gremlin: line 1, column 1"));
        assert!(binding("x='a','y':1").unwrap_err().contains("must be one literal"));
    }
}
