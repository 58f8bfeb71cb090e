//! The bounds of a store.

use crate::{Bytes, StoreError};

/// The longest key, in bytes.
pub const MAX_KEY_BYTES: usize = 65_535;

/// What a store accepts at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoreLimits {
    /// The most that one transaction or batch may hold: keys, values and 24 bytes for each write and lock.
    pub transaction_bytes: usize,
    /// The longest value, in bytes.
    pub value_bytes: usize,
    /// How many recent writes are remembered for conflict detection while transactions are open. A transaction
    /// that began before the oldest remembered one is refused with [`StoreError::SnapshotTooOld`].
    pub remembered_writes: usize,
    /// The most that one group commit gathers, in bytes; a larger batch is a group of its own.
    pub group_bytes: usize,
}

impl Default for StoreLimits {
    /// 64 MiB a transaction, 32 MiB a value, a million remembered writes (about 40 MiB), groups of 8 MiB.
    fn default() -> Self {
        Self {
            transaction_bytes: 64 << 20,
            value_bytes: 32 << 20,
            remembered_writes: 1 << 20,
            group_bytes: 8 << 20,
        }
    }
}

impl StoreLimits {
    /// Refuses a transaction of `bytes` when that is over the bound.
    pub(crate) fn check_transaction(&self, bytes: usize) -> Result<(), StoreError> {
        if bytes > self.transaction_bytes {
            return Err(StoreError::TooLarge { bytes, limit: self.transaction_bytes });
        }
        Ok(())
    }

    /// Refuses a key that no engine takes. `keyspace` names its keyspace for the message.
    pub(crate) fn check_key(&self, keyspace: impl Fn() -> String, key: &[u8]) -> Result<(), StoreError> {
        if key.is_empty() || key.len() > MAX_KEY_BYTES {
            return Err(StoreError::KeyLength {
                keyspace: keyspace(),
                bytes: key.len(),
                limit: MAX_KEY_BYTES,
            });
        }
        Ok(())
    }

    /// Refuses a pair whose key or value is over its bound.
    pub(crate) fn check_pair(
        &self,
        keyspace: impl Fn() -> String,
        key: &Bytes,
        value: Option<&Bytes>,
    ) -> Result<(), StoreError> {
        self.check_key(&keyspace, key)?;
        match value {
            Some(value) if value.len() > self.value_bytes => Err(StoreError::ValueTooLarge {
                keyspace: keyspace(),
                key: key.clone(),
                bytes: value.len(),
                limit: self.value_bytes,
            }),
            _ => Ok(()),
        }
    }
}
