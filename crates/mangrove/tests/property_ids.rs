//! Properties of vertices with the ids that they had in an imported file: these are shown and written through, and nobody
//! finds what they are stored under.

mod queries;

use std::path::{Path, PathBuf};
use std::process::Command;

use mangrove::Database;
use mangrove::formats::ImportOptions;
use mangrove::values::Value;

use queries::{refusal, texts};

fn sample(name: &str) -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../../shared/tinkerpop/data").join(name)
}

fn fill(db: &Database, file: &Path) {
    db.import(file, None, &ImportOptions::default(), &|_| {}).unwrap();
}

fn with_ids(name: &str) -> Database {
    let db = Database::in_memory().unwrap();
    fill(&db, &sample(name));
    db
}

fn of_lines(lines: &str) -> Database {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("graph.json");
    std::fs::write(&file, lines).unwrap();
    let db = Database::in_memory().unwrap();
    fill(&db, &file);
    db
}

fn run(arguments: &[&str]) -> String {
    let done = Command::new(env!("CARGO_BIN_EXE_mangrove")).args(arguments).output().unwrap();
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

#[test]
fn properties_have_the_ids_of_the_file_in_every_step() {
    let db = with_ids("tinkerpop-modern.json");
    let all: Vec<String> = (0..12).map(|id| id.to_string()).collect();
    assert_eq!(texts(&db, "g.V().properties().order().id()"), all);
    assert_eq!(texts(&db, "g.V().properties().order().by(T.id,desc).id().limit(2)"), ["11", "10"]);
    for (query, found) in [
        ("g.V().properties().hasId(3).value()", &["27"][..]),
        ("g.V().properties().hasId(3L,'4').value()", &["27", "lop"]),
        ("g.V().properties().has('~id',3).value()", &["27"]),
        ("g.V().properties().dedup().count()", &["12"]),
        ("g.V(1).properties('name','age').id()", &["0", "1"]),
        ("g.V(1).properties('name').elementMap()", &["{id=0, key=name, value=marko}"]),
        ("g.V(1).propertyMap('age').select('age').unfold().id()", &["1"]),
        ("g.V(1).properties('age').as('p').V(1).properties().where(eq('p')).value()", &["29"]),
        ("g.V().has('name','marko').values('age')", &["29"]),
        ("g.V().order().by('age',desc).limit(1).values('name')", &["peter"]),
    ] {
        assert_eq!(texts(&db, query), found, "{query}");
    }
}

#[test]
fn a_vertex_leaves_with_properties_that_have_the_ids_of_the_file() {
    let db = with_ids("tinkerpop-crew.json");
    let Value::Vertex(marko) = db.query("g.V(1)").unwrap().next().unwrap().unwrap() else { panic!() };
    let ids: Vec<&Value> = marko.properties.iter().map(|property| &property.id).collect();
    assert_eq!(ids, [0, 6, 7, 8, 9].map(Value::Long).iter().collect::<Vec<_>>());
    let metas = marko.properties.iter().flat_map(|property| &property.properties);
    assert!(metas.map(|meta| meta.key.as_str()).all(|key| ["startTime", "endTime"].contains(&key)));
}

#[test]
fn nobody_reads_or_writes_what_the_ids_are_stored_under() {
    let db = with_ids("tinkerpop-modern.json");
    for (query, found) in [
        ("g.V().properties().properties().count()", &["0"][..]),
        ("g.V().properties().properties('~id').count()", &["0"]),
        ("g.V().properties().values('~id').count()", &["0"]),
        ("g.V(1).properties().valueMap()", &["{}", "{}"]),
        ("g.V(1).properties().propertyMap()", &["{}", "{}"]),
        ("g.V(1).properties().properties('~id').drop()", &[]),
        ("g.V(1).properties('name').id()", &["0"]),
    ] {
        assert_eq!(texts(&db, query), found, "{query}");
    }
    for query in [
        "g.V(1).properties('name').property('~id',5)",
        "g.V(1).properties('name').property('~id',null)",
        "g.V(1).property('name','x','~id',5)",
        "g.V(1).property(list,'name','x','~id',5)",
    ] {
        assert!(refusal(&db, query).contains("Property key can not be a hidden key: ~id"), "{query}");
    }
    assert_eq!(texts(&db, "g.V(1).properties('name').id()"), ["0"]);
    let schema = texts(&db, "g.call('mangrove.schema.show')").concat();
    assert!(!schema.contains('~'), "{schema}");
}

#[test]
fn a_strict_schema_has_nothing_to_say_of_the_ids() {
    let schema = "g.call('mangrove.schema.apply', [mode: 'strict', vertices: [
        person: [keys: [name: 'string', age: 'int']], software: [keys: [name: 'string', lang: 'string']]],
        edges: [knows: [keys: [weight: 'double']], created: [keys: [weight: 'double']]]])";
    let before = Database::in_memory().unwrap();
    texts(&before, schema);
    fill(&before, &sample("tinkerpop-modern.json"));
    let after = with_ids("tinkerpop-modern.json");
    texts(&after, schema);
    for db in [before, after] {
        assert_eq!(texts(&db, "g.V().properties().id().max()"), ["11"]);
    }
}

