//! A database as the server drives it: queries on executors, results into sinks.

mod clients;

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use clients::{ask, ask_with, query, submit};
use gremlin::{Instruction, StepName, Traversal};
use mangrove::{
    Database, DatabaseOptions, ErrorKind, formats::ImportOptions, graph::SchemaDescription, values::watch,
};
use server::{Input, Query};

fn modern() -> Database {
    let path = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap())
        .join("../../../shared/tinkerpop/data/tinkerpop-modern.json");
    let db = Database::in_memory_with(DatabaseOptions { write_retries: 1_000, ..DatabaseOptions::default() })
        .unwrap();
    db.import(path, None, &ImportOptions::default(), &|_| {}).unwrap();
    db
}

const ENDLESS: &str = "g.V().repeat(both()).until(constant(1).is(2)).count()";

/// Waits until no query is on the executors; says how long that took.
fn idle_after(db: &Database) -> Duration {
    let started = Instant::now();
    while db.engine().running() > 0 {
        assert!(started.elapsed() < Duration::from_secs(10), "the executors stay busy");
        std::thread::yield_now();
    }
    started.elapsed()
}

#[test]
fn results_reach_the_sink_before_the_outcome() {
    let asked = ask(&modern(), "g.V().hasLabel('software').values('name').order()");
    assert!(asked.outcome().is_ok());
    assert_eq!(asked.texts(), ["lop", "ripple"]);
}

#[test]
fn the_result_of_next_is_sent_as_the_server_of_tinkerpop_sends_it() {
    let db = modern();
    for (script, expected) in [
        ("g.V(1).valueMap('name', 'age').next()", &["{name=[marko]}", "{age=[29]}"][..]),
        ("g.V(1).valueMap('name', 'age')", &["{name=[marko], age=[29]}"]),
        ("g.V().values('age').order().fold().next()", &["27", "29", "32", "35"]),
        ("g.V().values('age').order().fold().tryNext()", &["[27, 29, 32, 35]"]),
        ("g.inject([[1], [2]]).next()", &["[1]", "[2]"]),
        ("g.V(1).out('created').values('name').path().next()", &["v[1]", "v[3]", "lop"]),
        ("g.V(1).values('name').next()", &["marko"]),
        ("g.inject([]).next()", &[]),
    ] {
        assert_eq!(ask(&db, script).texts_at_end(), expected, "{script}");
    }
    // A client that has no room at first gets it once.
    let asked = ask_with(&db, "g.inject([[1, 2], [3]]).next()", 0, None);
    std::thread::sleep(Duration::from_millis(50));
    *asked.sink.room.lock() = usize::MAX;
    asked.running.resume();
    assert_eq!(asked.texts_at_end(), ["[1, 2]", "[3]"]);
}

#[test]
fn a_script_may_be_as_long_as_a_request() {
    let ids: Vec<_> = (0..30_000).map(|id| id.to_string()).collect();
    let db = modern();
    for script in [
        format!("g.V({}).count()", ids.join(",")),
        format!("g.V().hasId(within([{}])).count()", ids.join(",")),
        format!("x = [{}]; g.V(x).count()", ids.join(",")),
    ] {
        assert!(script.len() > 100_000);
        assert_eq!(ask(&db, &script).texts_at_end(), ["6"]);
    }
}

/// What it writes out takes a hundred times its text, which counts before it is read, and no longer than the request.
#[test]
fn a_script_whose_values_take_too_much_is_refused_unread() {
    let db =
        Database::in_memory_with(DatabaseOptions { memory_per_query: 8 << 20, ..DatabaseOptions::default() })
            .unwrap();
    let lists = |count: usize| format!("g.inject({}).count()", vec!["[1:[1:[1:1]]]"; count].join(","));
    let (large, small) = (lists(10_000), lists(3_000));
    // It is not even Gremlin, and nobody has looked.
    for script in [&large, &format!("{large}.nope(")] {
        let error = ask(&db, script).outcome().unwrap_err();
        assert!(error.message.contains("engine.memory_per_query"), "{}", error.message);
    }
    for _ in 0..3 {
        assert_eq!(ask(&db, &small).texts_at_end(), ["3000"]);
    }
    idle_after(&db);
    let started = Instant::now();
    while db.engine().memory().unwrap().used() > 1 << 20 {
        assert!(started.elapsed() < Duration::from_secs(10), "it is still held");
        std::thread::yield_now();
    }
}

