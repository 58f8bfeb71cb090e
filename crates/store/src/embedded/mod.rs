//! The embedded durable store: a directory on disk, kept by fjall (a log-structured merge tree in pure Rust).

mod audit;
mod buffers;
mod bytes_at;
mod check;
mod directory_lock;
mod durable_mark;
mod failure;
mod gauge;
mod log_group;
mod room;
mod seal;
mod table_audit;
mod view;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use fjall::config::{BlockSizePolicy, CompressionPolicy};
use fjall::{AbstractTree, CompressionType, KeyspaceCreateOptions, PersistMode};
use parking_lot::{Mutex, RwLock};

use self::directory_lock::DirectoryLock;
use self::durable_mark::DurableMark;
pub(crate) use self::failure::input_output;
use self::failure::{corrupt, guarded, translate};
use self::gauge::Gauges;
use self::room::Compactions;
pub(crate) use self::room::check as check_room;
use self::seal::Seal;
use self::view::View;
use crate::batch::Write;
use crate::group_commit::{CommitQueue, CommitSink};
use crate::ingest::Ascending;
use crate::keyspace::{KeyspaceId, next_store_number};
use crate::local::{Engine, LocalStore};
use crate::snapshot::SnapshotSource;
use crate::{
    ApproximateSize, Durability, Ingested, Keyspace, KeyspaceShape, Pairs, Scratch, StoreError, StoreLimits,
};

/// A durable store in a directory of its own, which one process at a time may open.
pub type FjallStore = LocalStore<FjallEngine>;

/// How a [`FjallStore`] uses memory, threads and disk.
#[derive(Clone, Copy, Debug)]
pub struct FjallOptions {
    /// The bounds on keys, values and transactions.
    pub limits: StoreLimits,
    /// The cache of blocks read from disk, in bytes.
    pub cache_bytes: u64,
    /// The most that the log may take on disk before it is trimmed by flushing, in bytes; at least 64 MiB.
    pub journal_bytes: u64,
    /// The most that writes take in memory until they are in tables, in bytes; at least 16 MiB. Who writes more at once waits
    /// for the disk.
    pub buffer_bytes: u64,
    /// Threads that flush and compact in the background; at least one.
    pub background_threads: usize,
    /// Bytes of the device that writes leave free, beside what the engine needs in the background: for the writes that are in
    /// memory, and to merge the tables of a keyspace, up to 1 GiB of them. A write that would not is refused with
    /// [`StoreError::DiskFull`].
    pub reserve_bytes: u64,
}

impl Default for FjallOptions {
    /// A 64 MiB cache (the graph's own cache is the large one), 512 MiB of log, 160 MiB of writes in memory, one background
    /// thread, 128 MiB left free. Of several threads, the engine lets the first do nothing but flush, and while another
    /// compacts it passes the next compaction to itself again and again, which takes a core.
    fn default() -> Self {
        Self {
            limits: StoreLimits::default(),
            cache_bytes: 64 << 20,
            journal_bytes: 512 << 20,
            buffer_bytes: 160 << 20,
            background_threads: 1,
            reserve_bytes: 128 << 20,
        }
    }
}

/// The smallest bound on the log that the engine accepts, in bytes.
const SMALLEST_JOURNAL_BYTES: u64 = 64 << 20;

/// The engine of a [`FjallStore`].
pub struct FjallEngine {
    number: u32,
    path: PathBuf,
    database: fjall::Database,
    keyspaces: RwLock<Vec<fjall::Keyspace>>,
    seals: fjall::Keyspace,
    nonce: u64,
    reserve: u64,
    compactions: Compactions,
    /// When tables were last deleted for want of room.
    gave_back: Mutex<Option<Instant>>,
    buffers: u64,
    gauges: Gauges,
    groups: Mutex<Groups>,
    /// Last, so that the directory is free only when the database has let go of it.
    _lock: DirectoryLock,
}

/// The groups written so far, by number.
#[derive(Clone, Copy, Debug)]
struct Groups {
    last: u64,
    /// All up to this one are known to be synced.
    synced: u64,
}

