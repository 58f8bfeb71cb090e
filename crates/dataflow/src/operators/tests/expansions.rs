//! `out` and its kin.

use std::sync::Arc;

use graph::{EdgeLabelId, Graph, GraphOptions};
use gremlin::PredicateOp;
use planner::physical::{
    EdgeEnd, EdgeLabels, ExpandTo, Hop, MapKeys, OpKind, Operand, Predicate, PropertyForm, Slot, Target,
    Test, op,
};
use values::{Direction, Value, VertexRef};

use super::world::{Row, World, bulked, op, slotted, tagged};
use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::operator::{Output, Step};
use crate::operators::chunk::with_chunks_of;
use crate::quota::MonotonicClock;
use crate::scope_memory::ScopeMemory;

fn out(labels: EdgeLabels) -> OpKind {
    expand(Direction::Out, labels, ExpandTo::Vertices, None, false)
}

fn expand(
    direction: Direction,
    labels: EdgeLabels,
    to: ExpandTo,
    edge_test: Option<Test>,
    distinct: bool,
) -> OpKind {
    OpKind::Expand(op::Expand {
        direction,
        labels,
        to,
        edge_test,
        end_test: None,
        fetch: Vec::new(),
        distinct,
        sorted: None,
        secondary: Vec::new(),
    })
}

fn label(world: &World, name: &str) -> EdgeLabels {
    EdgeLabels::Only(vec![world.graph.snapshot().catalog().edge_label(name).unwrap()])
}

fn heavier_than(world: &World, weight: f64) -> Test {
    let key = world.graph.snapshot().catalog().key("weight").unwrap();
    Test::Has(key, Predicate::Compare(PredicateOp::Gt, Operand::Const(weight.into())))
}

#[test]
fn what_came_of_the_rows_before_one_that_fails_leaves_first() {
    let world = World::modern();
    let keys = MapKeys {
        names: ["name"].iter().map(|name| (*name).into()).collect(),
        ids: world.graph.snapshot().catalog().key("name").into_iter().collect(),
        apart: false,
    };
    let kinds = [
        out(EdgeLabels::All),
        expand(Direction::Out, EdgeLabels::All, ExpandTo::Edges { from: None }, None, false),
        OpKind::Properties(op::Properties { keys, form: PropertyForm::Values }),
    ];
    let objects = [Value::VertexRef(world.v(1)), "no vertex".into(), Value::VertexRef(world.v(4))];
    for kind in kinds {
        let (query, op) = (world.query(), op(kind));
        let (memory, clock) = (ScopeMemory::default(), MonotonicClock::default());
        let cx = world.context(&query, &op, &memory, &clock);
        let mut operator = crate::operators::create(&op);
        let mut found = Output::default();
        let input = world.batch(Column::Values(objects.to_vec()), objects.len());
        assert_eq!(operator.step(Some(input), &cx, &mut found).unwrap(), Step::More, "{op:?}");
        assert!(!found.is_empty(), "{op:?}");
        let failed = operator.step(None, &cx, &mut found);
        assert!(matches!(failed, Err(QueryError::Step { .. })), "{op:?}");
    }
}

#[test]
fn neighbours_come_per_traverser_label_by_label() {
    let world = World::modern();
    assert_eq!(
        world.run(out(EdgeLabels::All), vec![world.vertices(&[1, 4])]).texts(),
        ["v[2]", "v[4]", "v[3]", "v[5]", "v[3]"]
    );
    assert_eq!(
        world.run(out(label(&world, "created")), vec![world.vertices(&[1, 6])]).texts(),
        ["v[3]", "v[3]"]
    );
    let both = expand(Direction::Both, EdgeLabels::All, ExpandTo::Vertices, None, false);
    assert_eq!(world.run(both, vec![world.vertices(&[4])]).sorted(), ["v[1]", "v[3]", "v[5]"]);
    assert!(world.run(out(EdgeLabels::Only(vec![])), vec![world.vertices(&[1])]).rows().is_empty());
}

