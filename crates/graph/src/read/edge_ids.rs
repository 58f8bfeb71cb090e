//! Looks in the index of the ids that users chose for edges.

use values::{EdgeRef, Value};

use super::reader::Reader;
use crate::error::Result;
use crate::model::{EDGE_ID_KEY, for_each_equal_hash};
use crate::resident::Memory;
use crate::sections::{EDGE_ID_BYTES, EDGE_IDS, EdgeIdEntry, partition_of};

impl Memory {
    /// Whether the index has an edge under an id.
    pub(crate) fn has_edge_id(&self, id: &Value, e: EdgeRef) -> Result<bool> {
        let (guard, entry) = (crossbeam_epoch::pin(), EdgeIdEntry::new(id, e));
        let partition = self.ordered_partition(None, EDGE_IDS, entry.partition(), &guard)?;
        Ok(partition.is_some_and(|partition| partition.contains(&entry.key(), e.src)))
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
        let Some(partition) = self.ordered_partition(EDGE_IDS, partition_of(hash)) else { return };
        let from = hash.to_be_bytes();
        // Behind every key that begins with the hash.
        let mut to = [u8::MAX; EDGE_ID_BYTES + 1];
        to[..4].copy_from_slice(&from);
        let entries = partition.between(&from, &to, false);
        out.extend(entries.filter_map(|entry| EdgeIdEntry::parse(&entry)).map(EdgeIdEntry::edge));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use store::MemoryStore;

    use super::*;
    use crate::graph::Graph;
    use crate::model::{GraphOptions, index_hash};
    use crate::sections::{IndexPartition, PARTITIONS, edge_id_partition_key, index_entry};

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
        definer.clear((0..PARTITIONS).map(edge_id_partition_key));
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
