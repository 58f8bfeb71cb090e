//! Vertices with values in a range of indexed keys are looked up.
//!
//! ```text
//! before   V() filter(label in (Person) and city = $0 and age > $1)
//! after    V(index range Person: city = $0, age from $1).filter(city = $0 and age > $1)
//! ```
//!
//! A range index finds all whose values are between two ends, and perhaps others, so the tests stay behind it. Of several
//! indexes the one is taken that finds the fewest, as far as statistics tell; an equality index (see `index-lookup`) is one of
//! them, and so is a scan, if most of the label is found.
//!
//! Where nobody has looked at the values yet, the one is taken that more of the tests narrow: equality of one more of its first
//! keys counts for more than both ends of a range, those for more than one. An equality index is preferred to a range alone.

use graph::{KeyId, VertexLabelId};
use gremlin::PredicateOp;

use super::filter_fusion::flatten;
use super::index_lookup::{equal, indexed, replace};
use super::{Context, each_chain};
use crate::logical::{Access, Chain, Kind, Logical, Lookup};
use crate::physical::{ElementKind, IndexedRange, Operand, Predicate, Test, ends, is_known};
use crate::thresholds::{INDEX_SHARE, SMALL_LABEL};

pub(super) fn apply(plan: &mut Logical, context: &Context<'_>) -> bool {
    each_chain(plan, |chain, _| {
        let mut changed = false;
        for index in 1..chain.steps.len() {
            changed |= look_up(chain, index, context);
        }
        changed
    })
}

fn look_up(chain: &mut Chain, index: usize, context: &Context<'_>) -> bool {
    let [.., source, filter] = &chain.steps[..=index] else { return false };
    let (Kind::Graph(Access { element: ElementKind::Vertex, lookup: Lookup::All }), Kind::Filter(test)) =
        (&source.kind, &filter.kind)
    else {
        return false;
    };
    if !source.labels.is_empty() {
        return false;
    }
    let mut parts = Vec::new();
    flatten(test.clone(), &mut parts);
    let is_label = |part: &Test| matches!(part, Test::Label { vertex, .. } if !vertex.is_empty());
    let Some(place) = parts.iter().position(is_label) else { return false };
    let Test::Label { vertex: labels, .. } = parts[place].clone() else { return false };
    if parts.iter().any(|part| matches!(part, Test::HasId(_))) {
        return false;
    }
    let Some((strength, found, range)) = best(&parts, &labels, context) else { return false };
    let is_indexed = parts.iter().any(|part| indexed(part, &labels, context).is_some());
    let is_best = match (found, fewest_equal(&parts, &labels, context)) {
        (Some(found), Some(equal)) => found < equal,
        (Some(found), None) if !is_indexed => {
            let vertices = |label: &VertexLabelId| context.statistics.vertices(Some(*label)) as f64;
            let all: f64 = labels.iter().map(vertices).sum();
            all < SMALL_LABEL || found < INDEX_SHARE * all
        }
        _ => strength >= BESIDE_EQUALITY || !is_indexed,
    };
    if !is_best {
        return false;
    }
    parts.remove(place);
    replace(chain, index, Lookup::Range { labels, range }, parts);
    true
}

/// What the equality of one key counts.
const EQUALITY: usize = 4;
/// A range index must be stronger than this to be taken where an equality index would do.
const BESIDE_EQUALITY: usize = EQUALITY + 1;

/// What the equality index that finds the fewest finds of all the labels; `None` if there is none, or nobody knows.
fn fewest_equal(parts: &[Test], labels: &[VertexLabelId], context: &Context<'_>) -> Option<f64> {
    let found = parts.iter().filter_map(|part| {
        let (key, values, spread) = indexed(part, labels, context)?;
        equal(labels, key, &values, spread, context)
    });
    found.min_by(f64::total_cmp)
}

/// The range index that all the labels have and that finds the fewest, or else that the tests narrow most: how much they do,
/// how many it finds, and what the tests say about its keys.
fn best(
    parts: &[Test],
    labels: &[VertexLabelId],
    context: &Context<'_>,
) -> Option<(usize, Option<f64>, IndexedRange)> {
    let (first, others) = labels.split_first()?;
    let of_all =
        |keys: &Vec<KeyId>| others.iter().all(|label| context.schema.range_indexes(*label).contains(keys));
    let candidates = context.schema.range_indexes(*first).into_iter().filter(of_all);
    let narrowed = candidates.map(|keys| narrow(parts, keys)).filter(|(strength, _)| *strength > 0);
    let known = narrowed.map(|(strength, range)| {
        let found = labels.iter().map(|label| context.statistics.range(*label, &range)).sum::<Option<f64>>();
        (strength, found, range)
    });
    // Of equally good ones the first.
    known.min_by(|(a, a_found, _), (b, b_found, _)| match (a_found, b_found) {
        (Some(a_found), Some(b_found)) => a_found.total_cmp(b_found).then(b.cmp(a)),
        _ => b.cmp(a),
    })
}