#[test]
fn an_edge_test_is_applied_where_the_edge_lies() {
    let world = World::modern();
    let kind =
        expand(Direction::Out, EdgeLabels::All, ExpandTo::Vertices, Some(heavier_than(&world, 0.45)), false);
    assert_eq!(world.run(kind, vec![world.vertices(&[1, 4, 6])]).texts(), ["v[2]", "v[4]", "v[5]"]);
}

#[test]
fn ends_are_tested_where_they_are_met() {
    let world = World::modern();
    let key = |name: &str| world.graph.snapshot().catalog().key(name).unwrap();
    let has =
        |name: &str, op, value: Value| Test::Has(key(name), Predicate::Compare(op, Operand::Const(value)));
    let lop = has("name", PredicateOp::Eq, "lop".into());
    let old = has("age", PredicateOp::Gt, 28.into());
    let young = has("age", PredicateOp::Lt, Value::Long(30));
    let both = Test::And(vec![old.clone(), has("name", PredicateOp::Neq, "marko".into())]);
    let found = |end_test: Test, chunk: usize| {
        let kind = OpKind::Expand(op::Expand {
            direction: Direction::Both,
            labels: EdgeLabels::All,
            to: ExpandTo::Vertices,
            edge_test: None,
            end_test: Some(end_test.clone()),
            fetch: Vec::new(),
            distinct: false,
            sorted: None,
            secondary: Vec::new(),
        });
        let input = bulked(world.vertices(&[1, 4, 6]), &[2, 3, 5]);
        let found = with_chunks_of(chunk, || world.run(kind, vec![input.clone()]));
        // Where they are only counted, they are counted where they are met.
        let hop = Hop { direction: Direction::Both, labels: EdgeLabels::All };
        let kind = OpKind::BulkByEnds(op::BulkByEnds { hop, test: end_test });
        let counted = with_chunks_of(chunk, || world.run(kind, vec![input]));
        let total = |rows: Vec<Row>| rows.iter().map(|row| row.bulk).sum::<u64>();
        assert_eq!(total(counted.rows()), total(found.rows()));
        assert!(counted.rows().iter().all(|row| row.bulk > 0) && counted.rows().len() <= 3);
        found.rows().iter().map(|row| row.bulk).zip(found.texts()).collect::<Vec<_>>()
    };
    let of = |expected: &[(u64, &str)]| -> Vec<(u64, String)> {
        expected.iter().map(|(bulk, text)| (*bulk, (*text).to_owned())).collect()
    };
    for chunk in [1, 2, 64] {
        assert_eq!(found(lop.clone(), chunk), of(&[(2, "v[3]"), (3, "v[3]"), (5, "v[3]")]), "{chunk}");
        assert_eq!(found(old.clone(), chunk), of(&[(2, "v[4]"), (3, "v[1]")]), "{chunk}");
        assert_eq!(found(young.clone(), chunk), of(&[(2, "v[2]"), (3, "v[1]")]), "{chunk}");
        assert_eq!(found(both.clone(), chunk), of(&[(2, "v[4]")]), "{chunk}");
    }
}

