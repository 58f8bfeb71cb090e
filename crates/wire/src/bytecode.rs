//! Bytecode: a traversal as named instructions.

use gremlin::{Argument, Cardinality, Instruction, SourceName, StepName, Traversal};
use values::Value;

use crate::error::Problem;
use crate::wire_value::{Extended, Transaction, WireValue};

/// One instruction as it is on the wire.
pub(crate) struct Call {
    pub name: String,
    pub args: Vec<Argument>,
}

/// The source instruction by which drivers send `Cardinality.list(value)` as an argument.
pub(crate) const CARDINALITY_VALUE: &str = "CardinalityValueTraversal";
/// The source instruction by which drivers end a session's transaction.
pub(crate) const TRANSACTION: &str = "tx";

/// What a bytecode says: a traversal, or one of the two things that drivers disguise as one.
pub(crate) fn build(source: Vec<Call>, steps: Vec<Call>) -> Result<WireValue, Problem> {
    if let ([call], true) = (source.as_slice(), steps.is_empty()) {
        match call.name.as_str() {
            CARDINALITY_VALUE => return cardinality_value(&call.args),
            TRANSACTION => return transaction(&call.args),
            _ => {}
        }
    }
    let source = instructions(source, "source instruction", SourceName::from_name)?;
    let steps = instructions(steps, "step", StepName::from_name)?;
    Ok(WireValue::argument(Argument::Traversal(Traversal { source, steps })))
}

fn instructions<N>(
    calls: Vec<Call>,
    what: &'static str,
    find: fn(&str) -> Option<N>,
) -> Result<Vec<Instruction<N>>, Problem> {
    let instruction = |Call { name, args }: Call| match find(&name) {
        Some(name) => Ok(Instruction { name, args, at: None }),
        None => Err(Problem::unknown(what, &name)),
    };
    calls.into_iter().map(instruction).collect()
}

fn cardinality_value(args: &[Argument]) -> Result<WireValue, Problem> {
    let cardinality = match args {
        [Argument::Cardinality(cardinality), value] => Some((*cardinality, value)),
        // Some drivers send the cardinality's name.
        [Argument::Value(Value::String(name)), value] => Cardinality::from_name(name).map(|c| (c, value)),
        _ => None,
    };
    match cardinality.and_then(|(c, value)| Some((c, value.as_value()?))) {
        Some((c, value)) => Ok(WireValue::argument(Argument::CardinalityValue(c, value.clone()))),
        None => Err(Problem::expected("a cardinality and a value", format!("{} arguments", args.len()))),
    }
}

fn transaction(args: &[Argument]) -> Result<WireValue, Problem> {
    let name = match args {
        [Argument::Value(Value::String(name))] => name.as_str(),
        _ => return Err(Problem::expected("`commit` or `rollback`", format!("{} arguments", args.len()))),
    };
    match Transaction::from_name(name) {
        Some(transaction) => Ok(Extended::Transaction(transaction).into()),
        None => Err(Problem::unknown("transaction operation", name)),
    }
}
