//! Values of GraphSON: JSON with types, in which version 3 has lists and maps as well, and those before it have JSON's. Version 1 may
//! have the class that Java has for a value: `["java.lang.Long", 1]`.
//!
//! Only what can be stored as a property or an id is read here; the wire protocol's full codec is above this crate.

use std::sync::Arc;

use serde_json::{Map as Object, Value as Json};
use values::{BigDecimal, BigInt, DateKind, DateTime, Duration, Map, Set, Uuid, Value, watch};

/// Why a JSON value is no property value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TypedError(pub(crate) String);

type Result<T> = std::result::Result<T, TypedError>;

/// The value that a JSON value stands for. Depth is bounded by the parsers of JSON (160).
pub(crate) fn value(json: &Json) -> Result<Value> {
    watch::tick();
    match json {
        Json::Null => Ok(Value::Null),
        Json::Bool(b) => Ok(Value::Bool(*b)),
        Json::String(text) => Ok(Value::str(text.as_str())),
        Json::Number(number) => untyped_number(number),
        Json::Array(members) => bare_list(members),
        Json::Object(object) if object.contains_key("@type") => tagged(object),
        Json::Object(object) => bare_map(object),
    }
}

/// A list of version 1 or 2, or a value with the class that Java has for it.
fn bare_list(members: &[Json]) -> Result<Value> {
    if let [Json::String(class), inner] = members
        && let Some(class) = class.strip_prefix("java.")
    {
        match class {
            "lang.Long" => return integer(inner).map(Value::Long),
            "lang.Integer" => return integer(inner).map(Value::Int),
            "lang.Short" => return integer(inner).map(Value::Short),
            "lang.Byte" => return integer(inner).map(Value::Byte),
            "lang.Float" => return float(inner),
            "lang.Double" => return double(inner).map(Value::Double),
            "util.Date" => return date(inner, DateKind::Date),
            "sql.Timestamp" => return date(inner, DateKind::Timestamp),
            "util.UUID" => return text(inner, "a UUID", |t| Uuid::parse_str(t).ok()).map(Value::Uuid),
            "math.BigInteger" => {
                return big::<BigInt>(inner, "an integer").map(|v| Value::BigInteger(Arc::new(v)));
            }
            "math.BigDecimal" => {
                return big::<BigDecimal>(inner, "a decimal").map(|v| Value::BigDecimal(Arc::new(v)));
            }
            "util.ArrayList" | "util.LinkedList" if inner.is_array() => {
                return list(inner);
            }
            "util.HashSet" | "util.LinkedHashSet" if inner.is_array() => return set(inner),
            _ => {}
        }
    }
    members.iter().map(value).collect::<Result<Vec<_>>>().map(Value::from)
}

/// A map of version 1 or 2.
fn bare_map(object: &Object<String, Json>) -> Result<Value> {
    let entries = object.iter().filter(|(key, _)| *key != "@class");
    let entries = entries.map(|(key, inner)| Ok((Value::str(key.as_str()), value(inner)?)));
    entries.collect::<Result<Map>>().map(Value::from)
}

fn date(json: &Json, kind: DateKind) -> Result<Value> {
    integer(json).map(|millis| Value::DateTime(DateTime::from_epoch_millis(millis).of_kind(kind)))
}

fn list(json: &Json) -> Result<Value> {
    items(json)?.iter().map(value).collect::<Result<Vec<_>>>().map(Value::from)
}

fn set(json: &Json) -> Result<Value> {
    items(json)?.iter().map(value).collect::<Result<Set>>().map(Value::from)
}

/// GraphSON 3 tags its numbers; an untagged one is taken for the smallest type that holds it, as Jackson does for TinkerPop.
fn untyped_number(number: &serde_json::Number) -> Result<Value> {
    if let Some(long) = number.as_i64() {
        return Ok(i32::try_from(long).map_or(Value::Long(long), Value::Int));
    }
    let is_whole = |text: &str| text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
    if is_whole(&number.to_string()) {
        let whole = big::<BigInt>(&Json::Number(number.clone()), "an integer")?;
        return Ok(Value::BigInteger(Arc::new(whole)));
    }
    number.as_f64().map(Value::Double).ok_or_else(|| unexpected("a number", &Json::Number(number.clone())))
}

