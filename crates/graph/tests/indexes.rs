//! The life of indexes: built while writes go on, unique where they say so, dropped, and what a restart makes of them.

mod stored;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use graph::{
    Cardinality, Graph, GraphError, GraphOptions, IndexDescription, IndexKind, IndexState, ScanCursor,
    SchemaError, Snapshot, Transaction, Value, VertexRef,
};
use store::{FjallOptions, FjallStore, KeyRange, KeyspaceShape, MemoryStore, ScanOrder, Store};
use stored::{filled, pairs};

fn open(store: &Arc<dyn Store>) -> Graph {
    let options = GraphOptions { merge_versions: 4, ..GraphOptions::default() };
    Graph::open(Arc::clone(store), options).unwrap()
}

fn memory() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

fn index(kind: IndexKind) -> IndexDescription {
    IndexDescription { label: "person".into(), keys: vec!["age".into()], kind }
}

fn person(transaction: &Transaction, age: i64) -> VertexRef {
    let v = transaction.add_vertex(None, "person").unwrap();
    set(transaction, v, age).unwrap();
    v
}

fn set(transaction: &Transaction, v: VertexRef, age: i64) -> Result<(), GraphError> {
    transaction.set_vertex_property(v, Cardinality::Single, "age", Value::Long(age), &[]).map(drop)
}

fn commit(graph: &Graph, write: impl Fn(&Transaction) -> Result<(), GraphError>) -> Result<(), GraphError> {
    loop {
        let transaction = graph.begin();
        write(&transaction)?;
        match transaction.commit() {
            Err(error) if error.is_retryable() => {}
            done => return done.map(drop),
        }
    }
}

fn people(graph: &Graph, ages: impl IntoIterator<Item = i64>) -> Vec<VertexRef> {
    let transaction = graph.begin();
    let people = ages.into_iter().map(|age| person(&transaction, age)).collect();
    transaction.commit().unwrap();
    people
}

fn found(snapshot: &Snapshot, age: i64) -> Option<Vec<VertexRef>> {
    let catalog = snapshot.catalog();
    let (label, key) = (catalog.vertex_label("person").unwrap(), catalog.key("age").unwrap());
    let mut found = Vec::new();
    snapshot.reader().index_lookup(label, key, &Value::Long(age), &mut found).then_some(found)
}

/// What an index must find: by looking at everybody.
fn scanned(snapshot: &Snapshot, age: i64) -> Vec<VertexRef> {
    let (reader, key) = (snapshot.reader(), snapshot.catalog().key("age").unwrap());
    let mut vertices = Vec::new();
    reader.scan_vertices(None, &mut ScanCursor::default(), usize::MAX >> 1, &mut vertices);
    vertices.retain(|v| reader.has_value(*v, key, &Value::Long(age)));
    vertices
}

#[track_caller]
fn check(snapshot: &Snapshot, ages: std::ops::Range<i64>) {
    for age in ages {
        assert_eq!(found(snapshot, age).expect("the index is ready"), scanned(snapshot, age), "age {age}");
    }
}

#[track_caller]
fn not_unique(result: Result<(), GraphError>) {
    match result {
        Err(GraphError::Schema(error)) => assert!(matches!(*error, SchemaError::NotUnique { .. }), "{error}"),
        other => panic!("expected a duplicate to be refused, got {other:?}"),
    }
}

