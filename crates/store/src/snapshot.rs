//! Reading: one moment of all keyspaces.

use std::sync::Arc;

use crate::scan::{Scan, ScanSource};
use crate::{Bytes, KeyRange, Keyspace, ScanOrder, StoreError};

/// One moment of all keyspaces; later writes do not disturb it. Cheap to clone, and free to be sent to any thread.
#[derive(Clone)]
pub struct Snapshot {
    source: Arc<dyn SnapshotSource>,
}

/// What an engine provides for a snapshot. The calls take batches, so that dispatch is paid per batch.
pub trait SnapshotSource: Send + Sync {
    /// The value of one key.
    fn get(&self, keyspace: &Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError>;

    /// Appends the value of every key, in the order of `keys`.
    fn multi_get(
        &self,
        keyspace: &Keyspace,
        keys: &[&[u8]],
        values: &mut Vec<Option<Bytes>>,
    ) -> Result<(), StoreError>;

    /// Begins a scan; `range` is not empty.
    fn scan(
        &self,
        keyspace: &Keyspace,
        range: KeyRange,
        order: ScanOrder,
    ) -> Result<Box<dyn ScanSource>, StoreError>;
}

impl Snapshot {
    pub(crate) fn new(source: Arc<dyn SnapshotSource>) -> Self {
        Self { source }
    }

    /// The value of `key`, if it has one.
    pub fn get(&self, keyspace: &Keyspace, key: impl AsRef<[u8]>) -> Result<Option<Bytes>, StoreError> {
        self.source.get(keyspace, key.as_ref())
    }

    /// The values of `keys`, in their order; none where a key has no value.
    pub fn multi_get<K: AsRef<[u8]>>(
        &self,
        keyspace: &Keyspace,
        keys: &[K],
    ) -> Result<Vec<Option<Bytes>>, StoreError> {
        let keys: Vec<&[u8]> = keys.iter().map(AsRef::as_ref).collect();
        let mut values = Vec::with_capacity(keys.len());
        self.source.multi_get(keyspace, &keys, &mut values)?;
        Ok(values)
    }

    /// The pairs whose keys lie in `range`, in `order`. The scan keeps the snapshot alive.
    pub fn scan(&self, keyspace: &Keyspace, range: KeyRange, order: ScanOrder) -> Result<Scan, StoreError> {
        Ok(Scan::new(self.scan_source(keyspace, range, order)?))
    }

    pub(crate) fn scan_source(
        &self,
        keyspace: &Keyspace,
        range: KeyRange,
        order: ScanOrder,
    ) -> Result<Option<Box<dyn ScanSource>>, StoreError> {
        if range.is_empty() {
            return Ok(None);
        }
        self.source.scan(keyspace, range, order).map(Some)
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Snapshot")
    }
}
