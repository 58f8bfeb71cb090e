//! Schemas: what they refuse, how they change, and that they survive.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graph::{
    BulkColumn, BulkValues, Cardinality, EdgeKeyDescription, Graph, GraphError, GraphOptions,
    IndexDescription, IndexKind, KeyId, SchemaDescription, SchemaError, SchemaMode, Transaction, Value,
    ValueType, VertexKeyDescription, VertexRef,
};
use store::{MemoryStore, Store};

fn open(store: &Arc<dyn Store>) -> Graph {
    Graph::open(Arc::clone(store), GraphOptions::default()).unwrap()
}

fn graph() -> Graph {
    open(&(Arc::new(MemoryStore::new()) as Arc<dyn Store>))
}

fn key(value_type: ValueType) -> VertexKeyDescription {
    VertexKeyDescription { value_type: Some(value_type), ..VertexKeyDescription::default() }
}

fn declare(graph: &Graph, label: &str, name: &str, key: VertexKeyDescription) -> Result<u64, GraphError> {
    graph.change_schema(|schema| {
        schema.vertices.entry(label.into()).or_default().keys.insert(name.into(), key);
        Ok(())
    })
}

fn declare_edge(graph: &Graph, name: &str, key: EdgeKeyDescription) -> Result<u64, GraphError> {
    graph.change_schema(|schema| {
        schema.edges.entry("knows".into()).or_default().keys.insert(name.into(), key);
        Ok(())
    })
}

fn person(transaction: &Transaction) -> VertexRef {
    transaction.add_vertex(None, "person").unwrap()
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, GraphError>) -> SchemaError {
    match result {
        Err(GraphError::Schema(error)) => *error,
        other => panic!("expected a refusal by the schema, got {other:?}"),
    }
}

fn set(transaction: &Transaction, v: VertexRef, key: &str, value: Value) -> Result<(), GraphError> {
    transaction.set_vertex_property(v, None, key, value, &[]).map(drop)
}

fn values(transaction: &Transaction, v: VertexRef, key: &str) -> Vec<Value> {
    let snapshot = transaction.snapshot();
    let key = snapshot.catalog().key(key).unwrap();
    let mut properties = Vec::new();
    snapshot.reader().vertex_properties(v, &[key], &mut properties);
    properties.into_iter().map(|property| property.value).collect()
}

#[test]
fn a_value_of_another_type_is_refused_with_label_key_and_both_types() {
    let graph = graph();
    declare(&graph, "person", "age", key(ValueType::Int)).unwrap();
    declare_edge(
        &graph,
        "weight",
        EdgeKeyDescription { value_type: Some(ValueType::Double), required: false },
    )
    .unwrap();
    let transaction = graph.begin();
    let v = person(&transaction);
    let error = refused(set(&transaction, v, "age", "old".into()));
    let SchemaError::WrongType { label, key, expected, found, .. } = &error else { panic!("{error}") };
    assert_eq!((&**label, &**key, &**expected, &**found), ("person", "age", "int", "string"));
    refused(set(&transaction, v, "age", Value::Long(7)));
    assert_eq!(values(&transaction, v, "age"), [] as [Value; 0], "a refused write writes nothing");
    let e = transaction.add_edge(None, "knows", v, v).unwrap();
    refused(transaction.set_edge_property(e, "weight", "heavy".into()));
    let robot = transaction.add_vertex(None, "robot").unwrap();
    set(&transaction, robot, "age", "old".into()).unwrap();
    set(&transaction, v, "name", Value::Bool(true)).unwrap();
    transaction.commit().unwrap();
}

#[test]
fn numbers_are_stored_as_the_declared_type_where_nothing_is_lost() {
    let graph = graph();
    declare(&graph, "person", "age", key(ValueType::Long)).unwrap();
    declare(&graph, "person", "height", key(ValueType::Double)).unwrap();
    declare_edge(
        &graph,
        "weight",
        EdgeKeyDescription { value_type: Some(ValueType::Double), required: false },
    )
    .unwrap();
    let transaction = graph.begin();
    let v = person(&transaction);
    set(&transaction, v, "age", Value::Int(7)).unwrap();
    set(&transaction, v, "height", Value::Int(2)).unwrap();
    assert_eq!(values(&transaction, v, "age"), [Value::Long(7)]);
    assert_eq!(values(&transaction, v, "height"), [Value::Double(2.0)]);
    refused(set(&transaction, v, "height", Value::Long((1 << 53) + 1)));
    let e = transaction.add_edge(None, "knows", v, v).unwrap();
    transaction.set_edge_property(e, "weight", Value::Float(0.5)).unwrap();
    let snapshot = transaction.snapshot();
    let weight = snapshot.catalog().key("weight").unwrap();
    assert_eq!(snapshot.reader().edge_value(e, weight), Some(Value::Double(0.5)));
}

