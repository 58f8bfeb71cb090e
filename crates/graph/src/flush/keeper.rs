//! The thread that makes room.

use super::Files;
use crate::cache::Cache;
use crate::error::{GraphError, Result};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// The pause between two looks while memory has just begun to fill up. It shrinks linearly to nothing at the budget.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// The pause when nothing can go: old snapshots, or a disk that takes nothing, keep all there is.
const IN_VAIN: Duration = Duration::from_millis(10);

/// The keeper of an open graph. Ends with the graph's last handle.
pub(crate) struct Keeper {
    files: Arc<Files>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Starts the thread.
    pub(crate) fn start(files: &Arc<Files>) -> Result<Self> {
        let kept = Arc::clone(files);
        let spawned = std::thread::Builder::new().name("cache".into()).spawn(move || keep(&kept));
        let thread = Some(spawned.map_err(|error| GraphError::NoThread(error.to_string()))?);
        Ok(Self { files: Arc::clone(files), thread })
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.files.cache.signal.stop();
        if let Some(thread) = self.thread.take() {
            // It has logged whatever went wrong.
            let _ = thread.join();
        }
    }
}

fn keep(files: &Files) {
    while files.cache.signal.wait() {
        let watermark = files.watermark();
        let can = !files.cache.is_in_vain(watermark);
        let enough = can && (files.evict_to(files.cache.low_water()) || files.flush_for_room());
        if can && !enough {
            files.cache.note_in_vain(watermark);
        }
        let rest = if enough { Duration::ZERO } else { IN_VAIN };
        files.cache.signal.pause(pause(&files.cache).max(rest), !enough);
    }
}

/// How long to wait before looking again.
fn pause(cache: &Cache) -> Duration {
    let (used, low) = (cache.account.total(), cache.low_water());
    let room = cache.budget().saturating_sub(used) as f64 / (cache.budget() - low).max(1) as f64;
    LONGEST_PAUSE.mul_f64(room.min(1.0))
}

impl Files {
    /// Flushes, or waits for who does, so that more can be evicted, and evicts; false if not enough could go. A failure is
    /// logged: nothing is lost, the log has it all.
    pub(crate) fn flush_for_room(&self) -> bool {
        let (mut manifest, waited) = match self.try_hold_flushes() {
            Some(manifest) => (manifest, false),
            None => (self.hold_flushes(), true),
        };
        if self.lock_writer().is_clean() {
            drop(manifest);
            return waited && self.evict_to(self.cache.low_water());
        }
        let flushed = self.flush_with(&mut manifest);
        drop(manifest);
        if let Err(error) = flushed {
            tracing::error!(%error, "flush failed; what differs from what is stored stays in memory, beyond the budget");
            return false;
        }
        self.evict_to(self.cache.low_water())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::{Bytes, Resident};
    use crate::model::GraphOptions;

    #[test]
    fn the_pause_shrinks_linearly_as_memory_fills() {
        let cache = Cache::new(&GraphOptions { cache_bytes: 1 << 20, ..GraphOptions::default() });
        assert_eq!(pause(&cache), LONGEST_PAUSE);
        let step = cache.budget() / 16;
        let _filled = Resident::new(Bytes(cache.budget() - step), &cache.account);
        let half = pause(&cache);
        assert!(half < LONGEST_PAUSE.mul_f64(0.51) && half > LONGEST_PAUSE.mul_f64(0.48), "{half:?}");
        let _more = Resident::new(Bytes(step), &cache.account);
        assert_eq!(pause(&cache), Duration::ZERO);
    }
}
