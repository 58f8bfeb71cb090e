//! A graph that came about by random writes, with most of them in its log alone.

use std::sync::Arc;

use graph::{Graph, GraphOptions};
use store::Store;

use super::steps::{Shape, write};
use super::{Naive, Random};

/// So many transactions of up to twelve writes each, with a flush after one of them; what must be in the store then.
pub fn written(
    store: &Arc<dyn Store>,
    options: GraphOptions,
    seed: u64,
    shape: Shape,
    (rounds, flushed): (u32, u32),
) -> Naive {
    let graph = Graph::open(Arc::clone(store), options).unwrap();
    let (mut model, mut random) = (Naive::default(), Random::new(seed));
    for round in 0..rounds {
        let transaction = graph.begin();
        let mut tentative = model.clone();
        for _ in 0..1 + random.below(12) {
            write(&transaction, &mut tentative, &mut random, shape).unwrap();
        }
        transaction.commit().unwrap();
        model = tentative;
        if round == flushed {
            graph.flush().unwrap();
        }
    }
    model
}
