//! The embedded library on the modern graph.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use mangrove::{
    Database, Error,
    formats::ImportOptions,
    values::{Value, Vertex},
};

fn shared(file: &str) -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../../shared/tinkerpop/data").join(file)
}

fn modern() -> Database {
    let db = Database::in_memory().unwrap();
    let summary =
        db.import(shared("tinkerpop-modern.json"), None, &ImportOptions::default(), &|_| {}).unwrap();
    assert_eq!((summary.vertices, summary.edges), (6, 6));
    db
}

fn texts(db: &Database, query: &str) -> Vec<String> {
    let mut all: Vec<_> = db.query(query).unwrap().map(|value| value.unwrap().to_string()).collect();
    all.sort();
    all
}

#[test]
fn results_are_iterated() {
    let db = modern();
    assert_eq!(texts(&db, "g.V().has('name','marko').out('knows').values('name')"), ["josh", "vadas"]);
    assert_eq!(texts(&db, "g.V().count()"), ["6"]);
    assert_eq!(texts(&db, "g.V().repeat(both()).times(2).count()"), ["30"]);
    assert_eq!(texts(&db, "g.V().repeat(both()).times(2)").len(), 30);
}

#[test]
fn variables_have_values() {
    let db = modern();
    let ages = db.query_with("g.V().has('name', x).values('age')", [("x", Value::str("josh"))]).unwrap();
    assert_eq!(ages.map(Result::unwrap).collect::<Vec<_>>(), [Value::Int(32)]);
}

/// What a client has of an element is an id and a label; TinkerPop's `StartStep` attaches it to the graph.
#[test]
fn an_element_that_is_sent_to_be_injected_is_the_one_of_the_graph() {
    let db = modern();
    let vadas = Value::from(Vertex::reference(2, "person"));
    let asked = |query: &str, given: Value| {
        let results = db.query_with(query, [("v", given)]).unwrap();
        let results: Result<Vec<_>, _> = results.map(|value| value.map(|value| value.to_string())).collect();
        results.map(|mut results| {
            results.sort();
            results
        })
    };
    let one = |query: &str| asked(query, vadas.clone()).unwrap();
    assert_eq!(one("g.inject(v).values('name')"), ["vadas"]);
    assert_eq!(one("g.V(1).inject(v).values('name')"), ["marko", "vadas"]);
    assert_eq!(one("g.inject(v).in('knows').values('name')"), ["marko"]);
    assert_eq!(one("g.V(1).union(identity(), inject(v)).values('name').dedup()"), ["marko", "vadas"]);
    assert_eq!(one("g.inject(v).as('a').V().where(eq('a')).values('name')"), ["vadas"]);
    assert_eq!(one("g.inject(v).elementMap('age').select('age')"), ["27"]);
    let several = Value::list(vec![vadas.clone(), Vertex::reference(1, "person").into()]);
    assert_eq!(asked("g.inject(v).unfold().values('name')", several).unwrap(), ["marko", "vadas"]);
    let edge = db.query("g.E(7)").unwrap().next().unwrap().unwrap();
    assert_eq!(asked("g.inject(v).values('weight')", edge).unwrap(), ["0.5"]);
    let nobody = asked("g.inject(v).values('name')", Vertex::reference(99, "person").into());
    assert!(nobody.unwrap_err().to_string().contains("the vertex 99 is not in the graph"));
}

#[test]
fn terminal_methods_mean_what_they_say() {
    let db = modern();
    assert_eq!(texts(&db, "g.V().values('name').order().next()"), ["josh"]);
    assert_eq!(texts(&db, "g.V().values('name').order().next(2)"), ["josh", "lop"]);
    assert_eq!(texts(&db, "g.V().hasNext()"), ["true"]);
    assert_eq!(texts(&db, "g.V().hasLabel('none').hasNext()"), ["false"]);
    assert_eq!(texts(&db, "g.V().iterate()"), [""; 0]);
    assert_eq!(texts(&db, "g.V().label().toSet()"), ["person", "software"]);
    let none = db.query("g.V().hasLabel('none').next()").unwrap().next();
    assert!(matches!(none, Some(Err(Error::NoResult))), "{none:?}");
}

#[test]
fn what_a_query_writes_is_there_for_the_next_one_and_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("graph");
    let db = Database::open(&path).unwrap();
    db.query("g.addV('person').property('name','ada').addV('person').property('name','bob')").unwrap();
    db.query("g.V().has('name','ada').as('a').V().has('name','bob').addE('knows').from('a')").unwrap();
    assert_eq!(texts(&db, "g.V().has('name','ada').out('knows').values('name')"), ["bob"]);
    db.close().unwrap();
    let db = Database::open(&path).unwrap();
    assert_eq!(texts(&db, "g.V().has('name','ada').out('knows').values('name')"), ["bob"]);
}

