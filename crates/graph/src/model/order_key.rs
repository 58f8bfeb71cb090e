//! Values as bytes whose order is that of Gremlin: what range indexes are sorted by.
//!
//! ```text
//! key of an entry   value │ value │ …      one for each key of the index, in their order
//!
//! absent       01
//! null         05
//! boolean      10 │ 00 or 01
//! number       20 │ the nearest double, big-endian, so that it sorts: sign flipped, negative ones inverted
//! date-time    30 │ seconds i64, sign flipped │ nanos u32
//! string       40 │ UTF-8, 00 as 00 FF │ 00 01, or 00 02 where it was cut off
//! UUID         50 │ 16 bytes
//! collection   60
//! char         70 │ u32
//! binary       78 │ as a string
//! duration     80 │ as a date-time
//! ```
//!
//! Types come in the order of `order()`. What is smaller never has larger bytes, and what is equal has the same; but the
//! reverse does not hold: longs beyond 2⁵³ share doubles, long strings share what is left of them, collections are all
//! alike. Whoever finds something compares the values.

use values::Value;

/// Bytes of a string, or of binary data, that are kept.
const KEPT: usize = 256;

const ABSENT: u8 = 0x01;
const COLLECTION: u8 = 0x60;

/// One end of a range of values: the value, and nothing about whether it belongs to the range, since values that are
/// different can share their bytes.
pub(crate) type End<'a> = Option<&'a Value>;

/// Appends a value; absence where there is none.
pub(crate) fn push(key: &mut Vec<u8>, value: Option<&Value>) {
    let Some(value) = value else { return key.push(ABSENT) };
    key.push(class(value));
    match value {
        Value::Bool(v) => key.push((*v).into()),
        Value::DateTime(v) => push_time(key, v.seconds, v.nanos),
        Value::Duration(v) => push_time(key, v.seconds, v.nanos),
        Value::String(v) => push_bytes(key, v.as_bytes()),
        Value::Binary(v) => push_bytes(key, v),
        Value::Uuid(v) => key.extend_from_slice(v.as_bytes()),
        Value::Char(v) => key.extend_from_slice(&u32::from(*v).to_be_bytes()),
        number => {
            if let Some(number) = number.as_f64() {
                push_number(key, number);
            }
        }
    }
}

/// What the keys begin with whose value after `prefix` can be between `low` and `high`, both included: from the first
/// bytes to below the second. Nothing if the index cannot tell, since an end is missing or a collection.
pub(crate) fn range(prefix: &[u8], low: End<'_>, high: End<'_>) -> Option<(Vec<u8>, Vec<u8>)> {
    let class = class(low.or(high)?);
    if class == COLLECTION {
        return None;
    }
    // Values of different types are not comparable: nothing is in such a range.
    if low.zip(high).is_some_and(|(low, high)| self::class(low) != self::class(high)) {
        return Some((Vec::new(), Vec::new()));
    }
    let (mut from, mut to) = (prefix.to_vec(), prefix.to_vec());
    match low {
        Some(low) => push_end(&mut from, low, Rounding::Down),
        None => from.push(class),
    }
    match high {
        Some(high) => push_end(&mut to, high, Rounding::Up),
        None => to.push(class),
    }
    increment(&mut to);
    Some((from, to))
}

/// What keys begin with that have these values first, up to the first of them that is not one with everything equal to
/// it; how many values that are.
pub(crate) fn prefix(values: &[Value]) -> (Vec<u8>, usize) {
    let mut prefix = Vec::new();
    let end = values.iter().position(|value| !is_one(value)).unwrap_or(values.len());
    values[..end].iter().for_each(|value| push(&mut prefix, Some(value)));
    (prefix, end)
}

/// Whether everything that equals a value has its bytes. A collection has none of its own. A float beside an int is
/// compared as a float, so a large one equals all those that round to it; beside a decimal it is compared by its shortest text.
fn is_one(value: &Value) -> bool {
    const EXACT: f64 = (1 << 24) as f64;
    match value {
        Value::Int(_) => value.as_f64().is_some_and(|number| number.abs() < EXACT),
        Value::Float(float) => {
            let text = float.to_string().parse();
            float.abs() < EXACT as f32 && text.is_ok_and(|text: f64| text == f64::from(*float))
        }
        Value::BigInteger(_) | Value::BigDecimal(_) => {
            value.as_f64().is_some_and(|number| f64::from(number as f32) == number)
        }
        value => class(value) != COLLECTION,
    }
}