#[test]
fn a_write_through_a_property_finds_it_and_what_replaces_it_has_an_id_of_this_graph() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let crew = sample("tinkerpop-crew.json").display().to_string();
    run(&["--data", &path("graph"), "import", &crew]);
    let db = Database::open(path("graph")).unwrap();
    for write in [
        "g.V(1).properties('location').hasId(7).property('note','x')",
        "g.V(1).properties('location').hasId(6).drop()",
        "g.V(1).properties('location').hasId(8).properties('endTime').drop()",
        "g.V(1).property(set,'location','brussels','note','y')",
        "g.V(1).property(list,'location','here')",
        "g.V(1).property(single,'name','m')",
        "g.V(1).properties('location').hasId(9).union(identity(),identity()).drop()",
    ] {
        texts(&db, write);
    }
    let gone =
        "g.V(7).properties('location').hasId(10).as('p').sideEffect(drop()).select('p').property('x',1)";
    assert!(refusal(&db, gone).contains("the vertex property 10 does not exist"), "{}", refusal(&db, gone));
    let look = |db: &Database| {
        let places = "g.V(1).properties('location').hasId(7,8).order()";
        assert_eq!(texts(db, &format!("{places}.id()")), ["7", "8"]);
        assert_eq!(texts(db, &format!("{places}.values('note')")), ["x", "y"]);
        assert_eq!(texts(db, &format!("{places}.properties().key().dedup().order()")).len(), 3);
        assert_eq!(texts(db, "g.V(1).values('location')"), ["santa cruz", "brussels", "here"]);
        let fresh = texts(db, "g.V(1).properties().not(hasId(7,8)).order().by(T.key).id()");
        assert!(fresh.len() == 2 && fresh.iter().all(|id| id.parse::<i64>().unwrap() > 100), "{fresh:?}");
        assert_eq!(texts(db, "g.V(7).properties('location').id()").first().map(String::as_str), Some("10"));
    };
    look(&db);
    db.close().unwrap();
    let db = Database::open(path("graph")).unwrap();
    look(&db);
    db.close().unwrap();
    run(&["--data", &path("graph"), "check"]);
    run(&["--data", &path("graph"), "backup", &path("backups")]);
    run(&["--data", &path("restored"), "restore", &path("backups")]);
    let restored = Database::open(path("restored")).unwrap();
    look(&restored);
    restored.close().unwrap();
}

