//! What transactions promise: isolation, own writes, conflicts, unique ids, bounds.

use std::sync::Arc;

use graph::{
    Cardinality, Dir, Direction, EdgeRef, Graph, GraphError, GraphOptions, IndexDescription, IndexKind,
    KeyId, NameSpace, ReadUnit, ScanCursor, Snapshot, Transaction, Value, VertexRef, index_hash, name_hash,
};
use store::{MemoryStore, Store};

fn graph() -> Graph {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    Graph::open(store, GraphOptions::default()).unwrap()
}

fn with_vertices(graph: &Graph, count: usize) -> Vec<VertexRef> {
    let transaction = graph.begin();
    let vertices = (0..count).map(|_| transaction.add_vertex(None, "v").unwrap()).collect();
    transaction.commit().unwrap();
    vertices
}

fn set(transaction: &Transaction, v: VertexRef, key: &str, value: impl Into<Value>) {
    transaction.set_vertex_property(v, Cardinality::Single, key, value.into(), &[]).unwrap();
}

fn get(snapshot: &Snapshot, v: VertexRef, key: &str) -> Option<i64> {
    let key = snapshot.catalog().key(key)?;
    snapshot.reader().value_ref(v, key).and_then(|value| value.as_i64())
}

#[test]
fn a_transaction_sees_its_writes_and_nobody_else_does_before_it_commits() {
    let graph = graph();
    let v = with_vertices(&graph, 1)[0];
    let transaction = graph.begin();
    let before = transaction.snapshot();
    set(&transaction, v, "age", 29i64);
    let w = transaction.add_vertex(None, "v").unwrap();
    let e = transaction.add_edge(None, "knows", v, w).unwrap();
    let inside = transaction.snapshot();
    assert_eq!(get(&inside, v, "age"), Some(29));
    assert!(inside.reader().edge_exists(e) && inside.reader().exists(w));
    assert!(!before.reader().exists(w), "a snapshot taken before a write does not see it");
    let outside = graph.snapshot();
    assert!(get(&outside, v, "age").is_none() && !outside.reader().exists(w));
    transaction.commit().unwrap();
    assert!(get(&outside, v, "age").is_none() && !outside.reader().exists(w), "a snapshot does not move");
    let after = graph.snapshot();
    assert_eq!(get(&after, v, "age"), Some(29));
    let knows = after.catalog().edge_label("knows").unwrap();
    assert!(after.reader().list(w, knows, Dir::In).neighbours().eq([v]));
}

#[test]
fn a_transaction_that_is_dropped_or_rolled_back_leaves_nothing() {
    let graph = graph();
    let v = with_vertices(&graph, 1)[0];
    let transaction = graph.begin();
    set(&transaction, v, "age", 29i64);
    transaction.drop_vertex(v).unwrap();
    transaction.rollback();
    let snapshot = graph.snapshot();
    assert!(snapshot.reader().exists(v) && get(&snapshot, v, "age").is_none());
    assert_eq!(snapshot.vertex_count(None), 1);
}

#[test]
fn a_commit_ends_a_transaction_for_whoever_still_holds_it() {
    let graph = graph();
    let transaction = Arc::new(graph.begin());
    let late = Arc::clone(&transaction);
    let v = transaction.add_vertex(None, "person").unwrap();
    transaction.submit().unwrap().wait().unwrap();
    assert!(late.snapshot().reader().exists(v), "it still reads what it wrote");
    assert!(matches!(late.add_vertex(None, "person"), Err(GraphError::TransactionEnded)));
    assert!(matches!(late.drop_vertex(v), Err(GraphError::TransactionEnded)));
    assert!(matches!(late.submit(), Err(GraphError::TransactionEnded)));
    assert_eq!(graph.snapshot().vertex_count(None), 1);
}

