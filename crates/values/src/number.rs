//! Numbers: promotion, arithmetic, comparison and casts, as TinkerPop's `NumberHelper` defines them.
//!
//! Two numbers meet at the narrowest type that both promote to: floating point if either is, and as wide as the
//! wider one. An integer result that overflows widens up to a long, beyond which it is an [`ArithmeticError`];
//! a float that overflows becomes a double, a double becomes infinite.

use std::cmp::Ordering;

use num_traits::ToPrimitive;

use crate::Value;

mod arithmetic;
mod cast;
pub(crate) mod decimal;
mod exact;
mod kind;

pub use arithmetic::{ArithmeticError, add, check_comparable, div, max, mean, min, mul, sub};
pub use cast::{CastError, cast};
pub use decimal::{DecimalError, MAX_DIGITS, format as format_decimal, parse as parse_decimal};
pub use exact::order;
pub use kind::{NumberType, promote};

/// Gremlin comparability of two numbers: by value after promotion. `None` for `NaN` and for anything not a number.
#[inline]
pub fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Long(a), Value::Long(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(b),
        (a, b) => compare_promoted(a, b),
    }
}

fn compare_promoted(a: &Value, b: &Value) -> Option<Ordering> {
    match promote(a.number_type()?, b.number_type()?) {
        NumberType::Byte | NumberType::Short | NumberType::Int | NumberType::Long => {
            Some(a.as_i64()?.cmp(&b.as_i64()?))
        }
        NumberType::Float => to_f32(a)?.partial_cmp(&to_f32(b)?),
        NumberType::Double => to_f64(a)?.partial_cmp(&to_f64(b)?),
        NumberType::BigInteger => Some(to_big_integer(a)?.cmp(&to_big_integer(b)?)),
        NumberType::BigDecimal => compare_decimals(a, b),
    }
}

/// A big number beside a float that may be infinite or `NaN`.
fn compare_decimals(a: &Value, b: &Value) -> Option<Ordering> {
    let infinity = |v: &Value| match *v {
        Value::Float(f) if !f.is_finite() => f64::from(f),
        Value::Double(d) if !d.is_finite() => d,
        _ => 0.0,
    };
    let (ia, ib) = (infinity(a), infinity(b));
    if ia != 0.0 || ib != 0.0 {
        return ia.partial_cmp(&ib);
    }
    Some(decimal::compare(&decimal::from_value(a)?, &decimal::from_value(b)?))
}

/// The nearest double; `None` if this is not a number. A big number beyond the range becomes infinite.
pub fn to_f64(v: &Value) -> Option<f64> {
    match v {
        Value::Double(d) => Some(*d),
        Value::Float(f) => Some(f64::from(*f)),
        Value::BigInteger(i) => i.to_f64(),
        Value::BigDecimal(d) => Some(decimal::to_f64(d)),
        other => other.as_i64().map(|i| i as f64),
    }
}

/// The nearest single; `None` if this is not a number.
fn to_f32(v: &Value) -> Option<f32> {
    match v {
        Value::Float(f) => Some(*f),
        other => match other.as_i64() {
            Some(i) => Some(i as f32),
            None => to_f64(other).map(|d| d as f32),
        },
    }
}

/// The integer, if this is one of any width.
fn to_big_integer(v: &Value) -> Option<crate::BigInt> {
    match v {
        Value::BigInteger(i) => Some((**i).clone()),
        other => other.as_i64().map(Into::into),
    }
}
