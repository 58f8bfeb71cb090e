//! Tests on text.

use graph::ValueRef;
use gremlin::TextOp;
use planner::physical::{Operand, Slot};
use regex::{Regex, RegexBuilder};
use values::{Str, Value};

use crate::batch::Batch;
use crate::error::QueryError;

use super::Resolver;

/// Most bytes that a compiled regular expression may take.
const REGEX_BYTES: usize = 1 << 20;

/// A text predicate with its operand.
#[derive(Debug)]
pub(in crate::operators) enum TextCheck {
    Plain(TextOp, Option<Str>),
    Slot(TextOp, Slot),
    Regex { regex: Box<Regex>, negated: bool },
}

impl TextCheck {
    pub(super) fn new(op: TextOp, operand: &Operand, with: Resolver<'_>) -> Result<Self, QueryError> {
        let value = match (operand, with.value(operand)) {
            (Operand::Slot(slot), _) => return Ok(Self::Slot(op, *slot)),
            (_, value) => value.unwrap_or_default(),
        };
        let text = match value {
            Value::String(text) => Some(text),
            Value::Null => None,
            other => {
                let message =
                    format!("a text predicate needs text, not a value of type {}", other.type_name());
                return Err(QueryError::step(&with.cx.op.step, message));
            }
        };
        match (op, &text) {
            (TextOp::Regex | TextOp::NotRegex, Some(pattern)) => {
                let regex = compile(pattern).map_err(|e| QueryError::step(&with.cx.op.step, e))?;
                Ok(Self::Regex { regex: Box::new(regex), negated: op == TextOp::NotRegex })
            }
            _ => Ok(Self::Plain(op, text)),
        }
    }

    pub(super) fn holds(&self, candidate: ValueRef<'_>, batch: &Batch, row: usize) -> bool {
        let text = match candidate {
            ValueRef::Str(text) => Some(text),
            _ => None,
        };
        match self {
            Self::Regex { regex, negated } => text.is_some_and(|text| regex.is_match(text)) != *negated,
            Self::Plain(op, operand) => test(*op, text, operand.as_deref()),
            Self::Slot(op, slot) => match batch.slot(*slot).and_then(|column| column.get(row)) {
                Some(Value::String(operand)) => test(*op, text, Some(&operand)),
                _ => test(*op, text, None),
            },
        }
    }
}

/// What is no text starts with, ends with, contains and matches nothing.
fn test(op: TextOp, text: Option<&str>, operand: Option<&str>) -> bool {
    let positive =
        |test: fn(&str, &str) -> bool| text.zip(operand).is_some_and(|(text, operand)| test(text, operand));
    match op {
        TextOp::StartingWith => positive(|t, o| t.starts_with(o)),
        TextOp::NotStartingWith => !positive(|t, o| t.starts_with(o)),
        TextOp::EndingWith => positive(|t, o| t.ends_with(o)),
        TextOp::NotEndingWith => !positive(|t, o| t.ends_with(o)),
        TextOp::Containing => positive(|t, o| t.contains(o)),
        TextOp::NotContaining => !positive(|t, o| t.contains(o)),
        // Only operands in slots come here; such a pattern is compiled for each traverser.
        TextOp::Regex => positive(|t, o| compile(o).is_ok_and(|regex| regex.is_match(t))),
        TextOp::NotRegex => !positive(|t, o| compile(o).is_ok_and(|regex| regex.is_match(t))),
    }
}

fn compile(pattern: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(pattern).size_limit(REGEX_BYTES).dfa_size_limit(REGEX_BYTES).build();
    built.map_err(|e| match e {
        regex::Error::CompiledTooBig(limit) => {
            format!("the regular expression needs more than {limit} bytes; simplify it")
        }
        other => format!("malformed regular expression: {other}"),
    })
}