#[test]
fn a_commit_that_nobody_waits_for_is_committed_all_the_same() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = Graph::open(Arc::clone(&store), GraphOptions::default()).unwrap();
    let transaction = graph.begin();
    transaction.add_vertex(None, "person").unwrap();
    drop(transaction.submit().unwrap());
    drop(transaction);
    drop(graph);
    let graph = Graph::open(store, GraphOptions::default()).unwrap();
    assert_eq!(graph.snapshot().vertex_count(None), 1);
}

#[test]
fn who_has_committed_is_told_before_a_flush_that_is_due() {
    let options = GraphOptions { log_bytes: 100, ..GraphOptions::default() };
    let graph = Graph::open(Arc::new(MemoryStore::new()), options).unwrap();
    let transaction = graph.begin();
    for _ in 0..200 {
        transaction.add_vertex(None, "person").unwrap();
    }
    let submitted = transaction.submit().unwrap();
    drop(transaction);
    let settled = submitted.settle().unwrap();
    assert_eq!(graph.snapshot().vertex_count(None), 200, "it is visible");
    assert!(graph.stats().log_bytes > 100, "and nothing is flushed");
    settled.flush();
    assert_eq!(graph.stats().log_bytes, 0);
}

#[test]
fn one_thread_submits_more_large_commits_than_there_are_turns() {
    let graph = graph();
    let submitted: Vec<_> = (0..6)
        .map(|_| {
            let transaction = graph.begin();
            for _ in 0..200 {
                transaction.add_vertex(None, "person").unwrap();
            }
            transaction.submit().unwrap()
        })
        .collect();
    for commit in submitted {
        commit.wait().unwrap();
    }
    assert_eq!(graph.snapshot().vertex_count(None), 1_200);
}

#[test]
fn two_transactions_that_read_and_write_one_vertex_cannot_both_commit() {
    let graph = graph();
    let v = with_vertices(&graph, 1)[0];
    let increment = |transaction: &Transaction| {
        transaction.note_read(ReadUnit::VertexRecord(v));
        let count = get(&transaction.snapshot(), v, "count").unwrap_or(0);
        set(transaction, v, "count", count + 1);
    };
    let (first, second) = (graph.begin(), graph.begin());
    increment(&first);
    increment(&second);
    first.commit().unwrap();
    let refused = second.commit().unwrap_err();
    assert!(matches!(refused, GraphError::Conflict(_)) && refused.is_retryable(), "{refused}");
    assert_eq!(get(&graph.snapshot(), v, "count"), Some(1));
}

#[test]
fn blind_inserts_on_one_hub_do_not_conflict_and_keep_their_commit_order() {
    let graph = graph();
    let vertices = with_vertices(&graph, 4);
    let transactions: Vec<_> = (0..3).map(|_| graph.begin()).collect();
    for (transaction, &v) in transactions.iter().zip(&vertices[1..]) {
        transaction.add_edge(None, "knows", vertices[0], v).unwrap();
    }
    let mut order = Vec::new();
    for (n, transaction) in transactions.into_iter().enumerate().rev() {
        transaction.commit().unwrap();
        order.push(vertices[n + 1]);
    }
    let snapshot = graph.snapshot();
    let knows = snapshot.catalog().edge_label("knows").unwrap();
    assert!(snapshot.reader().list(vertices[0], knows, Dir::Out).neighbours().eq(order));
}

#[test]
fn an_edge_to_a_vertex_that_is_dropped_meanwhile_is_refused_whoever_commits_first() {
    let graph = graph();
    for drop_first in [true, false] {
        let vertices = with_vertices(&graph, 2);
        let (dropping, adding) = (graph.begin(), graph.begin());
        dropping.drop_vertex(vertices[1]).unwrap();
        // A label that the dropping transaction cannot have looked at.
        adding
            .add_edge(None, if drop_first { "fresh" } else { "fresher" }, vertices[0], vertices[1])
            .unwrap();
        let (first, second) = if drop_first { (dropping, adding) } else { (adding, dropping) };
        first.commit().unwrap();
        assert!(matches!(second.commit(), Err(GraphError::Conflict(_))));
    }
}

