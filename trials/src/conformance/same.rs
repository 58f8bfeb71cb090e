//! When a result is the one that was expected: of the same type, with the same content.

use std::fmt::Write;

use values::{Map, Set, Value};

/// Doubles may differ by so much, as in TinkerPop's own runner: sums depend on the order of their parts.
const TOLERANCE: f64 = 1e-15;

/// Whether two results are the same: types count, the order of sets and maps does not, elements are compared by id,
/// of paths the objects. A double may be off by [`TOLERANCE`], but a zero has a sign.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
        (Value::Double(a), Value::Double(b)) => same_double(*a, *b),
        (Value::BigDecimal(a), Value::BigDecimal(b)) => {
            a.as_bigint_and_exponent() == b.as_bigint_and_exponent()
        }
        (Value::DateTime(a), Value::DateTime(b)) => a == b && a.zone() == b.zone(),
        (Value::List(a), Value::List(b)) => all_same(a, b),
        // Drivers know no bulk set: they make a list of it, in whatever order it came.
        (Value::List(list), Value::BulkSet(set)) | (Value::BulkSet(set), Value::List(list)) => {
            let listed: values::BulkSet = list.iter().map(|item| (item.clone(), 1)).collect();
            listed == ***set
        }
        (Value::Path(a), Value::Path(b)) => all_same(&a.objects, &b.objects),
        (Value::Set(a), Value::Set(b)) => same_sets(a, b),
        (Value::Map(a), Value::Map(b)) => same_maps(a, b),
        (Value::Vertex(a), Value::Vertex(b)) => same(&a.id, &b.id),
        (Value::Edge(a), Value::Edge(b)) => same(&a.id, &b.id),
        (Value::VertexProperty(a), Value::VertexProperty(b)) => {
            same(&a.id, &b.id) && a.key == b.key && same(&a.value, &b.value)
        }
        (Value::Property(a), Value::Property(b)) => a.key == b.key && same(&a.value, &b.value),
        (a, b) => a == b,
    }
}

fn same_double(a: f64, b: f64) -> bool {
    if a == 0.0 && b == 0.0 {
        return a.is_sign_negative() == b.is_sign_negative();
    }
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= TOLERANCE
}

fn all_same(a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

fn same_sets(a: &Set, b: &Set) -> bool {
    a.len() == b.len() && a.iter().all(|member| b.iter().any(|other| same(member, other)))
}

fn same_maps(a: &Map, b: &Map) -> bool {
    let has = |key: &Value, value: &Value| b.iter().any(|(k, v)| same(key, k) && same(value, v));
    a.len() == b.len() && a.iter().all(|(key, value)| has(key, value))
}

/// What of `expected` is missing in `results`, and what of these is too much, whatever the order.
pub(crate) fn differences<'a>(
    expected: &'a [Value],
    results: &'a [Value],
) -> (Vec<&'a Value>, Vec<&'a Value>) {
    let mut left: Vec<&Value> = results.iter().collect();
    let mut missing = Vec::new();
    for value in expected {
        match left.iter().position(|result| same(value, result)) {
            Some(at) => drop(left.swap_remove(at)),
            None => missing.push(value),
        }
    }
    (missing, left)
}

/// Values in the notation of the scenarios, at most a few of them.
pub(crate) fn print_all<'a>(values: impl IntoIterator<Item = &'a Value>) -> String {
    /// More than anybody reads.
    const MOST: usize = 12;
    let values: Vec<_> = values.into_iter().collect();
    let shown: Vec<_> = values.iter().take(MOST).map(|value| print(value)).collect();
    let mut text = shown.join(", ");
    if values.len() > MOST {
        let _ = write!(text, ", … ({} in all)", values.len());
    }
    if values.is_empty() { "nothing".to_owned() } else { text }
}