#[test]
fn the_declared_cardinality_is_the_default_and_bounds_the_others() {
    let graph = graph();
    declare(
        &graph,
        "person",
        "email",
        VertexKeyDescription { cardinality: Cardinality::Set, ..key(ValueType::String) },
    )
    .unwrap();
    declare(&graph, "person", "name", key(ValueType::String)).unwrap();
    let transaction = graph.begin();
    let v = person(&transaction);
    for email in ["a", "b", "a"] {
        set(&transaction, v, "email", email.into()).unwrap();
    }
    assert_eq!(values(&transaction, v, "email"), ["a".into(), Value::from("b")]);
    assert_eq!(transaction.cardinality(v, "email"), Cardinality::Set);
    let asked = |key: &str, cardinality: Cardinality| {
        transaction.set_vertex_property(v, cardinality, key, "c".into(), &[])
    };
    assert!(matches!(refused(asked("email", Cardinality::List)), SchemaError::WrongCardinality { .. }));
    assert!(matches!(refused(asked("name", Cardinality::Set)), SchemaError::WrongCardinality { .. }));
    asked("email", Cardinality::Single).unwrap();
    assert_eq!(values(&transaction, v, "email"), ["c".into()]);
}

#[test]
fn required_properties_must_be_there_when_the_transaction_commits() {
    let graph = graph();
    declare(&graph, "person", "name", VertexKeyDescription { required: true, ..key(ValueType::String) })
        .unwrap();
    declare_edge(&graph, "since", EdgeKeyDescription { value_type: None, required: true }).unwrap();
    let transaction = graph.begin();
    person(&transaction);
    assert!(matches!(refused(transaction.commit()), SchemaError::Missing { .. }));

    let transaction = graph.begin();
    let v = person(&transaction);
    set(&transaction, v, "name", "marko".into()).unwrap();
    transaction.commit().unwrap();

    let transaction = graph.begin();
    transaction.add_edge(None, "knows", v, v).unwrap();
    assert!(matches!(refused(transaction.commit()), SchemaError::Missing { element: "edge", .. }));

    let transaction = graph.begin();
    let e = transaction.add_edge(None, "knows", v, v).unwrap();
    transaction.set_edge_property(e, "since", Value::Int(2009)).unwrap();
    transaction.commit().unwrap();

    let transaction = graph.begin();
    transaction.drop_edge_property(e, "since").unwrap();
    assert!(matches!(refused(transaction.commit()), SchemaError::Missing { element: "edge", .. }));

    let transaction = graph.begin();
    let snapshot = transaction.snapshot();
    let mut properties = Vec::new();
    snapshot.reader().vertex_properties(v, &[], &mut properties);
    transaction.drop_vertex_property(properties[0].id).unwrap();
    assert!(matches!(refused(transaction.commit()), SchemaError::Missing { element: "vertex", .. }));

    // Dropping the whole vertex, or setting the value again, is no breach.
    let transaction = graph.begin();
    transaction.drop_vertex_property(properties[0].id).unwrap();
    set(&transaction, v, "name", "josh".into()).unwrap();
    transaction.commit().unwrap();
    let transaction = graph.begin();
    transaction.drop_vertex(v).unwrap();
    transaction.commit().unwrap();
}

