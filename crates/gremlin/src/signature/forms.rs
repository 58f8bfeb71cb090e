//! The forms of every step and source instruction.

use super::{Form, Kind};
use crate::{SourceName, StepName};

/// `forms![[A, B], [A; REST]]`: the forms (A, B) and (A, REST…).
macro_rules! forms {
    ($([$($param:expr),* $(; $rest:expr)?]),* $(,)?) => {
        &[$(Form { params: &[$($param),*], rest: forms!(@rest $($rest)?) }),*]
    };
    (@rest) => { None };
    (@rest $rest:expr) => { Some($rest) };
}

const ANY: Kind = Kind::ANY;
const BOOL: Kind = Kind::BOOL;
const BARRIER: Kind = Kind::BARRIER.or(Kind::LAMBDA);
const BI_FUNCTION: Kind = Kind::BI_FUNCTION;
const CARDINALITY: Kind = Kind::CARDINALITY;
const COLUMN: Kind = Kind::COLUMN;
const COMPARATOR: Kind = Kind::COMPARATOR;
const DATE: Kind = Kind::DATE;
const DIRECTION: Kind = Kind::DIRECTION;
const DT: Kind = Kind::DT;
const ELEMENT: Kind = Kind::ELEMENT;
const FUNCTION: Kind = Kind::FUNCTION;
const GTYPE: Kind = Kind::GTYPE;
const INT: Kind = Kind::INT;
const LAMBDA: Kind = Kind::LAMBDA;
const MAP: Kind = Kind::MAP_OR_NULL;
const MERGE: Kind = Kind::MERGE;
const NAME: Kind = Kind::NAME;
const NUMBER: Kind = Kind::NUMBER;
const POP: Kind = Kind::POP;
const PREDICATE: Kind = Kind::PREDICATE;
const SCOPE: Kind = Kind::SCOPE;
const STRATEGY: Kind = Kind::STRATEGY;
const STREAM: Kind = Kind::STREAM;
const STRING: Kind = Kind::STRING;
const T: Kind = Kind::T;
const TRAVERSAL: Kind = Kind::TRAVERSAL;

const NONE: &[Form] = forms![[]];
const NAMES: &[Form] = forms![[; NAME]];
const SOME_NAMES: &[Form] = forms![[STRING; NAME]];
const MAYBE_NAME: &[Form] = forms![[], [STRING]];
const MAYBE_SCOPE: &[Form] = forms![[], [SCOPE]];
const ONE_STRING: &[Form] = forms![[STRING]];
const ONE_VALUE: &[Form] = forms![[ANY]];
const ONE_INT: &[Form] = forms![[INT]];
const ONE_PREDICATE: &[Form] = forms![[PREDICATE]];
const ONE_TRAVERSAL: &[Form] = forms![[TRAVERSAL]];
const TRAVERSALS: &[Form] = forms![[; TRAVERSAL]];
const CONDITION: &[Form] = forms![[PREDICATE], [STREAM]];
const COUNT_OR_RANGE: &[Form] = forms![[INT], [SCOPE, INT]];
const ENDPOINT: &[Form] = forms![[STRING], [TRAVERSAL], [ELEMENT]];
const MERGED: &[Form] = forms![[], [MAP], [TRAVERSAL]];

/// The forms of a step.
///
/// They are the grammar's, with what only bytecode can say (lambdas, elements) and four forms of TinkerPop 3.7 that its
/// drivers still send: `aggregate(scope, key)`, `store(key)`, `none()` and `explain()` as a step.
pub(super) fn of_step(step: StepName) -> &'static [Form] {
    use StepName as S;
    match step {
        S::AsBool
        | S::AsDate
        | S::BothV
        | S::ConnectedComponent
        | S::CyclicPath
        | S::Discard
        | S::Drop
        | S::Element
        | S::Explain
        | S::Id
        | S::Identity
        | S::InV
        | S::Index
        | S::Key
        | S::Label
        | S::OtherV
        | S::OutV
        | S::Path
        | S::PeerPressure
        | S::Read
        | S::Reverse
        | S::ShortestPath
        | S::SimplePath
        | S::Unfold
        | S::Value
        | S::Write => NONE,
        S::AsString
        | S::Count
        | S::LTrim
        | S::Length
        | S::Max
        | S::Mean
        | S::Min
        | S::Order
        | S::RTrim
        | S::Sum
        | S::ToLower
        | S::ToUpper
        | S::Trim => MAYBE_SCOPE,
        S::Both
        | S::BothE
        | S::ElementMap
        | S::In
        | S::InE
        | S::Out
        | S::OutE
        | S::Properties
        | S::PropertyMap
        | S::Values => NAMES,
        S::Conjoin | S::Format | S::Io | S::Math | S::Store | S::Subgraph => ONE_STRING,
        S::Combine | S::Constant | S::Difference | S::Disjunct | S::Intersect | S::Merge | S::Product => {
            ONE_VALUE
        }
        S::Fail | S::Group | S::GroupCount | S::Loops | S::Profile | S::Tree => MAYBE_NAME,
        S::As | S::Cap | S::Project => SOME_NAMES,
        S::All | S::Any => ONE_PREDICATE,
        S::And | S::Coalesce | S::Match | S::Or | S::Union => TRAVERSALS,
        S::Local | S::Not | S::Optional => ONE_TRAVERSAL,
        S::Filter | S::Until => CONDITION,
        S::Branch | S::FlatMap | S::Map | S::SideEffect => forms![[STREAM]],
        S::TimeLimit | S::Times => ONE_INT,
        S::Limit | S::Sample | S::Skip => COUNT_OR_RANGE,
        S::MergeE | S::MergeV => MERGED,
        S::E | S::V => forms![[; ANY]],
        _ => of_many_formed_step(step),
    }
}