#[test]
fn whatever_can_be_read_is_validated() {
    let graph = graph();
    graph.create_index("v", "age").unwrap();
    let vertices = with_vertices(&graph, 3);
    let snapshot = graph.snapshot();
    let label = snapshot.catalog().vertex_label("v").unwrap();
    let age = snapshot.catalog().key("age").unwrap();
    let by_height =
        IndexDescription { label: "v".into(), keys: vec!["height".into()], kind: IndexKind::Range };
    graph.declare_index(&by_height).unwrap();
    graph.await_index(&by_height).unwrap();
    let transaction = graph.begin();
    let edge = transaction.add_edge(None, "knows", vertices[0], vertices[1]).unwrap();
    transaction.set_edge_property(edge, "weight", Value::Long(1)).unwrap();
    set(&transaction, vertices[0], "height", 180i64);
    transaction.commit().unwrap();
    let catalog = graph.snapshot().catalog().clone();
    let knows = catalog.edge_label("knows").unwrap();
    let [weight, height] = ["weight", "height"].map(|key| catalog.key(key).unwrap());
    let hash = index_hash(&Value::Long(30));
    type Write = fn(&Transaction, &[VertexRef], EdgeRef);
    let add_edge: Write = |t, v, _| {
        t.add_edge(None, "knows", v[0], v[2]).unwrap();
    };
    let add_edge_with_id: Write = |t, v, _| {
        t.add_edge(Some(Value::str("e")), "knows", v[0], v[2]).unwrap();
    };
    let add_vertex: Write = |t, _, _| {
        t.add_vertex(None, "v").unwrap();
    };
    let set_age: Write = |t, v, _| set(t, v[2], "age", 30i64);
    let set_height: Write = |t, v, _| set(t, v[2], "height", 190i64);
    let set_weight: Write = |t, _, e| t.set_edge_property(e, "weight", Value::Long(2)).unwrap();
    let drop_weight: Write = |t, _, e| t.drop_edge_property(e, "weight").unwrap();
    let add_id: Write = |t, _, _| {
        t.add_vertex(Some(Value::Long(1 << 40)), "v").unwrap();
    };
    let name_key: Write = |t, v, _| set(t, v[2], "brought", 1i64);
    let drop_edge: Write = |t, _, e| t.drop_edge(e).unwrap();
    let drop_vertex: Write = |t, v, _| t.drop_vertex(v[0]).unwrap();
    let cases: Vec<(ReadUnit, Write)> = vec![
        (ReadUnit::List(vertices[0], knows, Dir::Out), add_edge),
        (ReadUnit::List(vertices[2], knows, Dir::In), add_edge),
        (ReadUnit::AnyList(vertices[0], Dir::Out), add_edge),
        (ReadUnit::EdgeLabelMembership(knows), add_edge),
        (ReadUnit::AllEdges, add_edge),
        (ReadUnit::EdgeId(index_hash(&Value::str("e"))), add_edge_with_id),
        (ReadUnit::EdgeProperty(edge, weight), set_weight),
        (ReadUnit::Edge(edge), set_weight),
        (ReadUnit::EdgeProperty(edge, weight), drop_weight),
        (ReadUnit::Edge(edge), drop_weight),
        (ReadUnit::LabelMembership(label), add_vertex),
        (ReadUnit::AllVertices, add_vertex),
        (ReadUnit::IndexKey(label, age, hash), set_age),
        (ReadUnit::IndexRange(label, height), set_height),
        (ReadUnit::Property(vertices[2], age), set_age),
        (ReadUnit::VertexRecord(vertices[2]), set_age),
        (ReadUnit::VertexId(index_hash(&Value::Long(1 << 40))), add_id),
        (ReadUnit::Name(NameSpace::Key, name_hash("brought")), name_key),
        (ReadUnit::EdgeExistence(edge), drop_edge),
        (ReadUnit::Existence(vertices[0]), drop_vertex),
    ];
    for (unit, write) in cases {
        let reading = graph.begin();
        reading.note_read(unit);
        set(&reading, vertices[1], "mark", 1i64);
        let writing = graph.begin();
        write(&writing, &vertices, edge);
        writing.commit().unwrap();
        assert!(matches!(reading.commit(), Err(GraphError::Conflict(_))), "{unit:?}");
    }
    // And what nobody touched is not in the way.
    let reading = graph.begin();
    reading.note_read(ReadUnit::List(vertices[1], knows, Dir::Out));
    reading.note_read(ReadUnit::VertexRecord(vertices[2]));
    set(&reading, vertices[1], "mark", 2i64);
    let writing = graph.begin();
    writing.add_edge(None, "knows", vertices[2], vertices[2]).unwrap();
    writing.commit().unwrap();
    reading.commit().unwrap();
}

