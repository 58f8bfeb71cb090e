//! Functions of the current object, `math`, `unfold`, `project`, `select`, `path`.

use std::sync::Arc;

use gremlin::{Column as Part, Order, Pop, StepName};
use planner::physical::{
    Aggregation, By, FetchKind, Function, LocalFn, LocalSort, OpKind, Operand, SelectForm, Selection,
    SideEffectId, Slot, op,
};
use values::{BulkSet, Map, Set, T, Value, watch};

use super::world::{World, bulked, op, slotted};
use crate::batch::Batch;
use crate::error::QueryError;
use crate::operators::chunk::with_chunks_of;

fn local(function: LocalFn, input: &[Value]) -> Vec<String> {
    let world = World::modern();
    world.run(OpKind::Local(function), vec![world.values(input)]).texts()
}

fn named(name: StepName, args: &[Value], input: impl Into<Value>) -> String {
    local(LocalFn::Call(Function::of(name).unwrap(), constants(args)), &[input.into()]).remove(0)
}

fn constants(args: &[Value]) -> Vec<Operand> {
    args.iter().cloned().map(Operand::Const).collect()
}

fn error_of(name: StepName, args: &[Value], input: impl Into<Value>) -> String {
    let world = World::modern();
    let kind = OpKind::Local(LocalFn::Call(Function::of(name).unwrap(), constants(args)));
    world.try_run(kind, vec![world.values(&[input.into()])]).err().expect("an error").to_string()
}

fn list(members: &[i32]) -> Value {
    members.iter().map(|m| Value::Int(*m)).collect::<Vec<_>>().into()
}

fn map(entries: &[(&str, i32)]) -> Value {
    entries.iter().map(|(k, v)| (Value::from(*k), Value::Int(*v))).collect::<Map>().into()
}

#[test]
fn members_of_a_bulk_set_come_to_what_merged_traversers_do() {
    let world = World::modern();
    let both = |function: LocalFn, aggregation: Aggregation, members: &[Value], counts: &[u64]| {
        let set: BulkSet = members.iter().cloned().zip(counts.iter().copied()).collect();
        let inside = world.try_run(OpKind::Local(function), vec![world.values(&[Value::from(set)])]);
        let merged = bulked(world.values(members), counts);
        let outside = world.try_run(OpKind::Aggregate(aggregation), vec![merged]);
        [inside, outside].map(|outcome| outcome.map(|o| o.texts()).map_err(|e| e.to_string()))
    };
    let counts = [1, 1 << 40, 3];
    for members in [
        [Value::Int(7), Value::Int(-3), Value::Null],
        [Value::Long(1 << 40), Value::Int(2), Value::Long(5)],
        [Value::Double(0.1), Value::Float(0.3), Value::Int(9)],
        [Value::Byte(100), Value::Short(3), Value::Null],
        ["b".into(), "a".into(), "c".into()],
    ] {
        for (function, aggregation) in [
            (LocalFn::Sum, Aggregation::Sum),
            (LocalFn::Mean, Aggregation::Mean),
            (LocalFn::Min, Aggregation::Min),
            (LocalFn::Max, Aggregation::Max),
        ] {
            let [inside, outside] = both(function, aggregation.clone(), &members, &counts);
            assert_eq!(inside, outside, "{aggregation:?} of {members:?}");
        }
    }
    let [inside, _] = both(LocalFn::Sum, Aggregation::Sum, &[Value::Long(1 << 40)], &[1 << 40]);
    assert!(inside.unwrap_err().contains("overflow"), "more than a long holds");
    let [inside, _] = both(LocalFn::Sum, Aggregation::Sum, &[], &[]);
    assert!(inside.unwrap().is_empty());
}

