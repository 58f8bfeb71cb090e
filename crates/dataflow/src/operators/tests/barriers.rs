//! Streams into one object, and side-effects.

use gremlin::Operator;
use planner::physical::{Aggregation, By, OpKind, SideEffectId, Slot, op};
use values::Value;

use super::world::{World, bulked, slotted, tagged};
use crate::operators::emits_on_empty;

fn aggregate(aggregation: Aggregation) -> OpKind {
    OpKind::Aggregate(aggregation)
}

const X: SideEffectId = SideEffectId(0);

#[test]
fn counts_and_folds_have_a_result_for_nothing_and_the_others_have_none() {
    let world = World::modern();
    let of_nothing = |kind: OpKind| world.run(kind, vec![]).texts();
    assert_eq!(of_nothing(aggregate(Aggregation::Count)), ["0"]);
    assert_eq!(of_nothing(aggregate(Aggregation::Fold)), ["[]"]);
    assert_eq!(
        of_nothing(OpKind::GroupCount(op::GroupCount { key: By::Current, side_effect: None })),
        ["{}"]
    );
    for aggregation in [Aggregation::Sum, Aggregation::Min, Aggregation::Max, Aggregation::Mean] {
        assert!(of_nothing(aggregate(aggregation.clone())).is_empty());
        assert!(!emits_on_empty(&aggregate(aggregation)));
    }
    assert!(emits_on_empty(&aggregate(Aggregation::Count)) && emits_on_empty(&OpKind::Cap(vec![])));
}

#[test]
fn bulks_count() {
    let world = World::modern();
    let input = || vec![bulked(world.values(&[1, 5]), &[3, 1]), world.values(&[2])];
    let of = |aggregation| world.run(aggregate(aggregation), input()).values().remove(0);
    assert_eq!(of(Aggregation::Count), Value::Long(5));
    assert_eq!(of(Aggregation::Sum), Value::Int(10), "a sum keeps the type of its numbers");
    assert_eq!(of(Aggregation::Mean), Value::Double(2.0));
    assert_eq!(of(Aggregation::Min), Value::Int(1));
    assert_eq!(of(Aggregation::Max), Value::Int(5));
    assert_eq!(of(Aggregation::Fold).to_string(), "[1, 1, 1, 5, 2]");
}

#[test]
fn a_fold_with_a_seed_takes_each_object_in_as_often_as_there_are_of_it() {
    let world = World::modern();
    let input = || vec![bulked(world.values(&[1, 5]), &[3, 1]), world.values(&[2])];
    let of = |operator, seed: Value, input| {
        let outcome = world.try_run(aggregate(Aggregation::Reduce(operator, seed)), input);
        outcome.map(|outcome| outcome.texts().join(" "))
    };
    let empty_list = || Value::list([]);
    assert_eq!(of(Operator::Sum, 10.into(), input()).unwrap(), "20");
    assert_eq!(of(Operator::Minus, 10.into(), input()).unwrap(), "0");
    assert_eq!(of(Operator::Mult, 1.into(), input()).unwrap(), "10");
    assert_eq!(of(Operator::Max, 3.into(), input()).unwrap(), "5");
    assert_eq!(of(Operator::Assign, 0.into(), input()).unwrap(), "2");
    assert_eq!(of(Operator::AddAll, empty_list(), input()).unwrap(), "[1, 1, 1, 5, 2]");
    assert_eq!(of(Operator::Sum, 7.into(), vec![]).unwrap(), "7", "the seed is what nothing comes to");
    assert!(emits_on_empty(&aggregate(Aggregation::Reduce(Operator::Sum, 7.into()))));
    let error = of(Operator::AddAll, "x".into(), input()).err().unwrap().to_string();
    assert!(error.contains("Objects must be both of Map or Collection"), "{error}");
    let enormous = || vec![bulked(world.values(&[1]), &[1 << 50])];
    assert_eq!(of(Operator::Max, 0.into(), enormous()).unwrap(), "1", "no need to look at each");
    assert!(of(Operator::AddAll, empty_list(), enormous()).is_err(), "more than there is memory");
}

#[test]
fn longs_are_reduced_a_batch_at_a_time() {
    let world = World::modern();
    let of = |aggregation: Aggregation, batches: &[&[Value]]| {
        let input = batches.iter().map(|values| world.values(values)).collect();
        world.try_run(aggregate(aggregation), input).map(|outcome| outcome.values())
    };
    let sum = |batches: &[&[Value]]| of(Aggregation::Sum, batches);
    let long = Value::Long;
    let some: &[&[Value]] = &[&[long(3), long(2)], &[long(-5), long(8)]];
    assert_eq!(of(Aggregation::Min, some).unwrap(), [long(-5)]);
    assert_eq!(of(Aggregation::Max, some).unwrap(), [long(8)]);
    assert_eq!(of(Aggregation::Mean, some).unwrap(), [Value::Double(2.0)]);
    let mixed: &[&[Value]] = &[&[long(3), long(2)], &[Value::Double(1.5)], &[long(7), long(2)], &[long(0)]];
    assert_eq!(of(Aggregation::Min, mixed).unwrap(), [Value::Double(0.0)], "promoted to a common type");
    assert_eq!(of(Aggregation::Max, mixed).unwrap(), [Value::Double(7.0)]);
    assert_eq!(of(Aggregation::Mean, mixed).unwrap(), [Value::Double(15.5 / 6.0)]);
    assert_eq!(sum(&[&[long(1), long(2)], &[long(-5)]]).unwrap(), [long(-2)]);
    assert_eq!(sum(&[&[long(1), long(2)], &[3.into(), 4.into()], &[long(5)]]).unwrap(), [long(15)]);
    assert_eq!(sum(&[&[Value::Null], &[long(4), long(5)]]).unwrap(), [long(9)]);
    assert_eq!(sum(&[&[0.5.into()], &[long(4), long(5)]]).unwrap(), [Value::Double(9.5)]);
    let error = sum(&[&[long(i64::MAX - 3)], &[long(2), long(2), long(-9)]]).err().unwrap();
    assert!(error.to_string().contains("add"), "{error}");
}

