//! Requests that race: what another one did meanwhile is no error, the request is run again.

mod clients;

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use clients::{ask, ask_for};
use mangrove::{
    Database, DatabaseOptions,
    graph::{IndexDescription, IndexKind},
    store::{MemoryStore, ObservedStore},
    values::Value,
};
use server::Database as _;

const CLIENTS: i64 = 8;

/// A graph on a disk that takes as long for a commit as a slow one does: while one commits, all others read what was before.
fn on_a_slow_disk() -> Database {
    on_a_slow_disk_with(DatabaseOptions::default())
}

fn on_a_slow_disk_with(options: DatabaseOptions) -> Database {
    let slow = ObservedStore::new(Arc::new(MemoryStore::new()), || ())
        .before_writes(|| std::thread::sleep(Duration::from_millis(5)));
    Database::over(Arc::new(slow), options).unwrap()
}

/// What requests were refused with, and how often.
type Refused = BTreeMap<String, u32>;

/// Runs a script of all clients at once, `times` times each. `x` is the client, `y` a number that grows with each request.
fn race(db: &Database, script: &str, times: i64) -> Refused {
    let refused = Mutex::new(Refused::new());
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let refused = &refused;
            scope.spawn(move || {
                for n in 0..times {
                    let bindings = [("x", Value::Long(client)), ("y", Value::Long(n))];
                    if let Err(error) = ask_for(db, script, &bindings).outcome() {
                        let said = error.to_string().chars().take(120).collect();
                        *refused.lock().unwrap().entry(said).or_default() += 1;
                    }
                }
            });
        }
    });
    refused.into_inner().unwrap()
}

fn count(db: &Database, script: &str) -> i64 {
    ask(db, script).results()[0].as_i64().unwrap()
}

#[test]
fn an_upsert_by_id_that_races_finds_what_another_one_has_added() {
    let db = on_a_slow_disk();
    let upsert = "g.V(y).fold().coalesce(unfold(), addV('u').property(id, y)).property('n', x)";
    assert_eq!(race(&db, upsert, 25), Refused::new());
    assert_eq!(count(&db, "g.V().hasLabel('u').count()"), 25);
}

#[test]
fn an_upsert_by_a_unique_key_that_races_finds_what_another_one_has_added() {
    let db = on_a_slow_disk();
    let index = IndexDescription { label: "u".into(), keys: vec!["k".into()], kind: IndexKind::Unique };
    db.graph().declare_index(&index).unwrap();
    db.graph().await_index(&index).unwrap();
    let upsert =
        "g.V().has('u', 'k', y).fold().coalesce(unfold(), addV('u').property('k', y)).property('n', x)";
    assert_eq!(race(&db, upsert, 25), Refused::new());
    assert_eq!(count(&db, "g.V().hasLabel('u').count()"), 25);
}

#[test]
fn an_upsert_without_an_index_that_races_finds_what_another_one_has_added() {
    let db = on_a_slow_disk();
    let upsert =
        "g.V().has('u', 'k', y).fold().coalesce(unfold(), addV('u').property('k', y)).property('n', x)";
    assert_eq!(race(&db, upsert, 25), Refused::new());
    assert_eq!(count(&db, "g.V().hasLabel('u').count()"), 25);
}

#[test]
fn merges_that_race_make_no_element_twice() {
    let index = IndexDescription { label: "u".into(), keys: vec!["k".into()], kind: IndexKind::Equality };
    for indexed in [false, true] {
        let db = on_a_slow_disk();
        if indexed {
            db.graph().declare_index(&index).unwrap();
            db.graph().await_index(&index).unwrap();
        }
        let merge = "g.mergeV([(T.label): 'u', k: y]).option(onCreate, [n: x]).option(onMatch, [m: x])";
        assert_eq!(race(&db, merge, 25), Refused::new());
        assert_eq!(count(&db, "g.V().count()"), 25);
        assert_eq!(count(&db, "g.V().has('m').count()"), 25);
        let merge = "g.mergeE([(OUT): Merge.outV, (IN): Merge.inV, (T.label): 'e', k: y]).\
            option(outV, [k: 0L]).option(inV, [k: y])";
        assert_eq!(race(&db, merge, 25), Refused::new());
        assert_eq!(count(&db, "g.E().count()"), 25);
    }
}

