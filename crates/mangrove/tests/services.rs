//! Schema and indexes through `g.call(…)`.

use mangrove::values::{self, Value};
use mangrove::{Database, DatabaseOptions, Error, ErrorKind};

fn texts(db: &Database, query: &str) -> Vec<String> {
    db.query(query)
        .unwrap_or_else(|error| panic!("{query}: {error}"))
        .map(|value| value.unwrap().to_string())
        .collect()
}

#[track_caller]
fn refused(db: &Database, query: &str) -> String {
    let outcome = db.query(query).and_then(|results| results.collect::<Result<Vec<_>, _>>());
    let error = outcome.expect_err(query);
    assert_eq!(error.kind(), ErrorKind::Evaluation, "{error}");
    error.to_string()
}

const DECLARE: &str = "g.call('mangrove.schema.declare', [vertices: [person: [keys: [
    age: 'int', name: [type: 'string', required: true], email: [type: 'string', cardinality: 'set']]]],
    edges: [knows: [sort: 'since']]])";

#[test]
fn services_are_listed_as_tinkerpop_lists_them() {
    let db = Database::in_memory().unwrap();
    let own = texts(&db, "g.call('mangrove.services')");
    assert!(own.contains(&"mangrove.schema.show".to_owned()) && own.is_sorted(), "{own:?}");
    for script in ["g.call()", "g.call('--list')", "g.call('--list', [x: 'y'])"] {
        assert_eq!(texts(&db, script), ["tinker.search", "tinker.degree.centrality"], "{script}");
    }
    for script in [
        "g.call('--list', [service: 'mangrove.index.list'])",
        "g.call('--list').with('service', __.constant('mangrove.index.list'))",
        "g.call('--list', __.project('service').by(__.constant('mangrove.index.list')))",
        "g.call('--list', [service: 'x'], __.project('service').by(constant('mangrove.index.list')))",
        "g.call('--list', [service: 'x'], __.project('service').by(constant('y'))).with('service', 'mangrove.index.list')",
    ] {
        assert_eq!(texts(&db, script), ["mangrove.index.list"], "{script}");
    }
    let described =
        texts(&db, "g.call('--list').with('service', 'tinker.degree.centrality').with('verbose')");
    let expected = "{\"name\":\"tinker.degree.centrality\",\"type:[requirements]:\":{\"Streaming\":[]},\"params\":{\"direction\":\
                    \"Specify the edge direction (optional), default is Direction.IN\"}}";
    assert_eq!(described, [expected]);
    let message = refused(&db, "g.call('no.such')");
    assert!(
        message.contains("Unrecognized service: no.such") && message.contains("mangrove.schema.show"),
        "{message}"
    );
}

/// TinkerPop's modern graph.
fn modern() -> Database {
    let db = Database::in_memory().unwrap();
    db.query(
        "g.addV('person').property('name','marko').property('age',29).as('1').\
         addV('person').property('name','vadas').property('age',27).as('2').\
         addV('software').property('name','lop').property('lang','java').as('3').\
         addV('person').property('name','josh').property('age',32).as('4').\
         addE('knows').from('1').to('2').property('note','old mar').addE('knows').from('1').to('4').\
         addE('created').from('1').to('3').addE('created').from('4').to('3')",
    )
    .unwrap()
    .for_each(drop);
    db
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts
}

