//! A device without room, and one that fails to sync: what the real store says, keeps, and does afterwards.
//!
//! The device is a small file system in memory, where the test may mount one; the failing syncs come from a filter on
//! the system calls of a child process, which is this test once more.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use store::{
    Durability, FjallOptions, FjallStore, KeyRange, Keyspace, KeyspaceShape, ScanOrder, Store, StoreError,
    WriteBatch,
};

/// Set in the child: the directory of its store.
const CHILD: &str = "MANGROVE_FAILED_SYNC_CHILD";

const VALUE: usize = 100 << 10;

fn put(store: &dyn Store, keyspace: &Keyspace, key: u32, durability: Durability) -> Result<(), StoreError> {
    let mut batch = WriteBatch::new();
    batch.put(keyspace, key.to_be_bytes(), vec![key as u8; VALUE]);
    store.write_batch(batch, durability)
}

fn count(store: &dyn Store, keyspace: &Keyspace) -> u32 {
    let snapshot = store.snapshot().unwrap();
    let mut found = 0u32;
    for pair in snapshot.scan(keyspace, KeyRange::all(), ScanOrder::Ascending).unwrap() {
        let (key, value) = pair.unwrap();
        assert_eq!((&key[..], &value[..]), (&found.to_be_bytes()[..], &vec![found as u8; VALUE][..]));
        found += 1;
    }
    found
}

/// A file system in memory, unmounted in the end.
struct Mounted<'a>(&'a Path);

impl<'a> Mounted<'a> {
    fn at(place: &'a Path, options: &str) -> Option<Self> {
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(place).output();
        mount.is_ok_and(|mount| mount.status.success()).then_some(Self(place))
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(self.0).status();
        assert!(std::thread::panicking() || unmounted.is_ok_and(|status| status.success()));
    }
}

fn small() -> FjallOptions {
    FjallOptions { reserve_bytes: 12 << 20, ..FjallOptions::default() }
}

#[test]
fn a_full_disk_refuses_writes_loses_nothing_and_takes_them_again_when_there_is_room() {
    let directory = tempfile::tempdir().unwrap();
    let Some(mounted) = Mounted::at(directory.path(), "size=64m") else {
        println!("skipped: no file system can be mounted here");
        return;
    };
    let ballast = mounted.0.join("ballast");
    std::fs::write(&ballast, vec![1; 30 << 20]).unwrap();
    let path = mounted.0.join("store");
    let mut written = 0;
    {
        let store = FjallStore::open(&path, small()).unwrap();
        let things = store.keyspace("things", KeyspaceShape::Large).unwrap();
        let mut fill = |store: &dyn Store| loop {
            match put(store, &things, written, Durability::Sync) {
                Ok(()) => written += 1,
                Err(StoreError::DiskFull { .. }) => break written,
                Err(error) => panic!("{error}"),
            }
        };
        let first = fill(&store);
        assert!(first > 10, "the disk was full after {first} writes");
        assert_eq!(count(&store, &things), first, "reads go on");
        store.sync().unwrap();
        std::fs::remove_file(&ballast).unwrap();
        let second = fill(&store);
        assert!(second > first + 100, "{second} writes with 30 MB more room, {first} without");
        assert_eq!(count(&store, &things), second);
    }
    let store = FjallStore::open(&path, small()).unwrap();
    let things = store.keyspace("things", KeyspaceShape::Large).unwrap();
    assert_eq!(count(&store, &things), written);
}

