//! The step `call()` at the start of a traversal.

use gremlin::{Argument, Instruction, StepName, Traversal};
use values::{Map, Str, Value};

use super::{LIST, failed};
use crate::Error;

/// A call of a service.
pub(super) struct Called {
    pub(super) name: Str,
    pub(super) parameters: Map,
}

/// Whether a traversal begins with a service.
pub(crate) fn begins_with_call(traversal: &Traversal) -> bool {
    traversal.steps.first().is_some_and(|step| step.name == StepName::Call)
}

/// Takes the call off a traversal that begins with one, and the `with` steps that belong to it; the rest. The whole
/// traversal if it begins with something else.
pub(super) fn take_call(mut traversal: Traversal) -> Result<Result<(Called, Traversal), Traversal>, Error> {
    if !begins_with_call(&traversal) {
        return Ok(Err(traversal));
    }
    let call = traversal.steps.remove(0);
    let mut called = read(call)?;
    let modulators = traversal.steps.iter().take_while(|step| step.name == StepName::With).count();
    for with in traversal.steps.drain(..modulators) {
        let value = match with.args.get(1) {
            None => Value::Bool(true),
            Some(argument) => literal(&called.name, argument)?,
        };
        if let Some(Value::String(key)) = with.args.first().and_then(Argument::as_value) {
            called.parameters.insert(key.clone(), value);
        }
    }
    Ok(Ok((called, traversal)))
}

/// Whether a traversal says that it reads only.
pub(super) fn is_read_only(traversal: &Traversal) -> bool {
    let is = |argument: &Argument| matches!(argument, Argument::Strategy(s) if s.name == "ReadOnlyStrategy");
    traversal.source.iter().any(|call| call.args.iter().any(is))
}

fn read(call: Instruction<StepName>) -> Result<Called, Error> {
    let name = match call.args.first().and_then(Argument::as_value) {
        None => LIST.into(),
        Some(Value::String(name)) => name.clone(),
        Some(other) => {
            return Err(failed("call()", &format!("a name is a string, not a {}", other.type_name())));
        }
    };
    let mut parameters = Map::new();
    for argument in call.args.iter().skip(1) {
        match literal(&name, argument)? {
            Value::Map(map) => parameters = Map::clone(&map),
            other => {
                return Err(failed(&name, &format!("parameters are a map, not a {}", other.type_name())));
            }
        }
    }
    Ok(Called { name, parameters })
}

fn literal(service: &str, argument: &Argument) -> Result<Value, Error> {
    let problem = "its parameters must be literals or variables; traversals are not supported here";
    argument.as_value().cloned().ok_or_else(|| failed(service, problem))
}

/// A traversal that begins with these results.
pub(super) fn inject(results: Vec<Value>, mut rest: Traversal) -> Traversal {
    let args = results.into_iter().map(Argument::Value).collect();
    rest.steps.insert(0, Instruction { name: StepName::Inject, args, at: None });
    rest
}
