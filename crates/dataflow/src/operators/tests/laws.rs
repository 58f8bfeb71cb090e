//! Properties that hold for any input: barriers agree with naive models, whatever the batches, tags and bulks.

use std::collections::BTreeMap;

use gremlin::Order;
use planner::physical::{Aggregation, By, OpKind, SortKey, op};
use proptest::prelude::*;
use values::Value;

use super::world::{Row, World, bulked, tagged};
use crate::batch::Batch;

/// A traverser: tag, value, bulk.
type Simple = (u32, i32, u64);

fn world(tags: u32) -> World {
    World::empty().with_tags(tags)
}

/// The stream in batches of the given sizes, round and round.
fn batches(world: &World, stream: &[Simple], sizes: &[usize]) -> Vec<Batch> {
    let mut rest = stream;
    let mut result = Vec::new();
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            return result;
        }
        let (now, later) = rest.split_at((*size).min(rest.len()));
        let batch = world.values(&now.iter().map(|s| s.1).collect::<Vec<_>>());
        let batch = bulked(batch, &now.iter().map(|s| s.2).collect::<Vec<_>>());
        let tags: Vec<u32> = now.iter().map(|s| s.0).collect();
        result.push(if world.tags == 1 { batch } else { tagged(batch, &tags) });
        rest = later;
    }
    result
}

fn simple(rows: &[Row]) -> Vec<Simple> {
    let one = |r: &Row| (r.tag, r.value.as_ref().and_then(Value::as_i64).unwrap_or(i64::MIN) as i32, r.bulk);
    rows.iter().map(one).collect()
}

/// The streams of the tags, one after the other.
fn by_tag(stream: &[Simple]) -> BTreeMap<u32, Vec<Simple>> {
    let mut result: BTreeMap<u32, Vec<Simple>> = BTreeMap::new();
    stream.iter().for_each(|s| result.entry(s.0).or_default().push(*s));
    result
}

/// Bulks laid out one by one.
fn laid_out(stream: &[Simple]) -> Vec<(u32, i32)> {
    stream.iter().flat_map(|s| std::iter::repeat_n((s.0, s.1), s.2 as usize)).collect()
}

