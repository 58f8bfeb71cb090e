//! The first few in the order of an indexed key are read from the index in that order.
//!
//! ```text
//! before   V(label Post).filter(lang = $0).order(date desc) first 10.limit(10)
//! after    V(index range Post: date descending).filter(lang = $0).limit(10)
//!
//! before   V(index range Post: date from $0).filter(date > $0).order(date desc) first 10.limit(10)
//! after    V(index range Post: date from $0 descending).filter(date > $0).limit(10)
//! ```
//!
//! The ends of a range are of use only where the schema says that vertices have one value of the key: of several values the
//! first has its place in the order, and another one may be the one that is in the range.
//!
//! Reading stops when `limit` has enough. A vertex costs more that way than in a scan, so how many will have to be looked at
//! until enough have passed the tests is compared with how many there are. If nobody knows how the values are distributed,
//! an order is used only where it seems that most of what is read is wanted.

use graph::{KeyId, VertexLabelId};
use gremlin::Order;

use super::filter_fusion::flatten;
use super::range_lookup::narrow;
use super::{Context, remove};
use crate::logical::{Access, Chain, Kind, Logical, Lookup, Modulator, Step};
use crate::lower::{Cost, Mix};
use crate::physical::{ElementKind, IndexedRange};
use crate::thresholds::{IN_ORDER_BEGIN, IN_ORDER_COST, SORTED_ANYWAY};

pub(super) fn apply(plan: &mut Logical, context: &Context<'_>) -> bool {
    let chain = &mut plan.root;
    let Some((place, wanted)) = first_few(chain) else { return false };
    let Some(range) = ordered_range(chain, place, &wanted, context) else { return false };
    let Kind::Graph(access) = &mut chain.steps[0].kind else { return false };
    access.lookup = Lookup::Range { labels: vec![wanted.label], range };
    remove(chain, place);
    true
}

/// What is wanted of a chain that begins with the vertices of a label.
struct Wanted {
    label: VertexLabelId,
    key: KeyId,
    order: Order,
    limit: u64,
}

/// The place of an order for a few by one property, behind a source and filters only.
fn first_few(chain: &Chain) -> Option<(usize, Wanted)> {
    let (source, others) = chain.steps.split_first()?;
    let Kind::Graph(Access { element: ElementKind::Vertex, lookup }) = &source.kind else { return None };
    let label = match lookup {
        Lookup::VertexLabels(labels) | Lookup::Range { labels, .. } => match labels[..] {
            [label] => label,
            _ => return None,
        },
        _ => return None,
    };
    let place = others.iter().position(|step| !step.kind.is_filter())? + 1;
    let Kind::Order { keys, limit: Some(limit) } = &chain.steps[place].kind else { return None };
    let [(Modulator::Fetch(what), order)] = &keys[..] else { return None };
    let (key, order) = (what.key()?, *order);
    let is_limited = matches!(chain.steps.get(place + 1)?.kind, Kind::Range { high: Some(_), .. });
    let fits = is_limited && order != Order::Shuffle && *limit <= SORTED_ANYWAY;
    fits.then_some((place, Wanted { label, key, order, limit: *limit }))
}

/// The part of an index to read, if that is worth it: of several the one with the fewest entries.
fn ordered_range(
    chain: &Chain,
    place: usize,
    wanted: &Wanted,
    context: &Context<'_>,
) -> Option<IndexedRange> {
    let (label, statistics) = (wanted.label, context.statistics);
    let mut tests = Vec::new();
    for step in &chain.steps[1..place] {
        if let Kind::Filter(test) = &step.kind {
            flatten(test.clone(), &mut tests);
        }
    }
    let narrowed = context.schema.range_indexes(label).into_iter().map(|keys| narrow(&tests, keys));
    let in_order = narrowed.filter(|(_, range)| range.keys.get(range.equal.len()) == Some(&wanted.key));
    let ranges = in_order.map(|(strength, range)| {
        let (low, high) = match context.schema.is_single(label, wanted.key) {
            true => (range.low, range.high),
            false => (None, None),
        };
        let range = IndexedRange { order: Some(wanted.order), low, high, ..range };
        (strength, statistics.range(label, &range), range)
    });
    let (_, entries, range) =
        ranges.min_by(|(a, a_entries, _), (b, b_entries, _)| match (a_entries, b_entries) {
            (Some(a), Some(b)) => a.total_cmp(b),
            _ => b.cmp(a),
        })?;
    let distinct = statistics.distinct(label, &range.keys, range.equal.len());
    let is_worth = match (entries, distinct) {
        (Some(entries), Some(distinct)) => {
            is_less_work(&chain.steps[..place], entries, distinct, wanted, context)
        }
        // The tests of a range let most of it pass.
        _ => tests.is_empty() || range.is_bounded(),
    };
    is_worth.then_some(range)
}

