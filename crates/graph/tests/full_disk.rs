//! A graph on a disk that fills up and is emptied again: what was refused never was, and everything else goes on.

use std::sync::Arc;

use graph::{
    BulkColumn, BulkValues, Cardinality, Dir, Filtered, Graph, GraphError, GraphOptions, SecondaryOptions,
    TreeBounds, Value, VertexRef,
};
use store::{
    KeyRange, KeyspaceShape, Outage, ScanOrder, SimulatedDisk, SimulatedFaults, Store, StoreError,
    StoreLimits,
};

fn open(disk: &SimulatedDisk) -> Graph {
    // Every section is a write of its own.
    let options = GraphOptions { flush_batch_bytes: 1, merge_versions: 0, ..GraphOptions::default() };
    let store: Arc<dyn Store> = Arc::new(disk.mount(StoreLimits::default()));
    Graph::open(store, options).unwrap()
}

fn restart(graph: Graph, disk: &SimulatedDisk) -> Graph {
    drop(graph);
    disk.stop(Outage::Power);
    open(disk)
}

fn add(graph: &Graph, label: &str) -> Result<VertexRef, GraphError> {
    let transaction = graph.begin();
    let v = transaction.add_vertex(None, label)?;
    transaction.set_vertex_property(v, Cardinality::Single, label, Value::Int(1), &[])?;
    transaction.commit()?;
    Ok(v)
}

#[track_caller]
fn full<T: std::fmt::Debug>(outcome: Result<T, GraphError>) {
    let error = outcome.unwrap_err();
    let GraphError::Store(cause) = &error else { panic!("{error}") };
    assert!(matches!(**cause, StoreError::DiskFull { .. }), "{error}");
    assert!(error.to_string().contains("free some space and try again"), "{error}");
}

#[test]
fn commits_go_on_when_there_is_room_again_and_bring_the_names_that_the_refused_ones_had() {
    let disk = SimulatedDisk::new(1, SimulatedFaults::NONE);
    let graph = open(&disk);
    add(&graph, "a").unwrap();
    disk.fill(0, 2);
    full(add(&graph, "b"));
    full(add(&graph, "c"));
    assert_eq!(graph.snapshot().vertex_count(None), 1, "reads go on");
    let d = add(&graph, "d").unwrap();
    assert_eq!(graph.snapshot().vertex_count(None), 2);
    let graph = restart(graph, &disk);
    let snapshot = graph.snapshot();
    assert_eq!(snapshot.vertex_count(None), 2);
    let reader = snapshot.reader();
    assert_eq!(snapshot.catalog().vertex_label_name(reader.label(d)).as_str(), "d");
    assert_eq!(reader.value(d, snapshot.catalog().key("d").unwrap()), Some(Value::Int(1)));
    snapshot.check().unwrap();
}

#[test]
fn an_index_that_the_disk_had_no_room_for_is_created_by_asking_again() {
    let disk = SimulatedDisk::new(1, SimulatedFaults::NONE);
    let graph = open(&disk);
    add(&graph, "a").unwrap();
    disk.fill(0, 1);
    full(graph.create_index("a", "a"));
    graph.create_index("a", "a").unwrap();
    let graph = restart(graph, &disk);
    assert_eq!(graph.snapshot().catalog().indexes().len(), 1);
}

