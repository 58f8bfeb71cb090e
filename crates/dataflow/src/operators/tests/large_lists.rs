//! Functions of collections with many members: what they hold meanwhile, and that the watch is told of each member.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gremlin::{Column as Part, StepName};
use planner::physical::{Function, LocalFn, OpKind, Operand};
use values::{BulkSet, Map, Path, Set, Value, watch};

use super::world::{World, op};
use crate::error::QueryError;
use crate::operators::chunk::with_chunks_of;

const MEMBERS: i32 = 100_000;

/// The functions that make sets of two lists.
const OF_SETS: [StepName; 4] =
    [StepName::Merge, StepName::Difference, StepName::Intersect, StepName::Disjunct];

fn list(members: impl Iterator<Item = i32>) -> Value {
    members.map(Value::Int).collect::<Vec<_>>().into()
}

fn map(keys: std::ops::Range<i32>) -> Value {
    keys.map(|key| (Value::Int(key), Value::Int(-key))).collect::<Map>().into()
}

fn path() -> Value {
    let objects: Vec<Value> = (0..MEMBERS).map(Value::Int).collect();
    Path { labels: vec![Vec::new(); objects.len()], objects }.into()
}

fn call(name: StepName, argument: Value) -> OpKind {
    OpKind::Local(LocalFn::Call(Function::of(name).unwrap(), vec![Operand::Const(argument)]))
}

/// How a function of one object ends that may hold so many bytes, and the most that it has held.
fn held(memory: u64, kind: OpKind, object: Value) -> (Option<QueryError>, u64) {
    let world = World { memory, ..World::modern() };
    let query = world.query();
    let outcome = world.run_in(&query, &op(kind), vec![world.values(&[object])]);
    (outcome.err(), query.memory.peak())
}

fn is_refused(error: Option<QueryError>) -> bool {
    matches!(error, Some(QueryError::MemoryExceeded { .. } | QueryError::ValueTooLarge { .. }))
}

#[test]
fn sets_and_tables_are_charged_before_they_are_there() {
    // A member, its hash, and its place in a table.
    let set = 48 * MEMBERS as u64;
    for name in OF_SETS {
        let kind = || call(name, list(MEMBERS / 2..3 * MEMBERS / 2));
        let (error, peak) = held(1 << 30, kind(), list(0..MEMBERS));
        assert!(error.is_none() && peak >= set, "{name:?}: {peak}");
        let (error, peak) = held(set, kind(), list(0..MEMBERS));
        assert!(is_refused(error) && peak <= set, "{name:?}: {peak}");
    }
    let (error, peak) = held(1 << 30, OpKind::Local(LocalFn::Dedup), list(0..MEMBERS));
    assert!(error.is_none() && peak >= set, "{peak}");
    let (error, _) = held(set / 4, OpKind::Local(LocalFn::Dedup), list(0..MEMBERS));
    assert!(is_refused(error));
    let (error, _) = held(set / 4, call(StepName::Merge, map(0..MEMBERS)), map(0..MEMBERS));
    assert!(is_refused(error));
    let (error, _) = held(set / 4, OpKind::Local(LocalFn::Range(0, -1)), list(0..MEMBERS));
    assert!(is_refused(error));
}

#[test]
fn a_set_takes_what_is_in_it_and_not_what_comes() {
    let same = || list(std::iter::repeat_n(7, MEMBERS as usize));
    for name in OF_SETS {
        let (error, peak) = held(1 << 20, call(name, same()), same());
        assert!(error.is_none() && peak < 1 << 16, "{name:?}: {peak}");
    }
    // Even if that is countless.
    let bulks: BulkSet = [(Value::Int(1), 1 << 60), (Value::Int(2), 1)].into_iter().collect();
    let bulks = Value::from(bulks);
    for (name, made) in OF_SETS.into_iter().zip(["[1, 2, 3]", "[1]", "[2]", "[1, 3]"]) {
        let world = World::modern();
        let outcome = world.run(call(name, list(2..4)), vec![world.values(std::slice::from_ref(&bulks))]);
        assert_eq!(outcome.texts(), [made], "{name:?}");
    }
}

#[test]
fn maps_are_merged_in_order() {
    let world = World::modern();
    let more: Map = [(Value::Int(1), "x".into()), (Value::Int(9), "y".into())].into_iter().collect();
    let outcome = world.run(call(StepName::Merge, more.into()), vec![world.values(&[map(0..3)])]);
    assert_eq!(outcome.texts(), ["{0=0, 1=x, 2=-2, 9=y}"]);
}

/// Is asked, and never ends anything.
#[derive(Default)]
struct Asked(AtomicUsize);

impl watch::Watch for Asked {
    fn must_end(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed);
        false
    }
}

#[test]
fn the_watch_is_told_of_each_member() {
    /// A look comes after a thousand ticks or so.
    const LOOKS: usize = MEMBERS as usize / 1_100;
    let set = || Value::from((0..MEMBERS).map(Value::Int).collect::<Set>());
    let bulks = || Value::from((0..MEMBERS).map(|member| (Value::Int(member), 2)).collect::<BulkSet>());
    let functions = [
        (LocalFn::Range(0, -1), list(0..MEMBERS)),
        (LocalFn::Range(0, -1), path()),
        (LocalFn::Range(0, -1), set()),
        (LocalFn::Tail(i64::from(MEMBERS)), map(0..MEMBERS)),
        (LocalFn::Dedup, bulks()),
        (LocalFn::Order(Vec::new()), map(0..MEMBERS)),
        (LocalFn::Sample(MEMBERS as u64 - 1), list(0..MEMBERS)),
        (LocalFn::Column(Part::Keys), map(0..MEMBERS)),
        (LocalFn::Column(Part::Values), map(0..MEMBERS)),
        (LocalFn::Column(Part::Values), path()),
        (LocalFn::Turn { first: 0, of: 1 }, path()),
        (LocalFn::IsSimple, path()),
    ];
    let functions = functions.map(|(function, object)| (OpKind::Local(function), object));
    let of_maps = (call(StepName::Merge, map(0..1)), map(0..MEMBERS));
    let of_lists = OF_SETS.map(|name| (call(name, list(0..1)), list(0..MEMBERS)));
    for (kind, object) in functions.into_iter().chain(of_lists).chain([of_maps]) {
        let (world, asked) = (World::modern(), Arc::new(Asked::default()));
        let name = format!("{kind:?} of a {}", object.type_name());
        let input = world.values(&[object]);
        watch::watched(asked.clone(), || drop(world.run(kind, vec![input]))).unwrap();
        let looks = asked.0.load(Ordering::Relaxed);
        assert!(looks >= LOOKS, "{looks} in {name:.200}");
    }
}

#[test]
fn a_bulk_set_is_unfolded_in_pieces() {
    let world = World::modern();
    let bulks: BulkSet = [("a".into(), 3), ("b".into(), 1), ("c".into(), 2)].into_iter().collect();
    let objects: [Value; 4] = [bulks.clone().into(), BulkSet::new().into(), 7.into(), bulks.into()];
    let input = || world.values(&objects);
    for chunk in [1, 2, 3, 4, 64] {
        let found = with_chunks_of(chunk, || world.run(OpKind::Unfold, vec![input()]));
        let expected = ["a", "a", "a", "b", "c", "c", "7", "a", "a", "a", "b", "c", "c"];
        assert_eq!(found.texts(), expected, "chunks of {chunk}");
    }
}
