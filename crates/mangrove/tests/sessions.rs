//! Sessions and scripts of several statements, as the server drives them.

mod clients;

use std::{
    sync::{Arc, mpsc},
    time::{Duration, Instant},
};

use clients::{Asked, Sink, ask, query};
use mangrove::{Accounts, Database, DatabaseOptions, ErrorKind, HolderAccounts, SessionOptions};
use server::{Client, Database as _, End, Input, Query, QueryError, Session};

fn database(sessions: SessionOptions) -> (Database, HolderAccounts) {
    let accounts = HolderAccounts::new(sessions.clone());
    let shared: Arc<dyn Accounts> = Arc::new(accounts.clone());
    let options = DatabaseOptions { sessions, accounts: Some(shared), ..DatabaseOptions::default() };
    (Database::in_memory_with(options).unwrap(), accounts)
}

/// A client with a session.
struct Guest(Arc<dyn Session>);

impl Guest {
    fn of(db: &Database) -> Self {
        Self::at(db, 1)
    }

    fn at(db: &Database, last: u8) -> Self {
        Self(
            db.session(Client { user: None, tenant: None, address: [10, 0, 0, last].into(), connection: 1 })
                .unwrap(),
        )
    }

    fn submit(&self, query: Query, manages: bool) -> Asked {
        let (send, outcome) = mpsc::channel();
        let sink = Arc::new(Sink::new(send));
        let running = self.0.submit(query, manages, sink.clone());
        Asked { sink, outcome, running }
    }

    fn ask(&self, script: &str) -> Asked {
        self.submit(query(script), false)
    }

    /// The answers of a script, as texts.
    fn texts(&self, script: &str) -> Vec<String> {
        self.ask(script).texts_at_end()
    }

    fn error(&self, script: &str) -> QueryError {
        self.ask(script).outcome().unwrap_err()
    }

    fn end(&self, end: End) -> Result<(), QueryError> {
        self.submit(Query { input: Input::End(end), ..query("") }, false).outcome().map(drop)
    }
}

fn count(db: &Database) -> String {
    ask(db, "g.V().count()").texts_at_end().concat()
}

/// Waits until something is so.
fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_session_is_one_transaction_on_one_snapshot_and_sees_its_own_writes() {
    let (db, accounts) = database(SessionOptions::default());
    let guest = Guest::of(&db);
    guest.texts("g.addV('a').property('n', 1)");
    ask(&db, "g.addV('b')").texts_at_end();
    assert_eq!(guest.texts("g.V().hasLabel('a').values('n')"), ["1"]);
    assert_eq!(Guest::of(&db).texts("g.V().label()"), ["b"], "others see it");
    let watcher = Guest::of(&db);
    assert_eq!(watcher.texts("g.V().count()"), ["1"]);
    ask(&db, "g.V().hasLabel('b').property('n', 2)").texts_at_end();
    assert_eq!(
        watcher.texts("g.V().hasLabel('b').has('n').count()"),
        ["0"],
        "what others commit meanwhile is not seen"
    );
    drop(watcher);
    assert_eq!(count(&db), "1", "nor do others see it");
    guest.end(End::Commit).unwrap();
    assert_eq!(count(&db), "2");
    // Who asked is told before what is left of his request is cleared away.
    eventually("a transaction is open", || accounts.open() == 0);
    assert_eq!(guest.texts("g.V().count()"), ["2"], "the next request begins another one");
    guest.texts("g.V().drop()");
    guest.end(End::Rollback).unwrap();
    assert_eq!((count(&db), accounts.open()), ("2".into(), 0));
}

