//! A request sees the graph, and the names in it, as of one moment.

mod clients;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use clients::{Asked, ask};
use mangrove::{
    Database, DatabaseOptions,
    store::{MemoryStore, ObservedStore},
    values::Value,
};

/// A reader who is planned before a label is there must not meet the commit that brought the label.
#[test]
fn a_request_knows_the_names_of_everything_it_sees() {
    const ROUNDS: usize = 4_000;
    let db = Database::in_memory().unwrap();
    ask(&db, "g.addV('hub').property(id, 'hub').property('n', -1)").outcome().unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut n = 0;
                while !stop.load(Ordering::Relaxed) && n < ROUNDS {
                    let text = format!("g.V('hub').has('n', gte({n})).map(V().hasLabel('l{n}').count())");
                    let seen = ask(&db, &text);
                    seen.outcome().unwrap();
                    match seen.texts().as_slice() {
                        [] => {}
                        [one] if one == "1" => n += 1,
                        other => {
                            panic!("round {n}: the property is there, and vertices of the label: {other:?}")
                        }
                    }
                }
            });
        }
        for n in 0..ROUNDS {
            ask(&db, &format!("g.V('hub').property('n', {n}).addV('l{n}')")).outcome().unwrap();
        }
        stop.store(true, Ordering::Relaxed);
    });
}

/// Two requests that each write one vertex and return the other: in whichever order they commit, the later one returns what the
/// earlier has written.
#[test]
fn of_two_requests_that_return_what_the_other_writes_one_shows_it() {
    const ROUNDS: i64 = 60;
    let slow = ObservedStore::new(Arc::new(MemoryStore::new()), || ())
        .before_writes(|| std::thread::sleep(Duration::from_millis(2)));
    let db = Database::over(Arc::new(slow), DatabaseOptions::default()).unwrap();
    for id in ["a", "b"] {
        ask(&db, &format!("g.addV('v').property(id, '{id}').property('n', -1)")).outcome().unwrap();
    }
    for (from, to) in [("a", "b"), ("b", "a")] {
        ask(&db, &format!("g.V('{from}').addE('e').to(V('{to}'))")).outcome().unwrap();
    }
    let shows = |asked: Asked| {
        let results = asked.results();
        let Some(Value::Vertex(other)) = results.first() else { panic!("{results:?}") };
        other.properties.iter().find(|property| property.key == "n").unwrap().value.as_i64().unwrap()
    };
    for n in 0..ROUNDS {
        let one = ask(&db, &format!("g.V('a').property('n', {n}).out('e')"));
        let other = ask(&db, &format!("g.V('b').property('n', {n}).out('e')"));
        let (one, other) = (shows(one), shows(other));
        assert!(one == n || other == n, "round {n}: one returned {one}, the other {other}");
    }
}

/// Writers whose guard is that a vertex has no edge of whatever label, each with a label that nobody knows yet.
#[test]
fn no_edge_of_any_label_is_no_edge_of_a_label_that_is_new_either() {
    const ROUNDS: i64 = 20;
    let db = Database::in_memory().unwrap();
    for guard in ["not(outE())", "where(outE().count().is(0))", "where(out().count().is(0))", "not(bothE())"]
    {
        for n in 0..ROUNDS {
            ask(&db, "g.V().drop()").outcome().unwrap();
            ask(&db, "g.addV('h').property(id, 'h').addV('t').property(id, 't')").outcome().unwrap();
            let name = guard.replace(|c: char| !c.is_alphabetic(), "");
            let add = |who: usize| ask(&db, &format!("g.V('h').{guard}.addE('{name}{n}by{who}').to(V('t'))"));
            let all: Vec<_> = (0..4).map(add).collect();
            all.iter().for_each(|asked| drop(asked.outcome().unwrap()));
            let edges = ask(&db, "g.E().count()").results();
            assert_eq!(edges, [Value::Long(1)], "{guard}, round {n}");
        }
    }
}

/// Whether the first of two transactions loses, if the second commits in its midst. A third one has been there, and was taken back.
fn loses(first: [&str; 2], taken_back: &str, second: &str) -> bool {
    let db = Database::in_memory().unwrap();
    for id in ["h", "other", "third"] {
        db.query(&format!("g.addV('hub').property(id, '{id}')")).unwrap();
    }
    let (a, b, c) = (db.transaction(), db.transaction(), db.transaction());
    first.iter().for_each(|text| drop(a.query(text).unwrap()));
    c.query(taken_back).unwrap();
    c.rollback();
    b.query(second).unwrap();
    b.commit().unwrap();
    a.commit().is_err()
}