#[test]
fn ids_are_unique_across_transactions_and_number_types_and_errors_name_them() {
    let graph = graph();
    let (first, second) = (graph.begin(), graph.begin());
    first.add_vertex(Some(Value::str("ada")), "v").unwrap();
    second.add_vertex(Some(Value::str("ada")), "w").unwrap();
    first.commit().unwrap();
    assert!(matches!(second.commit(), Err(GraphError::Conflict(_))));
    let again = graph.begin();
    let error = again.add_vertex(Some(Value::str("ada")), "w").unwrap_err();
    assert!(error.to_string().contains("\"ada\""), "{error}");
    again.add_vertex(Some(Value::Int(77)), "w").unwrap();
    assert!(matches!(again.add_vertex(Some(Value::Long(77)), "w"), Err(GraphError::DuplicateVertexId(_))));
    assert!(matches!(again.add_vertex(Some(Value::Null), "w"), Err(GraphError::BadId("null"))));
    again.commit().unwrap();
    let dropping = graph.begin();
    let ada = dropping.snapshot().reader().vertex_by_id(&Value::str("ada")).unwrap();
    dropping.drop_vertex(ada).unwrap();
    let reborn = dropping.add_vertex(Some(Value::str("ada")), "v").unwrap();
    assert_ne!(reborn, ada, "a reference is not used twice");
    dropping.commit().unwrap();
    assert_eq!(graph.snapshot().reader().vertex_by_id(&Value::str("ada")), Some(reborn));
}

#[test]
fn an_edge_id_is_unique_within_a_transaction_that_brings_the_label() {
    let graph = graph();
    let v = with_vertices(&graph, 1)[0];
    let transaction = graph.begin();
    let e = transaction.add_edge(Some(Value::str("e")), "new", v, v).unwrap();
    let again = transaction.add_edge(Some(Value::str("e")), "new", v, v);
    assert!(matches!(again, Err(GraphError::DuplicateEdgeId(_))), "{again:?}");
    let generated = Some(Value::Long(transaction.add_edge(None, "newer", v, v).unwrap().generated_id()));
    let again = transaction.add_edge(generated, "newer", v, v);
    assert!(matches!(again, Err(GraphError::DuplicateEdgeId(_))), "{again:?}");
    assert_eq!(transaction.snapshot().reader().edge_by_id(&Value::str("e")), Some(e));
}

#[test]
fn generated_ids_step_aside_for_ids_that_users_chose() {
    let graph = graph();
    let transaction = graph.begin();
    // The first vertex of a new graph would get the id 0, the next ones 1 to 9.
    for id in 0..10 {
        transaction.add_vertex(Some(Value::Int(id)), "v").unwrap();
    }
    let v = transaction.add_vertex(None, "v").unwrap();
    let generated = transaction.snapshot().reader().id(v);
    assert!(generated.as_i64().unwrap() > 9);
    // The first edge of vertex 0 would get the id 0 << 32 | 0.
    let src = VertexRef(0);
    transaction.add_edge(Some(Value::Int(0)), "e", src, v).unwrap();
    let e = transaction.add_edge(None, "e", src, v).unwrap();
    assert_ne!(transaction.snapshot().reader().edge_id(e).as_i64(), Some(0));
    transaction.commit().unwrap();
    let error = graph.begin().add_vertex(Some(generated), "v").unwrap_err();
    assert!(matches!(error, GraphError::DuplicateVertexId(_)));
}

