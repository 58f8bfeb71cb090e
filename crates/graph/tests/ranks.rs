//! What ranks say of the values of a stripe is what reading them one by one says, or nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use graph::{Cardinality, Graph, GraphOptions, KeyId, Reader, Value, VertexRef};
use store::MemoryStore;

const PERSONS: usize = 3000;

/// As often as it takes to make ranks worth while.
const OFTEN: usize = 1 << 30;

/// Persons, most of whom have an age and a name, and a film.
fn build(rng: &mut Rng, budget: usize) -> (Graph, Vec<VertexRef>) {
    let options = GraphOptions { cache_bytes: budget, ..GraphOptions::default() };
    let graph = Graph::open(Arc::new(MemoryStore::new()), options).unwrap();
    let transaction = graph.begin();
    let mut persons = Vec::new();
    for _ in 0..PERSONS {
        let v = transaction.add_vertex(None, "person").unwrap();
        if rng.u8(..10) > 0 {
            let name = Value::from(format!("name {}", rng.u8(..50)));
            transaction.set_vertex_property(v, None, "name", name, &[]).unwrap();
            transaction.set_vertex_property(v, None, "age", Value::Long(age(rng)), &[]).unwrap();
        }
        persons.push(v);
    }
    transaction.commit().unwrap();
    graph.flush().unwrap();
    (graph, persons)
}

fn age(rng: &mut Rng) -> i64 {
    match rng.u8(..8) {
        0 => i64::MIN,
        1 => i64::MAX,
        _ => rng.i64(-40..40),
    }
}

/// Compares ranks, if there are any, with what is read one by one; whether there were.
fn compare(reader: &Reader<'_>, persons: &[VertexRef], rng: &mut Rng) -> (bool, bool) {
    let catalog = reader.snapshot().catalog().clone();
    let (age_key, name_key) = (catalog.key("age").unwrap(), catalog.key("name").unwrap());
    let any =
        |rng: &mut Rng| (0..rng.usize(1..400)).map(|_| *rng.choice(persons).unwrap()).collect::<Vec<_>>();
    let ages = ready(reader, persons[0], age_key);
    if let Some(ranks) = ages {
        for _ in 0..30 {
            let (some, low, high) = (any(rng), age(rng), age(rng));
            let value = |v: VertexRef| reader.value(v, age_key).and_then(|value| value.as_i64());
            let holds = |v: &&VertexRef| value(**v).is_some_and(|long| (low..=high).contains(&long));
            // First by ranks, then by a filter.
            for _ in 0..20 {
                let counted = ranks.longs(low, high).unwrap().count(some[..].into());
                assert_eq!(counted, Some(some.iter().filter(holds).count()), "{low} to {high}");
            }
        }
        assert!(ranks.string("name 7").is_none(), "they are longs");
        assert!(ranks.longs(0, 1).unwrap().count([persons[0], VertexRef(9 << 16)][..].into()).is_none());
    }
    let names = ready(reader, persons[0], name_key);
    if let Some(ranks) = names {
        for n in 0..55 {
            let (some, text) = (any(rng), format!("name {n}"));
            let has = |v: &&VertexRef| reader.value(**v, name_key).is_some_and(|v| v == Value::from(&*text));
            let count = some.iter().filter(has).count();
            assert_eq!(ranks.string(&text).unwrap().count(some[..].into()), Some(count), "{text}");
        }
        assert!(ranks.longs(0, 1).is_none(), "they are strings");
    }
    (ages.is_some(), names.is_some())
}

/// The ranks, asked for often enough.
fn ready<'r>(reader: &'r Reader<'_>, v: VertexRef, key: KeyId) -> Option<graph::StripeRanks<'r>> {
    reader.note_asked(v, key, OFTEN);
    reader.ranks_near(v, key)
}