#[test]
fn text_ends_transactions_too() {
    let (db, _) = database(SessionOptions::default());
    let guest = Guest::of(&db);
    guest.texts("g.addV('a'); g.tx().commit()");
    assert_eq!(count(&db), "1");
    guest.texts("g.tx().begin(); g.addV('a')");
    guest.texts("g.tx().rollback()");
    guest.texts("g.addV('a')");
    guest.texts("g.tx().close()");
    assert_eq!(count(&db), "1");
    // Outside of a session as well: what was committed stays, whatever comes behind.
    assert!(ask(&db, "g.addV('b'); g.tx().commit(); g.addV('c').fail()").outcome().is_err());
    assert_eq!(count(&db), "2");
}

#[test]
fn variables_stay_and_scripts_have_several_statements() {
    let (db, _) = database(SessionOptions::default());
    let guest = Guest::of(&db);
    assert_eq!(guest.texts("x = 5"), ["5"]);
    assert_eq!(guest.texts("def v = g.addV('a').property('n', x).next(); g.V(v).values('n')"), ["5"]);
    assert_eq!(guest.texts("every = g.V().toList(); g.V(every).count()"), ["1"]);
    assert_eq!(guest.texts("x; [1, 2]"), ["1", "2"]);
    assert_eq!(guest.texts("m = [a: 1, b: 2]; m"), ["{a=1}", "{b=2}"]);
    assert_eq!(guest.texts("g.inject([[1, 2], [3]]).next()"), ["[1, 2]", "[3]"]);
    assert_eq!(guest.texts("m = g.inject([a: 1, b: 2]).next(); g.inject(m)"), ["{a=1, b=2}"]);
    assert_eq!(guest.texts("n = g.V(v).values('n').next()\nn"), ["5"]);
    assert_eq!(guest.texts("g.V(v).hasNext()"), ["true"]);
    let input = Input::Text {
        script: "y".into(),
        source: "g".into(),
        bindings: vec![("y".into(), values::Value::from(7).into())],
    };
    assert_eq!(guest.submit(Query { input, ..query("") }, false).texts_at_end(), ["7"]);
    assert_eq!(guest.texts("y"), ["7"], "what a request brings stays, too");
    assert!(guest.error("z").message.contains("z"));
    assert!(guest.error("t = g.V()").message.contains("toList()"));
    // Of a script with a mistake nothing is done.
    guest.end(End::Commit).unwrap();
    assert_eq!(guest.error("g.addV(); g.nope()").kind, ErrorKind::Syntax);
    assert_eq!(guest.texts("g.V().count()"), ["1"]);
    assert_eq!(ask(&db, "x = 1; g.inject(x)").texts_at_end(), ["1"], "nor is a session needed");
    assert!(ask(&db, "x").outcome().is_err(), "and then nothing stays");
}

#[test]
fn a_script_without_a_session_is_one_transaction() {
    let (db, accounts) = database(SessionOptions::default());
    assert!(ask(&db, "g.addV('a'); g.addV('b').fail()").outcome().is_err());
    assert_eq!(count(&db), "0");
    assert_eq!(ask(&db, "g.addV('a'); v = g.addV('b').next(); g.V().count()").texts_at_end(), ["2"]);
    assert_eq!((count(&db), accounts.open()), ("2".into(), 0));
    eventually("somebody holds something", || accounts.holders() == 0);
}

#[test]
fn scripts_that_lose_against_each_other_are_run_again() {
    let (db, _) = database(SessionOptions::default());
    ask(&db, "g.addV('c').property('n', 0)").texts_at_end();
    let script =
        "n = g.V().values('n').next(); g.V().property('n', n).property('n', values('n').math('_ + 1'))";
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..10).for_each(|_| drop(ask(&db, script).texts_at_end())));
        }
    });
    assert_eq!(ask(&db, "g.V().values('n')").texts_at_end(), ["40.0"]);
}

