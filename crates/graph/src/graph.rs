//! A graph: open, begin, flush.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use store::Store;

use crate::cache::{PoolStats, Request};
use crate::care::{self, BackupSummary};
use crate::commit::Committer;
use crate::define::Definer;
use crate::error::{GraphError, Result};
use crate::flush::start_keeper;
use crate::indexes::{IndexStatus, IndexWorker};
use crate::lists::{SecondaryStatus, SortStatus, start_building, start_sorting};
use crate::load::BulkLoad;
use crate::model::{GraphOptions, IndexDescription, IndexKind, SchemaDescription, Statistics};
use crate::read::Snapshot;
use crate::resident::{Memory, Threads};
use crate::restart;
use crate::statistics::{AnalyzeProgress, GraphStats, SectionSizes};
use crate::write::{Allowance, Held, HeldBytes, Transaction, Turn};

/// How long a load waits for snapshots that are about to end.
const BRIEFLY: Duration = Duration::from_secs(1);

/// A durable, transactional property graph. Cheap to clone: clones are the same graph.
#[derive(Clone)]
pub struct Graph {
    core: Arc<Core>,
}

/// Everything that the handles of one open graph share. What happens at every request is reached from here at once.
struct Core {
    /// What is in memory.
    memory: Arc<Memory>,
    /// That, the files behind it, and the commits on their way there.
    committer: Arc<Committer>,
    /// That, and who may change definitions.
    definer: Arc<Definer>,
    /// What open transactions have written.
    held: Arc<HeldBytes>,
    /// The threads beside: they end with the last handle.
    indexes: IndexWorker,
    _others: Vec<Threads>,
}

impl Graph {
    /// Opens the graph that is kept in `store`, an empty one if there is none, and replays its log. One graph at a
    /// time may be open on a store.
    ///
    /// # Errors
    /// If the store fails, holds a newer format, or is damaged.
    pub fn open(store: Arc<dyn Store>, options: GraphOptions) -> Result<Self> {
        let files = Arc::new(restart::open(store, options)?);
        let memory = Arc::clone(&**files);
        let committer = Arc::new(Committer::new(Arc::clone(&files)));
        let definer = Arc::new(Definer::new(Arc::clone(&committer)));
        let indexes = IndexWorker::of(&definer)?;
        let mut others = Vec::new();
        if memory.options.keeper {
            others.push(start_keeper(&files)?);
        }
        others.extend([start_building(&committer)?, start_sorting(&definer)?]);
        let core = Core {
            held: HeldBytes::new(memory.options.held_bytes),
            indexes,
            _others: others,
            memory,
            committer,
            definer,
        };
        Ok(Self { core: Arc::new(core) })
    }

    /// Refuses to change what was opened for reading alone.
    fn check_writable(&self) -> Result<()> {
        if self.core.memory.options.read_only { Err(GraphError::ReadOnly) } else { Ok(()) }
    }

    /// The latest committed state. Waits for a bulk load that is about to be there: nobody sees half of it.
    pub fn snapshot(&self) -> Snapshot {
        self.core.memory.entering(|| Snapshot::latest(&self.core.memory))
    }

    /// The same, if there is nothing to wait for.
    pub fn try_snapshot(&self) -> Option<Snapshot> {
        self.core.memory.try_entering(|| Snapshot::latest(&self.core.memory))
    }

    /// Begins a transaction on the latest committed state.
    pub fn begin(&self) -> Transaction {
        self.begin_at(self.snapshot())
    }

    /// Begins a transaction on a snapshot of this graph that is there already: what was found out about the graph at that
    /// moment, a plan say, holds in the transaction, too.
    pub fn begin_at(&self, snapshot: Snapshot) -> Transaction {
        Transaction::begin(&self.core.committer, Held::new(&self.core.held), snapshot, None)
    }

    /// The same as the next attempt of a request that has lost before, or may lose: see [`Turn`].
    pub fn begin_in(&self, snapshot: Snapshot, turn: &Arc<Turn>) -> Transaction {
        Transaction::begin(&self.core.committer, Held::new(&self.core.held), snapshot, Some(Arc::clone(turn)))
    }