/// What the tests say about the keys of an index, and how much that is.
pub(super) fn narrow(parts: &[Test], keys: Vec<KeyId>) -> (usize, IndexedRange) {
    let mut equal = Vec::new();
    for key in &keys {
        let equality = parts.iter().find_map(|part| match part {
            Test::Has(known, Predicate::Compare(PredicateOp::Eq, operand))
                if known == key && is_known(operand) =>
            {
                Some(operand.clone())
            }
            _ => None,
        });
        match equality {
            Some(operand) => equal.push(operand),
            None => break,
        }
    }
    let mut range = IndexedRange { keys, equal, low: None, high: None, order: None };
    let mut strength = EQUALITY * range.equal.len();
    if let Some(next) = range.keys.get(range.equal.len()) {
        // One test only: two may be satisfied by two values of a multi-property.
        let ends = parts.iter().filter_map(|part| match part {
            Test::Has(key, predicate) if key == next => Some(ends(predicate)),
            _ => None,
        });
        let count = |(low, high): &(Option<Operand>, Option<Operand>)| {
            usize::from(low.is_some()) + usize::from(high.is_some())
        };
        if let Some(ends) = ends.max_by_key(count) {
            strength += count(&ends);
            (range.low, range.high) = ends;
        }
    }
    (strength, range)
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, these, unchanged, with_statistics};

    const RULE: &str = "range-lookup";

    #[test]
    fn a_range_of_an_indexed_key_is_looked_up_and_compared() {
        only(RULE, "g.V().has('Post','age',gt(3))", "V(index range Post: age from 3).filter(age > 3)");
        only(RULE, "g.V().has('Post','age',lte(3))", "V(index range Post: age to 3).filter(age <= 3)");
        only(
            RULE,
            "g.V().has('Post','age',between(3,9))",
            "V(index range Post: age from 3 to 9).filter(age (>= 3 and < 9))",
        );
        only(RULE, "g.V().has('Post','age',3)", "V(index range Post: age = 3).filter(age = 3)");
    }

    #[test]
    fn the_index_that_the_tests_narrow_most_is_taken() {
        these(
            &["filter-fusion", RULE],
            "g.V().hasLabel('Post').has('name','x').has('age',gt(3))",
            "V(index range Post: name = 'x', age from 3).filter((name = 'x' and age > 3))",
        );
        these(
            &["filter-fusion", RULE],
            "g.V().hasLabel('Post').has('name','x').has('since',gt(3))",
            "V(index range Post: name = 'x').filter((name = 'x' and since > 3))",
        );
    }

    #[test]
    fn what_no_range_index_narrows_is_left() {
        unchanged(RULE, "g.V().has('Post','since',gt(3))");
        unchanged(RULE, "g.V().has('Post','age',neq(3))");
        unchanged(RULE, "g.V().has('Tag','age',gt(3))");
        unchanged(RULE, "g.V().has('age',gt(3))");
        unchanged(RULE, "g.V().hasLabel('Post','Tag').has('age',gt(3))");
        unchanged(RULE, "g.V().has('Post','age',outside(3,9))");
        unchanged(RULE, "g.V().out().has('Post','age',gt(3))");
        unchanged(RULE, "g.V(1).has('Post','age',gt(3))");
    }

    #[test]
    fn of_several_indexes_the_one_that_finds_the_fewest_is_taken() {
        // One in ten has a name, and there are 100,000 posts of 1,000 ages.
        let rules = &["filter-fusion", RULE];
        with_statistics(rules, "g.V().hasLabel('Post').has('name','x').has('age',3)", |plan| {
            assert!(plan.starts_with("V(index range Post: name = 'x', age = 3)"), "{plan}");
        });
        with_statistics(rules, "g.V().hasLabel('Post').has('name',gt('m')).has('age',gt(998))", |plan| {
            assert!(plan.starts_with("V(index range Post: age from 998)"), "{plan}");
        });
        with_statistics(rules, "g.V().hasLabel('Post').has('name','x').has('age',gt(200))", |plan| {
            assert!(plan.starts_with("V(index range Post: name = 'x', age from 200)"), "{plan}");
        });
    }

    #[test]
    fn an_equality_index_and_a_scan_are_considered_too() {
        let rules = &["filter-fusion", RULE, "index-lookup", "label-scan"];
        with_statistics(rules, "g.V().hasLabel('Person').has('id',7).has('age',gt(998))", |plan| {
            assert!(plan.starts_with("V(index Person.id = 7)"), "{plan}");
        });
        with_statistics(rules, "g.V().has('Post','age',gt(100))", |plan| {
            assert!(plan.starts_with("V(label Post)"), "{plan}");
        });
        with_statistics(rules, "g.V().has('Post','age',gt(600))", |plan| {
            assert!(plan.starts_with("V(index range Post: age from 600)"), "{plan}");
        });
    }

    #[test]
    fn two_tests_of_one_key_may_be_about_two_of_its_values() {
        these(
            &["filter-fusion", RULE],
            "g.V().hasLabel('Post').has('age',gt(3)).has('age',lt(9))",
            "V(index range Post: age to 9).filter((age > 3 and age < 9))",
        );
    }
}
