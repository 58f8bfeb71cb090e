//! The bounds, and the end.

use store::{Durability, KeyRange, MAX_KEY_BYTES, ScanOrder, Store, StoreError, WriteBatch};

use crate::{keyspace, limits, put};

pub fn a_transaction_over_its_bound_refuses_the_write_and_stays_usable(store: &dyn Store) {
    let things = keyspace(store);
    let mut transaction = store.begin().unwrap();
    let value = vec![7; 100 << 10];
    transaction.put(&things, "a", value.clone()).unwrap();
    transaction.put(&things, "b", value.clone()).unwrap();
    let held = transaction.bytes();
    let refused = transaction.put(&things, "c", value.clone()).unwrap_err();
    assert!(matches!(refused, StoreError::TooLarge { limit, .. } if limit == limits().transaction_bytes));
    assert!(refused.to_string().contains("smaller chunks"), "{refused}");
    assert_eq!((transaction.bytes(), transaction.get(&things, "c").unwrap()), (held, None));
    transaction.put(&things, "b", "small").unwrap();
    transaction.put(&things, "c", value).unwrap();
    transaction.commit(Durability::Buffered).unwrap();
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.get(&things, "b").unwrap().unwrap(), b"small");
    assert_eq!(snapshot.get(&things, "c").unwrap().unwrap().len(), 100 << 10);
}

pub fn keys_have_one_to_65535_bytes(store: &dyn Store) {
    let things = keyspace(store);
    let longest = vec![b'x'; MAX_KEY_BYTES];
    let mut transaction = store.begin().unwrap();
    transaction.put(&things, longest.clone(), "v").unwrap();
    for bytes in [0, MAX_KEY_BYTES + 1] {
        let refused = transaction.put(&things, vec![b'x'; bytes], "v").unwrap_err();
        assert!(matches!(refused, StoreError::KeyLength { bytes: b, .. } if b == bytes));
        let refused = transaction.lock(&things, vec![b'x'; bytes]).unwrap_err();
        assert!(matches!(refused, StoreError::KeyLength { .. }));
    }
    transaction.commit(Durability::Buffered).unwrap();
    assert_eq!(store.snapshot().unwrap().get(&things, longest).unwrap().unwrap(), b"v");
}

pub fn values_over_the_bound_are_refused(store: &dyn Store) {
    let things = keyspace(store);
    let limit = limits().value_bytes;
    let mut transaction = store.begin().unwrap();
    transaction.put(&things, "k", vec![1; limit]).unwrap();
    let refused = transaction.put(&things, "k", vec![1; limit + 1]).unwrap_err();
    assert!(matches!(refused, StoreError::ValueTooLarge { bytes, .. } if bytes == limit + 1));
}

pub fn a_batch_over_the_bound_is_refused(store: &dyn Store) {
    let things = keyspace(store);
    let mut batch = WriteBatch::new();
    (0..3).for_each(|number| batch.put(&things, format!("{number}").as_str(), vec![1; 100 << 10]));
    assert!(batch.bytes() > limits().transaction_bytes);
    let refused = store.write_batch(batch, Durability::Buffered).unwrap_err();
    assert!(matches!(refused, StoreError::TooLarge { .. }));
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.scan(&things, KeyRange::all(), ScanOrder::Ascending).unwrap().count(), 0);
}

pub fn the_size_of_a_keyspace_is_roughly_known(store: &dyn Store) {
    let things = keyspace(store);
    assert_eq!(store.approximate_size(&things).unwrap().keys, 0);
    let mut pairs = (0..1_000_u32).map(|number| Ok((number.to_be_bytes().into(), [0; 64].into())));
    store.ingest(&things, &mut pairs).unwrap();
    let size = store.approximate_size(&things).unwrap();
    assert_eq!(size.keys, 1_000);
    assert!((10_000..200_000).contains(&size.bytes), "{size:?}");
}

pub fn a_closed_store_refuses_everything(store: &dyn Store) {
    let things = keyspace(store);
    put(store, &things, "k", "v");
    let mut open = store.begin().unwrap();
    open.put(&things, "k", "w").unwrap();
    let snapshot = store.snapshot().unwrap();
    store.close().unwrap();
    store.close().unwrap();
    let closed = |error: StoreError| assert!(matches!(error, StoreError::Closed), "{error}");
    closed(store.begin().unwrap_err());
    closed(store.snapshot().unwrap_err());
    closed(store.sync().unwrap_err());
    closed(store.write_batch(WriteBatch::new(), Durability::Sync).unwrap_err());
    closed(store.ingest(&things, &mut std::iter::empty()).unwrap_err());
    closed(store.approximate_size(&things).unwrap_err());
    closed(store.keyspace("other", store::KeyspaceShape::Small).unwrap_err());
    closed(open.commit(Durability::Sync).unwrap_err());
    assert_eq!(snapshot.get(&things, "k").unwrap().unwrap(), b"v", "a snapshot is readable to its end");
}
