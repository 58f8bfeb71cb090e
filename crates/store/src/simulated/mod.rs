//! A store on a simulated disk: deterministic from a seed, and as unkind as a real one can be.
//!
//! ```text
//!   SimulatedStore ── writes ─▶ pending ── sync ─▶ durable          the disk outlives the store
//!         │                        │                  │
//!         └─ reads of versions     └─ power cut: a prefix of the batches survives, the rest is gone
//! ```
//!
//! Above the engine everything is the code of the real store: the bounds, the group commit, the conflicts, and what
//! happens to writers after a failure. Below it, any call can fail as the contract lets it fail; see
//! [`SimulatedFaults`]. The same seed and the same calls give the same faults, on any machine.

mod disk;
mod faults;
mod view;

use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

use self::disk::Disk;
pub use self::disk::Outage;
pub use self::faults::{FaultCounts, SimulatedFaults};
use self::view::FaultyView;
use crate::batch::Write;
use crate::group_commit::{CommitQueue, CommitSink};
use crate::ingest::Ascending;
use crate::keyspace::{KeyspaceId, next_store_number};
use crate::local::{Engine, LocalStore};
use crate::memory::SharedVersions;
use crate::snapshot::SnapshotSource;
use crate::{ApproximateSize, Durability, Ingested, Keyspace, KeyspaceShape, Pairs, StoreError, StoreLimits};

/// What the layers above are given while a [`SimulatedDisk`] is mounted.
pub type SimulatedStore = LocalStore<SimulatedEngine>;

/// A disk that can be mounted, fail, lose its power and be mounted again. Cheap to clone: clones are the same disk.
#[derive(Clone)]
pub struct SimulatedDisk {
    disk: Arc<Mutex<Disk>>,
}

impl SimulatedDisk {
    /// An empty disk. All that will ever happen to it follows from `seed` and the calls made.
    pub fn new(seed: u64, faults: SimulatedFaults) -> Self {
        Self { disk: Arc::new(Mutex::new(Disk::new(seed, faults))) }
    }

    /// The store on the disk, with everything that survived; what it shows from here on is durable. Stores that were
    /// mounted before must not be used any more.
    pub fn mount(&self, limits: StoreLimits) -> SimulatedStore {
        let (versions, life) = self.disk.lock().mount();
        let engine = SimulatedEngine {
            number: next_store_number(),
            versions: Arc::new(RwLock::new(versions)),
            disk: Arc::clone(&self.disk),
            life,
        };
        SimulatedStore::over(engine, limits)
    }

    /// Ends the store that is mounted, in the given way.
    pub fn stop(&self, outage: Outage) {
        self.disk.lock().stop(outage);
    }

    /// Lets faults happen, or lets none happen until further notice.
    pub fn allow_faults(&self, allowed: bool) {
        self.disk.lock().allow_faults(allowed);
    }

    /// Lets `pass` more writes through, and then refuses `refuse` of them for lack of space.
    pub fn fill(&self, pass: u32, refuse: u32) {
        self.disk.lock().fill(pass, refuse);
    }

    /// Makes room on a disk that is full; whether it was.
    pub fn free_space(&self) -> bool {
        self.disk.lock().free_space()
    }

    /// The calls made so far and the faults that were injected.
    pub fn counts(&self) -> FaultCounts {
        self.disk.lock().counts()
    }

    /// A number that differs, in all likelihood, for disks with other contents or another history.
    pub fn digest(&self) -> u64 {
        self.disk.lock().digest()
    }
}

/// The engine of a [`SimulatedStore`].
pub struct SimulatedEngine {
    number: u32,
    /// What this store shows: everything that was written without an error.
    versions: SharedVersions,
    disk: Arc<Mutex<Disk>>,
    /// Which mount this is; the disk answers only the newest.
    life: u64,
}

impl CommitSink for SimulatedEngine {
    fn apply(&self, writes: Vec<Write>, durability: Durability) -> Result<(), StoreError> {
        self.disk.lock().write(self.life, &writes, durability)?;
        self.versions.write().apply(writes);
        Ok(())
    }

    fn store_number(&self) -> u32 {
        self.number
    }

    fn keyspace_name(&self, keyspace: KeyspaceId) -> String {
        self.versions.read().name(keyspace.index as usize).to_owned()
    }
}

impl Engine for SimulatedEngine {
    fn keyspace(&self, name: &str, _shape: KeyspaceShape) -> Result<Keyspace, StoreError> {
        self.disk.lock().open_table(self.life, name)?;
        let index = self.versions.write().open_table(name);
        Ok(Keyspace::new(KeyspaceId { store: self.number, index }, name))
    }

    fn keyspace_names(&self) -> Vec<String> {
        self.versions.read().names()
    }

    fn view(queue: &Arc<CommitQueue<Self>>) -> Arc<dyn SnapshotSource> {
        Arc::new(FaultyView::open(queue.sink()))
    }

    fn ingest(
        queue: &CommitQueue<Self>,
        keyspace: &Keyspace,
        pairs: &mut Pairs<'_>,
    ) -> Result<Ingested, StoreError> {
        let engine = queue.sink();
        let table = keyspace.index_in(engine.number)?;
        let mut ascending = Ascending::new(keyspace, queue.limits());
        let mut writes = Vec::new();
        for pair in pairs {
            let (key, value) = ascending.accept(pair?)?;
            writes.push(Write { keyspace: keyspace.id(), key, value: Some(value) });
        }
        let taken = engine.disk.lock().ingest(engine.life, table, &writes);
        taken.map_err(|error| queue.halted_by(error))?;
        engine.versions.write().apply(writes);
        Ok(ascending.ingested())
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.disk.lock().sync(self.life)
    }

    fn approximate_size(&self, keyspace: &Keyspace) -> Result<ApproximateSize, StoreError> {
        let index = keyspace.index_in(self.number)?;
        Ok(self.versions.read().size(index))
    }
}
