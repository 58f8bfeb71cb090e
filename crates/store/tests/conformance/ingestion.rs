//! Bulk ingestion.

use store::{Bytes, Ingested, KeyRange, Pair, ScanOrder, Store, StoreError};

use crate::{keyspace, put};

fn numbered(count: u32) -> impl Iterator<Item = Result<Pair, StoreError>> {
    (0..count).map(|number| {
        let value = vec![number as u8; (number % 97) as usize];
        Ok((Bytes::from(number.to_be_bytes()), Bytes::from(value)))
    })
}

pub fn ingested_pairs_are_there(store: &dyn Store) {
    let things = keyspace(store);
    let ingested = store.ingest(&things, &mut numbered(20_000)).unwrap();
    assert_eq!(ingested.pairs, 20_000);
    let snapshot = store.snapshot().unwrap();
    let mut expected = numbered(20_000);
    for pair in snapshot.scan(&things, KeyRange::all(), ScanOrder::Ascending).unwrap() {
        assert_eq!(pair.unwrap(), expected.next().unwrap().unwrap());
    }
    assert!(expected.next().is_none());
    assert_eq!(snapshot.get(&things, 12_345_u32.to_be_bytes()).unwrap().unwrap().len(), 12_345 % 97);
}

pub fn ingestion_replaces_and_earlier_snapshots_do_not_see_it(store: &dyn Store) {
    let things = keyspace(store);
    put(store, &things, "a", "old");
    put(store, &things, "b", "old");
    let before = store.snapshot().unwrap();
    let mut pairs =
        [("b", "new"), ("c", "new")].into_iter().map(|(key, value)| Ok((key.into(), value.into())));
    store.ingest(&things, &mut pairs).unwrap();
    let after = store.snapshot().unwrap();
    let read = |snapshot: &store::Snapshot| {
        crate::pairs(snapshot.scan(&things, KeyRange::all(), ScanOrder::Ascending).unwrap())
    };
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(read(&before), [pair("a", "old"), pair("b", "old")]);
    assert_eq!(read(&after), [pair("a", "old"), pair("b", "new"), pair("c", "new")]);
}

pub fn unsorted_input_is_refused_with_the_keys(store: &dyn Store) {
    let things = keyspace(store);
    for keys in [["a", "c", "b"], ["a", "b", "b"]] {
        let mut pairs = keys.into_iter().map(|key| Ok((key.into(), "v".into())));
        let refused = store.ingest(&things, &mut pairs).unwrap_err();
        assert!(matches!(&refused, StoreError::NotSorted { previous, key, .. }
            if *previous == keys[1].as_bytes() && *key == keys[2].as_bytes()));
    }
    let mut empty_key = std::iter::once(Ok(("".into(), "v".into())));
    assert!(matches!(store.ingest(&things, &mut empty_key), Err(StoreError::KeyLength { .. })));
}

pub fn an_error_of_the_producer_is_passed_on(store: &dyn Store) {
    let things = keyspace(store);
    let mut pairs = numbered(10).chain(std::iter::once(Err(StoreError::Closed)));
    assert!(matches!(store.ingest(&things, &mut pairs), Err(StoreError::Closed)));
    assert_eq!(store.ingest(&things, &mut numbered(10)).unwrap().pairs, 10);
}

pub fn nothing_can_be_ingested(store: &dyn Store) {
    let things = keyspace(store);
    assert_eq!(store.ingest(&things, &mut std::iter::empty()).unwrap(), Ingested::default());
}

pub fn writes_go_on_after_an_ingestion(store: &dyn Store) {
    let things = keyspace(store);
    put(store, &things, "a", "before");
    store.ingest(&things, &mut std::iter::once(Ok(("a".into(), "ingested".into())))).unwrap();
    put(store, &things, "a", "after");
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.get(&things, "a").unwrap().unwrap(), b"after");
}
