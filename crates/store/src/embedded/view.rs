//! Snapshots and scans of the embedded engine.

use std::collections::VecDeque;
use std::sync::Arc;

use fjall::Readable;

use super::FjallEngine;
use crate::group_commit::CommitQueue;
use crate::scan::{ENOUGH_BYTES, Pair, ScanSource};
use crate::snapshot::SnapshotSource;
use crate::{Bytes, KeyRange, Keyspace, ScanOrder, StoreError};

/// A snapshot of the engine; it keeps the engine open.
pub(super) struct View {
    snapshot: fjall::Snapshot,
    queue: Arc<CommitQueue<FjallEngine>>,
}

impl View {
    /// A view of everything that is visible now.
    pub(super) fn open(queue: &Arc<CommitQueue<FjallEngine>>) -> Self {
        Self { snapshot: queue.sink().database.snapshot(), queue: Arc::clone(queue) }
    }

    fn engine(&self) -> &FjallEngine {
        self.queue.sink()
    }
}

impl SnapshotSource for View {
    fn get(&self, keyspace: &Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        let keyspace = self.engine().engine_keyspace(keyspace)?;
        let value = self.snapshot.get(&keyspace, key).map_err(|error| self.engine().failed(error))?;
        Ok(value.map(Bytes::from_slice))
    }

    fn multi_get(
        &self,
        keyspace: &Keyspace,
        keys: &[&[u8]],
        values: &mut Vec<Option<Bytes>>,
    ) -> Result<(), StoreError> {
        let keyspace = self.engine().engine_keyspace(keyspace)?;
        for key in keys {
            let value = self.snapshot.get(&keyspace, key).map_err(|error| self.engine().failed(error))?;
            values.push(value.map(Bytes::from_slice));
        }
        Ok(())
    }

    fn scan(
        &self,
        keyspace: &Keyspace,
        range: KeyRange,
        order: ScanOrder,
    ) -> Result<Box<dyn ScanSource>, StoreError> {
        let keyspace = self.engine().engine_keyspace(keyspace)?;
        let bounds = (range.start().clone(), range.end().clone());
        let rest = self.snapshot.range::<Bytes, _>(&keyspace, bounds);
        Ok(Box::new(ViewScan { rest, order, queue: Arc::clone(&self.queue) }))
    }
}

/// A scan of a view.
struct ViewScan {
    rest: fjall::Iter,
    order: ScanOrder,
    queue: Arc<CommitQueue<FjallEngine>>,
}

impl ScanSource for ViewScan {
    fn fill(&mut self, pairs: &mut VecDeque<Pair>, limit: usize) -> Result<(), StoreError> {
        let mut bytes = 0;
        for _ in 0..limit {
            let next = match self.order {
                ScanOrder::Ascending => self.rest.next(),
                ScanOrder::Descending => self.rest.next_back(),
            };
            let Some(guard) = next else { break };
            let (key, value) = guard.into_inner().map_err(|error| self.queue.sink().failed(error))?;
            bytes += value.len();
            pairs.push_back((Bytes::from_slice(key), Bytes::from_slice(value)));
            if bytes >= ENOUGH_BYTES {
                break;
            }
        }
        Ok(())
    }
}
