//! Edges are found by the ids that users gave them, whatever their hashes and however many their source has.

use std::collections::HashMap;
use std::sync::Arc;

use graph::{BulkColumn, BulkValues, EdgeRef, Graph, GraphError, GraphOptions, Value, VertexRef, index_hash};
use store::{MemoryStore, Store};

fn open(store: &Arc<dyn Store>) -> Graph {
    Graph::open(Arc::clone(store), GraphOptions::default()).unwrap()
}

fn memory() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

/// Two ids with one hash.
fn alike() -> [Value; 2] {
    let mut known: HashMap<u32, Value> = HashMap::new();
    for n in 0.. {
        let id = Value::str(format!("edge {n}"));
        if let Some(other) = known.insert(index_hash(&id), id.clone()) {
            return [other, id];
        }
    }
    unreachable!("there are more ids than hashes")
}

fn found(graph: &Graph, id: &Value) -> Option<EdgeRef> {
    graph.snapshot().reader().edge_by_id(id)
}

#[test]
fn of_two_edges_whose_ids_have_one_hash_each_is_found_when_the_other_is_gone() {
    let ids = alike();
    for dropped in [0, 1] {
        let (store, kept) = (memory(), 1 - dropped);
        let graph = open(&store);
        let transaction = graph.begin();
        let v = transaction.add_vertex(None, "v").unwrap();
        let edges = ids.clone().map(|id| transaction.add_edge(Some(id), "e", v, v).unwrap());
        let own = transaction.snapshot();
        assert_eq!(ids.clone().map(|id| own.reader().edge_by_id(&id)), edges.map(Some));
        drop(own);
        transaction.commit().unwrap();
        graph.flush().unwrap();
        let transaction = graph.begin();
        transaction.drop_edge(edges[dropped]).unwrap();
        let own = transaction.snapshot();
        assert_eq!(own.reader().edge_by_id(&ids[kept]), Some(edges[kept]));
        assert_eq!(own.reader().edge_by_id(&ids[dropped]), None);
        drop(own);
        transaction.commit().unwrap();
        let is_right = |graph: &Graph| {
            assert_eq!(found(graph, &ids[kept]), Some(edges[kept]));
            assert_eq!(found(graph, &ids[dropped]), None);
        };
        is_right(&graph);
        graph.flush().unwrap();
        is_right(&graph);
        drop(graph);
        is_right(&open(&store));
        assert_eq!(graph::check(&store, &mut |_| {}).unwrap(), []);
    }
}

/// A hub with edges to and from `count` others, whose ids are strings; half by arrival, half by a property that has nothing to
/// do with when they came.
fn hub(graph: &Graph, count: i64) -> VertexRef {
    graph
        .change_schema(|schema| {
            schema.edges.entry("sorted".into()).or_default().sort_key = Some("weight".into());
            Ok(())
        })
        .unwrap();
    let transaction = graph.begin();
    let hub = transaction.add_vertex(None, "hub").unwrap();
    for n in 0..count {
        let other = transaction.add_vertex(None, "other").unwrap();
        for label in ["arrived", "sorted"] {
            for (way, src, dst) in [("out", hub, other), ("in", other, hub)] {
                let id = Value::str(format!("{label} {way} {n}"));
                let e = transaction.add_edge(Some(id), label, src, dst).unwrap();
                transaction.set_edge_property(e, "weight", Value::Long(n * 7919 % count)).unwrap();
            }
        }
    }
    transaction.commit().unwrap();
    hub
}

#[test]
fn an_edge_of_a_hub_is_found_by_its_id_without_a_look_at_all_nodes() {
    const COUNT: i64 = 9_000;
    let store = memory();
    let graph = open(&store);
    let hub = hub(&graph, COUNT);
    let nodes_read = || -> u64 { graph.stats().tree_use.iter().map(|(_, tree)| tree.nodes_read).sum() };
    let (before, mut asked) = (nodes_read(), 0);
    for n in (0..COUNT).step_by(97) {
        for label in ["arrived", "sorted"] {
            for way in ["out", "in"] {
                let id = Value::str(format!("{label} {way} {n}"));
                let e = found(&graph, &id).unwrap();
                assert_eq!(if way == "out" { e.src } else { e.dst }, hub, "{id:?}");
                asked += 1;
            }
        }
    }
    let read = nodes_read() - before;
    assert!(read <= asked * 2, "{read} nodes for {asked} edges");
    let taken = graph.begin().add_edge(Some(Value::str("sorted out 17")), "e", hub, hub);
    assert!(matches!(taken, Err(GraphError::DuplicateEdgeId(_))), "{taken:?}");
}

#[test]
fn ids_of_a_load_that_have_one_hash_or_look_like_generated_ones_are_told_apart() {
    let [one, other] = alike();
    // An id that is taken twice; one that an edge without an id gets; or neither.
    for (ids, is_refused) in [
        ([one.clone(), other.clone(), Value::Long(-7)], false),
        ([one.clone(), other.clone(), one.clone()], true),
        ([one.clone(), other.clone(), Value::Long(0)], true),
    ] {
        let store = memory();
        let graph = open(&store);
        let mut bulk = graph.bulk_load().unwrap();
        let column = BulkColumn { key: "k".into(), values: BulkValues::Long(vec![Some(1); 2]) };
        let v = bulk.vertices("v", None, vec![column]).unwrap();
        // The generated id of the first edge of the first vertex is its number.
        let first = VertexRef(0);
        assert_eq!(v[0], first);
        bulk.edges("e", &[v[0]], &[v[1]], None, Vec::new()).unwrap();
        bulk.edges("e", &[v[1]; 3], &[v[0]; 3], Some(ids.to_vec()), Vec::new()).unwrap();
        let outcome = bulk.finish(&|_| {});
        if is_refused {
            assert!(matches!(outcome, Err(GraphError::DuplicateEdgeId(_))), "{outcome:?}");
            continue;
        }
        outcome.unwrap();
        let edges = ids.clone().map(|id| found(&graph, &id).unwrap());
        let transaction = graph.begin();
        transaction.drop_edge(edges[0]).unwrap();
        transaction.commit().unwrap();
        drop(graph);
        let graph = open(&store);
        assert_eq!(ids.clone().map(|id| found(&graph, &id)), [None, Some(edges[1]), Some(edges[2])]);
        drop(graph);
        assert_eq!(graph::check(&store, &mut |_| {}).unwrap(), []);
    }
}
