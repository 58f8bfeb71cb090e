//! Bulk loads whose edges do not fit the memory that they may use.

mod naive;

use std::path::Path;
use std::sync::Arc;

use graph::{
    BulkColumn, BulkLoad, BulkStrings, BulkValues, EdgeDescription, EdgeKeyDescription, Graph, GraphError,
    GraphOptions, TreeBounds, Value, ValueType, VertexRef,
};
use naive::Random;
use store::{
    ApproximateSize, Durability, FjallOptions, FjallStore, Ingested, KeyRange, Keyspace, KeyspaceShape,
    Pairs, ScanOrder, Scratch, Snapshot, Store, StoreError, StoreLimits, Transaction, WriteBatch,
};

fn on_disk(directory: &Path) -> Arc<dyn Store> {
    Arc::new(FjallStore::open(directory, FjallOptions::default()).unwrap())
}

fn open(store: &Arc<dyn Store>, bulk_bytes: usize) -> Graph {
    let tree = TreeBounds { min: 8, max: 16, ..TreeBounds::default() };
    Graph::open(Arc::clone(store), GraphOptions { bulk_bytes, tree, ..GraphOptions::default() }).unwrap()
}

/// `likes` is sorted by its weight, and has one.
fn declare(graph: &Graph) {
    let weight = EdgeKeyDescription { value_type: Some(ValueType::Long), required: true };
    let likes = EdgeDescription {
        sort_key: Some("weight".into()),
        keys: [("weight".into(), weight)].into(),
        ..EdgeDescription::default()
    };
    graph
        .change_schema(|schema| {
            schema.edges.insert("likes".into(), likes.clone());
            Ok(())
        })
        .unwrap();
}

fn column(key: &str, values: BulkValues) -> BulkColumn {
    BulkColumn { key: key.into(), values }
}

/// Feeds the same random network, with hubs, to every load: three labels in turns, columns of all sorts that come and go, ids
/// of their own for some edges. Bytes that went through temporary files.
fn load(graph: &Graph, seed: u64) -> Result<u64, GraphError> {
    let mut random = Random::new(seed);
    let mut bulk = graph.bulk_load()?;
    bulk.index("person", "name")?;
    let names: Vec<String> = (0..400).map(|number| format!("v{}", number % 37)).collect();
    let names = names.iter().map(|name| Some(name.as_str())).collect::<BulkStrings>();
    let mut people = bulk.vertices("person", None, vec![column("name", BulkValues::Str(names))])?;
    // Several stripes.
    people.extend(bulk.vertices_without_columns("thing", 70_000)?.into_iter().step_by(311));
    for round in 0..24 {
        let rows = random.below(200);
        let pick = |random: &mut Random| match random.below(4) {
            0 => people[0],
            _ => people[random.below(people.len())],
        };
        let src: Vec<VertexRef> = (0..rows).map(|_| pick(&mut random)).collect();
        let dst: Vec<VertexRef> = (0..rows).map(|_| pick(&mut random)).collect();
        let ids: Option<Vec<Value>> =
            (round % 7 == 2).then(|| (0..rows).map(|row| Value::str(format!("e{round}-{row}"))).collect());
        let mut maybe = |row: usize| (random.below(3) > 0).then_some(row);
        let label = ["knows", "likes", "saw"][round % 3];
        let columns = match round % 5 {
            _ if label == "likes" => {
                let weights = (0..rows).map(|row| Some((row * 7 % 23) as i64)).collect();
                vec![column("weight", BulkValues::Long(weights))]
            }
            0 => vec![],
            1 => vec![column("since", BulkValues::Double((0..rows).map(|r| Some(r as f64)).collect()))],
            2 => {
                let text: Vec<Option<String>> =
                    (0..rows).map(|row| maybe(row).map(|row| format!("text {}", row % 5))).collect();
                let texts = text.iter().map(Option::as_deref).collect::<BulkStrings>();
                vec![
                    column("text", BulkValues::Str(texts)),
                    column("since", BulkValues::Int(vec![None; rows])),
                ]
            }
            3 => {
                let flags = (0..rows).map(|row| maybe(row).map(|row| row % 2 == 0)).collect();
                vec![column("since", BulkValues::Bool(flags))]
            }
            _ => {
                let mixed = (0..rows).map(|row| match row % 3 {
                    0 => None,
                    1 => Some(Value::Int(row as i32)),
                    _ => Some(Value::str("many")),
                });
                vec![column("text", BulkValues::Any(mixed.collect()))]
            }
        };
        bulk.edges(label, &src, &dst, ids, columns)?;
    }
    let spilled = std::cell::Cell::new(0);
    bulk.finish(&|progress| spilled.set(progress.spilled))?;
    Ok(spilled.get())
}

