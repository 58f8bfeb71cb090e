//! Reading values.

use serde_json::{Map as JsonMap, Number, Value as Json};
use values::{Map, Str, Value};

use super::Location;
use crate::error::Problem;
use crate::{DecodeError, WireValue};

pub(super) type Read<T> = Result<T, DecodeError>;

/// A value of any type, typed or plain.
pub(super) fn any(json: &Json, at: &Location<'_>) -> Read<WireValue> {
    match json {
        Json::Null => Ok(WireValue::NULL),
        Json::Bool(v) => Ok(Value::Bool(*v).into()),
        Json::String(v) => Ok(Value::str(v.as_str()).into()),
        Json::Number(v) => number(v, at).map(WireValue::from),
        Json::Array(items) => self::items(items, at).map(WireValue::list),
        Json::Object(object) => match type_of(object) {
            Some(name) => of_type(name, object.get("@value").unwrap_or(&Json::Null), at),
            None => plain_map(object, at),
        },
    }
}

/// The name of the type that an object says its value has.
pub(super) fn type_of(object: &JsonMap<String, Json>) -> Option<&str> {
    object.get("@type")?.as_str()
}

/// A value that has to be one a query can see.
pub(super) fn value(json: &Json, at: &Location<'_>) -> Read<Value> {
    any(json, at)?.into_value().map_err(|problem| at.error(problem))
}

/// A plain number takes the narrowest of int, long and big integer, or is a double.
fn number(number: &Number, at: &Location<'_>) -> Read<Value> {
    if let Some(v) = number.as_i64() {
        return Ok(i32::try_from(v).map_or(Value::Long(v), Value::Int));
    }
    let text = number.to_string();
    if text.contains(['.', 'e', 'E']) {
        return text.parse().map(Value::Double).map_err(|_| at.error(Problem::expected("a number", text)));
    }
    super::scalar_reader::big_integer(&text, at).map(Value::from)
}

fn of_type(name: &str, json: &Json, at: &Location<'_>) -> Read<WireValue> {
    let inside = &at.field("@value");
    if let Some(scalar) = super::scalar_reader::scalar(name, json, inside)? {
        return Ok(scalar.into());
    }
    match name {
        "g:List" => return items(array(json, inside)?, inside).map(WireValue::list),
        "g:Set" => return items(array(json, inside)?, inside).map(WireValue::set),
        "g:Map" => return entries(json, inside).map(WireValue::map),
        _ => {}
    }
    if let Some(element) = super::element_reader::element(name, json, inside)? {
        return Ok(element.into());
    }
    if let Some(part) = super::bytecode_reader::part_of_bytecode(name, json, inside)? {
        return Ok(part);
    }
    if let Some(extended) = super::extended_reader::extended(name, json, inside)? {
        return Ok(extended.into());
    }
    Err(at.error(Problem::UnknownType(crate::error::excerpt(name))))
}

pub(super) fn items(items: &[Json], at: &Location<'_>) -> Read<Vec<WireValue>> {
    items.iter().enumerate().map(|(i, item)| any(item, &at.index(i))).collect()
}

/// The entries of a map: keys and values in turn, or the fields of a plain object.
fn entries(json: &Json, at: &Location<'_>) -> Read<Vec<(WireValue, WireValue)>> {
    if let Json::Object(object) = json {
        return Ok(named(object, at)?
            .into_iter()
            .map(|(key, value)| (Value::String(key).into(), value))
            .collect());
    }
    let both = array(json, at)?;
    if both.len() % 2 != 0 {
        return Err(at.error(Problem::expected("keys and values in turn", format!("{} items", both.len()))));
    }
    let entry = |(i, pair): (usize, &[Json])| {
        Ok((any(&pair[0], &at.index(2 * i))?, any(&pair[1], &at.index(2 * i + 1))?))
    };
    both.chunks_exact(2).enumerate().map(entry).collect()
}

fn plain_map(object: &JsonMap<String, Json>, at: &Location<'_>) -> Read<WireValue> {
    let entries = named(object, at)?.into_iter();
    Ok(WireValue::map(entries.map(|(key, value)| (Value::String(key).into(), value)).collect()))
}

fn named(object: &JsonMap<String, Json>, at: &Location<'_>) -> Read<Vec<(Str, WireValue)>> {
    object.iter().map(|(key, value)| Ok((key.as_str().into(), any(value, &at.field(key))?))).collect()
}

/// The fields of an object, or the entries of a typed map whose keys are names.
pub(super) fn fields(json: &Json, at: &Location<'_>) -> Read<Vec<(Str, WireValue)>> {
    let object = object(json, at)?;
    if type_of(object).is_none() {
        return named(object, at);
    }
    let inside = &at.field("@value");
    let entries = entries(object.get("@value").unwrap_or(&Json::Null), inside)?;
    let name = |(key, value): (WireValue, WireValue)| match key {
        WireValue::Value(Value::String(key)) => Ok((key, value)),
        _ => Err(inside.error(Problem::expected("names as the keys of the map", "another key"))),
    };
    entries.into_iter().map(name).collect()
}

/// [`fields`], as a map of values.
pub(super) fn value_map(json: &Json, at: &Location<'_>) -> Read<Map> {
    let entry = |(key, value): (Str, WireValue)| {
        let value = value.into_value().map_err(|problem| at.field(&key).error(problem))?;
        Ok((Value::String(key.clone()), value))
    };
    fields(json, at)?.into_iter().map(entry).collect()
}

pub(super) fn array<'j>(json: &'j Json, at: &Location<'_>) -> Read<&'j [Json]> {
    json.as_array().map(Vec::as_slice).ok_or_else(|| unexpected("an array", json, at))
}

pub(super) fn object<'j>(json: &'j Json, at: &Location<'_>) -> Read<&'j JsonMap<String, Json>> {
    json.as_object().ok_or_else(|| unexpected("an object", json, at))
}

pub(super) fn text<'j>(json: &'j Json, at: &Location<'_>) -> Read<&'j str> {
    json.as_str().ok_or_else(|| unexpected("a string", json, at))
}

/// A field of an object; missing, it reads as null.
pub(super) fn field<'j>(object: &'j JsonMap<String, Json>, name: &str) -> &'j Json {
    object.get(name).unwrap_or(&Json::Null)
}

pub(super) fn unexpected(expected: &'static str, json: &Json, at: &Location<'_>) -> DecodeError {
    let found = match json {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "an array",
        Json::Object(_) => "an object",
    };
    at.error(Problem::expected(expected, found))
}
