//! Snapshots and scans.

use store::{Durability, KeyRange, KeyspaceShape, ScanOrder, Store, WriteBatch};

use crate::{keys, keyspace, pairs, put};

pub fn a_snapshot_keeps_what_it_saw(store: &dyn Store) {
    let things = keyspace(store);
    put(store, &things, "kept", "old");
    put(store, &things, "gone", "old");
    let snapshot = store.snapshot().unwrap();
    let mut batch = WriteBatch::new();
    batch.put(&things, "kept", "new");
    batch.delete(&things, "gone");
    batch.put(&things, "fresh", "new");
    store.write_batch(batch, Durability::Sync).unwrap();
    for _ in 0..2 {
        assert_eq!(snapshot.get(&things, "kept").unwrap().unwrap(), b"old");
        assert_eq!(snapshot.get(&things, "gone").unwrap().unwrap(), b"old");
        assert_eq!(snapshot.get(&things, "fresh").unwrap(), None);
        let scan = snapshot.scan(&things, KeyRange::all(), ScanOrder::Ascending).unwrap();
        assert_eq!(pairs(scan), [("gone".into(), "old".into()), ("kept".into(), "old".into())]);
    }
    let now = store.snapshot().unwrap();
    let scan = now.scan(&things, KeyRange::all(), ScanOrder::Ascending).unwrap();
    assert_eq!(pairs(scan), [("fresh".into(), "new".into()), ("kept".into(), "new".into())]);
}

pub fn a_snapshot_sees_all_keyspaces_at_one_moment(store: &dyn Store) {
    let (left, right) = (keyspace(store), store.keyspace("others", KeyspaceShape::Large).unwrap());
    let before = store.snapshot().unwrap();
    let mut batch = WriteBatch::new();
    batch.put(&left, "k", "v");
    batch.put(&right, "k", "v");
    store.write_batch(batch, Durability::Buffered).unwrap();
    let after = store.snapshot().unwrap();
    for keyspace in [&left, &right] {
        assert_eq!(before.get(keyspace, "k").unwrap(), None);
        assert_eq!(after.get(keyspace, "k").unwrap().unwrap(), b"v");
    }
}

pub fn many_keys_are_read_in_the_order_asked(store: &dyn Store) {
    let things = keyspace(store);
    put(store, &things, "a", "1");
    put(store, &things, "c", "3");
    let values = store.snapshot().unwrap().multi_get(&things, &["c", "b", "a", "c"]).unwrap();
    let values: Vec<Option<&[u8]>> = values.iter().map(Option::as_deref).collect();
    assert_eq!(values, [Some(&b"3"[..]), None, Some(b"1"), Some(b"3")]);
}

pub fn an_empty_value_is_a_value(store: &dyn Store) {
    let things = keyspace(store);
    put(store, &things, "k", "");
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.get(&things, "k").unwrap().unwrap(), b"");
    assert_eq!(snapshot.scan(&things, KeyRange::all(), ScanOrder::Ascending).unwrap().count(), 1);
}

pub fn scans_run_both_ways_within_their_bounds(store: &dyn Store) {
    let things = keyspace(store);
    for key in ["a", "b", "c", "d", "e"] {
        put(store, &things, key, "");
    }
    let snapshot = store.snapshot().unwrap();
    let scanned = |range: KeyRange, order| keys(snapshot.scan(&things, range, order).unwrap()).concat();
    assert_eq!(scanned(KeyRange::all(), ScanOrder::Ascending), "abcde");
    assert_eq!(scanned(KeyRange::all(), ScanOrder::Descending), "edcba");
    assert_eq!(scanned(KeyRange::new("b".."d"), ScanOrder::Ascending), "bc");
    assert_eq!(scanned(KeyRange::new("b".."d"), ScanOrder::Descending), "cb");
    assert_eq!(scanned(KeyRange::new("b"..="d"), ScanOrder::Ascending), "bcd");
    assert_eq!(scanned(KeyRange::new("bb"..), ScanOrder::Descending), "edc");
    assert_eq!(scanned(KeyRange::new(..="bb"), ScanOrder::Ascending), "ab");
}