#[test]
fn whoever_finds_a_name_unknown_has_read_that() {
    let properties = "g.V('h').property('k', 1)";
    let edge = "g.V('h').as('a').addE('e').from('a')";
    let vertex = "g.addV('u')";
    let unknown = [
        ("g.V('h').has('k', 1).count()", properties),
        ("g.V('h').values('k')", properties),
        ("g.V('h').project('a').by('k')", properties),
        ("g.V('h').valueMap('k')", properties),
        ("g.V('h').property('k', null)", properties),
        ("g.V('h').not(outE('e'))", edge),
        ("g.V('h').out('e').count()", edge),
        ("g.V().hasLabel('u').count()", vertex),
    ];
    let elsewhere = "g.V('third').property('another', 1)";
    for (read, write) in unknown {
        let seen = "g.V('other').property('seen', 1)";
        assert!(loses([read, seen], "g.V('h')", write), "{read}");
        assert!(loses([read, seen], write, write), "{read}, and the name is known by then, though not used");
        assert!(!loses([read, seen], write, elsewhere), "{read}, and another name was used");
        assert!(!loses([read, write], "g.V('h')", elsewhere), "{read}, and used by nobody else");
        assert!(!loses([read, "g.V('h')"], "g.V('h')", write), "{read}, and nothing written");
    }
}

/// A removal that finds nothing has read that there is nothing: who writes besides, and commits after another has put something
/// there, would else have gone before it here and after it there.
#[test]
fn that_there_is_nothing_to_remove_counts_as_read() {
    for (removal, other) in [
        ("g.V(1).property('x', null)", "g.V(1).property('x', 5)"),
        ("g.V(1).property(single, 'x', null)", "g.V(1).property('x', 5)"),
        ("g.V(1).property('unknown', null)", "g.V(1).property('unknown', 5)"),
        ("g.E(9).property('x', null)", "g.E(9).property('x', 5)"),
        ("g.E(9).property('unknown', null)", "g.E(9).property('unknown', 5)"),
        ("g.V(1).properties('y').property('unknown', null)", "g.V(1).properties('y').property('unknown', 5)"),
        ("g.mergeE([(T.id): 9]).option(onMatch, [unknown: null])", "g.E(9).property('unknown', 5)"),
    ] {
        let db = Database::in_memory().unwrap();
        let setup = "g.addV('p').property(id, 1).property('y', 0).as('a').addV('p').property(id, 2).property('x', 1)\
                     .addE('l').from('a').property(id, 9)";
        ask(&db, setup).outcome().unwrap();
        let transaction = db.transaction();
        let run = |text: &str| transaction.query(text).unwrap().for_each(|result| drop(result.unwrap()));
        // Not what it returns, which would be read as a whole.
        run(&format!("{removal}.count()"));
        ask(&db, other).outcome().unwrap();
        // Of a vertex that nobody else knows: only what was read can conflict.
        run("g.addV('q')");
        assert!(transaction.commit().is_err(), "{removal}");
    }
}

/// What a refusal says has been read as well: that somebody has this id, or this value.
#[test]
fn who_is_told_that_something_is_there_has_read_it() {
    for (given, taken, gone) in [
        ("g.addV('v').property(id, 7).property('u', 1)", "g.addV('w').property(id, 7)", "g.V(7).drop()"),
        ("g.addV('v').property(id, 7).property('u', 1)", "g.addV('v').property('u', 1)", "g.V(7).drop()"),
        (
            "g.V('hub').addE('e').to(V('hub')).property(id, 7)",
            "g.V('hub').addE('e').to(V('hub')).property(id, 7)",
            "g.E(7).drop()",
        ),
    ] {
        let db = Database::in_memory().unwrap();
        db.query("g.addV('hub').property(id, 'hub')").unwrap();
        db.query("g.call('mangrove.index.create', [label: 'v', key: 'u', kind: 'unique', wait: true])")
            .unwrap();
        db.query(given).unwrap();
        let one = db.transaction();
        let refused = one.query(taken).and_then(|results| results.collect::<Result<Vec<_>, _>>());
        assert!(refused.is_err(), "{taken}");
        drop(one.query("g.addV('seen')").unwrap());
        let other = db.transaction();
        drop(other.query("g.V().hasLabel('seen').count()").unwrap());
        drop(other.query(gone).unwrap());
        other.commit().unwrap();
        assert!(one.commit().is_err(), "{taken}");
    }
}