/// Everything that is stored, but for the log, which no load writes to.
fn stored(store: &dyn Store) -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let snapshot = store.snapshot().unwrap();
    let mut pairs = Vec::new();
    for name in store.keyspace_names() {
        let keyspace = store.keyspace(&name, KeyspaceShape::Large).unwrap();
        for pair in snapshot.scan(&keyspace, KeyRange::all(), ScanOrder::Ascending).unwrap() {
            let (key, value) = pair.unwrap();
            pairs.push((name.clone(), key.to_vec(), value.to_vec()));
        }
    }
    pairs
}

#[test]
fn a_load_beyond_its_memory_stores_byte_for_byte_what_one_within_it_does() {
    for seed in 0..4 {
        let directories = [(); 3].map(|()| tempfile::tempdir().unwrap());
        let all = directories.each_ref().map(|directory| on_disk(directory.path()));
        // All at once, a run for each chunk, and some runs.
        let spilled = [usize::MAX, 0, 20_000].iter().zip(&all).map(|(&bytes, store)| {
            let graph = open(store, bytes);
            declare(&graph);
            load(&graph, seed).unwrap()
        });
        let spilled: Vec<u64> = spilled.collect();
        assert!(spilled[0] == 0 && spilled[1] > 20_000 && spilled[2] > 20_000, "{spilled:?}");
        let [within, beyond, partly] = all.each_ref().map(|store| stored(&**store));
        let trees = within.iter().filter(|(keyspace, ..)| keyspace == "sections").count();
        assert!(trees > 1_000, "{trees}");
        assert!(within == beyond && within == partly, "seed {seed}");
        let graph = open(&all[1], 0);
        graph.snapshot().check().unwrap();
        assert_eq!(graph.stats().edge_count(), open(&all[0], 0).stats().edge_count());
    }
}

#[test]
fn what_the_schema_refuses_is_refused_after_a_spill_as_well() {
    let directory = tempfile::tempdir().unwrap();
    let graph = open(&on_disk(directory.path()), 0);
    declare(&graph);
    let mut bulk = graph.bulk_load().unwrap();
    let v = bulk.vertices_without_columns("person", 1).unwrap();
    let weights = |value| vec![column("weight", BulkValues::Long(vec![value]))];
    bulk.edges("likes", &v, &v, None, weights(Some(1))).unwrap();
    assert!(bulk.spilled_bytes() > 0);
    assert!(matches!(bulk.edges("likes", &v, &v, None, weights(None)), Err(GraphError::Schema(_))));
}

#[test]
fn duplicate_ids_are_found_among_edges_that_were_spilled() {
    let directory = tempfile::tempdir().unwrap();
    let graph = open(&on_disk(directory.path()), 0);
    let mut bulk = graph.bulk_load().unwrap();
    let v = bulk.vertices_without_columns("person", 1).unwrap();
    for _ in 0..2 {
        bulk.edges("knows", &v, &v, Some(vec![Value::str("e")]), vec![]).unwrap();
    }
    assert!(matches!(bulk.finish(&|_| {}), Err(GraphError::DuplicateEdgeId(_))));
    assert_eq!(graph.snapshot().vertex_count(None), 0);
}

/// The names in a directory and below.
fn files(directory: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { names.extend(files(&path)) } else { names.push(path.display().to_string()) }
    }
    names
}

