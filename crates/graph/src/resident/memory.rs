//! What of a graph is in memory, and how more of it gets there.

use super::entrance::{self, Entrance};
use super::indexing::Indexing;
use super::known::Known;
use super::node_sizes::NodeSizes;
use super::resorts::Resorts;
use super::secondaries::Secondaries;
use super::together::Helpers;
use super::writer::Writer;
use crate::cache::{Cache, Entry, Pools, Request, name_of};
use crate::cells::{CellTable, SectionCell, SectionState, Weigh};
use crate::durable::SectionStore;
use crate::error::Result;
use crate::model::{Catalog, Declared, GraphOptions, Names, PublishedCounts, Retypes, Tick};
use crate::place::{Allocator, BlockTable};
use crate::sections::{IndexPartition, Mergeable, OrderedPartition, PARTITIONS, SectionKey};
use crossbeam_epoch::Guard;
use parking_lot::{Mutex, MutexGuard, RwLock};
use std::sync::Arc;
use std::time::Duration;
use timeline::Timeline;

/// The part of an open graph that is in memory: what reading, and changing what is read, takes.
pub(crate) struct Memory {
    pub(crate) options: GraphOptions,
    pub(crate) sections: SectionStore,
    pub(crate) timeline: Timeline,
    pub(crate) blocks: BlockTable,
    pub(crate) cache: Cache,
    /// Through which requests load.
    pub(crate) pools: Arc<Pools>,
    /// Threads that load for readers who miss several sections.
    pub(crate) helpers: Helpers,
    /// Partition `p` of index `i` is number `i * PARTITIONS + p`.
    pub(crate) indexes: CellTable<IndexPartition, { 2 * PARTITIONS }>,
    /// The same of range indexes; which of the two an index uses, its kind says.
    pub(crate) ordered: CellTable<OrderedPartition, PARTITIONS>,
    pub(crate) allocator: Allocator,
    pub(crate) counts: PublishedCounts,
    /// Held by whoever changes sections: one at a time.
    pub(super) writer: Mutex<Writer>,
    /// How far indexes are.
    pub(crate) indexing: Indexing,
    /// What is known about the graph beside the counts.
    pub(crate) known: Known,
    /// How large the nodes of edge-trees get.
    pub(crate) node_sizes: NodeSizes,
    /// Secondary edge-trees.
    pub(crate) secondaries: Secondaries,
    /// Lists on their way into the order of another sort key.
    pub(crate) resorts: Resorts,
    /// What sections are converted to when they are loaded. Ahead of the catalog while one is adopted.
    pub(super) retypes: RwLock<Retypes>,
    /// Names of labels and keys.
    pub(crate) names: Arc<Names>,
    declared: RwLock<Arc<Declared>>,
    /// Through which snapshots are taken from outside.
    entrance: Entrance,
}

impl Memory {
    /// Nothing yet, of a graph with these counts and definitions, whose sections are in a store.
    pub(crate) fn new(
        options: GraphOptions,
        sections: SectionStore,
        timeline: Timeline,
        counts: PublishedCounts,
        declared: Declared,
    ) -> Self {
        Self {
            cache: Cache::new(&options),
            node_sizes: NodeSizes::new(options.tree, declared.schema()),
            pools: Arc::new(Pools::new(&options.pools)),
            helpers: Helpers::default(),
            options,
            sections,
            timeline,
            blocks: BlockTable::new(),
            indexes: CellTable::new(),
            ordered: CellTable::new(),
            allocator: Allocator::new(),
            counts,
            writer: Mutex::default(),
            indexing: Indexing::default(),
            known: Known::default(),
            secondaries: Secondaries::default(),
            resorts: Resorts::default(),
            retypes: RwLock::new(declared.definitions.retypes.clone()),
            names: Arc::clone(&declared.names),
            declared: RwLock::new(Arc::new(declared)),
            entrance: Entrance::default(),
        }
    }

    /// Takes a snapshot from outside; waits for who wants to be alone.
    pub(crate) fn entering<T>(&self, take: impl Fn() -> T) -> T {
        self.entrance.enter(take)
    }

    /// Takes a snapshot from outside, if nobody wants to be alone.
    pub(crate) fn try_entering<T>(&self, take: impl Fn() -> T) -> Option<T> {
        self.entrance.try_enter(take)
    }

    /// Does something while nobody takes a snapshot from outside. Waits, but not for longer than that, until there is none.
    ///
    /// # Errors
    /// [`GraphError::InUse`](crate::error::GraphError::InUse) if there still is one; what `work` says.
    pub(crate) fn alone<T>(&self, longest: Duration, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.entrance.alone(|| self.outsiders(), longest, work)
    }

    /// Waits, but not for longer than that, until there is no snapshot.
    ///
    /// # Errors
    /// [`GraphError::InUse`](crate::error::GraphError::InUse) if there still is one.
    pub(crate) fn wait_until_alone(&self, longest: Duration) -> Result<()> {
        entrance::wait(|| self.outsiders(), longest)
    }

    /// Snapshots, and commits on their way. A commit is in its place among all before its transaction gives the snapshot back.
    fn outsiders(&self) -> usize {
        let snapshots = self.timeline.snapshots().len();
        let (assigned, visible) = (self.timeline.assigned().bits(), self.timeline.visible().bits());
        snapshots + usize::try_from(assigned.saturating_sub(visible)).unwrap_or(usize::MAX)
    }

