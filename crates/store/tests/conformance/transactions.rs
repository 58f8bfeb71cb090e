//! Transactions: own writes, isolation, conflicts.

use store::{Durability, KeyRange, Keyspace, KeyspaceShape, ScanOrder, Store, StoreError, WriteBatch};

use crate::{keyspace, pairs, put};

fn value(store: &dyn Store, keyspace: &Keyspace, key: &str) -> Option<String> {
    let value = store.snapshot().unwrap().get(keyspace, key).unwrap();
    value.map(|value| String::from_utf8(value.to_vec()).unwrap())
}

#[track_caller]
fn assert_conflict(outcome: Result<(), StoreError>, on: &str) {
    let error = outcome.expect_err("the transaction should have lost");
    assert!(error.is_retryable());
    assert!(
        matches!(&error, StoreError::Conflict { key, keyspace } if *key == on.as_bytes() && keyspace == "things")
    );
    assert!(error.to_string().contains(on), "{error}");
}

pub fn a_transaction_reads_its_own_writes(store: &dyn Store) {
    let things = keyspace(store);
    put(store, &things, "kept", "old");
    put(store, &things, "gone", "old");
    let mut transaction = store.begin().unwrap();
    transaction.put(&things, "fresh", "new").unwrap();
    transaction.delete(&things, "gone").unwrap();
    assert_eq!(transaction.get(&things, "kept").unwrap().unwrap(), b"old");
    assert_eq!(transaction.get(&things, "fresh").unwrap().unwrap(), b"new");
    assert_eq!(transaction.get(&things, "gone").unwrap(), None);
    let values = transaction.multi_get(&things, &["gone", "kept", "fresh", "never"]).unwrap();
    let values: Vec<Option<&[u8]>> = values.iter().map(Option::as_deref).collect();
    assert_eq!(values, [None, Some(&b"old"[..]), Some(b"new"), None]);
    assert_eq!(transaction.snapshot().get(&things, "fresh").unwrap(), None);
    transaction.delete(&things, "fresh").unwrap();
    transaction.put(&things, "gone", "back").unwrap();
    transaction.commit(Durability::Sync).unwrap();
    assert_eq!(value(store, &things, "fresh"), None);
    assert_eq!(value(store, &things, "gone").as_deref(), Some("back"));
}

pub fn scans_of_a_transaction_merge_its_writes(store: &dyn Store) {
    let things = keyspace(store);
    for key in ["b", "d", "f", "h"] {
        put(store, &things, key, "old");
    }
    let mut transaction = store.begin().unwrap();
    for key in ["a", "d", "e", "i", "z"] {
        transaction.put(&things, key, "new").unwrap();
    }
    transaction.delete(&things, "f").unwrap();
    transaction.delete(&things, "g").unwrap();
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let expected =
        [("a", "new"), ("b", "old"), ("d", "new"), ("e", "new"), ("h", "old"), ("i", "new"), ("z", "new")]
            .map(|(key, value)| pair(key, value));
    let scan = |range, order| pairs(transaction.scan(&things, range, order).unwrap());
    assert_eq!(scan(KeyRange::all(), ScanOrder::Ascending), expected);
    let mut reversed = expected.clone();
    reversed.reverse();
    assert_eq!(scan(KeyRange::all(), ScanOrder::Descending), reversed);
    assert_eq!(scan(KeyRange::new("d".."i"), ScanOrder::Ascending), expected[2..5]);
    assert_eq!(scan(KeyRange::new("f"..="g"), ScanOrder::Ascending), []);
}

pub fn nothing_is_visible_before_commit_or_after_a_drop(store: &dyn Store) {
    let things = keyspace(store);
    let mut transaction = store.begin().unwrap();
    transaction.put(&things, "k", "v").unwrap();
    assert_eq!(value(store, &things, "k"), None);
    drop(transaction);
    assert_eq!(value(store, &things, "k"), None);
}

pub fn the_second_writer_of_a_key_conflicts(store: &dyn Store) {
    let things = keyspace(store);
    let (mut first, mut second) = (store.begin().unwrap(), store.begin().unwrap());
    first.put(&things, "k", "first").unwrap();
    second.put(&things, "k", "second").unwrap();
    first.commit(Durability::Sync).unwrap();
    assert_conflict(second.commit(Durability::Sync), "k");
    assert_eq!(value(store, &things, "k").as_deref(), Some("first"));
}

