//! `V`, `E`, `inject`.

use graph::{IndexDescription, IndexKind};
use planner::physical::{ElementKind, IndexedRange, Injected, OpKind, Operand, Slot, SourceIds, op};
use values::Value;

use super::world::{World, slotted, tagged};
use crate::batch::Batch;
use crate::error::QueryError;
use crate::operators::chunk::with_chunks_of;

fn scan(kind: ElementKind) -> OpKind {
    OpKind::Scan(op::Scan { kind, vertex_labels: None, edge_labels: None })
}

#[test]
fn a_scan_finds_every_element_whatever_the_size_of_its_chunks() {
    let world = World::modern();
    let seed = || vec![Batch::seed(4, false)];
    for chunk in [1, 2, 3, 64] {
        with_chunks_of(chunk, || {
            let found = world.run(scan(ElementKind::Vertex), seed());
            assert_eq!(found.sorted(), ["v[1]", "v[2]", "v[3]", "v[4]", "v[5]", "v[6]"], "chunks of {chunk}");
            assert!(found.batches.iter().all(|b| b.len <= chunk));
            assert_eq!(world.run(scan(ElementKind::Edge), seed()).rows().len(), 6);
        });
    }
}

#[test]
fn a_scan_of_labels_finds_their_elements_alone() {
    let world = World::modern();
    let catalog = world.graph.snapshot().catalog().clone();
    let software = catalog.vertex_label("software").unwrap();
    let kind = |labels| {
        OpKind::Scan(op::Scan { kind: ElementKind::Vertex, vertex_labels: Some(labels), edge_labels: None })
    };
    assert_eq!(world.run(kind(vec![software]), vec![Batch::seed(0, false)]).sorted(), ["v[3]", "v[5]"]);
    assert!(world.run(kind(vec![]), vec![Batch::seed(0, false)]).rows().is_empty());
    let created = catalog.edge_label("created").unwrap();
    let edges = OpKind::Scan(op::Scan {
        kind: ElementKind::Edge,
        vertex_labels: None,
        edge_labels: Some(vec![created]),
    });
    assert_eq!(world.run(edges, vec![Batch::seed(0, false)]).rows().len(), 4);
}

#[test]
fn a_scan_in_mid_traversal_starts_over_for_each_traverser_and_keeps_its_columns() {
    let world = World::modern().with_tags(2);
    let input = slotted(tagged(world.values(&["x", "y"]), &[1, 0]), 2, vec![Some("x".into()), None]);
    let found = world.run(scan(ElementKind::Vertex), vec![input]).rows();
    assert_eq!(found.len(), 12);
    assert!(found[..6].iter().all(|row| row.tag == 1 && row.slots[2] == Some("x".into())));
    assert!(found[6..].iter().all(|row| row.tag == 0 && row.slots[2].is_none()));
}

#[test]
fn ids_are_found_in_any_notation_and_in_collections() {
    let world = World::modern();
    let by = |ids: Vec<Value>| {
        let ids = SourceIds(ids.into_iter().map(Operand::Const).collect());
        world
            .run(OpKind::ById(op::ById { kind: ElementKind::Vertex, ids }), vec![Batch::seed(4, false)])
            .texts()
    };
    assert_eq!(by(vec![1i64.into(), "2".into(), 3.into()]), ["v[1]", "v[2]", "v[3]"]);
    assert_eq!(by(vec![Value::list([4i64.into(), 6i64.into()])]), ["v[4]", "v[6]"]);
    assert_eq!(by(vec![world.v(5).into()]), ["v[5]"]);
    assert_eq!(by(vec![values::Vertex::reference(1i64, "person").into()]), ["v[1]"]);
    assert!(by(vec![99i64.into(), "nobody".into(), Value::Null]).is_empty());
    assert!(by(vec![world.e(7).into()]).is_empty(), "an edge is no vertex");
}

#[test]
fn ids_are_looked_for_in_their_order_whatever_the_size_of_chunks() {
    let world = World::modern();
    let bulks: values::BulkSet = [(3.into(), 2), (99.into(), 3), (1.into(), 1)].into_iter().collect();
    let list = Value::list([6.into(), 98.into(), 97.into(), 2.into()]);
    let ids = [5.into(), bulks.into(), Value::Null, list, 4.into()].map(Operand::Const);
    let kind = OpKind::ById(op::ById { kind: ElementKind::Vertex, ids: SourceIds(ids.into()) });
    for chunk in [1, 2, 3, 64] {
        with_chunks_of(chunk, || {
            let found = world.run(kind.clone(), vec![world.values(&["a", "b"])]);
            let once = ["v[5]", "v[3]", "v[3]", "v[1]", "v[6]", "v[2]", "v[4]"];
            assert_eq!(found.texts(), [once, once].concat(), "chunks of {chunk}");
            assert!(found.batches.iter().all(|b| b.len <= chunk));
        });
    }
}

#[test]
fn an_id_may_come_from_a_slot_or_a_parameter() {
    let mut world = World::modern();
    world.params = vec![Value::list([6i64.into()])];
    let ids = SourceIds(vec![Operand::Slot(Slot(1)), Operand::Param(0)]);
    let input = slotted(world.values(&["a", "b"]), 1, vec![Some(2i64.into()), None]);
    let found = world.run(OpKind::ById(op::ById { kind: ElementKind::Vertex, ids }), vec![input]);
    assert_eq!(found.texts(), ["v[2]", "v[6]", "v[6]"]);
}

