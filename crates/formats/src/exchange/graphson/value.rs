//! Values in GraphSON 3.

use std::io::Write;

use serde_json::{Map as Object, Number, Value as Json};
use values::{DateKind, DateTime, Value, watch};

/// Writes a value in GraphSON 3; the name of its type if the format has none for it.
pub(super) fn write_value(value: &Value, into: &mut Vec<u8>) -> Result<(), &'static str> {
    // What most values are needs no tree of JSON.
    let written = match value {
        Value::Long(it) => write!(into, "{{\"@type\":\"g:Int64\",\"@value\":{it}}}"),
        Value::Int(it) => write!(into, "{{\"@type\":\"g:Int32\",\"@value\":{it}}}"),
        Value::Bool(it) => write!(into, "{it}"),
        Value::String(text) => serde_json::to_writer(&mut *into, text.as_str()).map_err(Into::into),
        other => serde_json::to_writer(&mut *into, &json_of(other)?).map_err(Into::into),
    };
    // Memory does not refuse.
    debug_assert!(written.is_ok());
    Ok(())
}

/// A value in GraphSON 3, with its type; the name of its type if the format has none for it.
fn json_of(value: &Value) -> Result<Json, &'static str> {
    watch::tick();
    Ok(match value {
        Value::Null => Json::Null,
        Value::Bool(it) => Json::Bool(*it),
        Value::String(text) => Json::String(text.to_string()),
        Value::Byte(it) => tagged("gx:Byte", number(it)),
        Value::Short(it) => tagged("gx:Int16", number(it)),
        Value::Int(it) => tagged("g:Int32", number(it)),
        Value::Long(it) => tagged("g:Int64", number(it)),
        Value::BigInteger(it) => tagged("gx:BigInteger", number(it)),
        Value::BigDecimal(it) => tagged("gx:BigDecimal", number(it)),
        Value::Float(it) => tagged("g:Float", fraction(f64::from(*it), it)),
        Value::Double(it) => tagged("g:Double", fraction(*it, it)),
        Value::Char(it) => tagged("gx:Char", Json::String(it.to_string())),
        Value::Uuid(it) => tagged("g:UUID", Json::String(it.to_string())),
        Value::DateTime(it) => date_time(it),
        Value::Duration(it) => tagged("gx:Duration", Json::String(it.to_string())),
        Value::Binary(bytes) => tagged("gx:ByteBuffer", Json::String(base64(bytes))),
        Value::List(members) => tagged("g:List", array(members.iter())?),
        Value::Set(members) => tagged("g:Set", array(members.iter())?),
        Value::Map(map) => tagged("g:Map", array(map.iter().flat_map(|(key, value)| [key, value]))?),
        other => return Err(other.type_name()),
    })
}

/// A point in time as what it was given; as Gremlin's own where Java's older ones, which have milliseconds, would not be the same.
fn date_time(it: &DateTime) -> Json {
    let millis = it.epoch_millis();
    let is_whole = DateTime::from_epoch_millis(millis) == *it;
    match it.kind() {
        DateKind::Date if is_whole => tagged("g:Date", number(&millis)),
        DateKind::Timestamp if is_whole => tagged("g:Timestamp", number(&millis)),
        _ => tagged("gx:OffsetDateTime", Json::String(it.to_string())),
    }
}

fn tagged(tag: &str, value: Json) -> Json {
    let mut object = Object::new();
    object.insert("@type".into(), tag.into());
    object.insert("@value".into(), value);
    Json::Object(object)
}

fn array<'v>(members: impl Iterator<Item = &'v Value>) -> Result<Json, &'static str> {
    members.map(json_of).collect::<Result<Vec<_>, _>>().map(Json::Array)
}

/// A number by the digits of its text; as a text where JSON has no such number.
fn number(text: &impl ToString) -> Json {
    let text = text.to_string();
    text.parse::<Number>().map_or(Json::String(text), Json::Number)
}

fn fraction(value: f64, text: &impl ToString) -> Json {
    match value {
        _ if value.is_nan() => "NaN".into(),
        f64::INFINITY => "Infinity".into(),
        f64::NEG_INFINITY => "-Infinity".into(),
        _ => number(text),
    }
}

/// Standard base64.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let mut three = [0; 3];
        three[..group.len()].copy_from_slice(group);
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        for letter in 0..4 {
            let known = letter <= group.len();
            text.push(if known {
                char::from(LETTERS[(bits >> (18 - 6 * letter)) as usize & 63])
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_in_time_are_of_their_kinds_where_these_can_say_them() {
        let written = |seconds, nanos, kind| {
            let mut into = Vec::new();
            let value = Value::DateTime(DateTime::new(seconds, nanos, 0).of_kind(kind));
            write_value(&value, &mut into).unwrap();
            let json: Json = serde_json::from_slice(&into).unwrap();
            let read = crate::graphson::typed::value(&json).unwrap();
            assert_eq!(read, value);
            let Value::DateTime(read) = read else { panic!("{read}") };
            (json["@type"].as_str().unwrap().to_owned(), read.kind())
        };
        let own = ("gx:OffsetDateTime".to_owned(), DateKind::OffsetDateTime);
        for (tag, kind) in [("g:Date", DateKind::Date), ("g:Timestamp", DateKind::Timestamp)] {
            assert_eq!(written(-2, 5_000_000, kind), (tag.to_owned(), kind));
            assert_eq!(written(1, 5_000_001, kind), own);
            assert_eq!(written(30_000_000_000_000_000, 0, kind), own);
        }
        assert_eq!(written(1, 0, DateKind::OffsetDateTime), own);
    }

    #[test]
    fn base64_has_its_padding() {
        for (bytes, text) in
            [(&b""[..], ""), (b"f", "Zg=="), (b"fo", "Zm8="), (b"foo", "Zm9v"), (b"foob", "Zm9vYg==")]
        {
            assert_eq!(base64(bytes), text);
        }
    }
}
