//! The nodes of edge-trees follow what their label is used for.

use std::sync::Arc;

use graph::{Dir, Graph, GraphOptions, SecondaryOptions, TreeUse, Value, VertexRef};
use store::MemoryStore;

fn open() -> Graph {
    let secondary = SecondaryOptions { builders: 0, ..SecondaryOptions::default() };
    let options = GraphOptions { secondary, merge_versions: 8, ..GraphOptions::default() };
    let graph = Graph::open(Arc::new(MemoryStore::new()), options).unwrap();
    let declared = graph.change_schema(|schema| {
        schema.edges.entry("rates".into()).or_default().sort_key = Some("stars".into());
        Ok(())
    });
    declared.unwrap();
    graph
}

/// Adds edges to a hub in transactions of a hundred; what they are sorted by comes in no order, or ascends.
fn add(graph: &Graph, hub: VertexRef, numbers: std::ops::Range<i64>, ascending: bool) {
    for first in numbers.clone().step_by(100) {
        let transaction = graph.begin();
        for n in first..numbers.end.min(first + 100) {
            let stars = if ascending { n } else { n * 7_919 % 1_000_003 };
            let e = transaction.add_edge(None, "rates", hub, hub).unwrap();
            transaction.set_edge_property(e, "stars", Value::Long(stars)).unwrap();
        }
        transaction.commit().unwrap();
    }
}

fn hub(graph: &Graph) -> VertexRef {
    let transaction = graph.begin();
    let hub = transaction.add_vertex(None, "film").unwrap();
    transaction.commit().unwrap();
    hub
}

fn used(graph: &Graph) -> TreeUse {
    graph.stats().tree_use.into_iter().find(|(label, _)| label.as_str() == "rates").unwrap().1
}

/// The lengths of the runs of a list, which must be in order.
fn runs(graph: &Graph, hub: VertexRef) -> Vec<usize> {
    let snapshot = graph.snapshot();
    let (reader, catalog) = (snapshot.reader(), snapshot.catalog());
    let (rates, stars) = (catalog.edge_label("rates").unwrap(), catalog.key("stars").unwrap());
    let mut last = i64::MIN;
    let mut lengths = Vec::new();
    for run in reader.list(hub, rates, Dir::Out).runs() {
        for i in 0..run.neighbours().len() {
            let value = run.value(i, stars).and_then(|value| value.as_i64()).unwrap();
            assert!(last <= value);
            last = value;
        }
        lengths.push(run.neighbours().len());
    }
    lengths
}

#[test]
fn nodes_shrink_where_lists_are_changed_in_their_midst_and_grow_where_they_are_read() {
    let graph = open();
    let film = hub(&graph);
    add(&graph, film, 0..4_000, false);
    assert_eq!(used(&graph).node_edges, 2_000);
    graph.adapt_secondary_trees().unwrap();
    assert_eq!(used(&graph).node_edges, 1_000, "{:?}", used(&graph));
    add(&graph, film, 4_000..12_000, false);
    let small = runs(&graph, film);
    assert!(small.iter().all(|&edges| edges <= 1_000), "{small:?}");
    assert_eq!(small.iter().sum::<usize>(), 12_000);
    graph.adapt_secondary_trees().unwrap();
    for _ in 0..4 {
        let before = used(&graph);
        while used(&graph).nodes_read < before.nodes_read + 1_500 {
            runs(&graph, film);
        }
        graph.adapt_secondary_trees().unwrap();
    }
    assert_eq!(used(&graph).node_edges, 8_000);
    let read = used(&graph);
    assert!(read.nodes_read / read.lists >= 10, "the read amplification of whole lists: {read:?}");
    let other = hub(&graph);
    add(&graph, other, 0..20_000, true);
    assert!(*runs(&graph, other).iter().max().unwrap() > 4_000, "{:?}", runs(&graph, other));
}

#[test]
fn a_list_that_grows_at_its_end_leaves_nodes_as_large_as_they_were() {
    let graph = open();
    let film = hub(&graph);
    add(&graph, film, 0..10_000, true);
    graph.adapt_secondary_trees().unwrap();
    let used = used(&graph);
    assert_eq!((used.node_edges, used.nodes_changed), (2_000, 0));
}