#[test]
fn an_index_that_is_built_while_people_write_finds_what_a_scan_finds() {
    for round in 0..6 {
        let graph = open(&memory());
        let existing = people(&graph, (0..3000).map(|n| n % 50));
        let (stop, written) = (AtomicBool::new(false), AtomicI64::new(0));
        std::thread::scope(|scope| {
            for thread in 0..2 {
                let (graph, stop, existing, written) = (&graph, &stop, &existing, &written);
                scope.spawn(move || {
                    let mut n = thread as i64 * 7919 + round;
                    while !stop.load(Ordering::Relaxed) {
                        n += 1;
                        commit(graph, |transaction| {
                            set(transaction, existing[(n * 31 % 3000) as usize], n % 50)?;
                            if n % 3 == 0 {
                                person(transaction, n % 50);
                            }
                            if n % 5 == 0 {
                                transaction.drop_vertex(existing[(n * 17 % 1000) as usize])?;
                            }
                            Ok(())
                        })
                        .or_else(|error| match error {
                            GraphError::NoSuchVertex(_) => Ok(()),
                            other => Err(other),
                        })
                        .unwrap();
                        written.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            while written.load(Ordering::Relaxed) < 20 {
                std::thread::yield_now();
            }
            graph.declare_index(&index(IndexKind::Equality)).unwrap();
            graph.await_index(&index(IndexKind::Equality)).unwrap();
            // Ready, and people still write.
            check(&graph.snapshot(), 0..50);
            stop.store(true, Ordering::Relaxed);
        });
        check(&graph.snapshot(), 0..50);
        let status = &graph.index_status()[0];
        assert_eq!((status.state, status.progress), (IndexState::Ready, 1.0));
        graph.flush().unwrap();
        check(&graph.snapshot(), 0..50);
    }
}

#[test]
fn a_unique_value_belongs_to_one_vertex_however_many_ask_for_it_at_once() {
    let graph = open(&memory());
    graph.declare_index(&index(IndexKind::Unique)).unwrap();
    graph.await_index(&index(IndexKind::Unique)).unwrap();
    let first = people(&graph, [1])[0];
    not_unique(commit(&graph, |transaction| {
        let v = transaction.add_vertex(None, "person")?;
        set(transaction, v, 1)
    }));
    // The same value again on the same vertex, another label, and a value that was given up, are fine.
    commit(&graph, |transaction| set(transaction, first, 1)).unwrap();
    commit(&graph, |transaction| {
        let robot = transaction.add_vertex(None, "robot")?;
        set(transaction, robot, 1)
    })
    .unwrap();
    commit(&graph, |transaction| {
        set(transaction, first, 2)?;
        person(transaction, 1);
        not_unique(set(transaction, first, 1));
        Ok(())
    })
    .unwrap();
    let (one, other) = (graph.begin(), graph.begin());
    person(&one, 7);
    person(&other, 7);
    one.commit().unwrap();
    assert!(other.commit().unwrap_err().is_retryable());

    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for n in 100..200 {
                    let outcome = commit(&graph, |transaction| {
                        let v = transaction.add_vertex(None, "person")?;
                        set(transaction, v, n)
                    });
                    outcome
                        .or_else(|error| match error {
                            GraphError::Schema(_) => Ok(()),
                            other => Err(other),
                        })
                        .unwrap();
                }
            });
        }
    });
    let snapshot = graph.snapshot();
    (100..200).for_each(|n| assert_eq!(scanned(&snapshot, n).len(), 1, "age {n}"));
}

#[test]
fn a_unique_value_that_is_left_where_it_is_cannot_be_given_away_meanwhile() {
    let graph = open(&memory());
    graph.declare_index(&index(IndexKind::Unique)).unwrap();
    graph.await_index(&index(IndexKind::Unique)).unwrap();
    let both = people(&graph, [1, 2]);
    let leaving = graph.begin();
    set(&leaving, both[0], 1).unwrap();
    commit(&graph, |transaction| {
        set(transaction, both[0], 3)?;
        set(transaction, both[1], 1)
    })
    .unwrap();
    assert!(leaving.commit().unwrap_err().is_retryable());
    assert_eq!(scanned(&graph.snapshot(), 1), [both[1]]);
}

#[test]
fn a_range_index_over_too_many_combinations_of_values_fails_and_can_be_dropped() {
    let graph = open(&memory());
    let v = people(&graph, [1])[0];
    commit(&graph, |transaction| {
        for key in ["a", "b"] {
            for n in 0..300 {
                transaction.set_vertex_property(v, Cardinality::List, key, Value::Int(n), &[])?;
            }
        }
        Ok(())
    })
    .unwrap();
    let keys = vec!["a".into(), "b".into()];
    let range = IndexDescription { label: "person".into(), keys, kind: IndexKind::Range };
    graph.declare_index(&range).unwrap();
    let refused = graph.await_index(&range).unwrap_err();
    assert!(matches!(refused, GraphError::LimitExceeded { .. }), "{refused}");
    assert!(graph.index_status()[0].failure.is_some());
    graph.drop_index(&range).unwrap();
    assert!(graph.index_status().is_empty(), "once is enough");
}