#[test]
fn a_conflict_at_the_commit_says_to_begin_again() {
    let (db, _) = database(SessionOptions::default());
    ask(&db, "g.addV('c').property('n', 0)").texts_at_end();
    let (one, other) = (Guest::of(&db), Guest::of(&db));
    for guest in [&one, &other] {
        guest.texts("n = g.V().values('n').next()");
        guest.texts("g.V().property('n', 1)");
    }
    one.end(End::Commit).unwrap();
    let error = other.end(End::Commit).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Conflict);
    assert!(error.message.contains("begin again"), "{}", error.message);
    // Its client knows, so the next request begins another one.
    assert_eq!(other.texts("g.V().values('n')"), ["1"]);
    other.texts("g.V().property('n', 2)");
    other.end(End::Commit).unwrap();
}

#[test]
fn a_managed_request_is_a_transaction_of_its_own_and_ends_what_was_open() {
    let (db, accounts) = database(SessionOptions::default());
    let guest = Guest::of(&db);
    guest.texts("g.addV('forgotten')");
    guest.submit(query("g.addV('a')"), true).texts_at_end();
    assert_eq!(ask(&db, "g.V().label()").texts_at_end(), ["a"]);
    guest.submit(query("v = g.addV('b').next(); g.V(v).property('n', 1)"), true).texts_at_end();
    assert_eq!(guest.submit(query("g.V(v).values('n')"), true).texts_at_end(), ["1"]);
    assert!(guest.submit(query("g.addV('c'); g.V().fail()"), true).outcome().is_err());
    assert_eq!((count(&db), accounts.open()), ("2".into(), 0));
}

#[test]
fn a_request_that_fails_leaves_the_transaction_open() {
    let (db, _) = database(SessionOptions::default());
    let guest = Guest::of(&db);
    guest.texts("g.addV('a')");
    assert_eq!(guest.error("g.V().fail('no')").kind, ErrorKind::FailStep);
    assert_eq!(guest.error("g.nope()").kind, ErrorKind::Syntax);
    guest.end(End::Commit).unwrap();
    assert_eq!(count(&db), "1");
}

#[test]
fn a_time_out_rolls_back_and_nothing_goes_on_by_mistake() {
    let (db, accounts) = database(SessionOptions::default());
    let guest = Guest::of(&db);
    guest.texts("g.addV('a')");
    let endless = query("g.inject(1).repeat(identity()).until(constant(1).is(2)).count()");
    let late = Query { timeout: Some(Duration::from_millis(30)), ..endless };
    let error = guest.submit(late, false).outcome().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Timeout);
    assert!(error.message.contains("rolled back"), "{}", error.message);
    assert_eq!(accounts.open(), 0);
    assert_eq!(guest.error("g.addV('b')").kind, ErrorKind::Transaction);
    assert_eq!(guest.error("g.addV('c')").kind, ErrorKind::Transaction, "until its client has ended it, too");
    assert_eq!(guest.end(End::Commit).unwrap_err().kind, ErrorKind::Transaction);
    guest.texts("g.addV('d')");
    guest.end(End::Commit).unwrap();
    assert_eq!(ask(&db, "g.V().label()").texts_at_end(), ["d"]);
}

#[test]
fn who_is_idle_or_open_for_too_long_is_rolled_back_and_told() {
    let short = Duration::from_millis(80);
    let idle = SessionOptions { idle: short, ..SessionOptions::default() };
    let long = SessionOptions { lifetime: short, ..SessionOptions::default() };
    for (options, named) in [(idle, "sessions.idle_timeout"), (long, "sessions.lifetime")] {
        let (db, accounts) = database(options);
        let guest = Guest::of(&db);
        guest.texts("g.addV('a')");
        eventually("it is rolled back", || accounts.open() == 0);
        let error = guest.error("g.V()");
        assert_eq!(error.kind, ErrorKind::Transaction);
        assert!(error.message.contains(named) && error.message.contains("rollback()"), "{}", error.message);
        guest.end(End::Rollback).unwrap();
        assert_eq!(guest.texts("g.V().count()"), ["0"]);
    }
}

