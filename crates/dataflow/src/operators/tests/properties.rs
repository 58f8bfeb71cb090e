//! Properties in all their forms.

use gremlin::Column as Part;
use planner::physical::op::Tokens;
use planner::physical::{By, FetchKind, MapKeys, OpKind, PropertyForm, Slot, op};
use values::{T, Value};

use super::world::{World, slotted};
use crate::batch::Column;

fn keys(world: &World, names: &[&str]) -> MapKeys {
    let catalog = world.graph.snapshot().catalog().clone();
    MapKeys {
        names: names.iter().map(|n| (*n).into()).collect(),
        ids: names.iter().filter_map(|n| catalog.key(n)).collect(),
        apart: false,
    }
}

fn properties(world: &World, names: &[&str], form: PropertyForm) -> OpKind {
    OpKind::Properties(op::Properties { keys: keys(world, names), form })
}

/// Marko has lived in two places, one of them with dates.
fn travelled() -> World {
    let world = World::modern();
    let tx = world.graph.begin();
    let since = [("since".into(), Value::Int(1997))];
    let place = |name: &str, meta: &[_]| {
        tx.set_vertex_property(world.v(1), graph::Cardinality::List, "place", name.into(), meta).unwrap()
    };
    place("santa fe", &since);
    place("brussels", &[]);
    tx.commit().unwrap();
    world
}

#[test]
fn values_come_one_by_one_in_the_order_of_their_keys() {
    let world = travelled();
    let values = |names: &[&str], ids: &[i64]| {
        world.run(properties(&world, names, PropertyForm::Values), vec![world.vertices(ids)]).texts()
    };
    assert_eq!(values(&["name"], &[1, 2]), ["marko", "vadas"]);
    assert_eq!(values(&["age", "name"], &[2, 3]), ["27", "vadas", "lop"]);
    assert_eq!(values(&["place"], &[1, 2]), ["santa fe", "brussels"]);
    assert_eq!(values(&[], &[2]), ["vadas", "27"]);
    assert!(values(&["unknown"], &[1]).is_empty(), "an unknown key is not all keys");
    let weights = properties(&world, &["weight"], PropertyForm::Values);
    assert_eq!(world.run(weights, vec![world.edges(&[7, 12])]).texts(), ["0.5", "0.2"]);
}

#[test]
fn properties_know_their_ids_their_owners_and_their_meta_properties() {
    let world = travelled();
    let found = world
        .run(properties(&world, &["place"], PropertyForm::Properties), vec![world.vertices(&[1])])
        .values();
    let [Value::VertexProperty(first), Value::VertexProperty(second)] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!((first.value.clone(), first.owner), ("santa fe".into(), Some(world.v(1))));
    assert_ne!(first.id, second.id);
    assert_eq!(first.vertex, Some((1i64.into(), "person".into())));
    let meta =
        world.run(properties(&world, &[], PropertyForm::Properties), vec![world.values(&found)]).values();
    let [Value::Property(since)] = &meta[..] else { panic!("{meta:?}") };
    assert_eq!((since.key.as_str(), &since.value), ("since", &Value::Int(1997)));
    assert_eq!(since.owner, Some(found[0].clone()));
    let of_edge =
        world.run(properties(&world, &[], PropertyForm::Properties), vec![world.edges(&[7])]).values();
    assert!(matches!(&of_edge[0], Value::Property(p) if p.owner == Some(world.e(7).into())));
}

#[test]
fn maps_of_values_have_lists_for_vertices_and_plain_values_otherwise() {
    let world = travelled();
    let map = |form: PropertyForm, names: &[&str]| {
        world.run(properties(&world, names, form), vec![world.vertices(&[1])]).texts().remove(0)
    };
    let plain = PropertyForm::ValueMap { tokens: Tokens::NONE, unfold: false };
    assert_eq!(map(plain.clone(), &[]), "{name=[marko], age=[29], place=[santa fe, brussels]}");
    assert_eq!(map(plain.clone(), &["age"]), "{age=[29]}");
    let tokens = PropertyForm::ValueMap { tokens: Tokens::ALL, unfold: true };
    assert_eq!(map(tokens, &["place"]), "{id=1, label=person, place=santa fe}");
    assert_eq!(map(PropertyForm::PropertyMap, &["age"]), "{age=[vp[age->29]]}");
    assert_eq!(
        world.run(properties(&world, &[], plain), vec![world.edges(&[7])]).texts(),
        ["{weight=0.5}"],
        "an edge has one value per key"
    );
}

