//! Tests on text.
//!
//! | candidate | a test | its negation |
//! |---|---|---|
//! | a text | as it says | the opposite |
//! | null | false | true |
//! | anything else | ends the query with an error, as in TinkerPop | the same |

use std::cell::RefCell;

use graph::ValueRef;
use gremlin::TextOp;
use planner::physical::{Operand, Slot};
use values::{Str, Value, watch};

use crate::batch::Batch;
use crate::error::QueryError;
use crate::executor::LongStep;
use crate::java_regex::JavaRegex;

use super::super::long_text;
use super::Resolver;
use super::fault::Fault;

/// A text predicate with its operand.
#[derive(Debug)]
pub(in crate::operators) struct TextCheck {
    op: TextOp,
    operand: TextOperand,
    fault: Fault,
}

#[derive(Debug)]
enum TextOperand {
    /// Null if there is none.
    Text(Option<Str>),
    Slot(Slot),
    Regex(Box<JavaRegex>),
    /// A pattern of each row, and the last one that was made ready.
    RegexSlot(Slot, Box<RefCell<Option<(Str, JavaRegex)>>>),
}

impl TextCheck {
    pub(super) fn new(op: TextOp, operand: &Operand, with: Resolver<'_>) -> Result<Self, QueryError> {
        let fault = Fault::of(with.cx);
        let value = match (operand, with.value(operand)) {
            (Operand::Slot(slot), _) => {
                let operand = match is_regex(op) {
                    true => TextOperand::RegexSlot(*slot, Box::default()),
                    false => TextOperand::Slot(*slot),
                };
                return Ok(Self { op, operand, fault });
            }
            (_, value) => value.unwrap_or_default(),
        };
        let operand = match (is_regex(op), value) {
            (true, Value::String(pattern)) => {
                let regex = JavaRegex::new(&pattern).map_err(|e| fault.error(e.to_string()))?;
                TextOperand::Regex(Box::new(regex))
            }
            (false, Value::String(text)) => TextOperand::Text(Some(text)),
            (false, Value::Null) => TextOperand::Text(None),
            (_, other) => return Err(fault.error(needs_text(&other))),
        };
        Ok(Self { op, operand, fault })
    }

    /// Whether the candidate satisfies. If it is no text that is an error, and the answer means nothing.
    pub(super) fn holds(&self, candidate: ValueRef<'_>, batch: &Batch, row: usize) -> bool {
        let text = match candidate {
            ValueRef::Str(text) => text,
            ValueRef::Null => return is_negated(self.op) && !self.lacks_operand(batch, row),
            other => return self.refuse(&other.to_value()),
        };
        let found = match &self.operand {
            TextOperand::Regex(regex) => {
                // Others of the executor go on meanwhile.
                let _long = regex.may_outlast(text).then(begin_long);
                regex.find(text)
            }
            TextOperand::Text(operand) => operand.as_ref().is_some_and(|operand| self.test(text, operand)),
            TextOperand::Slot(slot) | TextOperand::RegexSlot(slot, _) => {
                return self.holds_with(text, batch.slot(*slot).and_then(|column| column.get(row)));
            }
        };
        found != is_negated(self.op)
    }

    /// Whether nothing was computed that a row's candidate could be compared with: then nothing is satisfied, and no negation either.
    #[cold]
    fn lacks_operand(&self, batch: &Batch, row: usize) -> bool {
        match &self.operand {
            TextOperand::Text(_) | TextOperand::Regex(_) => false,
            TextOperand::Slot(slot) | TextOperand::RegexSlot(slot, _) => {
                batch.slot(*slot).and_then(|column| column.get(row)).is_none()
            }
        }
    }

    /// Whether a text satisfies with the operand of its row.
    fn holds_with(&self, text: &str, operand: Option<Value>) -> bool {
        let found = match (&self.operand, operand) {
            (_, None) => return false,
            (TextOperand::RegexSlot(_, last), Some(Value::String(pattern))) => {
                match ready(&mut last.borrow_mut(), pattern) {
                    Ok(regex) => {
                        let _long = regex.may_outlast(text).then(begin_long);
                        regex.find(text)
                    }
                    Err(problem) => {
                        self.fault.raise(|| problem);
                        return false;
                    }
                }
            }
            (_, Some(Value::String(operand))) => self.test(text, &operand),
            (TextOperand::Slot(_), Some(Value::Null)) => false,
            (_, Some(other)) => return self.refuse(&other),
        };
        found != is_negated(self.op)
    }

    fn refuse(&self, value: &Value) -> bool {
        self.fault.raise(|| needs_text(value));
        false
    }

    fn test(&self, text: &str, operand: &str) -> bool {
        match self.op {
            TextOp::StartingWith | TextOp::NotStartingWith => text.starts_with(operand),
            TextOp::EndingWith | TextOp::NotEndingWith => text.ends_with(operand),
            TextOp::Containing | TextOp::NotContaining => long_text::contains(text, operand),
            // Their patterns are made ready.
            TextOp::Regex | TextOp::NotRegex => false,
        }
    }
}

/// Makes a pattern ready, unless it was the last one.
fn ready(last: &mut Option<(Str, JavaRegex)>, pattern: Str) -> Result<&JavaRegex, String> {
    if last.as_ref().is_none_or(|(known, _)| *known != pattern) {
        let regex = JavaRegex::new(&pattern).map_err(|e| e.to_string())?;
        *last = Some((pattern, regex));
    }
    last.as_ref().map(|(_, regex)| regex).ok_or_else(String::new)
}

/// Waits for others that work for long, and ends the work if the query must end first.
fn begin_long() -> LongStep {
    let check = || {
        watch::look();
        Ok::<(), std::convert::Infallible>(())
    };
    match LongStep::begin(check) {
        Ok(long) => long,
        Err(never) => match never {},
    }
}

fn is_regex(op: TextOp) -> bool {
    matches!(op, TextOp::Regex | TextOp::NotRegex)
}

fn is_negated(op: TextOp) -> bool {
    use TextOp as T;
    matches!(op, T::NotStartingWith | T::NotEndingWith | T::NotContaining | T::NotRegex)
}

fn needs_text(value: &Value) -> String {
    format!("a text predicate needs text, not a value of type {}", value.type_name())
}