#[test]
fn inputs_of_less_than_a_mebibyte_are_held_as_long_as_their_requests() {
    let db = modern();
    let used = || db.engine().memory().unwrap().used();
    let send = |_| submit(&db, Query { memory: 900_000, ..query(ENDLESS) }, usize::MAX);
    let asked: Vec<_> = (0..20).map(send).collect();
    assert!(used() > 17_000_000, "{}", used());
    drop(asked);
    let started = Instant::now();
    while used() > 4_000_000 {
        assert!(started.elapsed() < Duration::from_secs(10), "it is still held");
        std::thread::yield_now();
    }
}

#[test]
fn what_is_wrong_with_a_script_is_told_through_the_sink() {
    let db = modern();
    for (script, kind) in [
        ("g.V().nope()", ErrorKind::Syntax),
        ("g.V().hasLabel('none').next()", ErrorKind::Evaluation),
        ("g.V().values('name').sum()", ErrorKind::Evaluation),
        ("g.V().fail('no')", ErrorKind::FailStep),
    ] {
        assert_eq!(ask(&db, script).outcome().unwrap_err().kind, kind, "{script}");
    }
}

#[test]
fn explanations_and_profiles_are_results() {
    let db = modern();
    for (script, word) in [("g.V().out().explain()", "physical plan"), ("g.V().out().profile()", ">TOTAL")] {
        let asked = ask(&db, script);
        assert!(asked.outcome().is_ok());
        let texts = asked.texts();
        assert!(texts.len() == 1 && texts[0].contains(word), "{script}: {texts:?}");
    }
}

#[test]
fn dropping_the_handle_frees_the_executors() {
    let db = modern();
    let asked = ask(&db, ENDLESS);
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(db.engine().running(), 1);
    drop(asked.running);
    let took = idle_after(&db);
    assert!(took < Duration::from_secs(1), "{took:?}");
}

#[test]
fn a_timeout_ends_a_query_and_frees_the_executors() {
    let db = modern();
    let asked = ask_with(&db, ENDLESS, usize::MAX, Some(Duration::from_millis(50)));
    assert_eq!(asked.outcome().unwrap_err().kind, ErrorKind::Timeout);
    idle_after(&db);
}

