//! Modulators that are less than a traversal.

use super::{Chain, Kind, Modulator, Move, Step};
use crate::physical::{Aggregation, FetchKind, LocalFn, PropertyForm};
use values::T;

impl Modulator {
    /// The same modulator as less than a traversal, if it can be said so: `by(values('x'))` is `by('x')`,
    /// `by(select('a').id())` takes a part of a kept object, `by(out().count())` is a degree.
    pub fn simplified(&self) -> Option<Modulator> {
        match self {
            Self::Chain(chain) => of_chain(chain),
            simple => Some(simple.clone()),
        }
    }

    /// The same for a map, which takes the first of several values.
    pub fn of_map(child: &Chain) -> Option<Modulator> {
        of_chain(child).map(|by| match by {
            Self::Fetch(FetchKind::Only(name, key)) => Self::Fetch(FetchKind::Property(name, key)),
            by => by,
        })
    }

    /// As [`Modulator::simplified`], of what the options of a `choose` are compared with: the first of several values.
    pub fn of_choice(&self) -> Option<Modulator> {
        match self {
            Self::Chain(chain) => Self::of_map(chain),
            simple => Some(simple.clone()),
        }
    }

    /// The part of the current object that it takes, if it is no more than that.
    pub fn as_fetch(&self) -> Option<FetchKind> {
        match self.simplified() {
            Some(Self::Fetch(what)) => Some(what),
            _ => None,
        }
    }
}

fn of_chain(chain: &Chain) -> Option<Modulator> {
    if chain.steps.iter().any(|step| !step.labels.is_empty()) {
        return key_alone(&chain.steps).map(Modulator::Fetch);
    }
    match &chain.steps[..] {
        [] => Some(Modulator::THIS),
        [Step { kind: Kind::Take(by), .. }] => by.simplified(),
        [Step { kind: Kind::Load(slot), .. }] => Some(Modulator::FetchFrom(*slot, FetchKind::This)),
        [Step { kind: Kind::Load(slot), .. }, step] => {
            fetch(step).map(|what| Modulator::FetchFrom(*slot, what))
        }
        [Step { kind: Kind::Degree { direction, labels }, .. }] => {
            Some(Modulator::Degree(*direction, labels.clone()))
        }
        [Step { kind: Kind::Move(step), .. }, Step { kind: Kind::Aggregate(Aggregation::Count), .. }]
            if is_plain(step) =>
        {
            Some(Modulator::Degree(step.direction, step.labels.clone()))
        }
        [step] => fetch(step).map(|what| Modulator::Fetch(as_by(step, what))),
        _ => None,
    }
}

/// The key whose values the steps take, if they do no more than that; whatever they call them, nobody sees it outside.
fn key_alone(steps: &[Step]) -> Option<FetchKind> {
    let [step] = steps else { return None };
    match as_by(step, fetch(step)?) {
        what @ FetchKind::Only(..) => Some(what),
        _ => None,
    }
}

impl Chain {
    /// The key, if it makes a list of the values of one: as the value of a `group()` TinkerPop takes that for `by(key)`.
    pub fn listed_key(&self) -> Option<FetchKind> {
        match &self.steps[..] {
            [values @ .., Step { kind: Kind::Aggregate(Aggregation::Fold), .. }] => key_alone(values),
            _ => None,
        }
    }
}

/// `by(values('x'))` is `by('x')` to TinkerPop, which wants one value.
fn as_by(step: &Step, what: FetchKind) -> FetchKind {
    match what {
        FetchKind::Property(name, key) if matches!(step.kind, Kind::Properties { .. }) => {
            FetchKind::Only(name, key)
        }
        what => what,
    }
}

/// Whether a move counts all the edges of its labels.
pub(crate) fn is_plain(step: &Move) -> bool {
    step.edge_test.is_none() && step.fetch.is_empty() && !step.distinct
}

fn fetch(step: &Step) -> Option<FetchKind> {
    Some(match &step.kind {
        Kind::Identity => FetchKind::This,
        Kind::Properties { keys, form: PropertyForm::Values } if keys.names.len() == 1 && !keys.apart => {
            FetchKind::Property(keys.names[0].clone(), keys.ids.first().copied())
        }
        Kind::Call(LocalFn::Id) => FetchKind::Token(T::Id),
        Kind::Call(LocalFn::Label) => FetchKind::Token(T::Label),
        Kind::Call(LocalFn::Key) => FetchKind::Token(T::Key),
        Kind::Call(LocalFn::Value) => FetchKind::Token(T::Value),
        Kind::Call(LocalFn::Column(column)) => FetchKind::Column(*column),
        Kind::Take(by) => return by.as_fetch(),
        _ => return None,
    })
}
