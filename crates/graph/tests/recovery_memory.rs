//! Opening a graph whose log changes more than fits in memory, with crashes on the way.

mod failing;
mod naive;
mod stored;

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use failing::Failing;
use graph::{Dir, Graph, GraphOptions, TreeBounds, Value, VertexRef};
use naive::Random;
use naive::history::written;
use naive::steps::Shape;
use store::{MemoryStore, Store};

/// One test at a time: a reader of any graph of the process keeps the garbage of all of them.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

const BUDGET: usize = 256 << 10;

fn small(cache_bytes: usize, threads: usize) -> GraphOptions {
    let tree = TreeBounds { min: 50, max: 100, fan_out: 8 };
    GraphOptions { cache_bytes, tree, replay_threads: threads, keeper: false, ..GraphOptions::default() }
}

/// Edges between any two of 20,000 vertices, none of which a flush has written, and one vertex that all know.
fn fill(store: &Arc<dyn Store>) -> Vec<VertexRef> {
    let graph = Graph::open(Arc::clone(store), small(1 << 30, 1)).unwrap();
    let mut random = Random::new(7);
    let mut all: Vec<VertexRef> = Vec::new();
    for _ in 0..20 {
        let transaction = graph.begin();
        all.extend((0..1_000).map(|_| transaction.add_vertex(None, "person").unwrap()));
        transaction.commit().unwrap();
    }
    for _ in 0..100 {
        let transaction = graph.begin();
        for n in 0..1_000 {
            let (from, to) = (all[random.below(all.len())], all[random.below(all.len())]);
            let edge = transaction.add_edge(None, "knows", from, to).unwrap();
            transaction.set_edge_property(edge, "since", Value::Long(n)).unwrap();
        }
        transaction.add_edge(None, "knows", all[random.below(all.len())], all[0]).unwrap();
        transaction.commit().unwrap();
    }
    all
}

fn edges(graph: &Graph, all: &[VertexRef]) -> Vec<Vec<VertexRef>> {
    let snapshot = graph.snapshot();
    let knows = snapshot.catalog().edge_label("knows").unwrap();
    let list = |v: &VertexRef, dir| snapshot.reader().list(*v, knows, dir).neighbours().collect();
    let lists = all.iter().flat_map(|v| [list(v, Dir::Out), list(v, Dir::In)]).collect();
    snapshot.check().unwrap();
    lists
}

#[test]
fn a_log_that_changes_more_than_fits_in_memory_is_replayed_within_the_budget() {
    let _alone = alone();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let all = fill(&store);
    let log = stored::pairs(&store);
    let whole = Graph::open(Arc::clone(&store), small(1 << 30, 1)).unwrap();
    let expected = edges(&whole, &all);
    assert!(whole.stats().cache_bytes > 8 * BUDGET as u64, "{:?}", whole.stats());
    assert_eq!(whole.stats().checkpoint, 0, "where there is room, nothing is written");
    drop(whole);
    for threads in [1, 4] {
        let store = stored::filled(&log);
        let graph = Graph::open(Arc::clone(&store), small(BUDGET, threads)).unwrap();
        let stats = graph.stats();
        // What a batch of each thread changes, before and after, comes on top.
        assert!(stats.most_cache_bytes < 3 * BUDGET as u64, "{threads} threads: {stats:?}");
        assert!(stats.checkpoint > 0 && stats.log_bytes < 1 << 20, "{threads} threads: {stats:?}");
        // Of few, since nearly every one is loaded again.
        assert!(edges(&graph, &all[..100]) == expected[..200], "{threads} threads");
        drop(graph);
        let again = Graph::open(store, small(1 << 30, threads)).unwrap();
        assert!(edges(&again, &all) == expected, "{threads} threads, opened again");
    }
}

#[test]
fn what_a_part_of_the_log_takes_until_lists_have_it_is_set_aside_from_the_budget() {
    let _alone = alone();
    let budget = 2 << 20;
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    fill(&store);
    let graph = Graph::open(store, small(budget, 1)).unwrap();
    let most = graph.stats().most_cache_bytes;
    // A MiB of the log takes more than half of it.
    assert!((budget as u64 / 4..budget as u64 * 3 / 4).contains(&most), "{most} bytes");
}

const SHAPE: Shape = Shape { vertices: 40, edges: 300, hubs: 4 };

#[test]
fn a_recovery_that_stops_at_any_write_again_and_again_ends_well() {
    let _alone = alone();
    let seeds = std::env::var("MANGROVE_SIM_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
    let mut behind = 0;
    for seed in 0..seeds.unwrap_or(3_u64) {
        let inner: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let options = GraphOptions {
            merge_versions: if seed.is_multiple_of(2) { 2 } else { 64 },
            tree: TreeBounds { min: 4, max: 8, fan_out: 3 },
            flush_batch_bytes: 1_000,
            keeper: false,
            cache_bytes: [0, 20_000][seed as usize / 2 % 2],
            ..GraphOptions::default()
        };
        let unbounded = GraphOptions { cache_bytes: 1 << 30, ..options.clone() };
        let model = written(&inner, unbounded, seed, SHAPE, (150, 40));
        for left in (0..400).step_by(5 + seed as usize % 3 * 4) {
            // With parts that end elsewhere each time: what one has left is ahead of where the next one writes.
            let replay_bytes = [400, 3_000, 1 << 20][(seed as usize + left) % 3];
            let (left, last_reaches_disk) = (AtomicUsize::new(left), left % 2 == 1);
            let store = Arc::new(Failing { inner: Arc::clone(&inner), left, last_reaches_disk });
            let replay_threads = 1 + seed as usize % 2;
            let options = GraphOptions { replay_bytes, replay_threads, ..options.clone() };
            let Ok(graph) = Graph::open(store, options) else { continue };
            // What could not be written is in memory, and the log.
            model.check(&graph.snapshot(), seed, "half way");
            behind += usize::from(graph.stats().log_bytes > 0);
        }
        let graph = Graph::open(inner, options).unwrap();
        model.check(&graph.snapshot(), seed, "in the end");
    }
    assert!(behind > 10, "{behind} recoveries could not write all");
}
