//! Transactions: a snapshot to read, a buffer of writes over it, and a commit that may lose a race.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::batch::{WRITE_OVERHEAD_BYTES, Write};
use crate::keyspace::KeyspaceId;
use crate::scan::OverlaidScan;
use crate::{Bytes, Durability, KeyRange, Keyspace, Scan, ScanOrder, Snapshot, StoreError, StoreLimits};

/// A transaction: it reads the snapshot it began with and its own writes, and commits them together, or not at all.
///
/// Commit fails with [`StoreError::Conflict`] when a key that it wrote or [locked](Self::lock) was committed by
/// somebody else since it began. Dropping a transaction forgets it. One thread at a time uses it.
pub struct Transaction {
    snapshot: Snapshot,
    writes: BTreeMap<KeyspaceId, BTreeMap<Bytes, Option<Bytes>>>,
    locks: BTreeSet<(KeyspaceId, Bytes)>,
    bytes: usize,
    limits: StoreLimits,
    engine: Arc<dyn TransactionEngine>,
    store: u32,
    began: u64,
}

/// What an engine provides for transactions.
pub trait TransactionEngine: Send + Sync {
    /// Commits `footprint` unless a key of it changed after the commit numbered `began`.
    fn commit(&self, began: u64, footprint: Footprint, durability: Durability) -> Result<(), StoreError>;

    /// The number of the store whose keyspaces the transaction may write.
    fn store_number(&self) -> u32;

    /// Forgets one transaction that began at `began`. Called exactly once for every transaction.
    fn end(&self, began: u64);
}

/// What a transaction wants to write, and the keys that must not have changed.
#[derive(Debug, Default)]
pub struct Footprint {
    pub(crate) writes: Vec<Write>,
    pub(crate) locks: Vec<(KeyspaceId, Bytes)>,
    pub(crate) bytes: usize,
}

impl Transaction {
    /// A transaction on `snapshot`, which contains at least every commit up to the one numbered `began`; the engine
    /// has registered it as open.
    pub(crate) fn new(
        snapshot: Snapshot,
        began: u64,
        limits: StoreLimits,
        engine: Arc<dyn TransactionEngine>,
    ) -> Self {
        let (writes, locks) = Default::default();
        let store = engine.store_number();
        Self { snapshot, writes, locks, bytes: 0, limits, engine, store, began }
    }

    /// The value of `key`: what this transaction wrote, else what the snapshot holds.
    pub fn get(&self, keyspace: &Keyspace, key: impl AsRef<[u8]>) -> Result<Option<Bytes>, StoreError> {
        match self.written(keyspace, key.as_ref()) {
            Some(written) => Ok(written.clone()),
            None => self.snapshot.get(keyspace, key),
        }
    }

    /// The values of `keys`, in their order.
    pub fn multi_get<K: AsRef<[u8]>>(
        &self,
        keyspace: &Keyspace,
        keys: &[K],
    ) -> Result<Vec<Option<Bytes>>, StoreError> {
        let mut values = self.snapshot.multi_get(keyspace, keys)?;
        for (key, value) in keys.iter().zip(&mut values) {
            if let Some(written) = self.written(keyspace, key.as_ref()) {
                value.clone_from(written);
            }
        }
        Ok(values)
    }

    /// The pairs whose keys lie in `range`, in `order`, with the writes this transaction made before this call.
    pub fn scan(&self, keyspace: &Keyspace, range: KeyRange, order: ScanOrder) -> Result<Scan, StoreError> {
        let overlay = self.written_in(keyspace, &range, order);
        let base = self.snapshot.scan_source(keyspace, range, order)?;
        if overlay.is_empty() {
            return Ok(Scan::new(base));
        }
        Ok(Scan::new(Some(Box::new(OverlaidScan::new(base, overlay, order)))))
    }

    /// Sets `key` to `value` when the transaction commits.
    ///
    /// # Errors
    /// [`StoreError::KeyLength`], [`StoreError::ValueTooLarge`], and [`StoreError::TooLarge`] when the transaction
    /// would grow over its bound; the transaction then still is as it was before the call.
    pub fn put(
        &mut self,
        keyspace: &Keyspace,
        key: impl Into<Bytes>,
        value: impl Into<Bytes>,
    ) -> Result<(), StoreError> {
        self.write(keyspace, key.into(), Some(value.into()))
    }

