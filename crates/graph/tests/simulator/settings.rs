//! How a seed's graph and disk are set up: every bound small enough to be reached, and different from seed to seed.
//!
//! A new bound of the graph (how long a list may be before it becomes a tree, how many bytes the cache may hold) belongs
//! into [`Settings::draw`] as one more line.

use graph::{GraphOptions, SecondaryOptions, TreeBounds};
use store::{SimulatedFaults, StoreLimits};

use crate::naive::Random;
use crate::naive::steps::Shape;

const SMALL: TreeBounds = TreeBounds { min: 2, max: 4, fan_out: 3 };

#[derive(Clone, Debug)]
pub struct Settings {
    pub graph: GraphOptions,
    pub faults: SimulatedFaults,
    pub limits: StoreLimits,
    pub shape: Shape,
    /// Of a hundred turns, how many end in a restart.
    pub restarts: usize,
    /// Whether some edge labels have sort keys.
    pub sorted: bool,
}

impl Settings {
    pub fn draw(random: &mut Random) -> Self {
        let graph = GraphOptions {
            log_bytes: pick(random, &[1_000, 4_000, 30_000]),
            flush_batch_bytes: pick(random, &[1, 2_000, 1 << 20]),
            merge_versions: pick(random, &[1, 3, 64]),
            tree: pick(
                random,
                &[SMALL, SMALL, TreeBounds { min: 3, max: 8, fan_out: 2 }, TreeBounds::default()],
            ),
            cache_bytes: pick(random, &[0, 20_000, 100_000, 1 << 30]),
            secondary: SecondaryOptions {
                builders: 0,
                share: 1.0,
                threshold: 1e-9,
                patience: 2,
                sort_edges: pick(random, &[3, 1_000]),
                ..SecondaryOptions::default()
            },
            // A thread would make a seed mean one history today and another one tomorrow.
            keeper: false,
            replay_threads: 1,
            replay_bytes: pick(random, &[1, 1_000, 1 << 20]),
            ..GraphOptions::default()
        };
        let faults = SimulatedFaults {
            writes_between: pick(random, &[10, 50, 200, 0]),
            reads_between: pick(random, &[30, 200, 0]),
            full_for: 6,
        };
        let shape = Shape { vertices: 25, edges: pick(random, &[60, 150]), hubs: pick(random, &[0, 5, 8]) };
        let (restarts, sorted) = (pick(random, &[2, 8]), random.below(2) == 0);
        Self { graph, faults, limits: StoreLimits::default(), shape, restarts, sorted }
    }
}

fn pick<T: Copy>(random: &mut Random, choices: &[T]) -> T {
    choices[random.below(choices.len())]
}