#[test]
fn writes_to_what_is_gone_are_refused_and_drops_of_it_do_nothing() {
    let graph = graph();
    let v = with_vertices(&graph, 2);
    let transaction = graph.begin();
    let e = transaction.add_edge(None, "e", v[0], v[1]).unwrap();
    transaction.drop_vertex(v[1]).unwrap();
    assert!(matches!(transaction.set_edge_property(e, "w", Value::Int(1)), Err(GraphError::NoSuchEdge(_))));
    assert!(matches!(transaction.add_edge(None, "e", v[0], v[1]), Err(GraphError::NoSuchVertex(_))));
    let dropped = transaction.set_vertex_property(v[1], Cardinality::Single, "a", Value::Int(1), &[]);
    assert!(matches!(dropped, Err(GraphError::NoSuchVertex(_))));
    transaction.drop_vertex(v[1]).unwrap();
    transaction.drop_edge(e).unwrap();
    let elsewhere = VertexRef(3 << 20);
    transaction.drop_vertex(elsewhere).unwrap();
    assert!(!transaction.snapshot().reader().exists(elsewhere));
    let reader_degree = transaction.snapshot().reader().degree(v[0], Direction::Both, &[]);
    assert_eq!(reader_degree, 0);
    let bad = transaction.set_vertex_property(v[0], Cardinality::Single, "a", Value::VertexRef(v[0]), &[]);
    assert!(matches!(bad, Err(GraphError::BadValue { type_name: "vertex", .. })));
    assert!(matches!(transaction.add_vertex(None, ""), Err(GraphError::BadName { .. })));
}

#[test]
fn a_transaction_has_a_bound_and_says_so() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = Graph::open(
        store,
        GraphOptions { transaction_writes: 10, transaction_bytes: 10_000, ..Default::default() },
    )
    .unwrap();
    let transaction = graph.begin();
    let added = (0..20).map(|_| transaction.add_vertex(None, "v")).take_while(Result::is_ok).count();
    assert_eq!(added, 10);
    let transaction = graph.begin();
    let v = transaction.add_vertex(None, "v").unwrap();
    let long = Value::str("x".repeat(20_000));
    let error = transaction.set_vertex_property(v, Cardinality::Single, "text", long, &[]).unwrap_err();
    assert!(error.to_string().contains("smaller transactions"), "{error}");
}

#[test]
fn open_transactions_have_a_bound_together() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = Graph::open(store, GraphOptions { held_bytes: 200_000, ..Default::default() }).unwrap();
    let fill = |transaction: &Transaction| {
        (0..1_000).map(|_| transaction.add_vertex(None, "v")).take_while(Result::is_ok).count()
    };
    let (large, small) = (graph.begin(), graph.begin());
    let (all, some) = (fill(&large), fill(&small));
    assert!((300..330).contains(&all), "{all} writes of 640 bytes");
    assert!((100..110).contains(&some), "{some}: what each may hold in any case");
    let error = small.add_vertex(None, "v").unwrap_err();
    assert!(error.is_retryable() && error.to_string().contains("other open transactions"), "{error}");
    let error = large.add_vertex(None, "v").unwrap_err();
    assert!(!error.is_retryable() && error.to_string().contains("200000"), "{error}");
    drop((large, small));
    for _ in 0..3 {
        let transaction = graph.begin();
        for _ in 0..200 {
            transaction.add_vertex(None, "v").unwrap();
        }
        transaction.commit().unwrap();
    }
    assert_eq!(graph.stats().vertex_count(), 600);
}

