//! Range indexes: whatever has a value in a range is found, in snapshots, inside transactions, after restarts.

mod naive;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graph::{
    Cardinality, Graph, GraphError, GraphOptions, IndexDescription, IndexKind, RangeQuery, ReadUnit,
    ScanCursor, Snapshot, Value, VertexRef,
};
use naive::Random;
use store::{FjallOptions, FjallStore, MemoryStore, Store};
use values::compare;

fn open(store: &Arc<dyn Store>) -> Graph {
    let options = GraphOptions { merge_versions: 4, ..GraphOptions::default() };
    Graph::open(Arc::clone(store), options).unwrap()
}

fn memory() -> Graph {
    open(&(Arc::new(MemoryStore::new()) as Arc<dyn Store>))
}

fn index(keys: &[&str]) -> IndexDescription {
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    IndexDescription { label: "person".into(), keys, kind: IndexKind::Range }
}

fn create(graph: &Graph, keys: &[&str]) {
    graph.declare_index(&index(keys)).unwrap();
    graph.await_index(&index(keys)).unwrap();
}

fn values_of(snapshot: &Snapshot, v: VertexRef, key: &str) -> Vec<Value> {
    let mut properties = Vec::new();
    let Some(key) = snapshot.catalog().key(key) else { return Vec::new() };
    snapshot.reader().vertex_properties(v, &[key], &mut properties);
    properties.into_iter().map(|property| property.value).collect()
}

fn everybody(snapshot: &Snapshot) -> Vec<VertexRef> {
    let mut vertices = Vec::new();
    let label = snapshot.catalog().vertex_label("person").unwrap();
    snapshot.reader().scan_vertices(Some(label), &mut ScanCursor::default(), usize::MAX >> 1, &mut vertices);
    vertices
}

fn found(
    snapshot: &Snapshot,
    keys: &[&str],
    equal: &[Value],
    (low, high): (Option<&Value>, Option<&Value>),
) -> Option<BTreeSet<VertexRef>> {
    let catalog = snapshot.catalog();
    let keys: Vec<_> = keys.iter().map(|key| catalog.key(key).unwrap()).collect();
    let label = catalog.vertex_label("person").unwrap();
    let mut out = Vec::new();
    let query = RangeQuery { label, keys: &keys, equal, low, high };
    let known = snapshot.reader().range_lookup(query, &mut out);
    assert!(out.is_sorted_by(|a, b| a < b), "ascending, each once");
    known.then(|| out.into_iter().collect())
}

/// Who must be found: by looking at everybody.
fn expected(
    snapshot: &Snapshot,
    keys: &[&str],
    equal: &[Value],
    (low, high): (Option<&Value>, Option<&Value>),
) -> BTreeSet<VertexRef> {
    let within = |value: &Value| {
        low.is_none_or(|low| compare::compare(value, low).is_some_and(|order| order.is_ge()))
            && high.is_none_or(|high| compare::compare(value, high).is_some_and(|order| order.is_le()))
    };
    let fits = |v: &VertexRef| {
        let equals = |(key, value): (&&str, &Value)| {
            values_of(snapshot, *v, key).iter().any(|own| compare::equals(own, value))
        };
        let bounded = low.is_some() || high.is_some();
        keys.iter().zip(equal).all(equals)
            && (!bounded || values_of(snapshot, *v, keys[equal.len()]).iter().any(within))
    };
    everybody(snapshot).into_iter().filter(fits).collect()
}

fn random_value(random: &mut Random) -> Value {
    match random.below(6) {
        0 => Value::Int(random.below(20) as i32),
        1 => Value::Long(random.below(20) as i64),
        2 => Value::Double(random.below(40) as f64 / 2.0),
        3 => Value::from(format!("v{}", random.below(20))),
        4 => Value::Float(random.below(20) as f32),
        _ => Value::Bool(random.below(2) == 0),
    }
}