/// While the disk fills up the engine writes tables, and merges those into others, which takes room before it gives any back.
#[test]
fn what_the_engine_does_in_the_background_has_room_when_the_disk_is_full() {
    const KEYS: u32 = 120_000;
    let directory = tempfile::tempdir().unwrap();
    // Room for the tables twice, since what is merged is there beside what it was made of, with what has been overwritten in them
    // (they settle at up to 650 MB), and for the log, buffers and reserve.
    let Some(mounted) = Mounted::at(directory.path(), "size=1900m") else {
        println!("skipped: no file system can be mounted here");
        return;
    };
    let ballast = mounted.0.join("ballast");
    std::fs::write(&ballast, vec![1; 500 << 20]).unwrap();
    let options = FjallOptions { journal_bytes: 128 << 20, ..FjallOptions::default() };
    let store = FjallStore::open(mounted.0.join("store"), options).unwrap();
    let things = store.keyspace("things", KeyspaceShape::Large).unwrap();
    let mut written = 0_u32;
    let mut put = || {
        let mut batch = WriteBatch::new();
        for _ in 0..16 {
            let key = written.wrapping_mul(0x9E37_79B1) % KEYS;
            batch.put(&things, key.to_be_bytes().as_slice(), vec![written as u8; 4 << 10]);
            written += 1;
        }
        store.write_batch(batch, Durability::Buffered)
    };
    // Writes until so many have been refused, or so many taken; how many of each.
    let mut write = |most_refused: usize, most_taken: usize| {
        let (mut refused, mut taken, began) = (0, 0, Instant::now());
        while refused < most_refused && taken < most_taken && began.elapsed() < Duration::from_secs(120) {
            match put() {
                Ok(()) => taken += 1,
                Err(StoreError::DiskFull { .. }) => {
                    refused += 1;
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(error) => panic!("{error}"),
            }
        }
        (refused, taken)
    };
    assert!(write(300, usize::MAX).0 > 0, "the disk was never full");
    store.sync().unwrap();
    std::fs::remove_file(&ballast).unwrap();
    // The disk may be full once more while tables are merged, but what is written goes on.
    assert_eq!(write(usize::MAX, 2_000).1, 2_000);
    store.close().unwrap();
}

#[test]
fn a_reserve_that_cannot_be_left_free_refuses_writes_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let options = FjallOptions { reserve_bytes: u64::MAX, ..FjallOptions::default() };
    let store = FjallStore::open(directory.path(), options).unwrap();
    let things = store.keyspace("things", KeyspaceShape::Large).unwrap();
    for durability in [Durability::Buffered, Durability::Sync] {
        let refused = put(&store, &things, 0, durability).unwrap_err();
        assert!(refused.to_string().contains("free some space and try again"), "{refused}");
    }
    assert!(matches!(ingest(&store, &things, 0), Err(StoreError::DiskFull { .. })));
    assert_eq!(count(&store, &things), 0);
}

/// A system call that fails from some moment on, and how.
#[derive(Clone, Copy)]
struct Failing {
    calls: [i64; 2],
    errno: u32,
}

const X86: bool = cfg!(target_arch = "x86_64");
/// `fsync` and `fdatasync` with EIO.
const SYNC: Failing = Failing { calls: if X86 { [74, 75] } else { [82, 83] }, errno: 5 };
/// `write` and `writev` with ENOSPC: the device is full although there was room a moment ago.
const WRITE: Failing = Failing { calls: if X86 { [1, 20] } else { [64, 66] }, errno: 28 };

/// From now on, lets every one of the system calls fail.
fn let_fail(failing: Failing) {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};
    let arch = TargetArch::try_from(std::env::consts::ARCH).unwrap();
    let rules = failing.calls.into_iter().map(|call| (call, Vec::new())).collect();
    let fail = SeccompAction::Errno(failing.errno);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, fail, arch).unwrap();
    seccompiler::apply_filter_all_threads(&BpfProgram::try_from(filter).unwrap()).unwrap();
}

fn ingest(store: &FjallStore, things: &Keyspace, key: u32) -> Result<(), StoreError> {
    let mut pairs = std::iter::once(Ok((key.to_be_bytes().into(), vec![0; VALUE].into())));
    store.ingest(things, &mut pairs).map(drop)
}

/// In the child: lets every one of the system calls fail from the third write on.
fn write_until_calls_fail(directory: &Path, failing: Failing) {
    let store = FjallStore::open(directory, FjallOptions::default()).unwrap();
    let things = store.keyspace("things", KeyspaceShape::Large).unwrap();
    (0..3).for_each(|key| put(&store, &things, key, Durability::Sync).unwrap());
    let_fail(failing);
    let first = put(&store, &things, 3, Durability::Sync).unwrap_err();
    let says = if failing.errno == SYNC.errno { "Input/output error" } else { "no space left" };
    assert!(first.to_string().contains(says), "{first}");
    assert!(!matches!(first, StoreError::DiskFull { .. }), "that would promise that it can go on");
    for durability in [Durability::Sync, Durability::Buffered] {
        let second = put(&store, &things, 4, durability).unwrap_err();
        assert!(matches!(second, StoreError::Halted { .. }), "{second}");
        assert!(
            second.to_string().contains("open it again") && second.to_string().contains(says),
            "{second}"
        );
    }
    assert!(matches!(ingest(&store, &things, 9), Err(StoreError::Halted { .. })));
    assert!(matches!(store.sync(), Err(StoreError::Halted { .. })), "a later sync must not succeed");
    assert_eq!(count(&store, &things), 3, "what was not made durable is not shown");
    assert!(store.close().is_err());
    // As a process ends that was killed: nothing is tidied up.
    std::process::exit(CHILD_ENDED_WELL);
}

const CHILD_ENDED_WELL: i32 = 42;

/// A reserve that writes cannot leave free, though half of it is.
fn more_than_free(directory: &Path) -> FjallOptions {
    let room = rustix::fs::statvfs(directory).unwrap();
    let free = room.f_bavail * room.f_frsize;
    FjallOptions { reserve_bytes: free + free / 2, ..FjallOptions::default() }
}

