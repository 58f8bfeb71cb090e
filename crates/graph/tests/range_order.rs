//! Range indexes read in order: the same as sorting everybody, from any place on, with any values, in transactions too.

mod naive;

use std::sync::Arc;

use graph::{
    Cardinality, Graph, GraphOptions, IndexDescription, IndexKind, OrderCursor, RangeQuery, ScanCursor,
    Snapshot, Value, VertexRef,
};
use naive::Random;
use store::MemoryStore;
use values::compare;

const KEYS: [&str; 2] = ["city", "age"];

fn memory() -> Graph {
    let options = GraphOptions { merge_versions: 4, ..GraphOptions::default() };
    Graph::open(Arc::new(MemoryStore::new()), options).unwrap()
}

fn create(graph: &Graph, keys: &[&str]) {
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    let index = IndexDescription { label: "person".into(), keys, kind: IndexKind::Range };
    graph.declare_index(&index).unwrap();
    graph.await_index(&index).unwrap();
}

/// Few of most, so that many are equal; some that share their bytes in the index, although they differ.
fn random_value(random: &mut Random) -> Value {
    match random.below(9) {
        0 | 1 => Value::Int(random.below(12) as i32),
        2 => Value::Long((1 << 60) + random.below(3) as i64),
        3 => Value::Double(random.below(24) as f64 / 2.0),
        4 => Value::from(format!("v{}", random.below(9))),
        5 => Value::from(format!("{}{}", "long".repeat(80), random.below(4))),
        6 => Value::list(vec![Value::Int(random.below(3) as i32)]),
        7 => Value::Int(16_777_216 + random.below(3) as i32),
        _ => Value::Bool(random.below(2) == 0),
    }
}

fn first_value(snapshot: &Snapshot, v: VertexRef, key: &str) -> Option<Value> {
    snapshot.reader().value(v, snapshot.catalog().key(key)?)
}

/// The values of all that are read, in the order in which they are.
fn read(
    snapshot: &Snapshot,
    keys: &[&str],
    equal: &[Value],
    low: Option<&Value>,
    (descending, limit): (bool, usize),
) -> Option<Vec<(VertexRef, Value)>> {
    let catalog = snapshot.catalog();
    let (label, by) = (catalog.vertex_label("person").unwrap(), keys[equal.len()]);
    let keys: Vec<_> = keys.iter().map(|key| catalog.key(key).unwrap()).collect();
    let (mut cursor, mut found) = (OrderCursor::default(), Vec::new());
    loop {
        let before = found.len();
        let query = RangeQuery { label, keys: &keys, equal, low, high: None };
        let more = snapshot.reader().range_in_order(query, descending, &mut cursor, limit, &mut found)?;
        assert!(!more || found.len() >= before + limit, "fewer than asked for, and yet more");
        if !more {
            break;
        }
    }
    Some(found.into_iter().map(|v| (v, first_value(snapshot, v, by).unwrap())).collect())
}

fn check(snapshot: &Snapshot, keys: &[&str], random: &mut Random, context: &str) {
    let mut everybody = Vec::new();
    let label = snapshot.catalog().vertex_label("person").unwrap();
    snapshot.reader().scan_vertices(Some(label), &mut ScanCursor::default(), usize::MAX >> 1, &mut everybody);
    for equal in [Vec::new(), vec![random_value(random)]].into_iter().take(keys.len()) {
        for descending in [false, true] {
            let how = (descending, random.below(7) + 1);
            let low = Some(random_value(random)).filter(|_| random.below(2) == 0);
            let Some(found) = read(snapshot, keys, &equal, low.as_ref(), how) else {
                continue;
            };
            let sorted = |values: &[(VertexRef, Value)]| {
                values.is_sorted_by(|(_, a), (_, b)| {
                    let ordering = compare::order(a, b);
                    if descending { ordering.is_ge() } else { ordering.is_le() }
                })
            };
            assert!(sorted(&found), "{context}: {found:?}");
            let mut once: Vec<VertexRef> = found.iter().map(|(v, _)| *v).collect();
            once.sort_unstable();
            assert!(once.is_sorted_by(|a, b| a < b), "{context}: one is there twice");
            let wanted = |v: &&VertexRef| {
                let Some(value) = first_value(snapshot, **v, keys[equal.len()]) else { return false };
                let fits =
                    low.as_ref().is_none_or(|low| compare::compare(&value, low).is_some_and(|o| o.is_ge()));
                let equals = |(key, value): (&&str, &Value)| {
                    first_value(snapshot, **v, key).is_some_and(|own| compare::equals(&own, value))
                };
                fits && keys.iter().zip(&equal).all(equals)
            };
            for v in everybody.iter().filter(wanted) {
                assert!(once.binary_search(v).is_ok(), "{context}: {v:?} is missing, {equal:?} from {low:?}");
            }
            if equal.is_empty() && low.is_none() {
                let with_value = everybody.iter().filter(|v| first_value(snapshot, **v, keys[0]).is_some());
                assert_eq!(once.len(), with_value.count(), "{context}: who has no value has no place");
            }
        }
    }
}

fn change(transaction: &graph::Transaction, people: &mut Vec<VertexRef>, random: &mut Random) {
    let any = |people: &[VertexRef], random: &mut Random| people[random.below(people.len())];
    match random.below(8) {
        0..3 => people.push(transaction.add_vertex(None, "person").unwrap()),
        3..7 if !people.is_empty() => {
            let v = any(people, random);
            // Some have several values; the first decides.
            let cardinality = [Cardinality::Single, Cardinality::Single, Cardinality::List][random.below(3)];
            let key = KEYS[random.below(2)];
            transaction.set_vertex_property(v, Some(cardinality), key, random_value(random), &[]).unwrap();
        }
        7 if people.len() > 5 => {
            let place = random.below(people.len());
            transaction.drop_vertex(people.swap_remove(place)).unwrap();
        }
        _ => {}
    }
}

#[test]
fn reading_in_order_is_sorting_everybody() {
    for seed in 1..=4 {
        let (graph, mut random) = (memory(), Random::new(seed));
        let mut people = Vec::new();
        let transaction = graph.begin();
        for _ in 0..30 {
            people.push(transaction.add_vertex(None, "person").unwrap());
        }
        for key in KEYS {
            transaction.set_vertex_property(people[0], None, key, Value::Int(1), &[]).unwrap();
        }
        transaction.commit().unwrap();
        create(&graph, &["age"]);
        create(&graph, &KEYS);
        let mut old = Vec::new();
        for round in 0..60 {
            let transaction = graph.begin();
            (0..random.below(12) + 1).for_each(|_| change(&transaction, &mut people, &mut random));
            let context = format!("seed {seed}, round {round}");
            for keys in [&KEYS[1..], &KEYS[..]] {
                check(&transaction.snapshot(), keys, &mut random, &format!("{context}, in the transaction"));
            }
            transaction.commit().unwrap();
            for keys in [&KEYS[1..], &KEYS[..]] {
                check(&graph.snapshot(), keys, &mut random, &context);
            }
            if round % 20 == 0 {
                old.push(graph.snapshot());
            }
        }
        for snapshot in &old {
            check(snapshot, &KEYS[1..], &mut random, "an old snapshot");
        }
    }
}