#[test]
fn an_index_is_dropped_on_a_full_disk_and_does_not_come_back() {
    let disk = SimulatedDisk::new(1, SimulatedFaults::NONE);
    let graph = open(&disk);
    add(&graph, "a").unwrap();
    graph.create_index("a", "a").unwrap();
    let index = graph.schema().indexes[0].clone();
    let before = graph.snapshot().stamp().bits();
    disk.fill(0, 3);
    graph.drop_index(&index).unwrap();
    assert!(graph.index_status().is_empty());
    // It is logged when there is room, without anybody asking again.
    // Three commits have failed then, and one has not.
    let begun = std::time::Instant::now();
    while graph.snapshot().stamp().bits() < before + 4 {
        assert!(begun.elapsed() < std::time::Duration::from_secs(60), "it was not logged");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(restart(graph, &disk).index_status().is_empty());
}

#[test]
fn a_flush_that_the_disk_had_no_room_for_is_made_up_for() {
    let disk = SimulatedDisk::new(1, SimulatedFaults::NONE);
    let mut graph = open(&disk);
    for pass in 0..3 {
        add(&graph, "a").unwrap();
        disk.fill(pass, 1);
        full(graph.flush());
        add(&graph, "a").unwrap();
        graph.flush().unwrap();
        graph = restart(graph, &disk);
        assert_eq!(graph.snapshot().vertex_count(None), 2 * u64::from(pass + 1));
    }
}

/// Seed 83 of the simulator: the stamp of a commit that was given up is given out again after a restart, so no section
/// may say that it has it.
#[test]
fn the_stamp_of_a_refused_commit_hides_nothing_after_a_restart() {
    let disk = SimulatedDisk::new(1, SimulatedFaults::NONE);
    let graph = open(&disk);
    let v = add(&graph, "a").unwrap();
    let set = |graph: &Graph, value: i32| {
        let transaction = graph.begin();
        transaction.set_vertex_property(v, Cardinality::Single, "a", Value::Int(value), &[]).unwrap();
        transaction.commit().unwrap();
    };
    graph.flush().unwrap();
    set(&graph, 2);
    let graph = restart(graph, &disk);
    disk.fill(0, 1);
    full(add(&graph, "a"));
    // The section of the property reaches the disk, the checkpoint does not.
    disk.fill(1, 1);
    full(graph.flush());
    drop(graph);
    disk.stop(Outage::Process);
    let graph = open(&disk);
    set(&graph, 3);
    let snapshot = graph.snapshot();
    assert_eq!(snapshot.reader().value(v, snapshot.catalog().key("a").unwrap()), Some(Value::Int(3)));
}

/// Likewise no secondary tree, of a graph in which nothing but a load was ever committed.
#[test]
fn the_stamp_of_a_refused_commit_hides_no_edge_from_a_secondary_tree_after_a_restart() {
    let disk = SimulatedDisk::new(1, SimulatedFaults::NONE);
    let tree = TreeBounds { min: 2, max: 8, fan_out: 3 };
    let secondary =
        SecondaryOptions { builders: 0, share: 1.0, threshold: 1e-9, ..SecondaryOptions::default() };
    let options = GraphOptions { tree, secondary, keeper: false, ..GraphOptions::default() };
    let open = || Graph::open(Arc::new(disk.mount(StoreLimits::default())), options.clone()).unwrap();
    let graph = open();
    let mut bulk = graph.bulk_load().unwrap();
    let hub = bulk.vertices_without_columns("hub", 1).unwrap()[0];
    let weights = BulkValues::Long((0..60).map(|n| Some(n * 7 % 61)).collect());
    let weights = BulkColumn { key: "weight".into(), values: weights };
    bulk.edges("likes", &[hub; 60], &[hub; 60], None, vec![weights]).unwrap();
    bulk.finish(&|_| {}).unwrap();
    disk.fill(0, 1);
    full(add(&graph, "a"));
    {
        let snapshot = graph.snapshot();
        let (reader, catalog) = (snapshot.reader(), snapshot.catalog());
        let list = reader.list(hub, catalog.edge_label("likes").unwrap(), Dir::Out);
        for _ in 0..40 {
            list.runs().for_each(drop);
            let read = Filtered { looked_at: 1_000_000, passed: 1, first: true };
            list.note_filtered(catalog.key("weight").unwrap(), read);
        }
    }
    graph.adapt_secondary_trees().unwrap();
    assert_eq!(graph.secondary_trees().len(), 1);
    graph.flush().unwrap();
    drop(graph);
    disk.stop(Outage::Process);
    let graph = open();
    assert_eq!(graph.secondary_trees().len(), 1);
    let transaction = graph.begin();
    let e = transaction.add_edge(None, "likes", hub, hub).unwrap();
    transaction.set_edge_property(e, "weight", Value::Long(30)).unwrap();
    transaction.commit().unwrap();
    graph.flush().unwrap();
    drop(graph);
    disk.stop(Outage::Process);
    let store: Arc<dyn Store> = Arc::new(disk.mount(StoreLimits::default()));
    assert_eq!(graph::check(&store, &mut |_| {}).unwrap(), []);
}

/// Seed 1038 of the simulator: the load was there, and was reported as failed since the log could not be trimmed.
#[test]
fn a_bulk_load_is_either_refused_and_not_there_or_there_and_not_refused() {
    let mut refused = 0;
    for pass in 0.. {
        let disk = SimulatedDisk::new(1, SimulatedFaults::NONE);
        let graph = open(&disk);
        // Something for the log that the load trims.
        graph.create_index("a", "a").unwrap();
        disk.fill(pass, 1);
        let load = || {
            let mut bulk = graph.bulk_load()?;
            bulk.vertices_without_columns("a", 3)?;
            bulk.finish(&|_| {}).map(drop)
        };
        let outcome = load();
        let there = graph.snapshot().vertex_count(None);
        assert_eq!(there, if outcome.is_ok() { 3 } else { 0 }, "{pass} writes passed, then {outcome:?}");
        let graph = restart(graph, &disk);
        assert_eq!(graph.snapshot().vertex_count(None), there);
        refused += u32::from(outcome.is_err());
        if disk.counts().full == 0 {
            break;
        }
    }
    assert!(refused > 3);
}

/// Partitions of indexes, as they are stored.
fn partitions(store: &Arc<dyn Store>) -> Vec<(Vec<u8>, Vec<u8>)> {
    let keyspace = store.keyspace("sections", KeyspaceShape::Large).unwrap();
    let all = store.snapshot().unwrap().scan(&keyspace, KeyRange::all(), ScanOrder::Ascending).unwrap();
    let pairs = all.map(|pair| pair.map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap());
    pairs.filter(|(key, _)| b"io".contains(&key[0])).collect()
}

/// It writes where others are that the last checkpoint names: those of elements that are no more.
#[test]
fn a_load_that_the_disk_had_no_room_for_leaves_nothing_in_any_index() {
    for pass in 0.. {
        let disk = SimulatedDisk::new(1, SimulatedFaults::NONE);
        let store: Arc<dyn Store> = Arc::new(disk.mount(StoreLimits::default()));
        let options = GraphOptions { keeper: false, ..GraphOptions::default() };
        let graph = Graph::open(Arc::clone(&store), options.clone()).unwrap();
        let transaction = graph.begin();
        let v = transaction.add_vertex(Some(Value::str("x")), "a").unwrap();
        transaction.add_edge(Some(Value::str("x")), "e", v, v).unwrap();
        transaction.commit().unwrap();
        graph.flush().unwrap();
        let transaction = graph.begin();
        transaction.drop_vertex(v).unwrap();
        transaction.commit().unwrap();
        graph.flush().unwrap();
        let before = partitions(&store);
        assert!(!before.is_empty());

        let mut bulk = graph.bulk_load().unwrap();
        bulk.index("a", "age").unwrap();
        let ids = || Some(["x", "y"].map(Value::str).to_vec());
        let ages = BulkColumn { key: "age".into(), values: BulkValues::Int(vec![Some(1), Some(2)]) };
        let v = bulk.vertices("a", ids(), vec![ages]).unwrap();
        bulk.edges("e", &v, &v, ids(), vec![]).unwrap();
        disk.fill(pass, 1);
        let loaded = bulk.finish(&|_| {});
        if loaded.is_ok() {
            let id = Value::str("x");
            assert!(graph.snapshot().reader().edge_by_id(&id).is_some(), "in place of the former edge");
            break;
        }
        full(loaded);
        assert!(partitions(&store).iter().all(|pair| before.contains(pair)), "after {pass} writes");
        drop(graph);
        assert_eq!(graph::check(&store, &mut |_| {}).unwrap(), [], "after {pass} writes");
        let snapshot = Graph::open(Arc::clone(&store), options).unwrap().snapshot();
        assert_eq!(snapshot.vertex_count(None), 0);
        assert!(snapshot.reader().vertex_by_id(&Value::str("x")).is_none());
    }
}