/// A value in the notation of the scenarios, with its type; elements by id.
pub(crate) fn print(value: &Value) -> String {
    let list = |values: &mut dyn Iterator<Item = &Value>| values.map(print).collect::<Vec<_>>().join(",");
    match value {
        Value::Byte(_) => format!("d[{value}].b"),
        Value::Short(_) => format!("d[{value}].s"),
        Value::Int(_) => format!("d[{value}].i"),
        Value::Long(_) => format!("d[{value}].l"),
        Value::BigInteger(_) => format!("d[{value}].n"),
        Value::Float(_) => format!("d[{value}].f"),
        Value::Double(_) => format!("d[{value}].d"),
        Value::BigDecimal(_) => format!("d[{value}].m"),
        Value::String(text) => format!("{text:?}"),
        Value::DateTime(_) => format!("dt[{value}]"),
        Value::Uuid(_) => format!("uuid[{value}]"),
        Value::List(items) => format!("l[{}]", list(&mut items.iter())),
        Value::Set(items) => format!("s[{}]", list(&mut items.iter())),
        Value::Path(path) => format!("p[{}]", list(&mut path.objects.iter())),
        Value::Map(map) => {
            let entries = map.iter().map(|(key, value)| format!("{}: {}", print(key), print(value)));
            format!("m[{{{}}}]", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Vertex(vertex) => format!("v[{}]", print(&vertex.id)),
        Value::Edge(edge) => format!("e[{}]", print(&edge.id)),
        Value::T(token) => format!("t[{token}]"),
        Value::Direction(direction) => format!("D[{direction}]"),
        Value::Null | Value::Bool(_) => value.to_string(),
        other => format!("{}({other})", other.type_name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(values: &[Value]) -> Value {
        values.to_vec().into()
    }

    fn set(values: &[Value]) -> Value {
        values.iter().cloned().collect::<Set>().into()
    }

    #[test]
    fn types_count() {
        for (a, b) in [
            (Value::Int(1), Value::Long(1)),
            (Value::Int(1), Value::Double(1.0)),
            (Value::Float(1.0), Value::Double(1.0)),
            (Value::Double(0.0), Value::Double(-0.0)),
            (Value::str("1"), Value::Int(1)),
            (Value::Null, Value::str("null")),
            (list(&[]), set(&[])),
            (list(&[Value::Int(1)]), list(&[Value::Long(1)])),
            (values::Vertex::reference(1, "a").into(), values::Vertex::reference(1_i64, "a").into()),
        ] {
            assert!(!same(&a, &b), "{} is not {}", print(&a), print(&b));
        }
    }

    #[test]
    fn order_counts_in_lists_and_paths_alone() {
        let (one, two) = (Value::Int(1), Value::Int(2));
        assert!(!same(&list(&[one.clone(), two.clone()]), &list(&[two.clone(), one.clone()])));
        assert!(same(&set(&[one.clone(), two.clone()]), &set(&[two.clone(), one.clone()])));
        let map = |entries: [(&Value, &Value); 2]| {
            Value::from(entries.map(|(k, v)| (k.clone(), v.clone())).into_iter().collect::<Map>())
        };
        assert!(same(&map([(&one, &two), (&two, &one)]), &map([(&two, &one), (&one, &two)])));
        assert!(!same(&map([(&one, &two), (&two, &one)]), &map([(&one, &one), (&two, &two)])));
    }

    #[test]
    fn a_double_may_be_rounded_and_nan_is_nan() {
        assert!(same(&Value::Double(0.1 + 0.2), &Value::Double(0.3)));
        assert!(!same(&Value::Double(0.3), &Value::Double(0.300_001)));
        assert!(same(&Value::Double(f64::NAN), &Value::Double(-f64::NAN)));
    }

    #[test]
    fn results_match_one_to_one() {
        let results = [1, 1, 2].map(Value::Int);
        let expected = [1, 2, 2].map(Value::Int);
        let (missing, surplus) = differences(&expected, &results);
        assert_eq!((missing, surplus), (vec![&Value::Int(2)], vec![&Value::Int(1)]));
        let (missing, surplus) = differences(&results, &results);
        assert!(missing.is_empty() && surplus.is_empty());
    }
}