    /// Waits until nobody changes sections, and lets nobody until the guard is dropped. Whoever changes something passes it on to
    /// all that takes part: what a commit, a flush or a new tree does while it is held goes through several wings.
    #[inline]
    pub(crate) fn lock_writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock()
    }

    /// The same if nobody changes anything.
    pub(crate) fn try_lock_writer(&self) -> Option<MutexGuard<'_, Writer>> {
        self.writer.try_lock()
    }

    /// No reader asks for anything before this, and all of it is applied.
    pub(crate) fn settled_stamp(&self, writer: &Writer) -> Tick {
        self.timeline.watermark().bits().min(writer.applied)
    }

    /// The newest catalog.
    pub(crate) fn catalog(&self) -> Catalog {
        Catalog::newest(Arc::clone(&self.declared.read()))
    }

    /// The version of the schema whose types everything in memory has. Asked while the writer is held, it stays so.
    pub(crate) fn schema_version(&self) -> u64 {
        self.declared.read().schema().version
    }

    /// Changes a copy of what is declared and publishes it, if that succeeds.
    pub(crate) fn declare<R>(&self, change: impl FnOnce(&mut Declared) -> R) -> R {
        let mut published = self.declared.write();
        let mut changed = Declared::clone(&published);
        let result = change(&mut changed);
        *published = Arc::new(changed);
        result
    }

    /// The section in a cell, loaded first if it is on disk; none if there is no such section.
    #[inline]
    pub(crate) fn section<'g, T: Mergeable>(
        &self,
        cell: &SectionCell<T>,
        key: impl FnOnce() -> SectionKey,
        guard: &'g Guard,
    ) -> Result<Option<&'g T>> {
        self.section_for(None, cell, key, guard)
    }

    /// As [`Memory::section`], on behalf of a request if there is one.
    #[inline]
    pub(crate) fn section_for<'g, T: Mergeable>(
        &self,
        request: Option<&Arc<Request>>,
        cell: &SectionCell<T>,
        key: impl FnOnce() -> SectionKey,
        guard: &'g Guard,
    ) -> Result<Option<&'g T>> {
        match cell.read(self.cache.account.era(), guard) {
            SectionState::Loaded(section) => Ok(Some(section)),
            SectionState::Empty => Ok(None),
            SectionState::Stored => {
                let key = key();
                self.load(request, cell, || key, || Entry::Section(key), guard)
            }
        }
    }

    /// Loads a section; at once with others who need it. `key` says where it is, which may change while somebody else has it
    /// in memory; `entry` is what the cache queues.
    #[cold]
    pub(crate) fn load<'g, T: Mergeable>(
        &self,
        request: Option<&Arc<Request>>,
        cell: &SectionCell<T>,
        key: impl Fn() -> SectionKey,
        entry: impl FnOnce() -> Entry,
        guard: &'g Guard,
    ) -> Result<Option<&'g T>> {
        self.make_room(request.is_some());
        loop {
            let now = key();
            let is_stored = || matches!(cell.get(guard), SectionState::Stored);
            if let Some(_load) = self.begin_load(now, request, is_stored)? {
                if key() == now {
                    let (section, written) = self.sections.load::<T>(now)?;
                    // Held until it is in its place, where who changes a type finds it.
                    let retypes = self.retypes.read();
                    let section = self.as_of_now(section, now, written, &retypes);
                    return Ok(self.settle_in(cell, section, now, entry, guard));
                }
                continue;
            }
            match cell.get(guard) {
                SectionState::Loaded(section) => return Ok(Some(section)),
                SectionState::Empty => return Ok(None),
                // Somebody has loaded it, and it has been evicted since.
                SectionState::Stored => {}
            }
        }
    }

    /// Puts in its place what was loaded by whoever holds the load of `key`.
    pub(crate) fn settle_in<'g, T: Weigh>(
        &self,
        cell: &SectionCell<T>,
        section: T,
        key: SectionKey,
        entry: impl FnOnce() -> Entry,
        guard: &'g Guard,
    ) -> Option<&'g T> {
        let resident = cell.install(section, &self.cache.account, guard)?;
        if !resident.set_queued(true) {
            self.cache.admit_loaded(entry(), name_of(&key), resident.bytes());
        }
        Some(resident.section())
    }

    /// The partition of an index, on behalf of a request if there is one.
    pub(crate) fn index_partition<'g>(
        &self,
        request: Option<&Arc<Request>>,
        index: usize,
        partition: usize,
        guard: &'g Guard,
    ) -> Result<Option<&'g IndexPartition>> {
        let Some(cell) = self.indexes.get(index * PARTITIONS + partition) else { return Ok(None) };
        self.section_for(request, cell, || SectionKey::index(index, partition), guard)
    }

    /// The partition of a range index, likewise.
    pub(crate) fn ordered_partition<'g>(
        &self,
        request: Option<&Arc<Request>>,
        index: usize,
        partition: usize,
        guard: &'g Guard,
    ) -> Result<Option<&'g OrderedPartition>> {
        let Some(cell) = self.ordered.get(index * PARTITIONS + partition) else { return Ok(None) };
        self.section_for(request, cell, || SectionKey::ordered(index, partition), guard)
    }
}
