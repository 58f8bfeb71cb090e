//! `dedup`, `range`, `tail`, `order`, `sample`, `barrier`.

use gremlin::Order;
use planner::physical::{By, OpKind, Slot, SortKey, op};
use values::Value;

use super::world::{World, bulked, op, slotted, tagged};
use crate::batch::Batch;
use crate::scope_memory::ScopeMemory;

fn dedup(by: Vec<By>) -> OpKind {
    OpKind::Dedup(op::Dedup { by, across_iterations: false, in_pieces: false })
}

fn range(low: u64, high: Option<u64>) -> OpKind {
    OpKind::Range(op::Range { low, high })
}

fn bulks(rows: &[super::world::Row]) -> Vec<(String, u64)> {
    rows.iter().map(|row| (row.value.clone().unwrap().to_string(), row.bulk)).collect()
}

#[test]
fn dedup_keeps_the_first_of_each_object_with_a_bulk_of_one() {
    let world = World::modern();
    let input = vec![bulked(world.values(&["a", "b", "a"]), &[5, 1, 1]), world.values(&["b", "c"])];
    assert_eq!(
        bulks(&world.run(dedup(vec![By::Current]), input).rows()),
        [("a".into(), 1), ("b".into(), 1), ("c".into(), 1)]
    );
    let mixed: Vec<Value> = vec![1.into(), 1i64.into(), 1.into(), f64::NAN.into(), f64::NAN.into()];
    assert_eq!(
        world.run(dedup(vec![]), vec![world.values(&mixed)]).rows().len(),
        3,
        "equivalence, not equality"
    );
    assert_eq!(
        world.run(dedup(vec![By::Current]), vec![world.vertices(&[1, 2, 1, 2, 3])]).texts(),
        ["v[1]", "v[2]", "v[3]"]
    );
}

#[test]
fn dedup_by_slots_drops_traversers_without_them() {
    let world = World::modern();
    let input = slotted(
        world.values(&[1, 2, 3, 4]),
        0,
        vec![Some("x".into()), Some("x".into()), None, Some("y".into())],
    );
    let input = slotted(input, 1, vec![Some(1.into()), Some(2.into()), Some(3.into()), None]);
    let by = |slots: &[u16]| slots.iter().map(|s| By::Slot(Slot(*s))).collect::<Vec<_>>();
    assert_eq!(world.run(dedup(by(&[0])), vec![input.clone()]).texts(), ["1", "4"]);
    assert_eq!(world.run(dedup(by(&[0, 1])), vec![input]).texts(), ["1", "2"]);
}

#[test]
fn iterations_of_a_loop_share_the_memory_of_a_dedup_that_asks_for_it() {
    let world = World::modern();
    let shared =
        op(OpKind::Dedup(op::Dedup { by: vec![By::Current], across_iterations: true, in_pieces: false }));
    let (query, memory) = (world.query(), ScopeMemory::default());
    let iterate = |ids: &[i64]| {
        let mut operator = crate::operators::create(&shared);
        world.drive(operator.as_mut(), &query, &shared, &memory, vec![world.vertices(ids)]).unwrap().texts()
    };
    assert_eq!(iterate(&[1, 2]), ["v[1]", "v[2]"]);
    assert_eq!(iterate(&[2, 3]), ["v[3]"]);
    drop(memory);
    assert_eq!(query.memory.used(), 0, "the memory goes with the loop");
}

#[test]
fn a_range_cuts_bulks_exactly_and_says_when_it_is_full() {
    let world = World::modern();
    let input = || vec![bulked(world.values(&["a", "b", "c"]), &[5, 2, 4]), world.values(&["d"])];
    let run = |low, high| world.run(range(low, high), input());
    assert_eq!(bulks(&run(0, Some(3)).rows()), [("a".into(), 3)]);
    assert_eq!(bulks(&run(4, Some(8)).rows()), [("a".into(), 1), ("b".into(), 2), ("c".into(), 1)]);
    assert_eq!(bulks(&run(10, None).rows()), [("c".into(), 1), ("d".into(), 1)]);
    assert!(run(0, Some(11)).done && !run(0, Some(13)).done && !run(3, None).done);
    assert!(run(0, Some(0)).done && run(0, Some(0)).rows().is_empty());
}

