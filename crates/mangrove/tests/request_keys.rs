//! Requests that carry a key are done once.

mod clients;

use std::{sync::Arc, sync::mpsc, time::Duration};

use clients::{Asked, Sink, ask, query, submit};
use mangrove::{Database, DatabaseOptions, ErrorKind, RequestKeyOptions};
use server::{Client, Database as _, End, Input, Query, QueryError, Session, Summary};

fn count(db: &Database) -> String {
    ask(db, "g.V().count()").texts_at_end().concat()
}

fn keyed(db: &Database, script: &str, key: &str) -> Asked {
    submit(db, Query { key: Some(key.into()), ..query(script) }, usize::MAX)
}

fn in_session(session: &Arc<dyn Session>, input: Input, key: Option<&str>) -> Asked {
    let (send, outcome) = mpsc::channel();
    let sink = Arc::new(Sink::new(send));
    let query = Query { input, key: key.map(Into::into), ..query("") };
    let running = session.submit(query, false, sink.clone());
    Asked { sink, outcome, running }
}

fn text(script: &str) -> Input {
    Input::Text { script: script.into(), source: "g".into(), bindings: Vec::new() }
}

fn with(request_keys: RequestKeyOptions) -> DatabaseOptions {
    DatabaseOptions { request_keys, ..DatabaseOptions::default() }
}

/// Sends a request again and again while the first of its key is under way; how it ended.
fn ended(db: &Database, script: &str, key: &str) -> Result<Summary, QueryError> {
    for _ in 0..2_000 {
        match keyed(db, script, key).outcome() {
            Err(error) if error.kind == ErrorKind::Busy => std::thread::sleep(Duration::from_millis(5)),
            ended => return ended,
        }
    }
    panic!("{key} is under way for ever")
}

#[test]
fn what_was_done_is_not_done_again_and_is_answered_as_before() {
    let db = Database::in_memory().unwrap();
    let first = keyed(&db, "g.addV('a').property(id, 7).id()", "one").texts_at_end();
    let again = keyed(&db, "g.addV('a').property(id, 7).id()", "one");
    assert!(again.outcome().unwrap().warnings[0].contains("done before"));
    assert_eq!((again.texts(), count(&db)), (first, "1".into()));
    keyed(&db, "g.addV('a')", "two").texts_at_end();
    assert_eq!(count(&db), "2");
    // Scripts of several statements, and the option of a traversal.
    for _ in 0..2 {
        keyed(&db, "g.addV('a'); g.addV('b').label()", "three").texts_at_end();
        ask(&db, "g.with('mangrove.requestKey', 'four').addV('a')").texts_at_end();
    }
    assert_eq!(count(&db), "5");
    assert!(ask(&db, "g.with('mangrove.requestKey', 4).addV('a')").outcome().is_err());
}

