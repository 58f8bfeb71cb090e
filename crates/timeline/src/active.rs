//! The snapshots in use, shared by threads: the lock around [`SnapshotRegistry`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::{Registration, SnapshotRegistry, Stamp};

/// How many parts the registry is split into, so that threads seldom meet.
const SHARDS: usize = 16;

/// The visible stamp and the snapshots in use.
///
/// Taking a snapshot locks one shard, for a few instructions. The watermark locks the shards one after the other;
/// that it cannot pass a snapshot that is being taken meanwhile is argued at [`watermark`](Self::watermark).
#[derive(Debug)]
pub struct ActiveSnapshots {
    visible: AtomicU64,
    shards: [Shard; SHARDS],
}

/// One part of the registry, alone on its cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Shard(Mutex<SnapshotRegistry>);

/// A snapshot in use: the stamp to read at. Dropping it ends it.
#[derive(Debug)]
pub struct SnapshotGuard {
    stamp: Stamp,
    shard: usize,
    registration: Option<Registration>,
    active: Arc<ActiveSnapshots>,
}

impl ActiveSnapshots {
    /// Nobody reads, and everything up to `visible` may be read.
    pub fn new(visible: Stamp) -> Arc<Self> {
        Arc::new(Self { visible: AtomicU64::new(visible.bits()), shards: Default::default() })
    }

    /// What a new snapshot would read at.
    pub fn visible(&self) -> Stamp {
        Stamp::from_bits(self.visible.load(Ordering::Acquire))
    }

    /// Shows commits up to `visible`, which only grows: an older stamp changes nothing.
    pub fn show(&self, visible: Stamp) {
        self.visible.fetch_max(visible.bits(), Ordering::AcqRel);
    }

    /// A snapshot of everything that is visible now.
    pub fn take(self: &Arc<Self>) -> SnapshotGuard {
        self.register(|| self.visible())
    }

    /// A snapshot of the past; none when versions that old may be gone, or when `stamp` is in the future.
    /// `retained` is the oldest stamp whose versions are kept, asked while the snapshot holds back removal.
    pub fn take_at(
        self: &Arc<Self>,
        stamp: Stamp,
        retained: impl FnOnce() -> Stamp,
    ) -> Option<SnapshotGuard> {
        if stamp > self.visible() {
            return None;
        }
        let guard = self.register(|| stamp);
        (retained() <= stamp).then_some(guard)
    }

    /// A snapshot at a stamp that is not visible yet; to be read once it is.
    pub(crate) fn take_ahead(self: &Arc<Self>, stamp: Stamp) -> SnapshotGuard {
        debug_assert!(stamp > self.visible());
        self.register(|| stamp)
    }

    /// No reader, present or to come, asks for a stamp before this one.
    ///
    /// Why this holds: the visible stamp is read first. A snapshot that is registered in a shard after that shard
    /// was visited here read the visible stamp under the shard's lock, hence not before this call did, so its stamp
    /// is not smaller. One that was registered before the visit is seen by it.
    pub fn watermark(&self) -> Stamp {
        let visible = self.visible();
        let oldest = self.shards.iter().filter_map(|shard| shard.0.lock().oldest()).min();
        oldest.map_or(visible, |oldest| oldest.min(visible))
    }

    /// How many snapshots are in use.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.0.lock().len()).sum()
    }

    /// Whether nobody reads.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn register(self: &Arc<Self>, stamp: impl FnOnce() -> Stamp) -> SnapshotGuard {
        let shard = shard_of_this_thread();
        let mut registry = self.shards[shard].0.lock();
        let stamp = stamp();
        let registration = Some(registry.register(stamp));
        drop(registry);
        SnapshotGuard { stamp, shard, registration, active: Arc::clone(self) }
    }
}

impl SnapshotGuard {
    /// The stamp to read at.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }
}

/// Another reader at the same stamp.
impl Clone for SnapshotGuard {
    fn clone(&self) -> Self {
        let registration = Some(self.active.shards[self.shard].0.lock().register(self.stamp));
        Self { stamp: self.stamp, shard: self.shard, registration, active: Arc::clone(&self.active) }
    }
}

impl Drop for SnapshotGuard {
    fn drop(&mut self) {
        if let Some(registration) = self.registration.take() {
            self.active.shards[self.shard].0.lock().deregister(registration);
        }
    }
}

/// Threads are spread over the shards in the order in which they first take a snapshot.
fn shard_of_this_thread() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static SHARD: usize = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS;
    }
    SHARD.with(|shard| *shard)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    fn stamp(bits: u64) -> Stamp {
        Stamp::from_bits(bits)
    }

    #[test]
    fn the_watermark_follows_the_oldest_snapshot_and_else_the_visible_stamp() {
        let active = ActiveSnapshots::new(stamp(5));
        assert_eq!(active.watermark(), stamp(5));
        let old = active.take();
        active.show(stamp(9));
        let young = active.take();
        let again = old.clone();
        assert_eq!((active.watermark(), active.len()), (stamp(5), 3));
        drop(old);
        assert_eq!(active.watermark(), stamp(5));
        drop(again);
        assert_eq!(active.watermark(), stamp(9));
        drop(young);
        assert!(active.is_empty());
    }

    #[test]
    fn the_visible_stamp_never_goes_back() {
        let active = ActiveSnapshots::new(stamp(5));
        active.show(stamp(3));
        assert_eq!(active.visible(), stamp(5));
    }

    #[test]
    fn history_can_be_read_only_as_far_back_as_it_is_kept() {
        let active = ActiveSnapshots::new(stamp(9));
        let history = active.take_at(stamp(4), || stamp(3)).unwrap();
        assert_eq!((history.stamp(), active.watermark()), (stamp(4), stamp(4)));
        assert!(active.take_at(stamp(2), || stamp(3)).is_none());
        assert!(active.take_at(stamp(10), || stamp(3)).is_none());
        assert_eq!(active.len(), 1);
    }

    #[test]
    fn the_watermark_never_passes_a_snapshot_while_threads_race() {
        let active = ActiveSnapshots::new(Stamp::ZERO);
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        let watermark = active.watermark();
                        let guard = active.take();
                        assert!(guard.stamp() >= watermark);
                        assert!(active.watermark() <= guard.stamp());
                    }
                });
            }
            for bits in 1..20_000 {
                active.show(stamp(bits));
            }
            stop.store(true, Ordering::Relaxed);
        });
        assert_eq!(active.watermark(), stamp(19_999));
    }
}