fn check(snapshot: &Snapshot, random: &mut Random, context: &str) {
    for _ in 0..12 {
        let (low, high) = (random_value(random), random_value(random));
        let ends =
            [(Some(&low), None), (None, Some(&high)), (Some(&low), Some(&high)), (Some(&low), Some(&low))];
        for range in ends {
            let exact = expected(snapshot, &["age"], &[], range);
            let found = found(snapshot, &["age"], &[], range).unwrap();
            assert!(found.is_superset(&exact), "{context}: {range:?}: {exact:?} in {found:?}");
            let everybody: BTreeSet<_> = everybody(snapshot).into_iter().collect();
            assert!(found.is_subset(&everybody), "{context}: only of the label, and only who is there");
        }
        let equal = [random_value(random)];
        for range in [(None, None), (Some(&low), None), (Some(&low), Some(&high))] {
            let exact = expected(snapshot, &["city", "age"], &equal, range);
            let found = found(snapshot, &["city", "age"], &equal, range).unwrap();
            assert!(found.is_superset(&exact), "{context}: {equal:?} {range:?}: {exact:?} in {found:?}");
        }
    }
}

/// One random write; what it is told to do may have become impossible.
fn write(transaction: &graph::Transaction, random: &mut Random) {
    let snapshot = transaction.snapshot();
    let people =
        if snapshot.catalog().vertex_label("person").is_some() { everybody(&snapshot) } else { Vec::new() };
    let v = match people.get(random.below(people.len() + 5)) {
        Some(v) => *v,
        None => transaction.add_vertex(None, if random.below(6) == 0 { "robot" } else { "person" }).unwrap(),
    };
    let key = if random.below(2) == 0 { "age" } else { "city" };
    match random.below(10) {
        0 => transaction.drop_vertex(v).unwrap(),
        1 => {
            let mut properties = Vec::new();
            snapshot.reader().vertex_properties(v, &[], &mut properties);
            properties.first().into_iter().for_each(|p| transaction.drop_vertex_property(p.id).unwrap());
        }
        2 => drop(
            transaction.set_vertex_property(v, Cardinality::List, key, random_value(random), &[]).unwrap(),
        ),
        _ => drop(
            transaction.set_vertex_property(v, Cardinality::Single, key, random_value(random), &[]).unwrap(),
        ),
    }
}

#[test]
fn whatever_is_in_a_range_is_found_in_snapshots_transactions_and_after_restarts() {
    for seed in 1..8 {
        let mut random = Random::new(seed);
        let directory = tempfile::tempdir().unwrap();
        let store = || -> Arc<dyn Store> {
            Arc::new(FjallStore::open(directory.path(), FjallOptions::default()).unwrap())
        };
        let mut graph = open(&store());
        for round in 0..60 {
            let context = format!("seed {seed}, round {round}");
            if round == 5 {
                create(&graph, &["age"]);
                create(&graph, &["city", "age"]);
            }
            let before = graph.snapshot();
            let transaction = graph.begin();
            for _ in 0..random.below(12) + 1 {
                write(&transaction, &mut random);
            }
            if round > 5 {
                check(&transaction.snapshot(), &mut random, &format!("{context}, inside"));
            }
            transaction.commit().unwrap();
            if round > 5 {
                check(&graph.snapshot(), &mut random, &context);
                check(&before, &mut random, &format!("{context}, before"));
            }
            drop(before);
            if round % 9 == 8 {
                graph.flush().unwrap();
            }
            if round % 13 == 12 {
                drop(graph);
                graph = open(&store());
                graph.await_index(&index(&["age"])).unwrap();
                graph.await_index(&index(&["city", "age"])).unwrap();
                check(&graph.snapshot(), &mut random, &format!("{context}, opened again"));
            }
        }
    }
}