/// How much an ingestion writes between two looks at the room that is left, in bytes.
const BYTES_PER_LOOK_FOR_ROOM: usize = 8 << 20;

/// Between two times that tables are deleted for want of room.
const BETWEEN_GIVING_BACK: Duration = Duration::from_secs(1);

/// The keyspace of the seals, and the one key in it.
const SEALS: &str = "_seals";
const SEAL_KEY: &[u8] = b"seal";

/// Bytes of seals in memory from which on the engine writes them into a table: some 40,000 groups.
const MOST_SEALS_BYTES: u64 = 4 << 20;

impl FjallStore {
    /// Opens the store in the directory `path`, which is created when it does not exist.
    ///
    /// # Errors
    /// [`StoreError::Occupied`] when other files lie there and no store; [`StoreError::Locked`] when somebody else has it open, with
    /// the process number; [`StoreError::Corrupt`], [`StoreError::Format`] and [`StoreError::Io`] when it cannot be read.
    pub fn open(path: impl AsRef<Path>, options: FjallOptions) -> Result<Self, StoreError> {
        Ok(Self::over(FjallEngine::open(path.as_ref(), options)?, options.limits))
    }

    /// Whether a store is kept in the directory `path`.
    pub fn is_in(path: impl AsRef<Path>) -> bool {
        DurableMark::is_in(path.as_ref())
    }
}

impl FjallStore {
    /// Bytes of writes in memory that are not in tables yet.
    ///
    /// # Errors
    /// [`StoreError::Closed`].
    pub fn buffered_bytes(&self) -> Result<u64, StoreError> {
        Ok(self.engine()?.gauges.bytes())
    }

    /// Reads every byte of every file of the store in the directory `path` and compares it with its checksum, without
    /// changing anything; what is wrong, one file each. `progress` is told how many bytes were read, of how many.
    ///
    /// Nothing wrong here says that the files are as they were written, not that they make sense together: open the
    /// store and read it for that.
    ///
    /// # Errors
    /// [`StoreError::Locked`] when somebody has the store open; [`StoreError::Io`] when there is no such directory.
    pub fn check_files(
        path: impl AsRef<Path>,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Vec<StoreError>, StoreError> {
        check::check_files(path.as_ref(), progress)
    }
}

impl FjallEngine {
    fn open(path: &Path, options: FjallOptions) -> Result<Self, StoreError> {
        DurableMark::refuse_other_files(path)?;
        let lock = DirectoryLock::acquire(path)?;
        let mark = DurableMark::open(path)?;
        let logged = audit::audit(path, mark)?;
        let (database, seals) = guarded(path, || {
            let database = fjall::Database::builder(path)
                .cache_size(options.cache_bytes)
                .max_journaling_size(options.journal_bytes.max(SMALLEST_JOURNAL_BYTES))
                .worker_threads(options.background_threads.max(1))
                .manual_journal_persist(true)
                .journal_compression(CompressionType::None)
                .open()?;
            let seals = database.keyspace(SEALS, || layout(KeyspaceShape::Small))?;
            Ok((database, seals))
        })?;
        let last = last_group(path, &seals, mark.nonce)?;
        let expected = logged.max(mark.floor);
        if last < expected {
            let detail =
                format!("the last writes are missing: group {expected} was durable, {last} is there");
            return Err(corrupt(path, detail));
        }
        // What was found is durable, and shown from now on: from now on it must be there. A full disk can be read all the same.
        if mark.floor < last
            && let Err(error) = (DurableMark { floor: last, ..mark }).save(path)
        {
            tracing::warn!(%error, "that what was recovered is durable could not be written down");
        }
        let gauges = Gauges::default();
        gauges.add(&seals);
        Ok(Self {
            number: next_store_number(),
            path: path.to_owned(),
            database,
            keyspaces: RwLock::default(),
            seals,
            nonce: mark.nonce,
            reserve: options.reserve_bytes,
            compactions: Compactions::default(),
            gave_back: Mutex::default(),
            buffers: options.buffer_bytes,
            gauges,
            groups: Mutex::new(Groups { last, synced: last }),
            _lock: lock,
        })
    }

