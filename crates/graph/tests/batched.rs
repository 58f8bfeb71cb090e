//! Reads of many vertices at once say what reads of one vertex say.

use std::sync::Arc;

use fastrand::Rng;
use graph::{
    DegreeCache, Dir, EdgeLabelId, Ends, Graph, GraphOptions, KeyId, Reader, Single, TreeBounds, Value,
    VertexRef,
};
use store::MemoryStore;

/// Two labels, so two stripes.
const LABELS: [&str; 2] = ["person", "film"];

/// A graph of two stripes whose lists are of all kinds: packed, changed since, empty, in trees.
fn build(rng: &mut Rng) -> (Graph, Vec<VertexRef>) {
    let options =
        GraphOptions { tree: TreeBounds { min: 8, max: 16, fan_out: 4 }, ..GraphOptions::default() };
    let graph = Graph::open(Arc::new(MemoryStore::new()), options).unwrap();
    let mut vertices = Vec::new();
    let transaction = graph.begin();
    for n in 0..400 {
        let v = transaction.add_vertex(None, LABELS[n % 2]).unwrap();
        transaction.set_vertex_property(v, None, "age", Value::Long(n as i64), &[]).unwrap();
        vertices.push(v);
    }
    transaction.commit().unwrap();
    for _ in 0..6 {
        change(&graph, &vertices, rng);
        graph.flush().unwrap();
    }
    (graph, vertices)
}

/// Adds and drops edges, and changes values.
fn change(graph: &Graph, vertices: &[VertexRef], rng: &mut Rng) {
    let transaction = graph.begin();
    for _ in 0..300 {
        // One in ten leaves a hub.
        let from = if rng.u8(..10) == 0 { vertices[0] } else { *rng.choice(vertices).unwrap() };
        transaction.add_edge(None, "knows", from, *rng.choice(vertices).unwrap()).unwrap();
    }
    for _ in 0..5 {
        let v = *rng.choice(vertices).unwrap();
        transaction.set_vertex_property(v, None, "age", Value::Long(rng.i64(..)), &[]).unwrap();
    }
    transaction.commit().unwrap();
}

fn expected_sum(reader: &Reader<'_>, knows: EdgeLabelId, dir: Dir, vertices: &[VertexRef]) -> u64 {
    vertices.iter().map(|&v| reader.list(v, knows, dir).neighbours().count() as u64).sum()
}

/// Some vertices, often of one label, with repetitions.
fn some(vertices: &[VertexRef], rng: &mut Rng) -> Vec<VertexRef> {
    let (len, parity, mixed) = (rng.usize(..60), rng.usize(..2), rng.u8(..4) == 0);
    let any = |rng: &mut Rng| rng.usize(..vertices.len());
    (0..len).map(|_| any(rng)).map(|n| vertices[if mixed { n } else { n / 2 * 2 + parity }]).collect()
}

fn compare(reader: &Reader<'_>, tables: &mut [DegreeCache; 2], vertices: &[VertexRef], rng: &mut Rng) {
    let catalog = reader.snapshot().catalog().clone();
    let (knows, age) = (catalog.edge_label("knows").unwrap(), catalog.key("age").unwrap());
    for (dir, table) in [Dir::Out, Dir::In].into_iter().zip(tables) {
        let (mut degrees, mut lists) = (reader.degrees(knows, dir), reader.lists(knows, dir));
        if rng.bool() {
            degrees.expect_many_near(vertices[0]);
            lists.expect_many_near(vertices[1]);
        }
        // Enough for tables of both stripes, which take some thousand lookups each.
        for _ in 0..450 {
            let some = some(vertices, rng);
            let expected = expected_sum(reader, knows, dir, &some);
            assert_eq!(degrees.sum(&some), expected);
            assert_eq!(degrees.sum_with(table, some[..].into()), expected);
            for pair in some.windows(2) {
                lists.expect(pair[1]);
                let Some(packed) = lists.packed(pair[0]) else { continue };
                assert_eq!(packed.list, reader.list(pair[0], knows, dir).neighbours().collect::<Vec<_>>());
                let stripe = Ends::from(packed.list).stripe();
                assert!(packed.list.is_empty() || packed.stripe() == stripe, "{packed:?}");
            }
        }
    }
    compare_longs(reader, age, vertices, rng);
}

fn compare_longs(reader: &Reader<'_>, age: KeyId, vertices: &[VertexRef], rng: &mut Rng) {
    let mut column = reader.property_column(age);
    if rng.bool() {
        column.expect_many_near(vertices[rng.usize(..2)]);
    }
    let value = |v: VertexRef| reader.value(v, age).and_then(|value| value.as_i64()).unwrap();
    for _ in 0..40 {
        let some = some(vertices, rng);
        for &v in &some {
            assert!(column.long(v).is_none_or(|long| long == value(v)));
            let Single::Value(found) = column.get(v) else { panic!("{v:?} has an age") };
            assert_eq!(found.as_i64(), Some(value(v)));
        }
    }
}

#[test]
fn they_agree_at_every_snapshot_and_in_transactions() {
    for seed in 0..8 {
        let mut rng = Rng::with_seed(seed);
        let (graph, vertices) = build(&mut rng);
        let mut tables = <[DegreeCache; 2]>::default();
        let before = graph.snapshot();
        compare(&before.reader(), &mut tables, &vertices, &mut rng);
        assert!(
            tables.iter().all(|table| table.bytes() > 2 * 2 * 65_536),
            "seed {seed}: degrees were not remembered"
        );
        change(&graph, &vertices, &mut rng);
        compare(&before.reader(), &mut tables, &vertices, &mut rng);
        // What was remembered for one snapshot must not be told of the next.
        let after = graph.snapshot();
        compare(&after.reader(), &mut tables, &vertices, &mut rng);
        let transaction = graph.begin();
        transaction.add_edge(None, "knows", vertices[3], vertices[4]).unwrap();
        let own = transaction.snapshot();
        compare(&own.reader(), &mut tables, &vertices, &mut rng);
    }
}

#[test]
fn degrees_beyond_what_a_table_holds_are_asked_of_the_lists() {
    let graph = Graph::open(Arc::new(MemoryStore::new()), GraphOptions::default()).unwrap();
    let transaction = graph.begin();
    let fans: Vec<VertexRef> = (0..300).map(|_| transaction.add_vertex(None, LABELS[0]).unwrap()).collect();
    let degrees = [65_534, 65_535, 65_536, 5, 0];
    let hubs = degrees.map(|degree| {
        let hub = transaction.add_vertex(None, LABELS[0]).unwrap();
        for n in 0..degree {
            transaction.add_edge(None, "knows", hub, fans[n % fans.len()]).unwrap();
        }
        hub
    });
    transaction.commit().unwrap();
    graph.flush().unwrap();
    let snapshot = graph.snapshot();
    let reader = snapshot.reader();
    let (knows, mut table) = (snapshot.catalog().edge_label("knows").unwrap(), DegreeCache::default());
    let mut out = reader.degrees(knows, Dir::Out);
    for round in 0..2_000 {
        assert_eq!(
            out.sum_with(&mut table, hubs[..].into()),
            degrees.iter().sum::<usize>() as u64,
            "{round}"
        );
    }
    assert!(table.bytes() > 2 * 65_536, "degrees were not remembered");
    for (hub, degree) in hubs.into_iter().zip(degrees) {
        assert_eq!(out.sum_with(&mut table, [hub][..].into()), degree as u64);
    }
}