#[test]
fn a_request_has_no_more_time_than_its_transaction() {
    let lifetime = Duration::from_millis(150);
    let (db, accounts) = database(SessionOptions { lifetime, ..SessionOptions::default() });
    let guest = Guest::of(&db);
    let began = Instant::now();
    let error = guest.error("g.inject(1).repeat(identity()).until(constant(1).is(2)).count()");
    assert_eq!(error.kind, ErrorKind::Timeout);
    assert!(error.message.contains("sessions.lifetime"), "{}", error.message);
    assert!(began.elapsed() < Duration::from_secs(10));
    assert_eq!(accounts.open(), 0);
}

#[test]
fn there_are_so_many_open_transactions_of_an_address_and_in_all() {
    let options =
        SessionOptions { max_transactions: 3, max_transactions_per_address: 2, ..SessionOptions::default() };
    let (db, accounts) = database(options);
    let guests: Vec<_> = [1, 1, 1, 2, 2].map(|last| Guest::at(&db, last)).into();
    guests[0].texts("g.V()");
    guests[1].texts("g.V()");
    let error = guests[2].error("g.V()");
    assert_eq!(error.kind, ErrorKind::Busy);
    assert!(error.message.contains("sessions.max_transactions_per_address"), "{}", error.message);
    guests[3].texts("g.V()");
    assert!(guests[4].error("g.V()").message.contains("sessions.max_transactions allows"));
    guests[0].end(End::Commit).unwrap();
    assert!(guests[4].ask("g.V()").outcome().is_ok(), "a place is free again");
    drop(guests);
    // A request lets go of its session behind its answer, on a thread of its own.
    eventually("all are given back", || (accounts.open(), accounts.holders()) == (0, 0));
}

#[test]
fn what_an_address_holds_is_bounded_and_a_full_transaction_is_rolled_back() {
    let options = SessionOptions { max_bytes_per_address: 1 << 20, ..SessionOptions::default() };
    let (db, accounts) = database(options);
    let guest = Guest::of(&db);
    let large = "x".repeat(10_000);
    let error = (0..1_000)
        .find_map(|_| guest.ask(&format!("g.addV('a').property('text', '{large}')")).outcome().err())
        .expect("there is a bound");
    assert_eq!(error.kind, ErrorKind::Limit);
    assert!(error.message.contains("rolled back"), "{}", error.message);
    assert_eq!((count(&db), accounts.open()), ("0".into(), 0));
    assert_eq!(guest.error("g.V()").kind, ErrorKind::Transaction);
    // Others are not held up by it.
    let other = Guest::at(&db, 2);
    other.texts("g.addV('a')");
    other.end(End::Commit).unwrap();
}

#[test]
fn variables_are_bounded() {
    let options =
        SessionOptions { max_bytes_per_address: 200_000, max_variables: 3, ..SessionOptions::default() };
    let (db, _) = database(options);
    let guest = Guest::of(&db);
    for name in ["a", "b", "c"] {
        guest.texts(&format!("{name} = 1"));
    }
    assert!(guest.error("d = 1").message.contains("sessions.max_variables"));
    guest.texts("a = 2");
    let many = "a = g.inject(1).repeat(union(identity(), identity())).times(14).toList()";
    assert_eq!(guest.error(many).kind, ErrorKind::Limit);
    let script = "a = 'x'".replace('x', &"x".repeat(50_000));
    for _ in 0..100 {
        guest.texts(&script);
    }
}

#[test]
fn who_leaves_rolls_back_also_in_the_midst_of_a_request() {
    let (db, accounts) = database(SessionOptions::default());
    let guest = Guest::of(&db);
    guest.texts("g.addV('a')");
    let asked = guest.ask("g.inject(1).repeat(identity()).until(constant(1).is(2)).count()");
    eventually("the query runs", || db.engine().running() == 1);
    drop((asked, guest));
    eventually("the query ends", || db.engine().running() == 0);
    eventually("its place is free", || accounts.open() == 0 && accounts.holders() == 0);
    assert_eq!(count(&db), "0");
}