    /// Syncs everything, and writes down that it is.
    fn settle(&self) -> Result<(), StoreError> {
        self.sync()?;
        let floor = self.groups.lock().synced;
        DurableMark { nonce: self.nonce, floor }.save(&self.path)
    }

    fn failed(&self, error: fjall::Error) -> StoreError {
        translate(&self.path, error)
    }

    /// What a write is told that the engine began and could not end. There was room when it began, but that does not
    /// help: the engine accepts no further one.
    fn failed_write(&self, error: fjall::Error) -> StoreError {
        match self.failed(error) {
            full @ StoreError::DiskFull { .. } => StoreError::Halted { cause: full.to_string() },
            StoreError::Halted { cause } => match room::check(&self.path, 0, self.reserve) {
                // It does not say why it ended. The disk is the likeliest reason, and can be mended.
                Err(full @ StoreError::DiskFull { .. }) => StoreError::Halted { cause: full.to_string() },
                _ => StoreError::Halted { cause },
            },
            other => other,
        }
    }

    /// Has the engine write the seals into a table when their buffer is large: it keeps one of each group, though only the last
    /// counts, and would keep them up to 64 MiB. What they say is synced first. A table must not know of groups that a power cut
    /// takes from the log: those after them would be numbered as if they were there.
    fn rotate_seals(&self, groups: &mut Groups) -> Result<(), StoreError> {
        let tree = &self.seals.tree;
        if tree.active_memtable().size() < MOST_SEALS_BYTES || tree.sealed_memtable_count() > 0 {
            return Ok(());
        }
        if groups.synced < groups.last {
            self.database.persist(PersistMode::SyncData).map_err(|error| self.failed_write(error))?;
            groups.synced = groups.last;
        }
        if let Err(error) = self.seals.rotate_memtable() {
            tracing::warn!(%error, "the seals of the log stay in memory for now");
        }
        Ok(())
    }

    /// Makes sure that the engine has the room it needs in the background when so much more was written; first of all by having
    /// it give back what it does not need any more.
    fn make_room(&self, bytes: usize) -> Result<(), StoreError> {
        match self.look_for_room(bytes) {
            Err(StoreError::DiskFull { .. }) if self.give_back()? => self.look_for_room(bytes),
            outcome => outcome,
        }
    }

    /// Whether the engine has the room it needs in the background when so much more was written. What is in buffers will be in
    /// tables, and may then be merged as well.
    fn look_for_room(&self, bytes: usize) -> Result<(), StoreError> {
        let largest =
            || self.keyspaces.read().iter().map(|keyspace| keyspace.disk_space()).max().unwrap_or(0);
        let background = 2 * self.gauges.bytes() + self.compactions.bytes(largest);
        room::check(&self.path, bytes, self.reserve.saturating_add(background))
    }

    /// Has the engine delete the tables that it has merged into others; whether it was worth another look at the room there is.
    ///
    /// It deletes them when it seals a buffer. While all writes are refused it seals none, so what it has merged since would be
    /// there for ever. Here it seals the one that only has an empty group, every now and then.
    ///
    /// # Errors
    /// The group could not be written or synced: what was written before it may not be on the disk either, as with any other.
    fn give_back(&self) -> Result<bool, StoreError> {
        let is_time = |last: &Option<Instant>| last.is_none_or(|last| last.elapsed() > BETWEEN_GIVING_BACK);
        let Some(mut last) = self.gave_back.try_lock().filter(|last| is_time(last)) else { return Ok(false) };
        // Who has filled the disk beyond that is somebody else, and there may be no room for anything.
        if room::check(&self.path, 0, self.reserve / 2).is_err() {
            return Ok(false);
        }
        // One is under way, and the engine's thread may have no room for it. With a few of them the engine lets no write go on.
        if self.seals.tree.sealed_memtable_count() > 0 {
            return Ok(false);
        }
        *last = Some(Instant::now());
        let mut groups = self.groups.lock();
        self.append(&mut groups, Vec::new(), Durability::Sync)?;
        let sealed = self.seals.rotate_memtable();
        tracing::info!(?sealed, "the disk is nearly full: deleting tables that were merged");
        Ok(sealed.is_ok())
    }

