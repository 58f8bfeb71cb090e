//! Puts sections out of memory.

use std::cell::Cell;
use std::time::Duration;

use crossbeam_epoch::Guard;

use super::memory::Memory;
use super::placement::CellVisitor;
use super::writer::Writer;
use crate::cache::{Cache, Candidate, Entry, Loading, Outcome, name_of};
use crate::cells::SectionCell;
use crate::error::{GraphError, Result};
use crate::model::{KeyId, Tick};
use crate::sections::{EdgeNode, EdgeTree, Mergeable, SectionKey, TreeName, TreePart};

/// Candidates that are looked at while the writer is held, so that commits need not wait for long.
const BATCH: usize = 128;

/// How long a reader waits for the writer where memory is short.
const READERS_WAIT: Duration = Duration::from_millis(5);

thread_local! {
    /// How many times this thread asked to evict nothing.
    static STILL: Cell<u32> = const { Cell::new(0) };
}

/// As long as it lives, this thread's loads evict nothing: for who loads two things of which one leads to the other.
pub(crate) struct Still(());

/// See [`Still`].
pub(crate) fn hold_still() -> Still {
    STILL.set(STILL.get() + 1);
    Still(())
}

impl Drop for Still {
    fn drop(&mut self) {
        STILL.set(STILL.get() - 1);
    }
}

impl Memory {
    /// Evicts until at most `target` bytes are reached through cells; false if not enough can go. The writer must not be
    /// held.
    pub(crate) fn evict_to(&self, target: usize) -> bool {
        // Each entry twice at most: once to learn that it was read again, once more to go.
        let mut tries = self.cache.queued() * 2 + BATCH;
        while self.cache.account.live() > target && tries > 0 {
            let writer = self.writer.lock();
            if !self.evict_batch(&writer, target, &mut tries) {
                break;
            }
        }
        // Garbage that nobody reads any more is two epochs old.
        (0..3).for_each(|_| crossbeam_epoch::pin().flush());
        self.cache.account.live() <= target
    }

    /// Makes room before something is loaded, if the budget is spent and the writer is free. A reader's call: it must not
    /// wait for the writer, who may be waiting for what the reader is about to load; who loads for a request waits for a moment
    /// where memory is short, so that readers do not fill it while a large commit keeps the writer.
    pub(crate) fn make_room(&self, for_request: bool) {
        if !self.cache.is_over() || STILL.get() > 0 {
            return;
        }
        self.cache.ring_if_high();
        let patience = if for_request && self.cache.is_short() { READERS_WAIT } else { Duration::ZERO };
        if let Some(writer) = self.writer.try_lock_for(patience) {
            let mut tries = BATCH;
            self.evict_batch(&writer, self.cache.high_water(), &mut tries);
        }
    }

    /// As [`Memory::make_room`], by the writer: where memory is short, it looks at all there is, since meanwhile nobody else can.
    pub(crate) fn make_room_for_writer(&self, writer: &Writer) {
        if !self.cache.is_over() {
            return;
        }
        let watermark = self.watermark();
        let may_sweep = self.cache.is_short() && !self.cache.is_in_vain(watermark);
        let mut tries = if may_sweep { self.cache.queued() + BATCH } else { BATCH };
        let target = self.cache.high_water();
        while tries > 0 && self.cache.account.live() > target && self.evict_batch(writer, target, &mut tries)
        {
        }
        if may_sweep && self.cache.account.live() > target {
            self.cache.note_in_vain(watermark);
        }
    }

    /// From when on snapshots are open.
    pub(crate) fn watermark(&self) -> Tick {
        self.timeline.watermark().bits()
    }

    /// Refuses the commit of a transaction that began at `began` where an older snapshot keeps so much that memory has no room
    /// for what it changes: that would be kept too. If its own snapshot is the oldest, it is about to end; so of transactions
    /// that keep what the others change, there is always one that can be committed, and no more than one at a time.
    ///
    /// # Errors
    /// [`GraphError::Kept`], which passes.
    pub(crate) fn refuse_if_kept(&self, began: Tick) -> Result<()> {
        match self.cache.crowd(began, || self.watermark()) {
            None => Ok(()),
            Some(used) => {
                self.cache.ring_if_high();
                Err(GraphError::Kept { used: used as u64, budget: self.cache.budget() as u64 })
            }
        }
    }

    /// Forgets ranks that were not read lately; whether they were there, and whether they have gone.
    fn forget_ranks(&self, number: usize, key: KeyId, guard: &Guard) -> Option<bool> {
        let cell = self.blocks.stripe(number)?.ranked.get(key.index())?;
        let resident = cell.resident(guard)?;
        if resident.was_touched() {
            return Some(false);
        }
        cell.clear(guard);
        Some(true)
    }

    /// Looks at some candidates; false when there are none left.
    fn evict_batch(&self, writer: &Writer, target: usize, tries: &mut usize) -> bool {
        let guard = crossbeam_epoch::pin();
        let watermark = self.settled_stamp(writer);
        let eviction = Eviction { memory: self, writer, watermark, guard: &guard };
        for _ in 0..BATCH.min(*tries) {
            *tries -= 1;
            if self.cache.account.live() <= target {
                break;
            }
            let Some(candidate) = self.cache.next_candidate() else { return false };
            eviction.judge(candidate);
        }
        // What has left is freed once all who may be reading it are done.
        guard.flush();
        true
    }
}

/// Evicts while the writer is held.
struct Eviction<'a> {
    memory: &'a Memory,
    writer: &'a Writer,
    /// No snapshot asks for anything before this.
    watermark: Tick,
    guard: &'a Guard,
}

