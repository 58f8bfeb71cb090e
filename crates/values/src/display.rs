//! Values as text, as the Gremlin Console prints them.

use std::fmt::{self, Display, Formatter, Write};

use crate::{
    BulkSet, Direction, Edge, Map, MapKind, Metrics, Path, Property, Set, T, Value, Vertex, VertexProperty,
    watch,
};

/// Bytes of a text that are copied in a tick of the watch.
const TEXT_PER_TICK: usize = 1 << 10;

/// Bytes whose digits are written in a tick of the watch.
const BYTES_PER_TICK: usize = 64;

/// Most characters of an excerpt.
const EXCERPT: usize = 200;

/// Most characters of the value that a property is printed with; of a longer one there are [`SHORTENED`], and an ellipsis.
const WHOLE: usize = 20;

/// Characters that are left of a value that is too long.
const SHORTENED: usize = 17;

/// The beginning of a text. Whoever writes it is told when there is enough, so that the rest is never made.
struct Beginning {
    text: String,
    /// Characters that there is room for.
    room: usize,
}

impl Beginning {
    /// At most so many characters of a text, and whether that is all of it.
    fn of(whole: &(impl Display + ?Sized), most: usize) -> (String, bool) {
        let mut beginning = Self { text: String::new(), room: most };
        let is_whole = write!(beginning, "{whole}").is_ok();
        (beginning.text, is_whole)
    }
}

impl Write for Beginning {
    /// Fails where there is no room for all of it.
    fn write_str(&mut self, more: &str) -> fmt::Result {
        match more.char_indices().nth(self.room) {
            Some((end, _)) => {
                self.text.push_str(&more[..end]);
                self.room = 0;
                Err(fmt::Error)
            }
            None => {
                self.text.push_str(more);
                self.room -= more.chars().count();
                Ok(())
            }
        }
    }
}

/// The beginning of a text for a message: all of it, if it has no more than 200 characters. What is behind is not made, so that a
/// message about a large value is neither large nor takes long.
pub fn excerpt(whole: &(impl Display + ?Sized)) -> String {
    let (mut text, is_whole) = Beginning::of(whole, EXCERPT);
    if !is_whole {
        text.push('…');
    }
    text
}

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
            Value::String(v) => {
                f.write_str(v)?;
                watch::ticks(v.len() / TEXT_PER_TICK);
                Ok(())
            }
            Value::Uuid(v) => v.fmt(f),
            Value::DateTime(v) => v.fmt(f),
            Value::Duration(v) => v.fmt(f),
            Value::Binary(v) => hexadecimal(v, f),
            Value::List(v) => sequence(("[", "]"), v.iter(), f, Value::fmt),
            Value::Set(v) => v.fmt(f),
            Value::BulkSet(v) => v.fmt(f),
            Value::Map(v) => v.fmt(f),
            Value::Entry(v) => {
                // Entries of entries may share their parts: a few make a text without end.
                watch::tick();
                write!(f, "{}={}", v.0, v.1)
            }
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
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    f.write_str("0x")?;
    let mut digits = [0_u8; 2 * BYTES_PER_TICK];
    for chunk in bytes.chunks(BYTES_PER_TICK) {
        watch::tick();
        for (pair, byte) in digits.chunks_exact_mut(2).zip(chunk) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        let text = std::str::from_utf8(&digits[..2 * chunk.len()]).map_err(|_| fmt::Error)?;
        f.write_str(text)?;
    }
    Ok(())
}

