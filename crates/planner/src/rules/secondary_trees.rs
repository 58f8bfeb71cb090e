//! Of long lists that may have a secondary edge-tree, only the part is read that is wanted: a range of values of a property
//! that is not the sort key, or the first few.
//!
//! ```text
//! before   outE(likes; edges with weight > $0)       after    outE(likes; edges with weight > $0; secondary by weight)
//! ```
//!
//! Which trees there are changes while plans live, so the expansion asks for each list that it comes to. Where there is
//! none, what it reads instead is what decides whether one is built (ByteGraph, section 4.3.2).

use graph::KeyId;

use super::filter_fusion::flatten;
use super::sorted_lists::{is_interval, range_of, top_behind};
use super::{Context, each_chain};
use crate::logical::{Chain, Kind, Logical};
use crate::physical::{SortedPart, Test, Top};

pub(super) fn apply(plan: &mut Logical, _: &Context<'_>) -> bool {
    each_chain(plan, |chain, _| {
        let mut changed = false;
        for index in 0..chain.steps.len() {
            changed |= note(chain, index);
        }
        changed
    })
}

/// Tells the move at `index` by which keys it would like its lists to be ordered.
fn note(chain: &mut Chain, index: usize) -> bool {
    let top = top_behind(chain, index);
    let Kind::Move(step) = &mut chain.steps[index].kind else { return false };
    if step.sorted.is_some() || !step.secondary.is_empty() {
        return false;
    }
    let test = step.edge_test.as_ref();
    // Where a test by another property lets few edges pass, the first few may be found only at the other end of the list.
    let top = top
        .filter(|(key, _)| step.edges && !step.distinct && test.is_none_or(|test| is_only_about(test, *key)));
    let mut keys = test.map_or_else(Vec::new, keys_of);
    keys.extend(top.map(|(key, _)| key).filter(|key| !keys.contains(key)));
    let parts = keys.into_iter().filter_map(|key| part(test, key, top));
    step.secondary = parts.collect();
    !step.secondary.is_empty()
}

/// The part of a list by `key` that passes a test, or is among the first few.
fn part(test: Option<&Test>, key: KeyId, top: Option<(KeyId, Top)>) -> Option<SortedPart> {
    let (low, high) = test.map_or((None, None), |test| range_of(test, key));
    let top = top.filter(|(by, _)| *by == key).map(|(_, top)| top);
    let exact = test.is_some_and(|test| is_interval(test, key));
    (low.is_some() || high.is_some() || top.is_some()).then_some(SortedPart { key, low, high, exact, top })
}

/// Whether a test looks at nothing but one property.
fn is_only_about(test: &Test, key: KeyId) -> bool {
    let mut parts = Vec::new();
    flatten(test.clone(), &mut parts);
    parts.iter().all(|part| matches!(part, Test::Has(known, _) if *known == key))
}

/// The properties that a test compares.
fn keys_of(test: &Test) -> Vec<KeyId> {
    let (mut parts, mut keys) = (Vec::new(), Vec::new());
    flatten(test.clone(), &mut parts);
    for part in &parts {
        if let Test::Has(key, _) = part
            && !keys.contains(key)
        {
            keys.push(*key);
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{these, unchanged};

    const RULE: &str = "secondary-trees";

    #[test]
    fn ranges_and_values_of_any_property_may_have_a_tree() {
        these(
            &["filter-push-down", RULE],
            "g.V().outE('likes').has('age', 7).has('name', gt('a'))",
            "V().outE(likes; edges with (age = 7 and name > 'a'); secondary by age or name)",
        );
        these(
            &["filter-push-down", "incident-to-adjacent", RULE],
            "g.V().inE().has('age', between(3, 5)).outV()",
            "V().in(; edges with age (>= 3 and < 5); secondary by age)",
        );
    }

    #[test]
    fn the_first_few_by_any_property_may_have_a_tree() {
        these(
            &["top-k", RULE],
            "g.V().outE('likes').order().by('age', desc).limit(5)",
            "V().outE(likes; secondary by age).order(age desc) first 5.limit(5)",
        );
    }

    #[test]
    fn the_first_few_of_those_that_pass_another_test_are_read_by_that_test() {
        these(
            &["filter-push-down", "top-k", RULE],
            "g.V().outE('likes').has('name', 'x').order().by('age').limit(5)",
            "V().outE(likes; edges with name = 'x'; secondary by name).order(age asc) first 5.limit(5)",
        );
    }

    #[test]
    fn what_a_sort_key_serves_and_what_no_order_serves_stays_as_it_is() {
        these(
            &["filter-push-down", "sorted-lists", RULE],
            "g.V().outE('follows').has('since', gt(2000))",
            "V().outE(follows; edges with since > 2000; since from 2000)",
        );
        these(
            &["filter-push-down", RULE],
            "g.V().outE('likes').has('age', neq(3))",
            "V().outE(likes; edges with age != 3)",
        );
        unchanged(RULE, "g.V().outE('likes').order().by('age')");
        unchanged(RULE, "g.V().out('likes').has('age', 3)");
    }
}
