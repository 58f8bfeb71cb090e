//! What stays in memory: one budget of bytes for all sections and tree nodes of a graph (ByteGraph, section 4.3.1).
//!
//! ```text
//!   load (any thread) ──▶ probation ──── not read again in a later era ───▶ evicted, remembered in ghosts
//!     │                        │                                                              │
//!     │ was evicted lately     │ read again                                                   │
//!     └────────▶ main ◀────────┴──────────────────── loaded again soon ◀──────────────────────┘
//!                  │ not read since the last look: evicted
//! ```
//!
//! * *Which*: S3-FIFO (Yang et al., SOSP 2023). A tenth of the budget is probation, which a scan passes through without
//!   driving out what is used again and again. See [`queues`].
//! * *What can go*: what is on disk just as it is. Sections that differ are not in the queues; a flush makes them clean and
//!   puts them back. A section whose newest version some snapshot does not see stays, since a loaded base has no past. A
//!   section that leads to trees goes after their roots, a root after its nodes: there is never a second object for what
//!   somebody could still change. See `resident/evict.rs`.
//! * *Whose objects*: a section that is loaded again has new objects for its trees, a root new ones for its nodes. Who still
//!   reads an old root goes on loading nodes through it: until all snapshots of that time have ended, nodes that change get
//!   new places in the store (as nodes that are split do), and the old places stay. Who still reads an old section asks the
//!   new one for roots.
//! * *When*: a thread, the keeper (`flush/keeper.rs`), makes room before it is needed; who finds none all the same makes it on the spot.
//! * *Loads*: of several who need a section at the same time, one reads it. See [`loads`].
//!
//! It must never know what a section means, nor who reads it: names, bytes and turns are all it sees.

mod keeper;
mod loads;
mod pools;
mod queues;

pub(crate) use loads::{Loading, name_of};
pub(crate) use pools::{Away, Class, Pools, Turn, Turn as LoadTurn, Waiter};
pub use pools::{Bell, HeavyTurn, Loaded, OnLoad, Parked, PoolCounts, PoolStats, Request, on_load};
pub(crate) use queues::Candidate;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use self::keeper::Signal;
pub(crate) use self::keeper::Woken;
use self::loads::Loads;
use self::queues::Queues;
use crate::cells::{Account, Resident};
use crate::model::{GraphOptions, KeyId, Tick};
use crate::sections::{EdgeNode, SectionKey};

/// Eras that pass while as much is loaded as the budget allows.
const ERAS: usize = 64;

/// Bytes beyond the budget that readers who wait for loads may keep in any case: some thousand sections.
const LEAST_SLACK: usize = 64 << 20;

/// Bytes beyond the budget from which on no commit is taken while an old snapshot keeps what is there.
const LEAST_CROWD: usize = 40 << 20;

/// Entries of nodes that may be of no tree any more, at least, before they are looked for.
const FEWEST_NODES: usize = 4096;

/// What a queue of the cache holds.
pub(crate) enum Entry {
    /// A section, or the root of a tree.
    Section(SectionKey),
    /// An edge node; gone with its tree.
    Node(Weak<EdgeNode>),
    /// The ranks of a stripe's values under a key.
    Ranked { stripe: usize, key: KeyId },
}

impl Entry {
    /// An edge node's entry.
    pub(crate) fn node(node: &Arc<EdgeNode>) -> Self {
        Self::Node(Arc::downgrade(node))
    }
}

/// No snapshot.
const NOBODY: Tick = Tick::MAX;

/// What is known of who could make no room.
#[derive(Clone, Copy, Default)]
struct InVain {
    /// The bytes from which on it is worth another look.
    until: usize,
    /// From when on snapshots were open: all of what has changed since, none of them may be able to do without.
    watermark: Tick,
}

/// What became of a candidate.
pub(crate) enum Outcome {
    /// It has left.
    Evicted,
    /// It was read again.
    Wanted,
    /// Something that will pass keeps it: an old snapshot, a load, a tree below it.
    Held,
    /// It is not in memory, or differs from what is stored: a flush queues it again.
    NotHere,
}