fn streams() -> impl Strategy<Value = (u32, Vec<Simple>, Vec<usize>)> {
    (1u32..5).prop_flat_map(|tags| {
        let one = (0..tags, -20i32..20, 1u64..6);
        (Just(tags), prop::collection::vec(one, 0..120), prop::collection::vec(1usize..17, 1..5))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn dedup_agrees_with_a_set_per_tag((tags, stream, sizes) in streams()) {
        let world = world(tags);
        let kind = OpKind::Dedup(op::Dedup { by: vec![By::Current], across_iterations: false, in_pieces: false });
        let found = simple(&world.run(kind, batches(&world, &stream, &sizes)).rows());
        let mut seen = std::collections::BTreeSet::new();
        let expected: Vec<Simple> =
            stream.iter().filter(|s| seen.insert((s.0, s.1))).map(|s| (s.0, s.1, 1)).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn range_agrees_with_skip_and_take(
        (tags, stream, sizes) in streams(),
        low in 0u64..30,
        len in prop::option::of(0u64..40),
    ) {
        let world = world(tags);
        let kind = OpKind::Range(op::Range { low, high: len.map(|len| low + len) });
        let found = laid_out(&simple(&world.run(kind, batches(&world, &stream, &sizes)).rows()));
        for (tag, stream) in by_tag(&stream) {
            let take = len.map_or(usize::MAX, |len| len as usize);
            let expected: Vec<_> = laid_out(&stream).into_iter().skip(low as usize).take(take).collect();
            let found: Vec<_> = found.iter().copied().filter(|(t, _)| *t == tag).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn tail_agrees_with_the_end_of_a_list((tags, stream, sizes) in streams(), n in 0u64..30) {
        let world = world(tags);
        let found = laid_out(&simple(&world.run(OpKind::Tail(n), batches(&world, &stream, &sizes)).rows()));
        let mut expected = Vec::new();
        for stream in by_tag(&stream).values() {
            let all = laid_out(stream);
            expected.extend_from_slice(&all[all.len().saturating_sub(n as usize)..]);
        }
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn order_agrees_with_a_stable_sort(
        (tags, stream, sizes) in streams(),
        descending in any::<bool>(),
        limit in prop::option::of(0u64..25),
        repeat in 1usize..40,
    ) {
        let world = world(tags);
        let stream: Vec<Simple> = (0..repeat).flat_map(|_| stream.iter().copied()).collect();
        let order = if descending { Order::Desc } else { Order::Asc };
        let kind = OpKind::Order(op::Sort { keys: vec![SortKey { by: By::Current, order }], limit });
        let found = laid_out(&simple(&world.run(kind, batches(&world, &stream, &sizes)).rows()));
        let mut expected = Vec::new();
        for stream in by_tag(&stream).values() {
            let mut all = laid_out(stream);
            all.sort_by(|a, b| if descending { b.1.cmp(&a.1) } else { a.1.cmp(&b.1) });
            all.truncate(limit.map_or(usize::MAX, |limit| limit as usize));
            expected.extend(all);
        }
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn aggregations_agree_with_iterators((tags, stream, sizes) in streams()) {
        let world = world(tags);
        let of = |aggregation| {
            let rows = world.run(OpKind::Aggregate(aggregation), batches(&world, &stream, &sizes)).rows();
            rows.into_iter().map(|r| (r.tag, r.value.unwrap())).collect::<Vec<_>>()
        };
        let groups = by_tag(&stream);
        let laid: BTreeMap<u32, Vec<i32>> =
            groups.iter().map(|(t, s)| (*t, laid_out(s).into_iter().map(|(_, v)| v).collect())).collect();
        let counts: Vec<_> =
            (0..tags).map(|t| (t, Value::Long(laid.get(&t).map_or(0, Vec::len) as i64))).collect();
        prop_assert_eq!(of(Aggregation::Count), counts);
        let folds: Vec<_> = (0..tags)
            .map(|t| (t, laid.get(&t).cloned().unwrap_or_default()))
            .map(|(t, l)| (t, Value::from(l.into_iter().map(Value::Int).collect::<Vec<_>>())))
            .collect();
        prop_assert_eq!(of(Aggregation::Fold), folds);
        let sums: Vec<_> = laid.iter().map(|(t, l)| (*t, Value::Int(l.iter().sum()))).collect();
        prop_assert_eq!(of(Aggregation::Sum), sums);
        let maxima: Vec<_> = laid.iter().map(|(t, l)| (*t, Value::Int(*l.iter().max().unwrap()))).collect();
        prop_assert_eq!(of(Aggregation::Max), maxima);
        for ((tag, mean), l) in of(Aggregation::Mean).into_iter().zip(laid.values()) {
            let expected = f64::from(l.iter().sum::<i32>()) / l.len() as f64;
            prop_assert_eq!(mean, Value::Double(expected), "tag {}", tag);
        }
    }

    #[test]
    fn a_barrier_changes_nothing_but_the_grouping((tags, stream, sizes) in streams()) {
        let world = world(tags);
        let found = simple(&world.run(OpKind::Barrier(op::Barrier { first_passes: false, compares_paths: false }), batches(&world, &stream, &sizes)).rows());
        let count = |stream: &[Simple]| {
            let mut counts: BTreeMap<(u32, i32), u64> = BTreeMap::new();
            stream.iter().for_each(|s| *counts.entry((s.0, s.1)).or_default() += s.2);
            counts
        };
        prop_assert_eq!(count(&found), count(&stream));
        prop_assert_eq!(found.len(), count(&stream).len(), "one row per distinct traverser");
        prop_assert!(found.windows(2).all(|pair| pair[0].0 <= pair[1].0), "in ascending order of the tags");
        let kind = OpKind::Barrier(op::Barrier { first_passes: true, compares_paths: false });
        let found = simple(&world.run(kind, batches(&world, &stream, &sizes)).rows());
        prop_assert_eq!(count(&found), count(&stream));
        prop_assert!(found.len() <= 2 * count(&stream).len(), "the first of each, and at most one for the others");
    }

    #[test]
    fn what_is_gathered_goes_on_as_it_came((tags, stream, sizes) in streams()) {
        let world = world(tags);
        let found = world.run(OpKind::Gather, batches(&world, &stream, &sizes));
        prop_assert_eq!(simple(&found.rows()), stream);
    }

    #[test]
    fn group_counts_agree_with_a_map((tags, stream, sizes) in streams()) {
        let world = world(tags);
        let kind = OpKind::GroupCount(op::GroupCount { key: By::Current, side_effect: None });
        let rows = world.run(kind, batches(&world, &stream, &sizes)).rows();
        prop_assert_eq!(rows.len(), tags as usize);
        let groups = by_tag(&stream);
        for row in rows {
            let mut expected: BTreeMap<i32, i64> = BTreeMap::new();
            let of_tag = groups.get(&row.tag).map_or(&[][..], Vec::as_slice);
            of_tag.iter().for_each(|s| *expected.entry(s.1).or_default() += s.2 as i64);
            let expected: values::Map =
                expected.into_iter().map(|(k, v)| (Value::Int(k), Value::Long(v))).collect();
            prop_assert_eq!(row.value, Some(expected.into()));
        }
    }
}