#[test]
fn a_float_finds_what_equals_it_with_an_index_as_without() {
    let single = |text: &str| Value::Float(text.parse().unwrap());
    let decimal = |text: &str| Value::from(values::number::parse_decimal(text).unwrap());
    let stored = [Value::Int(16_777_217), Value::Int(16_777_216), single("0.1"), decimal("0.3")];
    let graph = open(&memory());
    graph.declare_index(&index(IndexKind::Equality)).unwrap();
    graph.await_indexes();
    let give = |value: &Value| {
        commit(&graph, |transaction| {
            let v = transaction.add_vertex(None, "person")?;
            transaction.set_vertex_property(v, Cardinality::Single, "age", value.clone(), &[]).map(drop)
        })
    };
    stored.iter().for_each(|value| give(value).unwrap());
    let finds = |value: &Value| {
        let snapshot = graph.snapshot();
        let catalog = snapshot.catalog();
        let (label, key) = (catalog.vertex_label("person").unwrap(), catalog.key("age").unwrap());
        let mut found = Vec::new();
        assert!(snapshot.reader().index_lookup(label, key, value, &mut found));
        found.len()
    };
    for (value, count) in
        [(single("16777216"), 2), (Value::Int(16_777_217), 1), (decimal("0.1"), 1), (single("0.3"), 1)]
    {
        assert_eq!(finds(&value), count, "{value:?}");
    }
    // As a unique one it would have to refuse what only a float makes equal.
    graph.drop_index(&index(IndexKind::Equality)).unwrap();
    let graph = open(&memory());
    graph.declare_index(&index(IndexKind::Unique)).unwrap();
    graph.await_index(&index(IndexKind::Unique)).unwrap();
    let give = |value: Value| {
        commit(&graph, |transaction| {
            let v = transaction.add_vertex(None, "person")?;
            transaction.set_vertex_property(v, Cardinality::Single, "age", value.clone(), &[]).map(drop)
        })
    };
    give(single("0.1")).unwrap();
    not_unique(give(decimal("0.1")));
}

#[test]
fn a_unique_index_over_duplicates_is_refused_and_leaves_nothing() {
    let store = memory();
    let graph = open(&store);
    people(&graph, (0..500).chain([77]));
    graph.declare_index(&index(IndexKind::Unique)).unwrap();
    not_unique(graph.await_index(&index(IndexKind::Unique)));
    let status = &graph.index_status()[0];
    assert!(status.failure.is_some() && status.index == index(IndexKind::Unique));
    assert!(graph.schema().indexes.is_empty());
    let duplicate = scanned(&graph.snapshot(), 77)[0];
    commit(&graph, |transaction| transaction.drop_vertex(duplicate)).unwrap();
    graph.declare_index(&index(IndexKind::Unique)).unwrap();
    graph.await_index(&index(IndexKind::Unique)).unwrap();
    check(&graph.snapshot(), 0..90);
}

#[test]
fn no_duplicate_slips_in_while_a_unique_index_is_built() {
    for round in 0..10 {
        let graph = open(&memory());
        people(&graph, 0..2000);
        let stop = AtomicBool::new(false);
        let outcome = std::thread::scope(|scope| {
            for _ in 0..2 {
                let (graph, stop) = (&graph, &stop);
                scope.spawn(move || {
                    let mut n = 10_000;
                    while !stop.load(Ordering::Relaxed) {
                        n += 1;
                        // Both threads want the same values.
                        let _ = commit(graph, |transaction| {
                            let v = transaction.add_vertex(None, "person")?;
                            set(transaction, v, n)
                        });
                    }
                });
            }
            std::thread::sleep(Duration::from_millis(round));
            graph.declare_index(&index(IndexKind::Unique)).unwrap();
            let outcome = graph.await_index(&index(IndexKind::Unique));
            stop.store(true, Ordering::Relaxed);
            outcome
        });
        let snapshot = graph.snapshot();
        let mut seen = std::collections::BTreeMap::new();
        let (reader, key) = (snapshot.reader(), snapshot.catalog().key("age").unwrap());
        let mut vertices = Vec::new();
        reader.scan_vertices(None, &mut ScanCursor::default(), usize::MAX >> 1, &mut vertices);
        for v in vertices {
            let age = reader.value(v, key).unwrap().as_i64().unwrap();
            *seen.entry(age).or_insert(0) += 1;
        }
        let duplicates = seen.values().filter(|count| **count > 1).count();
        match outcome {
            Ok(()) => assert_eq!(duplicates, 0, "round {round}"),
            Err(error) => assert!(duplicates > 0, "round {round}: {error}"),
        }
    }
}