/// The budget of a graph, and what it is spent on.
pub(crate) struct Cache {
    pub(crate) account: Arc<Account>,
    pub(crate) loads: Loads,
    budget: AtomicUsize,
    /// Bytes of the budget that something else takes.
    aside: AtomicUsize,
    queues: Mutex<Queues<Entry>>,
    /// Entries from which on those of nodes that are gone are taken out.
    purge_at: AtomicUsize,
    in_vain: Mutex<InVain>,
    /// The snapshot, as the oldest one, whose transaction was let through though it was in vain to make room: one of those that
    /// share it. [`NOBODY`] if none was.
    let_through: AtomicU64,
    pub(crate) signal: Signal,
    /// Sections and tree nodes read from disk, and put out of memory, since the graph was opened.
    loaded: AtomicU64,
    loaded_bytes: AtomicU64,
    evicted: AtomicU64,
    /// The last commit when a tree's root was evicted last.
    unlinked: AtomicU64,
    /// Nodes in the store that no tree leads to any more, but maybe an evicted root that somebody still reads.
    limbo: Mutex<Vec<(Tick, SectionKey)>>,
}

impl Cache {
    pub(crate) fn new(options: &GraphOptions) -> Self {
        let budget = options.cache_bytes;
        Self {
            account: Account::new(budget / ERAS),
            loads: Loads::default(),
            budget: AtomicUsize::new(budget),
            aside: AtomicUsize::new(0),
            queues: Mutex::new(Queues::new(budget)),
            purge_at: AtomicUsize::new(FEWEST_NODES),
            in_vain: Mutex::default(),
            let_through: AtomicU64::new(NOBODY),
            signal: Signal::default(),
            loaded: AtomicU64::new(0),
            loaded_bytes: AtomicU64::new(0),
            evicted: AtomicU64::new(0),
            unlinked: AtomicU64::new(0),
            limbo: Mutex::default(),
        }
    }

    /// Sets aside so many bytes of the budget, at most half of it, for what takes memory beside sections and nodes.
    pub(crate) fn set_aside(&self, bytes: usize) {
        self.aside.store(bytes.min(self.budget() / 2), Ordering::Relaxed);
    }

    /// The bytes that sections and nodes may take.
    pub(crate) fn room(&self) -> usize {
        let budget = self.budget();
        // It may have become smaller since that was set aside.
        budget - self.aside.load(Ordering::Relaxed).min(budget / 2)
    }

    /// The bytes that sections and tree nodes may take.
    pub(crate) fn budget(&self) -> usize {
        self.budget.load(Ordering::Relaxed)
    }

    /// Changes the budget. What is too much by then leaves soon.
    pub(crate) fn set_budget(&self, bytes: usize) {
        self.budget.store(bytes, Ordering::Relaxed);
        self.queues.lock().set_budget(bytes);
        if self.account.live() > self.high_water() {
            self.signal.ring(self.is_over());
        }
    }

    /// How many entries are queued.
    pub(crate) fn queued(&self) -> usize {
        self.queues.lock().len()
    }

    /// What is to go next; none when nothing is queued. It is to be settled.
    pub(crate) fn next_candidate(&self) -> Option<Candidate<Entry>> {
        self.queues.lock().next()
    }

    /// Takes in what became of a candidate.
    pub(crate) fn settle(&self, candidate: Candidate<Entry>, outcome: Outcome) {
        let mut queues = self.queues.lock();
        match outcome {
            Outcome::Evicted => {
                self.evicted.fetch_add(1, Ordering::Relaxed);
                queues.evicted(&candidate);
            }
            Outcome::Wanted => queues.promote(candidate),
            Outcome::Held => queues.postpone(candidate),
            Outcome::NotHere => {}
        }
    }

