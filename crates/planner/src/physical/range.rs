//! The ranges of values that predicates describe.

use gremlin::PredicateOp;
use values::Value;

use super::expr::{Operand, Predicate};

/// The ends of the range that a predicate describes.
pub(crate) fn ends(predicate: &Predicate) -> (Option<Operand>, Option<Operand>) {
    match predicate {
        Predicate::Compare(op, operand) if is_known(operand) => match op {
            PredicateOp::Gt | PredicateOp::Gte => (Some(operand.clone()), None),
            PredicateOp::Lt | PredicateOp::Lte => (None, Some(operand.clone())),
            PredicateOp::Eq => (Some(operand.clone()), Some(operand.clone())),
            PredicateOp::Neq => (None, None),
        },
        Predicate::And(all) => {
            all.iter().map(ends).fold((None, None), |(low, high), (further_low, further_high)| {
                (low.or(further_low), high.or(further_high))
            })
        }
        _ => (None, None),
    }
}

/// Whether a value is there before the query runs. Null and collections are not in order with anything.
pub(crate) fn is_known(operand: &Operand) -> bool {
    match operand {
        Operand::Const(value) => {
            !matches!(value, Value::Null | Value::List(_) | Value::Set(_) | Value::BulkSet(_) | Value::Map(_))
        }
        Operand::Param(_) => true,
        _ => false,
    }
}
