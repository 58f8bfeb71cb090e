//! `asNumber()` and `asBool()`.

use planner::physical::op::NumberFunction;
use values::number::{self, MAX_DIGITS};
use values::{BigInt, GType, Value, excerpt};

use super::super::long_text::trimmed;
use super::Around;
use crate::error::QueryError;

/// Bytes of the longest text that is read as a number: its digits, and what may be beside them.
const MOST: usize = MAX_DIGITS as usize + 16;

/// The functions of the family.
pub(super) fn apply(
    function: NumberFunction,
    object: &Value,
    args: &[Value],
    around: Around<'_>,
) -> Result<Value, QueryError> {
    match function {
        NumberFunction::AsBool => as_bool(object, around),
        NumberFunction::AsNumber => as_number(object, args, around),
    }
}

/// A number from text, a number or a date (its milliseconds since 1970), cast to the type in the argument.
fn as_number(object: &Value, args: &[Value], around: Around<'_>) -> Result<Value, QueryError> {
    let number = match object {
        Value::Null => return Ok(Value::Null),
        Value::String(text) => parse(written(text, around)?)
            .ok_or_else(|| around.error(format!("Can't parse string '{}' as number.", excerpt(text))))?,
        Value::DateTime(at) => Value::Long(at.epoch_millis()),
        number if number.is_number() => number.clone(),
        other => return Err(around.error(format!("Can't parse type {} as number.", class_name(other)))),
    };
    let Some(name) = args.first().and_then(Value::as_str) else { return Ok(number) };
    let wanted = GType::from_name(name).filter(|t| *t == GType::Number || t.number_type().is_some());
    let wanted = wanted.ok_or_else(|| {
        around.error(format!("asNumber() requires a numeric type token, got {}", excerpt(name)))
    })?;
    match wanted.number_type() {
        // No number is of the type that all of them are of.
        None => {
            Err(around
                .error("Unsupported numeric type: NUMBER stands for all of them; name one, as GType.INT"))
        }
        Some(to) => number::cast(&number, to).map_err(|e| around.error(e.to_string())),
    }
}

/// A text that may be a number, without the space around it: not so long that reading it takes long.
fn written<'t>(text: &'t str, around: Around<'_>) -> Result<&'t str, QueryError> {
    let text = trimmed(text);
    if text.len() > MOST {
        let message =
            format!("asNumber() reads at most {MAX_DIGITS} digits, not a text of {} bytes", text.len());
        return Err(around.error(message));
    }
    Ok(text)
}

/// The name of the class that a value has in TinkerPop.
fn class_name(value: &Value) -> &'static str {
    match value {
        Value::List(_) => "ArrayList",
        Value::Set(_) => "HashSet",
        Value::Map(_) => "LinkedHashMap",
        other => other.type_name(),
    }
}

/// A number in the notation of Java's literals: the narrowest of int, long and big integer, or of float, double and
/// decimal, that represents it; a suffix `L`, `f` or `d` asks for a type.
fn parse(text: &str) -> Option<Value> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("", &text[1..]),
        _ => ("", text),
    };
    let radix =
        |digits: &str, radix| whole(&BigInt::parse_bytes(format!("{sign}{digits}").as_bytes(), radix)?);
    if !digits.as_bytes().first().is_some_and(|b| b.is_ascii_digit() || *b == b'.') {
        return None;
    }
    if let Some(hexadecimal) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return unsigned(hexadecimal).then(|| radix(hexadecimal, 16))?;
    }
    let is_whole = digits.bytes().all(|b| b.is_ascii_digit());
    if begins_octal(digits) {
        return is_whole.then(|| radix(digits, 8))?;
    }
    if is_whole {
        return radix(digits, 10);
    }
    let signed = format!("{sign}{digits}");
    let (body, suffix) = signed.split_at(signed.len() - 1);
    match suffix {
        "l" | "L" if text.starts_with('+') => None,
        "l" | "L" => {
            let digits = body.strip_prefix('-').unwrap_or(body);
            let is_whole = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            let whole = BigInt::parse_bytes(body.as_bytes(), 10).filter(|_| is_whole)?;
            Some(i64::try_from(&whole).map_or_else(|_| Value::from(whole), Value::Long))
        }
        "f" | "F" => single(body).map(Value::Float).or_else(|| double_or_decimal(body)),
        "d" | "D" => double_or_decimal(body),
        _ => fraction(&signed),
    }
}

