//! The four operations, minimum, maximum and mean.

use std::sync::Arc;

use num_traits::Zero;

use crate::{BigDecimal, BigInt, Value};

use super::{MAX_DIGITS, NumberType, decimal, promote, to_big_integer, to_f32, to_f64};

/// Why two values have no sum, product, minimum….
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArithmeticError {
    /// An operand is not a number.
    #[error("cannot {operation} a value of type {found}: numbers are needed")]
    NotANumber {
        /// The operation, as a verb.
        operation: &'static str,
        /// The type that was found.
        found: &'static str,
    },
    /// Neither number nor comparable.
    #[error("cannot compare a value of type {left} with one of type {right}")]
    NotComparable {
        /// Type of the left operand.
        left: &'static str,
        /// Type of the right operand.
        right: &'static str,
    },
    /// The kind of value has no smaller and larger ones.
    #[error(
        "a value of type {found} is neither smaller nor larger than another: order() can sort such values"
    )]
    NoOrder {
        /// The type that was found.
        found: &'static str,
    },
    /// An integer result beyond 64 bits.
    #[error(
        "long overflow: {operation} of two integers leaves the 64-bit range; cast one to BigInteger with asNumber(BIGINT)"
    )]
    Overflow {
        /// The operation, as a verb.
        operation: &'static str,
    },
    /// An integer or decimal divided by zero.
    #[error("/ by zero")]
    DivisionByZero,
    /// An infinity or `NaN` where a decimal is needed.
    #[error("an infinite number or NaN cannot be combined with a BigDecimal")]
    NotFinite,
    /// A result of more than [`MAX_DIGITS`] digits.
    #[error("the result would have more than {MAX_DIGITS} digits")]
    TooLarge,
}

#[derive(Clone, Copy)]
enum Operation {
    Add,
    Sub,
    Mul,
    Div,
}

impl Operation {
    fn verb(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Sub => "subtract",
            Self::Mul => "multiply",
            Self::Div => "divide",
        }
    }
}

/// `a + b`. As in TinkerPop, `a` alone if either is null.
///
/// # Errors
/// When an operand is not a number, or the result is out of bounds.
#[inline(always)]
pub fn add(a: &Value, b: &Value) -> Result<Value, ArithmeticError> {
    match (a, b) {
        (Value::Long(x), Value::Long(y)) => match x.checked_add(*y) {
            Some(sum) => Ok(Value::Long(sum)),
            None => Err(ArithmeticError::Overflow { operation: "add" }),
        },
        (Value::Double(x), Value::Double(y)) => Ok(Value::Double(x + y)),
        _ => operate(Operation::Add, a, b, false),
    }
}

/// `a - b`. As in TinkerPop, `a` alone if either is null.
///
/// # Errors
/// When an operand is not a number, or the result is out of bounds.
pub fn sub(a: &Value, b: &Value) -> Result<Value, ArithmeticError> {
    operate(Operation::Sub, a, b, false)
}

/// `a × b`. As in TinkerPop, `a` alone if either is null.
///
/// # Errors
/// When an operand is not a number, or the result is out of bounds.
pub fn mul(a: &Value, b: &Value) -> Result<Value, ArithmeticError> {
    operate(Operation::Mul, a, b, false)
}

/// `a / b`: truncated if both are integers. As in TinkerPop, `a` alone if either is null.
///
/// # Errors
/// When an operand is not a number, an integer or decimal is divided by zero, or the result is out of bounds.
pub fn div(a: &Value, b: &Value) -> Result<Value, ArithmeticError> {
    operate(Operation::Div, a, b, false)
}

/// The mean of `count` numbers whose sum is `sum`; always a floating-point number.
///
/// # Errors
/// When `sum` is not a number or `count` is zero and the sum a decimal.
pub fn mean(sum: &Value, count: i64) -> Result<Value, ArithmeticError> {
    operate(Operation::Div, sum, &Value::Long(count), true)
}

