//! `ElementIdStrategy`: a property takes the place of the id.

use gremlin::{Argument, Instruction, Predicate, StepName, Traversal};
use values::{Str, T, Value};

use super::Config;
use crate::PlanError;

/// The key, unless another is given.
const DEFAULT_KEY: &str = "__id";

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ElementId {
    key: Str,
}

impl ElementId {
    pub(super) fn of(config: Config<'_>) -> Result<Self, PlanError> {
        if config.get("idMaker").is_some_and(|maker| maker.as_value() != Some(&Value::Null)) {
            return Err(config.unsupported("with an idMaker"));
        }
        Ok(Self { key: config.text("idPropertyKey")?.unwrap_or_else(|| DEFAULT_KEY.into()) })
    }

    fn key(&self) -> Argument {
        Argument::Value(Value::String(self.key.clone()))
    }

    pub(super) fn rewrite(&self, traversal: &mut Traversal) -> Result<(), PlanError> {
        use StepName as S;
        let mut steps = Vec::with_capacity(traversal.steps.len() + 1);
        let mut from = std::mem::take(&mut traversal.steps).into_iter().peekable();
        while let Some(mut first) = from.next() {
            let at = first.at;
            match first.name {
                // Of others TinkerPop leaves the ids what they are.
                S::V | S::E if steps.is_empty() && are_ids(&first.args) => {
                    let ids = spread(std::mem::take(&mut first.args));
                    let within = Argument::Predicate(Predicate::Within(ids));
                    steps.extend([first, Instruction::new(S::Has, vec![self.key(), within], at)]);
                }
                S::Has if first.args.first().is_some_and(is_id_token) => {
                    first.args[0] = self.key();
                    steps.push(first);
                }
                S::HasId => {
                    let predicate = match &mut first.args[..] {
                        [predicate @ Argument::Predicate(_)] => predicate.clone(),
                        ids => Argument::Predicate(Predicate::Within(ids.to_vec())),
                    };
                    steps.push(Instruction::new(S::Has, vec![self.key(), predicate], at));
                }
                S::Id => steps.push(Instruction::new(S::Values, vec![self.key()], at)),
                S::AddV | S::AddE => {
                    steps.push(first);
                    let mut has_id = false;
                    while let Some(mut property) = from.next_if(is_of_addition) {
                        let is_id = property.args.first().is_some_and(is_id_token);
                        if is_id {
                            property.args[0] = self.key();
                        }
                        has_id |= property.name == S::Property && is_called(&property.args, &self.key());
                        steps.push(property);
                    }
                    if !has_id {
                        let what =
                            "strategy `ElementIdStrategy` that makes the ids: give each new element a T.id";
                        return Err(PlanError::form(what, at));
                    }
                }
                _ => steps.push(first),
            }
        }
        traversal.steps = steps;
        Ok(())
    }
}

/// Whether there are ids, of which the first says that they are none of elements.
fn are_ids(args: &[Argument]) -> bool {
    match args {
        [Argument::Value(Value::List(ids))] => ids.first().is_some_and(|first| !is_element(first)),
        [Argument::List(ids)] => !ids.is_empty(),
        // What is in it is no part of the shape that the plan is kept by.
        [Argument::Parameter(_, ids)] if ids.is_empty_collection() => false,
        [Argument::Parameter(_, Value::List(_))] => true,
        [first, ..] => !first.as_value().is_some_and(is_element),
        [] => false,
    }
}

fn is_element(value: &Value) -> bool {
    matches!(value, Value::Vertex(_) | Value::Edge(_) | Value::VertexRef(_) | Value::EdgeRef(_))
}

/// What a list as the only argument has in it.
fn spread(args: Vec<Argument>) -> Vec<Argument> {
    match &args[..] {
        [Argument::Value(Value::List(ids))] => ids.iter().cloned().map(Argument::Value).collect(),
        [Argument::List(ids)] => ids.clone(),
        _ => args,
    }
}

fn is_of_addition(next: &Instruction<StepName>) -> bool {
    matches!(next.name, StepName::Property | StepName::From | StepName::To)
}

/// Whether a property that is written has that key.
fn is_called(args: &[Argument], key: &Argument) -> bool {
    match args {
        [Argument::Cardinality(_), called, ..] => called == key,
        [called, ..] => called == key,
        [] => false,
    }
}

fn is_id_token(argument: &Argument) -> bool {
    argument.as_value() == Some(&Value::T(T::Id))
}
