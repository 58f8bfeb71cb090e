//! What ids may be, when two of them are the same, and that nobody gets at them under a reserved name.

mod queries;

use std::process::Command;

use mangrove::formats::ImportOptions;
use mangrove::graph::{BulkColumn, BulkValues, Cardinality, GraphError, IndexDescription, IndexKind};
use mangrove::values::Value;
use mangrove::{Database, ImportFormat};

use queries::{refusal, texts};

fn with(setup: &[&str]) -> Database {
    let db = Database::in_memory().unwrap();
    setup.iter().for_each(|script| drop(db.query(script).unwrap()));
    db
}

const NO_LOOKUP: &str = "g.with('mangrove.rules.off','index-lookup')";

#[test]
fn a_text_finds_a_number_only_in_its_usual_notation() {
    let db = with(&[
        "g.addV('n').property(id,7).property('k','seven')",
        "g.V(7).addE('e').property(id,9).to(__.V(7))",
    ]);
    for (query, found) in [
        ("g.V('007').values('k')", &[][..]),
        ("g.V('+7').values('k')", &[]),
        ("g.V('7').values('k')", &["seven"]),
        ("g.V(7.0).values('k')", &["seven"]),
        ("g.V().hasId('007').count()", &["0"]),
        ("g.V().hasId('7').count()", &["1"]),
        ("g.V(7).hasId('007').count()", &["0"]),
        ("g.V(7).hasId('7').count()", &["1"]),
        ("g.V(7).has(T.id,within('007','+7',7.5)).count()", &["0"]),
        ("g.V(7).has('~id','7').count()", &["1"]),
        ("g.V(7).has('n','~id','7').count()", &["1"]),
        ("g.V(7).has('~label','n').count()", &["1"]),
        ("g.E('009').count()", &["0"]),
        ("g.E('9').count()", &["1"]),
        ("g.V().bothE().hasId('09').count()", &["0"]),
        ("g.V().bothE().hasId('9').count()", &["2"]),
        (
            "g.V('007').fold().coalesce(unfold(),addV('n').property(id,'007').property('k','made')).values('k')",
            &["made"],
        ),
        ("g.V('007').values('k')", &["made"]),
        ("g.V('7').values('k')", &["seven"]),
    ] {
        assert_eq!(texts(&db, query), found, "{query}");
    }
}

#[test]
fn a_text_finds_a_uuid_only_in_its_usual_notation() {
    let db = with(&["g.addV('n').property(id,UUID('0f8fad5b-d9cb-469f-a165-70867728950e'))"]);
    for (text, found) in [
        ("0f8fad5b-d9cb-469f-a165-70867728950e", "1"),
        ("0F8FAD5B-D9CB-469F-A165-70867728950E", "0"),
        ("0f8fad5bd9cb469fa16570867728950e", "0"),
        ("{0f8fad5b-d9cb-469f-a165-70867728950e}", "0"),
        ("urn:uuid:0f8fad5b-d9cb-469f-a165-70867728950e", "0"),
    ] {
        for query in [
            format!("g.V('{text}').count()"),
            format!("g.V().hasId('{text}').count()"),
            format!("g.V().has(T.id,within('{text}','x')).count()"),
            format!("g.V().hasLabel('n').identity().hasId('{text}').count()"),
        ] {
            assert_eq!(texts(&db, &query), [found], "{query}");
        }
    }
}

#[test]
fn a_lookup_finds_what_a_filter_finds() {
    // A number and its text may be two vertices: then both are meant by either.
    let db = with(&[
        "g.addV('n').property(id,7).addV('n').property(id,'7').addV('n').property(id,'007').addV('n')",
        "g.V('007').addE('e').property(id,7).to(__.V('007')).addE('e').property(id,'7').to(__.V('007')).from(__.V(7))",
    ]);
    for id in ["7", "'7'", "'007'", "7.0", "7.5", "'+7'", "0", "'0'", "'00'", "true", "'v'"] {
        for (lookup, filter) in [
            (format!("g.V({id}).count()"), format!("{NO_LOOKUP}.V().hasId({id}).count()")),
            (format!("g.V().hasId({id}).count()"), format!("{NO_LOOKUP}.V().has(T.id,within({id})).count()")),
            (format!("g.E({id}).count()"), format!("{NO_LOOKUP}.E().hasId({id}).count()")),
            (format!("g.E({id}).count()"), format!("{NO_LOOKUP}.E().where(hasId({id})).count()")),
        ] {
            assert_eq!(texts(&db, &lookup), texts(&db, &filter), "{lookup} and {filter}");
        }
    }
    assert_eq!(texts(&db, "g.V('7').count()"), ["2"]);
    assert_eq!(texts(&db, "g.V('007').count()"), ["1"]);
}