#[test]
fn a_null_is_of_every_type_where_it_is_allowed_and_never_what_is_required() {
    let graph = graph();
    declare(&graph, "person", "age", key(ValueType::Int)).unwrap();
    declare(&graph, "person", "name", VertexKeyDescription { required: true, ..key(ValueType::String) })
        .unwrap();
    let allow = |allow| {
        graph.change_schema(|schema| {
            schema.allow_null_values = allow;
            Ok(())
        })
    };
    let try_null = |key: &str| {
        let transaction = graph.begin();
        let v = transaction.add_vertex(None, "person")?;
        set(&transaction, v, "name", "x".into())?;
        set(&transaction, v, key, Value::Null)?;
        transaction.commit()
    };
    assert!(matches!(refused(try_null("age")), SchemaError::WrongType { .. }));
    allow(true).unwrap();
    try_null("age").unwrap();
    let error = refused(try_null("name"));
    assert!(error.to_string().contains("null"), "{error}");
    // What is there stays, and counts as no value of a key that becomes required.
    allow(false).unwrap();
    let required = VertexKeyDescription { required: true, ..key(ValueType::Int) };
    assert!(matches!(refused(declare(&graph, "person", "age", required)), SchemaError::Broken(_)));
    declare(&graph, "person", "age", key(ValueType::Long)).unwrap();
    let snapshot = graph.snapshot();
    let ages = |snapshot: &graph::Snapshot| {
        let reader = snapshot.reader();
        let mut found = Vec::new();
        reader.scan_vertices(None, &mut graph::ScanCursor::default(), 10, &mut found);
        let key = snapshot.catalog().key("age").unwrap();
        found.iter().map(|v| reader.value(*v, key)).collect::<Vec<_>>()
    };
    assert_eq!(ages(&snapshot), [Some(Value::Null)]);
}

#[test]
fn a_strict_schema_refuses_what_it_does_not_declare_and_gives_it_no_id() {
    let graph = graph();
    graph
        .change_schema(|schema| {
            schema.mode = SchemaMode::Strict;
            let name =
                VertexKeyDescription { meta: [("source".into(), None)].into(), ..key(ValueType::String) };
            schema.vertices.entry("person".into()).or_default().keys.insert("name".into(), name);
            schema.edges.entry("knows".into()).or_default();
            Ok(())
        })
        .unwrap();
    let transaction = graph.begin();
    assert!(matches!(refused(transaction.add_vertex(None, "robot")), SchemaError::UndeclaredLabel { .. }));
    let v = person(&transaction);
    assert!(matches!(refused(set(&transaction, v, "age", Value::Int(7))), SchemaError::UndeclaredKey { .. }));
    assert!(matches!(
        refused(transaction.add_edge(None, "likes", v, v)),
        SchemaError::UndeclaredLabel { .. }
    ));
    let e = transaction.add_edge(None, "knows", v, v).unwrap();
    refused(transaction.set_edge_property(e, "since", Value::Int(7)));
    let meta =
        |key: &str| transaction.set_vertex_property(v, None, "name", "x".into(), &[(key.into(), 1.into())]);
    let property = meta("source").unwrap();
    let error = refused(meta("sauce"));
    assert!(matches!(&error, SchemaError::UndeclaredKey { key, .. } if key == "name.sauce"), "{error}");
    refused(transaction.set_meta_property(property, "sauce", 1.into()));
    transaction.set_meta_property(property, "source", 2.into()).unwrap();
    transaction.commit().unwrap();
    let snapshot = graph.snapshot();
    assert_eq!(snapshot.catalog().vertex_label("robot"), None);
    assert_eq!(snapshot.catalog().key("age"), None);
}

