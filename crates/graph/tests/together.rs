//! Sections that a batch misses, loaded together.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use graph::{
    BulkColumn, BulkValues, Dir, Graph, GraphError, GraphOptions, KeyId, PoolOptions, Reader, Request,
    Snapshot, TreeBounds, VertexRef,
};
use store::{FjallOptions, FjallStore, ObservedStore, Store};

/// Reads of the store: how many at the same time at most, and how many in all.
#[derive(Default)]
struct Reads {
    now: AtomicUsize,
    most: AtomicUsize,
    all: AtomicUsize,
}

const LATENCY: Duration = Duration::from_millis(3);

/// Vertices of as many blocks, in two stripes.
const BLOCKS: usize = 100;

/// Edges of a list that has a tree.
const LONG: usize = 20;

fn options(pools: PoolOptions) -> GraphOptions {
    let tree = TreeBounds { min: 8, max: 16, ..TreeBounds::default() };
    GraphOptions { pools, tree, keeper: false, ..GraphOptions::default() }
}

/// A graph on disk whose vertices have two numbers each, and an edge to the next.
fn write(directory: &Path) -> Vec<VertexRef> {
    let store: Arc<dyn Store> = Arc::new(FjallStore::open(directory, FjallOptions::default()).unwrap());
    let graph = Graph::open(store, options(PoolOptions::default())).unwrap();
    let mut bulk = graph.bulk_load().unwrap();
    let numbers = || BulkValues::Long((0..70_000).map(Some).collect());
    let columns = ["n", "warm"].map(|key| BulkColumn { key: key.into(), values: numbers() });
    let all = bulk.vertices("v", None, columns.into()).unwrap();
    let next: Vec<VertexRef> = all.iter().cycle().skip(1).take(all.len()).copied().collect();
    bulk.edges("next", &all, &next, None, vec![]).unwrap();
    // One of each block of the first stripe, and some of the second; each has a list with a tree.
    let some = [&all[..64], &all[65_536..65_536 + BLOCKS - 64]].concat();
    let sources: Vec<VertexRef> = some.iter().flat_map(|v| [*v; LONG]).collect();
    bulk.edges("many", &sources, &all[..sources.len()], None, vec![]).unwrap();
    bulk.finish(&|_| {}).unwrap();
    some
}

/// The graph, none of it in memory, over a store that takes its time.
fn cold(directory: &Path, pools: PoolOptions) -> (Graph, Arc<Reads>) {
    let files: Arc<dyn Store> = Arc::new(FjallStore::open(directory, FjallOptions::default()).unwrap());
    let reads = Arc::new(Reads::default());
    let seen = Arc::clone(&reads);
    let store = ObservedStore::new(files, move || {
        seen.all.fetch_add(1, Ordering::SeqCst);
        let now = seen.now.fetch_add(1, Ordering::SeqCst) + 1;
        seen.most.fetch_max(now, Ordering::SeqCst);
        std::thread::sleep(LATENCY);
        seen.now.fetch_sub(1, Ordering::SeqCst);
    });
    let graph = Graph::open(Arc::new(store), options(pools)).unwrap();
    (graph, reads)
}

/// Lets the graph find out that its loads take long.
fn warm(graph: &Graph, vertices: &[VertexRef]) {
    let request = graph.request(None);
    let snapshot = graph.snapshot().on_behalf_of(&request);
    let key = snapshot.catalog().key("warm").unwrap();
    vertices.iter().take(8).for_each(|v| drop(snapshot.reader().value(*v, key)));
}

/// A request to a graph that knows that its loads take long, all of which are light; and the vertices.
fn all_light(directory: &Path) -> (Vec<VertexRef>, Snapshot, Arc<Request>, Arc<Reads>) {
    let vertices = write(directory);
    let pools = PoolOptions { heavy_after: u64::MAX, ..PoolOptions::default() };
    let (graph, reads) = cold(directory, pools);
    warm(&graph, &vertices);
    let request = graph.request(None);
    (vertices, graph.snapshot().on_behalf_of(&request), request, reads)
}

fn key(reader: &Reader<'_>) -> KeyId {
    reader.snapshot().catalog().key("n").unwrap()
}

