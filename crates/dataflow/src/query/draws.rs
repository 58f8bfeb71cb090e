//! What the steps of a query draw by chance.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::java_random::JavaRandom;

/// Where a query's draws come from: from its seed and the number of the draw or, with `SeedStrategy`, from a sequence for each step.
#[derive(Debug, Default)]
pub struct Draws {
    /// How often steps have drawn for one traverser apart from the others.
    number: AtomicU64,
    seeded: Option<Seeded>,
}

#[derive(Debug)]
struct Seeded {
    seed: i64,
    /// By operator: all instances of one draw from the same.
    steps: Mutex<FxHashMap<u32, JavaRandom>>,
}

impl Draws {
    /// With `SeedStrategy`, if a seed is given.
    pub(crate) fn new(seed: Option<i64>) -> Self {
        Self { number: AtomicU64::new(0), seeded: seed.map(|seed| Seeded { seed, steps: Mutex::default() }) }
    }

    /// The number of a draw.
    pub(crate) fn next(&self) -> u64 {
        self.number.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether draws are those of `SeedStrategy`.
    pub(crate) fn are_seeded(&self) -> bool {
        self.seeded.is_some()
    }

    /// Draws from the sequence of a step; `None` without `SeedStrategy`.
    pub(crate) fn seeded<R>(&self, op: u32, draw: impl FnOnce(&mut JavaRandom) -> R) -> Option<R> {
        let Seeded { seed, steps } = self.seeded.as_ref()?;
        Some(draw(steps.lock().entry(op).or_insert_with(|| JavaRandom::new(*seed))))
    }
}