#[test]
fn a_change_that_existing_elements_break_is_refused_and_changes_nothing() {
    let graph = graph();
    let transaction = graph.begin();
    let v = person(&transaction);
    for age in [30, 31] {
        transaction.set_vertex_property(v, Cardinality::List, "age", Value::Int(age), &[]).unwrap();
    }
    let e = transaction.add_edge(None, "knows", v, v).unwrap();
    transaction.set_edge_property(e, "since", "long".into()).unwrap();
    transaction.commit().unwrap();
    let before = graph.schema();
    let broken = |result| assert!(matches!(refused(result), SchemaError::Broken(_)));
    broken(declare(&graph, "person", "age", key(ValueType::String)));
    broken(declare(&graph, "person", "age", key(ValueType::Int)));
    broken(declare(
        &graph,
        "person",
        "name",
        VertexKeyDescription { required: true, ..key(ValueType::String) },
    ));
    broken(declare_edge(
        &graph,
        "since",
        EdgeKeyDescription { value_type: Some(ValueType::Int), required: false },
    ));
    broken(declare_edge(&graph, "until", EdgeKeyDescription { value_type: None, required: true }));
    broken(graph.change_schema(|schema| {
        schema.mode = SchemaMode::Strict;
        Ok(())
    }));
    assert_eq!(graph.schema(), before);
    assert_eq!(graph.snapshot().catalog().schema().version(), 0);
    let list = VertexKeyDescription { cardinality: Cardinality::List, ..key(ValueType::Int) };
    assert_eq!(declare(&graph, "person", "age", list.clone()).unwrap(), 1);
    assert_eq!(declare(&graph, "person", "age", list).unwrap(), 1, "the same again is no new version");
    // Nothing of a refused change is left behind.
    let transaction = graph.begin();
    set(&transaction, v, "name", Value::Int(1)).unwrap();
    transaction.commit().unwrap();
}

#[test]
fn a_sort_key_can_be_declared_whether_or_not_there_are_edges() {
    let graph = graph();
    let sort_by = |key: Option<&str>| {
        graph.change_schema(|schema| {
            schema.edges.entry("knows".into()).or_default().sort_key = key.map(str::to_owned);
            Ok(())
        })
    };
    sort_by(Some("since")).unwrap();
    let sort_key = || {
        let snapshot = graph.snapshot();
        let catalog = snapshot.catalog();
        let key: Option<KeyId> = catalog.sort_key(catalog.edge_label("knows").unwrap());
        key.map(|key| catalog.key_name(key).to_string())
    };
    assert_eq!(sort_key().as_deref(), Some("since"));
    sort_by(Some("weight")).unwrap();
    let transaction = graph.begin();
    let v = person(&transaction);
    transaction.add_edge(None, "knows", v, v).unwrap();
    transaction.commit().unwrap();
    sort_by(Some("since")).unwrap();
    assert_eq!(sort_key().as_deref(), Some("since"));
    sort_by(None).unwrap();
    assert_eq!(sort_key(), None);
}

#[test]
fn a_transaction_that_began_before_a_change_is_refused_and_succeeds_when_run_again() {
    let graph = graph();
    let early = graph.begin();
    let v = person(&early);
    set(&early, v, "age", "old".into()).unwrap();
    let reader = graph.begin();
    declare(&graph, "person", "age", key(ValueType::Int)).unwrap();
    let error = early.commit().unwrap_err();
    assert!(error.is_retryable(), "{error}");
    reader.commit().unwrap();
    let again = graph.begin();
    let v = person(&again);
    refused(set(&again, v, "age", "old".into()));
    set(&again, v, "age", Value::Int(7)).unwrap();
    again.commit().unwrap();
}

fn declare_much(graph: &Graph) -> SchemaDescription {
    graph
        .change_schema(|schema| {
            let meta = [("source".into(), Some(ValueType::String))].into();
            let email = VertexKeyDescription {
                cardinality: Cardinality::List,
                required: true,
                meta,
                value_type: Some(ValueType::String),
            };
            schema.vertices.entry("person".into()).or_default().keys.insert("email".into(), email);
            let knows = schema.edges.entry("knows".into()).or_default();
            knows.sort_key = Some("since".into());
            knows.keys.insert(
                "since".into(),
                EdgeKeyDescription { value_type: Some(ValueType::Long), required: true },
            );
            Ok(())
        })
        .unwrap();
    graph.schema()
}

#[test]
fn a_schema_comes_back_from_the_log_and_from_the_checkpoint() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let described = declare_much(&open(&store));
    for flushed in [false, true, true] {
        let graph = open(&store);
        assert_eq!(graph.schema(), described, "flushed: {flushed}");
        assert_eq!(graph.snapshot().catalog().schema().version(), 1);
        let transaction = graph.begin();
        person(&transaction);
        refused(transaction.commit());
        graph.flush().unwrap();
    }
    let graph = open(&store);
    graph
        .change_schema(|schema| {
            schema.vertices.clear();
            Ok(())
        })
        .unwrap();
    drop(graph);
    let graph = open(&store);
    assert!(graph.schema().vertices.is_empty());
    assert_eq!(graph.snapshot().catalog().schema().version(), 2);
}