#[test]
fn what_failed_is_done_when_it_is_sent_again() {
    let db = Database::in_memory().unwrap();
    assert_eq!(keyed(&db, "g.addV('a').fail()", "k").outcome().unwrap_err().kind, ErrorKind::FailStep);
    keyed(&db, "g.addV('a')", "k").texts_at_end();
    // And so is what was given up.
    let endless = "g.inject(1).repeat(identity()).until(constant(1).is(2)).addV('b')";
    let given_up = keyed(&db, endless, "g");
    assert_eq!(keyed(&db, endless, "g").outcome().unwrap_err().kind, ErrorKind::Busy);
    let other = keyed(&db, "g.addV('b')", "g").outcome().unwrap_err();
    assert!(other.message.contains("another request"), "{other}");
    drop(given_up);
    // It is forgotten soon, so that another may have its key.
    let mut tries = 0;
    while keyed(&db, "g.addV('b')", "g").outcome().is_err() {
        tries += 1;
        assert!(tries < 2_000, "it is never forgotten");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(count(&db), "2");
}

#[test]
fn so_many_are_remembered_for_so_long() {
    let options = with(RequestKeyOptions { most: 3, ..RequestKeyOptions::default() });
    let db = Database::in_memory_with(options).unwrap();
    for key in ["a", "b", "c", "d", "d", "a"] {
        keyed(&db, "g.addV('v')", key).texts_at_end();
    }
    assert_eq!(count(&db), "5", "the second d is known, the second a is not");
    let time = Duration::from_millis(50);
    let options = with(RequestKeyOptions { time, ..RequestKeyOptions::default() });
    let db = Database::in_memory_with(options).unwrap();
    keyed(&db, "g.addV('v')", "a").texts_at_end();
    std::thread::sleep(Duration::from_millis(60));
    keyed(&db, "g.addV('v')", "a").texts_at_end();
    assert_eq!(count(&db), "2");
}

#[test]
fn a_commit_whose_answer_was_lost_can_be_asked_for() {
    let db = Database::in_memory().unwrap();
    let session = || {
        db.session(Client { user: None, tenant: None, address: [127, 0, 0, 1].into(), connection: 1 })
            .unwrap()
    };
    for commit in [text("g.tx().commit()"), Input::End(End::Commit)] {
        let key = format!("{commit:?}");
        let first = session();
        in_session(&first, text("g.addV('a')"), None).texts_at_end();
        assert!(
            in_session(&first, text("g.addV('a')"), Some(&key)).outcome().is_err(),
            "it may be rolled back"
        );
        in_session(&first, commit.clone(), Some(&key)).texts_at_end();
        drop(first);
        let second = session();
        let told = in_session(&second, commit.clone(), Some(&key)).outcome().unwrap();
        assert!(told.warnings[0].contains("done before"));
        let other = in_session(&second, commit, Some("never")).outcome().unwrap_err();
        assert_eq!(other.kind, ErrorKind::Transaction);
    }
    assert_eq!(count(&db), "2");
}

#[test]
fn another_request_with_the_same_key_is_refused_and_the_first_stays() {
    let db = Database::in_memory().unwrap();
    keyed(&db, "g.addV('a').values()", "k").texts_at_end();
    let bound = |value: i32| Input::Text {
        script: "g.addV('a').property('p', x)".into(),
        source: "g".into(),
        bindings: vec![("x".into(), values::Value::from(value).into())],
    };
    for other in ["g.addV('b')", "g.addV('a').values() ", "g.V().drop()"] {
        let error = keyed(&db, other, "k").outcome().unwrap_err();
        assert!(error.message.contains("another request"), "{other}: {error}");
    }
    for (value, is_other) in [(1, false), (1, false), (2, true)] {
        let asked = Query { input: bound(value), key: Some("x".into()), ..query("") };
        assert_eq!(submit(&db, asked, usize::MAX).outcome().is_err(), is_other, "{value}");
    }
    assert_eq!(count(&db), "2");
    assert!(keyed(&db, "g.addV('a').values()", "k").outcome().is_ok());
}

/// Clients that go at any moment, before the commit, while it waits for the disk, or after: who asks again finds each request done once.
#[test]
fn requests_whose_clients_go_are_done_once() {
    const REQUESTS: u64 = 150;
    let directory = tempfile::tempdir().unwrap();
    let db = Database::open(directory.path().join("graph")).unwrap();
    let (mut done_before, mut given_up) = (0, 0);
    for n in 0..REQUESTS {
        let script = match n % 3 {
            0 => format!("g.addV('a').property('n', {n})"),
            1 => format!("g.addV('a').property('n', {n}); g.V().count()"),
            _ => format!("v = g.addV('a').next(); g.V(v).property('n', {n}); g.tx().commit()"),
        };
        let first = keyed(&db, &script, &n.to_string());
        if n % 4 > 0 {
            std::thread::sleep(Duration::from_micros(n * 17 % 2_000));
        }
        drop(first);
        let ended = ended(&db, &script, &n.to_string()).unwrap_or_else(|error| panic!("{script}: {error}"));
        if ended.warnings.is_empty() { given_up += 1 } else { done_before += 1 }
    }
    assert_eq!(count(&db), REQUESTS.to_string());
    assert_eq!(ask(&db, "g.V().values('n').dedup().count()").texts_at_end(), [REQUESTS.to_string()]);
    assert!(done_before > 0 && given_up > 0, "{done_before} were done before, {given_up} given up");
}

#[test]
fn what_was_committed_for_a_client_that_took_nothing_is_done() {
    let db = Database::in_memory().unwrap();
    let first = submit(&db, Query { key: Some("k".into()), ..query("g.addV('a').id()") }, 0);
    while count(&db) == "0" {
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(first);
    let told = ended(&db, "g.addV('a').id()", "k").unwrap();
    assert!(told.warnings[0].contains("its results were not kept"), "{:?}", told.warnings);
    assert_eq!(count(&db), "1");
}

#[test]
fn a_script_with_a_key_commits_once_at_its_end() {
    let db = Database::in_memory().unwrap();
    let error = keyed(&db, "g.addV('a'); g.tx().commit(); g.addV('b')", "k").outcome().unwrap_err();
    assert!(error.message.contains("last statement"), "{error}");
    assert_eq!(count(&db), "0");
    keyed(&db, "g.addV('a'); g.tx().commit()", "k").texts_at_end();
    assert_eq!(count(&db), "1");
}

#[test]
fn where_no_key_can_be_kept_it_is_refused_by_name() {
    let db = Database::in_memory().unwrap();
    let said = "g.with('mangrove.requestKey', 'k').addV('a')";
    assert!(db.query(said).unwrap_err().to_string().contains("requestKey"));
    let several = ask(&db, &format!("g.addV('a'); {said}")).outcome().unwrap_err();
    assert!(several.message.contains("argument requestKey"), "{several}");
    assert!(keyed(&db, said, "other").outcome().unwrap_err().message.contains("keep one"));
    let service = keyed(&db, "g.call('mangrove.index.list')", "s").outcome().unwrap_err();
    assert!(service.message.contains("service"), "{service}");
    assert_eq!(count(&db), "0");
}