#[test]
fn a_request_that_its_client_gave_up_ends_the_transaction() {
    let (db, accounts) = database(SessionOptions::default());
    let guest = Guest::of(&db);
    guest.texts("g.addV('a')");
    // The server says so when the answer was late, though it was complete here.
    let asked = guest.ask("g.addV('b')");
    asked.outcome().unwrap();
    asked.running.missed();
    drop(asked);
    assert_eq!(guest.error("g.V()").kind, ErrorKind::Transaction);
    assert_eq!(accounts.open(), 0);
}

#[test]
fn ten_thousand_sessions_leave_nothing_behind() {
    let idle = Duration::from_millis(200);
    let (db, accounts) = database(SessionOptions { idle, ..SessionOptions::default() });
    ask(&db, "g.addV('a').property('n', 0)").texts_at_end();
    let round = |sessions: usize| {
        for n in 0..sessions {
            let guest = Guest::at(&db, (n % 250) as u8);
            guest.texts("x = g.V().values('n').next(); g.addV('b').property('n', x)");
            match n % 3 {
                0 => guest.end(End::Rollback).unwrap(),
                1 => drop(guest.ask("g.V().count()")),
                _ => {}
            }
        }
    };
    round(500);
    let before = resident();
    round(10_000);
    eventually("all are gone", || accounts.open() == 0 && accounts.holders() == 0);
    let metrics = db.metrics();
    let open = metrics.iter().find(|metric| metric.name == "open_transactions").unwrap();
    assert_eq!(open.value, 0.0);
    assert_eq!(count(&db), "1");
    // No snapshot is left that would keep what is written from now on: versions can be merged.
    for n in 0..200 {
        ask(&db, &format!("g.V().hasLabel('a').property('n', {n})")).texts_at_end();
    }
    db.flush().unwrap();
    assert_eq!(db.stats().delta_entries, 0, "an old snapshot keeps versions");
    let grown = resident().saturating_sub(before);
    assert!(grown < 64 << 20, "{grown} bytes more");
}

/// Bytes of memory that the process has.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages * 4096
}

#[test]
fn sessions_do_not_see_each_other_and_read_only_requests_stay_so() {
    let (db, _) = database(SessionOptions::default());
    let (one, other) = (Guest::of(&db), Guest::of(&db));
    one.texts("x = 1; g.addV('a')");
    assert!(other.error("x").message.contains('x'));
    assert_eq!(other.texts("g.V().count()"), ["0"]);
    let reading = Query { read_only: true, ..query("x = 1; g.addV('a')") };
    let asked = clients::submit(&db, reading, usize::MAX);
    assert_eq!(asked.outcome().unwrap_err().kind, ErrorKind::ReadOnly);
}

#[test]
fn the_server_can_see_whether_a_transaction_is_open() {
    let (db, _) = database(SessionOptions { idle: Duration::from_millis(200), ..SessionOptions::default() });
    let guest = Guest::of(&db);
    assert!(!guest.0.is_open());
    for end in ["g.tx().commit()", "g.tx().rollback()"] {
        guest.texts("g.tx().begin()");
        assert!(guest.0.is_open());
        guest.error("g.V().nope()");
        assert!(guest.0.is_open(), "an error leaves it open");
        guest.texts(end);
        assert!(!guest.0.is_open());
    }
    ask(&db, "g.addV('n').property('n', 1)").texts_at_end();
    guest.texts("g.V().property('n', 2)");
    ask(&db, "g.V().property('n', 3)").texts_at_end();
    assert_eq!(guest.error("g.tx().commit()").kind, ErrorKind::Conflict);
    assert!(!guest.0.is_open(), "it has lost");
    guest.texts("g.tx().begin()");
    eventually("it is idle for too long", || !guest.0.is_open());
}