#[test]
fn a_directory_in_use_is_a_clear_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("graph");
    let _first = Database::open(&path).unwrap();
    let message = Database::open(&path).unwrap_err().to_string();
    assert!(message.contains("graph") && message.contains("process"), "{message}");
}

#[test]
fn a_transaction_is_seen_by_nobody_until_it_commits_and_by_nobody_ever_if_it_does_not() {
    let db = modern();
    let tx = db.transaction();
    tx.query("g.addV('person').property('name','ada')").unwrap();
    tx.query("g.V().has('name','ada').property('age', 36)").unwrap();
    let seen = tx.query("g.V().has('name','ada').values('age')").unwrap().next();
    assert_eq!(seen.transpose().unwrap(), Some(Value::Int(36)));
    assert_eq!(texts(&db, "g.V().count()"), ["6"]);
    tx.commit().unwrap();
    assert_eq!(texts(&db, "g.V().count()"), ["7"]);
    let tx = db.transaction();
    tx.query("g.V().drop()").unwrap();
    tx.rollback();
    assert_eq!(texts(&db, "g.V().count()"), ["7"]);
}

#[test]
fn concurrent_increments_are_all_counted() {
    const THREADS: usize = 4;
    const EACH: usize = 25;
    let db = Database::in_memory_with(mangrove::DatabaseOptions {
        write_retries: 10_000,
        ..mangrove::DatabaseOptions::default()
    })
    .unwrap();
    db.query("g.addV('counter').property('n', 0L)").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..EACH {
                    db.query("g.V().hasLabel('counter').property('n', values('n').math('_ + 1'))").unwrap();
                }
            });
        }
    });
    let n = db.query("g.V().values('n')").unwrap().next().unwrap().unwrap();
    assert_eq!(n.to_string(), format!("{}.0", THREADS * EACH));
}

#[test]
fn explanations_and_profiles_name_the_steps() {
    let db = modern();
    let explanation = db.explain("g.V().has('name','marko').out('knows')").unwrap();
    assert!(explanation.contains("physical plan"), "{explanation}");
    assert_eq!(texts(&db, "g.V().out().explain()").len(), 1);
    let profile = db.profile("g.V().where(out('created')).values('name')").unwrap();
    assert!(profile.contains("values") && profile.contains(">TOTAL"), "{profile}");
    let named = texts(&db, "g.V().out().profile('x').cap('x')");
    assert!(named.len() == 1 && named[0].contains(">TOTAL"), "{named:?}");
    let profile = texts(&db, "g.V().out().profile()");
    assert!(profile.len() == 1 && profile[0].starts_with("Traversal Metrics"), "{profile:?}");
}

#[test]
fn what_is_told_of_thousands_of_operators_has_a_line_for_each_and_not_the_whole_query_in_it() {
    let db = modern();
    let keys: Vec<String> = (0..2_000).map(|n| format!("'{n}'")).collect();
    let wide = format!("project({}).by(both().fold())", keys.join(","));
    let deep = format!("{}identity(){}", "local(".repeat(60), ")".repeat(60));
    for (step, operators) in [(wide, 10_000), (deep, 200)] {
        for told in [db.explain(&format!("g.V().{step}")), db.profile(&format!("g.V().{step}"))] {
            let told = told.unwrap();
            let lines = told.lines().count();
            assert!(lines < operators, "{lines} lines of {}", &step[..40]);
            assert!(told.len() < 4 * step.len() + 400 * operators, "{} bytes of {}", told.len(), &step[..40]);
        }
    }
}

#[test]
fn errors_say_where() {
    let db = modern();
    let message = db.query("g.V().nope()").unwrap_err().to_string();
    assert!(message.contains("column 7") && message.contains("nope"), "{message}");
    let message = db.query("g.V().values('name').sum()").unwrap().next().unwrap().unwrap_err().to_string();
    assert!(message.contains("sum"), "{message}");
}

#[test]
fn a_query_that_takes_too_long_ends() {
    let db = modern();
    let slow = "g.with('evaluationTimeout', 50).V().repeat(both()).until(constant(1).is(2)).count()";
    let outcome = db.query(slow).unwrap().next().unwrap();
    assert!(outcome.is_err_and(|error| error.kind() == mangrove::ErrorKind::Timeout));
}

