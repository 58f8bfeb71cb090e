//! What runs on several executors answers as on one.

use std::path::Path;
use std::sync::Arc;

use dataflow::{Engine, EngineOptions, Sharing};
use mangrove::{Database, DatabaseOptions, values::Value};

/// Persons who know each other in a ring with chords: enough of them for plans that spread.
const PERSONS: usize = 4_000;

fn network() -> (tempfile::TempDir, Database) {
    let dir = tempfile::tempdir().unwrap();
    let files = dir.path().join("files");
    std::fs::create_dir(&files).unwrap();
    let mut persons = String::from("id:ID,:LABEL,name,age:int\n");
    let mut knows = String::from(":START_ID,:END_ID,:TYPE\n");
    for i in 0..PERSONS {
        persons.push_str(&format!("{i},Person,p{i},{}\n", i % 90));
        for step in [1, 2, 3, 5, 8, 13, 21, 34] {
            knows.push_str(&format!("{i},{},knows\n", (i * 7 + step) % PERSONS));
        }
    }
    std::fs::write(files.join("persons.csv"), persons).unwrap();
    std::fs::write(files.join("knows.csv"), knows).unwrap();
    let graph = dir.path().join("graph");
    let db = open(&graph, 1);
    db.import(&files, None, &Default::default(), &|_| {}).unwrap();
    (dir, db)
}

fn open(graph: &Path, executors: usize) -> Database {
    // They help each other as soon as they can.
    let eager = EngineOptions { executors, sharing: Sharing::EAGER, ..EngineOptions::default() };
    let engine = Some(Arc::new(Engine::start(&eager).unwrap()));
    Database::open_with(graph, DatabaseOptions { engine, executors, ..DatabaseOptions::default() }).unwrap()
}

fn results(db: &Database, text: &str) -> Vec<Value> {
    db.query(text).and_then(|results| results.collect()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn several_executors_answer_as_one_does() {
    let (dir, db) = network();
    let texts = [
        "g.V().hasLabel('Person').out('knows').out('knows').dedup().count()",
        "g.V().hasLabel('Person').out('knows').out('knows').count()",
        "g.V().hasLabel('Person').where(out('knows').out('knows').dedup().count().is(gt(60))).count()",
        "g.V().hasLabel('Person').where(repeat(out('knows')).times(2).has('age',3)).count()",
        "g.V().hasLabel('Person').where(out('knows').out('knows').dedup().has('age',lt(2))).count()",
        "g.V().hasLabel('Person').order().by('age').by('name').out('knows').dedup().limit(50).values('name')",
        "g.V().hasLabel('Person').order().by('age').by('name').where(out('knows').has('age',lt(9))).limit(50).values('name')",
        "g.V().hasLabel('Person').union(out('knows').dedup(), out('knows').has('age',3).dedup()).count()",
        "g.V().hasLabel('Person').out('knows').out('knows').has('age',lt(5)).values('age').sum()",
        "g.V().hasLabel('Person').out('knows').out('knows').values('age').min()",
        "g.V().hasLabel('Person').out('knows').out('knows').values('name').max()",
        "g.V().hasLabel('Person').out('knows').out('knows').values('age').mean()",
        "g.V().hasLabel('Person').limit(700).repeat(out('knows').simplePath()).times(3).path().count()",
    ];
    let one: Vec<Vec<Value>> = texts.iter().map(|text| results(&db, text)).collect();
    drop(db);
    let several = open(&dir.path().join("graph"), 4);
    for (text, expected) in texts.iter().zip(&one) {
        let plan = several.explain(text).unwrap();
        assert!(plan.contains("ExchangeScope"), "{text} does not spread:\n{plan}");
        for _ in 0..10 {
            assert_eq!(&results(&several, text), expected, "{text}");
        }
    }
}

#[test]
fn a_transaction_commits_while_executors_forget_the_queries_they_helped_with() {
    let (dir, db) = network();
    drop(db);
    let several = open(&dir.path().join("graph"), 4);
    for round in 0..60 {
        let transaction = several.transaction();
        transaction.query(&format!("g.addV('Round').property('number', {round})")).unwrap();
        let text = "g.V().hasLabel('Person').where(out('knows').out('knows').has('age',lt(5))).count()";
        transaction.query(text).unwrap();
        transaction.commit().unwrap();
    }
    assert_eq!(results(&several, "g.V().hasLabel('Round').count()"), [Value::Long(60)]);
}
