//! What operators hold grows little by little: no step moves all of it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use planner::physical::{Aggregation, By, OpKind, SortKey, op};
use values::Value;

use super::world::{World, bulked, op, tagged};
use crate::batch::Batch;
use crate::operator::{Output, Step};
use crate::quota::MonotonicClock;
use crate::scope_memory::ScopeMemory;

thread_local! {
    /// The largest piece of memory that this thread has asked for at once.
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator; notes how much is asked for. Whoever moves a large table or vector into a larger one asks for much.
struct Noting;

fn note(layout: Layout) {
    // A thread that ends has nothing to note any more.
    let _ = LARGEST.try_with(|largest| largest.set(largest.get().max(layout.size())));
}

// SAFETY: each call goes to the system's allocator as it came; noting allocates nothing.
unsafe impl GlobalAlloc for Noting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout);
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Noting = Noting;

const ROWS: usize = 300_000;

/// The most that a step may ask for at once: a part of a table, or a chunk of a vector.
const MOST: usize = 256 << 10;

/// Sends batches through an operator; the largest piece of memory that one step asked for.
fn largest_in(world: &World, kind: OpKind, batch: impl Fn(&World, usize) -> Batch) -> usize {
    let (query, op, memory) = (world.query(), op(kind), ScopeMemory::default());
    let (mut operator, clock) = (super::super::create(&op), MonotonicClock::default());
    let cx = world.context(&query, &op, &memory, &clock);
    let mut largest = 0;
    for first in (0..ROWS).step_by(1_000) {
        let batch = batch(world, first);
        LARGEST.set(0);
        let mut next = Some(batch);
        while operator.step(next.take(), &cx, &mut Output::default()).unwrap() == Step::More {}
        largest = largest.max(LARGEST.get());
    }
    largest
}

fn texts(world: &World, first: usize) -> Batch {
    let texts: Vec<Value> = (first..first + 1_000).map(|n| Value::from(format!("{n:07}"))).collect();
    world.values(&texts)
}

#[test]
fn no_step_moves_all_that_an_operator_holds() {
    let key = SortKey { by: By::Current, order: gremlin::Order::Asc };
    let operators = [
        OpKind::Dedup(op::Dedup { by: vec![By::Current], across_iterations: false, in_pieces: false }),
        OpKind::Dedup(op::Dedup {
            by: vec![By::Current, By::Current],
            across_iterations: false,
            in_pieces: false,
        }),
        OpKind::GroupCount(op::GroupCount { key: By::Current, side_effect: None }),
        OpKind::Order(op::Sort { keys: vec![key.clone(), key], limit: None }),
        OpKind::Aggregate(Aggregation::Fold),
        OpKind::Barrier(op::Barrier { first_passes: false, compares_paths: false }),
        OpKind::Barrier(op::Barrier { first_passes: true, compares_paths: false }),
    ];
    for kind in operators {
        let name = format!("{kind:?}");
        let world = World::modern();
        let largest = largest_in(&world, kind, texts);
        assert!(largest > 0 && largest <= MOST, "{largest} bytes at once in {name}");
    }
}

#[test]
fn a_state_for_each_of_many_tags_is_no_vector_that_grows() {
    for aggregation in [Aggregation::Count, Aggregation::Sum, Aggregation::Fold] {
        let world = World::modern().with_tags(ROWS as u32);
        let largest = largest_in(&world, OpKind::Aggregate(aggregation.clone()), |world, first| {
            let tags: Vec<u32> = (first as u32..first as u32 + 1_000).collect();
            tagged(world.values(&vec![7; 1_000]), &tags)
        });
        assert!(largest > 0 && largest <= MOST, "{largest} bytes at once in {aggregation:?}");
    }
}

#[test]
fn a_bulk_of_a_million_is_folded_in_many_calls() {
    let world = World::modern();
    let input = [bulked(world.values(&["a", "b"]), &[1_000_000, 3])];
    let folded = world.run(OpKind::Aggregate(Aggregation::Fold), input.to_vec());
    let [Value::List(list)] = &folded.values()[..] else { panic!("no list") };
    assert_eq!(
        (list.len(), list.iter().filter(|member| **member == Value::from("b")).count()),
        (1_000_003, 3)
    );
    assert!(folded.calls > 200, "{} calls", folded.calls);
}