#[test]
fn another_language_may_end_a_request_in_the_middle_and_hold_results_for_as_long_as_it_likes() {
    let endless = "g.V().repeat(both()).until(constant(1).is(2)).count()";
    let writes = "g.V().repeat(both()).until(constant(1).is(2)).addV('never')";
    let asked = Arc::new(AtomicUsize::new(0));
    let db = modern();
    let embedder = db.embedder(Arc::new({
        let asked = Arc::clone(&asked);
        move || asked.fetch_add(1, Ordering::Relaxed) >= 2
    }));
    for text in [endless, writes] {
        asked.store(0, Ordering::Relaxed);
        let nothing = [] as [(&str, Value); 0];
        let outcome = embedder.query_with(text, nothing).and_then(|mut results| results.next().transpose());
        assert!(outcome.is_err_and(|error| error.kind() == mangrove::ErrorKind::Cancelled), "{text}");
    }
    let patient = db.embedder(Arc::new(|| false));
    let tx = patient.begin();
    tx.query_with("g.addV('person').property('name', x)", [("x", Value::str("ada"))]).unwrap();
    let mut names = patient.query_with("g.V().values('name')", [] as [(&str, Value); 0]).unwrap();
    assert_eq!(texts(&db, "g.V().count()"), ["6"]);
    tx.commit().unwrap();
    assert_eq!(texts(&db, "g.V().count()"), ["7"]);
    drop((db, embedder, patient));
    assert_eq!(names.by_ref().count(), 6, "as they were when they were asked for");
}

#[test]
fn a_script_that_comes_again_answers_for_the_values_and_the_graph_of_now() {
    let db = Database::in_memory().unwrap();
    for n in 0..20_i64 {
        db.query_with(
            "g.addV('person').property('id', n).property('age', a)",
            [("n", n), ("a", n % 3)].map(long),
        )
        .unwrap();
    }
    let count = |id: i64, age: i64| {
        let text = "g.V().has('person', 'id', within(i, 100L)).has('age', a).count()";
        let found = db.query_with(
            "g.V().has('person', 'id', i).has('age', a).count()",
            [("i", id), ("a", age)].map(long),
        );
        let with_list = db.query_with(text, [("i", id), ("a", age)].map(long));
        let one = |results: Result<mangrove::Results<'_>, mangrove::Error>| {
            results.unwrap().next().unwrap().unwrap()
        };
        let found = one(found);
        assert_eq!(found, one(with_list));
        found
    };
    let check = |age_of: &dyn Fn(i64) -> i64| {
        for id in 0..20 {
            for age in 0..4 {
                assert_eq!(count(id, age), Value::Long(i64::from(age_of(id) == age)), "{id} {age}");
            }
        }
    };
    check(&|id| id % 3);
    db.create_index("person", "id").unwrap();
    check(&|id| id % 3);
    db.query("g.V().has('age', 2L).property('age', 3L)").unwrap();
    check(&|id| if id % 3 == 2 { 3 } else { id % 3 });
    let transaction = db.transaction();
    for id in [4_i64, 5] {
        transaction.query_with("g.V().has('id', i).property('age', 0L)", [("i", id)].map(long)).unwrap();
    }
    let ages = |text: &str| transaction.query(text).unwrap().map(Result::unwrap).collect::<Vec<_>>();
    assert_eq!(ages("g.V().has('id', 4L).values('age')"), [Value::Long(0)]);
    assert_eq!(ages("g.V().has('id', 4L).values('age')"), [Value::Long(0)]);
    transaction.rollback();
    check(&|id| if id % 3 == 2 { 3 } else { id % 3 });
}

fn long((name, value): (&str, i64)) -> (&str, Value) {
    (name, Value::Long(value))
}

#[test]
fn a_stream_ends_when_its_time_is_over() {
    let db = Database::in_memory().unwrap();
    for (script, count) in [
        ("g.inject(1, 2, 3).timeLimit(10000)", 3),
        ("g.inject(1, 2, 3).timeLimit(0)", 0),
        ("g.inject(1, 2, 3).local(timeLimit(10000))", 3),
        ("g.inject(1, 2, 3).local(timeLimit(0))", 0),
        ("g.inject(1).repeat(timeLimit(20)).until(is(2))", 0),
    ] {
        assert_eq!(texts(&db, script).len(), count, "{script}");
    }
    let endless =
        "g.withSack(0).inject(1).repeat(sack(sum).by(constant(1))).emit().timeLimit(20).sack().max()";
    let passed: i64 = texts(&db, endless)[0].parse().unwrap();
    assert!(passed > 0);
}