    /// As [`Graph::begin_at`], for somebody whose transactions have a bound of their own.
    pub fn begin_within(&self, snapshot: Snapshot, allowance: Arc<dyn Allowance>) -> Transaction {
        let held = Held::new(&self.core.held).taken_from(allowance);
        Transaction::begin(&self.core.committer, held, snapshot, None)
    }

    /// For a request that is tried again when it loses: its place among others that do.
    pub fn turn(&self) -> Arc<Turn> {
        Arc::new(Turn::new(&self.core.committer))
    }

    /// Begins a bulk load. Nothing else should write to the graph until it is finished or dropped.
    ///
    /// # Errors
    /// [`GraphError::NotEmpty`] if the graph has vertices, [`GraphError::InUse`] if there are snapshots or transactions.
    pub fn bulk_load(&self) -> Result<BulkLoad> {
        self.check_writable()?;
        let vertices = self.snapshot().vertex_count(None);
        if vertices > 0 {
            return Err(GraphError::NotEmpty { vertices });
        }
        self.core.memory.wait_until_alone(BRIEFLY)?;
        self.core.indexes.start()?;
        BulkLoad::begin(&self.core.committer)
    }

    /// Writes dirty sections, advances the checkpoint and trims the log.
    ///
    /// # Errors
    /// If the store fails; nothing is lost then, the log still has it.
    pub fn flush(&self) -> Result<()> {
        self.core.committer.flush()
    }

    /// Bytes of sections and tree nodes in memory, those included that only wait for their last readers.
    pub fn cache_bytes(&self) -> u64 {
        self.core.memory.cache.account.total() as u64
    }

    /// Gives sections and tree nodes another budget of bytes ([`crate::model::GraphOptions::cache_bytes`]). What is too much by then
    /// leaves memory soon.
    pub fn set_cache_bytes(&self, bytes: usize) {
        self.core.memory.cache.set_budget(bytes);
    }

    /// A request, which is over at `deadline` at the latest: what snapshots that serve it load goes through the I/O pools.
    pub fn request(&self, deadline: Option<Instant>) -> Arc<Request> {
        Request::new(&self.core.memory.pools, deadline)
    }

    /// What the I/O pools are doing.
    pub fn pool_stats(&self) -> PoolStats {
        self.core.memory.pools.stats()
    }

    /// Sizes and counters. It visits every section: for people and monitoring, not for hot paths.
    pub fn stats(&self) -> GraphStats {
        GraphStats::of(&self.core.committer)
    }

    /// Loads every section that the last flush left on disk, and says what each kind of them takes there and in memory.
    /// It reads the whole graph: for benchmarks, and for people who ask where the bytes are.
    ///
    /// # Errors
    /// If the store fails, or a section is damaged.
    pub fn layout(&self) -> Result<Vec<SectionSizes>> {
        self.core.committer.layout()
    }

    /// Creates an equality index over the values of `key` of the vertices with `label`, and waits until it is ready.
    /// Reads and writes go on meanwhile. Creating one that is there does nothing.
    ///
    /// # Errors
    /// If a name cannot be one, or the store fails.
    pub fn create_index(&self, label: &str, key: &str) -> Result<()> {
        let index =
            IndexDescription { label: label.into(), keys: vec![key.into()], kind: IndexKind::Equality };
        self.declare_index(&index)?;
        self.await_index(&index)
    }

    /// Declares an index and returns; it is built in the background, while reads and writes go on, and used when it is
    /// ready. Transactions that began before and write are refused as by a conflict. After a crash it is built again.
    ///
    /// # Errors
    /// If a name cannot be one, an index cannot be like that, or the store fails.
    pub fn declare_index(&self, index: &IndexDescription) -> Result<()> {
        self.check_writable()?;
        self.core.indexes.start()?;
        self.core.definer.declare_index(index)
    }