#[test]
fn an_index_finds_each_vertex_once_and_a_scan_finds_the_same_without_it() {
    let world = World::modern();
    let catalog = world.graph.snapshot().catalog().clone();
    let (label, key) = (catalog.vertex_label("person").unwrap(), catalog.key("name").unwrap());
    let kind = OpKind::IndexLookup(op::IndexLookup {
        label,
        key,
        values: vec![Operand::Const(Value::list([
            "josh".into(),
            "peter".into(),
            "josh".into(),
            "lop".into(),
        ]))],
        spread: true,
    });
    let without = world.run(kind.clone(), vec![Batch::seed(4, false)]).sorted();
    world.graph.create_index("person", "name").unwrap();
    let with = world.run(kind.clone(), vec![Batch::seed(4, false)]).sorted();
    assert_eq!(without, ["v[4]", "v[6]"]);
    assert_eq!(with, without);
    with_chunks_of(1, || {
        let found = world.run(kind.clone(), vec![world.values(&["a", "b"])]);
        assert_eq!(found.sorted(), ["v[4]", "v[4]", "v[6]", "v[6]"]);
        assert!(found.batches.iter().all(|b| b.len == 1), "what an index finds at once leaves in pieces");
    });
}

/// A lookup of persons by their names, with the index that it needs.
fn indexed_names(world: &World, names: Operand) -> OpKind {
    let catalog = world.graph.snapshot().catalog().clone();
    let (label, key) = (catalog.vertex_label("person").unwrap(), catalog.key("name").unwrap());
    world.graph.create_index("person", "name").unwrap();
    OpKind::IndexLookup(op::IndexLookup { label, key, values: vec![names], spread: true })
}

#[test]
fn the_room_that_an_index_took_is_charged_though_it_found_the_same_all_the_time() {
    let mut world = World::modern();
    let names = Value::list(vec![Value::from("josh"); 50_000]);
    let kind = indexed_names(&world, Operand::Const(names));
    assert_eq!(world.run(kind.clone(), vec![Batch::seed(4, false)]).texts(), ["v[4]"]);
    world.memory = 100 << 10;
    let refused = world.try_run(kind, vec![Batch::seed(4, false)]);
    assert!(matches!(refused, Err(QueryError::MemoryExceeded { .. })));
}

#[test]
fn a_row_with_many_values_is_looked_up_in_a_call_of_its_own() {
    let world = World::modern();
    let kind = indexed_names(&world, Operand::Slot(Slot(1)));
    let (few, many) = (Value::list(["peter".into()]), Value::list(vec![Value::from("josh"); 5_000]));
    let values = vec![Some(many.clone()), Some(few), Some(many)];
    let found = world.run(kind, vec![slotted(world.values(&["a", "b", "c"]), 1, values)]);
    assert_eq!(found.texts(), ["v[4]", "v[6]", "v[4]"]);
    assert_eq!(found.batches.iter().map(|batch| batch.len).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn a_range_index_finds_whoever_may_be_in_the_range_and_a_scan_finds_them_without_it() {
    let mut world = World::modern();
    let catalog = world.graph.snapshot().catalog().clone();
    let (label, key) = (catalog.vertex_label("person").unwrap(), catalog.key("age").unwrap());
    world.params = vec![30i64.into()];
    let range =
        |low| IndexedRange { keys: vec![key], equal: Vec::new(), low: Some(low), high: None, order: None };
    let kind = OpKind::IndexRange(op::IndexRange { label, range: range(Operand::Param(0)) });
    let everybody = world.run(kind.clone(), vec![Batch::seed(4, false)]).sorted();
    assert_eq!(
        everybody,
        ["v[1]", "v[2]", "v[4]", "v[6]"],
        "no index: all of the label, for the filter behind"
    );
    let index = IndexDescription { label: "person".into(), keys: vec!["age".into()], kind: IndexKind::Range };
    world.graph.declare_index(&index).unwrap();
    world.graph.await_index(&index).unwrap();
    assert_eq!(world.run(kind.clone(), vec![Batch::seed(4, false)]).sorted(), ["v[4]", "v[6]"]);
    with_chunks_of(1, || {
        let found = world.run(kind.clone(), vec![world.values(&["a", "b"])]);
        assert_eq!(found.sorted(), ["v[4]", "v[4]", "v[6]", "v[6]"]);
        assert!(found.batches.iter().all(|b| b.len == 1), "so does what a range index does");
    });
    let unordered = range(Operand::Const(Value::list([])));
    let kind = OpKind::IndexRange(op::IndexRange { label, range: unordered });
    assert_eq!(world.run(kind, vec![Batch::seed(4, false)]).sorted(), everybody);
}

#[test]
fn injected_objects_come_before_the_input_and_once_per_tag() {
    let inject =
        || OpKind::Inject(vec![Operand::Const(7.into()), Operand::Const(Value::Null)], Injected::First);
    let world = World::modern();
    assert_eq!(
        world.run(inject(), vec![Batch::seed(4, false)]).texts(),
        ["7", "null"],
        "the seed does not pass"
    );
    assert_eq!(
        world.run(inject(), vec![world.values(&["a"]), world.values(&["b"])]).texts(),
        ["7", "null", "a", "b"]
    );
    assert_eq!(world.run(inject(), vec![]).texts(), ["7", "null"], "nothing came");
    assert_eq!(world.run(inject(), vec![world.values(&[Value::Null])]).texts(), ["7", "null", "null"]);
    let world = world.with_tags(2);
    let tags: Vec<u32> = world.run(inject(), vec![]).rows().iter().map(|row| row.tag).collect();
    assert_eq!(tags, [0, 0, 1, 1]);
}