#[test]
fn an_id_is_a_text_an_integer_of_64_bits_or_a_uuid() {
    let db = Database::in_memory().unwrap();
    for id in ["'a'", "''", "1", "2L", "3b", "4s", "5n", "UUID('0f8fad5b-d9cb-469f-a165-70867728950e')"] {
        texts(
            &db,
            &format!("g.addV('n').property(id,{id}).as('a').addE('e').property(id,{id}).from('a').to('a')"),
        );
    }
    for (id, what) in [
        ("NaN", "NaN"),
        ("1.5", "a floating-point number"),
        ("1.0f", "a floating-point number"),
        ("1.5m", "a decimal number"),
        ("12345678901234567890n", "an integer of more than 64 bits"),
        ("true", "a truth value"),
        ("null", "null"),
        ("[1,2]", "a collection"),
        ("{1}", "a collection"),
        ("['a':1]", "a collection"),
        ("T.label", "a token"),
        ("datetime('2020-01-01')", "a date"),
    ] {
        let expected = format!("{what} cannot be an element id");
        let message = refusal(&db, &format!("g.addV('n').property(id,{id})"));
        assert!(message.contains(&expected), "{id}: {message}");
        let message = refusal(&db, &format!("g.V('a').addE('e').property(id,{id}).to(__.V('a'))"));
        assert!(message.contains(&expected), "{id}: {message}");
    }
}

