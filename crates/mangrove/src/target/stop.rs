//! A wish that something end, made on one thread and found on another.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Whether somebody wants what is under way to end. Clones are the same wish.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Wants it to end. Safe on any thread, any number of times.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether it is to end. Whoever waits for something asks every 50 ms or so.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
