//! Types of property values, and which values fit them.

use values::{GType, Value, number};

/// The type of a declared property: one of Gremlin's types that a property can have.
pub type ValueType = GType;

/// Whether properties can have this type: scalars, and collections of what can be stored.
pub fn is_storable_type(value_type: ValueType) -> bool {
    use GType::*;
    matches!(
        value_type,
        BigDecimal
            | BigInt
            | Binary
            | Boolean
            | Byte
            | Char
            | DateTime
            | Double
            | Duration
            | Float
            | Int
            | List
            | Long
            | Map
            | Number
            | Set
            | Short
            | String
            | Uuid
    )
}

/// The name of a type in schema files and services: `long`, `string`, `datetime`.
pub(crate) fn type_name(value_type: ValueType) -> String {
    value_type.as_str().to_lowercase()
}

/// The type with this name, in whatever case; `bool` and `integer` are understood as well.
pub(crate) fn type_from_name(name: &str) -> Option<ValueType> {
    let upper = name.to_uppercase();
    let token = match upper.as_str() {
        "BOOL" => "BOOLEAN",
        "INTEGER" => "INT",
        other => other,
    };
    GType::from_name(token).filter(|found| is_storable_type(*found))
}

/// Whether numbers of one type can become numbers of another, where nothing is lost.
///
/// ```text
/// byte ─▶ short ─▶ int ─▶ long ─▶ big integer ─┐
///                          └──▶ float ─▶ double ─┴─▶ big decimal
/// ```
fn widens(from: ValueType, to: ValueType) -> bool {
    const WHOLE: [GType; 5] = [GType::Byte, GType::Short, GType::Int, GType::Long, GType::BigInt];
    const BINARY: [GType; 2] = [GType::Float, GType::Double];
    let place = |types: &[GType], of| types.iter().position(|known| *known == of);
    match (place(&WHOLE, from), place(&BINARY, from)) {
        (Some(from), _) => {
            place(&WHOLE, to).is_some_and(|to| from < to) || BINARY.contains(&to) || to == GType::BigDecimal
        }
        (None, Some(from)) => place(&BINARY, to).is_some_and(|to| from < to) || to == GType::BigDecimal,
        (None, None) => false,
    }
}

/// The value as one of the declared type: itself, or a wider number that is equal; nothing if it does not fit.
pub(crate) fn fit(value: &Value, declared: ValueType) -> Option<Value> {
    if declared.contains(value) {
        return Some(value.clone());
    }
    if !widens(value.gtype()?, declared) {
        return None;
    }
    let wider = match value {
        // The very number: a cast goes through its text, and `0.1f` would no longer equal what it was stored as.
        Value::Float(single) if declared == GType::Double => Value::Double(f64::from(*single)),
        value => number::cast(value, declared.number_type()?).ok()?,
    };
    // Back and the same: 2⁵³ + 1 has no double.
    let back = number::cast(&wider, value.number_type()?).ok()?;
    // A double may be one more than the largest long, and a cast back makes that of it.
    let is_whole = !matches!(value, Value::Float(_) | Value::Double(_) | Value::BigDecimal(_));
    (back == *value && (!is_whole || number::order(value, &wider).is_eq())).then_some(wider)
}

/// A stored value as one of a type that was declared later: as [`fit`], but only what is the very same number, so that it has
/// its place in every order and its hash in every index as before. A double has no decimal in this sense.
pub(crate) fn retype(value: &Value, declared: ValueType) -> Option<Value> {
    if declared.contains(value) {
        return Some(value.clone());
    }
    // Decimals are made of the text of a double, which is another number.
    if matches!(value, Value::Float(_) | Value::Double(_)) && declared != GType::Double {
        return None;
    }
    fit(value, declared).filter(|fitting| number::order(value, fitting).is_eq())
}

/// Whether every value of one type is, by [`retype`], one of another.
pub(crate) fn embeds(from: ValueType, to: ValueType) -> bool {
    use GType::{BigDecimal, BigInt, Byte, Double, Float, Int, Long, Number, Short};
    from == to
        || match to {
            Double => matches!(from, Byte | Short | Int | Float),
            Float => matches!(from, Byte | Short),
            BigDecimal => matches!(from, Byte | Short | Int | Long | BigInt),
            Number => from.number_type().is_some(),
            _ => widens(from, to),
        }
}

