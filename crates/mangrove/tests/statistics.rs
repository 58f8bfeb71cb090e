//! Statistics from end to end: counted and shown, there after a restart, and the plans that are made by them.

mod profiles;

use graph::{IndexDescription, IndexKind, Value};
use mangrove::Database;
use profiles::sent_by;

fn ask(db: &Database, text: &str) -> Vec<String> {
    let results: Result<Vec<Value>, _> = db.query(text).and_then(|results| results.collect());
    let results = results.unwrap_or_else(|error| panic!("{text}: {error}"));
    results.iter().map(ToString::to_string).collect()
}

fn source(db: &Database, text: &str) -> String {
    let plan = db.explain(text).unwrap();
    plan.split("== physical plan\n").nth(1).unwrap().lines().nth(1).unwrap().to_owned()
}

/// 4,000 people: nearly all live in Metropolis, one in each of the other towns, and all ages are alike. Everybody knows three
/// others.
fn people(db: &Database) {
    let transaction = db.graph().begin();
    let mut people = Vec::new();
    for n in 0..4_000i32 {
        let person = transaction.add_vertex(Some(Value::Int(n)), "person").unwrap();
        let town = if n % 40 == 0 { format!("town {n}") } else { "Metropolis".into() };
        for (key, value) in [("town", Value::from(town)), ("age", Value::Int(n % 100))] {
            transaction.set_vertex_property(person, None, key, value, &[]).unwrap();
        }
        for known in 1..4 {
            if let Some(other) = people.get(n as usize / (2 * known)) {
                transaction.add_edge(None, "knows", person, *other).unwrap();
            }
        }
        people.push(person);
    }
    transaction.commit().unwrap();
    for (key, kind) in [("town", IndexKind::Equality), ("age", IndexKind::Range)] {
        let index = IndexDescription { label: "person".into(), keys: vec![key.into()], kind };
        db.graph().declare_index(&index).unwrap();
        db.graph().await_index(&index).unwrap();
    }
}

#[test]
fn what_was_counted_is_shown_and_still_there_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    {
        let db = Database::open(directory.path()).unwrap();
        people(&db);
        let analyzed = ask(&db, "g.call('mangrove.analyze').has('edges', 'knows').select('count')");
        assert_eq!(analyzed, ask(&db, "g.E().count().union(identity(), identity())"), "out and in");
        db.close().unwrap();
    }
    let db = Database::open(directory.path()).unwrap();
    let known = "g.call('mangrove.statistics')";
    assert_eq!(ask(&db, &format!("{known}.count()")), ["4"]);
    assert_eq!(ask(&db, &format!("{known}.where(select('exact').is(false)).count()")), ["0"]);
    assert_eq!(
        ask(&db, &format!("{known}.where(select('keys').unfold().is('town')).select('distinct')")),
        ["[101]"]
    );
    assert_eq!(
        ask(&db, &format!("{known}.where(select('direction').is('OUT')).select('average')")),
        ask(&db, "g.V().where(outE()).local(outE().count()).mean()")
    );
}

#[test]
fn one_shape_has_the_plan_that_its_literals_need() {
    let db = Database::in_memory().unwrap();
    people(&db);
    db.graph().analyze(&mut |_| {}).unwrap();
    let query = |town: &str, age: i32| {
        format!("g.V().hasLabel('person').has('town', '{town}').has('age', gt({age}))")
    };
    assert!(source(&db, &query("town 40", 98)).starts_with("IndexLookup"), "one is found by town");
    assert!(source(&db, &query("Metropolis", 98)).starts_with("IndexRange"), "40 are found by age");
    assert!(source(&db, &query("town 40", 1)).starts_with("IndexLookup"));
    // Through the plan cache, one after the other: what is shown is how the query runs.
    let profiled = |town: &str, age: i32| sent_by(&db, &query(town, age), "");
    for _ in 0..2 {
        assert_eq!(profiled("town 40", 1), 1);
        assert!(profiled("Metropolis", 98) <= 120);
    }
    for (town, age) in [("town 40", 1), ("Metropolis", 98), ("Metropolis", 3), ("nowhere", 3)] {
        let off = "with('mangrove.rules.off', 'range-lookup, index-lookup')";
        let counted = format!("{}.count()", query(town, age));
        assert_eq!(
            ask(&db, &counted),
            ask(&db, &counted.replacen("g.", &format!("g.{off}."), 1)),
            "{town} {age}"
        );
    }
}

#[test]
fn most_of_a_label_is_scanned_and_a_little_is_looked_up() {
    let db = Database::in_memory().unwrap();
    people(&db);
    db.graph().analyze(&mut |_| {}).unwrap();
    assert!(source(&db, "g.V().has('person', 'age', gt(2))").starts_with("ScanVertices"));
    assert!(source(&db, "g.V().has('person', 'age', gt(90))").starts_with("IndexRange"));
}

#[test]
fn guesses_follow_the_degrees() {
    let db = Database::in_memory().unwrap();
    people(&db);
    db.graph().analyze(&mut |_| {}).unwrap();
    let plan = db.explain("g.V().hasLabel('person').out('knows').out('knows')").unwrap();
    let last: Vec<&str> = plan.split("== physical plan\n").nth(1).unwrap().lines().skip(1).collect();
    let guess = |line: &str| {
        line.split("  ~").nth(1).and_then(|rest| rest.split_whitespace().next()).map(str::to_owned)
    };
    let guesses: Vec<_> = last.iter().filter_map(|line| guess(line)).collect();
    assert_eq!(guesses, ["4k", "12k", "36k"], "{plan}");
}
