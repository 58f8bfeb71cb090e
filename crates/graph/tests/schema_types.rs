//! Types that are declared otherwise while there are values: what is stored stays, and is read as the new type.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graph::{
    BulkCell, BulkColumn, BulkValues, Cardinality, Dir, EdgeKeyDescription, Filtered, Graph, GraphError,
    GraphOptions, IndexDescription, IndexKind, RangeQuery, ScanCursor, SchemaError, SecondaryOptions,
    Snapshot, TreeBounds, Value, ValueType, VertexKeyDescription, VertexRef,
};
use store::{MemoryStore, Store};

/// Vertices of the graph of most tests, all in one block of each of the first tablets; the first is a hub.
const PEOPLE: i32 = 200;

fn options() -> GraphOptions {
    GraphOptions {
        tree: TreeBounds { min: 4, max: 8, fan_out: 4 },
        secondary: SecondaryOptions {
            builders: 0,
            share: 1.0,
            threshold: 1e-9,
            ..SecondaryOptions::default()
        },
        ..GraphOptions::default()
    }
}

fn open(store: &Arc<dyn Store>) -> Graph {
    let graph = Graph::open(Arc::clone(store), options()).unwrap();
    graph.await_indexes();
    graph
}

/// Declares the type of `age`, of people and of the edges between them, or that it has none.
fn declare(graph: &Graph, value_type: Option<ValueType>) -> Result<u64, GraphError> {
    graph.change_schema(|schema| {
        let person = schema.vertices.entry("person".into()).or_default();
        let cardinality = Cardinality::List;
        let meta = [("since".to_string(), value_type)].into();
        let key = VertexKeyDescription { value_type, cardinality, meta, ..VertexKeyDescription::default() };
        person.keys.insert("age".into(), key);
        let knows = schema.edges.entry("knows".into()).or_default();
        knows.keys.insert("age".into(), EdgeKeyDescription { value_type, required: false });
        Ok(())
    })
}

fn sort_by(graph: &Graph, key: &str) {
    let declared = graph.change_schema(|schema| {
        schema.edges.entry("knows".into()).or_default().sort_key = Some(key.into());
        Ok(())
    });
    declared.unwrap();
}

/// A hub that everybody knows, who are `n` years old, and know it for as long; some have a second age.
fn fill(graph: &Graph, age: impl Fn(i32) -> Value) -> VertexRef {
    let transaction = graph.begin();
    let hub = transaction.add_vertex(None, "person").unwrap();
    for n in 1..PEOPLE {
        let v = transaction.add_vertex(None, "person").unwrap();
        transaction.set_vertex_property(v, Cardinality::Single, "age", age(n), &[]).unwrap();
        if n % 10 == 0 {
            let meta = [("since".into(), age(n))];
            transaction.set_vertex_property(v, Cardinality::List, "age", age(n + 1_000), &meta).unwrap();
        }
        let e = transaction.add_edge(None, "knows", v, hub).unwrap();
        transaction.set_edge_property(e, "age", age(n)).unwrap();
        transaction.set_edge_property(e, "name", format!("no {n}").into()).unwrap();
    }
    transaction.commit().unwrap();
    hub
}

/// Everything that can be read of the ages of people and edges, and that they are found.
#[track_caller]
fn check(graph: &Graph, hub: VertexRef, age: impl Fn(i32) -> Value, when: &str) {
    check_at(&graph.snapshot(), hub, &age, when);
}