#[test]
fn a_range_with_many_tags_counts_for_each_and_never_ends_the_instance() {
    let world = World::modern().with_tags(2);
    let input =
        vec![tagged(world.values(&["a", "b", "c", "d"]), &[0, 0, 1, 0]), tagged(world.values(&["e"]), &[1])];
    let found = world.run(range(0, Some(1)), input);
    assert_eq!(found.texts(), ["a", "c"]);
    assert!(!found.done);
}

#[test]
fn a_tail_keeps_the_last_of_each_tag() {
    let world = World::modern();
    let input = vec![bulked(world.values(&["a", "b"]), &[5, 3]), world.values(&["c"])];
    assert_eq!(
        bulks(&world.run(OpKind::Tail(6), input.clone()).rows()),
        [("a".into(), 2), ("b".into(), 3), ("c".into(), 1)]
    );
    assert_eq!(bulks(&world.run(OpKind::Tail(1), input).rows()), [("c".into(), 1)]);
    let long: Vec<Batch> =
        (0..30).map(|i| world.values(&(i * 1000..(i + 1) * 1000).collect::<Vec<i32>>())).collect();
    assert_eq!(
        world.run(OpKind::Tail(2), long).texts(),
        ["29998", "29999"],
        "batches that cannot leave are freed"
    );
    let world = world.with_tags(2);
    let input = tagged(world.values(&["a", "b", "c"]), &[1, 0, 1]);
    assert_eq!(world.run(OpKind::Tail(1), vec![input]).texts(), ["b", "c"], "in the order of the tags");
}

#[test]
fn order_is_stable_follows_its_keys_and_drops_what_lacks_one() {
    let world = World::modern();
    let key = |slot, order| SortKey { by: By::Slot(Slot(slot)), order };
    let input = slotted(
        world.values(&["a", "b", "c", "d"]),
        0,
        vec![Some(2.into()), Some(1.into()), Some(2.into()), None],
    );
    let run = |keys, limit| world.run(OpKind::Order(op::Sort { keys, limit }), vec![input.clone()]).texts();
    assert_eq!(run(vec![key(0, Order::Asc)], None), ["b", "a", "c"]);
    assert_eq!(run(vec![key(0, Order::Desc)], None), ["a", "c", "b"]);
    assert_eq!(
        run(vec![key(0, Order::Desc), SortKey { by: By::Current, order: Order::Desc }], None),
        ["c", "a", "b"]
    );
    assert_eq!(run(vec![key(0, Order::Asc)], Some(2)), ["b", "a"]);
    let mixed = world.values(&[Value::from("x"), 2.into(), Value::Null, 1.5.into()]);
    assert_eq!(
        world.run(OpKind::Order(op::Sort { keys: vec![], limit: None }), vec![mixed]).texts(),
        ["null", "1.5", "2", "x"]
    );
    let vertices = world.vertices(&[6, 3, 1]);
    assert_eq!(
        world.run(OpKind::Order(op::Sort { keys: vec![], limit: None }), vec![vertices]).texts(),
        ["v[1]", "v[3]", "v[6]"]
    );
}

#[test]
fn a_shuffle_loses_nothing_and_repeats_with_its_seed() {
    let world = World::modern();
    let shuffle = || {
        OpKind::Order(op::Sort {
            keys: vec![SortKey { by: By::Current, order: Order::Shuffle }],
            limit: None,
        })
    };
    let numbers: Vec<i32> = (0..100).collect();
    let once = world.run(shuffle(), vec![world.values(&numbers)]);
    let again = world.run(shuffle(), vec![world.values(&numbers)]);
    assert_eq!(once.texts(), again.texts());
    assert_ne!(once.texts(), numbers.iter().map(i32::to_string).collect::<Vec<_>>());
    let mut sorted: Vec<i64> = once.values().iter().filter_map(Value::as_i64).collect();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..100).collect::<Vec<_>>());
}

