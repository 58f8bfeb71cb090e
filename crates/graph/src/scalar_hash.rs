//! The hash under which indexes find a value.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use values::Value;

/// The hash of a value in every index: equal values (`P.eq`) have equal hashes, whatever their types.
///
/// Whole numbers hash by their value, so `933`, `933L` and `933.0` meet; other numbers hash by the nearest double.
/// Collections all hash alike: they can be found, but not fast.
pub fn index_hash(value: &Value) -> u32 {
    match value {
        Value::Null => finish(0, &0u8),
        Value::Bool(v) => finish(1, v),
        Value::Byte(v) => whole((*v).into()),
        Value::Short(v) => whole((*v).into()),
        Value::Int(v) => whole((*v).into()),
        Value::Long(v) => whole(*v),
        Value::Float(v) => double((*v).into()),
        Value::Double(v) => double(*v),
        Value::BigInteger(v) => match i64::try_from(v.as_ref()) {
            Ok(v) => whole(v),
            Err(_) => double(v.to_string().parse().unwrap_or(f64::NAN)),
        },
        Value::BigDecimal(v) => double(v.to_string().parse().unwrap_or(f64::NAN)),
        Value::Char(v) => finish(4, v),
        Value::String(v) => finish(5, v.as_str()),
        Value::Uuid(v) => finish(6, v.as_bytes()),
        // Two points in time are equal if the instants are, whatever the offsets.
        Value::DateTime(v) => finish(7, &(v.seconds, v.nanos)),
        Value::Duration(v) => finish(8, v),
        Value::Binary(v) => finish(9, v.as_ref()),
        _ => finish(10, &0u8),
    }
}

fn whole(v: i64) -> u32 {
    // A long beyond 2⁵³ may equal a double that is not its exact value, so both go through the double.
    const EXACT: i64 = 1 << 53;
    if (-EXACT..=EXACT).contains(&v) { finish(2, &v) } else { double(v as f64) }
}

fn double(v: f64) -> u32 {
    const EXACT: f64 = (1u64 << 53) as f64;
    if v.fract() == 0.0 && v.abs() <= EXACT {
        finish(2, &(v as i64))
    } else if v.is_nan() {
        finish(3, &f64::NAN.to_bits())
    } else {
        finish(3, &v.to_bits())
    }
}

fn finish<T: Hash + ?Sized>(kind: u8, value: &T) -> u32 {
    let mut hasher = FxHasher::default();
    kind.hash(&mut hasher);
    value.hash(&mut hasher);
    // Fx leaves its entropy in the high half; the multiplication spreads what short keys left empty.
    (hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_equal_hash_alike_across_types() {
        let wholes =
            [Value::Int(933), Value::Long(933), Value::Double(933.0), Value::Float(933.0), Value::Short(933)];
        for value in &wholes {
            assert_eq!(index_hash(value), index_hash(&wholes[0]), "{value:?}");
        }
        assert_eq!(index_hash(&Value::Double(-0.0)), index_hash(&Value::Int(0)));
        assert_eq!(index_hash(&Value::Double(0.5)), index_hash(&Value::Float(0.5)));
        let just_beyond = Value::Long((1 << 53) + 1);
        assert_eq!(
            index_hash(&just_beyond),
            index_hash(&Value::Double((1u64 << 53) as f64)),
            "they are equal"
        );
        let huge = 1i64 << 60;
        assert_eq!(index_hash(&Value::Long(huge)), index_hash(&Value::Double(huge as f64)));
    }

    #[test]
    fn neighbouring_numbers_spread_over_all_bits() {
        let low: std::collections::BTreeSet<u32> =
            (0..64).map(|n| index_hash(&Value::Long(n)) & 63).collect();
        let high: std::collections::BTreeSet<u32> =
            (0..64).map(|n| index_hash(&Value::Long(n)) >> 26).collect();
        assert!(low.len() > 24 && high.len() > 24, "low {} high {}", low.len(), high.len());
    }
}
