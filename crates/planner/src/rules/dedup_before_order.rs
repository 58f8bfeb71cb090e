//! Duplicates go before sorting: fewer are sorted, and the rest still comes out in order.
//!
//! ```text
//! before   order(age asc) dedup()
//! after    dedup() order(age asc)
//! ```
//!
//! Only for whole objects: equal objects have equal keys, if the keys are parts of the objects.

use super::{Context, each_chain};
use crate::logical::{Kind, Logical, Modulator};

pub(super) fn apply(plan: &mut Logical, _: &Context<'_>) -> bool {
    each_chain(plan, |chain, _| {
        let mut changed = false;
        for index in 1..chain.steps.len() {
            let (before, after) = (&chain.steps[index - 1], &chain.steps[index]);
            let plain_dedup =
                matches!(&after.kind, Kind::Dedup { keys, across_iterations: false } if keys.is_empty());
            let sorts = match &before.kind {
                Kind::Order { keys, limit: None } => keys.iter().all(|(by, _)| of_object(by)),
                _ => false,
            };
            if plain_dedup && sorts && before.labels.is_empty() && after.labels.is_empty() {
                chain.steps.swap(index - 1, index);
                changed = true;
            }
        }
        changed
    })
}

/// Whether the modulator depends on nothing but the object.
fn of_object(by: &Modulator) -> bool {
    match by {
        Modulator::Fetch(_) | Modulator::Degree(..) => true,
        Modulator::FetchFrom(..) => false,
        Modulator::Chain(chain) => chain.footprint().is_pure(),
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, unchanged};

    const RULE: &str = "dedup-before-order";

    #[test]
    fn duplicates_are_not_sorted() {
        only(RULE, "g.V().out().order().by('age').dedup()", "V().out().dedup().order(age asc)");
    }

    #[test]
    fn what_remains_may_depend_on_the_order() {
        unchanged(RULE, "g.V().out().order().by('age').dedup().by('name')");
        unchanged(RULE, "g.V().as('a').out().order().by(select('a')).dedup()");
    }
}
