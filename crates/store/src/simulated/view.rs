//! Reads that fail, or return what was never written.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

use super::SimulatedEngine;
use super::disk::Disk;
use super::faults::ReadFault;
use crate::memory::View;
use crate::scan::{Pair, ScanSource};
use crate::snapshot::SnapshotSource;
use crate::{Bytes, KeyRange, Keyspace, ScanOrder, StoreError};

/// A view of what is visible now, read through a disk that fails now and then.
pub(super) struct FaultyView {
    view: View,
    reads: Reads,
}

/// Asks the disk before every read.
#[derive(Clone)]
struct Reads {
    disk: Arc<Mutex<Disk>>,
    life: u64,
}

impl Reads {
    fn fault(&self) -> Result<Option<ReadFault>, StoreError> {
        self.disk.lock().read_fault(self.life)
    }

    fn damaged(&self, fault: ReadFault, value: &Bytes) -> Bytes {
        self.disk.lock().damage(fault, value)
    }
}

impl FaultyView {
    pub(super) fn open(engine: &SimulatedEngine) -> Self {
        let view = View::open(&engine.versions, engine.number);
        Self { view, reads: Reads { disk: Arc::clone(&engine.disk), life: engine.life } }
    }
}

impl SnapshotSource for FaultyView {
    fn get(&self, keyspace: &Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        let fault = self.reads.fault()?;
        let value = self.view.get(keyspace, key)?;
        Ok(match fault {
            Some(fault) => value.map(|value| self.reads.damaged(fault, &value)),
            None => value,
        })
    }

    fn multi_get(
        &self,
        keyspace: &Keyspace,
        keys: &[&[u8]],
        values: &mut Vec<Option<Bytes>>,
    ) -> Result<(), StoreError> {
        for key in keys {
            values.push(self.get(keyspace, key)?);
        }
        Ok(())
    }

    fn scan(
        &self,
        keyspace: &Keyspace,
        range: KeyRange,
        order: ScanOrder,
    ) -> Result<Box<dyn ScanSource>, StoreError> {
        let source = self.view.scan(keyspace, range, order)?;
        Ok(Box::new(FaultyScan { source, reads: self.reads.clone() }))
    }
}

/// A scan of which any batch can fail, or hold a value that was never written.
struct FaultyScan {
    source: Box<dyn ScanSource>,
    reads: Reads,
}

impl ScanSource for FaultyScan {
    fn fill(&mut self, pairs: &mut VecDeque<Pair>, limit: usize) -> Result<(), StoreError> {
        let fault = self.reads.fault()?;
        self.source.fill(pairs, limit)?;
        if let (Some(fault), Some((_, value))) = (fault, pairs.back_mut()) {
            *value = self.reads.damaged(fault, value);
        }
        Ok(())
    }
}