/// How many bytes of a key its first value takes.
pub(crate) fn first_len(key: &[u8]) -> usize {
    let Some((class, rest)) = key.split_first() else { return 0 };
    let len = match class {
        0x10 => 1,
        0x20 => 8,
        0x30 | 0x80 => 12,
        0x50 => 16,
        0x70 => 4,
        0x40 | 0x78 => {
            let ends = |pair: &[u8]| pair[0] == 0 && pair[1] != 0xff;
            rest.windows(2).position(ends).map_or(rest.len(), |end| end + 2)
        }
        _ => 0,
    };
    (1 + len).min(key.len())
}

/// Makes bytes the first that are after everything that begins with them.
pub(crate) fn increment(bytes: &mut Vec<u8>) {
    while let Some(last) = bytes.pop() {
        if last < u8::MAX {
            bytes.push(last + 1);
            return;
        }
    }
}

#[derive(Clone, Copy)]
enum Rounding {
    Down,
    Up,
}

/// Appends the end of a range. A float beside an int, or a decimal, is not compared with its number as it is, so such a number
/// means all those that round to the same float.
fn push_end(key: &mut Vec<u8>, end: &Value, rounding: Rounding) {
    let single = match end {
        Value::Long(_) | Value::Double(_) => None,
        end => end.as_f64().map(|v| v as f32),
    };
    match single {
        Some(single) if single.is_finite() => {
            key.push(class(end));
            let rounded = match rounding {
                Rounding::Down => single.next_down(),
                Rounding::Up => single.next_up(),
            };
            push_number(key, rounded.into());
        }
        _ => push(key, Some(end)),
    }
}

fn class(value: &Value) -> u8 {
    match value {
        Value::Null => 0x05,
        Value::Bool(_) => 0x10,
        Value::DateTime(_) => 0x30,
        Value::String(_) => 0x40,
        Value::Uuid(_) => 0x50,
        Value::Char(_) => 0x70,
        Value::Binary(_) => 0x78,
        Value::Duration(_) => 0x80,
        number if number.is_number() => 0x20,
        _ => COLLECTION,
    }
}

fn push_number(key: &mut Vec<u8>, number: f64) {
    // Both zeros are one number, and every NaN comes after infinity.
    let number = if number == 0.0 {
        0.0
    } else if number.is_nan() {
        f64::NAN
    } else {
        number
    };
    let bits = number.to_bits();
    let sorted = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    key.extend_from_slice(&sorted.to_be_bytes());
}

fn push_time(key: &mut Vec<u8>, seconds: i64, nanos: u32) {
    key.extend_from_slice(&(seconds as u64 ^ 1 << 63).to_be_bytes());
    key.extend_from_slice(&nanos.to_be_bytes());
}

