//! Writes on their way to the store.

use crate::keyspace::KeyspaceId;
use crate::{Bytes, Keyspace};

/// Writes that become visible and durable together, or not at all. Later writes of one key replace earlier ones.
#[derive(Clone, Default, Debug)]
pub struct WriteBatch {
    writes: Vec<Write>,
    bytes: usize,
}

/// One put or delete.
#[derive(Clone, Debug)]
pub struct Write {
    pub(crate) keyspace: KeyspaceId,
    pub(crate) key: Bytes,
    /// The new value; none deletes the key.
    pub(crate) value: Option<Bytes>,
}

impl Write {
    /// What the write costs against the bound on transactions, in bytes: its data and a constant for the log.
    pub(crate) fn cost(&self) -> usize {
        WRITE_OVERHEAD_BYTES + self.key.len() + self.value.as_ref().map_or(0, |value| value.len())
    }
}

/// What one write costs beside its key and value, in bytes: the entry's header in the engine's log.
pub(crate) const WRITE_OVERHEAD_BYTES: usize = 24;

impl WriteBatch {
    /// A batch without writes.
    pub fn new() -> Self {
        Self::default()
    }

    /// A batch without writes that has room for `writes` of them.
    pub fn with_capacity(writes: usize) -> Self {
        Self { writes: Vec::with_capacity(writes), bytes: 0 }
    }

    /// Sets `key` to `value`.
    pub fn put(&mut self, keyspace: &Keyspace, key: impl Into<Bytes>, value: impl Into<Bytes>) {
        self.push(Write { keyspace: keyspace.id(), key: key.into(), value: Some(value.into()) });
    }

    /// Removes `key`, if it is there.
    pub fn delete(&mut self, keyspace: &Keyspace, key: impl Into<Bytes>) {
        self.push(Write { keyspace: keyspace.id(), key: key.into(), value: None });
    }

    /// The number of writes.
    pub fn len(&self) -> usize {
        self.writes.len()
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// What the batch counts against [`StoreLimits::transaction_bytes`](crate::StoreLimits::transaction_bytes).
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn push(&mut self, write: Write) {
        self.bytes += write.cost();
        self.writes.push(write);
    }

    pub(crate) fn into_writes(self) -> Vec<Write> {
        self.writes
    }

    pub(crate) fn writes(&self) -> &[Write] {
        &self.writes
    }
}
