//! What is left when a store is opened again.

use std::path::Path;

use store::{
    Durability, FjallOptions, FjallStore, KeyRange, KeyspaceShape, ScanOrder, Store, StoreError, WriteBatch,
};

fn open(directory: &Path) -> FjallStore {
    FjallStore::open(directory, FjallOptions::default()).unwrap()
}

#[test]
fn what_was_written_is_there_when_the_store_is_opened_again() {
    let directory = tempfile::tempdir().unwrap();
    {
        let store = open(directory.path());
        let things = store.keyspace("things", KeyspaceShape::Large).unwrap();
        let mut transaction = store.begin().unwrap();
        transaction.put(&things, "committed", "1").unwrap();
        transaction.put(&things, "deleted", "1").unwrap();
        transaction.commit(Durability::Sync).unwrap();
        let mut batch = WriteBatch::new();
        batch.delete(&things, "deleted");
        batch.put(&things, "buffered", "2");
        store.write_batch(batch, Durability::Buffered).unwrap();
        let mut pairs = (0..100_u8).map(|number| Ok(([b'i', number].into(), "ingested".into())));
        store.ingest(&things, &mut pairs).unwrap();
        let mut dropped = store.begin().unwrap();
        dropped.put(&things, "uncommitted", "3").unwrap();
        drop(dropped);
        store.close().unwrap();
    }
    let store = open(directory.path());
    assert_eq!(store.keyspace_names(), ["things"]);
    let things = store.keyspace("things", KeyspaceShape::Small).unwrap();
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.get(&things, "committed").unwrap().unwrap(), b"1");
    assert_eq!(snapshot.get(&things, "buffered").unwrap().unwrap(), b"2");
    assert_eq!(snapshot.get(&things, "deleted").unwrap(), None);
    assert_eq!(snapshot.get(&things, "uncommitted").unwrap(), None);
    let ingested = snapshot.scan(&things, KeyRange::prefix(b"i"), ScanOrder::Ascending).unwrap();
    assert_eq!(ingested.count(), 100);
}

#[test]
fn a_directory_can_be_open_once_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let refused = FjallStore::open(directory.path(), FjallOptions::default()).err().unwrap();
    let text = refused.to_string();
    assert!(matches!(refused, StoreError::Locked { pid: Some(pid), .. } if pid == std::process::id()));
    assert!(text.contains(&directory.path().display().to_string()) && text.contains("process"), "{text}");
    let snapshot = store.snapshot().unwrap();
    drop(store);
    assert!(FjallStore::open(directory.path(), FjallOptions::default()).is_err(), "a snapshot keeps it open");
    drop(snapshot);
    open(directory.path());
}

#[test]
fn a_file_in_place_of_the_directory_is_an_error_with_its_path() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    std::fs::write(&path, "not a directory").unwrap();
    let refused = FjallStore::open(&path, FjallOptions::default()).err().unwrap();
    assert!(matches!(&refused, StoreError::Io { path: named, .. } if *named == path), "{refused}");
}

#[test]
fn rewriting_the_same_keys_through_flushes_and_compactions_loses_nothing() {
    let directory = tempfile::tempdir().unwrap();
    const KEYS: u32 = 500;
    const ROUNDS: u32 = 40;
    let value = |key: u32, round: u32| vec![(key ^ round) as u8; 1_000 + (key % 500) as usize];
    {
        let store = open(directory.path());
        let things = store.keyspace("things", KeyspaceShape::Large).unwrap();
        for round in 0..ROUNDS {
            let mut batch = WriteBatch::new();
            (0..KEYS).for_each(|key| batch.put(&things, key.to_be_bytes(), value(key, round)));
            store.write_batch(batch, Durability::Buffered).unwrap();
        }
        let snapshot = store.snapshot().unwrap();
        for key in (0..KEYS).step_by(7) {
            assert_eq!(
                snapshot.get(&things, key.to_be_bytes()).unwrap().unwrap()[..],
                value(key, ROUNDS - 1)[..]
            );
        }
    }
    let store = open(directory.path());
    let things = store.keyspace("things", KeyspaceShape::Large).unwrap();
    let snapshot = store.snapshot().unwrap();
    let mut keys = 0_u32;
    for pair in snapshot.scan(&things, KeyRange::all(), ScanOrder::Ascending).unwrap() {
        let (key, found) = pair.unwrap();
        assert_eq!((&key[..], &found[..]), (&keys.to_be_bytes()[..], &value(keys, ROUNDS - 1)[..]));
        keys += 1;
    }
    assert_eq!(keys, KEYS);
}

fn log_files(directory: &Path) -> usize {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "jnl")).count()
}

#[test]
fn a_log_of_several_files_is_recovered() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let large = store.keyspace("large", KeyspaceShape::Large).unwrap();
    // Written once, so that its memory is never full, and every log file is needed to the end.
    let small = store.keyspace("small", KeyspaceShape::Small).unwrap();
    let value = |number: u32| vec![(number % 251) as u8; 1 << 20];
    let mut written = 0_u32;
    while log_files(directory.path()) < 3 {
        assert!(written < 2_000, "the log never takes a third file");
        let mut batch = WriteBatch::new();
        batch.put(&large, written.to_be_bytes(), value(written));
        batch.put(&small, written.to_be_bytes(), "small");
        store.write_batch(batch, Durability::Buffered).unwrap();
        written += 1;
    }
    drop(store);
    let store = open(directory.path());
    let large = store.keyspace("large", KeyspaceShape::Large).unwrap();
    let small = store.keyspace("small", KeyspaceShape::Small).unwrap();
    let snapshot = store.snapshot().unwrap();
    let count = |keyspace| snapshot.scan(keyspace, KeyRange::all(), ScanOrder::Ascending).unwrap().count();
    assert_eq!((count(&large), count(&small)), (written as usize, written as usize));
    for number in (0..written).step_by(13) {
        assert!(snapshot.get(&large, number.to_be_bytes()).unwrap().unwrap()[..] == value(number)[..]);
    }
}