/// In the child: a write is to be refused, and what is done about it first cannot be synced.
fn be_refused_while_calls_fail(directory: &Path, failing: Failing) {
    {
        let store = FjallStore::open(directory, FjallOptions::default()).unwrap();
        let things = store.keyspace("things", KeyspaceShape::Large).unwrap();
        (0..3).for_each(|key| put(&store, &things, key, Durability::Sync).unwrap());
        store.close().unwrap();
    }
    let store = FjallStore::open(directory, more_than_free(directory)).unwrap();
    let things = store.keyspace("things", KeyspaceShape::Large).unwrap();
    let_fail(failing);
    let first = put(&store, &things, 3, Durability::Buffered).unwrap_err();
    assert!(first.to_string().contains("Input/output error"), "{first}");
    let second = put(&store, &things, 4, Durability::Buffered).unwrap_err();
    assert!(matches!(second, StoreError::Halted { .. }), "{second}");
    std::process::exit(CHILD_ENDED_WELL);
}

/// In the child: what is written past the log cannot be synced.
fn ingest_until_calls_fail(directory: &Path, failing: Failing) {
    let store = FjallStore::open(directory, FjallOptions::default()).unwrap();
    let things = store.keyspace("things", KeyspaceShape::Large).unwrap();
    (0..3).for_each(|key| put(&store, &things, key, Durability::Sync).unwrap());
    let_fail(failing);
    let first = ingest(&store, &things, 3).unwrap_err();
    assert!(first.to_string().contains("Input/output error"), "{first}");
    let second = put(&store, &things, 4, Durability::Buffered).unwrap_err();
    assert!(matches!(second, StoreError::Halted { .. }), "{second}");
    std::process::exit(CHILD_ENDED_WELL);
}

/// Runs a test again as a child in which system calls fail, and looks at what it leaves behind.
fn survives(test: &str, failing: Failing, act: fn(&Path, Failing)) {
    if let Ok(directory) = std::env::var(CHILD) {
        return act(Path::new(&directory), failing);
    }
    if !cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))) {
        println!("skipped: system calls cannot be filtered here");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, directory.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stderr);
    assert_eq!(child.status.code(), Some(CHILD_ENDED_WELL), "{said}");
    let store = FjallStore::open(directory.path(), FjallOptions::default()).unwrap();
    let things = store.keyspace("things", KeyspaceShape::Large).unwrap();
    let found = count(&store, &things);
    assert!((3..=4).contains(&found), "{found} are there: the write that failed may be, no other");
    put(&store, &things, found, Durability::Sync).unwrap();
}

#[test]
fn a_failed_sync_stops_all_writes_and_is_never_taken_back() {
    survives("a_failed_sync_stops_all_writes_and_is_never_taken_back", SYNC, write_until_calls_fail);
}

#[test]
fn a_write_that_finds_no_room_after_all_stops_the_store_until_it_is_opened_again() {
    let test = "a_write_that_finds_no_room_after_all_stops_the_store_until_it_is_opened_again";
    survives(test, WRITE, write_until_calls_fail);
}

#[test]
fn a_failed_sync_of_what_is_ingested_stops_all_writes() {
    survives("a_failed_sync_of_what_is_ingested_stops_all_writes", SYNC, ingest_until_calls_fail);
}

#[test]
fn a_failed_sync_before_a_write_is_refused_stops_all_writes() {
    let test = "a_failed_sync_before_a_write_is_refused_stops_all_writes";
    survives(test, SYNC, be_refused_while_calls_fail);
}

#[test]
fn what_is_written_before_a_write_is_refused_is_no_damage_after_a_crash() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let store = FjallStore::open(&path, FjallOptions::default()).unwrap();
    let things = store.keyspace("things", KeyspaceShape::Large).unwrap();
    (0..3).for_each(|key| put(&store, &things, key, Durability::Sync).unwrap());
    store.close().unwrap();
    drop(store);
    let store = FjallStore::open(&path, more_than_free(&path)).unwrap();
    let things = store.keyspace("things", KeyspaceShape::Large).unwrap();
    assert!(matches!(put(&store, &things, 3, Durability::Sync), Err(StoreError::DiskFull { .. })));
    // As a process that is killed leaves it.
    let copy = directory.path().join("copy");
    assert!(Command::new("cp").arg("-r").args([&path, &copy]).status().unwrap().success());
    let store = FjallStore::open(&copy, FjallOptions::default()).unwrap();
    let things = store.keyspace("things", KeyspaceShape::Large).unwrap();
    assert_eq!(count(&store, &things), 3);
    put(&store, &things, 3, Durability::Sync).unwrap();
}