#[test]
fn collections_are_counted_cut_and_sorted() {
    assert_eq!(local(LocalFn::Count, &[list(&[1, 2]), map(&[("a", 1)]), 7.into()]), ["2", "1", "1"]);
    assert_eq!(local(LocalFn::Sum, &[list(&[1, 2]), list(&[])]), ["3"], "no members, no sum");
    assert_eq!(local(LocalFn::Mean, &[list(&[1, 2])]), ["1.5"]);
    assert_eq!(local(LocalFn::Min, &[list(&[3, 1, 2])]), ["1"]);
    assert_eq!(
        local(LocalFn::Range(1, 3), &[list(&[1, 2, 3, 4]), map(&[("a", 1), ("b", 2)])]),
        ["[2, 3]", "{b=2}"]
    );
    assert_eq!(local(LocalFn::Tail(2), &[list(&[1, 2, 3]), list(&[1])]), ["[2, 3]", "[1]"]);
    assert_eq!(local(LocalFn::Dedup, &[list(&[1, 2, 1])]), ["[1, 2]"]);
    let by_value = LocalFn::Order(vec![(LocalSort::Column(Part::Values), Order::Desc)]);
    assert_eq!(local(by_value, &[map(&[("a", 1), ("b", 3), ("c", 2)])]), ["{b=3, c=2, a=1}"]);
    assert_eq!(local(LocalFn::Order(vec![]), &[list(&[3, 1, 2]), "text".into()]), ["[1, 2, 3]", "text"]);
    let shuffled = LocalFn::Order(vec![(LocalSort::Member, Order::Shuffle)]);
    assert_eq!(local(shuffled, &[list(&[1, 2, 3])])[0].len(), "[1, 2, 3]".len());
}

#[test]
fn members_are_sorted_by_their_parts() {
    let world = World::modern();
    let people = Value::list([world.v(1).into(), world.v(4).into(), world.v(3).into(), world.v(2).into()]);
    let age = world.graph.snapshot().catalog().key("age");
    let by_age = LocalFn::Order(vec![(LocalSort::Property("age".into(), age), Order::Asc)]);
    let run = |function, input: &Value| {
        world.run(OpKind::Local(function), vec![world.values(std::slice::from_ref(input))]).texts()
    };
    assert_eq!(run(by_age, &people), ["[v[2], v[1], v[4]]"], "the one without an age is left out");
    let by_id = LocalFn::Order(vec![(LocalSort::Token(T::Id), Order::Desc)]);
    assert_eq!(run(by_id, &people), ["[v[4], v[3], v[2], v[1]]"]);
}

#[test]
fn parts_of_elements_maps_and_entries() {
    let world = World::modern();
    let run = |function, input: Batch| world.run(OpKind::Local(function), vec![input]).texts();
    assert_eq!(run(LocalFn::Id, world.vertices(&[1, 3])), ["1", "3"]);
    assert_eq!(run(LocalFn::Label, world.vertices(&[1, 3])), ["person", "software"]);
    assert_eq!(run(LocalFn::Label, world.edges(&[7])), ["knows"]);
    assert_eq!(run(LocalFn::Key, world.values(&[Value::entry("k", 1)])), ["k"]);
    assert_eq!(
        run(LocalFn::Column(Part::Keys), world.values(&[map(&[("a", 1)]), Value::entry("a", 1)])),
        ["[a]", "a"]
    );
    assert_eq!(
        run(LocalFn::MapEntry("a".into()), world.values(&[map(&[("a", 1)]), map(&[("b", 1)])])),
        ["1"]
    );
    assert_eq!(
        run(LocalFn::Constant(Operand::Const(Value::Null)), world.vertices(&[1, 2])),
        ["null", "null"]
    );
    let error = world.try_run(OpKind::Local(LocalFn::Id), vec![world.values(&[1])]).err().unwrap();
    assert!(error.to_string().contains("a value of type Integer has no id"));
}