#[test]
fn a_known_end_is_reached_as_often_as_there_are_edges_to_it() {
    let world = World::modern();
    let into = |direction, labels: EdgeLabels, target: Target, input: Batch, chunk| {
        let [merged, apart] = [false, true].map(|apart| {
            let hop = Hop { direction, labels: labels.clone() };
            let kind = OpKind::ExpandInto(op::ExpandInto { hop, target: target.clone(), apart });
            let reached = with_chunks_of(chunk, || world.run(kind, vec![input.clone()]));
            reached.rows().iter().map(|row| row.bulk).zip(reached.texts()).collect::<Vec<_>>()
        });
        // There is one edge at most between two vertices.
        assert_eq!(merged, apart);
        merged
    };
    let of = |bulks: &[u64], text: &str| -> Vec<(u64, String)> {
        bulks.iter().map(|bulk| (*bulk, text.to_owned())).collect()
    };
    let id = |id: i64| Target::Id(Operand::Const(id.into()));
    let all = || world.vertices(&[1, 2, 3, 4, 5, 6]);
    for chunk in [1, 2, 64] {
        let created = into(Direction::Out, label(&world, "created"), id(3), all(), chunk);
        assert_eq!(created, of(&[1, 1, 1], "v[3]"));
        let bulks = bulked(all(), &[2, 3, 4, 5, 6, 7]);
        let knows = into(Direction::Both, EdgeLabels::All, id(1), bulks, chunk);
        assert_eq!(knows, of(&[3, 4, 5], "v[1]"));
        assert!(into(Direction::Out, EdgeLabels::All, id(99), all(), chunk).is_empty());
        assert!(into(Direction::Out, EdgeLabels::Only(vec![]), id(3), all(), chunk).is_empty());
        // Of each row its own; what is no vertex, or not there, is reached from nowhere.
        let targets = vec![Some(world.v(2).into()), None, Some(1_i64.into()), Some(world.v(5).into())];
        let rows = slotted(world.vertices(&[1, 1, 4, 4]), 0, targets);
        let own = into(Direction::Out, EdgeLabels::All, Target::Slot(Slot(0)), rows, chunk);
        assert_eq!(own, [of(&[1], "v[2]"), of(&[1], "v[5]")].concat());
    }
}

#[test]
fn edges_remember_where_they_were_reached_from_and_bring_their_properties() {
    let world = World::modern();
    let weight = world.graph.snapshot().catalog().key("weight").unwrap();
    let kind = OpKind::Expand(op::Expand {
        direction: Direction::Both,
        labels: label(&world, "knows"),
        to: ExpandTo::Edges { from: Some(Slot(0)) },
        edge_test: None,
        end_test: None,
        fetch: vec![(weight, Slot(1))],
        distinct: false,
        sorted: None,
        secondary: Vec::new(),
    });
    let rows = world.run(kind, vec![world.vertices(&[1, 4])]).rows();
    let found: Vec<_> =
        rows.iter().map(|r| (r.value.clone().unwrap(), r.slots[0].clone(), r.slots[1].clone())).collect();
    let (marko, josh) = (Some(Value::from(world.v(1))), Some(Value::from(world.v(4))));
    assert_eq!(
        found,
        [
            (world.e(7).into(), marko.clone(), Some(0.5.into())),
            (world.e(8).into(), marko, Some(1.0.into())),
            (world.e(8).into(), josh, Some(1.0.into())),
        ]
    );
}

#[test]
fn distinct_expansion_leaves_out_what_its_tag_has_reached() {
    let distinct = || expand(Direction::Out, EdgeLabels::All, ExpandTo::Vertices, None, true);
    let world = World::modern();
    let input = bulked(world.vertices(&[1, 4, 6, 1]), &[2, 1, 1, 1]);
    let found = world.run(distinct(), vec![input]);
    assert_eq!(found.texts(), ["v[2]", "v[4]", "v[3]", "v[5]"]);
    assert!(found.rows().iter().all(|row| row.bulk == 1));
    let world = world.with_tags(2);
    let input = tagged(world.vertices(&[1, 4, 6, 1]), &[0, 0, 1, 1]);
    let found = world.run(distinct(), vec![input]);
    let pairs: Vec<(u32, String)> = found.rows().iter().map(|row| row.tag).zip(found.texts()).collect();
    let expected =
        [(0, "v[2]"), (0, "v[4]"), (0, "v[3]"), (0, "v[5]"), (1, "v[3]"), (1, "v[2]"), (1, "v[4]")];
    assert_eq!(pairs, expected.map(|(tag, text)| (tag, text.to_owned())));
}

