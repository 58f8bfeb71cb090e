//! The order of numbers by their exact value, which, unlike comparison after promotion, is transitive.

use std::cmp::Ordering;

use crate::{BigDecimal, BigInt, Value};

use super::decimal;

/// A total order of numbers: by exact mathematical value, `NaN` last, both zeros equal.
///
/// Values that are not numbers are all equal to each other and come before every number.
pub fn order(a: &Value, b: &Value) -> Ordering {
    if let (Some(a), Some(b)) = (a.as_i64(), b.as_i64()) {
        return a.cmp(&b);
    }
    match (float(a), float(b)) {
        (Some(x), Some(y)) => order_floats(x, y),
        (Some(x), None) => order_float_to_exact(x, b),
        (None, Some(y)) => order_float_to_exact(y, a).reverse(),
        (None, None) => order_exact(a, b),
    }
}

fn float(v: &Value) -> Option<f64> {
    match *v {
        Value::Float(f) => Some(f64::from(f)),
        Value::Double(d) => Some(d),
        _ => None,
    }
}

fn order_floats(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// A float against an integer or decimal of any size.
fn order_float_to_exact(a: f64, b: &Value) -> Ordering {
    if a.is_nan() || a == f64::INFINITY {
        return Ordering::Greater;
    }
    if a == f64::NEG_INFINITY {
        return if b.is_number() { Ordering::Less } else { Ordering::Greater };
    }
    if let Some(b) = b.as_i64() {
        return order_float_to_long(a, b);
    }
    match (decimal::from_f64_exact(a), exact(b)) {
        (Some(a), Some(b)) => decimal::compare(&a, &b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

/// Every long lies in [-2⁶³, 2⁶³); a double beyond decides at once, one within has an exact integer part.
fn order_float_to_long(a: f64, b: i64) -> Ordering {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if a >= LIMIT {
        return Ordering::Greater;
    }
    if a < -LIMIT {
        return Ordering::Less;
    }
    let whole = a.trunc();
    (whole as i64).cmp(&b).then_with(|| order_floats(a, whole))
}

fn order_exact(a: &Value, b: &Value) -> Ordering {
    if let (Value::BigInteger(a), Value::BigInteger(b)) = (a, b) {
        return a.cmp(b);
    }
    match (exact(a), exact(b)) {
        (Some(a), Some(b)) => decimal::compare(&a, &b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

fn exact(v: &Value) -> Option<BigDecimal> {
    match v {
        Value::BigDecimal(d) => Some((**d).clone()),
        Value::BigInteger(i) => Some(BigDecimal::new((**i).clone(), 0)),
        other => other.as_i64().map(|i| BigDecimal::new(BigInt::from(i), 0)),
    }
}
