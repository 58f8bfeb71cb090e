//! Keyspaces and their names.

use store::{Durability, KeyspaceShape, MemoryStore, Store, StoreError, WriteBatch};

use crate::{keyspace, put};

pub fn a_keyspace_is_the_same_whoever_opens_it(store: &dyn Store) {
    put(store, &keyspace(store), "k", "v");
    let again = store.keyspace("things", KeyspaceShape::Large).unwrap();
    assert_eq!(store.snapshot().unwrap().get(&again, "k").unwrap().as_deref(), Some(&b"v"[..]));
}

pub fn keyspaces_do_not_share_keys(store: &dyn Store) {
    let other = store.keyspace("others", KeyspaceShape::Small).unwrap();
    put(store, &keyspace(store), "k", "v");
    assert_eq!(store.snapshot().unwrap().get(&other, "k").unwrap(), None);
}

pub fn names_are_listed_in_order(store: &dyn Store) {
    for name in ["b", "c", "a"] {
        store.keyspace(name, KeyspaceShape::Small).unwrap();
    }
    assert_eq!(store.keyspace_names(), ["a", "b", "c"]);
}

pub fn names_that_cannot_be_are_refused(store: &dyn Store) {
    for name in ["", "_internal", &"x".repeat(256)] {
        let refused = store.keyspace(name, KeyspaceShape::Small);
        assert!(matches!(refused, Err(StoreError::KeyspaceName { .. })), "{name}");
    }
    assert!(store.keyspace(&"x".repeat(255), KeyspaceShape::Small).is_ok());
    assert!(store.keyspace("with / and …", KeyspaceShape::Small).is_ok());
}

pub fn a_handle_of_another_store_is_refused(store: &dyn Store) {
    let stranger = MemoryStore::new().keyspace("things", KeyspaceShape::Small).unwrap();
    let foreign = |error: StoreError| assert!(matches!(error, StoreError::ForeignKeyspace { .. }), "{error}");
    foreign(store.snapshot().unwrap().get(&stranger, "k").unwrap_err());
    foreign(store.begin().unwrap().put(&stranger, "k", "v").unwrap_err());
    foreign(store.begin().unwrap().lock(&stranger, "k").unwrap_err());
    let mut batch = WriteBatch::new();
    batch.put(&stranger, "k", "v");
    foreign(store.write_batch(batch, Durability::Buffered).unwrap_err());
    foreign(store.ingest(&stranger, &mut std::iter::empty()).unwrap_err());
}
