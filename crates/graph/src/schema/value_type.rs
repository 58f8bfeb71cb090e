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

/// The value as one of the declared type: itself, or a wider number that is exactly equal; nothing if it does not fit.
pub(crate) fn fit(value: &Value, declared: ValueType) -> Option<Value> {
    if declared.contains(value) {
        return Some(value.clone());
    }
    if !widens(value.gtype()?, declared) {
        return None;
    }
    let wider = number::cast(value, declared.number_type()?).ok()?;
    // Back and the same: 2⁵³ + 1 has no double.
    let back = number::cast(&wider, value.number_type()?).ok()?;
    (back == *value).then_some(wider)
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