    /// Waits until an index is ready.
    ///
    /// # Errors
    /// If there is no such index or building it failed: a unique index, if two vertices have the same value.
    pub fn await_index(&self, index: &IndexDescription) -> Result<()> {
        self.core.definer.await_index(index)
    }

    /// Waits until every index that was declared is ready, or building it has failed.
    pub fn await_indexes(&self) {
        self.core.memory.indexing.await_all();
    }

    /// Drops an index. Queries that run go on as they began; what it stored is deleted when the last of them has ended.
    ///
    /// # Errors
    /// If there is no such index, or the store fails.
    pub fn drop_index(&self, index: &IndexDescription) -> Result<()> {
        self.check_writable()?;
        self.core.indexes.start()?;
        self.core.definer.drop_index(index)
    }

    /// The indexes, and how far each is.
    pub fn index_status(&self) -> Vec<IndexStatus> {
        self.core.definer.index_status()
    }

    /// The secondary edge-trees, and what they are worth.
    pub fn secondary_trees(&self) -> Vec<SecondaryStatus> {
        self.core.memory.secondary_status()
    }

    /// Ends the period in which the benefit of secondary edge-trees is measured now, and builds and drops what its end
    /// decides, before it returns: for tests, and for who knows that a phase of the load has ended.
    ///
    /// # Errors
    /// The first failure to build or drop a tree.
    pub fn adapt_secondary_trees(&self) -> Result<()> {
        self.core.committer.adapt_secondary_trees()
    }

    /// The edge labels whose sort key was changed and whose lists do not all lie by it yet, and how far each is.
    pub fn sorting(&self) -> Vec<SortStatus> {
        self.core.memory.sort_status()
    }

    /// Sorts the lists that do not lie by the sort key of their label, as far as that can be done now, before it returns: for
    /// tests, and where no thread does it since [`SecondaryOptions::builders`](crate::model::SecondaryOptions::builders) is 0. Whether
    /// nothing is left: otherwise a snapshot from before is still being read, a list changes too fast, or memory is short.
    ///
    /// # Errors
    /// If the store fails. What was sorted stays so.
    pub fn sort_lists(&self) -> Result<bool> {
        self.core.definer.sort_lists()
    }

    /// Waits until all lists lie by the sort key of their label. Whoever waits must not hold an older snapshot.
    ///
    /// # Errors
    /// If the store fails.
    pub fn await_sorted_lists(&self) -> Result<()> {
        const LONGEST: Duration = Duration::from_secs(1);
        let mut pause = Duration::from_millis(10);
        while !self.core.definer.sort_lists()? {
            // Nobody is told when a snapshot ends. To look goes through all lists of the label.
            std::thread::sleep(pause);
            pause = (pause * 2).min(LONGEST);
        }
        Ok(())
    }

    /// The schema and the indexes, by names.
    pub fn schema(&self) -> SchemaDescription {
        SchemaDescription::of(&self.core.memory.catalog())
    }

    /// Lets `edit` change the schema, and makes the result the next version; the number of the version that is in
    /// force then. What exists is checked against it while writes go on; transactions that began before are refused as
    /// if by a conflict. Changes of the description's indexes are ignored: see [`Graph::create_index`].
    ///
    /// A property may be declared as another type if every value can be read as the very same number of that type: what is
    /// stored stays as it is until it is written again. Snapshots from before go on, and may meet values of either type.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use graph::{Graph, GraphOptions, ValueType, VertexKeyDescription};
    /// # let graph = Graph::open(Arc::new(store::MemoryStore::new()), GraphOptions::default())?;
    /// graph.change_schema(|schema| {
    ///     let age = VertexKeyDescription { value_type: Some(ValueType::Int), ..Default::default() };
    ///     schema.vertices.entry("person".into()).or_default().keys.insert("age".into(), age);
    ///     Ok(())
    /// })?;
    /// let transaction = graph.begin();
    /// let v = transaction.add_vertex(None, "person")?;
    /// assert!(transaction.set_vertex_property(v, None, "age", "old".into(), &[]).is_err());
    /// # Ok::<(), graph::GraphError>(())
    /// ```
    ///
    /// # Errors
    /// Those of `edit`; [`crate::model::SchemaError`] if the description makes no sense or an element breaks it, which
    /// leaves the schema as it was; or a failure of the store.
    pub fn change_schema(&self, edit: impl FnOnce(&mut SchemaDescription) -> Result<()>) -> Result<u64> {
        self.check_writable()?;
        self.core.definer.change_schema(edit)
    }

