//! What a branch scope makes of its instances' results: one type for each of its semantics.

use planner::physical::{By, Formula, Pipeline, ScopeKind, Slot};
use values::Value;

use crate::scope::egress::{Into, Outcome};

/// `where`, `not`, `and`, `or`: a row passes if the formula over "branch i has a result" holds.
pub(super) struct Filter {
    formula: Formula,
    mark: Option<Slot>,
}

/// `map`, `by`: a row passes with the first result.
pub(super) struct Apply {
    into: Option<Slot>,
    required: bool,
}

/// `local`, `flatMap`: results pass in the row's place.
pub(super) struct FlatMap;

/// `sideEffect`: a row passes when its subquery has ended.
pub(super) struct SideEffect;

/// `coalesce`, `optional`: results of the first branch that has any pass in the row's place.
pub(super) struct Coalesce;

/// One of them.
pub(super) enum Semantics {
    Filter(Filter),
    Apply(Apply),
    FlatMap(FlatMap),
    SideEffect(SideEffect),
    Coalesce(Coalesce),
}

impl Filter {
    fn outcome(&self, hit: bool) -> Option<Outcome> {
        let passes = match self.formula {
            Formula::All | Formula::Any => hit,
            Formula::None => !hit,
        };
        match self.mark {
            Some(_) => Some(Outcome::With(Some(Value::Bool(passes)))),
            None => passes.then_some(Outcome::Pass),
        }
    }
}

impl Apply {
    fn outcome(&self, result: Option<&Value>) -> Option<Outcome> {
        match result {
            Some(value) => Some(Outcome::With(Some(value.clone()))),
            None if self.required || self.into.is_none() => None,
            None => Some(Outcome::With(None)),
        }
    }
}

impl Semantics {
    /// The semantics of a scope, its branches, the object that they start at, and where their result goes.
    ///
    /// # Panics
    /// If it is no branch scope, which is a bug of the caller.
    pub(super) fn of(kind: &ScopeKind) -> (Self, Vec<Pipeline>, By, Into) {
        match kind {
            ScopeKind::Filter { branches, formula, mark } => {
                let filter = Self::Filter(Filter { formula: *formula, mark: *mark });
                (filter, branches.clone(), By::Current, mark.map_or(Into::Nothing, Into::Slot))
            }
            ScopeKind::Apply { child, from, into, required } => {
                let apply = Self::Apply(Apply { into: *into, required: *required });
                (apply, vec![child.clone()], from.clone(), into.map_or(Into::Current, Into::Slot))
            }
            ScopeKind::FlatMap { child } => {
                (Self::FlatMap(FlatMap), vec![child.clone()], By::Current, Into::Nothing)
            }
            ScopeKind::SideEffect { child } => {
                (Self::SideEffect(SideEffect), vec![child.clone()], By::Current, Into::Nothing)
            }
            ScopeKind::Coalesce { branches } => {
                (Self::Coalesce(Coalesce), branches.clone(), By::Current, Into::Nothing)
            }
            _ => unreachable!("not a branch scope"),
        }
    }

    /// Whether the first result of a row decides it.
    pub(super) fn decides_early(&self) -> bool {
        matches!(self, Self::Filter(_) | Self::Apply(_))
    }

    /// Whether that result is kept.
    pub(super) fn keeps_result(&self) -> bool {
        matches!(self, Self::Apply(_))
    }

    /// Whether results leave as they come, in the row's place.
    pub(super) fn lets_results_out(&self) -> bool {
        matches!(self, Self::FlatMap(_) | Self::Coalesce(_))
    }

    /// Whether all branches must have a result: the next is asked about the rows that had one, and otherwise about those that had
    /// none.
    pub(super) fn is_conjunction(&self) -> bool {
        matches!(self, Self::Filter(Filter { formula: Formula::All, .. }))
    }

    /// What becomes of a row at the end of its instance, if it had a result, and which; `None` drops it (or its results have left
    /// already).
    pub(super) fn outcome(&self, hit: bool, result: Option<&Value>) -> Option<Outcome> {
        match self {
            Self::Filter(filter) => filter.outcome(hit),
            Self::Apply(apply) => apply.outcome(result),
            Self::FlatMap(_) | Self::Coalesce(_) => None,
            Self::SideEffect(_) => Some(Outcome::Pass),
        }
    }
}
