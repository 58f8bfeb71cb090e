//! Bulk load, against the model.

mod naive;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use graph::{
    BulkColumn, BulkStrings, BulkValues, Cardinality, Dir, EdgeRef, Graph, GraphError, GraphOptions,
    PropertyId, ScanCursor, Value, VertexRef,
};
use naive::{Naive, Random};
use store::{FjallOptions, FjallStore, KeyRange, KeyspaceShape, MemoryStore, ScanOrder, Store};

fn open(store: &Arc<dyn Store>) -> Graph {
    Graph::open(Arc::clone(store), GraphOptions::default()).unwrap()
}

fn column(key: &str, values: BulkValues) -> BulkColumn {
    BulkColumn { key: key.into(), values }
}

/// Loads the same random network into a graph and a model.
fn load(graph: &Graph, seed: u64) -> Naive {
    let mut random = Random::new(seed);
    let mut model = Naive::default();
    let mut bulk = graph.bulk_load().unwrap();
    bulk.index("person", "name").unwrap();
    let mut people = Vec::new();
    for _ in 0..3 {
        let rows = 1 + random.below(60);
        let names: Vec<Option<String>> =
            (0..rows).map(|_| (random.below(4) > 0).then(|| format!("v{}", random.below(6)))).collect();
        let ages: Vec<Option<i64>> =
            (0..rows).map(|_| (random.below(3) > 0).then(|| random.below(5) as i64)).collect();
        let ids: Option<Vec<Value>> = (random.below(2) == 0)
            .then(|| (0..rows).map(|row| Value::str(format!("p{}-{row}", people.len()))).collect());
        let columns = vec![
            column("name", BulkValues::Str(names.iter().map(Option::as_deref).collect::<BulkStrings>())),
            column("age", BulkValues::Long(ages.clone())),
        ];
        let refs = bulk.vertices("person", ids.clone(), columns).unwrap();
        for (row, &v) in refs.iter().enumerate() {
            model.add_vertex(v, "person", ids.as_ref().map(|ids| ids[row].clone()));
            let mut set = |key: &str, value: Option<Value>, number| {
                if let Some(value) = value {
                    let id = PropertyId::new(v, number, 0);
                    model.set_vertex_property(v, Cardinality::Single, key, value, &[], id);
                }
            };
            set("name", names[row].clone().map(Value::from), graph::KeyId(1));
            set("age", ages[row].map(Value::Long), graph::KeyId(2));
        }
        people.extend(refs);
    }
    for round in 0..4 {
        let rows = random.below(150);
        let pick = |random: &mut Random| people[random.below(people.len())];
        let src: Vec<VertexRef> = (0..rows).map(|_| pick(&mut random)).collect();
        let dst: Vec<VertexRef> = (0..rows).map(|_| pick(&mut random)).collect();
        let ids: Option<Vec<Value>> =
            (round == 2).then(|| (0..rows).map(|row| Value::str(format!("edge {row}"))).collect());
        let ages: Vec<Option<i64>> =
            (0..rows).map(|_| (random.below(3) > 0).then(|| random.below(5) as i64)).collect();
        let label = if round == 3 { "likes" } else { "knows" };
        bulk.edges(label, &src, &dst, ids.clone(), vec![column("age", BulkValues::Long(ages.clone()))])
            .unwrap();
        for row in 0..rows {
            // Sequence numbers are per tablet of the source, in input order.
            let seq =
                model.edges.iter().filter(|edge| edge.e.src.tablet() == src[row].tablet()).count() as u32;
            let e = EdgeRef { src: src[row], dst: dst[row], seq, label: u16::from(round == 3) };
            model.add_edge(e, label, ids.as_ref().map(|ids| ids[row].clone()));
            if let Some(age) = ages[row] {
                model.edge_mut(e).properties.insert("age".into(), Value::Long(age));
            }
        }
    }
    let stats = bulk.finish(&|_| {}).unwrap();
    assert_eq!(
        (stats.vertex_count(), stats.edge_count()),
        (model.vertices.len() as u64, model.edges.len() as u64)
    );
    model
}

#[test]
fn a_loaded_graph_answers_as_the_model_does_before_and_after_a_restart() {
    for seed in 0..8 {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let graph = open(&store);
        let mut model = load(&graph, seed);
        model.check(&graph.snapshot(), seed, "after the load");
        // And it can be written to like any other.
        let transaction = graph.begin();
        let victim = VertexRef(*model.vertices.keys().next().unwrap());
        transaction.drop_vertex(victim).unwrap();
        model.drop_vertex(victim);
        let v = transaction.add_vertex(None, "person").unwrap();
        model.add_vertex(v, "person", None);
        transaction.commit().unwrap();
        model.check(&graph.snapshot(), seed, "after a write");
        drop(graph);
        model.check(&open(&store).snapshot(), seed, "after a restart");
    }
}

