//! A sort key that is changed again while the packed lists are being sorted by the one before.

use std::sync::Arc;
use std::time::Duration;

use graph::{Dir, Graph, GraphOptions, SecondaryOptions, Snapshot, Value, VertexRef};
use store::MemoryStore;

/// Enough for a section in every tablet.
const VERTICES: usize = 640;
const EDGES: usize = 30;

fn sort_by(graph: &Graph, key: &str) {
    graph
        .change_schema(|schema| {
            schema.edges.entry("likes".into()).or_default().sort_key = Some(key.into());
            Ok(())
        })
        .unwrap();
}

/// Vertices with edges whose weights and prices are in different orders.
fn sources(graph: &Graph) -> Vec<VertexRef> {
    let transaction = graph.begin();
    let vertices: Vec<VertexRef> =
        (0..VERTICES).map(|_| transaction.add_vertex(None, "person").unwrap()).collect();
    for &v in &vertices {
        for (n, &to) in vertices.iter().take(EDGES).enumerate() {
            let e = transaction.add_edge(None, "likes", v, to).unwrap();
            transaction.set_edge_property(e, "weight", Value::Long((n * 7 % EDGES) as i64)).unwrap();
            transaction.set_edge_property(e, "price", Value::Long((n * 11 % EDGES) as i64)).unwrap();
        }
    }
    transaction.commit().unwrap();
    vertices
}

fn check_lists(snapshot: &Snapshot, vertices: &[VertexRef], by: &str) {
    let (catalog, reader) = (snapshot.catalog(), snapshot.reader());
    let (label, key) = (catalog.edge_label("likes").unwrap(), catalog.key(by).unwrap());
    for &v in vertices {
        let list = reader.list(v, label, Dir::Out);
        assert_eq!(list.sort_key(), Some(key), "{v:?} is not read by {by}");
        let values = list.runs().flat_map(|run| {
            let value = |i| run.value(i, key).and_then(|value| value.as_i64());
            (0..run.neighbours().len()).map(value).collect::<Vec<_>>()
        });
        assert_eq!(values.collect::<Vec<_>>(), (0..EDGES as i64).map(Some).collect::<Vec<_>>(), "by {by}");
    }
}

#[test]
fn a_section_that_was_being_sorted_is_read_by_the_newer_key() {
    let secondary = SecondaryOptions { builders: 1, ..SecondaryOptions::default() };
    let options = GraphOptions { secondary, keeper: false, ..GraphOptions::default() };
    let graph = Graph::open(Arc::new(MemoryStore::new()), options).unwrap();
    let vertices = sources(&graph);
    for round in 0..60 {
        sort_by(&graph, "weight");
        std::thread::sleep(Duration::from_micros(200 * (round % 20)));
        sort_by(&graph, "price");
        let snapshot = graph.snapshot();
        check_lists(&snapshot, &vertices, "price");
        std::thread::sleep(Duration::from_micros(100 * (round % 7)));
        check_lists(&snapshot, &vertices, "price");
    }
    graph.await_sorted_lists().unwrap();
    check_lists(&graph.snapshot(), &vertices, "price");
}
