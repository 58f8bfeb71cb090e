//! What memory is in use while something runs.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use mangrove::Database;

use crate::memory::resident_mb;

/// Megabytes of the process beyond the budget of its cache, as docs/storage.md states them: a part of the budget, and what
/// does not depend on it.
pub const SLACK: (f64, f64) = (0.75, 256.0);

/// Megabytes that a process may take, beyond what it took before it opened a graph with a budget of so many.
pub fn allowed_mb(budget: u64) -> f64 {
    budget as f64 * (1.0 + SLACK.0) + SLACK.1
}

/// The most that was in use.
pub struct Most {
    /// Bytes of sections and tree nodes.
    pub cache: u64,
    /// Megabytes of the process.
    pub resident: f64,
}

/// Looks at memory again and again.
#[derive(Default)]
pub struct Watch {
    stop: AtomicBool,
}

impl Watch {
    /// Does some work on a database; with the most that was in use meanwhile.
    ///
    /// # Errors
    /// Those of the work.
    pub fn during<R, E>(
        &self,
        database: &Database,
        work: impl FnOnce() -> Result<R, E>,
    ) -> Result<(R, Most), E> {
        self.stop.store(false, Ordering::Relaxed);
        let (cache, resident) = (AtomicU64::new(0), AtomicU64::new(0));
        let outcome = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !self.stop.load(Ordering::Relaxed) {
                    cache.fetch_max(database.cache_bytes(), Ordering::Relaxed);
                    let now = resident_mb().unwrap_or_default();
                    resident.fetch_max((now * 1000.0) as u64, Ordering::Relaxed);
                    std::thread::sleep(Duration::from_millis(2));
                }
            });
            let outcome = work();
            self.stop.store(true, Ordering::Relaxed);
            outcome
        })?;
        let most = Most { cache: cache.into_inner(), resident: resident.into_inner() as f64 / 1000.0 };
        Ok((outcome, most))
    }
}