/// Whether a zero at its begin says that a number is octal, as commons-lang has it: not where a point comes behind.
fn begins_octal(digits: &str) -> bool {
    matches!(digits.as_bytes(), [b'0', second, ..] if second.is_ascii_digit()) && !digits.contains('.')
}

/// A float that is neither too large for its type nor so small that nothing is left of it.
fn single(text: &str) -> Option<f32> {
    text.parse().ok().filter(|v: &f32| v.is_finite() && (*v != 0.0 || is_zero(text)))
}

/// The same of a double.
fn double(text: &str) -> Option<f64> {
    text.parse().ok().filter(|v: &f64| v.is_finite() && (*v != 0.0 || is_zero(text)))
}

fn double_or_decimal(text: &str) -> Option<Value> {
    double(text).map(Value::Double).or_else(|| number::parse_decimal(text).ok().map(Value::from))
}

/// Whether all digits are zeros, those of the exponent among them, as commons-lang asks.
fn is_zero(text: &str) -> bool {
    !text.bytes().any(|b| matches!(b, b'1'..=b'9'))
}

fn unsigned(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit())
}

fn whole(v: &BigInt) -> Option<Value> {
    Some(match (i32::try_from(v), i64::try_from(v)) {
        (Ok(v), _) => Value::Int(v),
        (_, Ok(v)) => Value::Long(v),
        _ => Value::from(v.clone()),
    })
}

/// The narrowest type in which the text reads back as it was written.
fn fraction(text: &str) -> Option<Value> {
    // No number at all?
    text.parse::<f64>().ok()?;
    let Some(double) = double(text) else { return double_or_decimal(text) };
    if let Some(single) = single(text)
        && Value::Float(single).to_string() == Value::Double(double).to_string()
    {
        return Some(Value::Float(single));
    }
    let exact = number::parse_decimal(text).ok()?;
    let back = Value::Double(double);
    let same = values::compare::equals(&Value::from(exact.clone()), &decimal_of(&back)?);
    Some(if same { back } else { Value::from(exact) })
}

/// The decimal that a double's shortest text names.
fn decimal_of(double: &Value) -> Option<Value> {
    number::parse_decimal(&double.to_string()).ok().map(Value::from)
}

/// `asBool()`: of numbers, whether they are not zero; of text, `true` or `false` in any case.
fn as_bool(object: &Value, around: Around<'_>) -> Result<Value, QueryError> {
    let error = |what: &dyn std::fmt::Display| Err(around.error(format!("Can't parse {what} as Boolean.")));
    match object {
        Value::Null => error(&"null"),
        Value::Bool(_) => Ok(object.clone()),
        Value::String(text) if trimmed(text).eq_ignore_ascii_case("true") => Ok(Value::Bool(true)),
        Value::String(text) if trimmed(text).eq_ignore_ascii_case("false") => Ok(Value::Bool(false)),
        Value::String(text) => error(&excerpt(text)),
        number => match number.as_f64() {
            Some(v) => Ok(Value::Bool(v != 0.0 && !v.is_nan())),
            None => error(&number.type_name()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_the_narrowest_number_that_represents_it() {
        assert_eq!(parse("5"), Some(Value::Int(5)));
        assert_eq!(parse("-2147483649"), Some(Value::Long(-2_147_483_649)));
        assert!(matches!(parse("12345678901234567890"), Some(Value::BigInteger(_))));
        assert_eq!(parse("5.75"), Some(Value::Float(5.75)));
        assert_eq!(parse("2.123456789012345"), Some(Value::Double(2.123456789012345)));
        assert!(matches!(parse("0.12345678901234567890123"), Some(Value::BigDecimal(_))));
        assert_eq!(parse("0x1F"), Some(Value::Int(31)));
        assert_eq!(parse("010"), Some(Value::Int(8)));
        assert_eq!(parse("7L"), Some(Value::Long(7)));
        assert!(matches!(parse("-99999999999999999999L"), Some(Value::BigInteger(_))));
        assert_eq!(parse("1.5L"), None);
        assert_eq!(parse("1.5f"), Some(Value::Float(1.5)));
        assert_eq!(parse("1e39f"), Some(Value::Double(1e39)));
        assert_eq!(parse("0e0f"), Some(Value::Float(0.0)));
        assert_eq!(parse("+5L"), None);
        for small in ["1e-400", "1e-400d", "1e400", "-1e-400f"] {
            assert!(matches!(parse(small), Some(Value::BigDecimal(_))), "{small}");
        }
        for text in ["", "abc", "1.2.3", "NaN", "Infinity", "-", "0x", "e5"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