/// Files of the directory that this process has open and that have no name.
#[cfg(target_os = "linux")]
fn nameless(directory: &Path) -> usize {
    let open = std::fs::read_dir("/proc/self/fd").unwrap();
    let targets = open.filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok());
    targets
        .filter(|path| path.starts_with(directory) && path.to_string_lossy().ends_with("(deleted)"))
        .count()
}

#[test]
#[cfg(target_os = "linux")]
fn a_load_that_is_given_up_leaves_no_file_and_while_it_lasts_none_with_a_name() {
    let directory = tempfile::tempdir().unwrap();
    let graph = open(&on_disk(directory.path()), 0);
    let mut bulk = graph.bulk_load().unwrap();
    let v = bulk.vertices_without_columns("person", 1).unwrap();
    let before = files(directory.path());
    for _ in 0..3 {
        bulk.edges("knows", &v, &v, None, vec![]).unwrap();
    }
    assert_eq!(files(directory.path()), before);
    assert_eq!(nameless(directory.path()), 1);
    drop(bulk);
    assert_eq!(nameless(directory.path()), 0);
    load(&graph, 1).unwrap();
    assert_eq!(nameless(directory.path()), 0);
}

/// A store on a device that has no room for temporary files.
struct Cramped(Arc<dyn Store>);

impl Store for Cramped {
    fn keyspace(&self, name: &str, shape: KeyspaceShape) -> Result<Keyspace, StoreError> {
        self.0.keyspace(name, shape)
    }
    fn keyspace_names(&self) -> Vec<String> {
        self.0.keyspace_names()
    }
    fn snapshot(&self) -> Result<Snapshot, StoreError> {
        self.0.snapshot()
    }
    fn begin(&self) -> Result<Transaction, StoreError> {
        self.0.begin()
    }
    fn write_batch(&self, batch: WriteBatch, durability: Durability) -> Result<(), StoreError> {
        self.0.write_batch(batch, durability)
    }
    fn ingest(&self, keyspace: &Keyspace, pairs: &mut Pairs<'_>) -> Result<Ingested, StoreError> {
        self.0.ingest(keyspace, pairs)
    }
    fn sync(&self) -> Result<(), StoreError> {
        self.0.sync()
    }
    fn approximate_size(&self, keyspace: &Keyspace) -> Result<ApproximateSize, StoreError> {
        self.0.approximate_size(keyspace)
    }
    fn scratch(&self) -> Result<Option<Scratch>, StoreError> {
        Err(StoreError::DiskFull { path: "/cramped".into() })
    }
    fn limits(&self) -> StoreLimits {
        self.0.limits()
    }
    fn close(&self) -> Result<(), StoreError> {
        self.0.close()
    }
}

#[test]
fn a_device_without_room_is_named_and_the_graph_left_empty() {
    let directory = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(Cramped(on_disk(directory.path())));
    let graph = open(&store, 0);
    let error = load(&graph, 1).unwrap_err();
    assert!(matches!(&error, GraphError::Store(cause) if matches!(**cause, StoreError::DiskFull { .. })));
    assert!(
        error.to_string().contains("/cramped") && error.to_string().contains("free some space"),
        "{error}"
    );
    assert_eq!(graph.snapshot().vertex_count(None), 0);
    // What has failed once is not gone on with: nobody knows which edges it has.
    let mut bulk = graph.bulk_load().unwrap();
    let v = bulk.vertices_without_columns("person", 1).unwrap();
    let edges =
        |bulk: &mut BulkLoad| bulk.edges("knows", &v, &v, None, vec![]).map_err(|error| error.to_string());
    assert!(edges(&mut bulk).unwrap_err().contains("/cramped"));
    assert!(edges(&mut bulk).unwrap_err().contains("begin again"));
    assert!(bulk.finish(&|_| {}).is_err());
    assert_eq!(graph.snapshot().vertex_count(None), 0);
    // With memory enough, nothing goes there.
    drop(graph);
    assert_eq!(load(&open(&store, 1 << 20), 1).unwrap(), 0);
}
