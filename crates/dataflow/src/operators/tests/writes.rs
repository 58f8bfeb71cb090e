//! Changes of the graph.

use std::sync::Arc;

use gremlin::Cardinality;
use planner::physical::{MapKeys, OpKind, Operand, PropertyForm, Slot, WriteKind, WriteProperty, op};
use values::Value;

use super::world::{Outcome, World, bulked, op, slotted};
use crate::batch::Batch;
use crate::error::QueryError;
use crate::query::{Access, QueryState};

/// A world with a transaction in which operators run one after the other.
struct Writing {
    world: World,
    query: Arc<QueryState>,
}

impl Writing {
    fn new() -> Self {
        let world = World::modern();
        let query = world.query_on(Access::Write(Arc::new(world.graph.begin())));
        Self { world, query }
    }

    fn run(&self, kind: WriteKind, input: Batch) -> Result<Outcome, QueryError> {
        self.world.run_in(&self.query, &op(OpKind::Write(kind)), vec![input])
    }

    /// What an element is now, inside the transaction.
    fn element_map(&self, element: Value) -> String {
        let kind =
            OpKind::Properties(op::Properties { keys: MapKeys::default(), form: PropertyForm::ElementMap });
        self.world
            .run_in(&self.query, &op(kind), vec![self.world.values(&[element])])
            .unwrap()
            .texts()
            .remove(0)
    }

    fn error(&self, kind: WriteKind, input: Batch) -> String {
        self.run(kind, input).err().expect("an error").to_string()
    }
}

fn constant(value: impl Into<Value>) -> Operand {
    Operand::Const(value.into())
}

fn property(key: &str, value: Operand) -> WriteProperty {
    WriteProperty { key: constant(key), value, cardinality: None, again: false, meta: Vec::new() }
}

fn add_vertex(id: Option<Operand>, properties: Vec<WriteProperty>) -> WriteKind {
    WriteKind::AddVertex { label: constant("person"), id, properties }
}

#[test]
fn a_vertex_is_added_for_each_traverser_bulks_counted() {
    let writing = Writing::new();
    let names = vec![Some("ann".into()), Some("bob".into())];
    let input = slotted(bulked(writing.world.values(&["x", "y"]), &[2, 1]), 0, names);
    let kind = add_vertex(None, vec![property("name", Operand::Slot(Slot(0))), property("age", constant(5))]);
    let added = writing.run(kind, input).unwrap();
    assert_eq!(added.rows().iter().map(|row| row.bulk).collect::<Vec<_>>(), [1, 1, 1]);
    let vertices = added.values();
    assert!(writing.element_map(vertices[0].clone()).ends_with("label=person, name=ann, age=5}"));
    assert!(writing.element_map(vertices[2].clone()).ends_with("label=person, name=bob, age=5}"));
    assert_ne!(vertices[0], vertices[1]);
}

#[test]
fn a_property_without_a_value_is_an_error() {
    let writing = Writing::new();
    let input = slotted(writing.world.values(&["x"]), 0, vec![None]);
    let error = writing.error(add_vertex(None, vec![property("name", Operand::Slot(Slot(0)))]), input);
    assert!(error.contains("does not map to a value"), "{error}");
}

#[test]
fn an_id_that_is_taken_is_refused() {
    let writing = Writing::new();
    let one = || writing.world.values(&["x"]);
    assert_eq!(writing.run(add_vertex(Some(constant(77i64)), vec![]), one()).unwrap().texts(), ["v[77]"]);
    assert!(
        writing
            .error(add_vertex(Some(constant(1i64)), vec![]), one())
            .contains("a vertex with id 1 already exists")
    );
}

#[test]
fn edges_join_slots_the_current_vertex_and_given_ids() {
    let writing = Writing::new();
    let kind = |from, to| WriteKind::AddEdge {
        label: constant("likes"),
        id: None,
        from,
        to,
        properties: vec![property("weight", constant(0.9))],
    };
    let input = slotted(writing.world.vertices(&[1]), 0, vec![Some(writing.world.v(5).into())]);
    let added = writing.run(kind(None, Some(Operand::Slot(Slot(0)))), input.clone()).unwrap();
    assert!(added.texts()[0].ends_with("[1-likes->5]"));
    assert!(writing.element_map(added.values().remove(0)).ends_with("weight=0.9}"));
    let added = writing.run(kind(Some(constant("6")), None), input.clone()).unwrap();
    assert!(added.texts()[0].ends_with("[6-likes->1]"));
    assert!(
        writing.error(kind(Some(constant(99i64)), None), input.clone()).contains("must resolve to a Vertex")
    );
    assert!(
        writing
            .error(kind(Some(Operand::Slot(Slot(3))), None), input)
            .contains("but null was specified instead")
    );
}

#[test]
fn a_message_about_a_large_object_shows_the_beginning_of_it() {
    let writing = Writing::new();
    let list = |members: i32| Value::from((0..members).map(Value::Int).collect::<Vec<_>>());
    let add = |from: Value| WriteKind::AddEdge {
        label: constant("likes"),
        id: None,
        from: Some(constant(from)),
        to: None,
        properties: vec![],
    };
    let drop = |object: Value| writing.error(WriteKind::Drop, writing.world.values(&[object]));
    let added = |from: Value| writing.error(add(from), writing.world.vertices(&[1]));
    assert!(drop(list(3)).ends_with("is not removable: [0, 1, 2]"), "a short one is shown as it is");
    assert!(added(list(3)).ends_with("; [0, 1, 2] (List) does not"), "{}", added(list(3)));
    let elements = Value::list([writing.world.v(1).into(), 7.into()]);
    assert!(drop(elements).ends_with("is not removable: [v[1], 7]"));
    for message in [drop(list(100_000)), added(list(100_000))] {
        assert!(message.contains("[0, 1, 2, 3,") && message.contains('…'), "{message}");
        assert!(message.len() < 500, "{message}");
    }
}

