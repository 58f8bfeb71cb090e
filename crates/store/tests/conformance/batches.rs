//! Batches without validation.

use store::{Durability, KeyRange, ScanOrder, Store, StoreError, WriteBatch};

use crate::{keyspace, put};

pub fn a_batch_is_visible_as_a_whole(store: &dyn Store) {
    let things = keyspace(store);
    put(store, &things, "old", "v");
    let mut batch = WriteBatch::with_capacity(3);
    batch.put(&things, "a", "1");
    batch.put(&things, "b", "2");
    batch.delete(&things, "old");
    assert_eq!(batch.len(), 3);
    store.write_batch(batch, Durability::Sync).unwrap();
    let snapshot = store.snapshot().unwrap();
    let scan = snapshot.scan(&things, KeyRange::all(), ScanOrder::Ascending).unwrap();
    assert_eq!(crate::keys(scan), ["a", "b"]);
}

pub fn the_last_write_of_a_key_counts(store: &dyn Store) {
    let things = keyspace(store);
    put(store, &things, "put-deleted", "old");
    let mut batch = WriteBatch::new();
    batch.put(&things, "twice", "1");
    batch.put(&things, "twice", "2");
    batch.put(&things, "put-deleted", "1");
    batch.delete(&things, "put-deleted");
    batch.delete(&things, "deleted-put");
    batch.put(&things, "deleted-put", "3");
    store.write_batch(batch, Durability::Buffered).unwrap();
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.get(&things, "twice").unwrap().unwrap(), b"2");
    assert_eq!(snapshot.get(&things, "put-deleted").unwrap(), None);
    assert_eq!(snapshot.get(&things, "deleted-put").unwrap().unwrap(), b"3");
}

pub fn a_batch_with_one_bad_write_writes_nothing(store: &dyn Store) {
    let things = keyspace(store);
    let mut batch = WriteBatch::new();
    batch.put(&things, "good", "v");
    batch.put(&things, "", "a key must not be empty");
    let refused = store.write_batch(batch, Durability::Buffered).unwrap_err();
    assert!(matches!(refused, StoreError::KeyLength { bytes: 0, .. }), "{refused}");
    assert_eq!(store.snapshot().unwrap().get(&things, "good").unwrap(), None);
}

pub fn an_empty_batch_is_fine(store: &dyn Store) {
    store.write_batch(WriteBatch::new(), Durability::Sync).unwrap();
    store.sync().unwrap();
}