impl Eviction<'_> {
    fn judge(&self, candidate: Candidate<Entry>) {
        let outcome = match &candidate.entry {
            Entry::Node(node) => node.upgrade().map_or(Outcome::NotHere, |node| self.evict_node(&node)),
            Entry::Ranked { stripe, key } => match self.memory.forget_ranks(*stripe, *key, self.guard) {
                None => Outcome::NotHere,
                Some(false) => Outcome::Wanted,
                Some(true) => Outcome::Evicted,
            },
            Entry::Section(SectionKey::Tree { name, part: TreePart::Root }) => self.evict_root(*name),
            Entry::Section(key) => self.evict_section(*key),
        };
        self.memory.cache.settle(candidate, outcome);
    }

    fn evict_section(&self, key: SectionKey) -> Outcome {
        let differs = self.writer.dirty.contains(&key) || self.writer.flushing.contains(&key);
        let trees = self.memory.trees_of(key, self.guard);
        // While a root is being loaded, its section stays: a root in an object that nothing leads to any more would be taken
        // for one of now by who has come by the section before.
        let load = |name: TreeName| self.memory.cache.loads.try_begin(name.key(TreePart::Root));
        let loads: Option<Vec<Loading<'_>>> = trees.iter().map(|(name, _)| load(*name)).collect();
        let held = loads.is_none() || trees.iter().any(|(name, tree)| self.is_in_use(*name, tree));
        let visitor = EvictCell { eviction: self, differs, held };
        self.memory.visit(key, visitor).unwrap_or(Outcome::NotHere)
    }

    /// Whether somebody could still ask the object of a tree for what is not on disk.
    fn is_in_use(&self, name: TreeName, tree: &EdgeTree) -> bool {
        tree.root.loaded(self.guard).is_some() || tree.has_former() || self.differs(name, tree)
    }

    fn differs(&self, name: TreeName, tree: &EdgeTree) -> bool {
        let is_building = name.by.is_some() && self.memory.secondaries.is_building(name);
        is_building || self.writer.dirty_trees.contains_key(&name) || tree.is_flushing() || !tree.is_stored()
    }

    fn evict_node(&self, node: &EdgeNode) -> Outcome {
        // A node without an id belongs to no tree any more, or was never stored.
        let differs = node.is_dirty() || node.is_flushing() || node.id() == 0;
        self.evict(&node.cell, differs, false)
    }

    fn evict_root(&self, name: TreeName) -> Outcome {
        let Some(tree) = self.memory.tree_in_memory(name, self.guard) else { return Outcome::NotHere };
        let Some(resident) = tree.root.resident(self.guard) else { return Outcome::NotHere };
        if self.differs(name, &tree) {
            resident.set_queued(false);
            return Outcome::NotHere;
        }
        if resident.was_touched() {
            return Outcome::Wanted;
        }
        let root = resident.section();
        // When a former root is forgotten, the tree differs, and its root is to be there.
        let is_free = !tree.has_former()
            && root.is_settled(self.watermark)
            && root.nodes().all(|node| node.cell.loaded(self.guard).is_none());
        if !is_free {
            return Outcome::Held;
        }
        self.memory.cache.note_unlinked(self.writer.applied);
        tree.root.evict(self.guard);
        Outcome::Evicted
    }

    fn evict<T: Mergeable>(&self, cell: &SectionCell<T>, differs: bool, held: bool) -> Outcome {
        let Some(resident) = cell.resident(self.guard) else { return Outcome::NotHere };
        if differs {
            resident.set_queued(false);
            return Outcome::NotHere;
        }
        if resident.was_touched() {
            return Outcome::Wanted;
        }
        let section = resident.section();
        let unsettled = section.delta_len() > section.delta_up_to(self.watermark);
        if held || unsettled {
            return Outcome::Held;
        }
        cell.evict(self.guard);
        Outcome::Evicted
    }
}

struct EvictCell<'a> {
    eviction: &'a Eviction<'a>,
    differs: bool,
    held: bool,
}

impl CellVisitor for EvictCell<'_> {
    type Output = Outcome;
    fn visit<T: Mergeable>(self, cell: &SectionCell<T>) -> Outcome {
        self.eviction.evict(cell, self.differs, self.held)
    }
}

struct AdmitClean<'a> {
    cache: &'a Cache,
    key: SectionKey,
    guard: &'a Guard,
}

impl CellVisitor for AdmitClean<'_> {
    type Output = ();
    fn visit<T: Mergeable>(self, cell: &SectionCell<T>) {
        let entry = || Entry::Section(self.key);
        self.cache.admit_clean(cell.resident(self.guard), name_of(&self.key), entry);
    }
}

impl Memory {
    /// Queues the sections that a flush has written.
    pub(crate) fn admit_flushed(&self, keys: &[SectionKey]) {
        let guard = crossbeam_epoch::pin();
        for &key in keys {
            self.visit(key, AdmitClean { cache: &self.cache, key, guard: &guard });
        }
    }

    /// Queues the nodes and the root of a tree that a flush has written.
    pub(crate) fn admit_flushed_tree(
        &self,
        name: TreeName,
        tree: &EdgeTree,
        nodes: &[std::sync::Arc<EdgeNode>],
    ) {
        let guard = crossbeam_epoch::pin();
        for node in nodes {
            let key = name.key(TreePart::Node(node.id()));
            self.cache.admit_clean(node.cell.resident(&guard), name_of(&key), || Entry::node(node));
        }
        let key = name.key(TreePart::Root);
        self.cache.admit_clean(tree.root.resident(&guard), name_of(&key), || Entry::Section(key));
    }
}
