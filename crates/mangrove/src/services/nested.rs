//! Calls in mid-traversal.

use gremlin::{Argument, Instruction, StepName, Traversal};

use super::call::Called;
use super::{LIST, SERVICES, failed, tinker};
use crate::Error;

/// Makes of every call in the middle of a traversal the steps that it stands for.
///
/// # Errors
/// For a service that there is none of, or that starts traversals only.
pub(super) fn rewrite(traversal: &mut Traversal) -> Result<(), Error> {
    let mut place = 0;
    while place < traversal.steps.len() {
        if traversal.steps[place].name == StepName::Call {
            let (called, length) = Called::at(&traversal.steps, place)?;
            let steps = steps_of(&called)?;
            // They may have calls themselves: in what gives their parameters.
            traversal.steps.splice(place..place + length, steps);
            continue;
        }
        for argument in &mut traversal.steps[place].args {
            rewrite_argument(argument)?;
        }
        place += 1;
    }
    Ok(())
}

fn steps_of(called: &Called) -> Result<Vec<Instruction<StepName>>, Error> {
    match called.name.as_str() {
        tinker::DEGREE => tinker::degree(called),
        name if name == tinker::SEARCH || name == LIST || SERVICES.iter().any(|it| it.name == name) => {
            Err(failed(name, tinker::NO_MIDDLE))
        }
        name => Err(super::unknown(name)),
    }
}

fn rewrite_argument(argument: &mut Argument) -> Result<(), Error> {
    match argument {
        Argument::Traversal(inner) => rewrite(inner),
        Argument::Binding(_, inner) => rewrite_argument(inner),
        Argument::List(items) | Argument::Set(items) => items.iter_mut().try_for_each(rewrite_argument),
        Argument::Map(entries) => entries.iter_mut().try_for_each(|(key, value)| {
            rewrite_argument(key)?;
            rewrite_argument(value)
        }),
        _ => Ok(()),
    }
}
