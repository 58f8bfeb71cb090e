//! The log is replayed by any number of threads, in stretches of any length, to the same graph.

mod naive;

use std::sync::Arc;

use graph::{Graph, GraphOptions, TreeBounds};
use naive::history::written;
use naive::steps::Shape;
use store::{MemoryStore, Store};

const SHAPE: Shape = Shape { vertices: 300, edges: 900, hubs: 4 };

fn options(seed: u64, threads: usize, bytes: usize) -> GraphOptions {
    GraphOptions {
        merge_versions: if seed.is_multiple_of(2) { 2 } else { 64 },
        tree: TreeBounds { min: 4, max: 8, fan_out: 3 },
        replay_threads: threads,
        replay_bytes: bytes,
        ..GraphOptions::default()
    }
}

#[test]
fn however_the_log_is_replayed_the_graph_is_the_one_that_was_written() {
    let seeds = std::env::var("MANGROVE_SIM_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
    for seed in 0..seeds.unwrap_or(12) {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let model = written(&store, options(seed, 1, 1), seed, SHAPE, (250, 60));
        let mut degrees = None;
        for (threads, bytes) in [(1, 1), (1, 5_000), (1, 1 << 20), (2, 5_000), (3, 1 << 20), (8, 1 << 20)] {
            // Opening writes nothing, so every one of them finds the same log.
            let graph = Graph::open(Arc::clone(&store), options(seed, threads, bytes)).unwrap();
            let when = format!("{threads} threads, {bytes} bytes");
            model.check(&graph.snapshot(), seed, &when);
            let statistics = graph.snapshot().statistics();
            let mut counted: Vec<_> = statistics.degrees().iter().map(|entry| format!("{entry:?}")).collect();
            counted.sort_unstable();
            assert!(statistics.degrees_are_exact());
            assert_eq!(*degrees.get_or_insert_with(|| counted.clone()), counted, "seed {seed}, {when}");
        }
        let graph = Graph::open(Arc::clone(&store), options(seed, 4, 1 << 20)).unwrap();
        graph.flush().unwrap();
        drop(graph);
        let graph = Graph::open(store, options(seed, 1, 1)).unwrap();
        model.check(&graph.snapshot(), seed, "replayed, flushed and opened again");
    }
}