#[test]
fn an_index_finds_exactly_what_each_snapshot_sees() {
    let graph = graph();
    let v = with_vertices(&graph, 3);
    let transaction = graph.begin();
    set(&transaction, v[0], "age", 30i64);
    set(&transaction, v[1], "age", 40i64);
    transaction.commit().unwrap();
    let early = graph.snapshot();
    graph.create_index("v", "age").unwrap();
    let before = graph.snapshot();
    let transaction = graph.begin();
    set(&transaction, v[0], "age", 41i64);
    transaction.set_vertex_property(v[2], Cardinality::List, "age", Value::Int(30), &[]).unwrap();
    transaction.set_vertex_property(v[2], Cardinality::List, "age", Value::Double(40.0), &[]).unwrap();
    transaction.drop_vertex(v[1]).unwrap();
    let inside = transaction.snapshot();
    let find = |snapshot: &Snapshot, age: Value| {
        let label = snapshot.catalog().vertex_label("v").unwrap();
        let key = snapshot.catalog().key("age").unwrap();
        let mut found = Vec::new();
        snapshot.reader().index_lookup(label, key, &age, &mut found).then_some(found)
    };
    assert_eq!(find(&early, Value::Int(30)), None, "the index came later");
    for _ in 0..2 {
        assert_eq!(find(&before, Value::Int(30)), Some(vec![v[0]]));
        assert_eq!(find(&before, Value::Int(40)), Some(vec![v[1]]));
        assert_eq!(find(&before, Value::Int(41)), Some(vec![]));
        assert_eq!(find(&inside, Value::Long(30)), Some(vec![v[2]]));
        assert_eq!(find(&inside, Value::Long(40)), Some(vec![v[2]]));
        assert_eq!(find(&inside, Value::Long(41)), Some(vec![v[0]]));
        graph.flush().unwrap();
    }
    let mut none = Vec::new();
    assert!(!before.reader().index_lookup(
        before.catalog().vertex_label("v").unwrap(),
        KeyId(999),
        &Value::Null,
        &mut none
    ));
}

#[test]
fn a_scan_between_bounds_sees_its_part_only() {
    let graph = graph();
    let v = with_vertices(&graph, 100);
    let snapshot = graph.snapshot();
    let reader = snapshot.reader();
    let (mut parts, middle) = (Vec::new(), u64::from(v[37].0));
    for (from, to) in [(0, middle), (middle, u64::MAX)] {
        let mut cursor = ScanCursor::between(from, to);
        while reader.scan_vertices(None, &mut cursor, 9, &mut parts) {}
    }
    assert_eq!(parts, v);
}

/// Whoever has looked for a value in an index and found none must not miss one that came after the index was dropped.
#[test]
fn what_was_read_in_an_index_is_validated_also_when_it_was_dropped_meanwhile() {
    let graph = graph();
    let v = with_vertices(&graph, 1)[0];
    let transaction = graph.begin();
    set(&transaction, v, "k", 1);
    transaction.commit().unwrap();
    for kind in [IndexKind::Equality, IndexKind::Range] {
        let index = IndexDescription { label: "v".into(), keys: vec!["k".into()], kind };
        graph.declare_index(&index).unwrap();
        graph.await_index(&index).unwrap();
        let upsert = graph.begin();
        let catalog = graph.snapshot().catalog().clone();
        let (label, key) = (catalog.vertex_label("v").unwrap(), catalog.key("k").unwrap());
        upsert.note_read(match kind {
            IndexKind::Range => ReadUnit::IndexRange(label, key),
            _ => ReadUnit::IndexKey(label, key, index_hash(&7.into())),
        });
        graph.drop_index(&index).unwrap();
        let other = graph.begin();
        let found_none = other.add_vertex(None, "v").unwrap();
        set(&other, found_none, "k", 7);
        other.commit().unwrap();
        let added = upsert.add_vertex(None, "v").unwrap();
        set(&upsert, added, "k", 7);
        assert!(upsert.commit().unwrap_err().is_retryable(), "{kind:?}");
    }
}
