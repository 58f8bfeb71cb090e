//! When two ids are the same, however they are written: alike where an id is looked up and where it is compared.
//!
//! | id | is the same as |
//! |---|---|
//! | an integer | every number of that value, and the text that is its usual notation: `7` and `'7'`, never `'007'` or `'+7'` |
//! | a UUID | the text that is its usual notation: 36 characters, its letters small |
//! | a text | that text, and what it is the usual notation of |
//!
//! Graphs from before ids had to be one of these may have others: such an id is the same as what equals it.

use values::number::{self, NumberType};
use values::{Str, Uuid, Value, compare};

/// What ids share that are the same; `None` of what can be no id today.
pub(super) fn key(id: &Value) -> Option<Value> {
    match id {
        Value::String(text) => Some(of_text(text)),
        Value::Uuid(_) => Some(id.clone()),
        number => whole(number).map(Value::Long),
    }
}

/// Whether two ids are the same.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    match (key(a), key(b)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => compare::equals(a, b),
        _ => false,
    }
}

/// The values under which the elements with an id may be found, as it is written first.
pub(super) fn notations(id: &Value) -> impl Iterator<Item = Value> {
    let (first, second) = match (key(id), id) {
        (None, _) => (id.clone(), None),
        (Some(Value::String(text)), _) => (Value::String(text), None),
        (Some(other), Value::String(text)) => (Value::String(text.clone()), Some(other)),
        (Some(other), _) => {
            let text = Value::str(other.to_string());
            (other, Some(text))
        }
    };
    std::iter::once(first).chain(second)
}

/// The text of an id, for predicates on text.
pub(super) fn text(id: &Value) -> Str {
    match id {
        Value::String(text) => text.clone(),
        other => Str::from(other.to_string()),
    }
}

/// What a text is the usual notation of, or else the text.
fn of_text(text: &Str) -> Value {
    let begins = text.as_bytes().first();
    if text.len() <= LONGEST_INTEGER && begins.is_some_and(|&byte| byte.is_ascii_digit() || byte == b'-') {
        let number = text.parse::<i64>().ok().filter(|number| number.to_string() == text.as_str());
        if let Some(number) = number {
            return Value::Long(number);
        }
    } else if text.len() == UUID_TEXT {
        let uuid = text.parse::<Uuid>().ok().filter(|uuid| uuid.to_string() == text.as_str());
        if let Some(uuid) = uuid {
            return Value::Uuid(uuid);
        }
    }
    Value::String(text.clone())
}

/// Characters of `-9223372036854775808`.
const LONGEST_INTEGER: usize = 20;
/// Characters of a UUID in its usual notation.
const UUID_TEXT: usize = 36;

/// The whole number that a number is, if it is one of 64 bits.
fn whole(id: &Value) -> Option<i64> {
    let long = number::cast(id, NumberType::Long).ok()?;
    long.as_i64().filter(|_| compare::equals(&long, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uuid(text: &str) -> Value {
        Value::Uuid(text.parse().unwrap())
    }

    #[test]
    fn a_text_is_a_number_or_a_uuid_in_its_usual_notation_only() {
        for (text, number) in [("7", 7), ("0", 0), ("-7", -7), ("-9223372036854775808", i64::MIN)] {
            assert!(same(&Value::str(text), &Value::Long(number)), "{text}");
        }
        for text in ["007", "+7", "-0", " 7", "7.0", "7L", "", "-", "٧", "9223372036854775808"] {
            assert_eq!(key(&Value::str(text)), Some(Value::str(text)), "{text}");
        }
        let usual = "0f8fad5b-d9cb-469f-a165-70867728950e";
        assert!(same(&Value::str(usual), &uuid(usual)));
        let simple = usual.replace('-', "");
        for text in [usual.to_uppercase(), simple, format!("{{{usual}}}"), format!("urn:uuid:{usual}")] {
            assert!(!same(&Value::str(text.as_str()), &uuid(usual)), "{text}");
        }
    }

    #[test]
    fn numbers_are_the_same_by_value_whatever_their_types() {
        let decimal = number::parse_decimal("7.00").unwrap();
        for seven in [Value::Int(7), Value::Byte(7), Value::Double(7.0), Value::Float(7.0), decimal.into()] {
            assert!(same(&seven, &Value::Long(7)) && same(&Value::str("7"), &seven), "{seven:?}");
        }
        assert!(!same(&Value::Double(7.5), &Value::str("7.5")), "no id can be 7.5");
        assert!(same(&Value::Double(7.5), &Value::Float(7.5)), "but a graph of before may have such ids");
        assert!(!same(&Value::Bool(true), &Value::str("true")));
    }

    #[test]
    fn an_id_is_looked_up_as_it_is_written_first() {
        let of = |id: Value| notations(&id).collect::<Vec<_>>();
        assert_eq!(of(Value::str("7")), [Value::str("7"), Value::Long(7)]);
        assert_eq!(of(Value::Double(7.0)), [Value::Long(7), Value::str("7")]);
        assert_eq!(of(Value::str("007")), [Value::str("007")]);
        assert_eq!(of(Value::Double(7.5)), [Value::Double(7.5)]);
        let text = "0f8fad5b-d9cb-469f-a165-70867728950e";
        assert_eq!(of(uuid(text)), [uuid(text), Value::str(text)]);
    }
}
