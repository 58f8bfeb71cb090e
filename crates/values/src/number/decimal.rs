//! Decimals of any size, kept from costing any amount.
//!
//! A decimal is digits and a scale; a few bytes can name a number with two thousand million zeros. Nothing here
//! writes those zeros out: comparison looks at magnitudes first, and arithmetic refuses results beyond
//! [`MAX_DIGITS`].

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use num_bigint::Sign;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::{BigDecimal, BigInt, Value, watch};

/// Most significant digits that a big integer or a decimal may come to have by parsing or by arithmetic.
pub const MAX_DIGITS: u64 = 20_000;

/// What is wrong with the text of a decimal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecimalError {
    /// Not digits with an optional sign, point and exponent.
    #[error("`{0}` is not a decimal number: expected digits with an optional sign, point and exponent")]
    Syntax(String),
    /// More digits than [`MAX_DIGITS`], or a scale beyond 32 bits.
    #[error("a decimal number may have at most {MAX_DIGITS} digits and a 32-bit scale")]
    TooLarge,
}

/// Tells the watch of work that takes each word of one number together with each of the other: a product, a quotient. To write a number
/// as text takes each with each of its own.
pub(crate) fn tick_product(a: &BigInt, b: &BigInt) {
    const PAIRS_PER_TICK: u64 = 16;
    let words = |number: &BigInt| number.bits() / 64 + 1;
    watch::ticks((words(a) * words(b) / PAIRS_PER_TICK) as usize);
}

/// The digits of the magnitude.
fn digits_of(number: &BigInt) -> String {
    tick_product(number, number);
    number.magnitude().to_string()
}

/// Reads a decimal, such as `-12.50` or `3E+7`, keeping its scale.
///
/// # Errors
/// When the text is not a decimal number, or is one beyond the bounds.
pub fn parse(text: &str) -> Result<BigDecimal, DecimalError> {
    let syntax = || DecimalError::Syntax(text.chars().take(40).collect());
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], text[at + 1..].parse::<i64>().map_err(|_| syntax())?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (sign, whole) = match whole.as_bytes().first() {
        Some(b'-') => ("-", &whole[1..]),
        Some(b'+') => ("", &whole[1..]),
        _ => ("", whole),
    };
    let digits = whole.len() + fraction.len();
    if digits == 0 || !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit()) {
        return Err(syntax());
    }
    let scale = (fraction.len() as i64).checked_sub(exponent).ok_or(DecimalError::TooLarge)?;
    if digits as u64 > MAX_DIGITS || i32::try_from(scale).is_err() {
        return Err(DecimalError::TooLarge);
    }
    let unscaled: BigInt = format!("{sign}{whole}{fraction}").parse().map_err(|_| syntax())?;
    Ok(BigDecimal::new(unscaled, scale))
}

/// Prints a decimal as Java's `BigDecimal.toString` does: plainly while the exponent is small, else as `1.5E+10`.
pub fn format(d: &BigDecimal) -> String {
    let (unscaled, scale) = d.as_bigint_and_scale();
    let mut digits = digits_of(&unscaled);
    let sign = if unscaled.sign() == Sign::Minus { "-" } else { "" };
    let adjusted = digits.len() as i64 - 1 - scale;
    if scale == 0 {
        return format!("{sign}{digits}");
    }
    if scale > 0 && adjusted >= -6 {
        let scale = scale as usize;
        if digits.len() <= scale {
            digits.insert_str(0, &"0".repeat(scale + 1 - digits.len()));
        }
        digits.insert(digits.len() - scale, '.');
        return format!("{sign}{digits}");
    }
    if digits.len() > 1 {
        digits.insert(1, '.');
    }
    match adjusted {
        0 => format!("{sign}{digits}"),
        e => format!("{sign}{digits}E{e:+}"),
    }
}

/// Orders two decimals by value, without ever aligning far-apart scales.
pub(crate) fn compare(a: &BigDecimal, b: &BigDecimal) -> Ordering {
    let by_sign = rank(a.sign()).cmp(&rank(b.sign()));
    if by_sign.is_ne() || a.is_zero() {
        return by_sign;
    }
    let ((ua, sa), (ub, sb)) = (a.as_bigint_and_scale(), b.as_bigint_and_scale());
    let ordering = match sa == sb {
        true => ua.magnitude().cmp(ub.magnitude()),
        false => exponent(a).cmp(&exponent(b)).then_with(|| align(a).cmp(&align(b))),
    };
    if a.sign() == Sign::Minus { ordering.reverse() } else { ordering }
}