#[track_caller]
fn check_at(snapshot: &Snapshot, hub: VertexRef, age: &impl Fn(i32) -> Value, when: &str) {
    let (reader, catalog) = (snapshot.reader(), snapshot.catalog());
    let (person, knows) = (catalog.vertex_label("person").unwrap(), catalog.edge_label("knows").unwrap());
    let (key, since) = (catalog.key("age").unwrap(), catalog.key("since").unwrap());
    let same = |a: &Value, b: &Value, what: &str| {
        assert_eq!(format!("{a:?}"), format!("{b:?}"), "{what} {when}");
    };
    let mut people = Vec::new();
    reader.scan_vertices(Some(person), &mut ScanCursor::default(), usize::MAX >> 1, &mut people);
    people.sort_by_key(|v| reader.value(*v, key).map(|age| age.as_f64().unwrap() as i32));
    assert_eq!(people.len(), PEOPLE as usize, "{when}");
    for (n, &v) in (0..).zip(&people).skip(1) {
        same(&reader.value(v, key).unwrap(), &age(n), "the first value");
        let mut properties = Vec::new();
        reader.vertex_properties(v, &[key], &mut properties);
        same(&properties[0].value, &age(n), "a value");
        if n % 10 == 0 {
            same(&properties[1].value, &age(n + 1_000), "a second value");
            assert_eq!(properties[1].meta[0].0, since);
            same(&properties[1].meta[0].1, &age(n), "a meta-property");
        }
        let list = reader.list(v, knows, Dir::Out);
        list.runs().for_each(|run| same(&run.value(0, key).unwrap(), &age(n), "an edge's value"));
        assert_eq!(list.len(), 1);
        if catalog.has_index(person, key) {
            for wanted in [age(n), Value::Long(n.into()), Value::Double(n.into())] {
                let mut found = Vec::new();
                assert!(reader.index_lookup(person, key, &wanted, &mut found));
                assert_eq!(found, [v], "{wanted:?} in the index {when}");
            }
        }
    }
    let list = reader.list(hub, knows, Dir::In);
    assert!(list.has_tree());
    for list in [list].into_iter().chain(list.ordered_by(key)) {
        let mut ages: Vec<Value> = Vec::new();
        for run in list.runs() {
            ages.extend((0..run.neighbours().len()).map(|i| run.value(i, key).unwrap()));
        }
        if list.sort_key() != Some(key) {
            ages.sort_by(values::compare::order);
        }
        assert_eq!(ages.len(), PEOPLE as usize - 1, "{when}");
        (1..).zip(&ages).for_each(|(n, found)| same(found, &age(n), "an edge of the hub"));
        if list.sort_key() == Some(key) {
            let mut seek = graph::Seek::default();
            let (run, at) = list.run_from(&Value::Int(77), &mut seek).unwrap();
            same(&run.value(at, key).unwrap(), &age(77), "the first edge from a value on");
        }
    }
    snapshot.check().unwrap();
}

fn range(graph: &Graph) -> Vec<f64> {
    let snapshot = graph.snapshot();
    let (reader, catalog) = (snapshot.reader(), snapshot.catalog());
    let (low, high) = (Value::Int(50), Value::Double(60.5));
    let (label, key) = (catalog.vertex_label("person").unwrap(), catalog.key("age").unwrap());
    let query = RangeQuery { label, keys: &[key], equal: &[], low: Some(&low), high: Some(&high) };
    let mut found = Vec::new();
    assert!(reader.range_lookup(query, &mut found));
    let mut ages: Vec<f64> = found.iter().map(|v| reader.value(*v, key).unwrap().as_f64().unwrap()).collect();
    ages.retain(|age| (50.0..=60.5).contains(age));
    ages.sort_by(f64::total_cmp);
    ages
}

fn int(n: i32) -> Value {
    Value::Int(n)
}

fn long(n: i32) -> Value {
    Value::Long(n.into())
}

fn double(n: i32) -> Value {
    Value::Double(n.into())
}

fn decimal(n: i32) -> Value {
    values::BigDecimal::from(n).into()
}

fn findings(store: &Arc<dyn Store>) -> Vec<String> {
    graph::check(store, &mut |_| {}).unwrap().iter().map(ToString::to_string).collect()
}

/// As what the ages are declared, and what they are then.
type Stage = (ValueType, fn(i32) -> Value);