#[test]
fn columns_follow_their_traversers() {
    let world = World::modern().with_tags(3).with_paths();
    let input = world.vertices(&[1, 2, 4]);
    let input = bulked(tagged(input, &[2, 0, 1]), &[3, 1, 5]);
    let input = slotted(input, 1, vec![Some("marko".into()), Some("vadas".into()), None]);
    for chunk in [1, 2, 64] {
        let found = with_chunks_of(chunk, || world.run(out(EdgeLabels::All), vec![input.clone()]));
        let rows = found.rows();
        assert_eq!(
            rows.iter().map(|r| (r.tag, r.bulk)).collect::<Vec<_>>(),
            [(2, 3), (2, 3), (2, 3), (1, 5), (1, 5)]
        );
        assert_eq!(rows[0].slots[1], Some("marko".into()));
        assert_eq!(rows[4].slots[1], None);
        assert_eq!(found.paths()[0], "path[v[1], v[2]]");
        assert_eq!(found.paths()[4], "path[v[4], v[3]]");
    }
}

#[test]
fn a_hub_is_emitted_in_pieces_that_start_small() {
    let (world, hub) = star(30_000);
    let input = || vec![world.batch(Column::Vertices(vec![hub]), 1)];
    let found = world.run(out(EdgeLabels::All), input());
    assert_eq!(found.batches.iter().map(|b| b.len).sum::<usize>(), 30_000);
    assert_eq!(found.batches[0].len, 64);
    assert!(found.batches.iter().all(|b| b.len <= Batch::TARGET_ROWS), "no piece is larger than a batch");
    let all: Vec<Value> = found.values();
    let uniform = found.batches.iter().all(|b| matches!(*b.current, Column::Vertices(_)) && b.bulk.is_none());
    assert!(uniform);
    let edges = world
        .run(expand(Direction::Out, EdgeLabels::All, ExpandTo::Edges { from: None }, None, false), input());
    let ends = edges.values().into_iter().map(|e| match e {
        Value::EdgeRef(e) => Value::from(e.dst),
        other => panic!("{other:?}"),
    });
    assert_eq!(ends.collect::<Vec<_>>(), all, "both ways of expanding keep the order of the list");
}

/// A vertex with edges to `n` others.
fn star(n: usize) -> (World, VertexRef) {
    let graph = Graph::open(Arc::new(store::MemoryStore::new()), GraphOptions::default()).unwrap();
    let mut load = graph.bulk_load().unwrap();
    let numbers = graph::BulkValues::Long((0..=n as i64).map(Some).collect());
    let column = graph::BulkColumn { key: "number".into(), values: numbers };
    let vertices = load.vertices("node", None, vec![column]).unwrap();
    load.edges("link", &vec![vertices[0]; n], &vertices[1..], None, Vec::new()).unwrap();
    load.finish(&|_| ()).unwrap();
    let hub = vertices[0];
    let mut world = World::empty();
    world.graph = graph;
    (world, hub)
}

#[test]
fn edges_lead_to_their_ends() {
    let world = World::modern();
    let end = |end, input: Batch| world.run(OpKind::EdgeVertex(end), vec![input]).texts();
    assert_eq!(end(EdgeEnd::Out, world.edges(&[7, 12])), ["v[1]", "v[6]"]);
    assert_eq!(end(EdgeEnd::In, world.edges(&[7, 12])), ["v[2]", "v[3]"]);
    assert_eq!(end(EdgeEnd::Both, world.edges(&[7, 12])), ["v[1]", "v[2]", "v[6]", "v[3]"]);
    let from = vec![Some(world.v(2).into()), Some(world.v(6).into())];
    assert_eq!(end(EdgeEnd::Other(Slot(0)), slotted(world.edges(&[7, 12]), 0, from)), ["v[1]", "v[3]"]);
    let error =
        world.try_run(OpKind::EdgeVertex(EdgeEnd::Other(Slot(0))), vec![world.edges(&[7])]).err().unwrap();
    assert!(error.to_string().contains("not reached from a vertex"), "{error}");
}