pub fn a_prefix_scan_stops_at_the_next_prefix(store: &dyn Store) {
    let things = keyspace(store);
    let mut batch = WriteBatch::new();
    for key in [&b"p"[..], b"p\0", b"pq", b"p\xFF", b"p\xFF\xFF", b"q", b"o\xFF", b"\xFF", b"\xFF\xFF"] {
        batch.put(&things, key, "");
    }
    store.write_batch(batch, Durability::Buffered).unwrap();
    let snapshot = store.snapshot().unwrap();
    for order in [ScanOrder::Ascending, ScanOrder::Descending] {
        assert_eq!(snapshot.scan(&things, KeyRange::prefix(b"p"), order).unwrap().count(), 5);
        assert_eq!(snapshot.scan(&things, KeyRange::prefix(b"p\xFF"), order).unwrap().count(), 2);
        assert_eq!(snapshot.scan(&things, KeyRange::prefix(b"\xFF"), order).unwrap().count(), 2);
        assert_eq!(snapshot.scan(&things, KeyRange::prefix(b""), order).unwrap().count(), 9);
        assert_eq!(snapshot.scan(&things, KeyRange::prefix(b"r"), order).unwrap().count(), 0);
    }
}

pub fn a_scan_is_not_disturbed_by_writes(store: &dyn Store) {
    let things = keyspace(store);
    for number in 0..50 {
        put(store, &things, &format!("{number:02}"), "old");
    }
    let mut scan = store.snapshot().unwrap().scan(&things, KeyRange::all(), ScanOrder::Ascending).unwrap();
    let first = crate::text(scan.next().unwrap().unwrap());
    assert_eq!(first, ("00".into(), "old".into()));
    let mut batch = WriteBatch::new();
    for number in 0..50 {
        batch.delete(&things, format!("{number:02}").as_str());
        batch.put(&things, format!("{number:02}x").as_str(), "new");
    }
    store.write_batch(batch, Durability::Buffered).unwrap();
    let rest = pairs(scan);
    assert_eq!(rest.len(), 49);
    assert!(rest.iter().all(|(_, value)| value == "old"));
}

pub fn an_empty_range_scans_as_nothing(store: &dyn Store) {
    let things = keyspace(store);
    put(store, &things, "b", "");
    let snapshot = store.snapshot().unwrap();
    for order in [ScanOrder::Ascending, ScanOrder::Descending] {
        assert_eq!(snapshot.scan(&things, KeyRange::new("b".."b"), order).unwrap().count(), 0);
        let reversed = KeyRange::new("c".."a");
        assert_eq!(snapshot.scan(&things, reversed, order).unwrap().count(), 0);
        assert_eq!(store.begin().unwrap().scan(&things, KeyRange::new("b".."b"), order).unwrap().count(), 0);
    }
}

pub fn scans_longer_than_a_batch_miss_nothing(store: &dyn Store) {
    let things = keyspace(store);
    let all: Vec<String> = (0..1_500).map(|number| format!("{number:05}")).collect();
    for chunk in all.chunks(500) {
        let mut batch = WriteBatch::new();
        chunk.iter().for_each(|key| batch.put(&things, key.as_str(), "v"));
        store.write_batch(batch, Durability::Buffered).unwrap();
    }
    let snapshot = store.snapshot().unwrap();
    let mut scanned = keys(snapshot.scan(&things, KeyRange::all(), ScanOrder::Ascending).unwrap());
    assert_eq!(scanned, all);
    scanned = keys(snapshot.scan(&things, KeyRange::all(), ScanOrder::Descending).unwrap());
    scanned.reverse();
    assert_eq!(scanned, all);
}
