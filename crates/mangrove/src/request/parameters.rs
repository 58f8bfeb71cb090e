//! Parameters of a service that a traversal gives, where there is no traverser yet.

use dataflow::Access;
use gremlin::{Argument, Instruction, StepName, Traversal};
use values::Value;

use super::{prepare::Preparation, ready::Seen, wishes::Wishes};
use crate::{Error, database::Inner};

/// Steps that read the graph, whatever enters them.
const READS: [StepName; 3] = [StepName::V, StepName::E, StepName::Call];

/// The first result of a traversal that null enters (TinkerPop's `DummyTraverser`). `writes`: whether the traversal does that goes on
/// with what the service finds.
///
/// # Errors
/// If it writes, or reads within a transaction or before a traversal that writes, which would not know what it has read; and its own.
pub(super) fn first_result(
    inner: &Inner,
    child: &Traversal,
    (seen, writes): (Seen<'_>, bool),
    wishes: &Wishes,
) -> Result<Option<Value>, Error> {
    if !child.is_read_only() {
        return Err(failed("call()", "a traversal that gives parameters must not write"));
    }
    if (writes || matches!(seen, Seen::Within(_))) && reads(child) {
        let problem = "in a transaction, or in front of steps that write, a traversal that gives parameters at the start must not \
                       read the graph; give the parameter as a value";
        return Err(failed("call()", problem));
    }
    let null = vec![Argument::Value(Value::Null)];
    let mut steps = vec![Instruction { name: StepName::Inject, args: null, at: None }];
    steps.extend(child.steps.iter().cloned());
    let one = vec![Argument::Value(Value::Long(1))];
    steps.push(Instruction { name: StepName::Limit, args: one, at: None });
    let traversal = Traversal { source: Vec::new(), steps };
    let time = wishes.time(inner);
    let Preparation::Run(mut prepared, _) = inner.preparer.prepare(traversal, seen.snapshot(inner), &time)?
    else {
        return Ok(None);
    };
    prepared.timeout = wishes.timeout(prepared.timeout);
    let access = Access::Read(prepared.snapshot.clone());
    let query = inner.engine.run_here(prepared.into_spec_within(inner, wishes, access));
    let mut query = query.with_interrupt(wishes.interrupt());
    while let Some(batch) = query.next_batch()? {
        if let Some((value, _)) = batch.into_iter().next() {
            return Ok(Some(value));
        }
    }
    Ok(None)
}

fn failed(service: &str, problem: &str) -> Error {
    Error::Service { service: service.into(), problem: problem.into() }
}

fn reads(traversal: &Traversal) -> bool {
    traversal.steps.iter().any(|step| READS.contains(&step.name) || step.args.iter().any(reads_inside))
}

fn reads_inside(argument: &Argument) -> bool {
    match argument {
        Argument::Traversal(inner) => reads(inner),
        Argument::Binding(_, inner) => reads_inside(inner),
        Argument::List(items) | Argument::Set(items) => items.iter().any(reads_inside),
        Argument::Map(entries) => entries.iter().any(|(key, value)| reads_inside(key) || reads_inside(value)),
        // From an element that a variable has, steps go on through the graph.
        Argument::Value(value) => has_element(value),
        _ => false,
    }
}

fn has_element(value: &Value) -> bool {
    use Value as V;
    match value {
        V::List(items) => items.iter().any(has_element),
        V::Set(items) => items.iter().any(has_element),
        V::Map(entries) => entries.iter().any(|(key, value)| has_element(key) || has_element(value)),
        V::Null | V::Bool(_) | V::Byte(_) | V::Short(_) | V::Int(_) | V::Long(_) | V::BigInteger(_) => false,
        V::Float(_) | V::Double(_) | V::BigDecimal(_) | V::Char(_) | V::String(_) | V::Uuid(_) => false,
        V::DateTime(_) | V::Duration(_) | V::Binary(_) => false,
        // One, or a part of one, or what may have some.
        _ => true,
    }
}