    /// Writes a group to the log, and then makes it visible.
    fn append(
        &self,
        groups: &mut Groups,
        writes: Vec<Write>,
        durability: Durability,
    ) -> Result<(), StoreError> {
        let persist = match durability {
            Durability::Sync => PersistMode::SyncData,
            Durability::Buffered => PersistMode::Buffer,
        };
        let seal =
            Seal { number: groups.last + 1, synced: groups.synced, floor: self.database.snapshot().seqno() };
        let keyspaces = self.keyspaces.read();
        let mut batch = fjall::OwnedWriteBatch::with_capacity(self.database.clone(), writes.len() + 1)
            .durability(Some(persist));
        for Write { keyspace, key, value } in writes {
            let keyspace = &keyspaces[keyspace.index as usize];
            match value {
                Some(value) => batch.insert(keyspace, key.into_slice(), value.into_slice()),
                None => batch.remove(keyspace, key.into_slice()),
            }
        }
        drop(keyspaces);
        batch.insert(&self.seals, SEAL_KEY, seal.encode(self.nonce));
        // The engine writes and syncs its log first, and only then makes the batch visible.
        batch.commit().map_err(|error| self.failed_write(error))?;
        groups.last = seal.number;
        if durability == Durability::Sync {
            groups.synced = seal.number;
        }
        Ok(())
    }

    fn engine_keyspace(&self, keyspace: &Keyspace) -> Result<fjall::Keyspace, StoreError> {
        let index = keyspace.index_in(self.number)?;
        Ok(self.keyspaces.read()[index].clone())
    }
}

impl CommitSink for FjallEngine {
    fn apply(&self, writes: Vec<Write>, durability: Durability) -> Result<(), StoreError> {
        self.make_room(writes.iter().map(Write::cost).sum())?;
        // One leader at a time comes here, so the numbers follow the order of the log.
        let mut groups = self.groups.lock();
        self.append(&mut groups, writes, durability)?;
        self.rotate_seals(&mut groups)
    }

    fn make_way(&self, durability: Durability, is_halted: &dyn Fn() -> bool) {
        let keyspaces = || self.keyspaces.read().clone();
        // The engine shows that it has failed only to who uses its log.
        let refused = || {
            is_halted()
                || self.look_for_room(0).is_err()
                || self.database.persist(PersistMode::Buffer).is_err()
        };
        buffers::make_way(&self.gauges, keyspaces, self.buffers, durability, refused);
    }

    fn store_number(&self) -> u32 {
        self.number
    }

    fn keyspace_name(&self, keyspace: KeyspaceId) -> String {
        self.keyspaces.read().get(keyspace.index as usize).map_or_else(String::new, |k| k.name().to_string())
    }
}

impl Engine for FjallEngine {
    fn keyspace(&self, name: &str, shape: KeyspaceShape) -> Result<Keyspace, StoreError> {
        let mut keyspaces = self.keyspaces.write();
        let index = match keyspaces.iter().position(|keyspace| &**keyspace.name() == name) {
            Some(index) => index,
            None => {
                let opened = guarded(&self.path, || self.database.keyspace(name, || layout(shape)))?;
                self.gauges.add(&opened);
                keyspaces.push(opened);
                keyspaces.len() - 1
            }
        };
        let index = u32::try_from(index).expect("a process has no memory for 2^32 keyspaces");
        Ok(Keyspace::new(KeyspaceId { store: self.number, index }, name))
    }

    fn keyspace_names(&self) -> Vec<String> {
        let names = self.database.list_keyspace_names();
        let mut names: Vec<String> =
            names.iter().filter(|name| ***name != *SEALS).map(ToString::to_string).collect();
        names.sort_unstable();
        names
    }

    fn view(queue: &Arc<CommitQueue<Self>>) -> Arc<dyn SnapshotSource> {
        Arc::new(View::open(queue))
    }

