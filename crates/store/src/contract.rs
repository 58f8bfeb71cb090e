//! The contract: what the layers above may ask of a key-value engine.

use std::path::Path;

use crate::{
    Bytes, Keyspace, KeyspaceShape, Scratch, Snapshot, StoreError, StoreLimits, Transaction, WriteBatch,
};

/// A transactional, ordered key-value store with several keyspaces, shaped so that an embedded engine and a
/// distributed one both fit (DESIGN, section 2).
///
/// * Every read is of a [`Snapshot`]: one moment of all keyspaces together, which later writes do not disturb.
/// * Writes are atomic across keyspaces. Nothing that was committed with [`Durability::Sync`] is acknowledged, or
///   visible to anybody, before it would survive a power cut.
/// * Transactions give snapshot isolation, and serializability for the keys that they write or
///   [`lock`](Transaction::lock). Losing a race is [`StoreError::Conflict`], which is retryable.
/// * Everything is bounded by [`StoreLimits`].
/// * After a write or a sync that failed, nobody knows what reached the disk: the store refuses all further writes with
///   [`StoreError::Halted`], reads go on, and opening it again finds every acknowledged write. A disk without room is
///   told apart: [`StoreError::DiskFull`] means that nothing was written, and that writes succeed again once there is.
/// * What a store shows when it is opened is durable from then on, acknowledged or not.
///
/// All calls may block on input and output, and may come from any thread.
pub trait Store: Send + Sync {
    /// Opens the keyspace called `name`, creating it in the given shape when it does not exist.
    ///
    /// # Errors
    /// [`StoreError::KeyspaceName`] when the name is empty, longer than 255 bytes or starts with `_`.
    fn keyspace(&self, name: &str, shape: KeyspaceShape) -> Result<Keyspace, StoreError>;

    /// The names of the keyspaces there are, in order.
    fn keyspace_names(&self) -> Vec<String>;

    /// A view of the newest visible state of all keyspaces. It holds back the removal of old versions while it
    /// lives, so it should be short-lived.
    fn snapshot(&self) -> Result<Snapshot, StoreError>;

    /// Begins a transaction on the newest visible state.
    fn begin(&self) -> Result<Transaction, StoreError>;

    /// Writes all of `batch`, or nothing, without asking whether anybody else wrote the same keys: for callers that
    /// already exclude conflicts. Open transactions that wrote or locked one of its keys do notice.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`], [`StoreError::KeyLength`], [`StoreError::ValueTooLarge`] before anything is
    /// written; [`StoreError::Halted`] and the like when it could not be made durable.
    fn write_batch(&self, batch: WriteBatch, durability: Durability) -> Result<(), StoreError>;

    /// Bulk-loads key-value pairs in strictly ascending key order into one keyspace, past the log and without a
    /// bound on their total size; durable when it returns. Keys that exist already are replaced. Pairs become
    /// visible all at once, or in ascending portions, as the engine likes; after a failure or a crash any
    /// portion of them may be there, so the caller marks completion by a write of its own.
    /// Do not write to the same keyspace meanwhile.
    ///
    /// # Errors
    /// [`StoreError::NotSorted`] names the pair out of order; an error of the iterator is passed on. In both cases
    /// ingestion stops. [`StoreError::Halted`] and the like as for any write.
    fn ingest(&self, keyspace: &Keyspace, pairs: &mut Pairs<'_>) -> Result<Ingested, StoreError>;

    /// Makes everything that was written with [`Durability::Buffered`] durable.
    ///
    /// # Errors
    /// When that failed, or an earlier write did: the store then accepts no further writes.
    fn sync(&self) -> Result<(), StoreError>;

    /// Told when nothing has been written for a while: what is kept in memory only since it was written lately may go to disk, in
    /// the background.
    fn rest(&self) {}

    /// Roughly how much a keyspace holds, at a cost that does not depend on its size.
    fn approximate_size(&self, keyspace: &Keyspace) -> Result<ApproximateSize, StoreError>;

    /// Room for what need not outlive the process, where the data are; none if the store has no place on disk.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the operating system refuses.
    fn scratch(&self) -> Result<Option<Scratch>, StoreError> {
        Ok(None)
    }

    /// Whether so many bytes can be written into `directory` by somebody else without taking the room that the store needs for
    /// itself. On another device than the store's there is always room as far as the store is concerned.
    ///
    /// # Errors
    /// [`StoreError::DiskFull`]; [`StoreError::Io`] if there is no such directory.
    fn check_room(&self, _directory: &Path, _bytes: usize) -> Result<(), StoreError> {
        Ok(())
    }

    /// The bounds in force.
    fn limits(&self) -> StoreLimits;

    /// Syncs, then refuses all further work with [`StoreError::Closed`]. The directory can be opened again once
    /// the last snapshot, transaction and scan is dropped. Closing twice is fine.
    fn close(&self) -> Result<(), StoreError>;
}

/// The input of [`Store::ingest`]: key-value pairs, or the error of whoever produces them.
pub type Pairs<'a> = dyn Iterator<Item = Result<(Bytes, Bytes), StoreError>> + 'a;

/// When a write counts as done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durability {
    /// Once it would survive a power cut: written and fsynced, in a group with whoever commits at the same time.
    Sync,
    /// Once the operating system has it: it survives the end of this process, but not of the machine. A later sync,
    /// or a later commit with [`Durability::Sync`], makes it durable.
    Buffered,
}

/// What [`Store::ingest`] loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ingested {
    /// The number of pairs.
    pub pairs: u64,
    /// The bytes of their keys and values.
    pub bytes: u64,
}

/// Roughly how much a keyspace holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ApproximateSize {
    /// The number of keys; versions and tombstones that are not yet compacted may be counted as well.
    pub keys: u64,
    /// The bytes on disk; for a store in memory, those of keys and values.
    pub bytes: u64,
}
