//! Values that both systems keep as they are.

use mangrove::values::{DateTime, Value};
use serde_json::{Value as Json, json};

/// A value of a property, or a literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// 32 bits.
    Int(i32),
    /// 64 bits.
    Long(i64),
    /// A single.
    Float(f32),
    /// A double.
    Double(f64),
    /// A text.
    Text(String),
    /// A truth value.
    Bool(bool),
    /// A point in time: seconds since 1970, UTC.
    Date(i64),
    /// What has no literal in Gremlin.
    Other(Value),
}

impl Scalar {
    /// As Gremlin writes it.
    pub fn gremlin(&self) -> String {
        match self {
            Self::Int(v) => v.to_string(),
            Self::Long(v) => format!("{v}L"),
            Self::Float(v) => format!("{v:?}f"),
            Self::Double(v) => format!("{v:?}d"),
            Self::Text(v) => format!("'{}'", v.replace('\\', "\\\\").replace('\'', "\\'")),
            Self::Bool(v) => v.to_string(),
            Self::Date(seconds) => format!("datetime('{}')", iso(*seconds)),
            Self::Other(value) => format!("/* a {} */ '{value}'", value.type_name()),
        }
    }

    /// As Mangrove has it.
    pub fn value(&self) -> Value {
        match self {
            Self::Int(v) => Value::Int(*v),
            Self::Long(v) => Value::Long(*v),
            Self::Float(v) => Value::Float(*v),
            Self::Double(v) => Value::Double(*v),
            Self::Text(v) => Value::str(v.as_str()),
            Self::Bool(v) => Value::Bool(*v),
            Self::Date(seconds) => Value::DateTime(date(*seconds)),
            Self::Other(value) => value.clone(),
        }
    }

    /// For the reference: its type and its text.
    pub fn json(&self) -> Json {
        match self {
            Self::Int(v) => json!(["i", v.to_string()]),
            Self::Long(v) => json!(["l", v.to_string()]),
            Self::Float(v) => json!(["f", format!("{v:?}").replace("inf", "Infinity")]),
            Self::Double(v) => json!(["d", format!("{v:?}").replace("inf", "Infinity")]),
            Self::Text(v) => json!(["s", v]),
            Self::Bool(v) => json!(["b", v.to_string()]),
            Self::Date(seconds) => json!(["t", iso(*seconds)]),
            Self::Other(value) => json_of(value),
        }
    }
}

/// A value of any type for the reference.
fn json_of(value: &Value) -> Json {
    match value {
        Value::Byte(v) => json!(["byte", v.to_string()]),
        Value::Short(v) => json!(["short", v.to_string()]),
        Value::Int(v) => Scalar::Int(*v).json(),
        Value::Long(v) => Scalar::Long(*v).json(),
        Value::Float(v) => Scalar::Float(*v).json(),
        Value::Double(v) => Scalar::Double(*v).json(),
        Value::Bool(v) => Scalar::Bool(*v).json(),
        Value::BigInteger(v) => json!(["biginteger", v.to_string()]),
        Value::BigDecimal(v) => json!(["bigdecimal", v.to_string()]),
        Value::Char(v) => json!(["char", v.to_string()]),
        Value::Uuid(v) => json!(["uuid", v.to_string()]),
        Value::Duration(v) => json!(["nanos", v.as_nanos().to_string()]),
        Value::List(members) => json!(["list", members.iter().map(json_of).collect::<Vec<_>>()]),
        Value::Set(members) => json!(["set", members.iter().map(json_of).collect::<Vec<_>>()]),
        Value::Map(map) => {
            json!(["map", map.iter().map(|(k, v)| json!([json_of(k), json_of(v)])).collect::<Vec<_>>()])
        }
        other => json!(["s", other.to_string()]),
    }
}

fn date(seconds: i64) -> DateTime {
    DateTime::from_epoch_millis(seconds * 1_000)
}

fn iso(seconds: i64) -> String {
    date(seconds).to_string()
}