#[test]
fn a_search_finds_properties_of_everything() {
    let db = modern();
    db.query("g.V().has('name','josh').property(list, 'name', 'joshua', 'since', 'mardi')")
        .unwrap()
        .for_each(drop);
    for (script, found) in [
        ("g.call('tinker.search', [search: 'mar']).value()", &["mardi", "marko", "old mar"][..]),
        ("g.call('tinker.search').with('search', 'mar').with('type', 'Edge').element().label()", &["knows"]),
        (
            "g.call('tinker.search').with('search', 'mar').with('type', 'VertexProperty').element().value()",
            &["joshua"],
        ),
        (
            "g.call('tinker.search').with('search', __.constant('mar')).with('type', 'Vertex').value()",
            &["marko"],
        ),
        (
            "g.call('tinker.search', __.project('search').by(constant('vada'))).element().values('name')",
            &["vadas"],
        ),
        ("g.call('tinker.search', [regex: '[jl]o.?.?']).value()", &["josh", "lop"]),
        ("g.call('tinker.search', [regex: 'a|b|27']).value()", &["27"]),
        ("g.call('tinker.search').with('search', __.V().has('age', 27).values('name')).value()", &["vadas"]),
        ("g.call('tinker.search').with('search', 'JAVA')", &[]),
    ] {
        assert_eq!(sorted(texts(&db, script)), found, "{script}");
    }
    for (script, problem) in [
        ("g.call('tinker.search')", "Missing search/regex parameter"),
        (
            "g.call('tinker.search', [search: 'x', type: 'Graph'])",
            "Type must be one of Vertex/Edge/VertexProperty: Graph",
        ),
        ("g.call('tinker.search', [search: 5])", "`search` must be a string"),
        ("g.V().call('tinker.search', [search: 'x'])", "cannot be used mid-traversal"),
        ("g.V().map(call('mangrove.schema.show'))", "cannot be used mid-traversal"),
        ("g.V().call()", "cannot be used mid-traversal"),
        ("g.V().where(call('no.such'))", "Unrecognized service: no.such"),
        ("g.call('tinker.search').with('search', __.addV('x').values('y'))", "must not write"),
        ("g.call('tinker.search').with('search', __.V().values('y'))", "has no result"),
    ] {
        let outcome = db.query(script).and_then(|results| results.collect::<Result<Vec<_>, _>>());
        let message = outcome.expect_err(script).to_string();
        assert!(message.contains(problem), "{script}: {message}");
    }
}

#[test]
fn degrees_are_counted_wherever_they_are_called_for() {
    let db = modern();
    let degrees =
        |with: &str| texts(&db, &format!("g.V().order().by('name').call('tinker.degree.centrality'{with}"));
    // Of josh, lop, marko and vadas.
    let (entering, leaving) = (["1", "2", "0", "1"], ["1", "0", "3", "0"]);
    assert_eq!(degrees(")"), entering);
    assert_eq!(degrees(", [x: 'y'])"), entering);
    assert_eq!(degrees(").with('direction', OUT)"), leaving);
    assert_eq!(degrees(", [direction: OUT])"), leaving);
    assert_eq!(degrees(", [direction: OUT]).with('direction', IN)"), entering);
    assert_eq!(degrees(", __.project('direction').by(__.constant(OUT)))"), leaving);
    assert_eq!(degrees(", [direction: IN], __.project('direction').by(__.constant(OUT)))"), leaving);
    assert_eq!(degrees(", [direction: OUT], __.project('x').by(__.constant(1)))"), leaving);
    assert_eq!(
        degrees(").with('direction', choose(has('age'), constant(OUT), constant(BOTH)))"),
        ["1", "2", "3", "0"]
    );
    assert_eq!(texts(&db, "g.V().where(call('tinker.degree.centrality').is(2)).values('name')"), ["lop"]);
    assert_eq!(
        sorted(texts(
            &db,
            "g.V().group().by('name').by(call('tinker.degree.centrality')).unfold().select(values)"
        )),
        ["0", "1", "1", "2"]
    );
    // Merged traversers get a result each.
    assert_eq!(texts(&db, "g.V().out('created').barrier().call('tinker.degree.centrality')"), ["2", "2"]);
    assert!(
        refused(&db, "g.call('tinker.degree.centrality')").contains("cannot be used to start a traversal")
    );
    assert!(
        refused(&db, "g.V().call('tinker.degree.centrality', [direction: 'OUT'])")
            .contains("must be a Direction")
    );
    let wrong = "g.V().call('tinker.degree.centrality').with('direction', constant('x'))";
    let outcome = db.query(wrong).and_then(|results| results.collect::<Result<Vec<_>, _>>());
    assert!(outcome.unwrap_err().to_string().contains("`direction` must be a Direction"));
    // A transaction's own writes count, and texts that come again are run again.
    let transaction = db.transaction();
    let count = |transaction: &mangrove::Transaction<'_>| {
        let results =
            transaction.query("g.V().has('name','vadas').call('tinker.degree.centrality')").unwrap();
        results.map(|result| result.unwrap().to_string()).collect::<Vec<_>>()
    };
    assert_eq!((count(&transaction), count(&transaction)), (vec!["1".into()], vec!["1".into()]));
    transaction
        .query("g.V().has('name','lop').addE('x').to(V().has('name','vadas'))")
        .unwrap()
        .for_each(drop);
    assert_eq!((count(&transaction), count(&transaction)), (vec!["2".into()], vec!["2".into()]));
    let refused =
        transaction.query("g.call('tinker.search').with('search', __.V().values('name'))").map(drop);
    assert!(refused.unwrap_err().to_string().contains("in a transaction"));
}