#[test]
fn a_load_on_disk_is_there_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> =
        Arc::new(FjallStore::open(directory.path(), FjallOptions::default()).unwrap());
    let model = load(&open(&store), 99);
    drop(store);
    let store: Arc<dyn Store> =
        Arc::new(FjallStore::open(directory.path(), FjallOptions::default()).unwrap());
    model.check(&open(&store).snapshot(), 99, "after a restart");
}

#[test]
fn vertices_of_one_label_fill_all_tablets_and_several_stripes() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    let mut bulk = graph.bulk_load().unwrap();
    let numbers: Vec<Option<i64>> = (0..150_000).map(Some).collect();
    let refs = bulk.vertices("n", None, vec![column("number", BulkValues::Long(numbers))]).unwrap();
    let next: Vec<VertexRef> = refs.iter().cycle().skip(1).take(refs.len()).copied().collect();
    bulk.edges("next", &refs, &next, None, vec![]).unwrap();
    bulk.index("n", "number").unwrap();
    bulk.finish(&|_| {}).unwrap();
    let snapshot = graph.snapshot();
    let reader = snapshot.reader();
    let key = snapshot.catalog().key("number").unwrap();
    let label = snapshot.catalog().edge_label("next").unwrap();
    for (n, &v) in refs.iter().enumerate().step_by(977) {
        assert_eq!(reader.value_ref(v, key).and_then(|value| value.as_i64()), Some(n as i64));
        assert!(reader.list(v, label, Dir::Out).neighbours().eq([next[n]]));
        assert!(reader.list(next[n], label, Dir::In).neighbours().eq([v]));
        let mut found = Vec::new();
        assert!(reader.index_lookup(reader.label(v), key, &Value::Int(n as i32), &mut found));
        assert_eq!(found, [v]);
    }
    assert!(refs.iter().take(64).map(|v| v.tablet()).eq(0..64));
    snapshot.check().unwrap();
}

#[test]
fn duplicate_ids_are_named_and_leave_the_graph_empty() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    let mut bulk = graph.bulk_load().unwrap();
    bulk.vertices("a", Some(vec![Value::Int(7), Value::Int(8)]), vec![]).unwrap();
    bulk.vertices("b", Some(vec![Value::Long(7)]), vec![]).unwrap();
    let error = bulk.finish(&|_| {}).unwrap_err();
    assert!(matches!(error, GraphError::DuplicateVertexId(_)) && error.to_string().contains('7'), "{error}");
    assert_eq!(graph.snapshot().vertex_count(None), 0);
    assert!(graph.snapshot().reader().vertex_by_id(&Value::Int(8)).is_none());
    drop(graph);
    let graph = open(&store);
    assert_eq!(graph.snapshot().vertex_count(None), 0);
    let mut bulk = graph.bulk_load().unwrap();
    let v = bulk.vertices_without_columns("a", 1).unwrap();
    let ids = vec![Value::str("e"), Value::str("e")];
    bulk.edges("x", &[v[0], v[0]], &[v[0], v[0]], Some(ids), vec![]).unwrap();
    assert!(matches!(bulk.finish(&|_| {}), Err(GraphError::DuplicateEdgeId(_))));
}

#[test]
fn what_a_refused_load_has_stored_is_deleted_and_nothing_else() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    // Of blocks and of trees.
    let sections = || {
        let keyspace = store.keyspace("sections", KeyspaceShape::Large).unwrap();
        let all = store.snapshot().unwrap().scan(&keyspace, KeyRange::all(), ScanOrder::Ascending).unwrap();
        let keys = all.map(|pair| pair.unwrap().0.to_vec());
        keys.filter(|key| b"bt".contains(&key[0])).collect::<Vec<_>>()
    };
    // A stripe of another life.
    let transaction = graph.begin();
    let v = transaction.add_vertex(None, "a").unwrap();
    transaction.commit().unwrap();
    graph.flush().unwrap();
    let transaction = graph.begin();
    transaction.drop_vertex(v).unwrap();
    transaction.commit().unwrap();
    graph.flush().unwrap();
    let before = sections();
    assert!(!before.is_empty());
    let load = |ids: [i32; 2]| {
        let mut bulk = graph.bulk_load().unwrap();
        let values = column("age", BulkValues::Int(vec![Some(1), Some(2)]));
        let v = bulk.vertices("a", Some(ids.map(Value::Int).to_vec()), vec![values]).unwrap();
        // A tree.
        bulk.edges("x", &[v[0]; 5_000], &[v[1]; 5_000], None, vec![]).unwrap();
        bulk.finish(&|_| {})
    };
    assert!(matches!(load([7, 7]), Err(GraphError::DuplicateVertexId(_))));
    assert_eq!(sections(), before);
    load([7, 8]).unwrap();
    assert!(sections().len() > before.len());
    graph.flush().unwrap();
    drop(graph);
    assert_eq!(graph::check(&store, &mut |_| {}).unwrap(), []);
}

