//! What is in a store, to put parts of it into another one: a flush that ended anywhere.

use std::sync::Arc;

use store::{Durability, KeyRange, KeyspaceShape, MemoryStore, ScanOrder, Store, WriteBatch};

/// Keyspace, key and value of each.
pub type Pairs = Vec<(String, Vec<u8>, Vec<u8>)>;

/// Everything in a store.
pub fn pairs(store: &Arc<dyn Store>) -> Pairs {
    let mut pairs = Vec::new();
    let snapshot = store.snapshot().unwrap();
    for name in store.keyspace_names() {
        let shape = if name == "sections" { KeyspaceShape::Large } else { KeyspaceShape::Small };
        let keyspace = store.keyspace(&name, shape).unwrap();
        for pair in snapshot.scan(&keyspace, KeyRange::all(), ScanOrder::Ascending).unwrap() {
            let (key, value) = pair.unwrap();
            pairs.push((name.clone(), key.to_vec(), value.to_vec()));
        }
    }
    pairs
}

/// A store that has these, the later ones in place of those before.
pub fn filled<'p>(pairs: impl IntoIterator<Item = &'p (String, Vec<u8>, Vec<u8>)>) -> Arc<dyn Store> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    for (name, key, value) in pairs {
        let shape = if name == "sections" { KeyspaceShape::Large } else { KeyspaceShape::Small };
        let keyspace = store.keyspace(name, shape).unwrap();
        let mut batch = WriteBatch::new();
        batch.put(&keyspace, key.clone(), value.clone());
        store.write_batch(batch, Durability::Sync).unwrap();
    }
    store
}