#[test]
fn a_schema_is_declared_shown_and_obeyed() {
    let db = Database::in_memory().unwrap();
    assert_eq!(texts(&db, "g.call('mangrove.schema.show').select('version')"), ["0"]);
    assert_eq!(texts(&db, &format!("{DECLARE}.select('version')")), ["1"]);
    let shown = "g.call('mangrove.schema.show').select('vertices').select('person').select('keys').select('age').select('type')";
    assert_eq!(texts(&db, shown), ["int"]);
    // What is declared later is added.
    texts(&db, "g.call('mangrove.schema.declare').with('edges', [knows: [keys: [since: 'long']]])");
    let edges = texts(&db, "g.call('mangrove.schema.show').select('edges')");
    assert!(edges[0].contains("sort") && edges[0].contains("long"), "{edges:?}");

    assert!(
        refused(&db, "g.addV('person').property('name', 'ada').property('age', 'old')")
            .contains("declared as int")
    );
    assert!(refused(&db, "g.addV('person').property('age', 36)").contains("requires"));
    texts(&db, "g.addV('person').property('name', 'ada').property('email', 'a').property('email', 'b')");
    let mut emails = texts(&db, "g.V().values('email')");
    emails.sort();
    assert_eq!(emails, ["a", "b"], "the declared cardinality is the default");
    texts(&db, "g.V().property('email', 'a')");
    assert_eq!(texts(&db, "g.V().values('email').count()"), ["2"]);
    assert!(refused(&db, "g.V().property(list, 'email', 'c')").contains("cardinality set"));
    assert!(refused(&db, "g.V().properties('name').drop()").contains("requires"));

    let message =
        refused(&db, "g.call('mangrove.schema.declare', [vertices: [person: [keys: [email: 'int']]]])");
    assert!(message.contains("was not changed"), "{message}");
    let message =
        refused(&db, "g.call('mangrove.schema.declare', [vertices: [person: [keys: [age: 'lnog']]]])");
    assert!(message.starts_with("vertices.person.keys.age: no type is called"), "{message}");
}

#[test]
fn a_type_is_changed_and_what_is_stored_is_read_as_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let declare = |db: &Database, name: &str| {
        let key = format!("[keys: [age: '{name}']]");
        texts(
            db,
            &format!("g.call('mangrove.schema.declare', [vertices: [person: {key}], edges: [knows: {key}]])"),
        );
    };
    let db = Database::open(folder.path()).unwrap();
    declare(&db, "int");
    texts(
        &db,
        "g.inject(1, 2, 3, 2).as('n').addV('person').property('age', select('n')).as('v').addE('knows').to('v').property('age', select('n'))",
    );
    texts(&db, "g.call('mangrove.index.create', [label: 'person', key: 'age', kind: 'range', wait: true])");
    let same_type = |db: &Database, query: &str, expected: &Value| {
        let values: Vec<Value> = db.query(query).unwrap().map(|value| value.unwrap()).collect();
        assert!(
            !values.is_empty() && values.iter().all(|value| value.gtype() == expected.gtype()),
            "{query}: {values:?}"
        );
    };
    let ask = |db: &Database, expected: &Value| {
        for query in
            ["g.V().values('age')", "g.E().values('age')", "g.V().outE().has('age', gt(1)).values('age')"]
        {
            same_type(db, query, expected);
        }
        assert_eq!(texts(db, "g.V().values('age').dedup().count()"), ["3"]);
        assert_eq!(texts(db, "g.V().hasLabel('person').has('age', 2).count()"), ["2"]);
        assert_eq!(texts(db, "g.V().hasLabel('person').has('age', between(2.0d, 3.5d)).count()"), ["3"]);
        assert_eq!(
            texts(db, "g.V().hasLabel('person').order().by('age', desc).limit(1).values('age')"),
            ["3"]
        );
    };
    ask(&db, &Value::Int(0));
    declare(&db, "long");
    ask(&db, &Value::Long(0));
    db.close().unwrap();
    let db = Database::open(folder.path()).unwrap();
    ask(&db, &Value::Long(0));
    declare(&db, "bigint");
    texts(&db, "g.addV('person').property('age', 2).drop()");
    ask(&db, &values::BigInt::from(0).into());
    let message =
        refused(&db, "g.call('mangrove.schema.declare', [vertices: [person: [keys: [age: 'int']]]])");
    assert!(message.contains("was not changed") && message.contains("declared as int"), "{message}");
}

