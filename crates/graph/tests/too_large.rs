//! Transactions whose record the store would not take: they are refused, and nobody else loses by it.

use std::sync::Arc;

use graph::{Cardinality, Graph, GraphError, GraphOptions, Transaction, Value, VertexRef};
use store::{SimulatedDisk, SimulatedFaults, StoreError, StoreLimits};

fn open(limits: StoreLimits, options: GraphOptions) -> Graph {
    let disk = SimulatedDisk::new(1, SimulatedFaults::NONE);
    Graph::open(Arc::new(disk.mount(limits)), GraphOptions { keeper: false, ..options }).unwrap()
}

fn commit(
    graph: &Graph,
    write: impl FnOnce(&Transaction) -> Result<(), GraphError>,
) -> Result<(), GraphError> {
    let transaction = graph.begin();
    write(&transaction)?;
    transaction.commit().map(drop)
}

/// Writes go on, and what was refused is not there.
#[track_caller]
fn goes_on(graph: &Graph, vertices: u64) {
    commit(graph, |transaction| transaction.add_vertex(None, "small").map(drop)).unwrap();
    let snapshot = graph.snapshot();
    assert_eq!(snapshot.vertex_count(None), vertices + 1);
    snapshot.check().unwrap();
}

#[track_caller]
fn is_over_a_limit(outcome: Result<(), GraphError>) {
    let error = outcome.unwrap_err();
    assert!(matches!(error, GraphError::LimitExceeded { .. }), "{error}");
}

#[test]
fn a_transaction_whose_record_is_too_large_for_the_store_is_refused_before_it_has_a_stamp() {
    let limits = StoreLimits { transaction_bytes: 64 << 10, ..StoreLimits::default() };
    let graph = open(limits, GraphOptions::default());
    let before = graph.snapshot().stamp();
    is_over_a_limit(commit(&graph, |transaction| {
        let v = transaction.add_vertex(None, "small")?;
        let value = Value::str("x".repeat(64 << 10));
        transaction.set_vertex_property(v, Cardinality::Single, "text", value, &[]).map(drop)
    }));
    // What it brings beside its operations counts, too.
    is_over_a_limit(commit(&graph, |transaction| {
        (0..20).try_for_each(|n| transaction.add_vertex(None, &format!("{n}{}", "n".repeat(4000))).map(drop))
    }));
    is_over_a_limit(commit(&graph, |transaction| transaction.leave_note("note", Some(vec![0; 64 << 10]))));
    assert_eq!(graph.snapshot().stamp(), before);
    goes_on(&graph, 0);
}

#[test]
fn values_by_which_an_edge_is_found_in_its_lists_count() {
    let graph =
        open(StoreLimits::default(), GraphOptions { transaction_bytes: 1 << 20, ..GraphOptions::default() });
    graph
        .change_schema(|schema| {
            schema.edges.entry("likes".into()).or_default().sort_key = Some("text".into());
            Ok(())
        })
        .unwrap();
    let mut hub = VertexRef(0);
    commit(&graph, |transaction| transaction.add_vertex(None, "hub").map(|v| hub = v)).unwrap();
    let mut edges = Vec::new();
    for n in 0..12 {
        commit(&graph, |transaction| {
            let e = transaction.add_edge(None, "likes", hub, hub)?;
            edges.push(e);
            transaction.set_edge_property(e, "text", Value::str(format!("{n}{}", "x".repeat(100 << 10))))
        })
        .unwrap();
    }
    is_over_a_limit(commit(&graph, |transaction| {
        edges.iter().try_for_each(|e| transaction.set_edge_property(*e, "text", Value::str("short")))
    }));
    is_over_a_limit(commit(&graph, |transaction| edges.iter().try_for_each(|e| transaction.drop_edge(*e))));
    is_over_a_limit(commit(&graph, |transaction| transaction.drop_vertex(hub)));
    goes_on(&graph, 1);
}

#[test]
fn what_the_store_takes_in_no_case_is_given_up_and_writes_go_on() {
    let limits = StoreLimits { value_bytes: 2 << 10, ..StoreLimits::default() };
    let graph = open(limits, GraphOptions::default());
    let error = commit(&graph, |transaction| {
        let v = transaction.add_vertex(None, "large")?;
        let value = Value::str("x".repeat(4 << 10));
        transaction.set_vertex_property(v, Cardinality::Single, "text", value, &[]).map(drop)
    })
    .unwrap_err();
    let GraphError::Store(cause) = &error else { panic!("{error}") };
    assert!(matches!(**cause, StoreError::ValueTooLarge { .. }), "{error}");
    goes_on(&graph, 0);
}
