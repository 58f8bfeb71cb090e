//! Where snapshots are taken from outside, and how a bulk load keeps others out while half of it is there.
//!
//! ```text
//! reader   takes a snapshot (a shard's lock) ─▶ open? ─▶ reads
//!                                                 └ no ─▶ drops it unread, waits at the door, takes another
//! load     locks the door ─▶ closes ─▶ looks until there is no snapshot (all shards' locks) ─▶ works ─▶ opens
//! ```
//!
//! Readers write to nothing that they share: whether it is open changes with loads alone. None slips through: a snapshot that a load
//! does not find in a shard is taken after that look, under the same lock, so its reader sees that it was closed before.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::error::{GraphError, Result};

/// Between two looks whether there are snapshots. That the last one ends tells nobody, for it would cost each one something.
const PAUSE: Duration = Duration::from_millis(1);

/// See the module.
#[derive(Default)]
pub(super) struct Entrance {
    is_closed: AtomicBool,
    /// Held while it is closed.
    door: Mutex<()>,
}

impl Entrance {
    /// What `take` takes, if it is open.
    pub(super) fn try_enter<T>(&self, take: impl Fn() -> T) -> Option<T> {
        let taken = take();
        (!self.is_closed.load(Ordering::Acquire)).then_some(taken)
    }

    /// What `take` takes when it is open.
    pub(super) fn enter<T>(&self, take: impl Fn() -> T) -> T {
        loop {
            if let Some(taken) = self.try_enter(&take) {
                return taken;
            }
            drop(self.door.lock());
        }
    }

    /// Does something while it is closed and there is no snapshot. Waits, but not for longer than that, until there is none.
    ///
    /// # Errors
    /// [`GraphError::InUse`] if there still is one; what `work` says.
    pub(super) fn alone<T>(
        &self,
        snapshots: impl Fn() -> usize,
        longest: Duration,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let _door = self.door.lock();
        let _closed = Closed::close(&self.is_closed);
        wait(snapshots, longest)?;
        work()
    }
}

/// Waits, but not for longer than that, until there is no snapshot.
///
/// # Errors
/// [`GraphError::InUse`] if there still is one.
pub(super) fn wait(snapshots: impl Fn() -> usize, longest: Duration) -> Result<()> {
    let began = Instant::now();
    loop {
        match snapshots() {
            0 => return Ok(()),
            snapshots if began.elapsed() >= longest => return Err(GraphError::InUse { snapshots }),
            _ => std::thread::sleep(PAUSE),
        }
    }
}

/// Opens when it is dropped, also by a panic.
struct Closed<'e>(&'e AtomicBool);

impl<'e> Closed<'e> {
    fn close(is_closed: &'e AtomicBool) -> Self {
        is_closed.store(true, Ordering::Release);
        Self(is_closed)
    }
}

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use timeline::{ActiveSnapshots, Stamp};

    use super::*;

    #[test]
    fn nobody_is_inside_while_somebody_is_alone_and_who_stays_too_long_keeps_it_open() {
        let (entrance, active) = (Entrance::default(), ActiveSnapshots::new(Stamp::ZERO));
        let (is_alone, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
        let entered = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Acquire) {
                        let inside = entrance.enter(|| active.take());
                        assert!(!is_alone.load(Ordering::Acquire), "both are inside");
                        entered.fetch_add(1, Ordering::Relaxed);
                        drop(inside);
                        std::thread::yield_now();
                    }
                });
            }
            for _ in 0..50 {
                let longest = Duration::from_secs(60);
                let work = || {
                    is_alone.store(true, Ordering::Release);
                    std::thread::yield_now();
                    is_alone.store(false, Ordering::Release);
                    Ok(())
                };
                entrance.alone(|| active.len(), longest, work).unwrap();
            }
            is_over.store(true, Ordering::Release);
        });
        let tried = || entrance.try_enter(|| active.take()).is_some();
        let look = || {
            assert!(!tried(), "it is closed");
            Ok(())
        };
        entrance.alone(|| active.len(), Duration::ZERO, look).unwrap();
        assert!(tried(), "it is open");
        let stays = entrance.enter(|| active.take());
        let refused = entrance.alone(|| active.len(), Duration::ZERO, || Ok(()));
        assert!(matches!(refused, Err(GraphError::InUse { snapshots: 1 })));
        drop((stays, entrance.enter(|| active.take())));
    }
}
