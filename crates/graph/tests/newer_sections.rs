//! A flush that ends before its checkpoint leaves sections that have more than it names: the log is replayed from the checkpoint
//! before, under the definitions of that time, on sections of a later one.

mod failing;
mod stored;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use failing::Failing;
use graph::{
    Cardinality, Dir, EdgeKeyDescription, EdgeRef, Graph, GraphOptions, IndexDescription, IndexKind,
    NodeBounds, SecondaryOptions, TreeBounds, Value, ValueType, VertexKeyDescription, VertexRef,
};
use store::{MemoryStore, Store};
use stored::{filled, pairs};

const TREE: TreeBounds = TreeBounds { min: 4, max: 8, fan_out: 4 };

fn memory() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

fn open(store: &Arc<dyn Store>, tree: TreeBounds) -> Graph {
    Graph::open(Arc::clone(store), options(tree)).unwrap()
}

fn options(tree: TreeBounds) -> GraphOptions {
    let secondary = SecondaryOptions { builders: 0, ..SecondaryOptions::default() };
    GraphOptions { secondary, tree, ..GraphOptions::default() }
}

/// Flushes; a store that has the sections then, and everything else as it was before.
fn flushed_without_checkpoint(graph: Graph, store: &Arc<dyn Store>) -> Arc<dyn Store> {
    let before = pairs(store);
    graph.flush().unwrap();
    drop(graph);
    let sections = pairs(store).into_iter().filter(|(keyspace, ..)| keyspace == "sections");
    filled(&before.into_iter().chain(sections).collect::<Vec<_>>())
}

fn vertex(graph: &Graph) -> VertexRef {
    let transaction = graph.begin();
    let v = transaction.add_vertex(None, "film").unwrap();
    transaction.commit().unwrap();
    v
}

/// So many loops.
fn add(graph: &Graph, v: VertexRef, edges: usize) -> Vec<EdgeRef> {
    let transaction = graph.begin();
    let added = (0..edges).map(|_| transaction.add_edge(None, "rates", v, v).unwrap()).collect();
    transaction.commit().unwrap();
    added
}

/// The lengths of the runs of a list.
fn runs(graph: &Graph, v: VertexRef) -> Vec<usize> {
    let snapshot = graph.snapshot();
    let label = snapshot.catalog().edge_label("rates").unwrap();
    snapshot.reader().list(v, label, Dir::Out).runs().map(|run| run.neighbours().len()).collect()
}

fn set(graph: &Graph, v: VertexRef, edges: &[EdgeRef], value: &Value) {
    let transaction = graph.begin();
    transaction.set_vertex_property(v, Cardinality::Single, "stars", value.clone(), &[]).unwrap();
    edges.iter().for_each(|e| transaction.set_edge_property(*e, "stars", value.clone()).unwrap());
    transaction.commit().unwrap();
}

/// The values of a vertex and of some edges, with their types.
fn values(graph: &Graph, v: VertexRef, edges: &[EdgeRef]) -> Vec<String> {
    let snapshot = graph.snapshot();
    let (reader, stars) = (snapshot.reader(), snapshot.catalog().key("stars").unwrap());
    let values = edges.iter().map(|e| reader.edge_value(*e, stars));
    values.chain([reader.value(v, stars)]).map(|value| format!("{value:?}")).collect()
}

#[test]
fn a_list_that_is_too_long_for_bounds_of_before_becomes_a_tree_that_is_found_again() {
    let declare = |graph: &Graph, max| {
        let declared = graph.change_schema(|schema| {
            schema.edges.entry("rates".into()).or_default().nodes = Some(NodeBounds::up_to(max));
            Ok(())
        });
        declared.unwrap();
    };
    let store = memory();
    let graph = open(&store, TREE);
    declare(&graph, 20);
    let film = vertex(&graph);
    let first = add(&graph, film, 5)[0];
    graph.flush().unwrap();
    add(&graph, film, 10);
    declare(&graph, 100);
    add(&graph, film, 45);
    assert_eq!(runs(&graph, film), [60]);
    let store = flushed_without_checkpoint(graph, &store);

    let graph = open(&store, TREE);
    assert!(runs(&graph, film).len() > 1, "it has a tree");
    graph.flush().unwrap();
    set(&graph, film, &[first], &Value::Long(5));
    graph.flush().unwrap();
    drop(graph);
    assert_eq!(values(&open(&store, TREE), film, &[first])[0], "Some(Long(5))");
}