#[test]
fn element_maps_tell_an_element_whole() {
    let world = travelled();
    let element_map = || properties(&world, &[], PropertyForm::ElementMap);
    assert_eq!(
        world.run(element_map(), vec![world.vertices(&[2])]).texts(),
        ["{id=2, label=person, name=vadas, age=27}"]
    );
    assert_eq!(
        world.run(element_map(), vec![world.edges(&[7])]).texts(),
        ["{id=7, label=knows, IN={id=2, label=person}, OUT={id=1, label=person}, weight=0.5}"]
    );
    let places = world
        .run(properties(&world, &["place"], PropertyForm::Properties), vec![world.vertices(&[1])])
        .values();
    let map = world.run(element_map(), vec![world.values(&places[..1])]).texts().remove(0);
    assert!(map.contains("key=place, value=santa fe, since=1997"), "{map}");
}

#[test]
fn what_is_no_element_has_no_properties() {
    let world = World::modern();
    let outcome =
        world.try_run(properties(&world, &["name"], PropertyForm::Values), vec![world.values(&[1])]);
    assert!(outcome.err().unwrap().to_string().contains("needs a vertex, an edge or a vertex property"));
}

#[test]
fn a_fetch_fills_a_slot_with_what_there_is() {
    let world = World::modern();
    let catalog = world.graph.snapshot().catalog().clone();
    let fetch = |from, what| OpKind::Fetch(op::Fetch { from, what, into: Slot(1) });
    let slot = |kind, input| -> Vec<Option<Value>> {
        world.run(kind, vec![input]).rows().into_iter().map(|row| row.slots[1].clone()).collect()
    };
    let age = || FetchKind::Property("age".into(), catalog.key("age"));
    assert_eq!(slot(fetch(By::Current, age()), world.vertices(&[1, 3])), [Some(29.into()), None]);
    let unknown = FetchKind::Property("unknown".into(), None);
    assert_eq!(slot(fetch(By::Current, unknown), world.vertices(&[1])), [None]);
    assert_eq!(
        slot(fetch(By::Current, FetchKind::Token(T::Id)), world.vertices(&[1, 3])),
        [Some(1i64.into()), Some(3i64.into())]
    );
    assert_eq!(
        slot(fetch(By::Current, FetchKind::Token(T::Label)), world.edges(&[7])),
        [Some("knows".into())]
    );
    let from_slot = slotted(world.values(&["x", "y"]), 0, vec![Some(world.v(2).into()), None]);
    assert_eq!(slot(fetch(By::Slot(Slot(0)), age()), from_slot), [Some(27.into()), None]);
    let map: values::Map = [("age".into(), Value::Int(3))].into_iter().collect();
    assert_eq!(slot(fetch(By::Current, age()), world.values(&[Value::from(map)])), [Some(3.into())]);
    let entry = world.values(&[Value::entry("k", 5)]);
    assert_eq!(slot(fetch(By::Current, FetchKind::Column(Part::Values)), entry), [Some(5.into())]);
}

#[test]
fn a_fetch_of_longs_gives_a_column_of_longs() {
    let world = World::modern();
    let tx = world.graph.begin();
    for id in [1, 2] {
        tx.set_vertex_property(world.v(id), graph::Cardinality::Single, "born", (id * 1000).into(), &[])
            .unwrap();
    }
    tx.commit().unwrap();
    let what = FetchKind::Property("born".into(), world.graph.snapshot().catalog().key("born"));
    let found = world.run(
        OpKind::Fetch(op::Fetch { from: By::Current, what, into: Slot(0) }),
        vec![world.vertices(&[1, 2])],
    );
    assert_eq!(found.batches[0].slots[0].as_deref(), Some(&Column::Longs(vec![1000, 2000])));
}
