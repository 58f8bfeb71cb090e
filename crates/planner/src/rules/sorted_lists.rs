//! Of lists that are ordered by a sort key, only the part is read that is wanted: a range of values, or the first few.
//!
//! ```text
//! before   outE(likes; edges with date > $0)         after    outE(likes; edges with date > $0; date from $0)
//! before   outE(likes).order(date desc) first 20     after    outE(likes; last 20 by date).order(date desc) first 20
//! ```
//!
//! The test and the order stay: a range may hold a few edges more, and the first few of many lists are still many.

use graph::KeyId;
use gremlin::{Order, PredicateOp};

use super::filter_fusion::flatten;
use super::{Context, each_chain};
use crate::logical::{Chain, Kind, Logical, Modulator, Move};
use crate::physical::{EdgeLabels, Operand, Predicate, SortedPart, Test, Top, ends};
use crate::thresholds::SORTED_ANYWAY;

pub(super) fn apply(plan: &mut Logical, context: &Context<'_>) -> bool {
    each_chain(plan, |chain, _| {
        let mut changed = false;
        for index in 0..chain.steps.len() {
            changed |= narrow(chain, index, context);
        }
        changed
    })
}

/// Tells the move at `index` which part of its lists is wanted.
fn narrow(chain: &mut Chain, index: usize, context: &Context<'_>) -> bool {
    let top = top_behind(chain, index);
    let Kind::Move(step) = &mut chain.steps[index].kind else { return false };
    let Some(key) = sort_key(step, context) else { return false };
    if step.sorted.is_some() {
        return false;
    }
    let (low, high) = match &step.edge_test {
        Some(test) => range_of(test, key),
        None => (None, None),
    };
    let top = top.filter(|(by, _)| *by == key && step.edges && !step.distinct).map(|(_, top)| top);
    if low.is_none() && high.is_none() && top.is_none() {
        return false;
    }
    let exact = step.edge_test.as_ref().is_some_and(|test| is_interval(test, key));
    step.sorted = Some(SortedPart { key, low, high, exact, top });
    true
}

/// The key that orders the lists of all labels of a move.
fn sort_key(step: &Move, context: &Context<'_>) -> Option<KeyId> {
    let EdgeLabels::Only(labels) = &step.labels else { return None };
    let (first, others) = labels.split_first()?;
    let key = context.schema.sort_key(*first)?;
    others.iter().all(|label| context.schema.sort_key(*label) == Some(key)).then_some(key)
}

/// The order behind a move, if it is by one property and for a few.
pub(super) fn top_behind(chain: &Chain, index: usize) -> Option<(KeyId, Top)> {
    let Kind::Order { keys, limit: Some(limit) } = &chain.steps.get(index + 1)?.kind else { return None };
    let [(Modulator::Fetch(what), order)] = &keys[..] else { return None };
    let key = what.key()?;
    let descending = match order {
        Order::Asc => false,
        Order::Desc => true,
        Order::Shuffle => return None,
    };
    (*limit <= SORTED_ANYWAY).then_some((key, Top { limit: *limit, descending }))
}

pub(super) type Ends = (Option<Operand>, Option<Operand>);

/// What a test says about the values under a key. An edge has one value at most, so all parts hold for it.
pub(super) fn range_of(test: &Test, key: KeyId) -> Ends {
    let mut parts = Vec::new();
    flatten(test.clone(), &mut parts);
    let of_key = |part: &Test| match part {
        Test::Has(known, predicate) if *known == key => Some(ends(predicate)),
        _ => None,
    };
    parts.iter().filter_map(of_key).fold((None, None), |(low, high), (further_low, further_high)| {
        (low.or(further_low), high.or(further_high))
    })
}

/// Whether a test says of the values under a key that they are above one and below another, and nothing else.
pub(super) fn is_interval(test: &Test, key: KeyId) -> bool {
    fn count(predicate: &Predicate, bounds: &mut [usize; 3]) {
        match predicate {
            Predicate::Compare(PredicateOp::Gt | PredicateOp::Gte, _) => bounds[0] += 1,
            Predicate::Compare(PredicateOp::Lt | PredicateOp::Lte, _) => bounds[1] += 1,
            Predicate::And(parts) => parts.iter().for_each(|part| count(part, bounds)),
            _ => bounds[2] += 1,
        }
    }
    let (mut parts, mut bounds) = (Vec::new(), [0; 3]);
    flatten(test.clone(), &mut parts);
    for part in &parts {
        match part {
            Test::Has(known, predicate) if *known == key => count(predicate, &mut bounds),
            _ => return false,
        }
    }
    bounds == [1, 1, 0]
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{these, unchanged};

    const RULE: &str = "sorted-lists";

    #[test]
    fn a_range_of_the_sort_key_is_all_that_is_read() {
        these(
            &["filter-push-down", RULE],
            "g.V().outE('follows').has('since', gt(2000))",
            "V().outE(follows; edges with since > 2000; since from 2000)",
        );
        these(
            &["filter-push-down", "incident-to-adjacent", RULE],
            "g.V().outE('follows').has('since', between(2000, 2010)).inV()",
            "V().out(follows; edges with since (>= 2000 and < 2010); since from 2000 to 2010)",
        );
    }

    #[test]
    fn the_newest_of_every_list_are_enough_for_the_newest_of_all() {
        these(
            &["top-k", RULE],
            "g.V().outE('follows').order().by('since', desc).limit(5)",
            "V().outE(follows; last 5 by since).order(since desc) first 5.limit(5)",
        );
    }

    #[test]
    fn other_lists_and_other_keys_are_read_whole() {
        unchanged(RULE, "g.V().outE('knows').order().by('since', desc).limit(5)");
        unchanged(RULE, "g.V().outE('follows').order().by('age').limit(5)");
        unchanged(RULE, "g.V().outE('follows', 'knows').order().by('since').limit(5)");
        unchanged(RULE, "g.V().outE('follows').order().by('since')");
    }
}
