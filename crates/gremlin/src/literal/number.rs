//! Number literals: `29`, `0xFFl`, `1_000`, `0.5f`, `1e10m`, `-Infinity`.

use std::sync::Arc;

use values::number::{MAX_DIGITS, parse_decimal};
use values::{BigInt, Value};

/// What is wrong with a number, and how many bytes it has.
pub(crate) struct BadNumber {
    /// Bytes of the literal.
    pub(crate) length: usize,
    /// What is wrong with it, to follow the literal in a message.
    pub(crate) problem: String,
}

/// Reads the number at the start of `text`, with its suffix: the value and its length in bytes.
///
/// `None` when there is no number. Suffixes are `b s i l n` for bytes to big integers and `f d m` for floats, doubles
/// and big decimals; without one an integer is the smallest of int, long and big integer that holds it, and any other
/// number is a double. `0x` makes it hexadecimal, a leading zero octal; underscores separate digits.
#[inline]
pub(crate) fn number(text: &str) -> Option<Result<(Value, usize), BadNumber>> {
    let bytes = text.as_bytes();
    let signed = matches!(bytes.first(), Some(b'+' | b'-'));
    let start = usize::from(signed);
    match bytes.get(start)? {
        b'0'..=b'9' => {}
        b'I' if signed && text[start..].starts_with("Infinity") => {
            let infinity = if bytes[0] == b'-' { f64::NEG_INFINITY } else { f64::INFINITY };
            return Some(Ok((infinity.into(), start + "Infinity".len())));
        }
        _ => return None,
    }
    if let Some(small) = small_int(bytes, start) {
        return Some(Ok(small));
    }
    let token = Token::read(text, start);
    Some(
        token
            .value()
            .map(|value| (value, token.length))
            .map_err(|problem| BadNumber { length: token.length, problem }),
    )
}

/// The common case: a few decimal digits, with nothing about them that needs a second look.
#[inline]
fn small_int(bytes: &[u8], start: usize) -> Option<(Value, usize)> {
    const FITS_ALWAYS: usize = 9;
    let digits = bytes[start..].iter().take(FITS_ALWAYS + 1).take_while(|b| b.is_ascii_digit()).count();
    let end = start + digits;
    let octal = bytes[start] == b'0' && digits > 1;
    if digits > FITS_ALWAYS || octal {
        return None;
    }
    match bytes.get(end) {
        Some(b'.') if bytes.get(end + 1).is_some_and(u8::is_ascii_digit) => return None,
        Some(b) if b.is_ascii_alphabetic() || *b == b'_' => return None,
        _ => {}
    }
    let value = bytes[start..end].iter().fold(0_i32, |n, b| n * 10 + i32::from(b - b'0'));
    Some((Value::Int(if bytes[0] == b'-' { -value } else { value }), end))
}

/// A number taken apart, not yet understood.
struct Token<'t> {
    negative: bool,
    radix: u32,
    /// Digits, with point and exponent if it has them, underscores included.
    digits: &'t str,
    /// Whether there is a point or an exponent.
    fractional: bool,
    /// The type suffix in lower case.
    suffix: Option<u8>,
    /// Bytes of the whole literal.
    length: usize,
}

impl<'t> Token<'t> {
    fn read(text: &'t str, start: usize) -> Self {
        let bytes = text.as_bytes();
        let negative = bytes[0] == b'-';
        let hexadecimal = bytes[start] == b'0'
            && matches!(bytes.get(start + 1), Some(b'x' | b'X'))
            && bytes.get(start + 2).is_some_and(u8::is_ascii_hexdigit);
        if hexadecimal {
            let first = start + 2;
            let end = digits_end(bytes, first, u8::is_ascii_hexdigit);
            return Self::finish(text, first, end, (negative, 16, false));
        }
        let mut end = digits_end(bytes, start, u8::is_ascii_digit);
        let mut fractional = false;
        if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
            fractional = true;
            end = digits_end(bytes, end + 1, u8::is_ascii_digit);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let exponent = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            if bytes.get(exponent).is_some_and(u8::is_ascii_digit) {
                fractional = true;
                end = digits_end(bytes, exponent, u8::is_ascii_digit);
            }
        }
        Self::finish(text, start, end, (negative, 10, fractional))
    }

    fn finish(
        text: &'t str,
        start: usize,
        end: usize,
        (negative, radix, fractional): (bool, u32, bool),
    ) -> Self {
        let suffixes: &[u8] = match (radix, fractional) {
            // `b` is a digit there, and so are `d` and `f`.
            (16, _) => b"siln",
            (_, true) => b"fdm",
            (_, false) => b"bsilnfdm",
        };
        let suffix = text.as_bytes().get(end).map(u8::to_ascii_lowercase).filter(|s| suffixes.contains(s));
        let digits = &text[start..end];
        let floating = fractional || matches!(suffix, Some(b'f' | b'd' | b'm'));
        let octal = radix == 10 && !floating && digits.len() > 1 && digits.starts_with('0');
        let radix = if octal { 8 } else { radix };
        Self { negative, radix, digits, fractional, suffix, length: end + usize::from(suffix.is_some()) }
    }

    fn value(&self) -> Result<Value, String> {
        let digits: String = self.digits.chars().filter(|c| *c != '_').collect();
        let signed = if self.negative { format!("-{digits}") } else { digits };
        match self.suffix {
            Some(b'f') => Ok(Value::Float(signed.parse().map_err(|e| format!("is no float: {e}"))?)),
            Some(b'm') => parse_decimal(&signed)
                .map(|d| Value::BigDecimal(Arc::new(d)))
                .map_err(|e| format!("is too much: {e}")),
            None if !self.fractional => integer(&signed, self.radix),
            None | Some(b'd') => Ok(Value::Double(signed.parse().map_err(|e| format!("is no double: {e}"))?)),
            Some(suffix) => sized_integer(&signed, self.radix, suffix),
        }
    }
}