fn tagged(object: &Object<String, Json>) -> Result<Value> {
    let (Some(Json::String(tag)), Some(inner)) = (object.get("@type"), object.get("@value")) else {
        return Err(TypedError("`@type` and `@value` expected in an object".into()));
    };
    match tag.as_str() {
        "g:Int32" => integer(inner).map(Value::Int),
        "g:Int64" => integer(inner).map(Value::Long),
        "gx:Int16" => integer(inner).map(Value::Short),
        "gx:Byte" => integer(inner).map(Value::Byte),
        "g:Float" => float(inner),
        "g:Double" => double(inner).map(Value::Double),
        "g:Date" => date(inner, DateKind::Date),
        "g:Timestamp" => date(inner, DateKind::Timestamp),
        "g:UUID" => text(inner, "a UUID", |t| Uuid::parse_str(t).ok()).map(Value::Uuid),
        "g:List" => list(inner),
        "g:Set" => set(inner),
        "g:Map" => map(inner),
        "gx:BigInteger" => big::<BigInt>(inner, "an integer").map(|v| Value::BigInteger(Arc::new(v))),
        "gx:BigDecimal" => big::<BigDecimal>(inner, "a decimal").map(|v| Value::BigDecimal(Arc::new(v))),
        "gx:Char" => text(inner, "one character", |t| t.chars().next().filter(|c| c.len_utf8() == t.len()))
            .map(Value::Char),
        "gx:Duration" => {
            text(inner, "an ISO 8601 duration", |t| t.parse::<Duration>().ok()).map(Value::Duration)
        }
        "gx:Instant" | "gx:OffsetDateTime" | "gx:LocalDateTime" | "gx:LocalDate" => {
            text(inner, "an ISO 8601 date-time", |t| t.parse::<DateTime>().ok()).map(Value::DateTime)
        }
        "gx:ByteBuffer" => text(inner, "base64", base64).map(|bytes| Value::Binary(bytes.into())),
        _ => Err(TypedError(format!("a property cannot be of the type {tag:?}"))),
    }
}

fn unexpected(what: &str, found: &Json) -> TypedError {
    TypedError(format!("{what} expected, found {}", crate::error::quoted(&found.to_string())))
}

fn integer<T: TryFrom<i64>>(json: &Json) -> Result<T> {
    let found = json.as_i64().and_then(|long| T::try_from(long).ok());
    found.ok_or_else(|| unexpected(&format!("an integer of {} bits", 8 * size_of::<T>()), json))
}

/// A number of 32 bits. One that has no place among these would become infinite.
fn float(json: &Json) -> Result<Value> {
    let number = double(json)?;
    let float = number as f32;
    if float.is_infinite() && number.is_finite() {
        return Err(unexpected("a number of 32 bits", json));
    }
    Ok(Value::Float(float))
}

fn double(json: &Json) -> Result<f64> {
    match json {
        Json::String(text) if text == "NaN" => Some(f64::NAN),
        Json::String(text) if text == "Infinity" => Some(f64::INFINITY),
        Json::String(text) if text == "-Infinity" => Some(f64::NEG_INFINITY),
        other => other.as_f64(),
    }
    .ok_or_else(|| unexpected("a number", json))
}

/// Most digits of a number of any size: to make binary ones of them takes their number squared.
const MOST_DIGITS: usize = 1 << 16;

/// Numbers of any size come as JSON numbers or as strings.
fn big<T: std::str::FromStr>(json: &Json, what: &str) -> Result<T> {
    let text = match json {
        Json::Number(number) => number.to_string(),
        Json::String(text) => text.clone(),
        _ => return Err(unexpected(what, json)),
    };
    if text.len() > MOST_DIGITS {
        return Err(TypedError(format!("a number of at most {MOST_DIGITS} digits expected")));
    }
    let parsed = text.parse().ok();
    parsed.ok_or_else(|| unexpected(what, json))
}

fn text<T>(json: &Json, what: &str, read: impl Fn(&str) -> Option<T>) -> Result<T> {
    json.as_str().and_then(read).ok_or_else(|| unexpected(what, json))
}

fn items(json: &Json) -> Result<&[Json]> {
    json.as_array().map(Vec::as_slice).ok_or_else(|| unexpected("a JSON array", json))
}

/// Keys and values alternate.
fn map(json: &Json) -> Result<Value> {
    let flat = items(json)?;
    if flat.len() % 2 == 1 {
        return Err(TypedError("a map needs a value after every key; its last key has none".into()));
    }
    let pairs = flat.chunks_exact(2).map(|pair| Ok((value(&pair[0])?, value(&pair[1])?)));
    pairs.collect::<Result<Map>>().map(Value::from)
}

