//! Arithmetic and casts, as TinkerPop's NumberHelper defines them.

use values::number::{self, ArithmeticError, CastError, NumberType};
use values::{BigInt, GType, Value};

fn decimal(text: &str) -> Value {
    number::parse_decimal(text).unwrap().into()
}

fn big(text: &str) -> Value {
    text.parse::<BigInt>().unwrap().into()
}

#[test]
fn the_wider_operand_decides_the_type_of_a_sum() {
    assert_eq!(number::add(&Value::Byte(1), &Value::Byte(2)), Ok(Value::Byte(3)));
    assert_eq!(number::add(&Value::Byte(1), &Value::Short(2)), Ok(Value::Short(3)));
    assert_eq!(number::add(&Value::Int(1), &Value::Long(2)), Ok(Value::Long(3)));
    assert_eq!(number::add(&Value::Int(1), &Value::Float(0.5)), Ok(Value::Float(1.5)));
    assert_eq!(number::add(&Value::Long(1), &Value::Float(0.5)), Ok(Value::Double(1.5)));
    assert_eq!(number::add(&Value::Double(1.0), &decimal("0.5")), Ok(decimal("1.5")));
    assert_eq!(number::add(&big("1"), &Value::Double(0.5)), Ok(decimal("1.5")));
}

#[test]
fn integers_widen_on_overflow_up_to_long() {
    assert_eq!(number::add(&Value::Byte(127), &Value::Byte(1)), Ok(Value::Short(128)));
    assert_eq!(number::mul(&Value::Byte(-128), &Value::Byte(-128)), Ok(Value::Short(16_384)));
    assert_eq!(number::div(&Value::Byte(-128), &Value::Byte(-1)), Ok(Value::Short(128)));
    assert_eq!(number::mul(&Value::Short(i16::MAX), &Value::Short(4)), Ok(Value::Int(131_068)));
    assert_eq!(number::sub(&Value::Int(i32::MIN), &Value::Int(1)), Ok(Value::Long(-2_147_483_649)));
    assert_eq!(
        number::add(&Value::Long(i64::MAX), &Value::Long(1)),
        Err(ArithmeticError::Overflow { operation: "add" })
    );
    assert_eq!(number::add(&Value::Long(i64::MAX), &big("1")), Ok(big("9223372036854775808")));
}

#[test]
fn floats_widen_and_then_become_infinite() {
    assert_eq!(
        number::mul(&Value::Float(f32::MAX), &Value::Float(2.0)),
        Ok(Value::Double(f64::from(f32::MAX) * 2.0))
    );
    assert_eq!(number::mul(&Value::Double(f64::MAX), &Value::Int(2)), Ok(Value::Double(f64::INFINITY)));
    assert_eq!(number::div(&Value::Double(1.0), &Value::Int(0)), Ok(Value::Double(f64::INFINITY)));
}

#[test]
fn division_truncates_integers_and_refuses_zero() {
    assert_eq!(number::div(&Value::Int(-7), &Value::Int(2)), Ok(Value::Int(-3)));
    assert_eq!(number::div(&Value::Int(1), &Value::Int(0)), Err(ArithmeticError::DivisionByZero));
    assert_eq!(number::div(&big("7"), &big("0")), Err(ArithmeticError::DivisionByZero));
    assert_eq!(number::div(&decimal("1"), &decimal("0.0")), Err(ArithmeticError::DivisionByZero));
    assert_eq!(number::mean(&Value::Int(7), 2), Ok(Value::Double(3.5)));
    assert_eq!(number::mean(&decimal("10"), 4), Ok(decimal("2.5")));
}

#[test]
fn null_is_taken_as_the_left_operand() {
    assert_eq!(number::add(&Value::Int(1), &Value::Null), Ok(Value::Int(1)));
    assert_eq!(number::add(&Value::Null, &Value::Int(1)), Ok(Value::Null));
}

#[test]
fn what_is_not_a_number_is_named() {
    let error = number::add(&Value::str("a"), &Value::Int(1)).unwrap_err();
    assert_eq!(error, ArithmeticError::NotANumber { operation: "add", found: "String" });
    let error = number::min(&Value::str("a"), &Value::Int(1)).unwrap_err();
    assert_eq!(error, ArithmeticError::NotComparable { left: "String", right: "Integer" });
}

#[test]
fn results_of_absurd_size_are_refused_quickly() {
    let huge = decimal("1E+2000000000");
    assert_eq!(number::add(&huge, &Value::Int(1)), Err(ArithmeticError::TooLarge));
    assert_eq!(number::mul(&huge, &huge), Err(ArithmeticError::TooLarge));
    let mut n = big("10");
    let error = loop {
        match number::mul(&n, &n) {
            Ok(square) => n = square,
            Err(error) => break error,
        }
    };
    assert_eq!(error, ArithmeticError::TooLarge);
    assert_eq!(number::add(&Value::Double(f64::NAN), &huge), Err(ArithmeticError::NotFinite));
}

#[test]
fn extremes_are_promoted_and_pass_over_nan_and_null() {
    assert_eq!(number::min(&Value::Int(1), &Value::Long(2)), Ok(Value::Long(1)));
    assert_eq!(number::max(&Value::Int(1), &Value::Float(2.0)), Ok(Value::Float(2.0)));
    assert_eq!(number::max(&Value::Double(f64::NAN), &Value::Int(2)), Ok(Value::Int(2)));
    assert_eq!(number::max(&Value::Null, &Value::Int(2)), Ok(Value::Int(2)));
    assert_eq!(number::min(&Value::str("a"), &Value::str("b")), Ok(Value::str("a")));
}

#[test]
fn casts_cut_fractions_and_refuse_what_does_not_fit() {
    use NumberType::*;
    assert_eq!(number::cast(&Value::Double(5.9), Int), Ok(Value::Int(5)));
    assert_eq!(number::cast(&Value::Float(0.1), Double), Ok(Value::Double(0.1)));
    assert_eq!(number::cast(&decimal("-5.9"), Long), Ok(Value::Long(-5)));
    assert_eq!(number::cast(&Value::Int(5), BigDecimal), Ok(decimal("5")));
    assert_eq!(number::cast(&Value::Double(1e20), BigInteger), Ok(big("100000000000000000000")));
    assert_eq!(
        number::cast(&Value::Int(300), Byte),
        Err(CastError::Overflow { from: "Integer", to: "Byte" })
    );
    assert_eq!(number::cast(&Value::Double(f64::NAN), Int), Err(CastError::NotANumberValue("Integer")));
    assert_eq!(number::cast(&Value::Float(f32::INFINITY), Long), Err(CastError::Infinite("Long")));
    assert_eq!(
        number::cast(&decimal("1E+400"), Double),
        Err(CastError::Overflow { from: "BigDecimal", to: "Double" })
    );
    assert!(number::cast(&decimal("1E+2000000000"), BigInteger).is_err());
    assert_eq!(number::cast(&Value::str("1"), Int), Err(CastError::NotANumber("String")));
}

#[test]
fn types_are_known_by_token_and_by_class_name() {
    assert_eq!(GType::from_name("INT"), Some(GType::Int));
    assert_eq!(GType::from_name("GType.INT"), Some(GType::Int));
    assert_eq!(GType::from_name("Integer"), Some(GType::Int));
    assert_eq!(GType::from_name("int"), None);
    assert!(GType::Number.contains(&decimal("1")));
    assert!(GType::Int.contains(&Value::Int(1)) && !GType::Int.contains(&Value::Long(1)));
    assert_eq!(Value::Null.type_name(), "null");
}