#[test]
fn a_whole_schema_is_checked_and_applied() {
    let db = Database::in_memory().unwrap();
    texts(&db, DECLARE);
    let lines = texts(
        &db,
        "g.call('mangrove.schema.check', [mode: 'strict', vertices: [person: [keys: [age: 'long']]]])",
    );
    assert!(lines.contains(&"+ mode = strict".to_owned()), "{lines:?}");
    assert!(lines.contains(&"- vertices.person.keys.age.type = int".to_owned()), "{lines:?}");
    assert_eq!(
        texts(&db, "g.call('mangrove.schema.show').select('version')"),
        ["1"],
        "checking changes nothing"
    );
    texts(
        &db,
        "g.call('mangrove.schema.apply', [mode: 'strict', vertices: [person: [keys: [age: 'long']]]])",
    );
    assert!(refused(&db, "g.addV('robot')").contains("strict"));
    assert!(refused(&db, "g.addV('person').property('name', 'ada')").contains("declares no property"));
    texts(&db, "g.addV('person').property('age', 36)");
    // What is shown can be applied again.
    let shown = db.query("g.call('mangrove.schema.show')").unwrap().next().unwrap().unwrap();
    db.query_with("g.call('mangrove.schema.apply', shown)", [("shown", shown)]).unwrap();
    assert_eq!(
        texts(&db, "g.call('mangrove.schema.show').select('version')"),
        ["2"],
        "the same is no new version"
    );
}

#[test]
fn indexes_are_created_used_listed_and_dropped() {
    let db = Database::in_memory().unwrap();
    texts(&db, "g.inject(0).repeat(__.addV('person').property('number', __.V().count())).times(30)");
    let state = texts(
        &db,
        "g.call('mangrove.index.create', [label: 'person', key: 'number', wait: true]).select('state')",
    );
    assert_eq!(state, ["ready"]);
    let uses_index =
        || db.explain("g.V().has('person', 'number', 7)").unwrap().contains("index person.number");
    assert!(uses_index());
    assert_eq!(texts(&db, "g.call('mangrove.index.list').select('progress')"), ["1.0"]);
    texts(&db, "g.call('mangrove.index.drop', [label: 'person', keys: ['number']])");
    assert!(!uses_index());
    assert!(texts(&db, "g.call('mangrove.index.list')").is_empty());
    assert!(
        refused(&db, "g.call('mangrove.index.drop', [label: 'person', keys: ['number']])")
            .contains("no equality index")
    );

    texts(
        &db,
        "g.call('mangrove.index.create').with('label', 'person').with('key', 'ssn').with('kind', 'unique').with('wait', true)",
    );
    texts(&db, "g.addV('person').property('ssn', 1)");
    assert!(refused(&db, "g.addV('person').property('ssn', 1)").contains("is unique"));
}

#[test]
fn a_service_that_changes_something_is_no_part_of_a_transaction_nor_of_what_reads_only() {
    let db = Database::in_memory().unwrap();
    let transaction = db.transaction();
    let error = transaction.query(DECLARE).map(drop).unwrap_err();
    assert!(matches!(&error, Error::Service { .. }), "{error}");
    assert_eq!(transaction.query("g.call('mangrove.schema.show')").unwrap().count(), 1);
    let read_only = DECLARE.replace("g.call", "g.withStrategies(ReadOnlyStrategy).call");
    assert!(refused(&db, &read_only).contains("ReadOnlyStrategy"));
    db.explain(DECLARE).unwrap();
    assert_eq!(texts(&db, "g.call('mangrove.schema.show').select('version')"), ["0"]);
}

