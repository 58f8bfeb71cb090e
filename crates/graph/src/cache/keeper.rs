//! The thread that makes room.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::Cache;
use crate::core::Core;
use crate::error::{GraphError, Result};

/// The pause between two looks while memory has just begun to fill up. It shrinks linearly to nothing at the budget.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// The pause when nothing can go: old snapshots, or a disk that takes nothing, keep all there is.
const IN_VAIN: Duration = Duration::from_millis(10);

/// The keeper of an open graph. Ends with the graph's last handle.
pub(crate) struct Keeper {
    core: Arc<Core>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Starts the thread.
    pub(crate) fn start(core: &Arc<Core>) -> Result<Self> {
        let kept = Arc::clone(core);
        let spawned = std::thread::Builder::new().name("cache".into()).spawn(move || keep(&kept));
        let thread = Some(spawned.map_err(|error| GraphError::NoThread(error.to_string()))?);
        Ok(Self { core: Arc::clone(core), thread })
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.core.cache.signal.stop();
        if let Some(thread) = self.thread.take() {
            // It has logged whatever went wrong.
            let _ = thread.join();
        }
    }
}

/// What wakes the keeper.
#[derive(Default)]
pub(super) struct Signal {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    rung: bool,
    /// Rung, and the budget is spent.
    urgent: bool,
    stop: bool,
}

impl Signal {
    /// Wakes the keeper, if it sleeps; if it pauses, only when that is urgent.
    pub(super) fn ring(&self, urgent: bool) {
        let mut state = self.state.lock();
        let is_news = !state.rung || urgent && !state.urgent;
        state.rung = true;
        state.urgent |= urgent;
        if is_news {
            self.changed.notify_all();
        }
    }

    fn stop(&self) {
        self.state.lock().stop = true;
        self.changed.notify_all();
    }

    /// Waits until there is something to do; false when the graph is being closed.
    fn wait(&self) -> bool {
        let mut state = self.state.lock();
        while !state.rung && !state.stop {
            self.changed.wait(&mut state);
        }
        (state.rung, state.urgent) = (false, false);
        !state.stop
    }

    /// Waits for a while, or for the end; not so long if something is urgent, unless that would be `in_vain`.
    fn pause(&self, pause: Duration, in_vain: bool) {
        let until = Instant::now() + pause;
        let mut state = self.state.lock();
        while !state.stop && (in_vain || !state.urgent) {
            if self.changed.wait_until(&mut state, until).timed_out() {
                return;
            }
        }
    }
}

fn keep(core: &Core) {
    while core.cache.signal.wait() {
        let watermark = core.watermark();
        let can = !core.cache.is_in_vain(watermark);
        let enough = can && (core.evict_to(core.cache.low_water()) || core.flush_for_room());
        if can && !enough {
            core.cache.note_in_vain(watermark);
        }
        let rest = if enough { Duration::ZERO } else { IN_VAIN };
        core.cache.signal.pause(pause(&core.cache).max(rest), !enough);
    }
}

/// How long to wait before looking again.
fn pause(cache: &Cache) -> Duration {
    let (used, low) = (cache.account.total(), cache.low_water());
    let room = cache.budget.saturating_sub(used) as f64 / (cache.budget - low).max(1) as f64;
    LONGEST_PAUSE.mul_f64(room.min(1.0))
}

impl Core {
    /// Flushes, or waits for who does, so that more can be evicted, and evicts; false if not enough could go. A failure is
    /// logged: nothing is lost, the log has it all.
    pub(crate) fn flush_for_room(&self) -> bool {
        let (mut manifest, waited) = match self.flushing.try_lock() {
            Some(manifest) => (manifest, false),
            None => (self.flushing.lock(), true),
        };
        if self.writer.lock().is_clean() {
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
        let step = cache.budget / 16;
        let _filled = Resident::new(Bytes(cache.budget - step), &cache.account);
        let half = pause(&cache);
        assert!(half < LONGEST_PAUSE.mul_f64(0.51) && half > LONGEST_PAUSE.mul_f64(0.48), "{half:?}");
        let _more = Resident::new(Bytes(step), &cache.account);
        assert_eq!(pause(&cache), Duration::ZERO);
    }
}