/// Writes the parts of a collection, each by `write`, with commas between them. The watch is told of each.
///
/// # Errors
/// Those of `write` and of the formatter.
pub fn sequence<T>(
    (open, close): (&str, &str),
    parts: impl Iterator<Item = T>,
    f: &mut Formatter<'_>,
    mut write: impl FnMut(T, &mut Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    watch::tick();
    f.write_str(open)?;
    for (i, part) in parts.enumerate() {
        watch::tick();
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

/// A property's value in full up to [`WHOLE`] characters, beyond that its first [`SHORTENED`] and an ellipsis.
fn abbreviated(value: &Value) -> String {
    let (mut text, is_whole) = Beginning::of(value, WHOLE);
    if !is_whole {
        let end = text.char_indices().nth(SHORTENED).map_or(text.len(), |(end, _)| end);
        text.truncate(end);
        text.push_str("...");
    }
    text
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// Ends the work at the first look: after a thousand ticks or so.
    struct AtOnce;

    impl watch::Watch for AtOnce {
        fn must_end(&self) -> bool {
            true
        }
    }

    /// What work comes to that must end at the first look.
    fn at_once<R>(work: impl FnOnce() -> R) -> Result<R, watch::Ended> {
        watch::ticks(usize::MAX);
        watch::watched(Arc::new(AtOnce), work)
    }

    fn bytes(len: usize) -> Vec<u8> {
        (0..len).map(|i| (i * 7) as u8).collect()
    }

    fn property(value: Value) -> Value {
        Property { key: "k".into(), value, owner: None }.into()
    }

    #[test]
    fn bytes_are_two_digits_each_whatever_the_chunks() {
        for len in [0, 1, 63, 64, 65, 128, 300] {
            let expected: String = bytes(len).iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(Value::binary(bytes(len)).to_string(), format!("0x{expected}"), "{len} bytes");
        }
    }

    #[test]
    fn a_property_is_as_long_as_its_value_up_to_twenty_characters() {
        let text = |value: &str| property(value.into()).to_string();
        assert_eq!(text("ä€😀"), "p[k->ä€😀]");
        assert_eq!(text(&"ü".repeat(20)), format!("p[k->{}]", "ü".repeat(20)));
        assert_eq!(text(&"ü".repeat(21)), format!("p[k->{}...]", "ü".repeat(17)));
        let numbers = Value::list([1.into(), 2.into(), 3.into(), 4.into(), 5.into(), 6.into()]);
        assert_eq!(property(numbers.clone()).to_string(), "p[k->[1, 2, 3, 4, 5, 6]]");
        let more = Value::list([numbers, 7.into()]);
        assert_eq!(property(more).to_string(), "p[k->[[1, 2, 3, 4, 5, ...]");
    }

    #[test]
    fn a_property_with_a_large_value_costs_no_more_than_one_with_a_small_one() {
        let large = Value::binary(bytes(1 << 20));
        let shown = property(large.clone());
        assert_eq!(at_once(|| shown.to_string()), Ok("p[k->0x00070e151c232a3...]".to_owned()));
        let many = property((0..100_000).map(Value::Int).collect::<Vec<_>>().into());
        assert_eq!(at_once(|| many.to_string()), Ok("p[k->[0, 1, 2, 3, 4, 5...]".to_owned()));
    }

    #[test]
    fn the_watch_ends_long_texts() {
        let large = Value::binary(bytes(1 << 20));
        let many = Value::from((0..100_000).map(Value::Int).collect::<Vec<_>>());
        let long = Value::from("x".repeat(4 << 20));
        let entries = (0..20).fold(Value::from("x"), |value, _| Value::entry(value.clone(), value));
        for value in [large, many, long, entries] {
            assert_eq!(at_once(|| value.to_string().len()), Err(watch::Ended));
        }
    }

    #[test]
    fn an_excerpt_is_all_of_a_short_text_and_the_beginning_of_a_long_one() {
        assert_eq!(excerpt(""), "");
        assert_eq!(excerpt(&Value::list([1.into(), "a".into()])), "[1, a]");
        assert_eq!(excerpt(&"ü".repeat(200)), "ü".repeat(200));
        assert_eq!(excerpt(&"ü".repeat(201)), format!("{}…", "ü".repeat(200)));
        let many = Value::from((0..1_000_000).map(Value::Int).collect::<Vec<_>>());
        let shown = at_once(|| excerpt(&many)).unwrap();
        assert!(shown.starts_with("[0, 1, 2, 3,") && shown.ends_with('…'), "{shown}");
        assert_eq!(shown.chars().count(), 201);
    }
}
