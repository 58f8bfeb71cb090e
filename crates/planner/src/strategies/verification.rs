//! Strategies that forbid what is likely to be a mistake.

use std::collections::HashSet;

use gremlin::{Argument, StepName, Traversal};
use values::{Str, Value, watch};

use super::{Config, direction};
use crate::PlanError;

/// `ReservedKeysVerificationStrategy`: no property is called `id` or `label`, or what the strategy says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ReservedKeys {
    keys: HashSet<Str>,
    /// Otherwise it would only be logged, where nobody looks.
    throws: bool,
}

impl ReservedKeys {
    pub(super) fn of(config: Config<'_>) -> Result<Self, PlanError> {
        let keys = config.members("keys")?;
        let keys = keys.iter().inspect(|_| watch::tick()).filter_map(Value::as_str).map(Str::from).collect();
        let keys =
            if config.get("keys").is_none() { HashSet::from(["id".into(), "label".into()]) } else { keys };
        Ok(Self { keys, throws: config.truth("throwException", false)? })
    }

    pub(super) fn check(&self, traversal: &Traversal) -> Result<(), PlanError> {
        let properties = traversal.steps.iter().filter(|step| self.throws && step.name == StepName::Property);
        for step in properties {
            for key in named(&step.args) {
                watch::tick();
                if self.keys.contains(&key) {
                    let key = values::excerpt(&key);
                    let problem = format!("is setting a property key to a reserved word: {key}");
                    return Err(PlanError::invalid(StepName::Property, problem, step.at));
                }
            }
        }
        Ok(())
    }
}

/// The keys that the arguments of `property` have: of a lone map all, else those that stand before values.
fn named(args: &[Argument]) -> Vec<Str> {
    let args = match args {
        [Argument::Cardinality(_), rest @ ..] => rest,
        all => all,
    };
    match args {
        [map] => keys_of(map),
        pairs => pairs.iter().step_by(2).flat_map(keys_of).collect(),
    }
}

/// The strings that an argument of `property` may have for a key.
fn keys_of(argument: &Argument) -> Vec<Str> {
    let text = |value: &Value| value.as_str().map(Str::from);
    match argument {
        Argument::Map(entries) => {
            entries.iter().filter_map(|(key, _)| key.as_value().and_then(text)).collect()
        }
        argument => match argument.as_value() {
            Some(Value::Map(map)) => map.iter().filter_map(|(key, _)| text(key)).collect(),
            Some(value) => text(value).into_iter().collect(),
            None => Vec::new(),
        },
    }
}

/// `EdgeLabelVerificationStrategy`: who goes along edges says along which.
pub(super) fn check_labels(traversal: &Traversal) -> Result<(), PlanError> {
    use StepName as S;
    for step in &traversal.steps {
        let given = match step.name {
            S::Out | S::In | S::Both | S::OutE | S::InE | S::BothE => step.args.len(),
            S::ToE => step.args.len().saturating_sub(1),
            S::To if direction(step).is_some() => step.args.len() - 1,
            _ => continue,
        };
        if given == 0 {
            let problem = "The provided traversal contains a vertex step without any specified edge label: say along which edges it goes";
            return Err(PlanError::invalid(step.name, problem, step.at));
        }
    }
    Ok(())
}