pub fn a_conflict_leaves_nothing_behind_and_a_retry_succeeds(store: &dyn Store) {
    let things = keyspace(store);
    let mut loser = store.begin().unwrap();
    put(store, &things, "contested", "winner");
    loser.put(&things, "alone", "loser").unwrap();
    loser.put(&things, "contested", "loser").unwrap();
    assert_conflict(loser.commit(Durability::Buffered), "contested");
    assert_eq!(value(store, &things, "alone"), None);
    let mut retry = store.begin().unwrap();
    retry.put(&things, "contested", "retried").unwrap();
    retry.commit(Durability::Buffered).unwrap();
    assert_eq!(value(store, &things, "contested").as_deref(), Some("retried"));
}

pub fn a_locked_key_that_changed_conflicts(store: &dyn Store) {
    let things = keyspace(store);
    put(store, &things, "read", "old");
    let mut transaction = store.begin().unwrap();
    transaction.lock(&things, "read").unwrap();
    transaction.lock(&things, "read").unwrap();
    transaction.put(&things, "written", "v").unwrap();
    put(store, &things, "read", "new");
    assert_conflict(transaction.commit(Durability::Sync), "read");
    assert_eq!(value(store, &things, "written"), None);
}

pub fn a_locked_key_that_appeared_conflicts(store: &dyn Store) {
    let things = keyspace(store);
    let mut transaction = store.begin().unwrap();
    assert_eq!(transaction.get(&things, "absent").unwrap(), None);
    transaction.lock(&things, "absent").unwrap();
    transaction.put(&things, "written", "v").unwrap();
    put(store, &things, "absent", "here");
    assert_conflict(transaction.commit(Durability::Sync), "absent");
}

pub fn without_a_lock_reads_are_not_validated(store: &dyn Store) {
    let things = keyspace(store);
    put(store, &things, "read", "old");
    let mut transaction = store.begin().unwrap();
    assert_eq!(transaction.get(&things, "read").unwrap().unwrap(), b"old");
    transaction.put(&things, "written", "v").unwrap();
    put(store, &things, "read", "new");
    transaction.commit(Durability::Sync).unwrap();
}

pub fn batches_conflict_with_open_transactions(store: &dyn Store) {
    let things = keyspace(store);
    let mut transaction = store.begin().unwrap();
    transaction.delete(&things, "k").unwrap();
    let mut batch = WriteBatch::new();
    batch.delete(&things, "k");
    store.write_batch(batch, Durability::Buffered).unwrap();
    assert_conflict(transaction.commit(Durability::Buffered), "k");
}

pub fn other_keys_and_other_keyspaces_do_not_conflict(store: &dyn Store) {
    let things = keyspace(store);
    let others = store.keyspace("others", KeyspaceShape::Small).unwrap();
    let mut transaction = store.begin().unwrap();
    transaction.put(&things, "k", "v").unwrap();
    put(store, &things, "kk", "v");
    put(store, &others, "k", "v");
    transaction.commit(Durability::Buffered).unwrap();
}

pub fn a_transaction_without_writes_always_commits(store: &dyn Store) {
    let things = keyspace(store);
    let mut transaction = store.begin().unwrap();
    transaction.lock(&things, "k").unwrap();
    put(store, &things, "k", "v");
    transaction.commit(Durability::Sync).unwrap();
}

/// The suite's stores remember 512 writes.
pub fn a_transaction_too_old_to_judge_is_refused(store: &dyn Store) {
    let things = keyspace(store);
    let mut old = store.begin().unwrap();
    old.put(&things, "mine", "v").unwrap();
    let mut batch = WriteBatch::new();
    (0..513).for_each(|number| batch.put(&things, format!("{number}").as_str(), "v"));
    store.write_batch(batch, Durability::Buffered).unwrap();
    let mut young = store.begin().unwrap();
    young.put(&things, "mine", "v").unwrap();
    let refused = old.commit(Durability::Buffered).unwrap_err();
    assert!(matches!(refused, StoreError::SnapshotTooOld) && refused.is_retryable());
    young.commit(Durability::Buffered).unwrap();
}