#[test]
fn functions_of_text() {
    assert_eq!(named(StepName::Length, &[], "héllo"), "5");
    assert_eq!(named(StepName::ToUpper, &[], "abc"), "ABC");
    assert_eq!(named(StepName::Trim, &[], "  a b "), "a b");
    assert_eq!(named(StepName::LTrim, &[], "  a "), "a ");
    assert_eq!(named(StepName::Replace, &["a".into(), "oo".into()], "banana"), "boonoonoo");
    assert_eq!(named(StepName::Split, &[",".into()], "a,b"), "[a, b]");
    assert_eq!(named(StepName::Substring, &[1.into(), 3.into()], "hello"), "el");
    assert_eq!(named(StepName::Substring, &[Value::Int(-3)], "hello"), "llo");
    assert_eq!(named(StepName::Substring, &[3.into(), 1.into()], "hello"), "");
    assert_eq!(named(StepName::Concat, &["x".into(), Value::Null, "y".into()], "a"), "axy");
    assert_eq!(named(StepName::Concat, &[Value::Null], Value::Null), "null");
    assert_eq!(named(StepName::Reverse, &[], "abc"), "cba");
    assert_eq!(named(StepName::ToLower, &[], Value::Null), "null");
    assert!(error_of(StepName::ToLower, &[], 1).contains("can only take string"));
    let each = LocalFn::Each(Function::of(StepName::ToUpper).unwrap(), vec![]);
    assert_eq!(
        local(each, &[Value::list(["a".into(), Value::Null, "b".into()]), "c".into()]),
        ["[A, null, B]", "C"]
    );
}

#[test]
fn conversions() {
    assert_eq!(named(StepName::AsNumber, &["INT".into()], "5.9"), "5");
    assert_eq!(named(StepName::AsNumber, &[], Value::Null), "null");
    assert!(error_of(StepName::AsNumber, &[], "abc").contains("Can't parse string 'abc' as number."));
    assert!(error_of(StepName::AsNumber, &["BYTE".into()], 300).contains("overflow"));
    assert_eq!(named(StepName::AsBool, &[], " TRUE "), "true");
    assert_eq!(named(StepName::AsBool, &[], 0.0), "false");
    assert!(error_of(StepName::AsBool, &[], "yes").contains("Can't parse yes as Boolean."));
    assert_eq!(named(StepName::AsString, &[], 1.5), "1.5");
    let date = named(StepName::AsDate, &[], "2023-08-02T00:00:00Z");
    assert_eq!(named(StepName::AsDate, &[], 1_690_934_400_000i64), date);
    let at: values::DateTime = "2023-08-02T00:00:00Z".parse().unwrap();
    assert_eq!(
        named(StepName::DateAdd, &["day".into(), 1.into()], at),
        named(StepName::AsDate, &[], "2023-08-03T00:00:00Z")
    );
    assert_eq!(
        named(StepName::DateDiff, &[at.plus(values::Duration::from_millis(-5000)).unwrap().into()], at),
        "5000"
    );
    let world = World::modern();
    let texts = OpKind::Local(LocalFn::Call(Function::of(StepName::AsString).unwrap(), vec![]));
    assert_eq!(world.run(texts, vec![world.vertices(&[1])]).values(), ["v[1]".into()]);
}

#[test]
fn a_text_names_elements_by_their_ids_wherever_they_are() {
    let world = World::modern();
    let (v, e) = (Value::from(world.v(1)), Value::from(world.e(7)));
    let map: Map = [(v.clone(), Value::list([e.clone(), 1.into()]))].into_iter().collect();
    let set: Set = [v.clone(), "x".into()].into_iter().collect();
    let bulks: BulkSet = [(v.clone(), 2)].into_iter().collect();
    let mut path = values::Path::default();
    path.push(v.clone(), Vec::new());
    path.push(e.clone(), Vec::new());
    let objects = [
        (e, "e[7][1-knows->2]"),
        (map.into(), "{v[1]=[e[7][1-knows->2], 1]}"),
        (set.into(), "[v[1], x]"),
        (bulks.into(), "{v[1]=2}"),
        (path.into(), "path[v[1], e[7][1-knows->2]]"),
        (Value::entry("k", v.clone()), "k=v[1]"),
        (Value::list([Value::entry("k", v)]), "[{k=v[1]}]"),
    ];
    let texts = OpKind::Local(LocalFn::Call(Function::of(StepName::AsString).unwrap(), vec![]));
    for (object, text) in objects {
        assert_eq!(world.run(texts.clone(), vec![world.values(&[object])]).values(), [text.into()]);
    }
}