/// Its second statement is read when the first one has run, and hashes what that came to for each of its letters.
#[test]
fn a_timeout_ends_the_reading_of_a_statement_whose_variables_are_large() {
    let db = modern();
    let script = format!("x = 1..100000; {{{}}}", vec!["x"; 20_000].join(","));
    let begun = Instant::now();
    let asked = ask_with(&db, &script, usize::MAX, Some(Duration::from_millis(100)));
    assert_eq!(asked.outcome().unwrap_err().kind, ErrorKind::Timeout);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

/// Each of its statements says nothing, none has an argument, and what stands before them is passed over once.
#[test]
fn a_timeout_ends_the_reading_of_a_script_that_says_nothing() {
    let db = modern();
    let mut asked = query(&format!("{}{}", " ".repeat(1 << 18), "''".repeat(1 << 18)));
    let begun = Instant::now();
    (asked.asked, asked.timeout) = (begun, Some(Duration::from_millis(5)));
    assert_eq!(submit(&db, asked, usize::MAX).outcome().unwrap_err().kind, ErrorKind::Timeout);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

/// A search for a pattern cannot be left in the middle, and lends its executor, of which there is only one here.
#[test]
fn others_go_on_while_a_pattern_is_looked_for_in_a_long_text() {
    let options = DatabaseOptions { executors: 1, ..DatabaseOptions::default() };
    let db = Database::in_memory_with(options).unwrap();
    let slow = "g.inject('a').repeat(replace('a','aa')).times(15).is(regex('(a{1,100}){1,100}c')).count()";
    let searching = ask_with(&db, slow, usize::MAX, Some(Duration::from_secs(4)));
    // Whichever comes when the search has begun would wait for its end.
    let (begun, mut longest) = (Instant::now(), Duration::ZERO);
    while begun.elapsed() < Duration::from_secs(2) {
        let asked = Instant::now();
        assert_eq!(ask(&db, "g.inject(1).count()").texts_at_end(), ["1"]);
        longest = longest.max(asked.elapsed());
    }
    assert!(longest < Duration::from_secs(1), "one of the queries took {longest:?}");
    assert_eq!(searching.outcome().unwrap_err().kind, ErrorKind::Timeout);
}

#[test]
fn nothing_takes_longer_than_the_ceiling_whatever_is_asked_for() {
    let db = modern();
    let (ceiling, hour) = (Some(Duration::from_millis(50)), Some(Duration::from_secs(3_600)));
    let endless = |options: &str| ENDLESS.replace("g.V()", &format!("g{options}.V()"));
    for (options, timeout) in [
        ("", None),
        ("", hour),
        (".with('evaluationTimeout', 0)", None),
        (".with('evaluationTimeout', 3600000)", None),
        (".with('evaluationTimeout', 0)", hour),
    ] {
        let asked = Query { timeout, max_timeout: ceiling, ..query(&endless(options)) };
        let begun = Instant::now();
        let error = submit(&db, asked, usize::MAX).outcome().unwrap_err();
        assert_eq!(error.kind, ErrorKind::Timeout, "{options} {timeout:?}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{options} {timeout:?}");
    }
    let sooner = Query { timeout: ceiling, max_timeout: hour, ..query(ENDLESS) };
    assert_eq!(submit(&db, sooner, usize::MAX).outcome().unwrap_err().kind, ErrorKind::Timeout);
}

#[test]
fn a_request_s_time_begins_when_it_arrives() {
    let db = modern();
    let timeout = Duration::from_millis(200);
    let before = db.stats().vertex_count();
    // It waited elsewhere until its time was over.
    let Some(asked) = Instant::now().checked_sub(timeout) else { return };
    for script in ["g.addV()", "g.addV().explain()"] {
        let late = Query { asked, timeout: Some(timeout), ..query(script) };
        assert_eq!(submit(&db, late, usize::MAX).outcome().unwrap_err().kind, ErrorKind::Timeout, "{script}");
    }
    assert_eq!(db.stats().vertex_count(), before);
}

/// So that a service that reads can end: see `services::run`.
#[test]
fn a_check_of_all_elements_ends_when_its_watch_says_so() {
    struct Over;
    impl watch::Watch for Over {
        fn must_end(&self) -> bool {
            true
        }
    }
    let db = Database::in_memory().unwrap();
    let many =
        "g.inject(1).repeat(union(identity(), identity())).times(12).addV('p').property('n', 1).count()";
    ask(&db, many).outcome().unwrap();
    let given = "g.inject([mode: 'strict', vertices: [p: [keys: [n: 'int']]]])";
    let given = db.query(given).unwrap().next().unwrap().unwrap();
    let given = SchemaDescription::from_value(&given).unwrap();
    db.graph().check_schema(&given).unwrap();
    let ended = watch::watched(Arc::new(Over), || db.graph().check_schema(&given));
    assert!(ended.is_err(), "{ended:?}");
}

#[test]
fn a_request_that_must_be_safe_calls_nothing_that_changes_anything() {
    let db = modern();
    let safe = |script: &str| {
        submit(&db, Query { read_only: true, is_safe: true, ..query(script) }, usize::MAX).outcome()
    };
    for script in [
        "g.call('mangrove.users.role', [name: 'eve', role: 'admin'])",
        "g.call('mangrove.users.add', [name: 'eve', password: 'a password of hers'])",
        "g.call('mangrove.queries.stop', [id: 'x'])",
        "g.call('mangrove.export', [file: 'a.json'])",
        "g.call('mangrove.backup')",
        "g.addV()",
    ] {
        let error = safe(script).expect_err(script);
        assert_eq!(error.kind, ErrorKind::ReadOnly, "{script}: {error}");
    }
    for script in
        ["g.V()", "g.call('mangrove.schema.show')", "g.call('mangrove.users.list')", "g.call('--list')"]
    {
        safe(script).expect(script);
    }
}

#[test]
fn what_finds_the_parameter_of_a_service_reads_nothing_that_a_write_depends_on() {
    let db = modern();
    let search = "g.call('tinker.search', __.V(1).project('search').by('name')).element()";
    submit(&db, query(&format!("{search}.values('age')")), usize::MAX).outcome().unwrap();
    let written = submit(&db, query(&format!("{search}.property('hit', true)")), usize::MAX).outcome();
    assert!(written.unwrap_err().message.contains("must not read the graph"));
    let constant =
        "g.call('tinker.search', __.project('search').by(constant('marko'))).element().property('hit', true)";
    submit(&db, query(constant), usize::MAX).outcome().unwrap();
    assert_eq!(ask(&db, "g.V().has('hit', true).count()").texts_at_end(), ["1"]);
}

#[test]
fn a_request_that_may_only_read_changes_nothing_and_says_so() {
    let db = modern();
    let may_only_read = |script: &str| submit(&db, Query { read_only: true, ..query(script) }, usize::MAX);
    let before = (db.stats().vertex_count(), db.stats().edge_count());
    // More than once, since what comes again is neither parsed nor planned again.
    for _ in 0..3 {
        for script in [
            "g.addV('x')",
            "g.V().drop()",
            "g.E().drop().iterate()",
            "g.V().hasLabel('none').drop()",
            "g.V(1).property('age', 30)",
            "g.V(1).properties('name').property('meta', 1)",
            "g.V(1).addE('likes').to(__.V(2))",
            "g.addE('likes').from(__.V(1)).to(__.V(2))",
            "g.V().sideEffect(addV('x'))",
            "g.V().map(union(identity(), addV('x')))",
            "g.V().choose(hasLabel('person'), property('a', 1), identity())",
            "g.V().repeat(addE('x').to(__.V(1)).inV()).times(2)",
            "g.V().drop().profile()",
            "g.call('mangrove.schema.declare', [vertices: [person: [keys: [age: 'int']]]])",
            "g.call('mangrove.index.create', [label: 'person', key: 'age'])",
            "g.call('mangrove.analyze')",
            "g.call('mangrove.backup')",
        ] {
            let error = may_only_read(script).outcome().expect_err(script);
            assert_eq!(error.kind, ErrorKind::ReadOnly, "{script}: {error}");
        }
    }
    let drop = Instruction { name: StepName::Drop, args: Vec::new(), at: None };
    let all = Instruction { name: StepName::V, ..drop.clone() };
    let input = Input::Bytecode(Traversal { source: Vec::new(), steps: vec![all, drop] });
    let error = submit(&db, Query { input, read_only: true, ..query("") }, usize::MAX).outcome().unwrap_err();
    assert_eq!(error.kind, ErrorKind::ReadOnly);
    assert_eq!((db.stats().vertex_count(), db.stats().edge_count()), before);
    for (script, result) in [
        ("g.V().count()", "6"),
        ("g.call('mangrove.schema.show').select('version')", "0"),
        ("g.V().values('age').max()", "35"),
    ] {
        let asked = may_only_read(script);
        asked.outcome().unwrap();
        assert_eq!(asked.texts(), [result], "{script}");
    }
    for script in ["g.V().drop().explain()", "g.call('mangrove.analyze').explain()"] {
        may_only_read(script).outcome().expect(script);
    }
    assert_eq!(db.stats().vertex_count(), before.0);
}

#[test]
fn a_full_sink_suspends_the_query_and_resume_goes_on_where_it_stopped() {
    let db = modern();
    let asked = ask_with(&db, "g.V().repeat(both().simplePath()).emit().times(4).path()", 1, None);
    assert!(asked.outcome.recv_timeout(Duration::from_millis(200)).is_err(), "it waits for room");
    *asked.sink.room.lock() = usize::MAX;
    asked.running.resume();
    assert!(asked.outcome().is_ok());
    let all = db.query("g.V().repeat(both().simplePath()).emit().times(4).path()").unwrap().count();
    assert_eq!(asked.sink.taken.lock().iter().map(|(_, bulk)| *bulk as usize).sum::<usize>(), all);
}

#[test]
fn requests_that_lose_against_each_other_are_run_again_until_all_are_counted() {
    const REQUESTS: usize = 100;
    let db = modern();
    ask(&db, "g.addV('counter').property('n', 0)").outcome().unwrap();
    let all: Vec<_> = (0..REQUESTS)
        .map(|_| ask(&db, "g.V().hasLabel('counter').property('n', values('n').math('_ + 1'))"))
        .collect();
    for asked in &all {
        asked.outcome().unwrap();
    }
    let n = ask(&db, "g.V().hasLabel('counter').values('n')");
    n.outcome().unwrap();
    assert_eq!(n.texts(), [format!("{REQUESTS}.0")]);
}

#[test]
fn a_request_that_loses_too_often_is_told_to_come_again() {
    let db =
        Database::in_memory_with(DatabaseOptions { write_retries: 0, ..DatabaseOptions::default() }).unwrap();
    ask(&db, "g.addV('counter').property('n', 0)").outcome().unwrap();
    let mut lost = 0;
    for _ in 0..200 {
        let all: Vec<_> = (0..16)
            .map(|_| ask(&db, "g.V().hasLabel('counter').property('n', values('n').math('_ + 1'))"))
            .collect();
        for asked in &all {
            if let Err(error) = asked.outcome() {
                assert_eq!(error.kind, ErrorKind::Conflict, "{error}");
                lost += 1;
            }
        }
        if lost > 0 {
            return;
        }
    }
    panic!("3,200 increments of one counter, 16 at a time, and none met another");
}

#[test]
fn a_service_runs_beside_the_executors_and_its_results_are_a_traversals() {
    let db = Database::in_memory().unwrap();
    let declare =
        "g.call('mangrove.schema.declare', [vertices: [person: [keys: [age: 'int']]]]).select('version')";
    let asked = ask(&db, declare);
    asked.outcome().unwrap();
    assert_eq!(asked.texts(), ["1"]);
    let error = ask(&db, "g.addV('person').property('age', 'old')").outcome().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Evaluation);
    let error = ask(&db, "g.call('nothing')").outcome().unwrap_err();
    assert!(error.to_string().contains("no such service"), "{error}");
    let asked = ask_with(&db, "g.call('mangrove.services')", 2, None);
    let begun = std::time::Instant::now();
    while asked.texts().len() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(20), "the services were not listed");
        std::thread::sleep(Duration::from_millis(1));
    }
    *asked.sink.room.lock() = usize::MAX;
    asked.running.resume();
    asked.outcome().unwrap();
    assert!(asked.texts().len() > 5);
}

