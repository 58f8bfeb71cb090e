//! Where only the existence of a result matters, steps that never take away the last one are dropped.
//!
//! ```text
//! before   where all {out(likes).order().dedup().limit(5).values(age).filter(it > 3)}
//! after    where all {out(likes).filter(age > 3)}
//! ```

use super::inline_filter::as_test;
use super::{Context, each_chain};
use crate::logical::{Chain, Footprint, Kind, Logical, Modulator, Role};
use crate::physical::{LocalFn, PropertyForm};

pub(super) fn apply(plan: &mut Logical, _: &Context<'_>) -> bool {
    each_chain(plan, |chain, role| role == Role::Test && (trim(chain) | test_values(chain)))
}

fn trim(chain: &mut Chain) -> bool {
    let before = chain.steps.len();
    // How far the subquery runs shows in what it writes.
    if chain.footprint().touches(Footprint::FILLS | Footprint::WRITES) {
        return false;
    }
    // The last step stays, so that the subquery is still one.
    while chain.steps.len() > 1
        && chain.steps.last().is_some_and(|step| {
            let is_pure = !step.footprint().touches(Footprint::REPEATED);
            step.labels.is_empty() && is_pure && keeps_existence(&step.kind)
        })
    {
        chain.steps.pop();
    }
    chain.steps.len() < before
}

/// Whether the step yields something whenever it is given something.
fn keeps_existence(kind: &Kind) -> bool {
    match kind {
        Kind::Dedup { keys, .. } => keys.is_empty(),
        Kind::Order { keys, limit } => {
            *limit != Some(0)
                && keys.iter().all(|(by, _)| by.as_fetch().as_ref() == Modulator::THIS.as_fetch().as_ref())
        }
        Kind::Range { low: 0, high } => *high != Some(0),
        Kind::Tail(n) => *n > 0,
        Kind::Barrier | Kind::Identity | Kind::Project(_) => true,
        Kind::Call(LocalFn::Id | LocalFn::Label | LocalFn::Constant(_)) => true,
        Kind::Properties { form, .. } => {
            matches!(
                form,
                PropertyForm::ValueMap { .. } | PropertyForm::ElementMap | PropertyForm::PropertyMap
            )
        }
        _ => false,
    }
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
            chain.steps.push(crate::logical::Step::new(Kind::Filter(test), name));
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
        unchanged(RULE, "g.V().map(out().dedup())");
    }
}