fn push_bytes(key: &mut Vec<u8>, bytes: &[u8]) {
    for &byte in bytes.iter().take(KEPT) {
        key.push(byte);
        if byte == 0 {
            key.push(0xff);
        }
    }
    key.extend_from_slice(if bytes.len() < KEPT { &[0, 1] } else { &[0, 2] });
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use values::{DateTime, Duration, compare};

    use super::*;

    fn key(value: &Value) -> Vec<u8> {
        let mut key = Vec::new();
        push(&mut key, Some(value));
        key
    }

    fn samples() -> Vec<Value> {
        let mut samples: Vec<Value> = Vec::new();
        for n in [
            0i64,
            1,
            -1,
            2,
            16_777_215,
            16_777_216,
            16_777_217,
            -16_777_217,
            1 << 53,
            (1 << 53) + 1,
            i64::MAX,
        ] {
            samples.push(Value::Long(n));
            samples.extend(i32::try_from(n).map(Value::Int));
            samples.push(Value::Double(n as f64));
            samples.push(Value::Double(n as f64 + 0.5));
            samples.push(Value::Float(n as f32));
            samples.push(values::BigInt::from(n).into());
        }
        samples.extend([f64::INFINITY, f64::NEG_INFINITY, -0.0, 1e-300].map(Value::Double));
        for text in ["0.1", "0.3", "0.5", "-0.7", "1e30", "16777217", "1e300"] {
            let double: f64 = text.parse().unwrap();
            samples.extend([Value::Double(double), Value::Float(double as f32)]);
            samples.push(values::number::parse_decimal(text).unwrap().into());
            samples.extend(format!("{double:.0}").parse::<values::BigInt>().map(Value::from));
        }
        for text in ["", "a", "ab", "a\0", "a\0b", "b", "ä", "\u{10ffff}"] {
            samples.push(text.into());
            samples.push(Value::from(format!("{}{text}", "x".repeat(255))));
        }
        samples.extend([true, false].map(Value::Bool));
        samples.extend(['a', 'ä'].map(Value::Char));
        for seconds in [-5, 0, 7] {
            samples.push(DateTime::new(seconds, 3, 3600).into());
            samples.push(Duration { seconds, nanos: 3 }.into());
        }
        samples
    }

    #[test]
    fn what_is_smaller_in_order_never_has_larger_bytes() {
        for a in samples() {
            for b in samples() {
                match compare::order(&a, &b) {
                    Ordering::Less => assert!(key(&a) <= key(&b), "{a:?} {b:?}"),
                    Ordering::Equal => assert_eq!(key(&a), key(&b), "{a:?} {b:?}"),
                    Ordering::Greater => {}
                }
            }
        }
    }

    #[test]
    fn where_a_value_ends_can_be_told_from_its_bytes() {
        let more = [Value::Null, values::Uuid::from_u128(7).into(), Value::list(vec![])];
        for first in samples().iter().chain(&more).map(Some).chain([None]) {
            for second in samples().iter().map(Some).chain([None]) {
                let mut key = Vec::new();
                push(&mut key, first);
                let len = key.len();
                push(&mut key, second);
                assert_eq!(first_len(&key), len, "{first:?} {second:?}");
            }
        }
    }

    #[test]
    fn a_value_that_is_one_with_its_equals_has_their_bytes() {
        for value in samples().iter().filter(|value| is_one(value)) {
            for other in samples().iter().filter(|other| compare::equals(value, other)) {
                assert_eq!(key(value), key(other), "{value:?} {other:?}");
            }
        }
    }

    #[test]
    fn a_range_holds_everything_that_compares_so() {
        let within = |value: &Value, range: &(Vec<u8>, Vec<u8>)| {
            let mut whole = b"prefix".to_vec();
            push(&mut whole, Some(value));
            whole.extend_from_slice(b"next component");
            range.0 <= whole && whole < range.1
        };
        for end in samples() {
            let at_least = range(b"prefix", Some(&end), None).unwrap();
            let at_most = range(b"prefix", None, Some(&end)).unwrap();
            let equal = range(b"prefix", Some(&end), Some(&end)).unwrap();
            for value in samples() {
                let ordering = compare::compare(&value, &end);
                let says = |wanted: &[Ordering]| ordering.is_some_and(|found| wanted.contains(&found));
                assert!(
                    !says(&[Ordering::Greater, Ordering::Equal]) || within(&value, &at_least),
                    "{value:?} >= {end:?}"
                );
                assert!(
                    !says(&[Ordering::Less, Ordering::Equal]) || within(&value, &at_most),
                    "{value:?} <= {end:?}"
                );
                assert!(!says(&[Ordering::Equal]) || within(&value, &equal), "{value:?} = {end:?}");
            }
        }
        let far = range(b"prefix", Some(&Value::Long(5)), Some(&Value::Long(9))).unwrap();
        assert!(
            !within(&Value::Long(4), &far) && !within(&Value::Long(10), &far) && !within(&"7".into(), &far)
        );
        assert_eq!(range(b"", Some(&Value::list(vec![])), None), None);
        assert!(!within(
            &Value::Long(5),
            &range(b"prefix", Some(&Value::Long(1)), Some(&"x".into())).unwrap()
        ));
    }
}