    /// Removes `key`, if it is there, when the transaction commits.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    pub fn delete(&mut self, keyspace: &Keyspace, key: impl Into<Bytes>) -> Result<(), StoreError> {
        self.write(keyspace, key.into(), None)
    }

    /// Demands that nobody else has committed a write of `key` (or created it) when this transaction commits: for
    /// keys that were only read, where the outcome depends on what was read.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    pub fn lock(&mut self, keyspace: &Keyspace, key: impl Into<Bytes>) -> Result<(), StoreError> {
        let key = key.into();
        keyspace.index_in(self.store)?;
        self.limits.check_key(|| keyspace.name().to_owned(), &key)?;
        let entry = (keyspace.id(), key);
        if self.locks.contains(&entry) {
            return Ok(());
        }
        let bytes = self.bytes + WRITE_OVERHEAD_BYTES + entry.1.len();
        self.limits.check_transaction(bytes)?;
        self.bytes = bytes;
        self.locks.insert(entry);
        Ok(())
    }

    /// The snapshot that the transaction reads, without its own writes.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// What the transaction counts against [`StoreLimits::transaction_bytes`].
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Makes the writes durable and visible, together. A transaction without writes always succeeds: it read one
    /// snapshot.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] and [`StoreError::SnapshotTooOld`] (both retryable) when it lost a race; then
    /// nothing was written. Any other error leaves open whether the transaction will be there after the store
    /// was opened again, but never in part.
    pub fn commit(mut self, durability: Durability) -> Result<(), StoreError> {
        if self.writes.is_empty() {
            return Ok(());
        }
        let footprint = self.take_footprint();
        self.engine.commit(self.began, footprint, durability)
    }

    fn take_footprint(&mut self) -> Footprint {
        let mut writes = Vec::with_capacity(self.writes.values().map(BTreeMap::len).sum());
        for (keyspace, pairs) in std::mem::take(&mut self.writes) {
            writes.extend(pairs.into_iter().map(|(key, value)| Write { keyspace, key, value }));
        }
        let locks = std::mem::take(&mut self.locks).into_iter().collect();
        Footprint { writes, locks, bytes: self.bytes }
    }

    fn write(&mut self, keyspace: &Keyspace, key: Bytes, value: Option<Bytes>) -> Result<(), StoreError> {
        let write = Write { keyspace: keyspace.id(), key, value };
        keyspace.index_in(self.store)?;
        self.limits.check_pair(|| keyspace.name().to_owned(), &write.key, write.value.as_ref())?;
        let replaced = match self.written(keyspace, &write.key) {
            Some(old) => WRITE_OVERHEAD_BYTES + write.key.len() + old.as_ref().map_or(0, |value| value.len()),
            None => 0,
        };
        let bytes = self.bytes - replaced + write.cost();
        self.limits.check_transaction(bytes)?;
        self.bytes = bytes;
        self.writes.entry(write.keyspace).or_default().insert(write.key, write.value);
        Ok(())
    }

    fn written(&self, keyspace: &Keyspace, key: &[u8]) -> Option<&Option<Bytes>> {
        self.writes.get(&keyspace.id())?.get(key)
    }

    fn written_in(
        &self,
        keyspace: &Keyspace,
        range: &KeyRange,
        order: ScanOrder,
    ) -> Vec<(Bytes, Option<Bytes>)> {
        let Some(writes) = self.writes.get(&keyspace.id()) else { return Vec::new() };
        if range.is_empty() {
            return Vec::new();
        }
        let bounds = (range.start().as_ref(), range.end().as_ref());
        let own = |(key, value): (&Bytes, &Option<Bytes>)| (key.clone(), value.clone());
        let within = writes.range::<Bytes, _>(bounds);
        match order {
            ScanOrder::Ascending => within.map(own).collect(),
            ScanOrder::Descending => within.rev().map(own).collect(),
        }
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        self.engine.end(self.began);
    }
}

impl std::fmt::Debug for Transaction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let writes: usize = self.writes.values().map(BTreeMap::len).sum();
        f.debug_struct("Transaction")
            .field("began", &self.began)
            .field("writes", &writes)
            .field("locks", &self.locks.len())
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}