/// Threads of this process on which services run.
#[cfg(target_os = "linux")]
fn services() -> usize {
    let names = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    // A thread may end meanwhile.
    let names = names.filter_map(|thread| std::fs::read_to_string(thread.path().join("comm")).ok());
    names.filter(|name| name.trim() == "service").count()
}

#[cfg(target_os = "linux")]
#[test]
fn a_service_whose_parameter_takes_for_ever_ends_with_its_client_and_its_time() {
    const ALONE: &str = "__.constant(1).repeat(math('_ + 1')).until(is(0)).project('id')";
    let db = modern();
    for script in [
        format!("g.call('mangrove.queries', [:], __.{}.project('id'))", &ENDLESS[2..]),
        format!("g.call('mangrove.queries', [:], {ALONE})"),
        format!("x = 1; g.call('mangrove.queries', [:], {ALONE})"),
        format!("g.tx().begin(); g.call('mangrove.queries', [:], {ALONE}).count(); g.tx().commit()"),
    ] {
        let started = Instant::now();
        let asked = ask(&db, &script);
        assert!(started.elapsed() < Duration::from_secs(2), "{script}: it holds up who asks");
        while services() == 0 {
            assert!(started.elapsed() < Duration::from_secs(10), "{script}: it does not begin");
        }
        std::thread::sleep(Duration::from_millis(100));
        assert!(services() > 0, "{script}: it has ended by itself");
        drop(asked);
        while services() > 0 {
            assert!(started.elapsed() < Duration::from_secs(10), "{script}: it goes on");
            std::thread::sleep(Duration::from_millis(10));
        }
        let asked = ask_with(&db, &script, usize::MAX, Some(Duration::from_millis(200)));
        assert_eq!(asked.outcome().unwrap_err().kind, ErrorKind::Timeout, "{script}");
    }
}

