//! The hash under which indexes find a value.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use values::Value;

/// The hash of a value in every index.
///
/// Whole numbers hash by their value, so `933`, `933L` and `933.0` meet; other numbers hash by the nearest double.
/// Collections all hash alike: they can be found, but not fast.
///
/// Equal values (`P.eq`) have equal hashes, but for those that only a float makes equal: see [`for_each_equal_hash`].
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

/// Calls `visit` with the hash of everything that equals `value` (`P.eq`), each once: for nearly all values that is their own.
///
/// No hash can do for what a float equals. An int is compared with it as a float, so a large float equals many ints, of which
/// no two are equal; a decimal is compared with its shortest text, so `0.1f` equals `0.1m`, and is another double than `0.1`.
/// So a value has the hash of its number, and who looks for one that may equal others looks under several.
pub fn for_each_equal_hash(value: &Value, mut visit: impl FnMut(u32)) {
    let single = match value {
        Value::Int(v) if v.unsigned_abs() >= EXACT_SINGLE => *v as f32,
        Value::Float(v) if v.is_finite() => *v,
        Value::BigInteger(_) | Value::BigDecimal(_) => value.as_f64().map_or(f32::NAN, |v| v as f32),
        _ => return visit(index_hash(value)),
    };
    let mut hashes = vec![index_hash(value), double(single.into())];
    if matches!(value, Value::Float(_)) {
        hashes.push(double(single.to_string().parse().unwrap_or(f64::NAN)));
        hashes.extend(ints_as_single(single));
    }
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into_iter().for_each(visit);
}

/// Ints below this are floats without rounding.
const EXACT_SINGLE: u32 = 1 << 24;

/// The hashes of the ints that are rounded when they become this float.
fn ints_as_single(single: f32) -> impl Iterator<Item = u32> {
    // Half of the distance between two floats next to the largest int, and one more.
    const REACH: i64 = 65;
    let is_large = single.abs() >= EXACT_SINGLE as f32 && single.abs() <= -(i32::MIN as f32);
    let nearest = if is_large { single as i64 } else { 0 };
    let around = if is_large { nearest - REACH..nearest + REACH + 1 } else { 0..0 };
    around.filter(move |n| i32::try_from(*n).is_ok_and(|n| n as f32 == single)).map(whole)
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
    use values::compare;

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
    fn whatever_equals_a_value_is_found_under_one_of_its_hashes() {
        let mut samples: Vec<Value> = Vec::new();
        let wholes = [0i64, 1, -7, 1 << 24, (1 << 24) + 1, (1 << 30) + 64, -(1 << 30) - 63, (1 << 53) + 1];
        let texts = ["0.1", "0.5", "-0.3", "16777216.5", "1e30", "1e300", "123456789012345678901234567890"];
        for n in wholes.into_iter().chain([i32::MAX.into(), i32::MIN.into(), i64::MAX, i64::MIN]) {
            samples.extend([Value::Long(n), Value::Double(n as f64), Value::Float(n as f32)]);
            samples.extend(i32::try_from(n).map(Value::Int));
            samples.push(values::BigInt::from(n).into());
            samples.push(values::BigDecimal::from(n).into());
        }
        for text in texts {
            let double: f64 = text.parse().unwrap();
            samples.extend([Value::Double(double), Value::Float(double as f32)]);
            samples.push(values::number::parse_decimal(text).unwrap().into());
            samples.extend(text.parse::<values::BigInt>().map(Value::from));
            samples.extend((double as f32).to_string().parse::<values::BigInt>().map(Value::from));
        }
        let mut across = 0;
        for value in &samples {
            let mut hashes = Vec::new();
            for_each_equal_hash(value, |hash| hashes.push(hash));
            for other in samples.iter().filter(|other| compare::equals(value, other)) {
                assert!(hashes.contains(&index_hash(other)), "{value:?} finds no {other:?}");
                across += usize::from(index_hash(other) != index_hash(value));
            }
        }
        assert!(across > 10, "{across} pairs are equal under different hashes");
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
