//! Values as text, as the Gremlin Console prints them.

use std::fmt::{self, Display, Formatter};

use crate::{
    BulkSet, Direction, Edge, Map, MapKind, Metrics, Path, Property, Set, T, Value, Vertex, VertexProperty,
};

/// A double as Java prints it: `1.0`, `1.0E10`, `NaN`, `Infinity`.
pub(crate) fn double(v: f64) -> String {
    java_float(v, &format!("{v:e}"))
}

/// A single as Java prints it.
pub(crate) fn float(v: f32) -> String {
    java_float(f64::from(v), &format!("{v:e}"))
}

/// Lays out the shortest digits, given as Rust's `1.234e5`, the way Java does: plainly from 10⁻³ up to 10⁷.
fn java_float(v: f64, shortest: &str) -> String {
    if v.is_nan() {
        return "NaN".into();
    }
    if v.is_infinite() {
        return if v > 0.0 { "Infinity" } else { "-Infinity" }.into();
    }
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |m| ("-", m));
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    if v != 0.0 && !(-3..7).contains(&exponent) {
        let rest = if digits.len() > 1 { &digits[1..] } else { "0" };
        return format!("{sign}{}.{rest}E{exponent}", &digits[..1]);
    }
    if exponent < 0 {
        return format!("{sign}0.{}{digits}", "0".repeat((-exponent - 1) as usize));
    }
    let point = exponent as usize + 1;
    let padded = format!("{digits:0<point$}");
    let fraction = if padded.len() > point { &padded[point..] } else { "0" };
    format!("{sign}{}.{fraction}", &padded[..point])
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(v) => v.fmt(f),
            Value::Byte(v) => v.fmt(f),
            Value::Short(v) => v.fmt(f),
            Value::Int(v) => v.fmt(f),
            Value::Long(v) => v.fmt(f),
            Value::BigInteger(v) => {
                crate::number::decimal::tick_product(v, v);
                v.fmt(f)
            }
            Value::Float(v) => f.write_str(&float(*v)),
            Value::Double(v) => f.write_str(&double(*v)),
            Value::BigDecimal(v) => f.write_str(&crate::number::format_decimal(v)),
            Value::Char(v) => v.fmt(f),
            Value::String(v) => f.write_str(v),
            Value::Uuid(v) => v.fmt(f),
            Value::DateTime(v) => v.fmt(f),
            Value::Duration(v) => v.fmt(f),
            Value::Binary(v) => hexadecimal(v, f),
            Value::List(v) => sequence(("[", "]"), v.iter(), f, Value::fmt),
            Value::Set(v) => v.fmt(f),
            Value::BulkSet(v) => v.fmt(f),
            Value::Map(v) => v.fmt(f),
            Value::Entry(v) => write!(f, "{}={}", v.0, v.1),
            Value::Path(v) => v.fmt(f),
            Value::Property(v) => v.fmt(f),
            Value::VertexProperty(v) => v.fmt(f),
            Value::Edge(v) => v.fmt(f),
            Value::Vertex(v) => v.fmt(f),
            Value::VertexRef(v) => write!(f, "v[#{}.{}]", v.tablet(), v.slot()),
            Value::EdgeRef(e) => write!(
                f,
                "e[{}][#{}.{}->#{}.{}]",
                e.generated_id(),
                e.src.tablet(),
                e.src.slot(),
                e.dst.tablet(),
                e.dst.slot()
            ),
            Value::T(v) => v.fmt(f),
            Value::Direction(v) => v.fmt(f),
        }
    }
}

fn hexadecimal(bytes: &[u8], f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str("0x")?;
    bytes.iter().try_for_each(|b| write!(f, "{b:02x}"))
}

/// Writes the parts of a collection, each by `write`, with commas between them.
///
/// # Errors
/// Those of `write` and of the formatter.
pub fn sequence<T>(
    (open, close): (&str, &str),
    parts: impl Iterator<Item = T>,
    f: &mut Formatter<'_>,
    mut write: impl FnMut(T, &mut Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    crate::watch::tick();
    f.write_str(open)?;
    for (i, part) in parts.enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write(part, f)?;
    }
    f.write_str(close)
}

/// As TinkerPop prints it: each member once, with its count.
impl Display for BulkSet {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        sequence(("{", "}"), self.iter(), f, |(member, count), f| write!(f, "{member}={count}"))
    }
}

impl Display for Set {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        sequence(("[", "]"), self.iter(), f, Value::fmt)
    }
}

impl Display for Map {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.kind() == MapKind::Metrics {
            return Metrics::of(self).fmt(f);
        }
        sequence(("{", "}"), self.iter(), f, |(key, value), f| write!(f, "{key}={value}"))
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        sequence(("path[", "]"), self.objects.iter(), f, Value::fmt)
    }
}

/// A property's value in full up to 20 characters, beyond that its first 17 and an ellipsis.
fn abbreviated(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 20 { text } else { text.chars().take(17).chain("...".chars()).collect() }
}

impl Display for Property {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "p[{}->{}]", self.key, abbreviated(&self.value))
    }
}

impl Display for VertexProperty {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "vp[{}->{}]", self.key, abbreviated(&self.value))
    }
}

impl Display for Vertex {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "v[{}]", self.id)
    }
}

impl Display for Edge {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "e[{}][{}-{}->{}]", self.id, self.out_v.id, self.label, self.in_v.id)
    }
}

impl Display for T {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Display for Direction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
