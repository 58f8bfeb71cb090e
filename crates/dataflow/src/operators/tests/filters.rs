//! `has`, `is`, `where` and `simplePath`.

use gremlin::{PredicateOp, TextOp};
use planner::physical::{OpKind, Operand, Predicate, Quantifier, SideEffectId, Slot, Test};
use values::Value;

use super::world::{World, bulked, slotted};
use crate::batch::Batch;

fn compare(op: PredicateOp, value: impl Into<Value>) -> Predicate {
    Predicate::Compare(op, Operand::Const(value.into()))
}

fn eq(value: impl Into<Value>) -> Predicate {
    compare(PredicateOp::Eq, value)
}

fn within(values: &[Value]) -> Predicate {
    Predicate::Within { members: values.iter().cloned().map(Operand::Const).collect(), spread: false }
}

fn not(predicate: Predicate) -> Predicate {
    Predicate::Not(Box::new(predicate))
}

/// The values that satisfy the predicate.
fn passing(predicate: Predicate, values: &[Value]) -> Vec<Value> {
    let world = World::modern();
    world.run(OpKind::Filter(Test::Is(predicate)), vec![world.values(values)]).values()
}

fn filter(world: &World, test: Test, input: Batch) -> Vec<String> {
    world.run(OpKind::Filter(test), vec![input]).texts()
}

#[test]
fn numbers_are_compared_by_value_across_their_types() {
    let numbers: Vec<Value> = vec![1.into(), 1i64.into(), 1.0.into(), 2.into(), "1".into(), Value::Null];
    assert_eq!(passing(eq(1), &numbers), numbers[..3]);
    assert_eq!(passing(compare(PredicateOp::Neq, 1), &numbers), numbers[3..]);
    assert_eq!(passing(compare(PredicateOp::Lt, 1.5), &numbers), numbers[..3]);
    assert_eq!(passing(within(&[1.0.into(), "x".into()]), &numbers), numbers[..3]);
    assert_eq!(passing(not(within(&[1.into()])), &numbers), numbers[3..]);
    assert_eq!(passing(within(&[Value::Null]), &numbers), [Value::Null]);
}

#[test]
fn what_cannot_be_compared_is_not_so() {
    let mixed: Vec<Value> = vec![1.into(), "a".into(), f64::NAN.into(), Value::Null];
    let below = compare(PredicateOp::Lt, 5);
    assert_eq!(passing(below.clone(), &mixed), [1.into()]);
    assert_eq!(passing(not(below.clone()), &mixed).len(), 3, "and therefore its negation is so");
    assert_eq!(passing(compare(PredicateOp::Gte, 5), &mixed), []);
    assert_eq!(passing(Predicate::Or(vec![below.clone(), eq("a")]), &mixed), [1.into(), "a".into()]);
    assert_eq!(passing(Predicate::And(vec![not(below), eq("a")]), &mixed), ["a".into()]);
    assert_eq!(passing(eq(f64::NAN), &mixed), [], "NaN equals nothing, not even itself");
}

#[test]
fn text_predicates_look_at_text() {
    let words: Vec<Value> = vec!["marko".into(), "josh".into(), Value::Null];
    let text = |op, operand: &str| passing(Predicate::Text(op, Operand::Const(operand.into())), &words);
    assert_eq!(text(TextOp::StartingWith, "m"), ["marko".into()]);
    assert_eq!(text(TextOp::NotStartingWith, "m"), ["josh".into(), Value::Null]);
    assert_eq!(text(TextOp::EndingWith, "sh"), ["josh".into()]);
    assert_eq!(text(TextOp::Containing, "ark"), ["marko".into()]);
    assert_eq!(text(TextOp::Regex, "^j.*h$"), ["josh".into()]);
    assert_eq!(text(TextOp::NotRegex, "o"), [Value::Null]);
}

#[test]
fn text_predicates_fail_on_what_is_no_text() {
    let world = World::modern();
    for op in [TextOp::StartingWith, TextOp::NotStartingWith, TextOp::Regex, TextOp::NotRegex] {
        let test = Test::Is(Predicate::Text(op, Operand::Const("m".into())));
        let outcome = world.try_run(OpKind::Filter(test), vec![world.values(&[Value::from("m"), 7.into()])]);
        let error = outcome.err().expect("an error").to_string();
        assert!(error.contains("needs text, not a value of type Int"), "{error}");
    }
}