    /// Queues a section that a flush has made clean, if it is not queued.
    pub(crate) fn admit_clean<T>(
        &self,
        resident: Option<&Resident<T>>,
        name: u64,
        entry: impl FnOnce() -> Entry,
    ) {
        if let Some(resident) = resident
            && !resident.set_queued(true)
        {
            self.admit(entry(), name, resident.bytes());
        }
    }

    /// The bytes from which on the keeper makes room: 15/16 of the budget.
    pub(crate) fn high_water(&self) -> usize {
        self.room() - self.room() / 16
    }

    /// How far the keeper goes then: 7/8 of the budget.
    pub(crate) fn low_water(&self) -> usize {
        self.room() - self.room() / 8
    }

    /// Whether more than the budget is in use, not counting what is about to be freed.
    pub(crate) fn is_over(&self) -> bool {
        self.account.live() > self.room()
    }

    /// The bytes from which on it is worth a look whether something can leave, by who has just found that not enough can: a
    /// sixteenth of the budget more than there are. None if there is room.
    pub(crate) fn patience(&self) -> usize {
        if self.is_over() { self.account.live() + self.budget() / 16 } else { 0 }
    }

    /// Notes that what there is cannot leave, while the oldest snapshot is of `watermark`, as it was *before* that was tried: if
    /// that snapshot has ended meanwhile, it is worth another look.
    pub(crate) fn note_in_vain(&self, watermark: Tick) {
        *self.in_vain.lock() = InVain { until: self.patience(), watermark };
    }

    /// Whether it was tried in vain to make room, and nothing has changed since: the same snapshot is the oldest, and there is
    /// not much more.
    pub(crate) fn is_in_vain(&self, watermark: Tick) -> bool {
        let known = *self.in_vain.lock();
        known.watermark == watermark && self.account.live() < known.until
    }

    /// The bytes, if a snapshot from before `began` keeps so many that nothing more can be committed: half of the budget beyond it.
    /// Of several that began when the oldest snapshot was taken, one is let through.
    pub(crate) fn crowd(&self, began: Tick, watermark: impl FnOnce() -> Tick) -> Option<usize> {
        let most = self.budget().saturating_add((self.budget() / 2).max(LEAST_CROWD));
        let total = self.account.total();
        let is_kept = || {
            let known = *self.in_vain.lock();
            let is_kept = known.until > 0 && known.watermark == watermark();
            is_kept && (known.watermark < began || self.let_through.swap(began, Ordering::Relaxed) == began)
        };
        (total > most && is_kept()).then_some(total)
    }

    /// Lets another one through: who was has come to nothing.
    pub(crate) fn let_another_through(&self) {
        self.let_through.store(NOBODY, Ordering::Relaxed);
    }

    /// Sections and tree nodes read from disk since the graph was opened.
    pub(crate) fn loaded(&self) -> u64 {
        self.loaded.load(Ordering::Relaxed)
    }

    /// Their bytes, as they are in memory.
    pub(crate) fn loaded_bytes(&self) -> u64 {
        self.loaded_bytes.load(Ordering::Relaxed)
    }

    /// Sections and tree nodes put out of memory since the graph was opened.
    pub(crate) fn evicted(&self) -> u64 {
        self.evicted.load(Ordering::Relaxed)
    }

    /// Whether snapshots from `watermark` on may be read by somebody who holds the root of a tree that was evicted. Such a
    /// reader still loads nodes from where that root says they are: there must be what they were then.
    pub(crate) fn has_evicted_roots_since(&self, watermark: Tick) -> bool {
        watermark <= self.unlinked.load(Ordering::Relaxed)
    }

    pub(crate) fn note_unlinked(&self, applied: Tick) {
        self.unlinked.fetch_max(applied, Ordering::Relaxed);
    }

    /// Lets what lies in the store under these keys be deleted once nobody reads evicted roots that lead there.
    pub(crate) fn delete_later(&self, keys: impl Iterator<Item = SectionKey>) {
        let unlinked = self.unlinked.load(Ordering::Relaxed);
        self.limbo.lock().extend(keys.map(|key| (unlinked, key)));
    }