#[test]
fn ids_that_cannot_be_are_refused_at_every_import() {
    let import = |name: &str, content: &str, format| {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(name), content).unwrap();
        let db = Database::in_memory().unwrap();
        let done = db.import(dir.path().join(name), Some(format), &ImportOptions::default(), &|_| {});
        done.unwrap_err().to_string()
    };
    for (id, what) in [
        (r#"{"@type":"g:Double","@value":"NaN"}"#, "NaN cannot be an element id"),
        (r#"{"@type":"g:Double","@value":1.5}"#, "a floating-point number cannot be an element id"),
        (r#"{"@type":"g:List","@value":[]}"#, "a collection cannot be an element id"),
        ("true", "a truth value cannot be an element id"),
    ] {
        let vertex = format!(r#"{{"id":{id},"label":"n"}}"#);
        let message = import("g.json", &vertex, ImportFormat::Graphson);
        assert!(message.contains(what) && message.contains("g.json:1:"), "{message}");
        let edge = format!(r#"{{"id":1,"label":"n","outE":{{"e":[{{"id":{id},"inV":1}}]}}}}"#);
        let message = import("g.json", &edge, ImportFormat::Graphson);
        assert!(message.contains(what) && message.contains("outE.e.id"), "{message}");
    }
    let message = import("v.csv", ":ID{id-type:double}\n1.5\n", ImportFormat::Csv);
    assert!(message.contains("an id is a `string`, `int`, `long` or `uuid`"), "{message}");
    let graph = Database::in_memory().unwrap();
    let mut bulk = graph.graph().bulk_load().unwrap();
    let refused = bulk.vertices("n", Some(vec![Value::Double(f64::NAN)]), Vec::new());
    assert!(matches!(refused, Err(GraphError::BadId("NaN"))));
}

#[test]
fn the_id_of_an_edge_is_not_a_property() {
    let dir = tempfile::tempdir().unwrap();
    let db = Database::open(dir.path().join("g")).unwrap();
    texts(
        &db,
        "g.addV('P').property(id,'a').as('a').addV('P').property(id,'b').as('b').addE('k').property(id,'e1').from('a').to('b').addE('k').property(id,'e3').from('b').to('a')",
    );
    for query in
        ["g.E('e1').property('~id','e2')", "g.E('e3').property('~id','e2')", "g.V('a').property('~id','c')"]
    {
        assert!(refusal(&db, query).contains("Property key can not be a hidden key: ~id"), "{query}");
    }
    assert_eq!(texts(&db, "g.E().id().order()"), ["e1", "e3"]);
    assert_eq!(texts(&db, "g.E('e1').count()"), ["1"]);
    assert_eq!(texts(&db, "g.E('e2').count()"), ["0"]);
    db.close().unwrap();
    let db = Database::open(dir.path().join("g")).unwrap();
    assert_eq!(texts(&db, "g.E('e3').id()"), ["e3"], "after a replay");
    db.close().unwrap();
    let data = dir.path().join("g").display().to_string();
    let check =
        Command::new(env!("CARGO_BIN_EXE_mangrove")).args(["--data", &data, "check"]).output().unwrap();
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stdout));
}

#[test]
fn reserved_names_are_refused_at_every_door() {
    let db = with(&["g.addV('P').property(id,'a').as('a').addE('k').property(id,'e').from('a').to('a')"]);
    for (query, expected) in [
        ("g.addV('~x')", "Label can not be a hidden key: ~x"),
        ("g.V('a').addE('~x').to(__.V('a'))", "Label can not be a hidden key: ~x"),
        ("g.addV('P').property('~id',1)", "Property key can not be a hidden key: ~id"),
        ("g.addV('P').property(['~label':1])", "Property key can not be a hidden key: ~label"),
        ("g.V('a').property('~x',1)", "Property key can not be a hidden key: ~x"),
        ("g.V('a').property('~x',null)", "Property key can not be a hidden key: ~x"),
        ("g.V('a').property(constant('~id'),1)", "Property key can not be a hidden key: ~id"),
        ("g.V('a').property('x',1,'~m',2)", "Property key can not be a hidden key: ~m"),
        ("g.E('e').property('~x',1)", "Property key can not be a hidden key: ~x"),
        ("g.E('e').property('~id',null)", "Property key can not be a hidden key: ~id"),
        ("g.V('a').property(T.id,1)", "T.id is immutable on existing elements"),
        ("g.V('a').property(T.label,'x')", "T.label is immutable on existing elements"),
        ("g.V('a').property(T.key,'x')", "T.key is immutable on existing elements"),
        ("g.V('a').property([(T.id):5])", "T.id is immutable on existing elements"),
        (
            "g.addV('a').property(T.label,'b')",
            "Element T.label has already been set to [a] and cannot be overridden with [b]",
        ),
        (
            "g.addV().property(T.label,'b').property(T.label,'c')",
            "Element T.label has already been set to [b] and cannot be",
        ),
        (
            "g.addV().property(T.id,1).property(T.id,2)",
            "Element T.id has already been set to [1] and cannot be overridden with [2]",
        ),
        (
            "g.V('a').addE('k').property(T.label,'l').to(__.V('a'))",
            "Element T.label has already been set to [k] and cannot be",
        ),
    ] {
        let message = refusal(&db, query);
        assert!(message.contains(expected), "{query}: {message}");
    }
    assert_eq!(texts(&db, "g.addV().property(T.label,'q').label()"), ["q"]);
    assert_eq!(texts(&db, "g.addV('vertex').property(T.label,'q').label()"), ["q"], "as TinkerPop has it");
    let again = refusal(&db, "g.addV('vertey').property(T.label,'q').label()");
    assert!(again.contains("already been set to [vertey]"), "a plan of the same shape is not taken: {again}");
}

#[test]
fn reserved_names_are_refused_by_the_library_schemas_indexes_and_imports() {
    let db = Database::in_memory().unwrap();
    let graph = db.graph();
    let is_hidden = |error: GraphError| assert!(error.to_string().contains("hidden key: ~"), "{error}");
    let tx = graph.begin();
    let v = tx.add_vertex(None, "P").unwrap();
    let e = tx.add_edge(None, "k", v, v).unwrap();
    for key in ["~id", "~x"] {
        is_hidden(tx.set_vertex_property(v, Cardinality::Single, key, 1.into(), &[]).unwrap_err());
        is_hidden(tx.set_vertex_property(v, None, "x", 1.into(), &[(key.into(), 1.into())]).unwrap_err());
        is_hidden(tx.set_edge_property(e, key, 1.into()).unwrap_err());
        is_hidden(graph.create_index("P", key).unwrap_err());
        let kind = IndexKind::Equality;
        let index = IndexDescription { label: "P".into(), keys: vec![key.into()], kind };
        let mut schema = graph.schema();
        schema.indexes.push(index);
        is_hidden(graph.apply_schema(&schema).unwrap_err());
        let column = BulkColumn { key: key.into(), values: BulkValues::Long(vec![Some(1)]) };
        // Beside a transaction there is no bulk load.
        let empty = Database::in_memory().unwrap();
        is_hidden(empty.graph().bulk_load().unwrap().vertices("P", None, vec![column]).unwrap_err());
    }
    is_hidden(tx.add_vertex(None, "~P").unwrap_err());
    is_hidden(tx.add_edge(None, "~k", v, v).unwrap_err());
    drop(tx);
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in [
        ("a.json", r#"{"id":1,"label":"~n"}"#),
        ("b.json", r#"{"id":1,"label":"n","properties":{"~id":[{"value":1}]}}"#),
        ("c.json", r#"{"id":1,"label":"n","properties":{"a":[{"value":1,"properties":{"~id":1}}]}}"#),
        ("d.json", r#"{"id":1,"label":"n","outE":{"~k":[{"id":2,"inV":1}]}}"#),
        ("e.json", r#"{"id":1,"label":"n","outE":{"k":[{"id":2,"inV":1,"properties":{"~id":1}}]}}"#),
        ("f.csv", ":ID,:LABEL\n1,~n\n"),
    ] {
        let path = dir.path().join(name);
        std::fs::write(&path, content).unwrap();
        let message = db.import(&path, None, &ImportOptions::default(), &|_| {}).unwrap_err().to_string();
        assert!(message.contains("can not be a hidden key: ~"), "{name}: {message}");
        assert!(message.contains(&format!("{name}:")), "the line is named: {message}");
    }
}

#[test]
fn an_edge_that_was_dropped_is_still_called_as_it_was() {
    let db = Database::in_memory().unwrap();
    texts(&db, "g.addV().property(T.id,1).as('a').addV().property(T.id,2).as('b').iterate()");
    let edge = "g.addE('x').property(T.id,'e').from(__.V(1)).to(__.V(2))";
    for (query, ids) in [
        ("g.E().sideEffect(drop()).id()", &["e"][..]),
        ("g.E().as('e').sideEffect(drop()).select('e').by(id)", &["e"]),
        ("g.V(1).outE().aggregate('x').drop().cap('x').unfold().id()", &["e"]),
        ("g.V(1).outE().sideEffect(inV().drop()).id()", &["e"]),
    ] {
        texts(&db, edge);
        assert_eq!(texts(&db, query), ids, "{query}");
        texts(&db, "g.mergeV([(T.id): 2])");
    }
    let both = "g.addE('x').property(T.id,'f').from(__.V(1)).to(__.V(2)).sideEffect(drop()).id()";
    assert_eq!(texts(&db, both), ["f"], "created and dropped");
    assert_eq!(texts(&db, "g.E().count()"), ["0"]);
}

#[test]
fn an_edge_that_was_dropped_has_no_ends() {
    let db = Database::in_memory().unwrap();
    texts(&db, "g.addV().property(T.id,1).as('a').addV().property(T.id,2).as('b').iterate()");
    for query in [
        "g.E().sideEffect(drop()).outV()",
        "g.E().sideEffect(drop()).bothV()",
        "g.V(1).outE().sideEffect(drop()).otherV()",
        "g.E().choose(__.drop().count()).option(0, __.inV())",
    ] {
        texts(&db, "g.addE('x').from(__.V(1)).to(__.V(2))");
        assert_eq!(texts(&db, query), [""; 0], "{query}");
    }
}