#[test]
fn they_agree_at_every_snapshot_before_and_after_changes() {
    for seed in 0..4 {
        let mut rng = Rng::with_seed(seed);
        let (graph, persons) = build(&mut rng, 1 << 30);
        for _ in 0..4 {
            let before = graph.snapshot();
            assert_eq!(compare(&before.reader(), &persons, &mut rng), (true, true));
            let transaction = graph.begin();
            let v = *rng.choice(&persons).unwrap();
            transaction.set_vertex_property(v, None, "age", Value::Long(7), &[]).unwrap();
            assert_eq!(
                compare(&transaction.snapshot().reader(), &persons, &mut rng),
                (false, false),
                "it has changes"
            );
            transaction.commit().unwrap();
            for snapshot in [&before, &graph.snapshot()] {
                assert_eq!(compare(&snapshot.reader(), &persons, &mut rng), (false, true));
            }
            drop(before);
            graph.flush().unwrap();
        }
    }
}

#[test]
fn what_is_new_removed_or_of_another_type_has_no_ranks_or_the_right_ones() {
    let mut rng = Rng::with_seed(7);
    let (graph, mut persons) = build(&mut rng, 1 << 30);
    assert_eq!(compare(&graph.snapshot().reader(), &persons, &mut rng), (true, true));
    let transaction = graph.begin();
    persons.push(transaction.add_vertex(None, "person").unwrap());
    transaction.commit().unwrap();
    // It has no values: what is known of the others says so.
    assert_eq!(compare(&graph.snapshot().reader(), &persons, &mut rng), (true, true));
    let transaction = graph.begin();
    transaction.set_vertex_property(persons[PERSONS], None, "age", Value::Int(5), &[]).unwrap();
    let names = Cardinality::List;
    transaction.set_vertex_property(persons[0], names, "name", Value::from("another"), &[]).unwrap();
    transaction.drop_vertex(persons[1]).unwrap();
    transaction.commit().unwrap();
    graph.flush().unwrap();
    assert_eq!(compare(&graph.snapshot().reader(), &persons[2..PERSONS], &mut rng), (false, false));
}

#[test]
fn they_are_made_when_they_pay() {
    let mut rng = Rng::with_seed(3);
    let (graph, persons) = build(&mut rng, 1 << 30);
    let snapshot = graph.snapshot();
    let (reader, key) = (snapshot.reader(), snapshot.catalog().key("age").unwrap());
    for _ in 0..10 {
        assert!(reader.ranks_near(persons[0], key).is_none(), "asking for ranks is no reason to make any");
        reader.note_asked(persons[0], key, 4096);
    }
    reader.note_asked(persons[0], key, 30 * 4096);
    assert!(reader.ranks_near(persons[0], key).is_some());
    // Of what was there before, some may have been freed meanwhile.
    assert!(graph.stats().cache_bytes > (256 << 10), "they are charged");
}

#[test]
fn they_go_when_memory_is_short() {
    const BUDGET: usize = 400 << 10;
    let mut rng = Rng::with_seed(4);
    let (graph, persons) = build(&mut rng, BUDGET);
    assert_eq!(compare(&graph.snapshot().reader(), &persons, &mut rng), (true, true));
    // The ranks of two keys are larger than the budget.
    assert!(graph.stats().cache_bytes > 512 << 10);
    for n in 0..4 {
        let transaction = graph.begin();
        let film = transaction.add_vertex(None, "film").unwrap();
        transaction.set_vertex_property(film, None, "title", Value::Int(n), &[]).unwrap();
        transaction.commit().unwrap();
        graph.flush().unwrap();
    }
    // What has left is freed while others begin to read, once who may be reading it has ended, also in other tests.
    let (begun, bytes) = (Instant::now(), || graph.stats().cache_bytes);
    while bytes() > BUDGET as u64 && begun.elapsed() < Duration::from_secs(60) {
        drop(graph.snapshot().reader());
    }
    assert!(bytes() <= BUDGET as u64, "{} bytes", bytes());
    let snapshot = graph.snapshot();
    compare(&snapshot.reader(), &persons, &mut rng);
    snapshot.check().unwrap();
}