#[test]
fn values_that_were_written_after_a_type_was_given_up_are_not_read_as_that_type() {
    let declare = |graph: &Graph, value_type| {
        let declared = graph.change_schema(|schema| {
            let key = VertexKeyDescription { value_type, ..VertexKeyDescription::default() };
            schema.vertices.entry("film".into()).or_default().keys.insert("stars".into(), key);
            let key = EdgeKeyDescription { value_type, required: false };
            schema.edges.entry("rates".into()).or_default().keys.insert("stars".into(), key);
            Ok(())
        });
        declared.unwrap();
    };
    // Once in a section, once in nodes of a tree.
    for tree in [TreeBounds::default(), TREE] {
        let store = memory();
        let graph = open(&store, tree);
        let film = vertex(&graph);
        let mut edges = add(&graph, film, 20);
        set(&graph, film, &edges, &Value::Int(1));
        graph.flush().unwrap();
        // Replaying this loads everything that is looked at, as the flush below leaves it.
        set(&graph, film, &edges, &Value::Int(2));
        declare(&graph, Some(ValueType::Double));
        assert_eq!(values(&graph, film, &edges), vec!["Some(Double(2.0))"; 21]);
        declare(&graph, None);
        edges.truncate(15);
        set(&graph, film, &edges, &Value::Int(3));
        let expected = values(&graph, film, &edges);
        assert_eq!(expected, vec!["Some(Int(3))"; 16]);
        let store = flushed_without_checkpoint(graph, &store);
        assert_eq!(values(&open(&store, tree), film, &edges), expected);
    }
}

/// A flush ended behind the first node of a list, in which nothing is left then. Replaying, the second one becomes small as
/// well, and only it has not got yet what comes after.
#[test]
fn a_node_that_is_ahead_of_the_log_is_not_joined_with_one_that_is_not() {
    for writes in 0.. {
        let inner = memory();
        let left = AtomicUsize::new(usize::MAX - 1);
        let failing = Arc::new(Failing { inner: Arc::clone(&inner), left, last_reaches_disk: false });
        let store: Arc<dyn Store> = Arc::clone(&failing) as _;
        let graph = Graph::open(store, GraphOptions { flush_batch_bytes: 1, ..options(TREE) }).unwrap();
        let film = vertex(&graph);
        let edges: Vec<EdgeRef> = (0..9).flat_map(|_| add(&graph, film, 1)).collect();
        assert_eq!(runs(&graph, film), [8, 1]);
        graph.flush().unwrap();
        // It would go back into its section otherwise.
        let _reader = graph.snapshot();
        let transaction = graph.begin();
        edges.iter().for_each(|e| transaction.drop_edge(*e).unwrap());
        transaction.commit().unwrap();
        add(&graph, film, 3);
        let expected = edges_of(&graph, film);
        assert_eq!(expected.len(), 3);
        failing.left.store(writes, Ordering::Relaxed);
        let is_whole = graph.flush().is_ok();
        drop(graph);
        let graph = open(&inner, TREE);
        assert_eq!(edges_of(&graph, film), expected, "after {writes} writes");
        graph.flush().unwrap();
        drop(graph);
        assert_eq!(graph::check(&inner, &mut |_| {}).unwrap(), [], "after {writes} writes");
        assert_eq!(edges_of(&open(&inner, TREE), film), expected, "after {writes} writes");
        if is_whole {
            assert!(writes > 4, "{writes} were enough");
            return;
        }
    }
}

fn edges_of(graph: &Graph, v: VertexRef) -> Vec<EdgeRef> {
    let snapshot = graph.snapshot();
    let label = snapshot.catalog().edge_label("rates").unwrap();
    snapshot.reader().list(v, label, Dir::Out).edges().collect()
}

#[test]
fn a_vertex_stays_in_a_range_index_over_two_keys_when_only_its_columns_are_newer() {
    let store = memory();
    let graph = open(&store, TREE);
    let keys = vec!["name".to_owned(), "age".to_owned()];
    let index = IndexDescription { label: "film".into(), keys, kind: IndexKind::Range };
    graph.declare_index(&index).unwrap();
    graph.await_index(&index).unwrap();
    let v = vertex(&graph);
    let transaction = graph.begin();
    transaction.set_vertex_property(v, Cardinality::Single, "name", "one".into(), &[]).unwrap();
    let age = transaction.set_vertex_property(v, Cardinality::Single, "age", Value::Int(7), &[]).unwrap();
    transaction.commit().unwrap();
    graph.flush().unwrap();
    let transaction = graph.begin();
    transaction.drop_vertex_property(age).unwrap();
    transaction.commit().unwrap();
    // Those of blocks are written first, and that was all.
    let before = pairs(&store);
    graph.flush().unwrap();
    drop(graph);
    let blocks =
        pairs(&store).into_iter().filter(|(keyspace, key, _)| keyspace == "sections" && key[0] == b'b');
    let store = filled(&before.into_iter().chain(blocks).collect::<Vec<_>>());
    // Who reads the index in its order would not find it under the value that it has lost.
    assert_eq!(graph::check(&store, &mut |_| {}).unwrap(), []);
}