#[test]
fn degrees_replace_expansions_whose_ends_nobody_looks_at() {
    let world = World::modern();
    let (direction, labels) = (Direction::Out, EdgeLabels::All);
    let kind = OpKind::Degree(op::Degree { direction, labels: labels.clone(), into: None });
    assert_eq!(world.run(kind, vec![world.vertices(&[1, 2, 4])]).texts(), ["3", "0", "2"]);
    let kind = OpKind::Degree(op::Degree {
        direction,
        labels: EdgeLabels::Only(vec![EdgeLabelId(9)]),
        into: Some(Slot(3)),
    });
    let rows = world.run(kind, vec![world.vertices(&[1])]).rows();
    assert_eq!(
        (rows[0].value.clone(), rows[0].slots[3].clone()),
        (Some(world.v(1).into()), Some(0i64.into()))
    );
    let kind = OpKind::BulkByDegree(op::BulkByDegree { direction, labels });
    let rows = world.run(kind, vec![bulked(world.vertices(&[1, 2, 4]), &[2, 5, 3])]).rows();
    assert_eq!(rows.iter().map(|r| r.bulk).collect::<Vec<_>>(), [6, 6]);
}

#[test]
fn walks_of_two_steps_are_counted_along_the_lists() {
    let world = World::modern();
    let hop = |direction, labels| Hop { direction, labels };
    let then = || EdgeLabels::Only(vec![EdgeLabelId(0), EdgeLabelId(1)]);
    let kind = OpKind::BulkByWalks(op::BulkByWalks {
        first: hop(Direction::Both, EdgeLabels::All),
        then: hop(Direction::Both, then()),
    });
    let expected = [7, 3, 7, 7, 3, 3];
    for chunk in [1, 3, 6] {
        let all = [1, 2, 3, 4, 5, 6];
        let batches = all.chunks(chunk).map(|ids| bulked(world.vertices(ids), &vec![2; ids.len()])).collect();
        let found: Vec<u64> = world.run(kind.clone(), batches).rows().iter().map(|r| r.bulk).collect();
        assert_eq!(found, expected.map(|walks| walks * 2), "{chunk}");
    }
    let nowhere = EdgeLabels::Only(vec![]);
    let kind = OpKind::BulkByWalks(op::BulkByWalks {
        first: hop(Direction::Out, nowhere),
        then: hop(Direction::Out, then()),
    });
    assert!(world.run(kind, vec![world.vertices(&[1, 2])]).rows().is_empty());
}

#[test]
fn an_expansion_from_something_else_than_a_vertex_says_so() {
    let world = World::modern();
    let error = world.try_run(out(EdgeLabels::All), vec![world.values(&[7])]).err().unwrap();
    assert_eq!(
        error.to_string(),
        "step test: needs a vertex, but the traverser is at a value of type Integer"
    );
    let detached = world.values(&[Value::from(values::Vertex::reference(6i64, "person"))]);
    assert_eq!(
        world.run(out(EdgeLabels::All), vec![detached]).texts(),
        ["v[3]"],
        "a detached vertex is found again"
    );
}

#[test]
fn a_reset_operator_serves_another_instance() {
    let world = World::modern();
    let op = op(expand(Direction::Out, EdgeLabels::All, ExpandTo::Vertices, None, true));
    let (query, memory) = (world.query(), crate::scope_memory::ScopeMemory::default());
    let mut operator = crate::operators::create(&op);
    for _ in 0..3 {
        let found =
            world.drive(operator.as_mut(), &query, &op, &memory, vec![world.vertices(&[1, 4])]).unwrap();
        assert_eq!(found.rows().len(), 4);
        assert!(query.memory.used() > 0);
        operator.reset();
        assert_eq!(query.memory.used(), 0, "a reset gives memory back");
    }
}
