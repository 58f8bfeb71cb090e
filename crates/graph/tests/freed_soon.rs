//! What is replaced is freed while work goes on that replaces more: nothing is as long as a thread has an epoch guard.

mod hooked;
mod naive;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use graph::{Graph, GraphOptions, TreeBounds, Value, VertexRef};
use hooked::Hooked;
use naive::Random;
use store::{MemoryStore, Store};

/// One test at a time: a guard of any thread of the process keeps the garbage of all of them.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn vertices(graph: &Graph, count: usize) -> Vec<VertexRef> {
    let transaction = graph.begin();
    let all = (0..count).map(|_| transaction.add_vertex(None, "person").unwrap()).collect();
    transaction.commit().unwrap();
    all
}

/// Commits so many edges at once, each with a property, and a quarter of them to the first 16 vertices.
fn connect(graph: &Graph, all: &[VertexRef], edges: usize) {
    let (transaction, mut random) = (graph.begin(), Random::new(5));
    for n in 0..edges {
        let to = all[random.below(if n % 4 == 0 { 16 } else { all.len() })];
        let edge = transaction.add_edge(None, "knows", all[random.below(all.len())], to).unwrap();
        transaction.set_edge_property(edge, "since", Value::Long(n as i64)).unwrap();
    }
    transaction.commit().unwrap();
}

#[test]
fn a_flush_has_no_guard_while_it_waits_for_the_disk() {
    let _alone = alone();
    // All writes, and those that a thread with a guard waits for.
    let counts: Arc<[AtomicUsize; 2]> = Arc::default();
    let count = Arc::clone(&counts);
    let store = Hooked::new(move || {
        count[0].fetch_add(1, Ordering::Relaxed);
        count[1].fetch_add(usize::from(crossbeam_epoch::is_pinned()), Ordering::Relaxed);
    });
    // The image of a tree fits into a batch, but not those of all.
    let tree = TreeBounds { min: 50, max: 100, fan_out: 8 };
    let options = GraphOptions { flush_batch_bytes: 20_000, tree, keeper: false, ..GraphOptions::default() };
    let graph = Graph::open(Arc::new(store) as Arc<dyn Store>, options).unwrap();
    let all = vertices(&graph, 3_000);
    connect(&graph, &all, 20_000);
    let before = counts[0].load(Ordering::Relaxed);
    graph.flush().unwrap();
    assert!(graph.stats().trees >= 16, "{:?}", graph.stats());
    let writes = counts[0].load(Ordering::Relaxed) - before;
    assert!(writes > 8, "{writes} writes");
    assert_eq!(counts[1].load(Ordering::Relaxed), 0, "of {writes} writes");
}

#[test]
fn what_a_large_commit_replaces_is_freed_while_it_is_applied() {
    let _alone = alone();
    let options =
        GraphOptions { cache_bytes: 8 << 20, merge_versions: 3, keeper: false, ..GraphOptions::default() };
    let graph = Graph::open(Arc::new(MemoryStore::new()), options).unwrap();
    let all = vertices(&graph, 1_000);
    connect(&graph, &all, 20_000);
    let versions = graph.stats().cache_bytes;
    // Merges those versions, section by section, and makes as many.
    connect(&graph, &all, 20_000);
    let stats = graph.stats();
    assert!(stats.delta_entries < 50_000, "{stats:?}");
    assert!(stats.most_cache_bytes < 2 * versions, "{versions} bytes before: {stats:?}");
}
