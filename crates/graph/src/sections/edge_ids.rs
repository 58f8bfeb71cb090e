//! The index of the ids that users chose for edges: from the hash of an id to the edges that may have it.
//!
//! ```text
//! key     hash u32 │ label u16 │ sequence number u32 │ target u32     big-endian, in a range index of partitions by hash
//! vertex  source
//! ```
//!
//! An entry is the whole edge, so that it is found by its id as fast in a hub of millions of edges as anywhere, and so that
//! no two edges share an entry: dropping one takes away its own. As in every index, entries are a superset of what a snapshot
//! may find, and whoever looks compares the id.

use values::{EdgeRef, Value, VertexRef};

use super::index::{EDGE_IDS, partition_of};
use super::key::SectionKey;
use super::ordered::{EntryRef, OrderedPartition};
use crate::model::{Tick, index_hash};

/// Bytes of a key.
pub(crate) const EDGE_ID_BYTES: usize = 14;

/// An edge under the hash of its id. Entries ascend as the index has them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct EdgeIdEntry {
    pub(crate) hash: u32,
    label: u16,
    seq: u32,
    dst: u32,
    src: u32,
}

impl EdgeIdEntry {
    /// The entry of an edge that has this id.
    pub(crate) fn new(id: &Value, e: EdgeRef) -> Self {
        Self { hash: index_hash(id), label: e.label, seq: e.seq, dst: e.dst.0, src: e.src.0 }
    }

    pub(crate) fn edge(self) -> EdgeRef {
        EdgeRef { src: VertexRef(self.src), dst: VertexRef(self.dst), seq: self.seq, label: self.label }
    }

    pub(crate) fn partition(self) -> usize {
        partition_of(self.hash)
    }

    pub(crate) fn key(self) -> [u8; EDGE_ID_BYTES] {
        let mut key = [0; EDGE_ID_BYTES];
        key[..4].copy_from_slice(&self.hash.to_be_bytes());
        key[4..6].copy_from_slice(&self.label.to_be_bytes());
        key[6..10].copy_from_slice(&self.seq.to_be_bytes());
        key[10..].copy_from_slice(&self.dst.to_be_bytes());
        key
    }

    pub(crate) fn parse((key, src): &EntryRef<'_>) -> Option<Self> {
        let key: &[u8; EDGE_ID_BYTES] = key[..].try_into().ok()?;
        let [_, _, _, _, l0, l1, s0, s1, s2, s3, d0, d1, d2, d3] = *key;
        Some(Self {
            hash: u32::from_be_bytes([key[0], key[1], key[2], key[3]]),
            label: u16::from_be_bytes([l0, l1]),
            seq: u32::from_be_bytes([s0, s1, s2, s3]),
            dst: u32::from_be_bytes([d0, d1, d2, d3]),
            src: src.0,
        })
    }
}

/// A base of entries that ascend, and are of one partition.
pub(crate) fn edge_id_partition(settled: Tick, entries: &[EdgeIdEntry]) -> OrderedPartition {
    OrderedPartition::of(settled, entries.iter().map(|entry| (entry.key(), VertexRef(entry.src))))
}

/// The name of one of the partitions.
pub(crate) fn edge_id_partition_key(partition: usize) -> SectionKey {
    SectionKey::ordered(EDGE_IDS, partition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_comes_back_from_its_key_and_keys_ascend_as_entries_do() {
        let mut entries = Vec::new();
        for (label, seq, dst, src) in
            [(0, 0, 0, 0), (1, 2, 3, 4), (0, 256, 1, 70_000), (u16::MAX, 9, u32::MAX, 1)]
        {
            for id in ["a", "b", "c"] {
                let e = EdgeRef { src: VertexRef(src), dst: VertexRef(dst), seq, label };
                let entry = EdgeIdEntry::new(&Value::str(id), e);
                assert_eq!(entry.edge(), e);
                assert_eq!(EdgeIdEntry::parse(&(entry.key().to_vec().into(), e.src)), Some(entry));
                entries.push(entry);
            }
        }
        entries.sort_unstable();
        assert!(entries.is_sorted_by_key(|entry| (entry.key(), entry.src)));
    }
}
