//! What the stores of this process have in common: everything of the contract that does not depend on the engine.

use std::path::Path;
use std::sync::Arc;

use crate::batch::Write;
use crate::group_commit::{CommitQueue, CommitSink};
use crate::keyspace::check_name;
use crate::snapshot::SnapshotSource;
use crate::transaction::Footprint;
use crate::{
    ApproximateSize, Durability, Ingested, Keyspace, KeyspaceShape, Pairs, Scratch, Snapshot, Store,
    StoreError, StoreLimits, Transaction, WriteBatch,
};

/// A store whose engine runs in this process: [`FjallStore`](crate::FjallStore) or
/// [`MemoryStore`](crate::MemoryStore).
pub struct LocalStore<E> {
    queue: Arc<CommitQueue<E>>,
}

/// What an engine adds to taking a group of writes.
pub trait Engine: CommitSink + 'static {
    /// Opens or creates a keyspace whose name is valid.
    fn keyspace(&self, name: &str, shape: KeyspaceShape) -> Result<Keyspace, StoreError>;

    /// The names of the keyspaces, in order.
    fn keyspace_names(&self) -> Vec<String>;

    /// A view of the newest visible state.
    fn view(queue: &Arc<CommitQueue<Self>>) -> Arc<dyn SnapshotSource>
    where
        Self: Sized;

    /// Bulk-loads sorted pairs. If it fails to write some, but for want of room, it halts the queue.
    fn ingest(
        queue: &CommitQueue<Self>,
        keyspace: &Keyspace,
        pairs: &mut Pairs<'_>,
    ) -> Result<Ingested, StoreError>
    where
        Self: Sized;

    /// Makes all that was written durable.
    fn sync(&self) -> Result<(), StoreError>;

    /// Nothing has been written for a while.
    fn rest(&self) {}

    /// Makes all that was written durable, for the last time.
    fn close(&self) -> Result<(), StoreError> {
        self.sync()
    }

    /// Roughly how much a keyspace holds.
    fn approximate_size(&self, keyspace: &Keyspace) -> Result<ApproximateSize, StoreError>;

    /// Room for what need not outlive the process.
    fn scratch(&self) -> Result<Option<Scratch>, StoreError> {
        Ok(None)
    }

    /// Whether others may write so much into a directory.
    fn check_room(&self, _directory: &Path, _bytes: usize) -> Result<(), StoreError> {
        Ok(())
    }
}

impl<E: Engine> LocalStore<E> {
    /// A store over an engine that was opened.
    pub(crate) fn over(engine: E, limits: StoreLimits) -> Self {
        Self { queue: Arc::new(CommitQueue::new(engine, limits)) }
    }

    pub(crate) fn engine(&self) -> Result<&E, StoreError> {
        self.queue.check_open()?;
        Ok(self.queue.sink())
    }

    /// Refuses writes as if one had failed.
    #[cfg(test)]
    pub(crate) fn halt(&self, cause: &StoreError) {
        self.queue.halt(cause);
    }

    fn view(&self) -> Snapshot {
        Snapshot::new(E::view(&self.queue))
    }

    fn check(&self, write: &Write) -> Result<(), StoreError> {
        let name = || self.queue.sink().keyspace_name(write.keyspace);
        if write.keyspace.store != self.queue.sink().store_number() {
            return Err(StoreError::ForeignKeyspace { name: "of a write in the batch".into() });
        }
        self.queue.limits().check_pair(name, &write.key, write.value.as_ref())
    }
}

impl<E: Engine> Store for LocalStore<E> {
    fn keyspace(&self, name: &str, shape: KeyspaceShape) -> Result<Keyspace, StoreError> {
        check_name(name)?;
        self.engine()?.keyspace(name, shape)
    }

    fn keyspace_names(&self) -> Vec<String> {
        self.queue.sink().keyspace_names()
    }

    fn snapshot(&self) -> Result<Snapshot, StoreError> {
        self.queue.check_open()?;
        Ok(self.view())
    }

    fn begin(&self) -> Result<Transaction, StoreError> {
        self.queue.check_open()?;
        // The order matters: a commit between the two calls is in the snapshot, and counts as a later one.
        let began = self.queue.begin();
        let snapshot = self.view();
        Ok(Transaction::new(snapshot, began, self.limits(), Arc::clone(&self.queue) as _))
    }

    fn write_batch(&self, batch: WriteBatch, durability: Durability) -> Result<(), StoreError> {
        self.queue.check_open()?;
        let bytes = batch.bytes();
        self.limits().check_transaction(bytes)?;
        batch.writes().iter().try_for_each(|write| self.check(write))?;
        let footprint = Footprint { writes: batch.into_writes(), locks: Vec::new(), bytes };
        self.queue.commit(footprint, None, durability)
    }

    fn ingest(&self, keyspace: &Keyspace, pairs: &mut Pairs<'_>) -> Result<Ingested, StoreError> {
        self.queue.check_open()?;
        self.queue.check_writable()?;
        E::ingest(&self.queue, keyspace, pairs)
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.queue.check_open()?;
        self.queue.check_writable()?;
        // After a sync that failed, a second one would succeed without having written what the first one could not.
        self.queue.sink().sync().inspect_err(|error| self.queue.halt(error))
    }

    fn rest(&self) {
        if let Ok(engine) = self.engine() {
            engine.rest();
        }
    }

    fn approximate_size(&self, keyspace: &Keyspace) -> Result<ApproximateSize, StoreError> {
        self.engine()?.approximate_size(keyspace)
    }

    fn scratch(&self) -> Result<Option<Scratch>, StoreError> {
        self.engine()?.scratch()
    }

    fn check_room(&self, directory: &Path, bytes: usize) -> Result<(), StoreError> {
        self.engine()?.check_room(directory, bytes)
    }

    fn limits(&self) -> StoreLimits {
        self.queue.limits()
    }

    fn close(&self) -> Result<(), StoreError> {
        if self.queue.check_open().is_err() {
            return Ok(());
        }
        self.queue.close();
        self.queue.check_writable()?;
        self.queue.sink().close()
    }
}