#[test]
fn an_index_that_was_being_built_when_the_graph_was_closed_is_built_when_it_is_opened() {
    let directory = tempfile::tempdir().unwrap();
    let store = || -> Arc<dyn Store> {
        Arc::new(FjallStore::open(directory.path(), FjallOptions::default()).unwrap())
    };
    let graph = open(&store());
    people(&graph, (0..20_000).map(|n| n % 50));
    graph.declare_index(&index(IndexKind::Equality)).unwrap();
    drop(graph);
    for flushed in [false, true] {
        let graph = open(&store());
        graph.await_index(&index(IndexKind::Equality)).unwrap();
        check(&graph.snapshot(), 0..50);
        commit(&graph, |transaction| set(transaction, scanned(&graph.snapshot(), 1)[0], 49)).unwrap();
        check(&graph.snapshot(), 0..50);
        if flushed {
            graph.flush().unwrap();
        }
    }
    let graph = open(&store());
    assert!(found(&graph.snapshot(), 1).is_some(), "it is ready at once");
    check(&graph.snapshot(), 0..50);
}

/// Keys of the sections of indexes that users asked for.
fn stored_partitions(store: &Arc<dyn Store>) -> usize {
    let keyspace = store.keyspace("sections", KeyspaceShape::Large).unwrap();
    let snapshot = store.snapshot().unwrap();
    let mut user = 0;
    for prefix in [&b"i"[..], b"o"] {
        let pairs = snapshot.scan(&keyspace, KeyRange::prefix(prefix), ScanOrder::Ascending).unwrap();
        user += pairs.filter(|pair| pair.as_ref().unwrap().0[1..5] >= 2u32.to_be_bytes()[..]).count();
    }
    user
}

#[test]
fn a_dropped_index_serves_who_holds_an_older_snapshot_and_is_then_deleted() {
    let store = memory();
    let graph = open(&store);
    let everybody = people(&graph, 0..300);
    graph.create_index("person", "age").unwrap();
    assert!(stored_partitions(&store) > 0);
    let older = graph.snapshot();
    graph.drop_index(&index(IndexKind::Equality)).unwrap();
    assert!(graph.drop_index(&index(IndexKind::Equality)).is_err());
    assert_eq!(found(&graph.snapshot(), 5), None);
    commit(&graph, |transaction| set(transaction, everybody[5], 6)).unwrap();
    std::thread::sleep(Duration::from_millis(120));
    check(&older, 0..20);
    graph.flush().unwrap();
    let named = pairs(&store);
    drop(older);
    let begun = Instant::now();
    while stored_partitions(&store) > 0 {
        assert!(begun.elapsed() < Duration::from_secs(20), "its storage was not reclaimed");
        std::thread::sleep(Duration::from_millis(10));
    }
    let crashed = filled(&pairs(&store));
    assert_eq!(graph::check(&crashed, &mut |_| {}).unwrap(), [], "should the process end now");
    // As an earlier version left it: the partitions deleted, and named all the same.
    let kept = pairs(&store);
    let deleted: Vec<_> =
        named.iter().filter(|pair| pair.0 != "sections" || kept.iter().any(|k| k.1 == pair.1)).collect();
    let old = filled(deleted);
    assert!(!graph::check(&old, &mut |_| {}).unwrap().is_empty());
    let opened = open(&old);
    while !graph::check(&filled(&pairs(&old)), &mut |_| {}).unwrap().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(20), "it is still named");
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(opened);
    // What is created after it is another index, also after a restart.
    graph.create_index("person", "age").unwrap();
    check(&graph.snapshot(), 0..20);
    graph.drop_index(&index(IndexKind::Equality)).unwrap();
    drop(graph);
    let graph = open(&store);
    assert_eq!(found(&graph.snapshot(), 5), None);
    while stored_partitions(&store) > 0 {
        assert!(begun.elapsed() < Duration::from_secs(20), "what a restart found was not reclaimed");
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(graph);
    graph_is_whole(&open(&store));
}

fn graph_is_whole(graph: &Graph) {
    let snapshot = graph.snapshot();
    assert_eq!(snapshot.vertex_count(None), 300);
    assert_eq!(scanned(&snapshot, 6).len(), 2);
    snapshot.check().unwrap();
}
