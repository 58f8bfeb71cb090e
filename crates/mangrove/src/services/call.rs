//! The step `call()`, as it is written.

use gremlin::{Argument, Instruction, StepName, Traversal};
use values::{Map, Str, Value};

use super::{LIST, failed};
use crate::Error;

/// A call of a service.
pub(super) struct Called {
    pub(super) name: Str,
    pub(super) parameters: Vec<Parameter>,
}

/// What a call says about its parameters; of two that say the same the later one counts.
pub(super) enum Parameter {
    /// Several, that are known.
    Map(Map),
    /// Several, in the map that a traversal gives.
    Computed(Traversal),
    /// One, that is known.
    With(Value, Value),
    /// One, that a traversal gives.
    ComputedWith(Value, Traversal),
}

/// Whether a traversal begins with a service.
pub(crate) fn begins_with_call(traversal: &Traversal) -> bool {
    traversal.steps.first().is_some_and(|step| step.name == StepName::Call)
}

/// Whether a traversal calls a service anywhere.
pub(crate) fn calls(traversal: &Traversal) -> bool {
    traversal.steps.iter().any(|step| step.name == StepName::Call || step.args.iter().any(argument_calls))
}

fn argument_calls(argument: &Argument) -> bool {
    match argument {
        Argument::Traversal(inner) => calls(inner),
        Argument::Binding(_, inner) => argument_calls(inner),
        Argument::List(items) | Argument::Set(items) => items.iter().any(argument_calls),
        Argument::Map(entries) => {
            entries.iter().any(|(key, value)| argument_calls(key) || argument_calls(value))
        }
        _ => false,
    }
}

impl Called {
    /// The call at a place, and how many steps it is with its modulators.
    pub(super) fn at(steps: &[Instruction<StepName>], place: usize) -> Result<(Self, usize), Error> {
        let mut called = Self::read(&steps[place])?;
        let modulators = steps[place + 1..].iter().take_while(|step| step.name == StepName::With);
        let mut length = 1;
        for with in modulators {
            length += 1;
            let Some(key) = with.args.first().and_then(Argument::as_value) else { continue };
            let key = key.clone();
            called.parameters.push(match with.args.get(1) {
                None => Parameter::With(key, Value::Bool(true)),
                Some(Argument::Traversal(child)) => Parameter::ComputedWith(key, child.clone()),
                Some(argument) => Parameter::With(key, literal(&called.name, argument)?),
            });
        }
        Ok((called, length))
    }

    fn read(call: &Instruction<StepName>) -> Result<Self, Error> {
        let name = match call.args.first().and_then(Argument::as_value) {
            None | Some(Value::Null) => LIST.into(),
            Some(Value::String(name)) => name.clone(),
            Some(other) => {
                return Err(failed("call()", &format!("a name is a string, not a {}", other.type_name())));
            }
        };
        let mut parameters = Vec::new();
        for argument in call.args.iter().skip(1) {
            if let Argument::Traversal(child) = argument {
                parameters.push(Parameter::Computed(child.clone()));
                continue;
            }
            match literal(&name, argument)? {
                Value::Map(map) => parameters.push(Parameter::Map(Map::clone(&map))),
                Value::Null => {}
                other => {
                    return Err(failed(&name, &format!("parameters are a map, not a {}", other.type_name())));
                }
            }
        }
        Ok(Self { name, parameters })
    }

    /// What the parameters are where there is no traverser yet; `compute` says what a traversal gives there.
    pub(super) fn known(
        &self,
        mut compute: impl FnMut(&Traversal) -> Result<Option<Value>, Error>,
    ) -> Result<Map, Error> {
        let mut known = Map::new();
        for parameter in &self.parameters {
            match parameter {
                Parameter::Map(map) => add(&mut known, map),
                Parameter::With(key, value) => _ = known.insert(key.clone(), value.clone()),
                Parameter::Computed(child) => match compute(child)? {
                    Some(Value::Map(map)) => add(&mut known, &map),
                    Some(other) => {
                        let problem = format!(
                            "the traversal of its parameters gives a {}, not a map",
                            other.type_name()
                        );
                        return Err(failed(&self.name, &problem));
                    }
                    None => return Err(failed(&self.name, "the traversal of its parameters has no result")),
                },
                Parameter::ComputedWith(key, child) => match compute(child)? {
                    Some(value) => _ = known.insert(key.clone(), value),
                    None => {
                        let key = values::excerpt(key);
                        let problem = format!("the traversal of its parameter {key} has no result");
                        return Err(failed(&self.name, &problem));
                    }
                },
            }
        }
        Ok(known)
    }
}

fn add(known: &mut Map, more: &Map) {
    more.iter().for_each(|(key, value)| _ = known.insert(key.clone(), value.clone()));
}

/// Whether a traversal says that it reads only.
pub(super) fn is_read_only(traversal: &Traversal) -> bool {
    let is = |argument: &Argument| matches!(argument, Argument::Strategy(s) if s.name == "ReadOnlyStrategy");
    traversal.source.iter().any(|call| call.args.iter().any(is))
}

fn literal(service: &str, argument: &Argument) -> Result<Value, Error> {
    let problem = "its parameters must be literals, variables or traversals";
    argument.as_value().cloned().ok_or_else(|| failed(service, problem))
}

/// A traversal that begins with these results.
pub(super) fn inject(results: Vec<Value>, mut rest: Traversal) -> Traversal {
    rest.steps.insert(0, injected(results));
    rest
}

/// The step that makes these traversers.
pub(super) fn injected(results: Vec<Value>) -> Instruction<StepName> {
    Instruction { name: StepName::Inject, args: results.into_iter().map(Argument::Value).collect(), at: None }
}