#[test]
fn what_is_made_of_members_is_charged_while_there_are_more() {
    let world = World { memory: 4 << 20, ..World::modern() };
    let texts = OpKind::Local(LocalFn::Each(Function::of(StepName::AsString).unwrap(), vec![]));
    // Each member is the same, and each becomes a text of its own, twice as long.
    let members = vec![Value::binary(vec![0_u8; 1 << 20]); 48];
    let query = world.query();
    let outcome = world.run_in(&query, &op(texts), vec![world.values(&[Value::from(members)])]);
    let error = outcome.err().expect("there is no room for a hundred megabytes");
    assert!(matches!(error, QueryError::MemoryExceeded { .. }), "{error}");
    assert!(query.memory.peak() < 8 << 20, "it ends with the text that is too much");
}

/// Ends the work at the first look: after a thousand ticks or so.
struct AtOnce;

impl watch::Watch for AtOnce {
    fn must_end(&self) -> bool {
        true
    }
}

#[test]
fn the_watch_ends_long_templates_and_long_lists() {
    let world = World::modern();
    let is_ended = |function: LocalFn, object: Value| {
        let input = world.values(&[object]);
        watch::ticks(usize::MAX);
        let run = || world.try_run(OpKind::Local(function), vec![input]).is_ok();
        watch::watched(Arc::new(AtOnce), run).is_err()
    };
    let format = |template: String| {
        let args = [Value::from(template), Value::list([])];
        LocalFn::Call(Function::of(StepName::Format).unwrap(), constants(&args))
    };
    assert!(is_ended(format("%{_}".repeat(10_000)), 1.into()));
    assert!(is_ended(format("%%{".repeat(10_000)), 1.into()));
    assert!(is_ended(format("x".repeat(1 << 20)), 1.into()));
    let each = LocalFn::Each(Function::of(StepName::AsString).unwrap(), vec![]);
    assert!(is_ended(each, list(&[1; 10_000])));
    assert!(!is_ended(format("%{_}".repeat(10)), 1.into()), "a short one is not asked about");
}

#[test]
fn functions_of_two_lists() {
    let with = |name, other: &[i32]| named(name, &[list(other)], list(&[1, 2, 2]));
    assert_eq!(with(StepName::Combine, &[2, 3]), "[1, 2, 2, 2, 3]");
    assert_eq!(with(StepName::Merge, &[2, 3]), "[1, 2, 3]");
    assert_eq!(with(StepName::Difference, &[2]), "[1]");
    assert_eq!(with(StepName::Intersect, &[2, 3]), "[2]");
    assert_eq!(with(StepName::Disjunct, &[2, 3]), "[1, 3]");
    assert_eq!(named(StepName::Product, &[list(&[3])], list(&[1, 2])), "[[1, 3], [2, 3]]");
    assert_eq!(named(StepName::Merge, &[map(&[("b", 2)])], map(&[("a", 1)])), "{a=1, b=2}");
    assert_eq!(
        named(StepName::Conjoin, &["-".into()], Value::list([1.into(), Value::Null, 2.into()])),
        "1-2"
    );
    assert_eq!(named(StepName::Index, &[], list(&[7, 8])), "[[7, 0], [8, 1]]");
    assert_eq!(named(StepName::Index, &[1.into()], list(&[7, 8])), "{0=7, 1=8}");
    assert!(error_of(StepName::Combine, &[list(&[1])], 5).contains("can only take an array or an Iterable"));
    assert!(error_of(StepName::Combine, &[Value::Null], list(&[1])).contains("can't be null"));
    assert_eq!(Function::of(StepName::Out), None, "a step that is no function of one object");
}