const STAGES: [&[Stage]; 3] = [
    &[(ValueType::Int, int), (ValueType::Long, long), (ValueType::BigDecimal, decimal)],
    &[(ValueType::Int, int), (ValueType::Double, double)],
    &[(ValueType::Number, int), (ValueType::Long, long), (ValueType::Double, double)],
];

/// Changes the types of a graph, with what `between` does before and after each change.
fn change_types(sort_key: Option<&str>, between: impl Fn(Graph, &Arc<dyn Store>) -> Graph) {
    for stages in STAGES {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let mut graph = open(&store);
        if let Some(key) = sort_key {
            sort_by(&graph, key);
        }
        declare(&graph, Some(stages[0].0)).unwrap();
        for kind in [IndexKind::Equality, IndexKind::Range] {
            let index = IndexDescription { label: "person".into(), keys: vec!["age".into()], kind };
            graph.declare_index(&index).unwrap();
        }
        graph.await_indexes();
        let hub = fill(&graph, int);
        for (value_type, age) in stages {
            graph = between(graph, &store);
            declare(&graph, Some(*value_type)).unwrap();
            check(&graph, hub, age, &format!("just now {value_type:?}"));
            graph = between(graph, &store);
            check(&graph, hub, age, &format!("after a while {value_type:?}"));
            assert_eq!(range(&graph), (50..=60).map(f64::from).collect::<Vec<_>>());
        }
        drop(graph);
        assert_eq!(findings(&store), [] as [String; 0]);
    }
}

#[test]
fn values_in_memory_are_read_as_the_new_type() {
    change_types(None, |graph, _| graph);
}

#[test]
fn values_in_the_log_are_read_as_the_new_type() {
    change_types(None, |graph, store| {
        drop(graph);
        open(store)
    });
}

#[test]
fn values_on_disk_are_read_as_the_new_type() {
    for sort_key in [None, Some("age"), Some("name")] {
        change_types(sort_key, |graph, store| {
            graph.flush().unwrap();
            drop(graph);
            open(store)
        });
    }
}

#[test]
fn values_that_were_flushed_and_stay_in_memory_are_read_as_the_new_type() {
    change_types(Some("age"), |graph, _| {
        graph.flush().unwrap();
        graph
    });
}

#[test]
fn a_change_that_the_old_type_proves_reads_nothing_and_writes_nothing_but_itself() {
    let (store, backups) = (Arc::new(MemoryStore::new()) as Arc<dyn Store>, tempfile::tempdir().unwrap());
    let graph = open(&store);
    declare(&graph, Some(ValueType::Int)).unwrap();
    let hub = fill(&graph, int);
    graph.flush().unwrap();
    drop(graph);
    let graph = open(&store);
    graph.backup(&backups).unwrap();
    declare(&graph, Some(ValueType::Long)).unwrap();
    assert_eq!(graph.stats().loads, 0, "nobody looked at what there is");
    graph.flush().unwrap();
    let written = graph.backup(&backups).unwrap();
    assert!(written.written <= 4, "checkpoint, catalog, statistics, log: {written}");
    check(&graph, hub, long, "lazily");
    graph.flush().unwrap();
    assert_eq!(graph.backup(&backups).unwrap().written, 0, "reading rewrites nothing, either");
    // What is written for another reason is written with the new type: the lists of one vertex, and its column.
    let transaction = graph.begin();
    let id = transaction.set_vertex_property(hub, Cardinality::Single, "age", Value::Int(0), &[]).unwrap();
    transaction.drop_vertex_property(id).unwrap();
    transaction.commit().unwrap();
    graph.flush().unwrap();
    drop(graph);
    check(&open(&store), hub, long, "partly rewritten");
    let restored: Arc<dyn Store> = Arc::new(MemoryStore::new());
    graph::restore(&backups, None, &restored).unwrap();
    check(&open(&restored), hub, long, "restored");
    assert_eq!(findings(&restored), [] as [String; 0]);
}