#[test]
fn nulls_are_skipped_but_are_a_reason_to_have_a_result() {
    let world = World::modern();
    let of =
        |aggregation, values: &[Value]| world.run(aggregate(aggregation), vec![world.values(values)]).texts();
    let some = [Value::Null, 10.into(), 5.into(), Value::Null];
    assert_eq!(of(Aggregation::Sum, &some), ["15"]);
    assert_eq!(of(Aggregation::Mean, &some), ["7.5"]);
    assert_eq!(of(Aggregation::Max, &some), ["10"]);
    assert_eq!(of(Aggregation::Sum, &[Value::Null]), ["null"]);
    assert_eq!(of(Aggregation::Mean, &[Value::Null]), ["null"]);
    let error = world.try_run(aggregate(Aggregation::Sum), vec![world.values(&["a"])]).err().unwrap();
    assert!(error.to_string().contains("numbers are needed"), "{error}");
}

#[test]
fn every_tag_has_its_own_result_in_ascending_order() {
    let world = World::modern().with_tags(4);
    let input = || vec![tagged(world.values(&[7, 8, 9]), &[2, 0, 2])];
    let of = |kind: OpKind| {
        let rows = world.run(kind, input()).rows();
        rows.iter().map(|row| (row.tag, row.value.clone().unwrap().to_string())).collect::<Vec<_>>()
    };
    let expected =
        |pairs: &[(u32, &str)]| pairs.iter().map(|(t, v)| (*t, (*v).to_owned())).collect::<Vec<_>>();
    assert_eq!(of(aggregate(Aggregation::Count)), expected(&[(0, "1"), (1, "0"), (2, "2"), (3, "0")]));
    assert_eq!(
        of(aggregate(Aggregation::Fold)),
        expected(&[(0, "[8]"), (1, "[]"), (2, "[7, 9]"), (3, "[]")])
    );
    assert_eq!(of(aggregate(Aggregation::Sum)), expected(&[(0, "8"), (2, "16")]));
    let counts = OpKind::GroupCount(op::GroupCount { key: By::Current, side_effect: None });
    assert_eq!(of(counts), expected(&[(0, "{8=1}"), (1, "{}"), (2, "{7=1, 9=1}"), (3, "{}")]));
}

#[test]
fn a_result_has_no_past() {
    let world = World::modern().with_paths();
    let found = world.run(aggregate(Aggregation::Count), vec![world.values(&[1, 2])]);
    assert_eq!(found.paths(), ["path[2]"]);
}

#[test]
fn groups_are_counted_by_their_key() {
    let world = World::modern();
    let input = slotted(world.values(&[1, 2, 3]), 0, vec![Some("a".into()), None, Some("a".into())]);
    let input = bulked(input, &[2, 9, 3]);
    let kind = OpKind::GroupCount(op::GroupCount { key: By::Slot(Slot(0)), side_effect: None });
    assert_eq!(world.run(kind, vec![input]).texts(), ["{a=5}"]);
}

#[test]
fn a_lazy_collection_passes_at_once_and_an_eager_one_at_the_end() {
    let world = World::modern().with_side_effect("x");
    let collect = |eager| OpKind::Collect(op::Collect { side_effect: X, by: By::Current, eager });
    for eager in [false, true] {
        let input = vec![bulked(world.values(&["a", "b"]), &[2, 1]), world.values(&["a"])];
        let found = world.run(collect(eager), input);
        assert_eq!(found.texts(), ["a", "b", "a"]);
        assert_eq!(found.query.side_effects.value(X).to_string(), "{a=3, b=1}");
    }
}

#[test]
fn counts_go_into_side_effects_on_the_way_and_caps_bring_them_out() {
    let mut world = World::modern().with_side_effect("x").with_side_effect("y");
    let count =
        super::world::op(OpKind::GroupCount(op::GroupCount { key: By::Current, side_effect: Some(X) }));
    world.plan.root = planner::physical::Pipeline::new(vec![count.clone()]);
    let query = world.query();
    let passed = world.run_in(&query, &count, vec![world.values(&["a", "b"]), world.values(&["a"])]).unwrap();
    assert_eq!(passed.texts(), ["a", "b", "a"]);
    let cap = |ids: Vec<SideEffectId>| {
        world.run_in(&query, &super::world::op(OpKind::Cap(ids)), vec![world.values(&[1])]).unwrap().texts()
    };
    assert_eq!(cap(vec![X]), ["{a=2, b=1}"]);
    assert_eq!(cap(vec![X, SideEffectId(1)]), ["{x={a=2, b=1}, y={}}"]);
}

#[test]
fn streams_end_in_silence_or_in_an_error() {
    let world = World::modern();
    assert!(world.run(OpKind::Discard, vec![world.values(&[1])]).rows().is_empty());
    let fail = || OpKind::Fail("no such user".into());
    assert!(world.run(fail(), vec![]).rows().is_empty(), "nothing came, nothing failed");
    let error = world.try_run(fail(), vec![world.values(&[1])]).err();
    assert!(matches!(error, Some(crate::QueryError::Fail(message)) if message == "no such user"));
}