#[test]
fn ranges_and_combinations_of_keys_are_looked_up_and_answer_as_scans_do() {
    let db = Database::in_memory().unwrap();
    let add = "g.inject(0).repeat(__.addV('post').property('age', __.V().count()).property('city', 'a').property(list, 'tag', 3).property(list, 'tag', 9)).times(20)";
    texts(&db, add);
    texts(&db, "g.V().hasLabel('post').has('age', P.gt(9)).property('city', 'b')");
    let queries = [
        ("g.V().has('post', 'age', P.gt(3)).values('age')", "index range post: age from 3"),
        ("g.V().has('post', 'age', P.between(3, 7)).values('age')", "index range post: age from "),
        ("g.V().has('post', 'age', P.inside(3, 7)).values('age')", "index range post: age from "),
        ("g.V().has('post', 'age', 7).values('age')", "index range post: age = 7"),
        ("g.V().has('post', 'age', 7.0).values('age')", "index range post: age = 7"),
        (
            "g.V().hasLabel('post').has('city', 'b').has('age', P.lte(12)).values('age')",
            "index range post: city = 'b', age to 12",
        ),
        ("g.V().hasLabel('post').has('tag', P.gt(7)).has('tag', P.lt(5)).count()", "index range post: tag"),
        ("g.V().has('post', 'age', P.gt('x')).count()", "index range post: age from "),
    ];
    let sorted = |query: &str| {
        let mut found = texts(&db, query);
        found.sort();
        found
    };
    let scanned = queries.map(|(query, _)| sorted(query));
    assert_eq!((scanned[1].len(), &scanned[6][0][..]), (4, "20"), "{scanned:?}");
    for keys in ["['age']", "['city', 'age']", "['tag']"] {
        texts(
            &db,
            &format!(
                "g.call('mangrove.index.create', [label: 'post', keys: {keys}, kind: 'range', wait: true])"
            ),
        );
    }
    for ((query, lookup), scanned) in queries.iter().zip(&scanned) {
        let explained = db.explain(query).unwrap();
        assert!(explained.contains(lookup), "{query}: {explained}");
        assert_eq!(&sorted(query), scanned, "{query}");
    }
    // Inside a transaction, with what it has written.
    let transaction = db.transaction();
    transaction.query("g.addV('post').property('age', 1000)").unwrap();
    let found = transaction.query("g.V().has('post', 'age', P.gt(500)).values('age')").unwrap();
    assert_eq!(found.map(|value| value.unwrap().to_string()).collect::<Vec<_>>(), ["1000"]);
}

#[test]
fn a_backup_is_written_while_the_graph_is_used_to_where_it_was_configured() {
    let db = Database::in_memory().unwrap();
    let message = refused(&db, "g.call('mangrove.backup')");
    assert!(message.contains("MANGROVE_BACKUPS"), "{message}");

    let folder = tempfile::tempdir().unwrap();
    let backups = folder.path().join("graph");
    let options = DatabaseOptions { backups: Some(backups.clone()), ..DatabaseOptions::default() };
    let db = Database::in_memory_with(options).unwrap();
    texts(&db, "g.addV('person').property('name', 'ada')");
    assert_eq!(texts(&db, "g.call('mangrove.backup').select('number')"), ["1"]);
    texts(&db, "g.addV('person').property('name', 'grace')");
    assert_eq!(texts(&db, "g.call('mangrove.backup').select('number')"), ["2"]);
    assert_eq!(texts(&db, "g.call('mangrove.backup').select('written')"), ["0"], "nothing is new");
    for (number, persons) in [(1, "1"), (2, "2")] {
        let store: std::sync::Arc<dyn store::Store> = std::sync::Arc::new(store::MemoryStore::new());
        graph::restore(&backups, Some(number), &store).unwrap();
        let restored = graph::Graph::open(store, graph::GraphOptions::default()).unwrap();
        assert_eq!(restored.snapshot().vertex_count(None).to_string(), persons);
    }
    let read_only = refused(&db, "g.withStrategies(ReadOnlyStrategy).call('mangrove.backup')");
    assert!(read_only.contains("ReadOnlyStrategy"), "{read_only}");
}