/// Reads the numbers of vertices, in their order; how many there were.
fn numbers(reader: &Reader<'_>, vertices: &[VertexRef]) -> usize {
    let key = key(reader);
    let number = |v: &&VertexRef| reader.value(**v, key).is_some_and(|n| n.as_i64().is_some());
    vertices.iter().filter(number).count()
}

/// As many reads of the store at the same time as it took to read the numbers, and whether what was counted is right.
fn most_at_a_time(pools: PoolOptions, request: impl FnOnce(&Graph) -> Arc<Request>, expect: bool) -> usize {
    let directory = tempfile::tempdir().unwrap();
    let vertices = write(directory.path());
    let (graph, reads) = cold(directory.path(), pools);
    warm(&graph, &vertices);
    reads.most.store(0, Ordering::SeqCst);
    let (before, loads) = (reads.all.load(Ordering::SeqCst), graph.stats().loads);
    let request = request(&graph);
    let snapshot = graph.snapshot().on_behalf_of(&request);
    let reader = snapshot.reader();
    if expect {
        reader.expect(&vertices);
    }
    assert_eq!(numbers(&reader, &vertices), BLOCKS);
    snapshot.check().unwrap();
    assert_eq!(reads.all.load(Ordering::SeqCst) - before, BLOCKS, "each section is read once");
    assert_eq!((graph.stats().loads - loads, request.asked()), (BLOCKS as u64, BLOCKS as u64));
    reads.most.load(Ordering::SeqCst)
}

#[test]
fn what_the_next_vertices_miss_is_loaded_with_what_the_first_one_does() {
    let pools = PoolOptions::default();
    let most = most_at_a_time(pools, |graph| graph.request(None), true);
    assert!((8..=pools.together).contains(&most), "{most}");
    assert_eq!(most_at_a_time(pools, |graph| graph.request(None), false), 1, "nothing was expected");
    let alone = PoolOptions { together: 1, ..pools };
    assert_eq!(most_at_a_time(alone, |graph| graph.request(None), true), 1);
}

#[test]
fn loads_together_wait_for_their_turns() {
    let pools = PoolOptions { light: 3, heavy: 3, most_heavy: 3, ..PoolOptions::default() };
    assert!(most_at_a_time(pools, |graph| graph.request(None), true) <= 3);
    let heavy = PoolOptions { heavy: 2, most_heavy: 2, heavy_after: 0, ..PoolOptions::default() };
    assert!(most_at_a_time(heavy, |graph| graph.request(None), true) <= 2);
}

#[test]
fn lists_degrees_and_columns_of_ends_are_loaded_together_too() {
    let directory = tempfile::tempdir().unwrap();
    let (vertices, snapshot, _, reads) = all_light(directory.path());
    let reader = snapshot.reader();
    let next = snapshot.catalog().edge_label("next").unwrap();
    let reset = || reads.most.swap(0, Ordering::SeqCst);
    reset();
    reader.expect(&vertices);
    assert_eq!(reader.degrees(next, Dir::Out).sum(&vertices), BLOCKS as u64);
    assert!(reset() >= 8);
    // Ends and rows do not drive each other out.
    let ends: Vec<VertexRef> = vertices.iter().rev().copied().collect();
    reader.expect_ends(&ends);
    assert_eq!(numbers(&reader, &ends), BLOCKS);
    assert!(reset() >= 8);
    let mut lists = reader.lists(next, Dir::In);
    assert!(vertices.iter().all(|v| lists.packed(*v).is_some_and(|list| list.list.len() == 1)));
    assert!(reset() >= 8);
}

#[test]
fn where_nothing_is_loaded_for_long_ends_are_noted_only_after_a_miss() {
    let directory = tempfile::tempdir().unwrap();
    let (vertices, snapshot, _, reads) = all_light(directory.path());
    let reader = snapshot.reader();
    let (first, second) = vertices.split_at(BLOCKS / 2);
    (0..5000).for_each(|_| reader.expect_ends(&[]));
    reads.most.store(0, Ordering::SeqCst);
    reader.expect_ends(first);
    numbers(&reader, first);
    assert_eq!(reads.most.swap(0, Ordering::SeqCst), 1);
    // Others who find all in memory make no difference to a reader who does not.
    let others = snapshot.reader();
    (0..5000).for_each(|_| others.expect_ends(&[]));
    reader.expect_ends(second);
    numbers(&reader, second);
    assert!(reads.most.load(Ordering::SeqCst) >= 8);
}

