//! Where only the existence of a result matters, steps that never take away the last one are dropped.
//!
//! ```text
//! before   where all {out(likes).order().dedup().limit(5).values(age).filter(it > 3)}
//! after    where all {out(likes).filter(age > 3)}
//! ```
//!
//! What may fail stays, for it fails whether or not anybody looks at what it yields: `values(age).label()` does.

use values::T;

use super::inline_filter::as_test;
use super::{Context, each_chain};
use crate::logical::{Chain, Footprint, Kind, Logical, Modulator, Role, Step};
use crate::physical::{FetchKind, LocalFn, PropertyForm};

pub(super) fn apply(plan: &mut Logical, _: &Context<'_>) -> bool {
    each_chain(plan, |chain, role| role == Role::Test && (trim(chain) | test_values(chain)))
}

fn trim(chain: &mut Chain) -> bool {
    let before = chain.steps.len();
    // How far the subquery runs shows in what it writes.
    if chain.footprint().touches(Footprint::FILLS | Footprint::WRITES) {
        return false;
    }
    // The first step stays, so that the subquery is still one.
    while let [before @ .., step] = &chain.steps[..]
        && !before.is_empty()
        && step.labels.is_empty()
        && !step.footprint().touches(Footprint::REPEATED)
        && keeps_existence(&step.kind, yields_elements(before))
    {
        chain.steps.pop();
    }
    chain.steps.len() < before
}

/// Whether the step yields something whenever it is given something, and never fails.
fn keeps_existence(kind: &Kind, of_elements: bool) -> bool {
    match kind {
        Kind::Dedup { keys, .. } => keys.is_empty(),
        Kind::Order { keys, limit } => {
            *limit != Some(0)
                && keys.iter().all(|(by, _)| by.as_fetch().as_ref() == Modulator::THIS.as_fetch().as_ref())
        }
        Kind::Range { low: 0, high } => *high != Some(0),
        Kind::Tail(n) => *n > 0,
        Kind::Barrier | Kind::Identity | Kind::Call(LocalFn::Constant(_)) => true,
        Kind::Project(entries) => entries.iter().all(|(_, by)| never_fails(by, of_elements)),
        Kind::Call(LocalFn::Id | LocalFn::Label) => of_elements,
        Kind::Properties { form, .. } => {
            of_elements
                && matches!(
                    form,
                    PropertyForm::ValueMap { .. } | PropertyForm::ElementMap | PropertyForm::PropertyMap
                )
        }
        _ => false,
    }
}

/// Whether a modulator can be asked of all that comes.
fn never_fails(by: &Modulator, of_elements: bool) -> bool {
    match by.as_fetch() {
        Some(FetchKind::This) => true,
        Some(FetchKind::Property(..) | FetchKind::Token(T::Id | T::Label)) => of_elements,
        _ => false,
    }
}

/// Whether the steps yield vertices or edges, for all that can be told from the steps.
fn yields_elements(steps: &[Step]) -> bool {
    let passes = |kind: &Kind| {
        matches!(
            kind,
            Kind::Filter(_)
                | Kind::Dedup { .. }
                | Kind::Order { .. }
                | Kind::Range { .. }
                | Kind::Tail(_)
                | Kind::Barrier
                | Kind::Identity
        )
    };
    let last = steps.iter().rfind(|step| !passes(&step.kind));
    last.is_some_and(|step| matches!(step.kind, Kind::Graph(_) | Kind::Move(_) | Kind::EdgeVertex(_)))
}

/// `values('age').is(gt(3))` at the end is a test of the element.
fn test_values(chain: &mut Chain) -> bool {
    let Some(place) = chain.steps.iter().rposition(|step| matches!(step.kind, Kind::Properties { .. }))
    else {
        return false;
    };
    let end = Chain { steps: chain.steps[place..].to_vec() };
    match as_test(&end) {
        Some(test) => {
            let name = chain.steps[place].name;
            chain.steps.truncate(place);
            chain.steps.push(Step::new(Kind::Filter(test), name));
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, unchanged};

    const RULE: &str = "exists-trim";

    #[test]
    fn what_cannot_take_away_the_last_result_is_dropped() {
        only(RULE, "g.V().where(out().order().dedup().limit(5).id())", "V().where all {out()}");
        only(
            RULE,
            "g.V().where(outE().inV().dedup().project('r', 's').by(id).by())",
            "V().where all {outE().inV()}",
        );
        only(RULE, "g.V().where(values('age').project('r').by())", "V().where all {filter(has age)}");
    }

    #[test]
    fn values_at_the_end_are_a_test() {
        only(RULE, "g.V().where(out().values('age').is(gt(3)))", "V().where all {out().filter(age > 3)}");
        only(RULE, "g.V().not(out().values('age'))", "V().not none {out().filter(has age)}");
    }

    #[test]
    fn what_may_take_it_away_stays() {
        unchanged(RULE, "g.V().where(out().order().by('age'))");
        unchanged(RULE, "g.V().where(out().range(1,5))");
        unchanged(RULE, "g.V().where(out().values('age').label())");
        unchanged(RULE, "g.V().where(values('age').project('r').by(label))");
        unchanged(RULE, "g.V().where(out().project('r').by(values('name').math('_')))");
        unchanged(RULE, "g.V().map(out().dedup())");
    }
}
