//! Random transactions, reads at old snapshots, flushes and restarts, against a model that is too simple to be wrong.

mod naive;

use std::sync::Arc;

use graph::{Graph, GraphOptions, Snapshot, TreeBounds};
use naive::steps::{KEYS, LABELS, Shape, write};
use naive::{Naive, Random};
use store::{MemoryStore, Store};

const SHAPE: Shape = Shape { vertices: 25, edges: 60, hubs: 5 };

/// A short log and small deltas, so that flushes and merges happen by themselves.
fn small() -> GraphOptions {
    GraphOptions { log_bytes: 20_000, merge_versions: 3, ..GraphOptions::default() }
}

/// Bounds at which lists of five edges become trees, and trees of a dozen edges have all three levels.
fn bushy() -> GraphOptions {
    GraphOptions { tree: TreeBounds { min: 2, max: 4, fan_out: 3 }, ..small() }
}

fn run(seed: u64, transactions: usize, options: &GraphOptions, sorted: bool) {
    println!("seed {seed}");
    let open = |store: &Arc<dyn Store>| Graph::open(Arc::clone(store), options.clone()).unwrap();
    let mut random = Random::new(seed);
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut graph = open(&store);
    if sorted {
        graph
            .change_schema(|schema| {
                schema.edges.entry("likes".into()).or_default().sort_key = Some("age".into());
                schema.edges.entry("knows".into()).or_default().sort_key = Some("tag".into());
                Ok(())
            })
            .unwrap();
    }
    graph.create_index("person", "name").unwrap();
    let mut model = Naive::default();
    let mut old: Vec<(Snapshot, Naive)> = Vec::new();
    let mut trees = 0;
    for round in 0..transactions {
        let transaction = graph.begin();
        let mut tentative = model.clone();
        let mut midway = None;
        let writes = random.below(12);
        for step in 0..writes {
            write(&transaction, &mut tentative, &mut random, SHAPE).unwrap();
            if step == writes / 2 && random.below(8) == 0 {
                midway = Some((transaction.snapshot(), tentative.clone()));
            }
        }
        if random.below(6) == 0 {
            tentative.check(&transaction.snapshot(), seed, "inside a transaction");
        }
        if let Some((snapshot, expected)) = &midway {
            expected.check(snapshot, seed, "at an earlier write of a transaction");
        }
        drop(midway);
        if random.below(10) == 0 {
            transaction.rollback();
        } else {
            transaction.commit().unwrap();
            model = tentative;
        }
        match random.below(40) {
            0..=3 => old.push((graph.snapshot(), model.clone())),
            4 | 5 => graph.flush().unwrap(),
            6 => {
                old.clear();
                drop(graph);
                graph = open(&store);
                model.check(&graph.snapshot(), seed, "after a restart");
            }
            7 => graph.create_index(LABELS[random.below(2)], KEYS[random.below(3)]).unwrap(),
            8 if !old.is_empty() => {
                let (snapshot, expected) = old.swap_remove(random.below(old.len()));
                expected.check(&snapshot, seed, "at an old snapshot");
            }
            9 | 10 => model.check(&graph.snapshot(), seed, &format!("after transaction {round}")),
            _ => {}
        }
        if old.len() > 4 {
            old.remove(0);
        }
        if round % 50 == 0 {
            trees = trees.max(graph.stats().trees);
        }
    }
    assert_eq!(trees > 0, options.tree.max < 60, "{trees} lists became trees");
    for (snapshot, expected) in old {
        expected.check(&snapshot, seed, "at an old snapshot, at the end");
    }
    model.check(&graph.snapshot(), seed, "at the end");
    graph.flush().unwrap();
    drop(graph);
    model.check(&open(&store).snapshot(), seed, "after the last restart");
}

#[test]
fn a_graph_answers_as_the_model_does_after_any_sequence_of_operations() {
    for seed in 0..10 {
        run(seed, 300, &small(), seed % 2 == 1);
    }
}

#[test]
fn a_graph_of_edge_trees_answers_as_the_model_does() {
    for seed in 100..115 {
        run(seed, 300, &bushy(), seed % 2 == 1);
    }
}

#[test]
fn long_histories_with_merged_deltas_answer_as_the_model_does() {
    run(4711, 2000, &small(), false);
    run(4712, 2000, &bushy(), true);
}
