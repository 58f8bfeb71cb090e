//! Where only the first few of a sorted stream are wanted, it is sorted before an expensive subquery looks at it: the
//! subquery then runs until enough traversers have passed, and not for all of them.
//!
//! ```text
//! before   where {in(hasCreator)…} order(id asc) limit(20)
//! after    order(id asc) where {in(hasCreator)…} limit(20)
//! ```
//!
//! Sorting more than needed costs little beside a subquery per traverser. The order of two steps that each look at one
//! object alone changes no answer: sorting is stable and keeps what the filter keeps. But a key must not fail for what the filter
//! would have kept away:
//!
//! - what a traversal computes is left where it is, and so is a property, a label or an id, unless what comes is elements, which
//!   have one or have none;
//! - by a property of which a vertex may have several values, it is sorted by the first, and whether there are others is asked
//!   behind the filter.

use gremlin::{Order, StepName};
use values::T;

use super::{Context, each_chain};
use crate::logical::{Chain, Footprint, Kind, Logical, Modulator, Origin, Step};
use crate::physical::{FetchKind, Slot};

pub(super) fn apply(plan: &mut Logical, _: &Context<'_>) -> bool {
    let (unread, mut asks) = (Slot(plan.slots), false);
    let changed = each_chain(plan, |chain, _| {
        let mut changed = false;
        let mut limit = 2;
        while limit < chain.steps.len() {
            if matches!(chain.steps[limit].kind, Kind::Range { high: Some(_), .. })
                && let Some(asked) = move_order(chain, limit - 1)
            {
                changed = true;
                asks |= !asked.is_empty();
                for by in asked {
                    let ask = Kind::Keep { into: unread, origin: Origin::Current, by };
                    chain.steps.insert(limit, Step::new(ask, StepName::Order));
                    limit += 1;
                }
            }
            limit += 1;
        }
        changed
    });
    if asks {
        plan.new_slot();
    }
    changed
}

/// Moves a sort to before the subqueries in front of it, if there are any that it can pass. What is to be asked behind them.
fn move_order(chain: &mut Chain, mut order: usize) -> Option<Vec<Modulator>> {
    if !is_plain_order(&chain.steps[order], || brings_elements(&chain.steps[..order], false)) {
        return None;
    }
    let start = order;
    while order > 0 && is_expensive_filter(&chain.steps[order - 1]) {
        chain.steps.swap(order - 1, order);
        order -= 1;
    }
    if order == start {
        return None;
    }
    let Kind::Order { keys, .. } = &mut chain.steps[order].kind else { return None };
    let mut asked = Vec::new();
    for (by, _) in keys {
        if let Modulator::Fetch(FetchKind::Only(name, key)) = by {
            let first = Modulator::Fetch(FetchKind::Property(name.clone(), *key));
            asked.push(std::mem::replace(by, first));
        }
    }
    Some(asked)
}

/// Whether the step sorts by something that a filter before it has no part in, and that is there, or absent, for whatever comes.
fn is_plain_order(step: &Step, brings_elements: impl Fn() -> bool) -> bool {
    let Kind::Order { keys, limit: None } = &step.kind else { return false };
    let is_plain = |by: &Modulator| match by {
        Modulator::Fetch(FetchKind::This) | Modulator::FetchFrom(_, FetchKind::This) => true,
        Modulator::Fetch(
            FetchKind::Property(..) | FetchKind::Only(..) | FetchKind::Token(T::Id | T::Label),
        )
        | Modulator::Degree(..) => brings_elements(),
        _ => false,
    };
    step.labels.is_empty()
        && keys.iter().all(|(by, order)| *order != Order::Shuffle && is_plain(by))
        && !step.footprint().touches(Footprint::FILLS | Footprint::WRITES | Footprint::NAMES)
}

/// Whether only vertices and edges come out of the steps, if that is all that comes in, or something else does.
fn brings_elements(steps: &[Step], come_in: bool) -> bool {
    let mut elements = come_in;
    for step in steps {
        let out_of = |chain: &Chain| brings_elements(&chain.steps, elements);
        elements = match &step.kind {
            Kind::Graph(_) | Kind::Move(_) | Kind::EdgeVertex(_) => true,
            Kind::Identity
            | Kind::Filter(_)
            | Kind::Compare(_)
            | Kind::Exists(_)
            | Kind::Keep { .. }
            | Kind::Dedup { .. }
            | Kind::Order { .. }
            | Kind::Range { .. }
            | Kind::Tail(_)
            | Kind::Barrier
            | Kind::HoldRepeats => elements,
            Kind::Union(branches) | Kind::Coalesce(branches) => branches.iter().all(out_of),
            Kind::FlatMap(chain) | Kind::Local(chain) | Kind::Map(chain) => out_of(chain),
            Kind::Optional(chain) => elements && out_of(chain),
            Kind::Repeat(repeat) => elements && out_of(&repeat.body),
            _ => false,
        };
    }
    elements
}

/// Whether the step is a subquery that may look at many objects for each traverser, and does nothing else.
fn is_expensive_filter(step: &Step) -> bool {
    let Kind::Exists(exists) = &step.kind else { return false };
    let moves = |chain: &Chain| chain.steps.iter().any(|s| matches!(s.kind, Kind::Move(_)));
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
            "V().order(name asc).where all {out(knows).filter(age = 1)}.keep(s0: name).limit(2)",
        );
        only(
            RULE,
            "g.V().union(identity(),out()).where(out('knows').has('age',1)).order().by('name').limit(2)",
            "V().union { | out()}.order(name asc).where all {out(knows).filter(age = 1)}.keep(s0: name).limit(2)",
        );
        only(
            RULE,
            "g.V().where(out('knows').has('age',1)).order().limit(2)",
            "V().order().where all {out(knows).filter(age = 1)}.limit(2)",
        );
    }

    #[test]
    fn what_might_have_no_such_key_is_sorted_behind_the_filter() {
        unchanged(RULE, "g.V().values('name').where(out('knows').has('age',1)).order().by('name').limit(2)");
        unchanged(RULE, "g.V().group().where(out('knows').has('age',1)).order().by(keys).limit(2)");
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