    /// What can be deleted now.
    pub(crate) fn take_forgotten(&self, watermark: Tick) -> Vec<SectionKey> {
        let mut limbo = self.limbo.lock();
        let forgotten =
            limbo.iter().filter(|(unlinked, _)| *unlinked < watermark).map(|(_, key)| *key).collect();
        limbo.retain(|(unlinked, _)| *unlinked >= watermark);
        forgotten
    }

    /// Lets what lies under some keys be: it is about to be something else.
    pub(crate) fn forget_limbo(&self, is_meant: impl Fn(&SectionKey) -> bool) {
        self.limbo.lock().retain(|(_, key)| !is_meant(key));
    }

    /// Whether the budget is exceeded by more than a quarter.
    pub(crate) fn is_far_over(&self) -> bool {
        self.account.total() > self.budget().saturating_add(self.budget() / 4)
    }

    /// The bytes from which on the commits of a group that were applied are flushed before the others are, so that memory has to
    /// hold what one changes and not what all do: a quarter of the budget more than it, or than there are now. The latter so
    /// that groups of small commits are not flushed one by one while something keeps memory full.
    pub(crate) fn enough_for_a_group(&self) -> usize {
        self.account.total().max(self.budget()).saturating_add(self.budget() / 4)
    }

    /// Whether more than a 64th of the budget waits to be freed.
    pub(crate) fn is_littered(&self) -> bool {
        self.account.garbage() > self.budget() / 64
    }

    /// Whether so much is in use beyond the budget that readers who wait should not become more: each keeps what is evicted
    /// meanwhile. Nor is a secondary edge-tree built then.
    pub(crate) fn is_short(&self) -> bool {
        self.account.total() > self.budget().saturating_add((self.budget() / 4).max(LEAST_SLACK))
    }

    /// Queues what was loaded, or is clean now.
    pub(crate) fn admit(&self, entry: Entry, name: u64, bytes: usize) {
        let mut queues = self.queues.lock();
        queues.admit(entry, name, bytes);
        if queues.len() > self.purge_at.load(Ordering::Relaxed) {
            // A tree that grows leaves an entry behind for each node that it splits, also where nothing ever has to leave.
            queues.retain(|entry| !matches!(entry, Entry::Node(node) if node.strong_count() == 0));
            self.purge_at.store((queues.len() * 2).max(FEWEST_NODES), Ordering::Relaxed);
        }
    }

    /// As [`Cache::admit`], of what was read from disk just now.
    pub(crate) fn admit_loaded(&self, entry: Entry, name: u64, bytes: usize) {
        self.account.count_loaded(bytes);
        self.loaded.fetch_add(1, Ordering::Relaxed);
        self.loaded_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        self.admit(entry, name, bytes);
        self.ring_if_high();
    }

    /// Lets the keeper look soon if there is not much room left.
    pub(crate) fn ring_if_high(&self) {
        if self.account.total() > self.high_water() {
            self.signal.ring(self.is_over());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::{Bytes, Resident};

    #[test]
    fn who_has_found_no_room_looks_again_when_a_sixteenth_more_is_in_use() {
        let cache = Cache::new(&GraphOptions { cache_bytes: 16_000, ..GraphOptions::default() });
        assert_eq!((cache.room(), cache.patience()), (16_000, 0));
        let resident = Resident::new(Bytes(12_000), &cache.account);
        assert_eq!(cache.patience(), 0, "there is room");
        cache.set_aside(6_000);
        assert_eq!((cache.room(), cache.is_over()), (10_000, true));
        assert_eq!(cache.patience(), cache.account.live() + 1_000);
        cache.set_aside(1 << 30);
        assert_eq!(cache.room(), 8_000, "half is left to sections");
        cache.set_aside(0);
        drop(resident);
        assert_eq!((cache.room(), cache.patience()), (16_000, 0));
    }
}