/// As [`of_step`], for the steps whose forms no other step has.
fn of_many_formed_step(step: StepName) -> &'static [Form] {
    use StepName as S;
    match step {
        S::AddE => forms![[STRING], [TRAVERSAL]],
        S::AddV => forms![[], [STRING], [TRAVERSAL]],
        S::Aggregate => forms![[STRING], [SCOPE, STRING]],
        S::AsNumber => forms![[], [GTYPE]],
        S::Barrier => forms![[], [INT], [BARRIER]],
        S::By => forms![
            [],
            [STRING],
            [FUNCTION],
            [COMPARATOR],
            [STREAM],
            [STRING, COMPARATOR],
            [FUNCTION, COMPARATOR],
            [STREAM, COMPARATOR],
        ],
        S::Call => forms![[], [STRING], [STRING, MAP], [STRING, TRAVERSAL], [STRING, MAP, TRAVERSAL]],
        S::Choose => forms![
            [FUNCTION],
            [STREAM],
            [STREAM, TRAVERSAL],
            [STREAM, TRAVERSAL, TRAVERSAL],
            [PREDICATE, TRAVERSAL],
            [PREDICATE, TRAVERSAL, TRAVERSAL],
        ],
        S::Coin => forms![[NUMBER]],
        S::Concat => forms![[TRAVERSAL; TRAVERSAL], [; NAME]],
        S::DateAdd => forms![[DT, INT]],
        S::DateDiff => forms![[DATE], [TRAVERSAL]],
        S::Dedup => forms![[; NAME], [SCOPE; NAME]],
        S::Emit => forms![[], [PREDICATE], [STREAM]],
        S::Fold => forms![[], [ANY, BI_FUNCTION]],
        S::From => ENDPOINT,
        S::Has => forms![
            [NAME],
            [NAME, ANY],
            [NAME, PREDICATE],
            [T, ANY],
            [T, PREDICATE],
            [NAME, NAME, ANY],
            [NAME, NAME, PREDICATE],
        ],
        S::HasId | S::HasValue => forms![[ANY; ANY], [PREDICATE]],
        S::HasKey | S::HasLabel => forms![[NAME; NAME], [PREDICATE], [TRAVERSAL]],
        S::HasNot => forms![[NAME]],
        S::Inject => forms![[; ANY]],
        S::Is => forms![[ANY], [PREDICATE]],
        S::None => forms![[PREDICATE], []],
        S::Option => forms![
            [TRAVERSAL],
            [PREDICATE, TRAVERSAL],
            [ANY, TRAVERSAL],
            [MERGE, MAP],
            [MERGE, MAP, CARDINALITY],
        ],
        S::PageRank => forms![[], [NUMBER]],
        S::Property => {
            forms![[MAP], [CARDINALITY, MAP], [ANY, ANY; ANY], [CARDINALITY, ANY, ANY; ANY]]
        }
        S::Range => forms![[INT, INT], [SCOPE, INT, INT]],
        S::Repeat => forms![[STREAM], [STRING, STREAM]],
        S::Replace => forms![[NAME, NAME], [SCOPE, NAME, NAME]],
        S::Sack => forms![[], [BI_FUNCTION]],
        S::Select => {
            forms![[STRING; NAME], [POP, STRING; NAME], [COLUMN], [TRAVERSAL], [POP, TRAVERSAL]]
        }
        S::Split => forms![[NAME], [SCOPE, NAME]],
        S::Substring => forms![[INT], [INT, INT], [SCOPE, INT], [SCOPE, INT, INT]],
        S::Tail => forms![[], [INT], [SCOPE], [SCOPE, INT]],
        S::To => forms![[STRING], [TRAVERSAL], [ELEMENT], [DIRECTION; NAME]],
        S::ToE => forms![[DIRECTION; NAME]],
        S::ToV => forms![[DIRECTION]],
        S::ValueMap => forms![[; NAME], [BOOL; NAME]],
        S::Where => forms![[PREDICATE], [STRING, PREDICATE], [STREAM]],
        S::With => forms![[STRING], [STRING, ANY]],
        _ => NONE,
    }
}

/// The forms of a source instruction.
pub(super) fn of_source(source: SourceName) -> &'static [Form] {
    match source {
        SourceName::With => forms![[STRING], [STRING, ANY]],
        SourceName::WithBulk => forms![[BOOL]],
        SourceName::WithPath => NONE,
        SourceName::WithSack => {
            forms![[ANY], [ANY, BI_FUNCTION], [ANY, LAMBDA, BI_FUNCTION], [LAMBDA; LAMBDA]]
        }
        SourceName::WithSideEffect => {
            forms![[STRING, ANY], [STRING, ANY, BI_FUNCTION], [STRING, LAMBDA], [STRING, LAMBDA, BI_FUNCTION]]
        }
        SourceName::WithStrategies | SourceName::WithoutStrategies => forms![[STRATEGY; STRATEGY]],
        SourceName::WithComputer => forms![[], [STRATEGY], [ANY]],
    }
}

/// Whether a traversal can begin with the step.
pub(crate) fn is_start(step: StepName) -> bool {
    use StepName as S;
    matches!(
        step,
        S::V | S::E | S::AddV | S::AddE | S::MergeV | S::MergeE | S::Inject | S::Io | S::Call | S::Union
    )
}
