//! Keyspaces: the named, independently ordered maps of a store.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::StoreError;

/// The longest name of a keyspace, in bytes.
pub const MAX_KEYSPACE_NAME_BYTES: usize = 255;

/// Names with this prefix belong to the store itself.
const RESERVED_PREFIX: &str = "_";

/// A handle of one keyspace: an ordered map from byte strings to byte strings. Cheap to clone.
#[derive(Clone)]
pub struct Keyspace {
    id: KeyspaceId,
    name: Arc<str>,
}

/// Which keyspace of which open store; what a buffered write carries instead of a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct KeyspaceId {
    /// The open store that gave the handle out; unique in the process.
    pub(crate) store: u32,
    /// The position in that store's table of keyspaces.
    pub(crate) index: u32,
}

impl Keyspace {
    pub(crate) fn new(id: KeyspaceId, name: &str) -> Self {
        Self { id, name: name.into() }
    }

    /// The name under which the keyspace was opened.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn id(&self) -> KeyspaceId {
        self.id
    }

    /// The position in the table of the store numbered `store`, or an error when another store gave the handle out.
    pub(crate) fn index_in(&self, store: u32) -> Result<usize, StoreError> {
        if self.id.store == store {
            Ok(self.id.index as usize)
        } else {
            Err(StoreError::ForeignKeyspace { name: self.name.to_string() })
        }
    }
}

impl fmt::Debug for Keyspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keyspace({})", self.name)
    }
}

/// How the values of a keyspace look, so that an engine can lay them out well. It counts when the keyspace is
/// created; opening an existing one keeps what it was created with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum KeyspaceShape {
    /// Small values, point reads and short scans: indexes, catalog, log.
    #[default]
    Small,
    /// Values of up to megabytes, read one by one, which who writes them has compressed where it pays: sections of
    /// vertex blocks, nodes of edge-trees.
    Large,
}

/// A number for a store that is being opened, unique in the process.
pub(crate) fn next_store_number() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Refuses names that no engine may be asked to open.
pub(crate) fn check_name(name: &str) -> Result<(), StoreError> {
    let reason = if name.is_empty() {
        "it is empty"
    } else if name.len() > MAX_KEYSPACE_NAME_BYTES {
        "it is longer than 255 bytes"
    } else if name.starts_with(RESERVED_PREFIX) {
        "names that start with '_' belong to the store"
    } else {
        return Ok(());
    };
    Err(StoreError::KeyspaceName { name: name.to_owned(), reason })
}
