//! Which operators may fail at one row of a batch and not at the others.
//!
//! Of those a batch is kept while they work on it, for its halves (see `instance`). That costs a copy of the batch's slots at each
//! call, and operators cannot take its columns over; so what cannot fail on such objects says so here, each by its name: a new operator
//! does not compile without.

use planner::physical::{By, FetchKind, LocalFn, OpKind, Predicate, Test, op};
use values::T;

use crate::batch::{Batch, Column};

/// Whether an operator may fail at some row of such a batch, and may do its other rows again: it remembers nothing of them, and leaves
/// nothing.
pub(crate) fn fails_at_a_row(kind: &OpKind, batch: &Batch) -> bool {
    let current = &*batch.current;
    let are_vertices = matches!(current, Column::Vertices(_));
    let are_elements = are_vertices || matches!(current, Column::Edges(_));
    match kind {
        OpKind::Expand(op::Expand { distinct, edge_test, end_test, .. }) => {
            let tests = [edge_test, end_test].into_iter().flatten();
            !distinct && (!are_vertices || tests.into_iter().any(of_test))
        }
        OpKind::Degree(_) | OpKind::BulkByDegree(_) | OpKind::ExpandInto(_) => !are_vertices,
        OpKind::EdgeVertex(_) => !matches!(current, Column::Edges(_)),
        OpKind::Local(function) => of_function(function, are_elements),
        OpKind::Filter(test) => of_test(test),
        OpKind::Properties(_) => !are_elements,
        OpKind::Fetch(op::Fetch { from: By::Current, what, .. }) => of_fetch(what, current),
        OpKind::Fetch(op::Fetch { from: By::Slot(slot), what, .. }) => {
            batch.slot(*slot).is_some_and(|column| of_fetch(what, column))
        }
        OpKind::Math(_) | OpKind::SackWith(_) => true,
        OpKind::Path(op::Path { by, from, to, .. }) => !by.is_empty() || from.is_some() || to.is_some(),
        // These do not fail at a row,
        OpKind::Scan(_)
        | OpKind::ById(_)
        | OpKind::IndexLookup(_)
        | OpKind::IndexRange(_)
        | OpKind::Inject(..)
        | OpKind::BulkByEnds(_)
        | OpKind::BulkByWalks(_)
        | OpKind::Forget(_)
        | OpKind::Store(_)
        | OpKind::Load(_)
        | OpKind::Sack(_)
        | OpKind::Unfold
        | OpKind::Project(_)
        | OpKind::Select(_)
        | OpKind::Range(_)
        | OpKind::Unmerge
        | OpKind::Gather
        | OpKind::OneByOne
        | OpKind::Coin(_)
        | OpKind::TimeLimit(_)
        | OpKind::Discard
        | OpKind::LoopControl { .. } => false,
        // or remember what they have seen, or leave something, or fail at all of them; scopes see to their own.
        OpKind::Dedup(_)
        | OpKind::Tail(_)
        | OpKind::Order(_)
        | OpKind::Aggregate(_)
        | OpKind::GroupCount(_)
        | OpKind::Barrier(_)
        | OpKind::MergeSacks(_)
        | OpKind::Collect(_)
        | OpKind::Sample(..)
        | OpKind::Cap(_)
        | OpKind::Write(_)
        | OpKind::Fail(_)
        | OpKind::Scope(_) => false,
    }
}

fn of_fetch(what: &FetchKind, of: &Column) -> bool {
    let are_elements = matches!(of, Column::Vertices(_) | Column::Edges(_));
    match what {
        FetchKind::This | FetchKind::Property(..) => false,
        FetchKind::Only(..) => !matches!(of, Column::Edges(_)),
        FetchKind::Token(T::Id | T::Label) => !are_elements,
        FetchKind::Token(_) | FetchKind::Column(_) => true,
        FetchKind::OrNull(what) => of_fetch(what, of),
    }
}

fn of_function(function: &LocalFn, are_elements: bool) -> bool {
    match function {
        LocalFn::Id | LocalFn::Label => !are_elements,
        LocalFn::Constant(_) | LocalFn::Loops | LocalFn::MapEntry(_) => false,
        _ => true,
    }
}

fn of_test(test: &Test) -> bool {
    match test {
        Test::Given(..) => true,
        Test::SimplePath(from, to) => from.is_some() || to.is_some(),
        Test::And(tests) | Test::Or(tests) => tests.iter().any(of_test),
        Test::Not(test) => of_test(test),
        Test::Is(predicate)
        | Test::SlotIs(_, predicate)
        | Test::Has(_, predicate)
        | Test::HasNamed(_, predicate)
        | Test::HasId(predicate)
        | Test::LabelIs(predicate)
        | Test::PropertyKey(predicate)
        | Test::PropertyValue(predicate)
        | Test::Members(_, predicate)
        | Test::Loops(predicate) => of_predicate(predicate),
        Test::HasKey(_) | Test::Label { .. } | Test::Mark(_) | Test::Present(_) | Test::Constant(_) => false,
    }
}

/// Text is looked for in texts only.
fn of_predicate(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::Text(..) => true,
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().any(of_predicate),
        Predicate::Not(inner) => of_predicate(inner),
        Predicate::Compare(..) | Predicate::Within { .. } | Predicate::TypeOf(_) => false,
    }
}