#[test]
fn a_snapshot_from_before_goes_on_reading() {
    let graph = open(&(Arc::new(MemoryStore::new()) as Arc<dyn Store>));
    declare(&graph, Some(ValueType::Int)).unwrap();
    let hub = fill(&graph, int);
    let before = graph.snapshot();
    let transaction = graph.begin();
    transaction.drop_vertex(hub).unwrap();
    transaction.commit().unwrap();
    declare(&graph, Some(ValueType::Long)).unwrap();
    check_at(&before, hub, &long, "at a snapshot from before");
    assert_eq!(graph.snapshot().edge_count(None), 0);
}

/// Tells that the hub's list was filtered by `key`, and that little was left.
fn note_filtered(graph: &Graph, hub: VertexRef, key: &str) {
    let snapshot = graph.snapshot();
    let (reader, catalog) = (snapshot.reader(), snapshot.catalog());
    let list = reader.list(hub, catalog.edge_label("knows").unwrap(), Dir::In);
    (0..40).map(|_| list.runs().count()).for_each(drop);
    let read = Filtered { looked_at: 1_000_000, passed: 1, first: true };
    list.note_filtered(catalog.key(key).unwrap(), read);
}

fn grow_secondary(graph: &Graph, hub: VertexRef, key: &str) {
    note_filtered(graph, hub, key);
    graph.adapt_secondary_trees().unwrap();
    assert_eq!(graph.secondary_trees().len(), 1);
}

#[test]
fn secondary_edge_trees_have_the_new_type_as_well() {
    for flushed in [false, true] {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let mut graph = open(&store);
        declare(&graph, Some(ValueType::Int)).unwrap();
        let hub = fill(&graph, int);
        grow_secondary(&graph, hub, "age");
        for (value_type, age) in
            [(ValueType::Long, long as fn(i32) -> Value), (ValueType::BigDecimal, decimal)]
        {
            if flushed {
                graph.flush().unwrap();
                drop(graph);
                graph = open(&store);
            }
            declare(&graph, Some(value_type)).unwrap();
            check(&graph, hub, age, "through a secondary tree");
        }
        drop(graph);
        assert_eq!(findings(&store), [] as [String; 0]);
    }
}

#[test]
fn a_graph_that_was_loaded_in_bulk_is_read_as_the_new_type() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    declare(&graph, Some(ValueType::Int)).unwrap();
    let mut load = graph.bulk_load().unwrap();
    let ages = |ages: Vec<Option<i32>>| vec![BulkColumn { key: "age".into(), values: BulkValues::Int(ages) }];
    let cell = |n: i32| match n {
        0 => Vec::new(),
        n if n % 10 == 0 => {
            let meta = vec![("since".into(), int(n))];
            vec![BulkCell::plain(int(n)), BulkCell { meta, ..BulkCell::plain(int(n + 1_000)) }]
        }
        n => vec![BulkCell::plain(int(n))],
    };
    let values = BulkValues::Multi((0..PEOPLE).map(cell).collect());
    let people = load.vertices("person", None, vec![BulkColumn { key: "age".into(), values }]).unwrap();
    let hubs = vec![people[0]; people.len() - 1];
    load.edges("knows", &people[1..], &hubs, None, ages((1..PEOPLE).map(Some).collect())).unwrap();
    load.finish(&|_| {}).unwrap();
    declare(&graph, Some(ValueType::Long)).unwrap();
    // In a bulk load the second value is at its own place, with what it has.
    check_at(&graph.snapshot(), people[0], &long, "after a bulk load");
    drop(graph);
    check(&open(&store), people[0], long, "after a bulk load and a restart");
    assert_eq!(findings(&store), [] as [String; 0]);
}

#[test]
fn a_type_that_is_no_longer_declared_leaves_the_values_as_they_were_read() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut graph = open(&store);
    declare(&graph, Some(ValueType::Int)).unwrap();
    let hub = fill(&graph, int);
    graph.flush().unwrap();
    declare(&graph, Some(ValueType::Long)).unwrap();
    declare(&graph, None).unwrap();
    for _ in 0..2 {
        check(&graph, hub, long, "undeclared");
        graph.flush().unwrap();
        drop(graph);
        graph = open(&store);
    }
    declare(&graph, Some(ValueType::Double)).unwrap();
    check(&graph, hub, double, "declared again");
}