#[test]
fn what_is_committed_while_a_schema_changes_obeys_it_or_the_change_is_refused() {
    for round in 0..20 {
        let graph = graph();
        let stop = AtomicBool::new(false);
        let declared = std::thread::scope(|scope| {
            for thread in 0..3 {
                let (graph, stop) = (&graph, &stop);
                scope.spawn(move || {
                    let mut n = 0;
                    while !stop.load(Ordering::Relaxed) {
                        n += 1;
                        let transaction = graph.begin();
                        let v = person(&transaction);
                        // Only one thread in one round in two writes something that the schema refuses.
                        let odd = thread == 0 && round % 2 == 0 && n == 40;
                        let age = if odd { "old".into() } else { Value::Int(n) };
                        if set(&transaction, v, "age", age).is_ok() {
                            let _ = transaction.commit();
                        }
                    }
                });
            }
            while graph.snapshot().vertex_count(None) < 20 + round * 5 {
                std::thread::yield_now();
            }
            let declared = declare(&graph, "person", "age", key(ValueType::Int));
            stop.store(true, Ordering::Relaxed);
            declared
        });
        let snapshot = graph.snapshot();
        let (reader, age) = (snapshot.reader(), snapshot.catalog().key("age").unwrap());
        let mut vertices = Vec::new();
        reader.scan_vertices(None, &mut graph::ScanCursor::default(), usize::MAX >> 1, &mut vertices);
        let breaks = vertices.iter().any(|v| !matches!(reader.value(*v, age), Some(Value::Int(_))));
        match declared {
            Ok(_) => assert!(!breaks, "round {round}: an element breaks the schema in force"),
            Err(error) => assert!(breaks, "round {round}: refused without a cause: {error}"),
        }
    }
}

fn column(key: &str, values: Vec<Option<i32>>) -> BulkColumn {
    BulkColumn { key: key.into(), values: BulkValues::Int(values) }
}

#[test]
fn a_bulk_load_obeys_the_schema() {
    let graph = graph();
    let index =
        IndexDescription { label: "person".into(), keys: vec!["ssn".into()], kind: IndexKind::Unique };
    graph.declare_index(&index).unwrap();
    graph.await_index(&index).unwrap();
    declare(&graph, "person", "age", VertexKeyDescription { required: true, ..key(ValueType::Long) })
        .unwrap();
    declare_edge(&graph, "since", EdgeKeyDescription { value_type: Some(ValueType::String), required: true })
        .unwrap();
    let load = |ages, numbers| {
        let mut load = graph.bulk_load().unwrap();
        let people = load.vertices("person", None, vec![column("age", ages), column("ssn", numbers)])?;
        let since = |values: BulkValues| vec![BulkColumn { key: "since".into(), values }];
        let ends = [people[0]];
        refused(load.edges("knows", &ends, &ends, None, since(BulkValues::Int(vec![Some(7)]))));
        refused(load.edges("knows", &ends, &ends, None, since(BulkValues::Any(vec![None]))));
        load.edges("knows", &ends, &ends, None, since(BulkValues::Any(vec![Some("2009".into())])))?;
        assert!(matches!(refused(load.vertices_without_columns("person", 1)), SchemaError::Missing { .. }));
        load.finish(&|_| {}).map(drop)
    };
    assert!(matches!(refused(load(vec![Some(1), None], vec![None, None])), SchemaError::Missing { .. }));
    let twice = load(vec![Some(1), Some(2)], vec![Some(5), Some(5)]);
    assert!(matches!(refused(twice), SchemaError::NotUnique { .. }));
    assert_eq!(graph.snapshot().vertex_count(None), 0);
    load(vec![Some(1), Some(2)], vec![Some(5), Some(6)]).unwrap();
    let transaction = graph.begin();
    let snapshot = transaction.snapshot();
    let mut people = Vec::new();
    snapshot.reader().scan_vertices(None, &mut graph::ScanCursor::default(), 10, &mut people);
    assert_eq!(values(&transaction, people[0], "age"), [Value::Long(1)], "stored as declared");
    assert!(matches!(refused(set(&transaction, people[0], "ssn", 6.into())), SchemaError::NotUnique { .. }));
}