#[test]
fn malformed_operands_are_named() {
    let world = World::modern();
    let error = |predicate: Predicate| {
        let outcome = world.try_run(OpKind::Filter(Test::Is(predicate)), vec![world.values(&["x"])]);
        outcome.err().expect("an error").to_string()
    };
    assert!(
        error(Predicate::Text(TextOp::Regex, Operand::Const("(".into())))
            .contains("malformed regular expression")
    );
    assert!(
        error(Predicate::Text(TextOp::Regex, Operand::Const("(a{1000}){1000}".into())))
            .contains("simplify it")
    );
    assert!(error(Predicate::TypeOf("INTEGRE".into())).contains("`INTEGRE` is not a type"));
    assert!(error(Predicate::Text(TextOp::Containing, Operand::Const(1.into()))).contains("needs text"));
}

#[test]
fn types_are_tested_by_name() {
    let mixed: Vec<Value> = vec![1.into(), 1i64.into(), "a".into(), Value::Null];
    assert_eq!(passing(Predicate::TypeOf("NUMBER".into()), &mixed), [1.into(), 1i64.into()]);
    assert_eq!(passing(Predicate::TypeOf("STRING".into()), &mixed), ["a".into()]);
}

#[test]
fn elements_are_tested_by_property_key_label_and_id() {
    let world = World::modern();
    let catalog = world.graph.snapshot().catalog().clone();
    let (name, age) = (catalog.key("name").unwrap(), catalog.key("age").unwrap());
    let all = || world.vertices(&[1, 2, 3, 4, 5, 6]);
    assert_eq!(filter(&world, Test::Has(name, eq("josh")), all()), ["v[4]"]);
    assert_eq!(filter(&world, Test::Has(age, compare(PredicateOp::Gte, 32i64)), all()), ["v[4]", "v[6]"]);
    assert_eq!(filter(&world, Test::HasKey(age), all()), ["v[1]", "v[2]", "v[4]", "v[6]"]);
    assert_eq!(filter(&world, Test::Not(Box::new(Test::HasKey(age))), all()), ["v[3]", "v[5]"]);
    assert_eq!(filter(&world, Test::HasNamed("lang".into(), eq("java")), all()), ["v[3]", "v[5]"]);
    let software = Test::Label { vertex: vec![catalog.vertex_label("software").unwrap()], edge: vec![] };
    assert_eq!(filter(&world, software, all()), ["v[3]", "v[5]"]);
    assert_eq!(filter(&world, Test::LabelIs(eq("software")), all()), ["v[3]", "v[5]"]);
    let ids = |predicate| filter(&world, Test::HasId(predicate), all());
    assert_eq!(ids(eq("1")), ["v[1]"]);
    assert_eq!(ids(within(&[1i64.into(), "2".into(), world.v(3).into()])), ["v[1]", "v[2]", "v[3]"]);
    assert_eq!(ids(compare(PredicateOp::Neq, "1")), ["v[2]", "v[3]", "v[4]", "v[5]", "v[6]"]);
    assert_eq!(ids(compare(PredicateOp::Gt, 4)), ["v[5]", "v[6]"]);
    let weight = catalog.key("weight").unwrap();
    let heavy = Test::Has(weight, compare(PredicateOp::Gt, 0.9));
    assert_eq!(filter(&world, heavy, world.edges(&[7, 8, 10])), ["e[8][1-knows->4]", "e[10][4-created->5]"]);
    assert!(
        filter(&world, Test::Has(name, eq("x")), world.values(&[1, 2])).is_empty(),
        "a number has no properties"
    );
}

#[test]
fn any_one_of_several_values_satisfies() {
    let world = World::modern();
    let tx = world.graph.begin();
    for place in ["berlin", "paris", "rome"] {
        tx.set_vertex_property(world.v(1), graph::Cardinality::List, "place", place.into(), &[]).unwrap();
    }
    tx.commit().unwrap();
    let place = world.graph.snapshot().catalog().key("place").unwrap();
    for (name, found) in [("berlin", 1), ("rome", 1), ("oslo", 0)] {
        assert_eq!(
            filter(&world, Test::Has(place, eq(name)), world.vertices(&[1, 2])).len(),
            found,
            "{name}"
        );
    }
}

#[test]
fn operands_come_from_slots_and_parameters_too() {
    let mut world = World::modern();
    world.params = vec![Value::list([world.v(2).into(), values::Vertex::reference(3i64, "software").into()])];
    let input = slotted(world.values(&[1, 2, 3]), 0, vec![Some(1.into()), Some(5.into()), None]);
    let same = Test::Is(Predicate::Compare(PredicateOp::Eq, Operand::Slot(Slot(0))));
    assert_eq!(filter(&world, same, input.clone()), ["1"]);
    let below = Test::SlotIs(Slot(0), compare(PredicateOp::Lt, 3));
    assert_eq!(filter(&world, below, input.clone()), ["1"]);
    assert_eq!(filter(&world, Test::Present(Slot(0)), input), ["1", "2"]);
    let given = Test::Is(Predicate::Within { members: vec![Operand::Param(0)], spread: true });
    assert_eq!(
        filter(&world, given, world.vertices(&[1, 2, 3])),
        ["v[2]", "v[3]"],
        "detached vertices are found again"
    );
}