/// The smaller of two numbers, promoted to their common type, or of two comparable values. `NaN` and null give
/// way to anything else.
///
/// # Errors
/// When the two cannot be compared.
pub fn min(a: &Value, b: &Value) -> Result<Value, ArithmeticError> {
    pick(a, b, std::cmp::Ordering::is_le)
}

/// The larger of two numbers, promoted to their common type, or of two comparable values. `NaN` and null give
/// way to anything else.
///
/// # Errors
/// When the two cannot be compared.
pub fn max(a: &Value, b: &Value) -> Result<Value, ArithmeticError> {
    pick(a, b, std::cmp::Ordering::is_ge)
}

/// Whether a value may be the smallest or largest of some: elements, properties and collections may not (in Java they are no
/// `Comparable`), though `order()` sorts them.
///
/// # Errors
/// [`ArithmeticError::NoOrder`] if not.
pub fn check_comparable(value: &Value) -> Result<(), ArithmeticError> {
    match value {
        Value::List(_)
        | Value::Set(_)
        | Value::BulkSet(_)
        | Value::Map(_)
        | Value::Entry(_)
        | Value::Path(_)
        | Value::Property(_)
        | Value::VertexProperty(_)
        | Value::Edge(_)
        | Value::Vertex(_)
        | Value::VertexRef(_)
        | Value::EdgeRef(_) => Err(ArithmeticError::NoOrder { found: value.type_name() }),
        _ => Ok(()),
    }
}

fn pick(a: &Value, b: &Value, first: fn(std::cmp::Ordering) -> bool) -> Result<Value, ArithmeticError> {
    check_comparable(a)?;
    check_comparable(b)?;
    match (a, b) {
        (Value::Null, other) | (other, Value::Null) => return Ok(other.clone()),
        (x, y) if x.is_nan() => return Ok(y.clone()),
        (x, y) if y.is_nan() => return Ok(x.clone()),
        _ => {}
    }
    let ordering = crate::compare::compare(a, b)
        .ok_or(ArithmeticError::NotComparable { left: a.type_name(), right: b.type_name() })?;
    let picked = if first(ordering) { a } else { b };
    match (a.number_type(), b.number_type()) {
        (Some(x), Some(y)) => Ok(widen(picked, promote(x, y))),
        _ => Ok(picked.clone()),
    }
}

/// A number as the wider type `to`, which its type promotes to. An infinity has no decimal and stays as it is.
fn widen(v: &Value, to: NumberType) -> Value {
    if v.number_type() == Some(to) {
        return v.clone();
    }
    let widened = match to {
        NumberType::Byte | NumberType::Short | NumberType::Int | NumberType::Long => {
            v.as_i64().and_then(|i| integer(i, to))
        }
        NumberType::Float => to_f32(v).map(Value::Float),
        NumberType::Double => to_f64(v).map(Value::Double),
        NumberType::BigInteger => to_big_integer(v).map(Value::from),
        NumberType::BigDecimal => decimal::from_value(v).map(Value::from),
    };
    widened.unwrap_or_else(|| v.clone())
}

fn operate(op: Operation, a: &Value, b: &Value, floating: bool) -> Result<Value, ArithmeticError> {
    if matches!(a, Value::Null) || matches!(b, Value::Null) {
        return Ok(a.clone());
    }
    let kind = |v: &Value| {
        v.number_type().ok_or(ArithmeticError::NotANumber { operation: op.verb(), found: v.type_name() })
    };
    let common = promote(kind(a)?, kind(b)?);
    let common = NumberType::of_width(common.bits(), floating || common.is_floating());
    match common {
        NumberType::Byte | NumberType::Short | NumberType::Int | NumberType::Long => {
            integers(op, a.as_i64().unwrap_or_default(), b.as_i64().unwrap_or_default(), common)
        }
        NumberType::Float => Ok(singles(op, a, b)),
        NumberType::Double => Ok(doubles(op, a, b)),
        NumberType::BigInteger => {
            let (a, b) = (to_big_integer(a).unwrap_or_default(), to_big_integer(b).unwrap_or_default());
            big_integers(op, &a, &b)
        }
        NumberType::BigDecimal => {
            let operand = |v| decimal::from_value(v).ok_or(ArithmeticError::NotFinite);
            decimals(op, &operand(a)?, &operand(b)?)
        }
    }
}