#[test]
fn templates_are_filled_from_elements_maps_and_labels() {
    let world = World::modern();
    let format = |template: &str| {
        OpKind::Local(LocalFn::Call(
            Function::of(StepName::Format).unwrap(),
            vec![Operand::Const(template.into()), Operand::Const(Value::list([]))],
        ))
    };
    assert_eq!(
        world.run(format("%{name} is %{age}, 100%"), vec![world.vertices(&[1])]).texts(),
        ["marko is 29, 100%"]
    );
    assert!(world.run(format("%{age}"), vec![world.vertices(&[3])]).rows().is_empty(), "software has no age");
}

#[test]
fn math_takes_its_variables_from_slots_and_the_current_object() {
    let world = World::modern();
    let input = slotted(world.values(&[10, 30]), 0, vec![Some(4.into()), Some(2.5.into())]);
    let variables = vec![("_".into(), None), ("a".into(), Some(Slot(0)))];
    let expression = planner::physical::Expression::parse(&"_ / a".into()).unwrap();
    let kind = OpKind::Math(op::Math { expression: expression.clone(), variables: variables.clone() });
    assert_eq!(world.run(kind, vec![input]).texts(), ["2.5", "12.0"]);
    let kind = OpKind::Math(op::Math { expression, variables });
    let text = slotted(world.values(&["x"]), 0, vec![Some(1.into())]);
    let nothing = slotted(world.values(&[20]), 0, vec![None]);
    for (input, name) in [(text, "_"), (nothing, "a")] {
        let error = world.try_run(kind.clone(), vec![input]).err().unwrap().to_string();
        let expected = format!("The variable {name} for math() step must resolve to a Number");
        assert!(error.contains(&expected), "{error}");
    }
    let many = list(&(0..100_000).collect::<Vec<_>>());
    let input = slotted(world.values(&[many]), 0, vec![Some(1.into())]);
    let error = world.try_run(kind, vec![input]).err().unwrap().to_string();
    assert!(error.contains("with value [0, 1, 2, 3,") && error.ends_with('…'), "{error}");
    assert!(error.len() < 500, "{error}");
}

#[test]
fn unfolding_yields_members_and_entries_whatever_the_chunks() {
    let world = World::modern();
    let input =
        || world.values(&[list(&[1, 2, 3]), map(&[("a", 1), ("b", 2)]), list(&[]), 7.into(), list(&[4])]);
    for chunk in [1, 2, 3, 64] {
        let found = with_chunks_of(chunk, || world.run(OpKind::Unfold, vec![input()]));
        assert_eq!(found.texts(), ["1", "2", "3", "a=1", "b=2", "7", "4"], "chunks of {chunk}");
    }
}

#[test]
fn slots_are_stored_loaded_projected_and_forgotten() {
    let world = World::modern();
    let stored = world.run(OpKind::Store(Slot(2)), vec![world.values(&[1, 2])]);
    assert_eq!(stored.rows()[1].slots[2], Some(2.into()));
    let input = || slotted(world.values(&["x", "y"]), 0, vec![None, Some(5.into())]);
    assert_eq!(world.run(OpKind::Load(Slot(0)), vec![input()]).texts(), ["5"]);
    assert!(world.run(OpKind::Load(Slot(3)), vec![input()]).rows().is_empty());
    let project = OpKind::Project(op::Project {
        entries: vec![("a".into(), By::Current), ("b".into(), By::Slot(Slot(0)))],
    });
    assert_eq!(world.run(project, vec![input()]).texts(), ["{a=x}", "{a=y, b=5}"]);
    assert_eq!(world.run(OpKind::Forget(vec![Slot(0)]), vec![input()]).rows()[1].slots[0], None);
}

fn selection(name: &str, slot: Option<u16>, pop: Pop) -> Selection {
    Selection { name: name.into(), slot: slot.map(Slot), side_effect: None, pop, by: None }
}