#[test]
fn properties_are_set_on_vertices_edges_and_properties() {
    let writing = Writing::new();
    let set = |property, input| writing.run(WriteKind::SetProperty(property), input).unwrap();
    let vertex = || writing.world.vertices(&[2]);
    set(property("age", constant(28)), vertex());
    let place = |name: &str, meta| WriteProperty {
        cardinality: Some(Cardinality::List),
        meta,
        ..property("place", constant(name))
    };
    set(place("oslo", vec![(constant("since"), constant(2001))]), vertex());
    set(place("rome", vec![]), vertex());
    set(property("weight", constant(0.7)), writing.world.edges(&[7]));
    let v = Value::from(writing.world.v(2));
    assert_eq!(writing.element_map(v.clone()), "{id=2, label=person, name=vadas, age=28, place=rome}");
    assert!(writing.element_map(writing.world.e(7).into()).ends_with("weight=0.7}"));

    let kind = OpKind::Properties(op::Properties {
        keys: MapKeys { names: vec!["place".into()], ids: vec![], apart: false },
        form: PropertyForm::Properties,
    });
    let places = writing.world.run_in(&writing.query, &op(kind.clone()), vec![vertex()]).unwrap().values();
    set(property("until", constant(2005)), writing.world.values(&places[..1]));
    let places = writing.world.run_in(&writing.query, &op(kind), vec![vertex()]).unwrap().values();
    assert!(writing.element_map(places[0].clone()).contains("value=oslo, since=2001, until=2005"));

    set(property("age", constant(Value::Null)), vertex());
    set(property("weight", constant(Value::Null)), writing.world.edges(&[7]));
    assert!(!writing.element_map(v).contains("age"), "null removes");
    assert!(!writing.element_map(writing.world.e(7).into()).contains("weight"));
    let on_edge = WriteKind::SetProperty(place("x", vec![]));
    assert!(
        writing
            .error(on_edge, writing.world.edges(&[7]))
            .contains("neither a cardinality nor meta-properties")
    );
    let on_property = WriteKind::SetProperty(place("x", vec![]));
    let said = writing.error(on_property, writing.world.values(&places[..1]));
    assert!(said.contains("a property of a vertex property has neither a cardinality"), "{said}");
    let on_number = WriteKind::SetProperty(property("x", constant(1)));
    assert!(writing.error(on_number, writing.world.values(&[1])).contains("not on a Integer"));
}

#[test]
fn elements_and_properties_are_dropped_once_and_for_all() {
    let writing = Writing::new();
    let drop = |input| writing.run(WriteKind::Drop, input).unwrap();
    assert!(drop(writing.world.vertices(&[3, 3])).rows().is_empty(), "nothing passes a drop");
    drop(writing.world.edges(&[7]));
    let kind = OpKind::Properties(op::Properties {
        keys: MapKeys { names: vec!["age".into()], ids: vec![], apart: false },
        form: PropertyForm::Properties,
    });
    let ages =
        writing.world.run_in(&writing.query, &op(kind), vec![writing.world.vertices(&[1])]).unwrap().values();
    drop(writing.world.values(&ages));
    let snapshot = writing.query.snapshot();
    let reader = snapshot.reader();
    assert!(!reader.exists(writing.world.v(3)));
    assert_eq!(reader.degree(writing.world.v(1), values::Direction::Out, &[]), 1, "its edges went with it");
    assert_eq!(writing.element_map(writing.world.v(1).into()), "{id=1, label=person, name=marko}");
    assert!(writing.error(WriteKind::Drop, writing.world.values(&[1])).contains("not removable"));
}

#[test]
fn a_query_does_not_meet_what_it_has_added() {
    let writing = Writing::new();
    let scan = op(OpKind::Scan(op::Scan {
        kind: planner::physical::ElementKind::Vertex,
        vertex_labels: None,
        edge_labels: None,
    }));
    let mut operator = crate::operators::create(&scan);
    let (memory, mut found) = (crate::scope_memory::ScopeMemory::default(), 0);
    crate::operators::chunk::with_chunks_of(2, || {
        writing.world.step_by_step(operator.as_mut(), &writing.query, &scan, &memory, &mut |batch| {
            found += batch.len;
            writing.run(add_vertex(None, vec![]), batch).unwrap();
        });
    });
    assert_eq!(found, 6, "the vertices that were there when the scan began");
    assert_eq!(writing.query.snapshot().vertex_count(None), 12);
}

#[test]
fn a_change_outside_of_a_transaction_is_a_fault_of_the_engine() {
    let world = World::modern();
    let outcome = world.try_run(OpKind::Write(WriteKind::Drop), vec![world.vertices(&[1])]);
    assert!(matches!(outcome.err(), Some(QueryError::Internal { .. })));
}

#[test]
fn what_a_writing_query_reads_is_validated_at_its_commit() {
    let writing = Writing::new();
    let degree = planner::physical::OpKind::Degree(op::Degree {
        direction: values::Direction::Out,
        labels: planner::physical::EdgeLabels::All,
        into: None,
    });
    writing.world.run_in(&writing.query, &op(degree), vec![writing.world.vertices(&[2])]).unwrap();
    writing.run(add_vertex(None, vec![]), writing.world.values(&["x"])).unwrap();
    let other = writing.world.graph.begin();
    other.add_edge(None, "knows", writing.world.v(2), writing.world.v(4)).unwrap();
    other.commit().unwrap();
    let error = writing.query.transaction().unwrap().submit().expect_err("a conflict");
    assert!(error.is_retryable(), "{error}");
}