/// Computes in 64 bits and answers in the narrowest width, at least that of `kind`, that holds the result.
fn integers(op: Operation, a: i64, b: i64, kind: NumberType) -> Result<Value, ArithmeticError> {
    let result = match op {
        Operation::Add => a.checked_add(b),
        Operation::Sub => a.checked_sub(b),
        Operation::Mul => a.checked_mul(b),
        Operation::Div if b == 0 => return Err(ArithmeticError::DivisionByZero),
        Operation::Div => a.checked_div(b),
    };
    let result = result.ok_or(ArithmeticError::Overflow { operation: op.verb() })?;
    let widths = [kind, NumberType::Short, NumberType::Int, NumberType::Long];
    widths
        .into_iter()
        .filter(|w| w.bits() >= kind.bits())
        .find_map(|w| integer(result, w))
        .ok_or(ArithmeticError::Overflow { operation: op.verb() })
}

fn integer(v: i64, kind: NumberType) -> Option<Value> {
    match kind {
        NumberType::Byte => v.try_into().ok().map(Value::Byte),
        NumberType::Short => v.try_into().ok().map(Value::Short),
        NumberType::Int => v.try_into().ok().map(Value::Int),
        _ => Some(Value::Long(v)),
    }
}

/// A single that overflows is computed again as a double.
fn singles(op: Operation, a: &Value, b: &Value) -> Value {
    let (x, y) = (to_f32(a).unwrap_or(f32::NAN), to_f32(b).unwrap_or(f32::NAN));
    let result = match op {
        Operation::Add => x + y,
        Operation::Sub => x - y,
        Operation::Mul => x * y,
        Operation::Div => x / y,
    };
    if result.is_infinite() { doubles(op, a, b) } else { Value::Float(result) }
}

fn doubles(op: Operation, a: &Value, b: &Value) -> Value {
    let (x, y) = (to_f64(a).unwrap_or(f64::NAN), to_f64(b).unwrap_or(f64::NAN));
    Value::Double(match op {
        Operation::Add => x + y,
        Operation::Sub => x - y,
        Operation::Mul => x * y,
        Operation::Div => x / y,
    })
}

/// Bits of an integer of [`MAX_DIGITS`] digits, rounded up.
const MAX_BITS: u64 = MAX_DIGITS * 10 / 3 + 1;

fn big_integers(op: Operation, a: &BigInt, b: &BigInt) -> Result<Value, ArithmeticError> {
    decimal::tick_product(a, b);
    let result = match op {
        Operation::Add => a + b,
        Operation::Sub => a - b,
        Operation::Mul if a.bits() + b.bits() > MAX_BITS => return Err(ArithmeticError::TooLarge),
        Operation::Mul => a * b,
        Operation::Div if b.is_zero() => return Err(ArithmeticError::DivisionByZero),
        Operation::Div => a / b,
    };
    if result.bits() > MAX_BITS { Err(ArithmeticError::TooLarge) } else { Ok(result.into()) }
}

fn decimals(op: Operation, a: &BigDecimal, b: &BigDecimal) -> Result<Value, ArithmeticError> {
    decimal::tick_product(&a.as_bigint_and_scale().0, &b.as_bigint_and_scale().0);
    let digits = match op {
        Operation::Add | Operation::Sub => decimal::digits_of_sum(a, b),
        Operation::Mul => a.digits() + b.digits(),
        Operation::Div if b.is_zero() => return Err(ArithmeticError::DivisionByZero),
        Operation::Div => a.digits().max(b.digits()),
    };
    if digits > MAX_DIGITS {
        return Err(ArithmeticError::TooLarge);
    }
    let result = match op {
        Operation::Add => a + b,
        Operation::Sub => a - b,
        Operation::Mul => a * b,
        Operation::Div => decimal::divide(a, b),
    };
    if i32::try_from(result.fractional_digit_count()).is_err() {
        return Err(ArithmeticError::TooLarge);
    }
    Ok(Value::BigDecimal(Arc::new(result)))
}
