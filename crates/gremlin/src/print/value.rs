//! Values as Gremlin literals.

use std::fmt::{self, Formatter, Write};

use values::number::format_decimal;
use values::{Direction, T, Value, sequence, watch};

/// Characters of a string that are written in a tick of the watch.
const CHARACTERS_PER_TICK: usize = 16;

/// Writes a value as a literal of its type.
///
/// Characters and durations are written as in TinkerPop 4. There is no literal for bytes, single-precision infinities, paths and
/// elements: they are written so that people understand them, and cannot be read back.
pub(super) fn write(value: &Value, f: &mut Formatter<'_>) -> fmt::Result {
    match value {
        Value::Byte(v) => write!(f, "{v}b"),
        Value::Short(v) => write!(f, "{v}s"),
        Value::Long(v) => write!(f, "{v}l"),
        Value::BigInteger(v) => write!(f, "{v}n"),
        Value::Float(v) => write_fraction(f64::from(*v), &format!("{v:?}"), "f", f),
        Value::Double(v) => write_fraction(*v, &format!("{v:?}"), "d", f),
        Value::BigDecimal(v) => write!(f, "{}m", format_decimal(v)),
        Value::String(v) => write_string(v, f),
        Value::Uuid(v) => write!(f, "UUID('{v}')"),
        Value::DateTime(v) => write!(f, "datetime('{v}')"),
        Value::List(items) => sequence(("[", "]"), items.iter(), f, write),
        Value::Set(items) => sequence(("{", "}"), items.iter(), f, write),
        Value::Map(map) => write_map(map, f),
        Value::T(t) => f.write_str(match t {
            T::Id => "T.id",
            T::Label => "T.label",
            T::Key => "T.key",
            T::Value => "T.value",
        }),
        Value::Direction(direction) => f.write_str(match direction {
            Direction::Out => "Direction.OUT",
            Direction::In => "Direction.IN",
            Direction::Both => "Direction.BOTH",
        }),
        Value::Char(c) => {
            write_string(c.encode_utf8(&mut [0; 4]), f)?;
            f.write_char('c')
        }
        Value::Duration(v) => {
            let nanos = i128::from(v.seconds) * 1_000_000_000 + i128::from(v.nanos);
            let (amount, sign) = (nanos.unsigned_abs(), if nanos < 0 { ",false" } else { "" });
            write!(f, "Duration({},{}{sign})", amount / 1_000_000_000, amount % 1_000_000_000)
        }
        Value::Binary(_) => write!(f, "Binary({value})"),
        other => write!(f, "{other}"),
    }
}

fn write_fraction(value: f64, digits: &str, suffix: &str, f: &mut Formatter<'_>) -> fmt::Result {
    if value.is_nan() {
        return f.write_str("NaN");
    }
    if value.is_infinite() {
        return f.write_str(if value > 0.0 { "Infinity" } else { "-Infinity" });
    }
    write!(f, "{digits}{suffix}")
}

/// Writes a string in single quotes; control characters are escaped so that the text stays on one line.
pub(super) fn write_string(string: &str, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_char('\'')?;
    for (at, c) in string.chars().enumerate() {
        if at % CHARACTERS_PER_TICK == CHARACTERS_PER_TICK - 1 {
            watch::tick();
        }
        match c {
            '\'' | '\\' => write!(f, "\\{c}")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if c.is_control() => write!(f, "\\u{:04x}", u32::from(c))?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('\'')
}

fn write_map(map: &values::Map, f: &mut Formatter<'_>) -> fmt::Result {
    if map.is_empty() {
        return f.write_str("[:]");
    }
    // In parentheses any key is read as what it is.
    sequence(("[", "]"), map.iter(), f, |(key, value), f| {
        f.write_char('(')?;
        write(key, f)?;
        f.write_str("): ")?;
        write(value, f)
    })
}