#[test]
fn roots_of_trees_are_loaded_together() {
    let directory = tempfile::tempdir().unwrap();
    let (vertices, snapshot, request, reads) = all_light(directory.path());
    let reader = snapshot.reader();
    let many = snapshot.catalog().edge_label("many").unwrap();
    // The sections alone.
    reader.expect(&vertices);
    assert!(vertices.iter().all(|v| reader.list(*v, many, Dir::Out).has_tree()));
    let before = reads.all.load(Ordering::SeqCst);
    reads.most.store(0, Ordering::SeqCst);
    assert_eq!(reader.degrees(many, Dir::Out).sum(&vertices), (BLOCKS * LONG) as u64);
    assert_eq!(reads.all.load(Ordering::SeqCst) - before, BLOCKS, "each root is read once");
    assert!(reads.most.load(Ordering::SeqCst) >= 8);
    assert_eq!(request.asked(), 2 * BLOCKS as u64);
}

#[test]
fn a_request_that_ends_leaves_nobody_behind() {
    let directory = tempfile::tempdir().unwrap();
    let vertices = write(directory.path());
    let one = PoolOptions { light: 1, heavy: 1, most_heavy: 1, ..PoolOptions::default() };
    let (graph, _) = cold(directory.path(), one);
    warm(&graph, &vertices);
    let request = graph.request(None);
    let began = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(4 * LATENCY);
            request.end();
        });
        let snapshot = graph.snapshot().on_behalf_of(&request);
        let reader = snapshot.reader();
        reader.expect(&vertices);
        numbers(&reader, &vertices);
        assert!(matches!(snapshot.check(), Err(GraphError::Interrupted)));
    });
    assert!(began.elapsed() < 40 * LATENCY, "{:?}", began.elapsed());
    drop((request, graph));
    // The directory is free at once.
    FjallStore::open(directory.path(), FjallOptions::default()).unwrap();
}

#[test]
fn a_damaged_section_is_reported_by_who_reads_it_and_by_nobody_else() {
    let directory = tempfile::tempdir().unwrap();
    let vertices = write(directory.path());
    let damaged = {
        let store: Arc<dyn Store> =
            Arc::new(FjallStore::open(directory.path(), FjallOptions::default()).unwrap());
        let sections = store.keyspace("sections", store::KeyspaceShape::Large).unwrap();
        let graph = Graph::open(Arc::clone(&store), GraphOptions::default()).unwrap();
        let (snapshot, pairs) = (graph.snapshot(), store.snapshot().unwrap());
        let key = key(&snapshot.reader());
        // Take columns away until some vertex misses its number.
        let all = pairs.scan(&sections, store::KeyRange::all(), store::ScanOrder::Ascending).unwrap();
        let names: Vec<store::Bytes> = all.map(|pair| pair.unwrap().0).collect();
        drop(snapshot);
        let mut found = None;
        for name in names.into_iter().skip(64).take(200) {
            let value = store.snapshot().unwrap().get(&sections, &name).unwrap().unwrap();
            let mut batch = store::WriteBatch::new();
            batch.delete(&sections, name.clone());
            store.write_batch(batch, store::Durability::Sync).unwrap();
            let cold = Graph::open(Arc::clone(&store), GraphOptions::default()).unwrap();
            let snapshot = cold.snapshot();
            let missing = vertices.iter().position(|v| snapshot.reader().value(*v, key).is_none());
            if missing.is_some_and(|at| at > 4) {
                found = missing;
                break;
            }
            let mut batch = store::WriteBatch::new();
            batch.put(&sections, name, value);
            store.write_batch(batch, store::Durability::Sync).unwrap();
        }
        found.expect("a column of a vertex")
    };
    let (graph, _) = cold(directory.path(), PoolOptions::default());
    warm(&graph, &vertices[damaged + 1..]);
    let snapshot = graph.snapshot().on_behalf_of(&graph.request(None));
    let reader = snapshot.reader();
    reader.expect(&vertices);
    assert_eq!(numbers(&reader, &vertices[..damaged]), damaged);
    snapshot.check().unwrap();
    assert_eq!(numbers(&reader, &vertices), BLOCKS - 1);
    assert!(matches!(snapshot.check(), Err(GraphError::Corrupt { .. })));
}