fn rank(s: Sign) -> i8 {
    match s {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

/// The decimal exponent of the first significant digit.
fn exponent(d: &BigDecimal) -> i64 {
    let unscaled = d.as_bigint_and_scale().0;
    tick_product(&unscaled, &unscaled);
    (d.digits() as i64).saturating_sub(d.fractional_digit_count())
}

/// The digits of the magnitude without trailing zeros, as text: for numbers of the same exponent their
/// lexicographic order is the order of the magnitudes.
fn align(d: &BigDecimal) -> String {
    let mut digits = digits_of(&d.as_bigint_and_scale().0);
    digits.truncate(digits.trim_end_matches('0').len());
    digits
}

/// Feeds what [`compare`] looks at, so that equal decimals of different scale hash alike.
pub(crate) fn hash<H: Hasher>(d: &BigDecimal, state: &mut H) {
    rank(d.sign()).hash(state);
    if !d.is_zero() {
        exponent(d).hash(state);
        align(d).hash(state);
    }
}

/// The decimal that Java makes of a number: a float through its shortest text. `None` for an infinity, `NaN`, or
/// what is not a number.
pub(crate) fn from_value(v: &Value) -> Option<BigDecimal> {
    match v {
        Value::BigDecimal(d) => Some((**d).clone()),
        Value::BigInteger(i) => Some(BigDecimal::new((**i).clone(), 0)),
        Value::Float(f) if f.is_finite() => parse(&crate::display::float(*f)).ok(),
        Value::Double(d) if d.is_finite() => parse(&crate::display::double(*d)).ok(),
        other => other.as_i64().map(|i| BigDecimal::new(i.into(), 0)),
    }
}

/// The exact value of a finite double.
pub(crate) fn from_f64_exact(v: f64) -> Option<BigDecimal> {
    BigDecimal::try_from(v).ok()
}

/// The nearest double; infinite beyond the range.
pub(crate) fn to_f64(d: &BigDecimal) -> f64 {
    let (unscaled, scale) = d.as_bigint_and_scale();
    tick_product(&unscaled, &unscaled);
    // The standard library rounds decimal text of any length correctly; `-scale` as exponent avoids zeros.
    format!("{unscaled}e{}", -i128::from(scale)).parse().unwrap_or(f64::NAN)
}

/// The integer part, if writing it out stays within bounds.
pub(crate) fn to_integer(d: &BigDecimal) -> Option<BigInt> {
    if d.is_zero() || exponent(d) <= 0 {
        return Some(BigInt::zero());
    }
    if exponent(d) as u64 > MAX_DIGITS {
        return None;
    }
    Some(d.with_scale(0).into_bigint_and_scale().0)
}

/// Digits of the sum of `a` and `b`, at most.
pub(crate) fn digits_of_sum(a: &BigDecimal, b: &BigDecimal) -> u64 {
    let top = exponent(a).max(exponent(b)).saturating_add(1);
    let bottom = a.fractional_digit_count().max(b.fractional_digit_count());
    top.saturating_add(bottom).max(1) as u64
}

/// `a / b` as Java divides decimals in TinkerPop: exact where the quotient terminates; otherwise ten digits more
/// than the operands have, cut to the larger of their scales and ten. `b` is not zero.
pub(crate) fn divide(a: &BigDecimal, b: &BigDecimal) -> BigDecimal {
    let ((ua, sa), (ub, sb)) = (a.as_bigint_and_scale(), b.as_bigint_and_scale());
    tick_product(&ua, &ub);
    if let Some(shift) = exact_shift(&ua, &ub) {
        tick_product(&ub, &ub);
        let quotient = &*ua * BigInt::from(10).pow(shift) / &*ub;
        return BigDecimal::new(quotient, sa - sb + i64::from(shift));
    }
    let precision = a.digits().max(b.digits()) + 10;
    // Enough digits that rounding them to `precision` is rounding the quotient: it does not terminate, so
    // there is no tie to break.
    let extra = (precision + b.digits() + 3).saturating_sub(a.digits());
    let shift = extra.to_u32().unwrap_or(u32::MAX);
    tick_product(&ub, &ub);
    let quotient = BigDecimal::new(&*ua * BigInt::from(10).pow(shift) / &*ub, sa - sb + i64::from(shift));
    let mode = bigdecimal::RoundingMode::HalfUp;
    let rounded = match std::num::NonZeroU64::new(precision) {
        Some(precision) => quotient.with_precision_round(precision, mode),
        None => quotient,
    };
    let scale = sa.max(sb).max(10);
    if rounded.fractional_digit_count() > scale { rounded.with_scale_round(scale, mode) } else { rounded }
}

/// The smallest power of ten that makes `a` divisible by `b`; `None` if no power does.
fn exact_shift(a: &BigInt, b: &BigInt) -> Option<u32> {
    if a.is_zero() {
        return Some(0);
    }
    // Powers of ten bring twos and fives, and nothing else.
    let (twos, fives, rest) = factored(b);
    if rest != BigInt::from(1) && !(a % &rest).is_zero() {
        return None;
    }
    let (own_twos, own_fives, _) = factored(a);
    twos.saturating_sub(own_twos).max(fives.saturating_sub(own_fives)).to_u32()
}

/// How often two and five divide a number other than zero, and the magnitude of what is left.
fn factored(number: &BigInt) -> (u64, u64, BigInt) {
    let twos = number.trailing_zeros().unwrap_or(0);
    let (mut rest, mut fives) = (number.abs() >> twos, 0);
    // By the largest power in a word as long as that goes, which takes a word's time for each word.
    for power in [27_u32, 9, 3, 1] {
        let divisor = BigInt::from(5_u64.pow(power));
        while (&rest % &divisor).is_zero() {
            tick_product(&rest, &divisor);
            rest /= &divisor;
            fives += u64::from(power);
        }
    }
    (twos, fives, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(text: &str) -> BigDecimal {
        parse(text).unwrap()
    }

    #[test]
    fn text_survives_a_round_trip_as_java_prints_it() {
        for text in ["0", "1.50", "-0.001", "1E+3", "1.5E-10", "-1.23E+400", "0.000001", "1E-7", "12345.678"]
        {
            assert_eq!(format(&d(text)), text);
        }
    }

    #[test]
    fn comparison_ignores_scale_and_is_cheap_for_distant_exponents() {
        assert_eq!(compare(&d("1.0"), &d("1.000")), Ordering::Equal);
        assert_eq!(compare(&d("1E+2000000000"), &d("9E-2000000000")), Ordering::Greater);
        assert_eq!(compare(&d("-1E+2000000000"), &d("1")), Ordering::Less);
        assert_eq!(compare(&d("-12"), &d("-11.9")), Ordering::Less);
        assert_eq!(compare(&d("120"), &d("12")), Ordering::Greater);
        assert_eq!(compare(&d("0E+9"), &d("0.00")), Ordering::Equal);
    }

    #[test]
    fn division_is_exact_where_it_terminates() {
        assert_eq!(format(&divide(&d("1"), &d("8"))), "0.125");
        assert_eq!(format(&divide(&d("10.0"), &d("4"))), "2.5");
        assert_eq!(format(&divide(&d("10"), &d("3"))), "3.3333333333");
        assert_eq!(format(&divide(&d("20"), &d("-3"))), "-6.6666666667");
        assert_eq!(format(&divide(&d("6"), &d("-48"))), "-0.125");
        assert_eq!(format(&divide(&d("21"), &d("56"))), "0.375");
        assert_eq!(format(&divide(&d("100"), &d("5"))), "20");
        for (a, b) in (-60..60).flat_map(|a| (1..300).map(move |b| (a, b))) {
            let shift = (0..12).find(|shift| a * 10_i64.pow(*shift) % b == 0);
            assert_eq!(exact_shift(&a.into(), &b.into()), shift, "{a} / {b}");
        }
        let fives = BigInt::from(5).pow(28_000);
        assert_eq!(exact_shift(&1.into(), &fives), Some(28_000));
        assert_eq!(exact_shift(&fives, &(&fives * 10)), Some(1));
    }

    /// Twenty thousand digits: what is done with one such number takes part of a millisecond, or milliseconds, and is told.
    #[test]
    fn work_on_long_numbers_is_told_to_the_watch() {
        struct Never(std::sync::atomic::AtomicUsize);
        impl watch::Watch for Never {
            fn must_end(&self) -> bool {
                self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                false
            }
        }
        let digits = |digit: &str| d(&format!("1.{}", digit.repeat(19_000)));
        let (a, b) = (digits("3"), digits("7"));
        let looks = std::sync::Arc::new(Never(0.into()));
        let times = 20;
        for work in [
            (&|| drop(divide(&a, &b))) as &dyn Fn(),
            &|| drop(format(&a)),
            &|| assert!(to_f64(&a) > 1.0),
            &|| hash(&a, &mut std::hash::DefaultHasher::new()),
        ] {
            let before = looks.0.load(std::sync::atomic::Ordering::Relaxed);
            watch::watched(looks.clone(), || (0..times).for_each(|_| work())).unwrap();
            let after = looks.0.load(std::sync::atomic::Ordering::Relaxed);
            assert!(after - before >= times, "{} looks", after - before);
        }
    }

    #[test]
    fn malformed_or_oversized_text_is_refused() {
        for text in ["", ".", "1.2.3", "e5", "1e", "--1", "0x1", "1_000", "+-1"] {
            assert!(matches!(parse(text), Err(DecimalError::Syntax(_))), "{text}");
        }
        assert_eq!(parse("1e99999999999"), Err(DecimalError::TooLarge));
        assert_eq!(parse(&"9".repeat(MAX_DIGITS as usize + 1)), Err(DecimalError::TooLarge));
    }
}
