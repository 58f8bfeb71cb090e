use std::{
    thread,
    time::{Duration, Instant},
};

use super::*;

const ENDLESS: &str = "g.inject(1).repeat(identity()).until(is(2))";

fn memory() -> Database {
    Database::in_memory().unwrap()
}

fn lasting() -> Near {
    Near::with_session(memory(), "memory".into()).unwrap()
}

fn ask_with(target: &Near, text: &str, bindings: &Bound) -> Result<Vec<String>, Failure> {
    let mut texts = Vec::new();
    let summary = target.run(text, bindings, &Stop::default(), &mut |value| {
        texts.push(value.to_string());
        Ok(())
    })?;
    assert_eq!(summary.rows, texts.len() as u64);
    Ok(texts)
}

fn ask(target: &Near, text: &str) -> Result<Vec<String>, Failure> {
    ask_with(target, text, &[])
}

fn complaint(target: &Near, text: &str) -> String {
    ask(target, text).unwrap_err().to_string()
}

#[test]
fn a_script_answers_with_its_last_statement_as_often_as_a_result_stands_there() {
    let near = Near::new(memory(), "memory".into());
    assert_eq!(
        ask(&near, "g.addV('a'); x = g.V().count().next(); g.inject(x, 7, 7)").unwrap(),
        ["1", "7", "7"]
    );
    assert_eq!(ask_with(&near, "g.inject(x)", &[("x".into(), Value::from("ada"))]).unwrap(), ["ada"]);
    assert!(complaint(&near, "g.inject(x)").contains('x'), "nothing is remembered");
    assert!(complaint(&near, "g.V().nope()").contains("column 7"));
}

#[test]
fn results_come_as_they_are_wanted() {
    let near = Near::new(memory(), "memory".into());
    let started = Instant::now();
    let mut left = 3;
    let enough = near.run("g.inject(1).repeat(identity()).emit()", &[], &Stop::default(), &mut |_| {
        left -= 1;
        if left == 0 { Err(Failure::Usage("enough".into())) } else { Ok(()) }
    });
    assert_eq!(enough.unwrap_err().to_string(), "enough");
    assert!(started.elapsed() < Duration::from_secs(20));
    // More than has room on the way, to somebody who is slow: none is lost.
    let many = ask(&near, "g.inject(1).repeat(union(identity(), identity())).times(12)");
    assert_eq!(many.unwrap().len(), 4096);
}

#[test]
fn what_is_stopped_ends_soon_and_is_told_from_what_failed() {
    for near in [Near::new(memory(), "memory".into()), lasting()] {
        let stop = Stop::default();
        let other = stop.clone();
        let presses = thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            other.set();
        });
        let started = Instant::now();
        let ended = near.run(ENDLESS, &[], &stop, &mut |_| Ok(()));
        assert!(matches!(ended, Err(Failure::Interrupted)), "{ended:?}");
        assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
        presses.join().unwrap();
        assert_eq!(ask(&near, "g.inject(1)").unwrap(), ["1"], "the next one is asked as ever");
    }
}

#[test]
fn a_query_that_waits_for_room_is_stopped_as_well() {
    let near = Near::new(memory(), "memory".into());
    let stop = Stop::default();
    let ended = near.run("g.inject(1).repeat(identity()).emit()", &[], &stop, &mut |_| {
        // Long enough for the inbox to be full.
        thread::sleep(Duration::from_millis(200));
        stop.set();
        Ok(())
    });
    assert!(matches!(ended, Err(Failure::Interrupted)), "{ended:?}");
    let started = Instant::now();
    while near.database.engine().running() > 0 {
        assert!(started.elapsed() < Duration::from_secs(10), "the executors stay busy");
        thread::yield_now();
    }
}

#[test]
fn copies_of_one_result_are_stopped_as_well() {
    let near = Near::new(memory(), "memory".into());
    let stop = Stop::default();
    let mut copies = 0u64;
    let many = "g.inject(1).repeat(union(identity(), identity()).barrier()).times(40)";
    let ended = near.run(many, &[], &stop, &mut |_| {
        copies += 1;
        if copies == 5_000 {
            stop.set();
        }
        Ok(())
    });
    assert!(matches!(ended, Err(Failure::Interrupted)), "{ended:?}");
    assert!(copies < 10_000, "{copies}");
}

#[test]
fn a_session_remembers_variables() {
    let near = lasting();
    ask(&near, "x = g.addV('a').property('name', 'ada').next()").unwrap();
    assert_eq!(ask(&near, "g.V(x).values('name')").unwrap(), ["ada"]);
    ask_with(&near, "y", &[("y".into(), Value::Int(4))]).unwrap();
    assert_eq!(ask(&near, "g.inject(y)").unwrap(), ["4"]);
}

#[test]
fn each_script_of_a_session_is_committed_unless_a_transaction_was_begun() {
    let near = lasting();
    let others = || near.database.query("g.V().count()").unwrap().next().unwrap().unwrap().to_string();
    ask(&near, "g.addV('a')").unwrap();
    assert_eq!(others(), "1");
    assert!(!near.describe().in_transaction);
    ask(&near, "g.tx().begin()").unwrap();
    assert!(near.describe().in_transaction);
    ask(&near, "g.addV('b')").unwrap();
    assert_eq!(others(), "1");
    ask(&near, "g.tx().commit()").unwrap();
    assert_eq!((others().as_str(), near.describe().in_transaction), ("2", false));
    ask(&near, "g.tx().begin()").unwrap();
    ask(&near, "g.V().drop()").unwrap();
    ask(&near, "g.tx().rollback()").unwrap();
    assert_eq!((others().as_str(), near.describe().in_transaction), ("2", false));
}

#[test]
fn what_follows_a_transaction_that_was_rolled_back_is_refused_until_it_is_ended() {
    let near = lasting();
    ask(&near, "g.tx().begin()").unwrap();
    ask(&near, "g.addV('a')").unwrap();
    let stop = Stop::default();
    stop.set();
    assert!(near.run(ENDLESS, &[], &stop, &mut |_| Ok(())).is_err());
    assert!(near.describe().in_transaction);
    let refused = complaint(&near, "g.addV('b')");
    assert!(refused.contains("rollback()"), "{refused}");
    ask(&near, "g.tx().rollback()").unwrap();
    assert!(!near.describe().in_transaction);
    assert_eq!(ask(&near, "g.V().count()").unwrap(), ["0"]);
}

#[test]
fn plans_and_profiles_know_variables_and_do_not_mind_terminals() {
    let near = lasting();
    ask(&near, "x = 1").unwrap();
    let explained = near.explain("g.V(x).out().toList();", &[], &Stop::default()).unwrap();
    assert!(explained.contains("physical plan"), "{explained}");
    let profiled = near.profile("g.V(x).out()", &[], &Stop::default()).unwrap();
    assert!(profiled.contains(">TOTAL"), "{profiled}");
}

#[test]
fn its_names_and_sizes_are_those_of_the_graph() {
    let near = lasting();
    ask(&near, "g.addV('person').property('name', 'ada').as('a').addE('knows').to('a')").unwrap();
    let named = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let expected = Vocabulary {
        vertex_labels: named(&["person"]),
        edge_labels: named(&["knows"]),
        keys: named(&["name"]),
    };
    assert_eq!(near.vocabulary().unwrap(), expected);
    assert!(near.sizes().unwrap().starts_with("1 vertices, 1 edges"));
}