/// Whether reading an index with so many entries in order, until enough have passed the filters, is less work than reading
/// all that the source finds.
fn is_less_work(steps: &[Step], entries: f64, distinct: f64, wanted: &Wanted, context: &Context<'_>) -> bool {
    let cost = Cost::new(context.statistics);
    let found = cost.of_step(&steps[0], 1.0, &Mix::default());
    let passing =
        steps[1..].iter().fold(found.clone(), |guess, step| cost.of_step(step, guess.rows, &guess.mix));
    // The same vertices pass, whichever way they are found.
    let share = (passing.rows / entries.max(1.0)).clamp(1e-9, 1.0);
    // Those with the same value are read together.
    let together = entries / distinct.max(1.0);
    let looked_at = (wanted.limit as f64 / share + together).min(entries);
    looked_at * IN_ORDER_COST + IN_ORDER_BEGIN < found.rows
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{these, unchanged, with_statistics};

    const RULE: &str = "index-order";

    #[test]
    fn the_first_few_of_a_label_are_read_in_the_order_of_an_index() {
        these(
            &["label-scan", "top-k", RULE],
            "g.V().hasLabel('Post').order().by('age', desc).limit(5)",
            "V(index range Post: age descending).limit(5)",
        );
        these(
            &["label-scan", "top-k", RULE],
            "g.V().hasLabel('Post').as('a').order().by('age').range(2, 7).select('a')",
            "V(index range Post: age ascending) as a:s0.range(2, 7).load(s0)",
        );
    }

    #[test]
    fn a_range_is_read_from_its_end() {
        these(
            &["range-lookup", "top-k", RULE],
            "g.V().has('Post', 'age', lt(9)).order().by('age', desc).limit(5)",
            "V(index range Post: age to 9 descending).filter(age < 9).limit(5)",
        );
        these(
            &["filter-fusion", "range-lookup", "top-k", RULE],
            "g.V().has('Post', 'name', 'x').order().by('age').limit(5)",
            "V(index range Post: name = 'x', age ascending).filter(name = 'x').limit(5)",
        );
    }

    /// Of several values the first is in the order, and another one may be in the range.
    #[test]
    fn a_range_of_what_may_have_several_values_is_tested_only() {
        with_statistics(
            &["filter-fusion", "label-scan", "top-k", RULE],
            "g.V().has('Post', 'name', lt('x')).order().by('name', desc).limit(5)",
            |plan| assert_eq!(plan, "V(label Post).filter(name < 'x').order(name desc) first 5.limit(5)"),
        );
        unchanged(RULE, "g.V().has('Post', 'name', lt('x')).order().by('name', desc).limit(5)");
    }

    #[test]
    fn other_orders_and_other_streams_are_sorted() {
        for text in [
            "g.V().hasLabel('Post').order().by('age')",
            "g.V().hasLabel('Post').order().by('since').limit(5)",
            "g.V().hasLabel('Post').order().by('age').by('name').limit(5)",
            "g.V().hasLabel('Post').order().by('age', shuffle).limit(5)",
            "g.V().hasLabel('Post').order().by('age').limit(100000)",
            "g.V().hasLabel('Post', 'Tag').order().by('age').limit(5)",
            "g.V().hasLabel('Post').out().order().by('age').limit(5)",
            "g.V().hasLabel('Tag').order().by('age').limit(5)",
            "g.V().order().by('age').limit(5)",
        ] {
            unchanged(RULE, text);
            with_statistics(&["label-scan", "top-k", RULE], text, |plan| {
                assert!(!plan.contains("index"), "{plan}");
            });
        }
    }

    #[test]
    fn where_few_pass_the_tests_all_are_looked_at() {
        // Of 100,000 posts one in 20 is taken to be of a certain day.
        let few = "g.V().hasLabel('Post').has('since', 7).order().by('age').limit(5000)";
        with_statistics(&["filter-fusion", "label-scan", "top-k", RULE], few, |plan| {
            assert!(plan.starts_with("V(label Post)"), "{plan}");
        });
        let many = "g.V().hasLabel('Post').has('since', 7).order().by('age').limit(10)";
        with_statistics(&["filter-fusion", "label-scan", "top-k", RULE], many, |plan| {
            assert!(plan.starts_with("V(index range Post: age ascending)"), "{plan}");
        });
    }
}