#[track_caller]
fn is_refused(declared: Result<u64, GraphError>) {
    match declared {
        Err(GraphError::Schema(error)) => assert!(matches!(*error, SchemaError::Broken(_)), "{error}"),
        other => panic!("expected a refusal, got {other:?}"),
    }
}

#[test]
fn a_type_that_some_value_cannot_be_read_as_is_refused() {
    let graph = open(&(Arc::new(MemoryStore::new()) as Arc<dyn Store>));
    let transaction = graph.begin();
    let v = transaction.add_vertex(None, "person").unwrap();
    transaction.set_vertex_property(v, Cardinality::Single, "age", Value::Int(7), &[]).unwrap();
    transaction.set_vertex_property(v, Cardinality::List, "age", Value::Long((1 << 53) + 1), &[]).unwrap();
    transaction.commit().unwrap();
    is_refused(declare(&graph, Some(ValueType::Int)));
    is_refused(declare(&graph, Some(ValueType::Double)));
    is_refused(declare(&graph, Some(ValueType::String)));
    // What is there may be of several types.
    declare(&graph, Some(ValueType::Long)).unwrap();
    is_refused(declare(&graph, Some(ValueType::Double)));
    is_refused(declare(&graph, Some(ValueType::Int)));
    declare(&graph, Some(ValueType::BigInt)).unwrap();
    let transaction = graph.begin();
    transaction.set_vertex_property(v, Cardinality::Single, "age", Value::Float(0.5), &[]).unwrap_err();
    transaction.set_vertex_property(v, Cardinality::Single, "age", Value::Short(5), &[]).unwrap();
    transaction.commit().unwrap();
    let snapshot = graph.snapshot();
    let age = snapshot.reader().value(v, snapshot.catalog().key("age").unwrap());
    assert_eq!(age, Some(values::BigInt::from(5).into()));
    // A double has no decimal that is the very same number in every order.
    let transaction = graph.begin();
    let e = transaction.add_edge(None, "likes", v, v).unwrap();
    transaction.set_edge_property(e, "weight", Value::Float(0.1)).unwrap();
    transaction.commit().unwrap();
    let weight = |value_type| {
        graph.change_schema(|schema| {
            let key = EdgeKeyDescription { value_type: Some(value_type), required: false };
            schema.edges.entry("likes".into()).or_default().keys.insert("weight".into(), key);
            Ok(())
        })
    };
    is_refused(weight(ValueType::BigDecimal));
    weight(ValueType::Float).unwrap();
    weight(ValueType::Double).unwrap();
    let snapshot = graph.snapshot();
    let weight = snapshot.reader().edge_value(e, snapshot.catalog().key("weight").unwrap());
    assert_eq!(weight, Some(Value::Double(f64::from(0.1f32))), "the very same number");
}

/// Lets the other threads end, also when a check fails.
struct Stopper<'a>(&'a AtomicBool);