    fn ingest(
        queue: &CommitQueue<Self>,
        keyspace: &Keyspace,
        pairs: &mut Pairs<'_>,
    ) -> Result<Ingested, StoreError> {
        let engine = queue.sink();
        let target = engine.engine_keyspace(keyspace)?;
        let failed = |error| queue.halted_by(engine.failed(error));
        let mut ascending = Ascending::new(keyspace, queue.limits());
        engine.make_room(0).map_err(|error| queue.halted_by(error))?;
        let mut ingestion = target.start_ingestion().map_err(failed)?;
        let mut unchecked = BYTES_PER_LOOK_FOR_ROOM;
        for pair in pairs {
            let (key, value) = ascending.accept(pair?)?;
            unchecked += key.len() + value.len();
            if unchecked >= BYTES_PER_LOOK_FOR_ROOM {
                engine.look_for_room(value.len())?;
                unchecked = 0;
            }
            ingestion.write(key.into_slice(), value.into_slice()).map_err(failed)?;
        }
        ingestion.finish().map_err(failed)?;
        Ok(ascending.ingested())
    }

    fn sync(&self) -> Result<(), StoreError> {
        let last = self.groups.lock().last;
        self.database.persist(PersistMode::SyncAll).map_err(|error| self.failed_write(error))?;
        let mut groups = self.groups.lock();
        groups.synced = groups.synced.max(last);
        Ok(())
    }

    fn close(&self) -> Result<(), StoreError> {
        self.settle()
    }

    fn rest(&self) {
        // The seals stay: they must not be in a table before what they speak of is durable.
        buffers::rest(&self.keyspaces.read().clone());
    }

    fn approximate_size(&self, keyspace: &Keyspace) -> Result<ApproximateSize, StoreError> {
        let keyspace = self.engine_keyspace(keyspace)?;
        Ok(ApproximateSize { keys: keyspace.approximate_len() as u64, bytes: keyspace.disk_space() })
    }

    fn scratch(&self) -> Result<Option<Scratch>, StoreError> {
        Scratch::create(&self.path, self.reserve).map(Some)
    }

    fn check_room(&self, directory: &Path, bytes: usize) -> Result<(), StoreError> {
        if room::on_one_device(&self.path, directory)? {
            self.look_for_room(bytes)?;
        }
        Ok(())
    }
}

/// A store that is dropped without having been closed is settled as well, as far as that succeeds.
impl Drop for FjallEngine {
    fn drop(&mut self) {
        let _ = self.settle();
    }
}

/// The number of the last group that the engine recovered.
fn last_group(path: &Path, seals: &fjall::Keyspace, nonce: u64) -> Result<u64, StoreError> {
    let Some(seal) = guarded(path, || seals.get(SEAL_KEY))? else { return Ok(0) };
    let seal =
        Seal::decode(&seal, nonce).ok_or_else(|| corrupt(path, "the last seal does not read".into()))?;
    Ok(seal.number)
}

/// How the engine lays out a keyspace of the given shape.
///
/// Compression of small values: none on the upper two levels, LZ4 below. What is written lands above and is rewritten
/// soon, and what is ingested in bulk is moved down as it is, so neither pays for compression while somebody waits; what
/// stays is compressed when compaction rewrites it anyway. LZ4 decompresses at the speed of the disk's cache, a stronger
/// code would cost more than the reads that it saves. Large values are not compressed: who writes them knows better how
/// to, and has. The log is not compressed either: a group is written once, read only after a crash, and its latency
/// counts.
///
/// Large values stay in the tree: separate value files would spare compaction some rewriting, and cost every read a
/// second lookup and every update a garbage collection.
fn layout(shape: KeyspaceShape) -> KeyspaceCreateOptions {
    let (block_bytes, compression) = match shape {
        KeyspaceShape::Small => {
            (4 << 10, vec![CompressionType::None, CompressionType::None, CompressionType::Lz4])
        }
        KeyspaceShape::Large => (16 << 10, vec![CompressionType::None]),
    };
    KeyspaceCreateOptions::default()
        .manual_journal_persist(true)
        .data_block_size_policy(BlockSizePolicy::all(block_bytes))
        .data_block_compression_policy(CompressionPolicy::new(compression))
}