#[test]
fn queries_that_hold_too_much_together_wait_and_are_refused_as_busy() {
    let options = DatabaseOptions { memory_queries: 48 << 20, executors: 2, ..DatabaseOptions::default() };
    let db = Database::in_memory_with(options).unwrap();
    db.query("g.inject(0).repeat(union(identity(),identity())).times(8).addV('n')").unwrap();
    // Each holds some megabytes as long as nobody takes its results.
    let heavy = "g.V().as('a').V().order().by(id).select('a')";
    let asked: Vec<_> = (0..8).map(|_| ask_with(&db, heavy, 0, Some(Duration::from_secs(20)))).collect();
    // Who is not refused by then waits for somebody to take its results.
    std::thread::sleep(Duration::from_secs(4));
    let outcomes: Vec<_> = asked.iter().map(|query| query.outcome.try_recv()).collect();
    let refused = outcomes.iter().flatten().filter_map(|outcome| outcome.as_ref().err());
    let kinds: Vec<ErrorKind> = refused.map(|error| error.kind).collect();
    assert!(kinds.contains(&ErrorKind::Busy), "{kinds:?}, {:?} held", db.engine().memory());
    assert!(db.engine().memory().unwrap().used() <= 48 << 20);
    assert_eq!(
        ask(&db, "g.V().limit(1).count()").outcome().map(|_| ()).map_err(|e| e.kind),
        Ok(()),
        "a short one"
    );
    drop(asked);
    idle_after(&db);
    // What ended queries have held is given back little by little.
    let ended = Instant::now();
    while db.engine().memory().unwrap().used() > 0 {
        assert!(ended.elapsed() < Duration::from_secs(10), "{:?} held", db.engine().memory());
        std::thread::yield_now();
    }
}

