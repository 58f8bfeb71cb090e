//! Ordered scans, in batches inside and pair by pair outside.

use std::collections::VecDeque;
use std::iter::Peekable;

use crate::{Bytes, ScanOrder, StoreError};

/// The first batch of a scan is small, because many scans are for one pair; each next one is twice as large.
const FIRST_BATCH: usize = 4;
/// The largest batch of a scan, in pairs.
const LARGEST_BATCH: usize = 256;

/// Bytes of a batch after which it takes no further pair: values may be large, and a scan may be of many.
pub(crate) const ENOUGH_BYTES: usize = 1 << 20;

/// A key and its value.
pub type Pair = (Bytes, Bytes);

/// A running scan: an iterator of key-value pairs in the order asked for. After an error it ends.
pub struct Scan {
    source: Option<Box<dyn ScanSource>>,
    ready: VecDeque<Pair>,
    batch: usize,
}

/// What an engine provides for a scan.
pub trait ScanSource: Send {
    /// Appends up to `limit` (at least one) next pairs, fewer if they are large. Appending none means that there are no more.
    fn fill(&mut self, pairs: &mut VecDeque<Pair>, limit: usize) -> Result<(), StoreError>;
}

impl Scan {
    /// A scan of `source`; of nothing when there is none.
    pub(crate) fn new(source: Option<Box<dyn ScanSource>>) -> Self {
        Self { source, ready: VecDeque::new(), batch: FIRST_BATCH }
    }

    fn refill(&mut self) -> Result<(), StoreError> {
        let Some(source) = &mut self.source else { return Ok(()) };
        let filled = source.fill(&mut self.ready, self.batch);
        self.batch = (self.batch * 2).min(LARGEST_BATCH);
        if filled.is_err() || self.ready.is_empty() {
            self.source = None;
        }
        filled
    }
}

impl Iterator for Scan {
    type Item = Result<Pair, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ready.is_empty()
            && let Err(error) = self.refill()
        {
            return Some(Err(error));
        }
        self.ready.pop_front().map(Ok)
    }
}

impl std::fmt::Debug for Scan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scan").field("ready", &self.ready.len()).finish_non_exhaustive()
    }
}

/// A scan of a snapshot with a transaction's own writes laid over it.
pub(crate) struct OverlaidScan {
    base: Option<Box<dyn ScanSource>>,
    base_ready: VecDeque<Pair>,
    overlay: Peekable<std::vec::IntoIter<(Bytes, Option<Bytes>)>>,
    order: ScanOrder,
}

impl OverlaidScan {
    /// `overlay` lists the transaction's writes in the range of the scan, in its order; none as value deletes.
    pub(crate) fn new(
        base: Option<Box<dyn ScanSource>>,
        overlay: Vec<(Bytes, Option<Bytes>)>,
        order: ScanOrder,
    ) -> Self {
        Self { base, base_ready: VecDeque::new(), overlay: overlay.into_iter().peekable(), order }
    }

    fn refill_base(&mut self, limit: usize) -> Result<(), StoreError> {
        if let Some(base) = &mut self.base
            && self.base_ready.is_empty()
        {
            base.fill(&mut self.base_ready, limit)?;
            if self.base_ready.is_empty() {
                self.base = None;
            }
        }
        Ok(())
    }

    /// Whether the overlay's next write comes before, or replaces, the snapshot's next pair.
    fn overlay_is_next(&mut self) -> bool {
        let Some((written, _)) = self.overlay.peek() else { return false };
        let Some((stored, _)) = self.base_ready.front() else { return true };
        match self.order {
            ScanOrder::Ascending => written <= stored,
            ScanOrder::Descending => written >= stored,
        }
    }
}

impl ScanSource for OverlaidScan {
    fn fill(&mut self, pairs: &mut VecDeque<Pair>, limit: usize) -> Result<(), StoreError> {
        let (wanted, mut bytes) = (pairs.len() + limit, 0);
        while pairs.len() < wanted && bytes < ENOUGH_BYTES {
            self.refill_base(limit)?;
            if self.overlay_is_next() {
                let Some((key, value)) = self.overlay.next() else { break };
                self.base_ready.pop_front_if(|(stored, _)| *stored == key);
                if let Some(value) = value {
                    bytes += value.len();
                    pairs.push_back((key, value));
                }
            } else if let Some(pair) = self.base_ready.pop_front() {
                bytes += pair.1.len();
                pairs.push_back(pair);
            } else {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Durability, FjallOptions, FjallStore, KeyRange, KeyspaceShape, Store, WriteBatch};

    #[test]
    fn a_scan_of_large_values_reads_few_of_them_ahead() {
        const PAIRS: u32 = 40;
        let directory = tempfile::tempdir().unwrap();
        let store = FjallStore::open(directory.path(), FjallOptions::default()).unwrap();
        let keyspace = store.keyspace("things", KeyspaceShape::Large).unwrap();
        let value = |n: u32| vec![n as u8; ENOUGH_BYTES / 2];
        for n in 0..PAIRS {
            let mut batch = WriteBatch::new();
            batch.put(&keyspace, n.to_be_bytes(), value(n));
            store.write_batch(batch, Durability::Buffered).unwrap();
        }
        let snapshot = store.snapshot().unwrap();
        let mut transaction = store.begin().unwrap();
        transaction.put(&keyspace, [0xff], value(PAIRS)).unwrap();
        let of_snapshot = snapshot.scan(&keyspace, KeyRange::all(), ScanOrder::Ascending).unwrap();
        let overlaid = transaction.scan(&keyspace, KeyRange::all(), ScanOrder::Ascending).unwrap();
        for (mut scan, pairs) in [(of_snapshot, PAIRS), (overlaid, PAIRS + 1)] {
            let mut found = 0;
            while let Some(pair) = scan.next() {
                assert_eq!(&pair.unwrap().1[..], value(found));
                assert!(scan.ready.len() <= 2, "{} pairs are read ahead", scan.ready.len());
                found += 1;
            }
            assert_eq!(found, pairs);
        }
    }
}
