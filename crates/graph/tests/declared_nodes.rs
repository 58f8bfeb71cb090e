//! How large the nodes of edge-trees get, where the schema says so.

use std::sync::Arc;

use graph::{
    BulkColumn, Dir, EdgeRef, Graph, GraphError, GraphOptions, NodeBounds, SchemaError, SecondaryOptions,
    VertexRef,
};
use store::{MemoryStore, Store};

fn open(store: &Arc<dyn Store>) -> Graph {
    let secondary = SecondaryOptions { builders: 0, ..SecondaryOptions::default() };
    Graph::open(Arc::clone(store), GraphOptions { secondary, merge_versions: 8, ..GraphOptions::default() })
        .unwrap()
}

fn memory() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

fn declare(graph: &Graph, nodes: Option<NodeBounds>) -> Result<u64, GraphError> {
    graph.change_schema(|schema| {
        schema.edges.entry("rates".into()).or_default().nodes = nodes;
        Ok(())
    })
}

fn hub(graph: &Graph) -> VertexRef {
    let transaction = graph.begin();
    let hub = transaction.add_vertex(None, "film").unwrap();
    transaction.commit().unwrap();
    hub
}

/// Adds edges of two labels to a hub, of one of which nothing is declared; those of the other.
fn add(graph: &Graph, hub: VertexRef, edges: usize) -> Vec<EdgeRef> {
    let mut added = Vec::new();
    while added.len() < edges {
        let transaction = graph.begin();
        for _ in 0..100.min(edges - added.len()) {
            added.push(transaction.add_edge(None, "rates", hub, hub).unwrap());
            transaction.add_edge(None, "likes", hub, hub).unwrap();
        }
        transaction.commit().unwrap();
    }
    added
}

/// The lengths of the runs of a list.
fn runs(graph: &Graph, label: &str, hub: VertexRef) -> Vec<usize> {
    let snapshot = graph.snapshot();
    let reader = snapshot.reader();
    let label = snapshot.catalog().edge_label(label).unwrap();
    reader.list(hub, label, Dir::Out).runs().map(|run| run.neighbours().len()).collect()
}

fn node_edges(graph: &Graph) -> usize {
    graph.stats().tree_use.into_iter().find(|(label, _)| label.as_str() == "rates").unwrap().1.node_edges
}

#[test]
fn nodes_are_as_large_as_declared_also_after_a_restart_and_other_labels_as_configured() {
    let store = memory();
    let graph = open(&store);
    declare(&graph, Some(NodeBounds { min: 20, max: 50 })).unwrap();
    let film = hub(&graph);
    add(&graph, film, 120);
    assert_eq!((runs(&graph, "rates", film), runs(&graph, "likes", film)), (vec![50, 50, 20], vec![120]));
    drop(graph);
    // Once from the log, once from the checkpoint.
    for _ in 0..2 {
        let graph = open(&store);
        let nodes = graph.schema().edges["rates"].nodes;
        assert_eq!((nodes, node_edges(&graph)), (Some(NodeBounds { min: 20, max: 50 }), 50));
        assert_eq!((runs(&graph, "rates", film), runs(&graph, "likes", film)), (vec![50, 50, 20], vec![120]));
        let other = hub(&graph);
        add(&graph, other, 51);
        assert_eq!(runs(&graph, "rates", other), [50, 1]);
        graph.flush().unwrap();
    }
}

#[test]
fn other_bounds_are_in_force_for_what_changes_from_then_on_and_rewrite_nothing() {
    let graph = open(&memory());
    declare(&graph, Some(NodeBounds::up_to(100))).unwrap();
    let film = hub(&graph);
    let edges = add(&graph, film, 220);
    assert_eq!(runs(&graph, "rates", film), [100, 100, 20]);
    declare(&graph, Some(NodeBounds::up_to(30))).unwrap();
    assert_eq!(runs(&graph, "rates", film), [100, 100, 20], "what is there stays");
    add(&graph, film, 40);
    assert_eq!(runs(&graph, "rates", film), [100, 100, 30, 30]);
    declare(&graph, None).unwrap();
    assert_eq!(node_edges(&graph), 2_000);
    add(&graph, film, 100);
    assert_eq!(runs(&graph, "rates", film), [100, 100, 30, 130]);
    // By the bounds as configured it would go back from 1,000 on; by these it goes at 200.
    declare(&graph, Some(NodeBounds::up_to(400))).unwrap();
    let drop_some = |edges: &[EdgeRef]| {
        let transaction = graph.begin();
        edges.iter().for_each(|e| transaction.drop_edge(*e).unwrap());
        transaction.commit().unwrap();
        graph.flush().unwrap();
    };
    drop_some(&edges[..159]);
    assert!(runs(&graph, "rates", film).len() > 1, "201 are left");
    drop_some(&edges[159..160]);
    assert_eq!(runs(&graph, "rates", film), [200]);
}

#[test]
fn nodes_whose_size_is_declared_do_not_follow_their_use() {
    let graph = open(&memory());
    declare(&graph, Some(NodeBounds::up_to(100))).unwrap();
    let film = hub(&graph);
    add(&graph, film, 500);
    for _ in 0..4 {
        (0..400).for_each(|_| drop(runs(&graph, "rates", film)));
        graph.adapt_secondary_trees().unwrap();
    }
    assert_eq!(node_edges(&graph), 100);
    declare(&graph, None).unwrap();
    assert_eq!(node_edges(&graph), 8_000, "it was read all the while");
}

#[test]
fn a_bulk_load_keeps_to_what_is_declared() {
    let graph = open(&memory());
    declare(&graph, Some(NodeBounds::up_to(64))).unwrap();
    let mut bulk = graph.bulk_load().unwrap();
    let all = bulk.vertices_without_columns("film", 2).unwrap();
    let column: Vec<BulkColumn> = Vec::new();
    bulk.edges("rates", &[all[0]; 130], &[all[1]; 130], None, column).unwrap();
    bulk.finish(&|_| {}).unwrap();
    assert_eq!(runs(&graph, "rates", all[0]), [64, 64, 2]);
}

#[test]
fn bounds_that_nodes_cannot_keep_are_refused_and_say_what_is_possible() {
    let graph = open(&memory());
    let refused = |nodes| match declare(&graph, Some(nodes)) {
        Err(GraphError::Schema(error)) if matches!(*error, SchemaError::BadDescription { .. }) => {
            error.to_string()
        }
        other => panic!("{other:?}"),
    };
    let text = refused(NodeBounds::up_to(15));
    assert_eq!(text, "edges.rates.nodes: an edge node may hold from 16 to 65536 edges, not 15");
    assert_eq!(
        refused(NodeBounds::up_to((1 << 16) + 1)),
        "edges.rates.nodes: an edge node may hold from 16 to 65536 edges, not 65537"
    );
    assert_eq!(
        refused(NodeBounds { min: 51, max: 100 }),
        "edges.rates.nodes: edge nodes of up to 100 edges may be merged below 0 to 50, not 51"
    );
    assert!(graph.schema().edges.is_empty());
    declare(&graph, Some(NodeBounds { min: 0, max: 16 })).unwrap();
    declare(&graph, Some(NodeBounds::up_to(1 << 16))).unwrap();
}