#[test]
fn an_edge_id_that_another_edge_has_got_by_itself_is_refused() {
    let load = |id: Value, is_late: bool| {
        let graph = open(&(Arc::new(MemoryStore::new()) as Arc<dyn Store>));
        let mut bulk = graph.bulk_load().unwrap();
        let v = bulk.vertices_without_columns("a", 70).unwrap();
        bulk.edges("own", &v[..1], &v[1..2], Some(vec![Value::str("first")]), vec![]).unwrap();
        let generated =
            |bulk: &mut graph::BulkLoad| bulk.edges("generated", &v[3..4], &v[3..4], None, vec![]);
        if is_late {
            generated(&mut bulk).unwrap();
        }
        bulk.edges("own", &v[66..67], &v[1..2], Some(vec![id]), vec![]).unwrap();
        if !is_late {
            generated(&mut bulk).unwrap();
        }
        (bulk.finish(&|_| {}), graph)
    };
    let (loaded, graph) = load(Value::str("second"), true);
    loaded.unwrap();
    let snapshot = graph.snapshot();
    let label = snapshot.catalog().edge_label("generated").unwrap();
    let e = snapshot.reader().list(VertexRef(3), label, Dir::Out).edges().next().unwrap();
    let taken = Value::Long(e.generated_id());
    let (refused, graph) = load(taken.clone(), true);
    assert!(matches!(refused, Err(GraphError::DuplicateEdgeId(id)) if id == taken));
    assert_eq!(graph.snapshot().vertex_count(None), 0);
    let (loaded, graph) = load(taken.clone(), false);
    loaded.unwrap();
    assert_eq!(graph.snapshot().reader().edge_by_id(&taken).map(|e| e.src), Some(VertexRef(66)));
    let (loaded, _) = load(Value::Long(e.generated_id() + 1), true);
    loaded.unwrap();
}

#[test]
fn a_refused_load_leaves_no_trace_in_the_indexes_of_the_next_checkpoint() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    graph.create_index("person", "age").unwrap();
    let load = |graph: &Graph, ids: [i32; 2]| {
        let mut bulk = graph.bulk_load().unwrap();
        let ages = vec![column("age", BulkValues::Int(vec![Some(41), Some(42)]))];
        bulk.vertices("person", Some(ids.map(Value::Int).to_vec()), ages).unwrap();
        bulk.finish(&|_| {})
    };
    assert!(matches!(load(&graph, [7, 7]), Err(GraphError::DuplicateVertexId(_))));
    graph.flush().unwrap();
    drop(graph);
    assert_eq!(graph::check(&store, &mut |_| {}).unwrap(), []);
    let graph = open(&store);
    load(&graph, [7, 8]).unwrap();
    let transaction = graph.begin();
    let v = transaction.add_vertex(None, "person").unwrap();
    transaction.set_vertex_property(v, Cardinality::Single, "age", Value::Int(42), &[]).unwrap();
    transaction.commit().unwrap();
    drop(graph);
    let snapshot = open(&store).snapshot();
    let (label, key) = (snapshot.catalog().vertex_label("person"), snapshot.catalog().key("age"));
    let mut found = Vec::new();
    assert!(snapshot.reader().index_lookup(label.unwrap(), key.unwrap(), &Value::Int(42), &mut found));
    assert_eq!(found.len(), 2);
}

/// Nobody else should write meanwhile. Who does all the same is not overwritten.
#[test]
fn what_is_committed_during_a_load_outlives_it_and_the_load_is_refused() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    let mut bulk = graph.bulk_load().unwrap();
    bulk.vertices_without_columns("person", 100).unwrap();
    let transaction = graph.begin();
    let v = transaction.add_vertex(Some(Value::str("late")), "person").unwrap();
    transaction.commit().unwrap();
    graph.flush().unwrap();
    assert!(matches!(bulk.finish(&|_| {}), Err(GraphError::NotEmpty { vertices: 1 })));
    drop(graph);
    for _ in 0..2 {
        let graph = open(&store);
        let snapshot = graph.snapshot();
        assert_eq!(snapshot.vertex_count(None), 1);
        assert_eq!(snapshot.reader().vertex_by_id(&Value::str("late")), Some(v));
        let known = (0..200).chain((1 << 16)..(1 << 16) + 200).map(VertexRef);
        assert!(known.filter(|&v| snapshot.reader().exists(v)).eq([v]), "nothing of the load");
        let transaction = graph.begin();
        let next = transaction.add_vertex(None, "person").unwrap();
        transaction.drop_vertex(next).unwrap();
        transaction.commit().unwrap();
        graph.flush().unwrap();
        drop((snapshot, graph));
        assert_eq!(graph::check(&store, &mut |_| {}).unwrap(), []);
    }
}

