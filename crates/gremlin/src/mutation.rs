//! Whether a traversal may write.

use crate::{Argument, Instruction, StepName, Traversal};

impl Traversal {
    /// Whether no step of it, nor of any traversal inside it, writes to the graph.
    ///
    /// The writing steps are `addV`, `addE`, `mergeV`, `mergeE`, `property`, `drop`, and `read`, which imports.
    pub fn is_read_only(&self) -> bool {
        !self.steps.iter().any(writes)
    }
}

fn writes(step: &Instruction<StepName>) -> bool {
    use StepName as S;
    let itself =
        matches!(step.name, S::AddV | S::AddE | S::MergeV | S::MergeE | S::Property | S::Drop | S::Read);
    itself || step.args.iter().any(argument_writes)
}

fn argument_writes(argument: &Argument) -> bool {
    match argument {
        Argument::Traversal(inner) => !inner.is_read_only(),
        Argument::Binding(_, inner) => argument_writes(inner),
        Argument::List(items) | Argument::Set(items) => items.iter().any(argument_writes),
        Argument::Map(entries) => {
            entries.iter().any(|(key, value)| argument_writes(key) || argument_writes(value))
        }
        // Predicates may hold traversals too, in principle; TinkerPop runs those as filters, so they count as well.
        Argument::Predicate(predicate) => predicate_writes(predicate),
        _ => false,
    }
}

fn predicate_writes(predicate: &crate::Predicate) -> bool {
    predicate.operands().any(argument_writes) || predicate.inner().iter().any(predicate_writes)
}

#[cfg(test)]
mod tests {
    use crate::{Bindings, parse_traversal};

    fn is_read_only(text: &str) -> bool {
        parse_traversal(text, &Bindings::new()).expect("the text is Gremlin").is_read_only()
    }

    #[test]
    fn a_traversal_writes_if_a_step_does_however_deep_inside() {
        assert!(is_read_only("g.V().has('name', 'marko').out().values('name')"));
        assert!(!is_read_only("g.addV('person')"));
        assert!(!is_read_only("g.V().property('age', 30)"));
        assert!(!is_read_only("g.V().sideEffect(out().choose(hasLabel('x'), drop(), identity()))"));
        assert!(!is_read_only("g.inject(1).coalesce(V().has('a', 1), addV('b'))"));
        assert!(is_read_only("g.V().properties('name')"));
    }
}