#[test]
fn a_growing_side_effect_is_seen_as_it_is_when_the_batch_comes() {
    let world = World::modern().with_side_effect("x");
    let id = SideEffectId(0);
    let query = world.query();
    let test = Test::Is(not(Predicate::Within { members: vec![Operand::SideEffect(id)], spread: true }));
    let op = super::world::op(OpKind::Filter(test));
    let (mut operator, memory) = (crate::operators::create(&op), crate::scope_memory::ScopeMemory::default());
    let mut passed =
        |batch| world.drive(operator.as_mut(), &query, &op, &memory, vec![batch]).unwrap().texts();
    assert_eq!(passed(world.vertices(&[1, 2, 3])).len(), 3);
    query.side_effects.add(id, world.v(2).into(), 1).unwrap();
    assert_eq!(passed(world.vertices(&[1, 2, 3])), ["v[1]", "v[3]"]);
    query.side_effects.add(id, world.v(3).into(), 4).unwrap();
    query.side_effects.add(id, "text".into(), 1).unwrap();
    assert_eq!(passed(world.vertices(&[1, 2, 3])), ["v[1]"]);
    assert_eq!(passed(world.values(&["text", "other"])), ["other"]);
}

#[test]
fn members_of_collections_are_counted() {
    let world = World::modern();
    let lists = || {
        world.values(&[Value::list([1.into(), 2.into()]), Value::list([]), Value::list([3.into()]), 2.into()])
    };
    let few = |quantifier| filter(&world, Test::Members(quantifier, compare(PredicateOp::Gt, 1)), lists());
    assert_eq!(few(Quantifier::Any), ["[1, 2]", "[3]"]);
    assert_eq!(few(Quantifier::All), ["[]", "[3]"]);
    assert_eq!(few(Quantifier::None), ["[]"]);
}

#[test]
fn properties_are_tested_by_key_and_value() {
    let world = World::modern();
    let property =
        |key: &str, value: Value| Value::from(values::Property { key: key.into(), value, owner: None });
    let input = || world.values(&[property("a", 1.into()), property("b", 2.into())]);
    assert_eq!(filter(&world, Test::PropertyKey(eq("a")), input()), ["p[a->1]"]);
    assert_eq!(filter(&world, Test::PropertyValue(compare(PredicateOp::Gt, 1)), input()), ["p[b->2]"]);
    assert!(filter(&world, Test::LabelIs(eq("b")), input()).is_empty(), "they are no elements");
}

#[test]
fn simple_paths_visit_nothing_twice() {
    let world = World::modern().with_paths();
    let mut input = world.values(&["a", "b"]);
    input.relabel_path(&["x".into()]);
    input.current = std::sync::Arc::new(crate::batch::Column::Values(vec!["c".into(), "b".into()]));
    input.extend_path(&[]);
    assert_eq!(filter(&world, Test::SimplePath(None, None), input.clone()), ["c"]);
    let error = world.try_run(OpKind::Filter(Test::SimplePath(Some("y".into()), None)), vec![input.clone()]);
    assert!(error.err().unwrap().to_string().contains("no object labelled `y`"));
    assert_eq!(
        filter(&world, Test::SimplePath(None, Some("x".into())), input),
        ["c", "b"],
        "only up to the label"
    );
}

#[test]
fn a_filter_keeps_bulks_and_a_coin_divides_them() {
    let world = World::modern();
    let input = || bulked(world.values(&[1, 2, 3]), &[10_000, 20_000, 30_000]);
    let kept = world.run(OpKind::Filter(Test::Is(eq(2))), vec![input()]).rows();
    assert_eq!(kept[0].bulk, 20_000);
    let tossed = world.run(OpKind::Coin(0.25), vec![input()]).rows();
    for (row, share) in tossed.iter().zip([2500_u64, 5000, 7500]) {
        assert!(row.bulk.abs_diff(share) < 500, "{} of {share}", row.bulk);
    }
    let ones = world.run(OpKind::Coin(0.5), vec![world.values(&vec![1; 2000])]).rows().len();
    assert!((800..1200).contains(&ones), "{ones} of 2000");
    assert!(world.run(OpKind::Coin(0.0), vec![input()]).rows().is_empty());
}
