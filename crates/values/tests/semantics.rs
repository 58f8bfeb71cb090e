//! TinkerPop's documented cases of equality, comparability, orderability and equivalence.

use std::cmp::Ordering::{self, Equal, Greater, Less};
use std::collections::HashSet;

use values::compare::{compare, equals, order};
use values::{BigDecimal, BigInt, DateTime, Map, Property, Set, Uuid, Value};

fn decimal(text: &str) -> Value {
    values::number::parse_decimal(text).unwrap().into()
}

fn list<const N: usize>(items: [Value; N]) -> Value {
    Value::list(items.to_vec())
}

fn set<const N: usize>(items: [Value; N]) -> Value {
    items.into_iter().collect::<Set>().into()
}

fn map<const N: usize>(entries: [(Value, Value); N]) -> Value {
    entries.into_iter().collect::<Map>().into()
}

/// One of every type of number, all of them one.
fn ones() -> Vec<Value> {
    let big = BigInt::from(1);
    vec![
        Value::Byte(1),
        Value::Short(1),
        Value::Int(1),
        Value::Long(1),
        Value::Float(1.0),
        Value::Double(1.0),
        big.into(),
        Value::from(BigDecimal::from(1)),
    ]
}

#[test]
fn numbers_of_every_type_are_equal_by_value_but_not_equivalent() {
    for (i, a) in ones().iter().enumerate() {
        for (j, b) in ones().iter().enumerate() {
            assert!(equals(a, b), "{a:?} {b:?}");
            assert_eq!(a == b, i == j, "{a:?} {b:?}");
        }
        assert_eq!(compare(a, &Value::Int(1000)), Some(Less));
        assert_eq!(compare(&decimal("1.5"), a), Some(Greater));
    }
    assert_eq!(ones().into_iter().collect::<HashSet<_>>().len(), 8);
}

#[test]
fn numbers_are_compared_after_promotion_and_ordered_exactly() {
    let (long, double) = (Value::Long(9_007_199_254_740_993), Value::Double(9_007_199_254_740_992.0));
    assert!(equals(&long, &double));
    assert_eq!(order(&long, &double), Greater);
    assert!(equals(&decimal("0.1"), &Value::Double(0.1)));
    assert!(equals(&decimal("0.1"), &Value::Float(0.1)));
    assert!(!equals(&Value::Double(0.1), &Value::Float(0.1)));
    assert_eq!(order(&decimal("0.1"), &Value::Double(0.1)), Less);
}

#[test]
fn nan_equals_nothing_compares_to_nothing_and_comes_last() {
    for nan in [Value::Double(f64::NAN), Value::Float(f32::NAN)] {
        for other in
            [Value::Double(f64::NAN), Value::Int(1), Value::Double(f64::INFINITY), Value::Null, decimal("1")]
        {
            assert_eq!(compare(&nan, &other), None);
            assert_eq!(compare(&other, &nan), None);
        }
        assert_eq!(order(&nan, &Value::Double(f64::INFINITY)), Greater);
        assert_eq!(order(&nan, &decimal("1E+2000000000")), Greater);
        assert_eq!(nan, nan.clone());
    }
    assert_ne!(Value::Double(f64::NAN), Value::Float(f32::NAN));
}

#[test]
fn infinities_adhere_to_promotion_and_zeros_have_no_sign() {
    let (pos, neg) = (Value::Double(f64::INFINITY), Value::Float(f32::NEG_INFINITY));
    assert!(equals(&pos, &Value::Float(f32::INFINITY)));
    assert_eq!(compare(&neg, &pos), Some(Less));
    assert_eq!(compare(&pos, &decimal("1E+2000000000")), Some(Greater));
    assert_eq!(compare(&decimal("-1E+2000000000"), &neg), Some(Greater));
    assert!(equals(&Value::Double(-0.0), &Value::Double(0.0)));
    assert_eq!(Value::Double(-0.0), Value::Double(0.0));
    assert!(equals(&Value::Float(-0.0), &Value::Int(0)));
}

#[test]
fn null_equals_null_and_types_do_not_mix() {
    assert!(equals(&Value::Null, &Value::Null));
    assert_eq!(compare(&Value::Null, &Value::Int(0)), None);
    assert_eq!(compare(&Value::str("1"), &Value::Int(1)), None);
    let uuid = Uuid::parse_str("b46d37e9-755c-477e-9ab6-44aabea51d50").unwrap();
    assert_eq!(compare(&Value::Uuid(uuid), &Value::str(uuid.to_string())), None);
    assert_eq!(compare(&Value::Bool(false), &Value::Bool(true)), Some(Less));
}

