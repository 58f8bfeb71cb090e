//! Where only the first few of a sorted stream are wanted, it is sorted before an expensive subquery looks at it: the
//! subquery then runs until enough traversers have passed, and not for all of them.
//!
//! ```text
//! before   where {in(hasCreator)…} order(id asc) limit(20)
//! after    order(id asc) where {in(hasCreator)…} limit(20)
//! ```
//!
//! Sorting more than needed costs little beside a subquery per traverser. The order of two steps that each look at one
//! object alone changes no answer: sorting is stable and keeps what the filter keeps. What a traversal computes as a key may fail,
//! and must not for what the filter would have kept away.

use gremlin::Order;

use super::{Context, each_chain};
use crate::logical::{Footprint, Kind, Logical, Modulator, Step};

pub(super) fn apply(plan: &mut Logical, _: &Context<'_>) -> bool {
    each_chain(plan, |chain, _| {
        let mut changed = false;
        for limit in 2..chain.steps.len() {
            if !matches!(chain.steps[limit].kind, Kind::Range { high: Some(_), .. }) {
                continue;
            }
            let mut order = limit - 1;
            while order > 0
                && is_plain_order(&chain.steps[order])
                && is_expensive_filter(&chain.steps[order - 1])
            {
                chain.steps.swap(order - 1, order);
                order -= 1;
                changed = true;
            }
        }
        changed
    })
}

/// Whether the step sorts by something that a filter before it has no part in.
fn is_plain_order(step: &Step) -> bool {
    match &step.kind {
        Kind::Order { keys, limit: None } => {
            step.labels.is_empty()
                && keys
                    .iter()
                    .all(|(by, order)| *order != Order::Shuffle && !matches!(by, Modulator::Chain(_)))
                && !step.footprint().touches(Footprint::FILLS | Footprint::WRITES | Footprint::NAMES)
        }
        _ => false,
    }
}

/// Whether the step is a subquery that may look at many objects for each traverser, and does nothing else.
fn is_expensive_filter(step: &Step) -> bool {
    let Kind::Exists(exists) = &step.kind else { return false };
    let moves = |chain: &crate::logical::Chain| chain.steps.iter().any(|s| matches!(s.kind, Kind::Move(_)));
    let does = Footprint::FILLS | Footprint::WRITES | Footprint::NAMES;
    step.labels.is_empty() && exists.branches.iter().any(moves) && !step.footprint().touches(does)
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, unchanged};

    const RULE: &str = "order-before-exists";

    #[test]
    fn the_subquery_runs_for_the_first_few_only() {
        only(
            RULE,
            "g.V().where(out('knows').has('age',1)).order().by('name').limit(2)",
            "V().order(name asc).where all {out(knows).filter(age = 1)}.limit(2)",
        );
    }

    #[test]
    fn without_a_limit_every_traverser_is_asked_anyway() {
        unchanged(RULE, "g.V().where(out('knows').has('age',1)).order().by('name')");
        unchanged(RULE, "g.V().where(out('knows').has('age',1)).order().by(shuffle).limit(2)");
        unchanged(
            RULE,
            "g.V().where(out('knows').has('age',1)).order().by(values('age').math('_')).limit(2)",
        );
    }

    #[test]
    fn a_filter_with_an_effect_stays_where_it_is() {
        unchanged(RULE, "g.V().where(out('knows').aggregate('x')).order().by('name').limit(2)");
    }
}