#[test]
fn others_go_on_while_a_long_text_is_made() {
    let db =
        Database::in_memory_with(DatabaseOptions { executors: 1, ..DatabaseOptions::default() }).unwrap();
    let long = ask(&db, "g.inject('a').repeat(replace('a','aa')).times(24).count()");
    let mut short = 0;
    while db.engine().running() > 0 && long.outcome.try_recv().is_err() {
        ask(&db, "g.inject(1)").outcome().unwrap();
        short += 1;
    }
    // Nothing is loaded here, so it was lent for nothing but the text.
    assert!(db.engine().handovers() > 0, "{short} short ones had a turn");
}

#[test]
fn planning_ends_at_the_deadline_of_the_request_and_the_error_names_it() {
    let db = modern();
    let long = format!("g.V(){}.count()", ".out()".repeat(6_000));
    for script in [long.clone(), format!("{long}.explain()")] {
        let asked = ask_with(&db, &script, usize::MAX, Some(Duration::from_millis(3)));
        let error = asked.outcome().unwrap_err();
        assert_eq!(error.kind, ErrorKind::Timeout, "{error}");
        assert!(error.to_string().contains("timeout of 3ms"), "{error}");
    }
}

#[test]
fn a_summary_ends_when_there_is_no_time_left_for_it() {
    let db = Database::in_memory().unwrap();
    drop(db.query("g.addV('a').property('k', 1).as('a').addV('b').addE('e').to('a')").unwrap());
    let calls = std::cell::Cell::new(0);
    let until = |most: u32| {
        calls.set(0);
        server::Database::summary(&db, &|| {
            calls.set(calls.get() + 1);
            (calls.get() <= most).then_some(60_000)
        })
    };
    let whole = until(u32::MAX).unwrap();
    assert_eq!((whole.nodes.len(), whole.edges.len()), (2, 1));
    for most in 0..calls.get() {
        assert_eq!(until(most).unwrap_err().kind, ErrorKind::Timeout);
        assert_eq!(calls.get(), most + 1, "nothing is read afterwards");
    }
}
