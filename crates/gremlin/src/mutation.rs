//! Whether a traversal may write.

use crate::{Argument, Instruction, StepName, Traversal};

/// What a step does beside looking at the graph; what somebody must be allowed who uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// It changes the graph.
    Graph,
    /// It writes files beside it.
    Files,
    /// What the service does that it calls, which says so itself.
    Service,
}

impl StepName {
    /// See [`Effect`]. A new step has to be named here.
    pub fn effect(self) -> Effect {
        use StepName as S;
        match self {
            // The last one imports.
            S::AddE | S::AddV | S::Drop | S::MergeE | S::MergeV | S::Property | S::Read => Effect::Graph,
            S::Write => Effect::Files,
            S::Call => Effect::Service,
            S::Aggregate
            | S::All
            | S::And
            | S::Any
            | S::As
            | S::AsBool
            | S::AsDate
            | S::AsNumber
            | S::AsString
            | S::Barrier
            | S::Both
            | S::BothE
            | S::BothV
            | S::Branch
            | S::By
            | S::Cap
            | S::Choose
            | S::Coalesce
            | S::Coin
            | S::Combine
            | S::Concat
            | S::Conjoin
            | S::ConnectedComponent
            | S::Constant
            | S::Count
            | S::CyclicPath
            | S::DateAdd
            | S::DateDiff
            | S::Dedup
            | S::Difference
            | S::Discard
            | S::Disjunct
            | S::E
            | S::Element
            | S::ElementMap
            | S::Emit
            | S::Fail
            | S::Filter
            | S::FlatMap
            | S::Fold
            | S::Format
            | S::From
            | S::Group
            | S::GroupCount
            | S::Has
            | S::HasId
            | S::HasKey
            | S::HasLabel
            | S::HasNot
            | S::HasValue
            | S::Id
            | S::Identity
            | S::In
            | S::InE
            | S::InV
            | S::Index
            | S::Inject
            | S::Intersect
            | S::Io
            | S::Is
            | S::Key
            | S::Label
            | S::LTrim
            | S::Length
            | S::Limit
            | S::Local
            | S::Loops
            | S::Map
            | S::Match
            | S::Math
            | S::Max
            | S::Mean
            | S::Merge
            | S::Min
            | S::None
            | S::Not
            | S::Option
            | S::Optional
            | S::Or
            | S::Order
            | S::OtherV
            | S::Out
            | S::OutE
            | S::OutV
            | S::PageRank
            | S::Path
            | S::PeerPressure
            | S::Product
            | S::Profile
            | S::Project
            | S::Properties
            | S::PropertyMap
            | S::RTrim
            | S::Range
            | S::Repeat
            | S::Replace
            | S::Reverse
            | S::Sack
            | S::Sample
            | S::Select
            | S::ShortestPath
            | S::SideEffect
            | S::SimplePath
            | S::Skip
            | S::Split
            | S::Store
            | S::Subgraph
            | S::Substring
            | S::Sum
            | S::Tail
            | S::TimeLimit
            | S::Times
            | S::To
            | S::ToE
            | S::ToLower
            | S::ToUpper
            | S::ToV
            | S::Tree
            | S::Trim
            | S::Unfold
            | S::Union
            | S::Until
            | S::V
            | S::Value
            | S::ValueMap
            | S::Values
            | S::Where
            | S::With
            | S::Explain => Effect::None,
        }
    }
}

impl Traversal {
    /// Whether no step of it, nor of any traversal inside it, writes to the graph.
    pub fn is_read_only(&self) -> bool {
        !self.steps.iter().any(writes)
    }
}

fn writes(step: &Instruction<StepName>) -> bool {
    step.name.effect() == Effect::Graph || step.args.iter().any(argument_writes)
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