#[test]
fn a_sample_draws_as_many_as_asked_for_by_weight() {
    let world = World::modern();
    let numbers: Vec<i32> = (0..1000).collect();
    let drawn = world.run(OpKind::Sample(10, None), vec![world.values(&numbers)]).values();
    assert_eq!(drawn.len(), 10);
    assert!(drawn.windows(2).all(|pair| pair[0].as_i64() < pair[1].as_i64()), "in the order of the stream");
    assert_eq!(world.run(OpKind::Sample(5, None), vec![world.values(&[1, 2])]).texts(), ["1", "2"]);
    let weights = (0..100).map(|i| Some(Value::from(if i == 42 { 1e9 } else { 1e-9 }))).collect();
    let weighted = slotted(world.values(&(0..100).collect::<Vec<i32>>()), 0, weights);
    assert_eq!(world.run(OpKind::Sample(1, Some(Slot(0))), vec![weighted]).texts(), ["42"]);
    let bulk = bulked(world.values(&["a"]), &[7]);
    assert_eq!(bulks(&world.run(OpKind::Sample(3, None), vec![bulk]).rows()), [("a".into(), 3)]);
}

#[test]
fn a_barrier_merges_equal_traversers_and_only_those() {
    let world = World::modern();
    let input = vec![bulked(world.values(&["a", "b", "a"]), &[2, 1, 3]), world.values(&["b", "c"])];
    assert_eq!(
        bulks(
            &world
                .run(OpKind::Barrier(op::Barrier { first_passes: false, compares_paths: false }), input)
                .rows()
        ),
        [("a".into(), 5), ("b".into(), 2), ("c".into(), 1)]
    );
    let apart = slotted(world.values(&["a", "a"]), 0, vec![Some(1.into()), Some(2.into())]);
    assert_eq!(
        world
            .run(OpKind::Barrier(op::Barrier { first_passes: false, compares_paths: false }), vec![apart])
            .rows()
            .len(),
        2
    );
    let world = world.with_tags(2);
    let input = vec![tagged(world.vertices(&[1, 1, 1]), &[1, 0, 1])];
    let rows =
        world.run(OpKind::Barrier(op::Barrier { first_passes: false, compares_paths: false }), input).rows();
    assert_eq!(rows.iter().map(|r| (r.tag, r.bulk)).collect::<Vec<_>>(), [(0, 1), (1, 2)]);
}

#[test]
fn a_barrier_of_repeats_lets_the_first_pass_and_holds_the_others() {
    let world = World::modern();
    let kind = || OpKind::Barrier(op::Barrier { first_passes: true, compares_paths: false });
    let input = vec![bulked(world.values(&["a", "b", "a"]), &[2, 1, 3]), world.values(&["c", "b", "a"])];
    let found = world.run(kind(), input);
    assert_eq!(found.batches.iter().map(|batch| batch.len).collect::<Vec<_>>(), [2, 1, 2]);
    let expected = [("a", 2), ("b", 1), ("c", 1), ("a", 4), ("b", 1)];
    assert_eq!(bulks(&found.rows()), expected.map(|(text, bulk)| (text.to_owned(), bulk)));
    let world = world.with_tags(2);
    let rows = world.run(kind(), vec![tagged(world.vertices(&[1, 1, 1]), &[1, 0, 1])]).rows();
    assert_eq!(rows.iter().map(|r| (r.tag, r.bulk)).collect::<Vec<_>>(), [(1, 1), (0, 1), (1, 1)]);
}

#[test]
fn barriers_are_held_to_the_memory_of_their_query() {
    let mut world = World::modern();
    world.memory = 64 << 10;
    let many: Vec<Batch> = (0..20)
        .map(|i| world.values(&(i * 1000..(i + 1) * 1000).map(i64::from).collect::<Vec<_>>()))
        .collect();
    for kind in [
        OpKind::Order(op::Sort { keys: vec![], limit: None }),
        OpKind::Barrier(op::Barrier { first_passes: false, compares_paths: false }),
        OpKind::Barrier(op::Barrier { first_passes: true, compares_paths: false }),
        OpKind::Gather,
        OpKind::Tail(1 << 40),
        dedup(vec![By::Current]),
        OpKind::Aggregate(planner::physical::Aggregation::Fold),
        OpKind::GroupCount(op::GroupCount { key: By::Current, side_effect: None }),
    ] {
        let error = world.try_run(kind.clone(), many.clone()).err();
        assert!(matches!(error, Some(crate::QueryError::MemoryExceeded { .. })), "{kind:?}: {error:?}");
    }
    world.run(OpKind::Order(op::Sort { keys: vec![], limit: Some(10) }), many);
}