    /// Whether the schema could be changed to `description` now. Nothing is changed, and writes that go on meanwhile may
    /// make the answer wrong.
    ///
    /// # Errors
    /// Those that [`Graph::change_schema`] would have.
    pub fn check_schema(&self, description: &SchemaDescription) -> Result<()> {
        self.core.definer.check_schema(description)
    }

    /// Makes the schema what `description` says, and declares the indexes that are missing. Indexes that it does not
    /// mention stay. The number of the version in force.
    ///
    /// # Errors
    /// Those of [`Graph::change_schema`] and [`Graph::declare_index`].
    pub fn apply_schema(&self, description: &SchemaDescription) -> Result<u64> {
        for index in &description.indexes {
            index.check("indexes")?;
        }
        let version = self.change_schema(|schema| {
            schema.mode = description.mode;
            schema.allow_null_values = description.allow_null_values;
            schema.vertices.clone_from(&description.vertices);
            schema.edges.clone_from(&description.edges);
            Ok(())
        })?;
        description.indexes.iter().try_for_each(|index| self.declare_index(index))?;
        Ok(version)
    }

    #[cfg(test)]
    pub(crate) fn definer(&self) -> &Arc<Definer> {
        &self.core.definer
    }

    /// What a transaction has left under a name: see [`Transaction::leave_note`](crate::Transaction::leave_note). It is there once the
    /// transaction is durable.
    ///
    /// # Errors
    /// If the store fails, or the note is damaged.
    pub fn note(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.core.committer.log.notes().get(name)
    }

    /// Hands out what transactions have left under names that begin so, in the order of the names.
    ///
    /// # Errors
    /// As [`Graph::note`], and those of `visit`.
    pub fn each_note(&self, prefix: &str, visit: impl FnMut(&str, Vec<u8>) -> Result<()>) -> Result<()> {
        self.core.committer.log.notes().each(prefix, visit)
    }

    /// Writes the graph as it is now into the directory `to`, which is created if it is not there. In a directory that
    /// holds backups of this graph already, only what has changed since the last of them is written, as a further file;
    /// those before are read, which checks them. Nothing changed, nothing written. Commits go on meanwhile.
    ///
    /// # Errors
    /// [`GraphError::Backup`] if a file there is not one that was written or is missing, another backup is being written
    /// there, or there is no room; a failure of the store. The backups that were there before stay as they are.
    pub fn backup(&self, to: impl AsRef<Path>) -> Result<BackupSummary> {
        care::backup(self.store(), to.as_ref())
    }

    /// The store that the graph is kept in.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.core.committer.store
    }

    /// What is known as of the last commit, published anew. It waits for the writer, and plans are made again: for people
    /// and tests; for plans there is [`Snapshot::statistics`].
    pub fn current_statistics(&self) -> Arc<Statistics> {
        let writer = self.core.memory.lock_writer();
        self.core.memory.publish_statistics(&writer.degrees)
    }

    /// Counts every degree, and every value of every index that is ready, as of now and while reads and writes go on. What
    /// commits change of the degrees meanwhile is counted in. The result is stored.
    ///
    /// # Errors
    /// If something cannot be read, or the result not be stored.
    pub fn analyze(&self, progress: &mut dyn FnMut(AnalyzeProgress)) -> Result<Arc<Statistics>> {
        self.check_writable()?;
        self.core.committer.analyze(progress)
    }
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Graph").field("visible", &self.core.memory.timeline.visible()).finish_non_exhaustive()
    }
}
