//! The durable key-value contract and its implementations.
//!
//! [`Store`] is what the layers above may ask of a key-value engine: named keyspaces, snapshots, ordered scans,
//! transactions with a typed, retryable conflict, atomic batches with a chosen durability, and bulk ingestion.
//! [`FjallStore`] keeps a directory on disk, with group commit; [`MemoryStore`] is for tests and for graphs that
//! need not outlive the process; `SimulatedDisk` (feature `simulation`) is for tests of what happens when a disk fails.
//! All answer to the same conformance suite (`tests/conformance`).
//!
//! ```
//! use store::{Durability, KeyspaceShape, KeyRange, MemoryStore, ScanOrder, Store};
//!
//! let store = MemoryStore::new();
//! let people = store.keyspace("people", KeyspaceShape::Small)?;
//! let mut transaction = store.begin()?;
//! transaction.put(&people, "ada", "1815")?;
//! transaction.put(&people, "grace", "1906")?;
//! transaction.commit(Durability::Sync)?;
//!
//! let snapshot = store.snapshot()?;
//! assert_eq!(snapshot.get(&people, "ada")?.as_deref(), Some(&b"1815"[..]));
//! assert_eq!(snapshot.scan(&people, KeyRange::all(), ScanOrder::Descending)?.count(), 2);
//! # Ok::<(), store::StoreError>(())
//! ```
//!
//! Invariant: this crate knows nothing of graphs.

mod batch;
mod bytes;
mod conflict;
mod contract;
mod embedded;
mod error;
mod group_commit;
mod ingest;
mod keyspace;
mod limits;
mod local;
mod memory;
mod observed;
mod range;
mod scan;
mod scratch;
#[cfg(feature = "simulation")]
mod simulated;
mod snapshot;
mod transaction;

pub use batch::WriteBatch;
pub use bytes::Bytes;
pub use contract::{ApproximateSize, Durability, Ingested, Pairs, Store};
pub use embedded::{FjallOptions, FjallStore};
pub use error::StoreError;
pub use keyspace::{Keyspace, KeyspaceShape, MAX_KEYSPACE_NAME_BYTES};
pub use limits::{MAX_KEY_BYTES, StoreLimits};
pub use local::LocalStore;
pub use memory::MemoryStore;
pub use observed::ObservedStore;
pub use range::{KeyRange, ScanOrder};
pub use scan::{Pair, Scan};
pub use scratch::Scratch;
#[cfg(feature = "simulation")]
pub use simulated::{FaultCounts, Outage, SimulatedDisk, SimulatedEngine, SimulatedFaults, SimulatedStore};
pub use snapshot::Snapshot;
pub use transaction::Transaction;
