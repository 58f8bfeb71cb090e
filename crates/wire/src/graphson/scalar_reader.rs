//! Reading numbers, times, tokens that are values, and other scalars.

use serde_json::Value as Json;
use values::number::{self, MAX_DIGITS};
use values::{BigInt, DateTime, Direction, Duration, T, Uuid, Value};

use super::reader::{Read, text, unexpected};
use super::{Location, base64};
use crate::error::Problem;

/// The scalar of that type; `None` if the type is no scalar's.
pub(super) fn scalar(name: &str, json: &Json, at: &Location<'_>) -> Read<Option<Value>> {
    Ok(Some(match name {
        "g:Int32" => integer(json, at).map(Value::Int)?,
        "g:Int64" => integer(json, at).map(Value::Long)?,
        "gx:Byte" | "g:Byte" => integer(json, at).map(Value::Byte)?,
        "gx:Int16" | "g:Int16" => integer(json, at).map(Value::Short)?,
        "g:Double" => double(json, at).map(Value::Double)?,
        "g:Float" => Value::Float(single(json, at)?),
        "gx:BigInteger" | "g:BigInteger" => big_integer(&digits(json, at)?, at)?.into(),
        "gx:BigDecimal" | "g:BigDecimal" => {
            let decimal = number::parse_decimal(&digits(json, at)?);
            decimal.map_err(|error| at.error(Problem::Invalid(error.to_string())))?.into()
        }
        "gx:Char" | "g:Char" => character(json, at)?,
        "g:UUID" => Value::Uuid(uuid(json, at)?),
        "gx:OffsetDateTime" | "g:DateTime" => parse::<DateTime>(json, at)?.into(),
        "gx:Duration" | "g:Duration" => parse::<Duration>(json, at)?.into(),
        "gx:ByteBuffer" | "g:Binary" => {
            let bytes = base64::decode(text(json, at)?);
            Value::binary(bytes.ok_or_else(|| at.error(Problem::Invalid("text is not base 64".into())))?)
        }
        "g:T" => Value::T(token("T", json, at, T::from_name)?),
        "g:Direction" => Value::Direction(token("direction", json, at, Direction::from_name)?),
        _ => return Ok(None),
    }))
}

/// An integer that fits its type. gremlin-javascript writes a long as a string, and Jackson takes that.
pub(super) fn integer<N: TryFrom<i64>>(json: &Json, at: &Location<'_>) -> Read<N> {
    let number = json.as_i64().or_else(|| json.as_str()?.trim().parse().ok());
    let number = number.ok_or_else(|| unexpected("an integer", json, at))?;
    N::try_from(number)
        .map_err(|_| at.error(Problem::Invalid(format!("{number} is out of the range of its type"))))
}

/// A double; the three that JSON has no number for are strings.
pub(super) fn double(json: &Json, at: &Location<'_>) -> Read<f64> {
    match json {
        Json::String(name) => match name.as_str() {
            "NaN" => Ok(f64::NAN),
            "Infinity" => Ok(f64::INFINITY),
            "-Infinity" => Ok(f64::NEG_INFINITY),
            other => Err(at.error(Problem::expected("a number, NaN, Infinity or -Infinity", other))),
        },
        // Out of range, the text reads as an infinity, as it does in Java.
        Json::Number(number) => number.to_string().parse().map_err(|_| unexpected("a number", json, at)),
        other => Err(unexpected("a number", other, at)),
    }
}

/// A single is read from its text: reading a double first would round twice.
fn single(json: &Json, at: &Location<'_>) -> Read<f32> {
    match json {
        Json::Number(number) => number.to_string().parse().map_err(|_| unexpected("a number", json, at)),
        other => double(other, at).map(|v| v as f32),
    }
}

/// The digits of a big number, which some drivers send as a string.
fn digits(json: &Json, at: &Location<'_>) -> Read<String> {
    match json {
        Json::Number(number) => Ok(number.to_string()),
        Json::String(digits) => Ok(digits.clone()),
        other => Err(unexpected("a number", other, at)),
    }
}

pub(super) fn big_integer(digits: &str, at: &Location<'_>) -> Read<BigInt> {
    if digits.len() as u64 > MAX_DIGITS {
        return Err(at.error(Problem::Invalid(format!("an integer may have at most {MAX_DIGITS} digits"))));
    }
    digits.parse().map_err(|_| at.error(Problem::expected("an integer", digits)))
}

fn character(json: &Json, at: &Location<'_>) -> Read<Value> {
    let mut characters = text(json, at)?.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => Ok(Value::Char(character)),
        _ => Err(unexpected("one character", json, at)),
    }
}

/// A UUID as text, or as the typed value that some drivers make even of a request's id.
pub(super) fn uuid(json: &Json, at: &Location<'_>) -> Read<Uuid> {
    if let Some(inner) = json.as_object().and_then(|object| object.get("@value")) {
        return uuid(inner, &at.field("@value"));
    }
    let text = text(json, at)?;
    Uuid::parse_str(text).map_err(|_| at.error(Problem::expected("a UUID", text)))
}

fn parse<V: std::str::FromStr<Err = values::time::TimeError>>(json: &Json, at: &Location<'_>) -> Read<V> {
    text(json, at)?.parse().map_err(|error: V::Err| at.error(Problem::Invalid(error.to_string())))
}

/// A token by its name.
pub(super) fn token<V>(
    what: &'static str,
    json: &Json,
    at: &Location<'_>,
    find: fn(&str) -> Option<V>,
) -> Read<V> {
    let name = text(json, at)?;
    find(name).ok_or_else(|| at.error(Problem::unknown(what, name)))
}