#[test]
fn a_property_that_a_client_sends_back_is_found_by_its_vertex_key_and_id() {
    let db = with_ids("tinkerpop-crew.json");
    let sent = db.query("g.V(1).properties('location').hasId(7)").unwrap().next().unwrap().unwrap();
    db.query_with("g.inject(p).drop()", [("p", sent.clone())]).unwrap();
    assert_eq!(texts(&db, "g.V(1).properties('location').id()"), ["6", "8", "9"]);
    db.query_with("g.inject(p).drop()", [("p", sent.clone())]).unwrap();
    let Value::VertexProperty(sent) = sent else { panic!() };
    let alone = mangrove::values::VertexProperty { vertex: None, ..(*sent).clone() };
    let refused =
        db.query_with("g.inject(p).drop()", [("p", Value::from(alone))]).map(|mut results| results.next());
    let message = match refused {
        Err(error) | Ok(Some(Err(error))) => error.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(message.contains("the vertex property 7 does not come from this graph"), "{message}");
    assert_eq!(texts(&db, "g.V().properties().count()"), ["19"], "one of 20 is gone");
}

#[test]
fn an_id_of_a_file_that_is_this_graphs_id_of_another_place_means_the_property_that_has_it() {
    let values = |ids: &[String]| {
        let cell = |(n, id): (usize, &String)| format!(r#"{{{id}"value":"{}"}}"#, n + 1);
        let cells: Vec<String> = ids.iter().enumerate().map(cell).collect();
        of_lines(&format!(r#"{{"id":"a","properties":{{"k":[{}]}}}}"#, cells.join(",")))
    };
    let own = texts(&values(&vec![String::new(); 3]), "g.V().properties().id()");
    let shifted = |i: usize| format!(r#""id":{{"@type":"g:Int64","@value":{}}},"#, own[i]);
    // What this graph would call the second and the third value are the first and the second.
    let db = values(&[shifted(1), shifted(2)]);
    assert_eq!(texts(&db, "g.V().properties().id()"), own[1..]);
    texts(&db, "g.V().property(list,'k','3')");
    assert_eq!(texts(&db, "g.V().properties().dedup().value()"), ["1", "2", "3"]);
    texts(&db, &format!("g.V().properties().hasId({}).property('m','one')", own[1]));
    assert_eq!(texts(&db, "g.V().properties().has('m','one').value()"), ["1"]);
    texts(&db, &format!("g.V().properties().hasId({}).drop()", own[1]));
    assert_eq!(texts(&db, "g.V().values('k')"), ["2", "3"]);
    texts(&db, "g.V().properties().hasValue('3').drop()");
    assert_eq!(texts(&db, "g.V().values('k')"), ["2"]);
    texts(&db, &format!("g.V().properties().hasId({}).drop()", own[2]));
    assert_eq!(texts(&db, "g.V().properties().count()"), ["0"]);
}

#[test]
fn an_id_of_a_file_that_is_this_graphs_id_of_another_vertexs_property_is_not_taken_for_it() {
    let lines = |of_b: &str| {
        let a = r#"{"id":"a","properties":{"k":[{"value":"1"}]}}"#;
        format!("{a}\n{}", format_args!(r#"{{"id":"b","properties":{{"k":[{{{of_b}"value":"2"}}]}}}}"#))
    };
    let own = texts(&of_lines(&lines("")), "g.V('a').properties().id()").concat();
    let db = of_lines(&lines(&format!(r#""id":{{"@type":"g:Int64","@value":{own}}},"#)));
    assert_eq!(texts(&db, "g.V().properties().id()"), [own.clone(), own]);
    for (query, found) in [
        ("g.V().properties().dedup().value()", &["1", "2"][..]),
        ("g.V().properties().order().value()", &["1", "2"]),
        ("g.V('a').properties().as('p').V('b').properties().where(eq('p')).count()", &["0"]),
        ("g.V('b').properties().as('p').V('b').properties().where(eq('p')).value()", &["2"]),
        ("g.V().properties().groupCount().count(local)", &["2"]),
        ("g.V('a').properties().store('x').V('b').properties().where(without('x')).value()", &["2"]),
    ] {
        assert_eq!(texts(&db, query), found, "{query}");
    }
}

#[test]
fn an_id_of_a_file_that_is_this_graphs_id_under_another_key_of_the_vertex_is_not_kept() {
    let line = |of_j: &str| {
        format!(r#"{{"id":"a","properties":{{"k":[{{"value":"1"}}],"j":[{{{of_j}"value":"2"}}]}}}}"#)
    };
    let own = texts(&of_lines(&line("")), "g.V().properties('k').id()").concat();
    let db = of_lines(&line(&format!(r#""id":{{"@type":"g:Int64","@value":{own}}},"#)));
    texts(&db, "g.V().property('k','new')");
    for (query, found) in [
        ("g.V().properties().id().dedup().count()", &["2"][..]),
        ("g.V().properties().dedup().value()", &["new", "2"]),
        ("g.V().properties('k').as('p').V().properties('j').where(eq('p')).count()", &["0"]),
    ] {
        assert_eq!(texts(&db, query), found, "{query}");
    }
}

#[test]
fn what_was_replaced_is_no_more_written_on_and_nobody_else_is() {
    let db = Database::in_memory().unwrap();
    texts(&db, "g.addV('x').property('name', 'a').property(single, 'one', 1)");
    for (key, value) in [("name", "'b'"), ("one", "2")] {
        let replaced = format!(
            "g.V().properties('{key}').sideEffect(__.element().property(single, '{key}', {value})).property('since', 1)"
        );
        let refused = refusal(&db, &replaced);
        assert!(refused.contains("does not exist (or no longer does)"), "{refused}");
    }
    let through =
        "g.V().properties('one').sideEffect(__.element().property(single, 'one', 3)).sideEffect(__.drop())";
    texts(&db, through);
    assert_eq!(texts(&db, "g.V().values('one')"), ["3"], "it was not what was dropped");
    assert_eq!(texts(&db, "g.V().properties().properties().count()"), ["0"]);
}