#[test]
fn lists_are_compared_pairwise() {
    let int = Value::Int;
    let cases: [(Value, Value, Option<Ordering>); 13] = [
        (list([]), list([]), Some(Equal)),
        (list([]), list([int(1)]), Some(Less)),
        (list([int(1)]), list([]), Some(Greater)),
        (list([int(1), int(2), int(3)]), list([int(1), int(2), int(3)]), Some(Equal)),
        (list([int(1), int(2), int(3)]), list([int(1), int(2), int(4)]), Some(Less)),
        (list([int(1), int(2), int(3)]), list([int(1), int(2), int(3), int(4)]), Some(Less)),
        (list([int(1), int(2), int(3), int(4)]), list([int(1), int(2), int(3)]), Some(Greater)),
        (list([int(1), int(2)]), list([Value::Double(1.0), Value::Double(2.0)]), Some(Equal)),
        (list([int(1), Value::str("a")]), list([int(1), Value::str("b")]), Some(Less)),
        (list([int(1)]), list([Value::str("a")]), None),
        // All pairs must be comparable, also those behind the one that decides; not those of which one side has no more.
        (list([int(1), int(9)]), list([int(2), Value::str("a")]), None),
        (list([int(1), list([int(9)])]), list([int(2), list([Value::str("a")])]), None),
        (list([int(1)]), list([int(2), Value::str("a")]), Some(Less)),
    ];
    for (a, b, expected) in cases {
        assert_eq!(compare(&a, &b), expected, "{a} {b}");
    }
}

#[test]
fn sets_and_maps_are_compared_in_sorted_order() {
    let (one, two, foo) = (Value::Int(1), Value::Int(2), Value::str("foo"));
    assert!(equals(&set([one.clone(), two.clone()]), &set([two.clone(), one.clone()])));
    assert!(equals(&set([one.clone(), foo.clone()]), &set([foo.clone(), one.clone()])));
    assert!(equals(&set([one.clone(), two.clone()]), &set([Value::Double(1.0), Value::Double(2.0)])));
    assert!(!equals(&set([one.clone(), Value::Double(1.0), two.clone()]), &set([one.clone(), two.clone()])));
    let a = map([(one.clone(), foo.clone()), (two.clone(), foo.clone())]);
    let b = map([(two.clone(), foo.clone()), (one.clone(), foo.clone())]);
    assert!(equals(&a, &b));
    assert_eq!(a, b);
    assert_eq!(compare(&a, &map([(one, foo.clone()), (two, Value::str("fop"))])), Some(Less));
    assert_eq!(compare(&set([foo.clone()]), &list([foo])), None);
}

#[test]
fn properties_are_compared_by_key_then_value() {
    let property = |key: &str, value: Value| Value::from(Property { key: key.into(), value, owner: None });
    assert_eq!(compare(&property("a", Value::Int(2)), &property("b", Value::Int(1))), Some(Less));
    assert_eq!(compare(&property("a", Value::Int(2)), &property("b", Value::str("x"))), None);
    assert_eq!(compare(&property("a", Value::Int(2)), &property("a", Value::Int(1))), Some(Greater));
    assert_eq!(compare(&property("a", Value::Int(2)), &property("a", Value::str("x"))), None);
}

#[test]
fn date_times_are_instants() {
    let noon: DateTime = "2024-05-01T12:00:00Z".parse().unwrap();
    let elsewhere: DateTime = "2024-05-01T14:00:00+02:00".parse().unwrap();
    assert!(equals(&noon.into(), &elsewhere.into()));
    assert_eq!(Value::from(noon), Value::from(elsewhere));
}

#[test]
fn orderability_spans_all_types() {
    let date = |text: &str| Value::from(text.parse::<DateTime>().unwrap());
    let uuid = |text: &str| Value::Uuid(Uuid::parse_str(text).unwrap());
    let s = Value::str;
    // The answer to TinkerPop's scenario g_inject_order.
    let expected = [
        Value::Null,
        Value::Bool(false),
        Value::Bool(true),
        Value::Double(f64::NEG_INFINITY),
        Value::Int(1),
        Value::Double(2.0),
        Value::Double(f64::INFINITY),
        Value::Double(f64::NAN),
        date("2023-01-01T00:00:00Z"),
        date("2023-08-01T00:00:00Z"),
        s("bar"),
        s("foo"),
        s("zzz"),
        uuid("5100808b-62f9-42b7-957e-ed66c30f40d1"),
        uuid("6100808b-62f9-42b7-957e-ed66c30f40d1"),
        set([s("x"), s("y"), s("z")]),
        list([s("a"), s("b"), s("c")]),
        list([s("a"), s("b"), s("c"), s("d")]),
        map([(s("a"), s("a")), (s("b"), Value::Bool(false)), (s("c"), s("c"))]),
        map([(s("a"), s("a")), (s("b"), s("b"))]),
    ];
    let mut shuffled = expected.to_vec();
    shuffled.reverse();
    shuffled.swap(3, 11);
    shuffled.sort_by(order);
    assert_eq!(shuffled, expected);
}
