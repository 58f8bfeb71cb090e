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

use super::reader::Reader;
use crate::apply::Application;
use crate::error::Result;
use crate::model::{EDGE_ID_KEY, Tick, for_each_equal_hash, index_hash};
use crate::resident::Memory;
use crate::sections::{EDGE_IDS, EntryRef, OrderedPartition, PARTITIONS, SectionKey, partition_of};

/// Bytes of a key.
const KEY: usize = 14;

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

    fn key(self) -> [u8; KEY] {
        let mut key = [0; KEY];
        key[..4].copy_from_slice(&self.hash.to_be_bytes());
        key[4..6].copy_from_slice(&self.label.to_be_bytes());
        key[6..10].copy_from_slice(&self.seq.to_be_bytes());
        key[10..].copy_from_slice(&self.dst.to_be_bytes());
        key
    }

    fn parse((key, src): &EntryRef<'_>) -> Option<Self> {
        let key: &[u8; KEY] = key[..].try_into().ok()?;
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
pub(crate) fn partition(settled: Tick, entries: &[EdgeIdEntry]) -> OrderedPartition {
    OrderedPartition::of(settled, entries.iter().map(|entry| (entry.key(), VertexRef(entry.src))))
}

/// The name of one of the partitions.
pub(crate) fn partition_key(partition: usize) -> SectionKey {
    SectionKey::Ordered { index: EDGE_IDS as u32, partition: partition as u8 }
}

impl Memory {
    /// Whether the index has an edge under an id.
    pub(crate) fn has_edge_id(&self, id: &Value, e: EdgeRef) -> Result<bool> {
        let (guard, entry) = (crossbeam_epoch::pin(), EdgeIdEntry::new(id, e));
        let partition = self.ordered_partition(EDGE_IDS, entry.partition(), &guard)?;
        Ok(partition.is_some_and(|partition| partition.contains(&entry.key(), e.src)))
    }
}

impl Application<'_> {
    /// Puts an edge with an id of the user into the index, or takes it out.
    pub(crate) fn change_edge_id(&mut self, id: &Value, e: EdgeRef, added: bool) -> Result<()> {
        let entry = EdgeIdEntry::new(id, e);
        let cell = self.memory.ordered.get_or_grow(EDGE_IDS * PARTITIONS + entry.partition());
        let tick = self.tick;
        self.change(cell, partition_key(entry.partition()), KEY, OrderedPartition::empty, |section| {
            section.push(tick, (entry.key().into(), e.src), added);
        })
    }
}

impl Reader<'_> {
    /// The edge to which a user gave this id.
    pub(crate) fn edge_by_user_id(&self, id: &Value) -> Option<EdgeRef> {
        let mut candidates = Vec::new();
        for_each_equal_hash(id, |hash| {
            if let Some(own) = self.own {
                own.candidates(&own.overlay.edge_ids, &hash, &mut candidates);
            }
            self.edge_id_candidates(hash, &mut candidates);
        });
        let has_id = |e: &EdgeRef| {
            let place = self.edge_place(*e);
            place.and_then(|place| place.value(EDGE_ID_KEY)).is_some_and(|user| user.equals(id))
        };
        candidates.into_iter().find(has_id).or_else(|| self.edge_by_id_of_its_source(id))
    }

    fn edge_id_candidates(&self, hash: u32, out: &mut Vec<EdgeRef>) {
        match self.memory.ordered_partition_for(self.request(), EDGE_IDS, partition_of(hash), &self.guard) {
            Ok(Some(partition)) => {
                let from = hash.to_be_bytes();
                // Behind every key that begins with the hash.
                let mut to = [u8::MAX; KEY + 1];
                to[..4].copy_from_slice(&from);
                let entries = partition.between(&from, &to, false);
                out.extend(entries.filter_map(|entry| EdgeIdEntry::parse(&entry)).map(EdgeIdEntry::edge));
            }
            Ok(None) => {}
            Err(error) => self.snapshot().fail(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use store::MemoryStore;

    use super::*;
    use crate::graph::Graph;
    use crate::model::GraphOptions;
    use crate::sections::{IndexPartition, index_entry};

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

    #[test]
    fn edges_from_before_format_7_are_found_by_their_ids() {
        let graph = Graph::open(Arc::new(MemoryStore::new()), GraphOptions::default()).unwrap();
        let ids = ["old", "older", "new"].map(Value::str);
        let transaction = graph.begin();
        let v = transaction.add_vertex(None, "v").unwrap();
        let old = [0, 1].map(|n| transaction.add_edge(Some(ids[n].clone()), "e", v, v).unwrap());
        transaction.commit().unwrap();
        // As format 6 had it.
        let (definer, guard) = (graph.definer(), crossbeam_epoch::pin());
        definer.clear((0..PARTITIONS).map(partition_key));
        for id in &ids[..2] {
            let hash = index_hash(id);
            let cell = definer.indexes.get_or_grow(EDGE_IDS * PARTITIONS + partition_of(hash));
            let partition = IndexPartition::new(0, [index_entry(hash, v)].into());
            cell.replace(partition, &definer.cache.account, &guard);
        }
        drop(guard);
        let find = |id: &Value| graph.snapshot().reader().edge_by_id(id);
        assert_eq!([find(&ids[0]), find(&ids[1])], old.map(Some));
        let transaction = graph.begin();
        assert!(transaction.add_edge(Some(ids[1].clone()), "e", v, v).is_err(), "its id is taken");
        let new = transaction.add_edge(Some(ids[2].clone()), "e", v, v).unwrap();
        transaction.drop_edge(old[0]).unwrap();
        transaction.commit().unwrap();
        assert_eq!(ids.each_ref().map(find), [None, Some(old[1]), Some(new)]);
    }
}