/// The end of the digits that begin at `start`; underscores count only between digits.
fn digits_end(bytes: &[u8], start: usize, is_digit: impl Fn(&u8) -> bool) -> usize {
    let part = bytes[start..].iter().take_while(|b| is_digit(b) || **b == b'_').count();
    let trailing = bytes[start..start + part].iter().rev().take_while(|b| **b == b'_').count();
    start + part - trailing
}

/// The smallest of int, long and big integer that holds the number.
fn integer(digits: &str, radix: u32) -> Result<Value, String> {
    match i64::from_str_radix(digits, radix) {
        Ok(n) => Ok(i32::try_from(n).map_or(Value::Long(n), Value::Int)),
        Err(_) => big_integer(digits, radix),
    }
}

fn sized_integer(digits: &str, radix: u32, suffix: u8) -> Result<Value, String> {
    if suffix == b'n' {
        return big_integer(digits, radix);
    }
    let n = i64::from_str_radix(digits, radix).ok();
    let value = n.and_then(|n| match suffix {
        b'b' => i8::try_from(n).ok().map(Value::Byte),
        b's' => i16::try_from(n).ok().map(Value::Short),
        b'i' => i32::try_from(n).ok().map(Value::Int),
        _ => Some(Value::Long(n)),
    });
    value.ok_or_else(|| match (radix, suffix) {
        (8, _) if digits.contains(['8', '9']) => NOT_OCTAL.to_owned(),
        (_, b'b') => "does not fit a byte (-128 to 127)".to_owned(),
        (_, b's') => "does not fit a short (-32768 to 32767)".to_owned(),
        (_, b'i') => "does not fit an int (-2147483648 to 2147483647)".to_owned(),
        _ => "does not fit a long (64 bits)".to_owned(),
    })
}

const NOT_OCTAL: &str = "begins with 0, so it is octal and cannot have the digits 8 and 9";

fn big_integer(digits: &str, radix: u32) -> Result<Value, String> {
    if digits.len() as u64 > MAX_DIGITS {
        return Err(format!("has more than {} digits", MAX_DIGITS));
    }
    let parsed = BigInt::parse_bytes(digits.as_bytes(), radix);
    parsed.map(|n| Value::BigInteger(Arc::new(n))).ok_or_else(|| NOT_OCTAL.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value and its debug form, so that `1` and `1l` differ, of a text that is a number and nothing else.
    fn read(text: &str) -> String {
        match number(text) {
            Some(Ok((value, length))) => {
                assert_eq!(length, text.len(), "{text}");
                format!("{value:?}")
            }
            Some(Err(bad)) => bad.problem,
            None => "none".to_owned(),
        }
    }

    #[test]
    fn an_integer_takes_the_smallest_type_that_holds_it() {
        assert_eq!(read("0"), "Int(0)");
        assert_eq!(read("-2147483648"), "Int(-2147483648)");
        assert_eq!(read("2147483648"), "Long(2147483648)");
        assert_eq!(read("-9223372036854775808"), "Long(-9223372036854775808)");
        assert!(read("9223372036854775808").starts_with("BigInteger"));
    }

    #[test]
    fn suffixes_choose_the_type() {
        assert_eq!(read("1b"), "Byte(1)");
        assert_eq!(read("+456S"), "Short(456)");
        assert_eq!(read("7I"), "Int(7)");
        assert_eq!(read("123l"), "Long(123)");
        assert!(read("1n").starts_with("BigInteger"));
        assert_eq!(read("1f"), "Float(1.0)");
        assert_eq!(read("1.5D"), "Double(1.5)");
        assert!(read("1e2m").starts_with("BigDecimal"));
        assert_eq!(read("129b"), "does not fit a byte (-128 to 127)");
    }

    #[test]
    fn radix_follows_the_prefix_and_hexadecimal_digits_are_no_suffix() {
        assert_eq!(read("0x1F"), "Int(31)");
        assert_eq!(read("-0X1b"), "Int(-27)");
        assert_eq!(read("0xABCl"), "Long(2748)");
        assert_eq!(read("0123"), "Int(83)");
        assert_eq!(read("-0456s"), "Short(-302)");
        assert_eq!(read("09"), NOT_OCTAL);
        assert_eq!(read("09.5"), "Double(9.5)");
        assert_eq!(read("010d"), "Double(10.0)");
    }

    #[test]
    fn underscores_separate_digits() {
        assert_eq!(read("1_000_000"), "Int(1000000)");
        assert_eq!(read("1_2.3_4e0_1"), "Double(123.4)");
    }

    #[test]
    fn what_follows_a_number_is_left_alone() {
        for (text, length) in
            [("1..5", 1), ("1.x", 1), ("1_", 1), ("1e", 1), ("1.5.6", 3), ("0x", 1), ("5)", 1)]
        {
            assert_eq!(number(text).and_then(Result::ok).map(|(_, length)| length), Some(length), "{text}");
        }
        assert!(number("-").is_none());
        assert!(number("x").is_none());
    }
}
