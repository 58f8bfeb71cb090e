//! Casts between the types of numbers (`asNumber`).

use num_traits::{FromPrimitive, ToPrimitive};

use crate::{BigInt, Value};

use super::{NumberType, decimal, to_f64};

/// Why a number cannot be of another type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CastError {
    /// Not a number at all.
    #[error("Can't convert a value of type {0} to a number.")]
    NotANumber(&'static str),
    /// The value does not fit.
    #[error("Can't convert number of type {from} to {to} due to overflow.")]
    Overflow {
        /// Type of the number.
        from: &'static str,
        /// Type that it should have.
        to: &'static str,
    },
    /// `NaN` has no integer or decimal.
    #[error("Can't convert NaN to {0}.")]
    NotANumberValue(&'static str),
    /// An infinity has no integer or decimal.
    #[error("Can't convert floating point infinity to {0}.")]
    Infinite(&'static str),
}

/// `v` as a number of type `to`; a fraction is cut off where `to` has none.
///
/// # Errors
/// When `v` is not a number or does not fit.
pub fn cast(v: &Value, to: NumberType) -> Result<Value, CastError> {
    let from = v.number_type().ok_or(CastError::NotANumber(v.type_name()))?;
    if from == to {
        return Ok(v.clone());
    }
    let overflow = || CastError::Overflow { from: from.name(), to: to.name() };
    let whole = || whole(v, to)?.ok_or_else(overflow);
    match to {
        NumberType::Byte => whole()?.to_i8().map(Value::Byte).ok_or_else(overflow),
        NumberType::Short => whole()?.to_i16().map(Value::Short).ok_or_else(overflow),
        NumberType::Int => whole()?.to_i32().map(Value::Int).ok_or_else(overflow),
        NumberType::Long => whole()?.to_i64().map(Value::Long).ok_or_else(overflow),
        NumberType::BigInteger => whole().map(Value::from),
        NumberType::Float => to_single(v).map(Value::Float).ok_or_else(overflow),
        NumberType::Double => to_double(v).map(Value::Double).ok_or_else(overflow),
        NumberType::BigDecimal => {
            finite(v, to)?;
            decimal::from_value(v).map(Value::from).ok_or_else(overflow)
        }
    }
}

fn finite(v: &Value, to: NumberType) -> Result<(), CastError> {
    match v {
        Value::Float(_) | Value::Double(_) => match to_f64(v) {
            Some(f) if f.is_nan() => Err(CastError::NotANumberValue(to.name())),
            Some(f) if f.is_infinite() => Err(CastError::Infinite(to.name())),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

/// The integer part; `None` when it is too long to write out.
fn whole(v: &Value, to: NumberType) -> Result<Option<BigInt>, CastError> {
    finite(v, to)?;
    Ok(match v {
        Value::BigInteger(i) => Some((**i).clone()),
        Value::BigDecimal(d) => decimal::to_integer(d),
        // By its shortest text, as TinkerPop does it.
        Value::Double(_) if to == NumberType::BigInteger => {
            decimal::from_value(v).and_then(|d| decimal::to_integer(&d))
        }
        Value::Float(f) if to == NumberType::BigInteger => BigInt::from_f32(*f),
        // 2^63 itself, which a double cannot tell from the largest long, becomes that.
        Value::Float(_) | Value::Double(_) => {
            to_f64(v).filter(|d| d.abs() <= -(i64::MIN as f64)).map(|d| BigInt::from(d as i64))
        }
        other => other.as_i64().map(BigInt::from),
    })
}

/// An infinity only from an infinity.
fn to_single(v: &Value) -> Option<f32> {
    let double = to_f64(v)?;
    let infinite = matches!(v, Value::Double(d) if d.is_infinite());
    let in_range = double.is_nan() || infinite || double.abs() <= f64::from(f32::MAX);
    in_range.then_some(double as f32)
}

/// A single goes through its shortest text, so that `0.1f` becomes `0.1` and not `0.10000000149`.
fn to_double(v: &Value) -> Option<f64> {
    match v {
        Value::Float(f) => crate::display::float(*f).parse().ok().or_else(|| to_f64(v)),
        other => to_f64(other).filter(|d| d.is_finite()),
    }
}