/// Standard base64, with or without padding.
fn base64(text: &str) -> Option<Vec<u8>> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letters = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(letters.len() * 3 / 4);
    for group in letters.chunks(4) {
        let mut bits = 0u32;
        for letter in group {
            bits = bits << 6 | ALPHABET.iter().position(|known| known == letter)? as u32;
        }
        bits <<= 6 * (4 - group.len());
        // Four letters are three bytes, three are two, two are one; one alone is nothing.
        let count = group.len().checked_sub(1).filter(|&count| count > 0)?;
        bytes.extend_from_slice(&bits.to_be_bytes()[1..1 + count]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> std::result::Result<Value, String> {
        value(&serde_json::from_str(json).unwrap()).map_err(|e| e.0)
    }

    #[test]
    fn types_are_kept() {
        assert_eq!(read(r#"{"@type":"g:Int32","@value":29}"#), Ok(Value::Int(29)));
        assert_eq!(read(r#"{"@type":"g:Int64","@value":29}"#), Ok(Value::Long(29)));
        assert_eq!(read(r#"{"@type":"g:Float","@value":0.4}"#), Ok(Value::Float(0.4)));
        assert_eq!(
            read(r#"{"@type":"g:Double","@value":"-Infinity"}"#),
            Ok(Value::Double(f64::NEG_INFINITY))
        );
        assert_eq!(read(r#"{"@type":"gx:Byte","@value":-1}"#), Ok(Value::Byte(-1)));
        assert_eq!(read(r#""marko""#), Ok(Value::str("marko")));
        assert_eq!(read("5"), Ok(Value::Int(5)));
        assert_eq!(read("5000000000"), Ok(Value::Long(5_000_000_000)));
        assert_eq!(read("1.5e3"), Ok(Value::Double(1500.0)));
        let date = DateTime::from_epoch_millis(1_481_750_076_295);
        assert_eq!(read(r#"{"@type":"g:Date","@value":1481750076295}"#), Ok(Value::DateTime(date)));
        let list = Value::list(vec![Value::Int(1), Value::str("a")]);
        assert_eq!(read(r#"{"@type":"g:List","@value":[{"@type":"g:Int32","@value":1},"a"]}"#), Ok(list));
        let big: BigInt = "123456789012345678901234567890".parse().unwrap();
        let json = r#"{"@type":"gx:BigInteger","@value":123456789012345678901234567890}"#;
        assert_eq!(read(json), Ok(Value::BigInteger(Arc::new(big))));
    }

    #[test]
    fn whole_numbers_without_a_type_are_exact_however_long() {
        for text in ["9223372036854775808", "-9223372036854775809", "123456789012345678901"] {
            let big: BigInt = text.parse().unwrap();
            assert_eq!(read(text), Ok(Value::BigInteger(Arc::new(big))), "{text}");
        }
        assert_eq!(read("9223372036854775807"), Ok(Value::Long(i64::MAX)));
        let long = read(&"9".repeat(MOST_DIGITS + 1)).unwrap_err();
        assert!(long.contains("at most 65536 digits"), "{long}");
    }

    #[test]
    fn lists_and_maps_may_be_those_of_json() {
        let pair: Map =
            [(Value::str("a"), Value::list([Value::Int(1), Value::str("x")]))].into_iter().collect();
        assert_eq!(read(r#"{"a":[1,"x"]}"#), Ok(pair.into()));
        assert_eq!(read(r#"["java.lang.Long",1]"#), Ok(Value::Long(1)));
    }

    #[test]
    fn base64_is_decoded() {
        for (text, bytes) in
            [("", &b""[..]), ("Zg==", b"f"), ("Zm8=", b"fo"), ("Zm9v", b"foo"), ("Zm9vYg", b"foob")]
        {
            assert_eq!(base64(text).as_deref(), Some(bytes), "{text}");
        }
        assert_eq!(base64("Z"), None);
        assert_eq!(base64("Z*=="), None);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (json, problem) in [
            (r#"{"@type":"g:Int32","@value":"x"}"#, "an integer of 32 bits expected"),
            (r#"{"@type":"g:Int32","@value":3000000000}"#, "an integer of 32 bits expected"),
            (r#"{"@type":"g:Vertex","@value":{}}"#, "g:Vertex"),
            (r#"{"@type":"g:Int32"}"#, "`@type` and `@value`"),
            (r#"{"@type":"g:Map","@value":["a"]}"#, "last key"),
            (r#"["java.lang.Long","x"]"#, "an integer of 64 bits expected"),
            (r#"{"@type":"g:Float","@value":1e39}"#, "a number of 32 bits expected"),
            (r#"["java.lang.Float",-3.5e38]"#, "a number of 32 bits expected"),
            (r#"{"@type":"g:Double","@value":1e400}"#, "a number expected"),
            ("1e400", "a number expected"),
        ] {
            let found = read(json).unwrap_err();
            assert!(found.contains(problem), "{json}: {found}");
        }
    }
}