/// Whether values of other types can be read as this one.
pub(crate) fn takes_others(declared: ValueType) -> bool {
    declared.number_type().is_some() && declared != GType::Byte
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_widen_where_nothing_is_lost() {
        assert_eq!(fit(&Value::Int(5), GType::Long), Some(Value::Long(5)));
        assert_eq!(fit(&Value::Int(5), GType::Double), Some(Value::Double(5.0)));
        assert_eq!(fit(&Value::Float(0.5), GType::Double), Some(Value::Double(0.5)));
        assert_eq!(fit(&Value::Long(1 << 53), GType::Double), Some(Value::Double((1u64 << 53) as f64)));
        assert_eq!(fit(&Value::Long((1 << 53) + 1), GType::Double), None, "no double is that number");
        assert_eq!(fit(&Value::Int((1 << 24) + 1), GType::Float), None);
        assert_eq!(fit(&Value::Double(5.0), GType::BigInt), None);
        assert_eq!(fit(&Value::Int(7), GType::Number), Some(Value::Int(7)));
    }

    /// Of every type of number: small, large, and such as have no equal elsewhere.
    fn numbers() -> Vec<Value> {
        let mut numbers = vec![Value::Byte(-7), Value::Short(300), Value::Float(0.1), Value::Double(0.1)];
        numbers.extend([f64::NAN, f64::INFINITY, -0.0, 1e300].map(Value::Double));
        numbers.extend([f32::NAN, f32::INFINITY, -0.0, 1e30].map(Value::Float));
        for n in [0i64, 1, -1, 5, 127, 128, 40_000, 1 << 24, (1 << 24) + 1, 1 << 53, (1 << 53) + 1, i64::MAX]
        {
            numbers.extend(i8::try_from(n).map(Value::Byte));
            numbers.extend(i16::try_from(n).map(Value::Short));
            numbers.extend(i32::try_from(n).map(Value::Int));
            numbers.push(Value::Long(n));
            numbers.push(values::BigInt::from(n).into());
        }
        numbers.push((values::BigInt::from(i64::MAX) * values::BigInt::from(1_000)).into());
        numbers
    }

    #[test]
    fn what_is_read_as_another_type_keeps_its_place_in_orders_and_its_hash_in_indexes() {
        let key = |value: &Value| {
            let mut key = Vec::new();
            crate::model::order_key::push(&mut key, Some(value));
            key
        };
        for value in numbers() {
            for &to in GType::ALL {
                let Some(read) = retype(&value, to) else { continue };
                assert!(to.contains(&read), "{value:?} as {to:?}: {read:?}");
                assert!(number::order(&value, &read).is_eq(), "{value:?} as {to:?}");
                assert_eq!(
                    crate::model::scalar_hash::index_hash(&value),
                    crate::model::scalar_hash::index_hash(&read),
                    "{value:?} as {to:?}"
                );
                assert_eq!(key(&value), key(&read), "{value:?} as {to:?}");
                assert_eq!(
                    format!("{:?}", retype(&read, to)),
                    format!("{:?}", Some(&read)),
                    "once is enough"
                );
            }
        }
        assert_eq!(retype(&Value::Double(0.5), GType::BigDecimal), None);
        assert_eq!(retype(&Value::Float(0.1), GType::Double), Some(Value::Double(0.1f32.into())));
    }

    #[test]
    fn every_value_of_a_type_that_embeds_can_be_read_as_the_other() {
        for value in numbers() {
            let from = value.gtype().unwrap();
            let all = GType::ALL.iter().filter(|to| embeds(from, **to));
            all.for_each(|to| assert!(retype(&value, *to).is_some(), "{value:?} as {to:?}"));
        }
        assert!(embeds(GType::Int, GType::Long) && embeds(GType::Float, GType::Double));
        assert!(!embeds(GType::Long, GType::Double) && !embeds(GType::Int, GType::Float));
        assert!(!embeds(GType::Double, GType::BigDecimal) && !embeds(GType::Long, GType::Int));
        assert!(embeds(GType::Short, GType::Number) && !embeds(GType::String, GType::Number));
    }

    #[test]
    fn nothing_narrows_and_nothing_that_is_no_number_becomes_one() {
        assert_eq!(fit(&Value::Long(5), GType::Int), None);
        assert_eq!(fit(&Value::Double(5.0), GType::Long), None);
        assert_eq!(fit(&Value::str("5"), GType::Int), None);
        assert_eq!(fit(&Value::Int(5), GType::String), None);
        assert_eq!(fit(&Value::Null, GType::String), None);
    }

    #[test]
    fn a_type_comes_back_from_its_name() {
        for &value_type in GType::ALL.iter().filter(|value_type| is_storable_type(**value_type)) {
            assert_eq!(type_from_name(&type_name(value_type)), Some(value_type));
        }
        assert_eq!(type_from_name("bool"), Some(GType::Boolean));
        assert_eq!(type_from_name("vertex"), None);
    }
}
