//! A list of whose tree nodes are split and joined while it is read.

use std::sync::Arc;

use graph::{Dir, EdgeRef, Graph, GraphOptions, TreeBounds, Value, VertexRef};
use store::MemoryStore;

/// Edges that the hub has all the time.
const EDGES: usize = 120;

/// Replaces edges of the hub by others, at its end.
struct Changes<'g> {
    graph: &'g Graph,
    hub: VertexRef,
    leaf: VertexRef,
    there: Vec<EdgeRef>,
    state: u64,
}

impl Changes<'_> {
    fn one(&mut self) {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let gone = self.there.swap_remove((self.state >> 33) as usize % EDGES);
        let transaction = self.graph.begin();
        let edge = transaction.add_edge(None, "likes", self.hub, self.leaf).unwrap();
        transaction.set_edge_property(edge, "weight", Value::Int(1)).unwrap();
        transaction.drop_edge(gone).unwrap();
        transaction.commit().unwrap();
        self.there.push(edge);
    }
}

#[test]
fn each_edge_is_read_once_though_what_was_read_is_joined_with_what_is_next() {
    let tree = TreeBounds { min: 4, max: 8, fan_out: 4 };
    let options = GraphOptions { tree, merge_versions: 3, keeper: false, ..GraphOptions::default() };
    let graph = Graph::open(Arc::new(MemoryStore::new()), options).unwrap();
    let transaction = graph.begin();
    let hub = transaction.add_vertex(None, "hub").unwrap();
    let leaf = transaction.add_vertex(None, "leaf").unwrap();
    let there = (0..EDGES).map(|_| transaction.add_edge(None, "likes", hub, leaf).unwrap()).collect();
    transaction.commit().unwrap();
    let mut changes = Changes { graph: &graph, hub, leaf, there, state: 0x5eed };
    for round in 0..300 {
        let snapshot = graph.snapshot();
        let reader = snapshot.reader();
        let list = reader.list(hub, snapshot.catalog().edge_label("likes").unwrap(), Dir::Out);
        let (expected, mut read): (Vec<EdgeRef>, Vec<EdgeRef>) = (list.edges().collect(), Vec::new());
        assert_eq!(expected.len(), EDGES);
        for run in list.runs() {
            assert_eq!((run.first(), run.total()), (read.len(), EDGES), "round {round}");
            read.extend((0..run.neighbours().len()).map(|i| run.edge(i)));
            assert_eq!(run.end(), read.len(), "round {round}");
            changes.one();
        }
        assert_eq!(read, expected, "round {round}");
    }
}