#[test]
fn a_load_waits_for_a_commit_that_is_on_its_way() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    let mut bulk = graph.bulk_load().unwrap();
    bulk.vertices_without_columns("person", 100).unwrap();
    let transaction = graph.begin();
    transaction.add_vertex(Some(Value::str("late")), "person").unwrap();
    let submitted = transaction.submit().unwrap();
    drop(transaction);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(200));
            submitted.wait().unwrap();
        });
        assert!(matches!(bulk.finish(&|_| {}), Err(GraphError::NotEmpty { vertices: 1 })));
    });
    assert_eq!(graph.snapshot().vertex_count(None), 1);
}

/// What a load brings has no stamp: it is there for everybody at once.
#[test]
fn nobody_sees_half_of_a_load_or_has_begun_before_it() {
    const VERTICES: usize = 20_000;
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    let transaction = graph.begin();
    assert!(matches!(graph.bulk_load(), Err(GraphError::InUse { snapshots: 1 })));
    drop(transaction);
    let mut bulk = graph.bulk_load().unwrap();
    let vertices = bulk.vertices_without_columns("person", VERTICES).unwrap();
    let next: Vec<_> = vertices.iter().cycle().skip(1).take(VERTICES).copied().collect();
    bulk.edges("knows", &vertices, &next, None, vec![]).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let (mut seen, mut looks) = (0, 0);
                    while !is_over.load(Ordering::Acquire) || looks == 0 {
                        let snapshot = graph.snapshot();
                        let (mut cursor, mut found) = (ScanCursor::default(), Vec::new());
                        while snapshot.reader().scan_vertices(None, &mut cursor, 1 << 12, &mut found) {}
                        assert!(found.is_empty() || found.len() == VERTICES, "{}", found.len());
                        assert_eq!(snapshot.vertex_count(None), found.len() as u64);
                        assert!(found.len() >= seen, "it is not gone again");
                        seen = found.len();
                        looks += 1;
                        // Somebody who reads without a pause would keep the load waiting.
                        drop(snapshot);
                        std::thread::sleep(std::time::Duration::from_millis(1));
                    }
                    looks
                })
            })
            .collect();
        bulk.finish(&|_| {}).unwrap();
        is_over.store(true, Ordering::Release);
        assert!(readers.into_iter().all(|reader| reader.join().unwrap() > 0));
    });
    assert_eq!(graph.snapshot().vertex_count(None), VERTICES as u64);
}

#[test]
fn a_load_refuses_what_does_not_fit_and_graphs_that_are_not_empty() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    let mut bulk = graph.bulk_load().unwrap();
    let short = vec![column("a", BulkValues::Int(vec![Some(1)])), column("b", BulkValues::Int(vec![]))];
    let error = bulk.vertices("n", None, short).unwrap_err().to_string();
    assert!(error.contains("\"b\"") && error.contains("0 values for 1"), "{error}");
    let foreign = [VertexRef(1 << 20)];
    assert!(matches!(bulk.edges("e", &foreign, &foreign, None, vec![]), Err(GraphError::BadBulk { .. })));
    drop(bulk);
    let transaction = graph.begin();
    transaction.add_vertex(None, "n").unwrap();
    transaction.commit().unwrap();
    assert!(matches!(graph.bulk_load(), Err(GraphError::NotEmpty { vertices: 1 })));
}

#[test]
fn ids_that_are_given_first_are_not_made_again() {
    let graph = open(&(Arc::new(MemoryStore::new()) as Arc<dyn Store>));
    let mut bulk = graph.bulk_load().unwrap();
    let ids = |ids: std::ops::Range<i64>| Some(ids.map(Value::Long).collect::<Vec<_>>());
    // Those of a whole stripe of another label, too.
    let given = bulk.vertices("given", ids(0..70_000), Vec::new()).unwrap();
    let made = bulk.vertices_without_columns("made", 10).unwrap();
    let (from, to) = (vec![given[0]; 10], vec![made[0]; 10]);
    bulk.edges("e", &from, &to, ids(3..13), Vec::new()).unwrap();
    bulk.edges("e", &from, &to, None, Vec::new()).unwrap();
    bulk.finish(&|_| {}).unwrap();
    let snapshot = graph.snapshot();
    assert_eq!((snapshot.vertex_count(None), snapshot.edge_count(None)), (70_010, 20));
    let reader = snapshot.reader();
    assert!(made.iter().all(|v| reader.id(*v).as_i64().unwrap() >= 70_000));
    let found = (0..40).filter(|id| reader.edge_by_id(&Value::Long(*id)).is_some());
    assert_eq!(found.count(), 20);
}
