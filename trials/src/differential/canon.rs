//! Answers in one form for both systems: typed, with what has no order in order.

use std::fmt::{self, Display, Formatter};

use mangrove::values::Value;
use serde_json::Value as Json;

use super::graph::Known;

/// A value of an answer.
///
/// Its text is its identity: two values are the same if they print the same. A fraction prints twelve digits, for sums
/// depend on the order of what is added.
#[derive(Clone, Debug, PartialEq)]
pub enum Canon {
    /// Anything without parts: its type and its text.
    Scalar(&'static str, String),
    /// A single or a double.
    Fraction(&'static str, f64),
    /// In order.
    List(Vec<Canon>),
    /// Without order, and without equals.
    Set(Vec<Canon>),
    /// A bulk set: without order, each member with how often it was added.
    Bag(Vec<(Canon, u64)>),
    /// Without order.
    Map(Vec<(Canon, Canon)>),
    /// A path: each object with its labels.
    Path(Vec<(Canon, Vec<String>)>),
    /// A vertex or an edge: what it is, its id if that means something, its label.
    Element(&'static str, Option<String>, String),
    /// A property: what it is, its key, its value.
    Property(&'static str, String, Box<Canon>),
}

impl Canon {
    /// A value as Mangrove answers it.
    pub fn of(value: &Value, known: &Known) -> Self {
        let of = |value: &Value| Self::of(value, known);
        let scalar = |kind| Self::Scalar(kind, value.to_string());
        match value {
            Value::Null => scalar("null"),
            Value::Bool(_) => scalar("boolean"),
            Value::Byte(_) => scalar("byte"),
            Value::Short(_) => scalar("short"),
            Value::Int(_) => scalar("int"),
            Value::Long(_) => scalar("long"),
            Value::BigInteger(_) => scalar("biginteger"),
            Value::Float(v) => Self::Fraction("float", (*v).into()),
            Value::Double(v) => Self::Fraction("double", *v),
            Value::BigDecimal(_) => scalar("bigdecimal"),
            Value::Char(_) => scalar("char"),
            Value::String(_) => scalar("string"),
            Value::Uuid(_) => scalar("uuid"),
            Value::DateTime(v) => Self::Scalar("date", v.epoch_millis().to_string()),
            Value::Duration(v) => Self::Scalar("duration", v.as_nanos().to_string()),
            Value::Binary(_) => scalar("binary"),
            Value::T(v) => Self::Scalar("token", v.as_str().to_owned()),
            Value::Direction(v) => Self::Scalar("token", v.as_str().to_owned()),
            Value::List(members) => Self::List(members.iter().map(of).collect()),
            Value::Set(members) => Self::Set(members.iter().map(of).collect()),
            Value::BulkSet(members) => Self::Bag(members.iter().map(|(m, n)| (of(m), n)).collect()),
            Value::Map(map) => Self::Map(map.iter().map(|(k, v)| (of(k), of(v))).collect()),
            Value::Entry(entry) => Self::Map(vec![(of(&entry.0), of(&entry.1))]),
            Value::Path(path) => {
                let object = |(object, labels): (&Value, &Vec<_>)| {
                    (of(object), labels.iter().map(ToString::to_string).collect())
                };
                Self::Path(path.objects.iter().zip(&path.labels).map(object).collect())
            }
            Value::Property(p) => Self::Property("p", p.key.to_string(), Box::new(of(&p.value))),
            Value::VertexProperty(p) => Self::Property("vp", p.key.to_string(), Box::new(of(&p.value))),
            Value::Vertex(v) => Self::Element("v", known.vertex(&v.id.to_string()), v.label.to_string()),
            Value::Edge(e) => Self::Element("e", known.edge(&e.id.to_string()), e.label.to_string()),
            Value::VertexRef(_) | Value::EdgeRef(_) => scalar("handle"),
        }
    }

    /// A value as the reference's process writes it: `[type, …]`.
    ///
    /// # Errors
    /// What was not understood.
    pub fn from_json(json: &Json, known: &Known) -> Result<Self, String> {
        let wrong = || format!("not an answer of the reference: {json}");
        let parts = json.as_array().ok_or_else(wrong)?;
        let kind = parts.first().and_then(Json::as_str).ok_or_else(wrong)?;
        let text =
            |index: usize| parts.get(index).and_then(Json::as_str).map(str::to_owned).ok_or_else(wrong);
        let many = |index: usize| parts.get(index).and_then(Json::as_array).ok_or_else(wrong);
        let members = |index| {
            many(index)?.iter().map(|member| Self::from_json(member, known)).collect::<Result<Vec<_>, _>>()
        };
        if let Some(kind) = SCALARS.iter().find(|known| **known == kind) {
            return Ok(Self::Scalar(kind, text(1)?));
        }
        Ok(match kind {
            "float" | "double" => {
                let bits: i64 = text(1)?.parse().map_err(|_| wrong())?;
                Self::Fraction(
                    if kind == "float" { "float" } else { "double" },
                    f64::from_bits(bits.cast_unsigned()),
                )
            }
            "list" => Self::List(members(1)?),
            "set" => Self::Set(members(1)?),
            "bulkset" => {
                let counts = many(2)?.iter().map(|count| count.as_u64().unwrap_or(0));
                Self::Bag(members(1)?.into_iter().zip(counts).collect())
            }
            "map" => Self::Map(members(1)?.into_iter().zip(members(2)?).collect()),
            "path" => {
                let labels = |labels: &Json| -> Vec<String> {
                    let labels = labels.as_array().into_iter().flatten();
                    labels.filter_map(|label| label.as_str().map(str::to_owned)).collect()
                };
                Self::Path(members(1)?.into_iter().zip(many(2)?.iter().map(labels)).collect())
            }
            "v" => Self::Element("v", known.vertex(&text(1)?), text(2)?),
            "e" => Self::Element("e", known.edge(&text(1)?), text(2)?),
            "p" | "vp" => {
                let value = Self::from_json(parts.get(2).ok_or_else(wrong)?, known)?;
                Self::Property(if kind == "p" { "p" } else { "vp" }, text(1)?, Box::new(value))
            }
            _ => return Err(wrong()),
        })
    }

    /// Whether a map in it has two keys that are the same, as they leave a system.
    pub fn has_one_key_twice(&self) -> bool {
        match self {
            Self::List(members) | Self::Set(members) => members.iter().any(Self::has_one_key_twice),
            Self::Bag(members) => members.iter().any(|(member, _)| member.has_one_key_twice()),
            Self::Path(objects) => objects.iter().any(|(object, _)| object.has_one_key_twice()),
            Self::Map(entries) => {
                let mut texts: Vec<_> = entries.iter().map(|(key, _)| key.to_string()).collect();
                texts.sort_unstable();
                texts.windows(2).any(|pair| pair[0] == pair[1])
                    || entries.iter().any(|(key, value)| key.has_one_key_twice() || value.has_one_key_twice())
            }
            Self::Scalar(..) | Self::Fraction(..) | Self::Element(..) | Self::Property(..) => false,
        }
    }

    /// The same with numbers of one type: what sorting sees of it.
    #[must_use]
    pub fn without_types(&self) -> Self {
        let all = |members: &[Self]| members.iter().map(Self::without_types).collect::<Vec<_>>();
        match self {
            Self::Scalar("byte" | "short" | "int" | "long" | "biginteger" | "bigdecimal", text) => {
                Self::Fraction("number", text.parse().unwrap_or(f64::NAN))
            }
            Self::Fraction(_, value) => Self::Fraction("number", *value),
            Self::List(members) => Self::List(all(members)),
            Self::Set(members) => Self::Set(all(members)),
            Self::Map(entries) => {
                Self::Map(entries.iter().map(|(k, v)| (k.without_types(), v.without_types())).collect())
            }
            other => other.clone(),
        }
    }

    /// The same without order inside lists.
    #[must_use]
    pub fn without_order(&self) -> Self {
        let all = |members: &[Self]| members.iter().map(Self::without_order).collect::<Vec<_>>();
        match self {
            Self::List(members) => Self::List(sorted(all(members))),
            Self::Set(members) => Self::Set(all(members)),
            Self::Bag(members) => Self::Bag(members.iter().map(|(m, n)| (m.without_order(), *n)).collect()),
            Self::Map(entries) => {
                Self::Map(entries.iter().map(|(k, v)| (k.without_order(), v.without_order())).collect())
            }
            Self::Path(objects) => {
                Self::Path(objects.iter().map(|(o, labels)| (o.without_order(), labels.clone())).collect())
            }
            other => other.clone(),
        }
    }
}

const SCALARS: &[&str] = &[
    "null",
    "boolean",
    "byte",
    "short",
    "int",
    "long",
    "biginteger",
    "bigdecimal",
    "char",
    "string",
    "uuid",
    "date",
    "duration",
    "binary",
    "token",
    "other",
];

/// In the order of their texts.
pub fn sorted(mut members: Vec<Canon>) -> Vec<Canon> {
    members.sort_by_cached_key(ToString::to_string);
    members
}

/// The texts of parts that have no order.
fn sorted_texts(texts: impl Iterator<Item = String>) -> String {
    let mut texts: Vec<String> = texts.collect();
    texts.sort_unstable();
    texts.join(", ")
}

/// Rounded to 44 binary digits: else two sums that differ in their last ones round to different decimal digits, where what they should
/// be lies in the middle of two.
fn without_last_bits(v: f64) -> f64 {
    const DROPPED: u64 = (1 << 9) - 1;
    f64::from_bits(v.to_bits().saturating_add(DROPPED / 2 + 1) & !DROPPED)
}

impl Display for Canon {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let all = |members: &[Self]| members.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        match self {
            Self::Scalar("string", text) => write!(f, "{text:?}"),
            Self::Scalar("int", text) => f.write_str(text),
            Self::Scalar("long", text) => write!(f, "{text}L"),
            Self::Scalar("boolean" | "null" | "token", text) => f.write_str(text),
            Self::Scalar(kind, text) => write!(f, "{kind}({text})"),
            Self::Fraction(kind, v) if v.is_nan() => write!(f, "{kind}(NaN)"),
            // What is left of zero when fractions are added and taken away again.
            Self::Fraction(kind, v) if v.abs() < 1e-12 => write!(f, "{kind}(0)"),
            Self::Fraction(kind, v) => write!(f, "{kind}({:.11e})", without_last_bits(*v)),
            Self::List(members) => write!(f, "[{}]", all(members)),
            Self::Set(members) => write!(f, "set({})", sorted_texts(members.iter().map(ToString::to_string))),
            Self::Bag(members) => {
                write!(f, "bag({})", sorted_texts(members.iter().map(|(m, n)| format!("{m}*{n}"))))
            }
            Self::Map(entries) => {
                write!(f, "{{{}}}", sorted_texts(entries.iter().map(|(k, v)| format!("{k}: {v}"))))
            }
            Self::Path(objects) => {
                let object = |(object, labels): &(Self, Vec<String>)| {
                    let mut labels = labels.clone();
                    labels.sort_unstable();
                    format!("{object}@{}", labels.join("+"))
                };
                write!(f, "path({})", objects.iter().map(object).collect::<Vec<_>>().join(", "))
            }
            Self::Element(kind, Some(id), label) => write!(f, "{kind}[{id} {label}]"),
            Self::Element(kind, None, label) => write!(f, "{kind}[new {label}]"),
            Self::Property(kind, key, value) => write!(f, "{kind}[{key}={value}]"),
        }
    }
}
