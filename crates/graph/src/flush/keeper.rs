//! The thread that makes room, and that puts away what a load leaves behind its last commit: commits that are remembered, and what
//! the store keeps in memory.

use super::Files;
use crate::cache::{Cache, Woken};
use crate::error::Result;
use crate::resident::Threads;
use std::sync::Arc;
use std::time::Duration;
use timeline::Stamp;

/// The pause between two looks while memory has just begun to fill up. It shrinks linearly to nothing at the budget.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// The pause when nothing can go: old snapshots, or a disk that takes nothing, keep all there is.
const IN_VAIN: Duration = Duration::from_millis(10);

/// Starts the keeper of an open graph.
pub(crate) fn start_keeper(files: &Arc<Files>) -> Result<Threads> {
    let (stopped, kept) = (Arc::clone(files), Arc::clone(files));
    let mut threads = Threads::new(move || stopped.cache.signal.stop());
    threads.start("cache", move || keep(&kept))?;
    Ok(threads)
}

/// How often it is looked whether anything was committed, and whether commits are still remembered that nobody can conflict with.
const LOOK: Duration = Duration::from_secs(3);

/// The last commit, and whether the store has been told that none has followed it since the look before.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Rest {
    newest: Stamp,
    told: bool,
}

fn keep(files: &Files) {
    let mut rest = Rest::default();
    loop {
        match files.cache.signal.wait(LOOK) {
            Woken::Stopped => return,
            Woken::Idle => {
                files.timeline.forget();
                rest = files.rest(rest);
                continue;
            }
            Woken::Rung => {}
        }
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
    /// Tells the store once that nothing has been committed since the look before; what this look has seen.
    fn rest(&self, before: Rest) -> Rest {
        let newest = self.timeline.visible();
        let rests = newest == before.newest;
        if rests && !before.told {
            self.store.rest();
        }
        Rest { newest, told: rests }
    }

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