#[test]
fn only_what_is_in_a_range_of_whole_numbers_is_found() {
    let graph = memory();
    let transaction = graph.begin();
    let people: Vec<VertexRef> = (0..1000)
        .map(|n| {
            let v = transaction.add_vertex(None, "person").unwrap();
            transaction.set_vertex_property(v, None, "age", Value::Long(n), &[]).unwrap();
            v
        })
        .collect();
    transaction.commit().unwrap();
    create(&graph, &["age"]);
    let snapshot = graph.snapshot();
    let range = (Some(&Value::Long(100)), Some(&Value::Long(199)));
    let expected: BTreeSet<VertexRef> = people[100..200].iter().copied().collect();
    assert_eq!(found(&snapshot, &["age"], &[], range), Some(expected));
    assert_eq!(found(&snapshot, &["age"], &[], (Some(&Value::list(vec![])), None)), None);
    graph.drop_index(&index(&["age"])).unwrap();
    assert!(found(&snapshot, &["age"], &[], range).is_some(), "who began before goes on as before");
    assert_eq!(found(&graph.snapshot(), &["age"], &[], range), None);
}

#[test]
fn a_range_index_that_is_built_while_people_write_misses_nobody() {
    let graph = memory();
    let mut random = Random::new(11);
    for _ in 0..40 {
        let transaction = graph.begin();
        (0..30).for_each(|_| write(&transaction, &mut random));
        transaction.commit().unwrap();
    }
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for seed in 100..102 {
            let (graph, stop) = (&graph, &stop);
            scope.spawn(move || {
                let mut random = Random::new(seed);
                while !stop.load(Ordering::Relaxed) {
                    let transaction = graph.begin();
                    write(&transaction, &mut random);
                    match transaction.commit() {
                        Ok(_) | Err(GraphError::Conflict(_)) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
        create(&graph, &["age"]);
        create(&graph, &["city", "age"]);
        for _ in 0..3 {
            check(&graph.snapshot(), &mut random, "while people write");
        }
        stop.store(true, Ordering::Relaxed);
    });
    check(&graph.snapshot(), &mut random, "afterwards");
}

#[test]
fn who_has_read_a_range_conflicts_with_who_moves_into_it() {
    let graph = memory();
    create(&graph, &["age"]);
    let transaction = graph.begin();
    let v = transaction.add_vertex(None, "person").unwrap();
    transaction.set_vertex_property(v, None, "age", Value::Int(1), &[]).unwrap();
    transaction.commit().unwrap();
    let catalog = graph.snapshot().catalog().clone();
    let unit = ReadUnit::IndexRange(catalog.vertex_label("person").unwrap(), catalog.key("age").unwrap());
    let reader = graph.begin();
    reader.note_read(unit);
    reader.add_vertex(None, "robot").unwrap();
    let writer = graph.begin();
    writer.set_vertex_property(v, None, "age", Value::Int(2), &[]).unwrap();
    writer.commit().unwrap();
    assert!(reader.commit().unwrap_err().is_retryable());
}

/// A float is compared with an int as a float, so a large one equals several ints.
#[test]
fn what_equals_a_large_float_is_found_by_it_as_the_first_of_several_keys() {
    let graph = memory();
    create(&graph, &["city", "age"]);
    let transaction = graph.begin();
    let v = transaction.add_vertex(None, "person").unwrap();
    for (key, value) in [("city", Value::Int(16_777_217)), ("age", Value::Int(5))] {
        transaction.set_vertex_property(v, None, key, value, &[]).unwrap();
    }
    transaction.commit().unwrap();
    let (equal, low) = ([Value::Float(16_777_216.0)], Value::Int(3));
    let snapshot = graph.snapshot();
    let exact = expected(&snapshot, &["city", "age"], &equal, (Some(&low), None));
    assert_eq!(exact.len(), 1, "they are equal");
    assert!(found(&snapshot, &["city", "age"], &equal, (Some(&low), None)).unwrap().is_superset(&exact));
}