#[test]
fn selections_look_in_maps_side_effects_slots_and_paths() {
    let world = World::modern().with_side_effect("s").with_paths();
    let select = |selections: Vec<Selection>, form| OpKind::Select(op::Select { selections, form });
    let input = slotted(world.values(&["x", "y"]), 0, vec![Some(1.into()), None]);
    let one = select(vec![selection("a", Some(0), Pop::Last)], SelectForm::One);
    assert_eq!(world.run(one, vec![input.clone()]).texts(), ["1"], "the one without is dropped");
    let in_map = select(vec![selection("k", Some(0), Pop::Last)], SelectForm::One);
    assert_eq!(world.run(in_map, vec![world.values(&[map(&[("k", 9)])])]).texts(), ["9"]);
    let side_effect = Selection { side_effect: Some(SideEffectId(0)), ..selection("s", None, Pop::Last) };
    assert_eq!(world.run(select(vec![side_effect], SelectForm::One), vec![input]).texts(), ["{}", "{}"]);

    let mut walked = world.values(&["first"]);
    walked.relabel_path(&["a".into()]);
    walked.current = std::sync::Arc::new(crate::batch::Column::Values(vec!["second".into()]));
    walked.extend_path(&["a".into(), "b".into()]);
    let popped = |pop| {
        world.run(select(vec![selection("a", None, pop)], SelectForm::One), vec![walked.clone()]).texts()
    };
    assert_eq!(popped(Pop::First), ["first"]);
    assert_eq!(popped(Pop::Last), ["second"]);
    assert_eq!(popped(Pop::All), ["[first, second]"]);
    assert_eq!(popped(Pop::Mixed), ["[first, second]"]);
    let both =
        select(vec![selection("b", None, Pop::Mixed), selection("a", None, Pop::First)], SelectForm::Map);
    assert_eq!(world.run(both, vec![walked.clone()]).texts(), ["{b=second, a=first}"]);
    let missing =
        select(vec![selection("a", None, Pop::Last), selection("z", None, Pop::Last)], SelectForm::Map);
    assert!(world.run(missing, vec![walked]).rows().is_empty());
}

#[test]
fn a_path_is_transformed_in_turns_and_cut_at_labels() {
    let world = World::modern().with_paths();
    let mut walked = world.vertices(&[1]);
    walked.relabel_path(&["a".into()]);
    for id in [4, 5] {
        walked.current = std::sync::Arc::new(crate::batch::Column::Vertices(vec![world.v(id)]));
        walked.extend_path(&[if id == 4 { "b" } else { "c" }.into()]);
    }
    let run = |by: Vec<FetchKind>, from: Option<&str>, to: Option<&str>| {
        let kind =
            OpKind::Path(op::Path { by, lenient: false, from: from.map(Into::into), to: to.map(Into::into) });
        world.run(kind, vec![walked.clone()]).texts()
    };
    let name = || FetchKind::Property("name".into(), world.graph.snapshot().catalog().key("name"));
    assert_eq!(run(vec![], None, None), ["path[v[1], v[4], v[5]]"]);
    assert_eq!(run(vec![name(), FetchKind::Token(T::Label)], None, None), ["path[marko, person, ripple]"]);
    assert_eq!(run(vec![], Some("b"), None), ["path[v[4], v[5]]"]);
    assert_eq!(run(vec![], Some("a"), Some("b")), ["path[v[1], v[4]]"]);
    let age = FetchKind::Property("age".into(), world.graph.snapshot().catalog().key("age"));
    assert!(run(vec![age], None, None).is_empty(), "software has no age");
}

/// A function of the current object and of what is in the first slot.
fn with_slot(function: LocalFn, object: Value, slot: Option<Value>) -> Result<Vec<String>, String> {
    let world = World::modern();
    let mut batch = world.values(&[object]);
    if let Some(value) = slot {
        batch = slotted(batch, 0, vec![Some(value)]);
    }
    let done = world.try_run(OpKind::Local(function), vec![batch]);
    done.map(|done| done.texts()).map_err(|error| error.to_string())
}