impl Drop for Stopper<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn what_is_committed_while_a_type_changes_has_the_new_type() {
    for round in 0..10 {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        // So little memory that sections are loaded and evicted all the time.
        let graph =
            Graph::open(Arc::clone(&store), GraphOptions { cache_bytes: 20_000, ..options() }).unwrap();
        if round % 2 == 0 {
            declare(&graph, Some(ValueType::Int)).unwrap();
        }
        let hub = fill(&graph, int);
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                let (graph, stop) = (&graph, &stop);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let transaction = graph.begin();
                        let v = transaction.add_vertex(None, "person").unwrap();
                        let written = transaction
                            .set_vertex_property(v, Cardinality::Single, "age", Value::Int(5), &[])
                            .and_then(|_| transaction.add_edge(None, "knows", v, hub))
                            .and_then(|e| transaction.set_edge_property(e, "age", Value::Int(5)));
                        if written.is_ok() {
                            let _ = transaction.commit();
                        }
                    }
                });
            }
            let (graph, stop) = (&graph, &stop);
            let _stopper = Stopper(stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    graph.flush().unwrap();
                }
            });
            // Secondary edge-trees are built meanwhile, from what is there and what is committed.
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    note_filtered(graph, hub, "age");
                    graph.adapt_secondary_trees().unwrap();
                }
            });
            declare(graph, Some(ValueType::Long)).unwrap();
            // From here on nobody who begins to read sees anything else.
            for _ in 0..3 {
                all_are_longs(graph, hub, round);
            }
        });
        drop(graph);
        assert_eq!(findings(&store), [] as [String; 0]);
        all_are_longs(&open(&store), hub, round);
    }
}

fn all_are_longs(graph: &Graph, hub: VertexRef, round: i32) {
    let snapshot = graph.snapshot();
    let (reader, catalog) = (snapshot.reader(), snapshot.catalog());
    let key = catalog.key("age").unwrap();
    let mut vertices = Vec::new();
    reader.scan_vertices(None, &mut ScanCursor::default(), usize::MAX >> 1, &mut vertices);
    for v in vertices.into_iter().filter(|v| *v != hub) {
        let age = reader.value(v, key).unwrap();
        assert!(matches!(age, Value::Long(_)), "round {round}: {age:?} of {v:?}");
    }
    for run in reader.list(hub, catalog.edge_label("knows").unwrap(), Dir::In).runs() {
        for i in 0..run.neighbours().len() {
            let age = run.value(i, key).unwrap();
            assert!(matches!(age, Value::Long(_)), "round {round}: {age:?} of edge {:?}", run.edge(i));
        }
    }
    snapshot.check().unwrap();
}

#[test]
fn a_change_of_one_key_leaves_the_values_of_another_as_they_are() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    let declare = |key: &str, value_type| {
        let declared = graph.change_schema(|schema| {
            let key_of_edges = EdgeKeyDescription { value_type: Some(value_type), required: false };
            schema.edges.entry("rated".into()).or_default().keys.insert(key.into(), key_of_edges);
            let person = schema.vertices.entry("person".into()).or_default();
            let key_of_people = VertexKeyDescription { value_type: Some(value_type), ..Default::default() };
            person.keys.insert(key.into(), key_of_people);
            Ok(())
        });
        declared.unwrap();
    };
    declare("weight", ValueType::Long);
    declare("weight", ValueType::Number);
    let transaction = graph.begin();
    let v = transaction.add_vertex(None, "person").unwrap();
    let e = transaction.add_edge(None, "rated", v, v).unwrap();
    for (key, value) in [("weight", Value::Int(7)), ("since", Value::Int(8))] {
        transaction.set_vertex_property(v, None, key, value.clone(), &[]).unwrap();
        transaction.set_edge_property(e, key, value).unwrap();
    }
    transaction.commit().unwrap();
    graph.flush().unwrap();
    // They are numbers of any type now; that they were once to be longs is of the past.
    declare("since", ValueType::Long);
    let read = |graph: &Graph| {
        let snapshot = graph.snapshot();
        let (reader, catalog) = (snapshot.reader(), snapshot.catalog());
        let (weight, since) = (catalog.key("weight").unwrap(), catalog.key("since").unwrap());
        let of_edge = |key| reader.edge_value_ref(e, key).unwrap().to_value();
        [reader.value(v, weight).unwrap(), of_edge(weight), reader.value(v, since).unwrap(), of_edge(since)]
            .map(|value| format!("{value:?}"))
    };
    let expected = ["Int(7)", "Int(7)", "Long(8)", "Long(8)"];
    assert_eq!(read(&graph), expected);
    drop(graph);
    assert_eq!(read(&open(&store)), expected);
}
