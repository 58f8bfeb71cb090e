//! Operators that leave off when their turn is over, and go on in the next.

use std::time::Duration;

use planner::physical::{Aggregation, By, EdgeLabels, ExpandTo, OpKind, SortKey, op};
use values::{Direction, Value};

use super::world::{Outcome, World, bulked, tagged};
use crate::batch::Batch;

const ROWS: i64 = 20_000;

/// Numbers in no order, some of them twice.
fn numbers(world: &World) -> Vec<Batch> {
    let numbers = (0..ROWS).map(|i| i * 7_919 % ROWS / 3 * 3);
    let numbers: Vec<Value> = numbers.map(|n| Value::from(format!("{n:06}"))).collect();
    numbers.chunks(1_000).map(|batch| world.values(batch)).collect()
}

/// The same operator in one turn, and in turns that are over at every look at the clock.
fn in_turns(world: &mut World, kind: &OpKind, input: &[Batch]) -> Outcome {
    world.turn = Duration::from_secs(3600);
    let whole = world.run(kind.clone(), input.to_vec());
    world.turn = Duration::ZERO;
    let parts = world.run(kind.clone(), input.to_vec());
    assert_eq!(parts.rows(), whole.rows(), "{kind:?}");
    assert!(parts.calls >= whole.calls, "{kind:?}: {} calls, {}", parts.calls, whole.calls);
    parts
}

fn order(limit: Option<u64>, order: gremlin::Order) -> OpKind {
    OpKind::Order(op::Sort { keys: vec![SortKey { by: By::Current, order }], limit })
}

#[test]
fn a_sort_of_many_rows_takes_many_turns() {
    let mut world = World::modern();
    let input = numbers(&world);
    for direction in [gremlin::Order::Asc, gremlin::Order::Desc] {
        let sorted = in_turns(&mut world, &order(None, direction), &input);
        // Each number is compared in some of 15 passes.
        assert!(sorted.calls > 100, "{} calls", sorted.calls);
    }
    for limit in [1, 10, 900, 3_000, 30_000] {
        let sorted = in_turns(&mut world, &order(Some(limit), gremlin::Order::Asc), &input);
        assert_eq!(sorted.rows().len() as u64, limit.min(ROWS as u64));
    }
}

#[test]
fn the_first_few_of_each_tag_are_found_in_turns_too() {
    let mut world = World::modern().with_tags(40);
    let tags = |batch: Batch| {
        let tags: Vec<u32> = (0..batch.len as u32).map(|row| row * 31 % 40).collect();
        let bulks: Vec<u64> = (0..batch.len as u64).map(|row| row % 3 + 1).collect();
        bulked(tagged(batch, &tags), &bulks)
    };
    let input: Vec<Batch> = numbers(&world).into_iter().map(tags).collect();
    for limit in [Some(1), Some(7), Some(400), None] {
        in_turns(&mut world, &order(limit, gremlin::Order::Asc), &input);
    }
}

#[test]
fn a_map_of_many_keys_is_made_in_many_turns() {
    let mut world = World::modern();
    let input = numbers(&world);
    let counts = OpKind::GroupCount(op::GroupCount { key: By::Current, side_effect: None });
    let counted = in_turns(&mut world, &counts, &input);
    assert_eq!(counted.rows().len(), 1);
    assert!(counted.calls as i64 > 20 + ROWS / 3 / 1_024, "{} calls", counted.calls);
}

#[test]
fn a_side_effect_is_filled_in_many_turns() {
    let world = World::modern().with_side_effect("x");
    let input = numbers(&world);
    let batches = input.len();
    let side_effect = planner::physical::SideEffectId(0);
    let kind = OpKind::Collect(op::Collect { side_effect, by: By::Current, eager: true });
    let found = world.run(kind, input);
    assert_eq!(found.rows().len() as i64, ROWS);
    // Each batch comes and goes in a call, and so many thousand objects between.
    assert!(found.calls as i64 >= 2 * batches as i64 + ROWS / (1 << 12), "{} calls", found.calls);
    let Value::BulkSet(filled) = found.query.side_effects.value(side_effect) else { panic!("a bulk set") };
    assert_eq!(filled.repeated_from(0).count() as i64, ROWS);
}

#[test]
fn results_of_many_tags_leave_in_many_turns() {
    let mut world = World::modern().with_tags(5_000);
    let tags: Vec<u32> = (0..5_000).rev().collect();
    let input = [tagged(world.values(&vec![1; 5_000]), &tags)];
    for aggregation in [Aggregation::Count, Aggregation::Sum, Aggregation::Fold] {
        let reduced = in_turns(&mut world, &OpKind::Aggregate(aggregation), &input);
        assert_eq!(reduced.rows().len(), 5_000);
        assert!(reduced.calls > 5_000 / Batch::TARGET_ROWS + 1, "{} calls", reduced.calls);
    }
}

#[test]
fn a_barrier_sorts_its_rows_by_their_tags_in_many_turns() {
    let mut world = World::modern().with_tags(40);
    let tag = |batch: Batch| {
        let tags: Vec<u32> = (0..batch.len as u32).map(|row| row * 31 % 40).collect();
        tagged(batch, &tags)
    };
    let input: Vec<Batch> = numbers(&world).into_iter().map(tag).collect();
    for first_passes in [false, true] {
        let kept = in_turns(
            &mut world,
            &OpKind::Barrier(op::Barrier { first_passes, compares_paths: false }),
            &input,
        );
        let bulks: u64 = kept.rows().iter().map(|row| row.bulk).sum();
        assert_eq!(bulks, ROWS as u64);
        assert!(kept.calls > 40, "{} calls", kept.calls);
    }
}

#[test]
fn an_expansion_that_finds_nothing_does_not_go_on_for_ever() {
    let mut world = World::modern();
    // Nobody leads to anything from 2, and from 4 two edges do.
    let ids: Vec<i64> = (0..30_000).map(|row| if row == 29_999 { 4 } else { 2 }).collect();
    let input = [world.vertices(&ids)];
    let expand = OpKind::Expand(op::Expand {
        direction: Direction::Out,
        labels: EdgeLabels::All,
        to: ExpandTo::Vertices,
        edge_test: None,
        end_test: None,
        fetch: Vec::new(),
        distinct: false,
        sorted: None,
        secondary: Vec::new(),
    });
    let found = in_turns(&mut world, &expand, &input);
    assert_eq!(found.rows().len(), 2);
    assert!(found.calls > 30, "{} calls", found.calls);
}