#[test]
fn an_argument_that_was_computed_is_found_beside_the_object() {
    let concat = || LocalFn::Call(Function::of(StepName::Concat).unwrap(), vec![Operand::Slot(Slot(0))]);
    assert_eq!(with_slot(concat(), "a".into(), Some("b".into())).unwrap(), ["ab"]);
    assert_eq!(with_slot(concat(), "a".into(), Some(Value::Null)).unwrap(), ["a"]);
    let error = with_slot(concat(), "a".into(), None).unwrap_err();
    assert!(error.contains("The provided traverser does not map to a value"), "{error}");
    let merge = || LocalFn::Call(Function::of(StepName::Merge).unwrap(), vec![Operand::Slot(Slot(0))]);
    assert_eq!(with_slot(merge(), list(&[1]), Some(list(&[1, 2]))).unwrap(), ["[1, 2]"]);
    for (argument, found) in [(Value::Null, "not null"), (7.into(), "encountered Integer")] {
        let error = with_slot(merge(), list(&[1]), Some(argument)).unwrap_err();
        let expected =
            format!("Provided traversal argument for merge step must yield an iterable type, {found}");
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn what_came_of_the_parts_is_put_together_again() {
    let entries = Value::list([Value::entry("b", 2), Value::entry("a", 1)]);
    let rebuilt = || LocalFn::Rebuilt(Operand::Slot(Slot(0)));
    assert_eq!(with_slot(rebuilt(), map(&[("x", 9)]), Some(entries)).unwrap(), ["{b=2, a=1}"]);
    assert_eq!(with_slot(rebuilt(), list(&[7]), Some(list(&[2, 1]))).unwrap(), ["[2, 1]"]);
    assert_eq!(with_slot(rebuilt(), 7.into(), Some(list(&[]))).unwrap(), ["7"]);
    let entry = || LocalFn::EntryOf(Operand::Slot(Slot(0)));
    assert_eq!(with_slot(entry(), Value::entry("k", 1), Some(2.into())).unwrap(), ["k=2"]);
    assert!(with_slot(entry(), Value::entry("k", 1), Some(Value::Null)).unwrap().is_empty());
    let made = |must| LocalFn::Made { by: Operand::Slot(Slot(0)), must };
    for must in [true, false] {
        assert_eq!(with_slot(made(must), 1.into(), Some(2.into())).unwrap(), ["2"]);
        assert_eq!(with_slot(made(must), Value::Null, None).unwrap(), ["null"]);
    }
    assert!(with_slot(made(true), 1.into(), None).is_err());
    assert!(with_slot(made(false), 1.into(), None).unwrap().is_empty());
}

#[test]
fn objects_of_a_path_take_turns() {
    let mut path = values::Path::default();
    for object in [1, 2, 1] {
        path.push(Value::Int(object), vec!["a".into()]);
    }
    let path = Value::from(path);
    assert_eq!(local(LocalFn::Turn { first: 0, of: 2 }, &[path.clone(), 7.into()]), ["[1, 1]"]);
    assert_eq!(local(LocalFn::IsSimple, std::slice::from_ref(&path)), ["false"]);
    let with = |list| with_slot(LocalFn::PathOf(vec![Operand::Slot(Slot(0))]), path.clone(), Some(list));
    assert_eq!(with(list(&[7, 8, 9])).unwrap(), ["path[7, 8, 9]"]);
    assert!(with(list(&[7, 8])).unwrap().is_empty(), "one by() made nothing");
}

#[test]
fn a_sample_of_a_collection_is_drawn_anew_for_each() {
    let many = vec![list(&[1, 2, 3, 4, 5, 6, 7, 8]); 64];
    let drawn = local(LocalFn::Sample(2), &many);
    assert!(drawn.iter().any(|sample| *sample != drawn[0]), "{drawn:?}");
    assert_eq!(local(LocalFn::Sample(9), &[list(&[1, 2]), 5.into()]), ["[1, 2]", "5"]);
    assert_eq!(local(LocalFn::Sample(0), &[list(&[1, 2]), map(&[("a", 1)])]), ["[]", "{}"]);
}