#[test]
fn increments_of_one_property_by_many_clients_are_all_counted() {
    let db = on_a_slow_disk();
    ask(&db, "g.addV('counter').property(id, 'c').property('n', 0)").outcome().unwrap();
    assert_eq!(race(&db, "g.V('c').property('n', values('n').math('_ + 1'))", 25), Refused::new());
    assert_eq!(ask(&db, "g.V('c').values('n')").texts_at_end(), [format!("{}.0", CLIENTS * 25)]);
}

/// What `/metrics` says, all labels together.
fn metric(db: &Database, name: &str) -> f64 {
    db.metrics().iter().filter(|metric| metric.name == name).map(|metric| metric.value).sum()
}

#[test]
fn attempts_conflicts_and_refusals_are_counted() {
    let increment = "g.V('c').property('n', values('n').math('_ + 1'))";
    for retries in [0, 100] {
        let options = DatabaseOptions { write_retries: retries, ..DatabaseOptions::default() };
        let db = on_a_slow_disk_with(options);
        ask(&db, "g.addV('counter').property(id, 'c').property('n', 0)").outcome().unwrap();
        let refused: u32 = race(&db, increment, 10).values().sum();
        let (attempts, conflicts) = (metric(&db, "commit_attempts"), metric(&db, "commit_conflicts"));
        assert!(conflicts > 0.0, "eight clients, one counter");
        assert_eq!(metric(&db, "commits_refused"), f64::from(refused));
        assert_eq!(refused > 0, retries == 0);
        let committed = f64::from(1 + 10 * CLIENTS as u32 - refused);
        assert_eq!(attempts, committed + conflicts, "{retries} retries");
    }
}

#[test]
fn changes_of_different_properties_of_one_vertex_do_not_touch() {
    let slow = DatabaseOptions { write_retries: 0, ..DatabaseOptions::default() };
    let db = on_a_slow_disk_with(slow);
    ask(&db, "g.addV('hub').property(id, 'h')").outcome().unwrap();
    let refused = Mutex::new(Refused::new());
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (db, refused) = (&db, &refused);
            scope.spawn(move || {
                for n in 0..20 {
                    let text = format!("g.V('h').property(single, 'p{client}', {n})");
                    if let Err(error) = ask(db, &text).outcome() {
                        *refused.lock().unwrap().entry(error.to_string()).or_default() += 1;
                    }
                }
            });
        }
    });
    // The first of each key may lose against another that brings a name, and nothing is tried again here.
    assert_eq!(refused.into_inner().unwrap(), Refused::new());
    assert_eq!(count(&db, "g.V('h').properties().count()"), CLIENTS);
}

#[test]
fn a_large_change_beside_many_small_ones_commits_at_the_second_try() {
    let db = on_a_slow_disk_with(DatabaseOptions { write_retries: 1, ..DatabaseOptions::default() });
    ask(&db, "g.inject(1).repeat(identity()).times(1).addV('u')").outcome().unwrap();
    for _ in 0..11 {
        ask(&db, "g.V().hasLabel('u').addV('u')").outcome().unwrap();
    }
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for client in 0..4 {
            let (db, stop) = (&db, &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    // It may lose twice itself: what is tested is that the large one does not.
                    let _ =
                        ask_for(db, "g.addV('u').property('n', x)", &[("x", Value::Long(client))]).outcome();
                }
            });
        }
        let update = |n: i64| ask(&db, &format!("g.V().hasLabel('u').property('k', {n}).count()")).outcome();
        let outcomes: Vec<_> = (0..3).map(update).collect();
        stop.store(true, Ordering::Relaxed);
        outcomes.into_iter().for_each(|outcome| drop(outcome.unwrap()));
    });
}
