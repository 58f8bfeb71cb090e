//! Kills a process that writes, and looks at what is left.
//!
//! The test runs itself again as a child: several threads commit numbered transactions and report every
//! acknowledgement through a pipe. After `kill -9` at a random moment the directory is opened, and every
//! acknowledged commit must be there whole, every other one whole or not at all. The next round goes on in the same
//! directory. `STORE_CRASH_ROUNDS` sets the number of rounds (default 4), `STORE_SEED` the moments,
//! `STORE_CRASH_BYTES` the largest part (default 3,000), `STORE_CRASH_MILLIS` the longest round (default 500).
//!
//! ```text
//!   "parts": t/n/0 … t/n/k   one transaction's parts, with contents that follow from t, n and the part
//!   "heads": t → n           the last transaction of thread t, in the same transaction
//! ```

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use store::{
    Durability, FjallOptions, FjallStore, KeyRange, Keyspace, KeyspaceShape, ScanOrder, Store, StoreError,
    WriteBatch,
};

const THREADS: u64 = 6;
const WRITER: &str = "--write-until-killed";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, flag, directory] = arguments.as_slice()
        && flag == WRITER
    {
        return write_until_killed(Path::new(directory));
    }
    // `cargo test -- --list` and filters speak to libtest; this test is one statement.
    if arguments.iter().any(|argument| argument == "--list") {
        return println!("acknowledged_commits_survive_kill_9: test");
    }
    a_directory_in_use_by_another_process_names_it();
    println!("test a_directory_in_use_by_another_process_names_it ... ok");
    acknowledged_commits_survive_kill_9();
    println!("test acknowledged_commits_survive_kill_9 ... ok");
}

struct Keyspaces {
    parts: Keyspace,
    heads: Keyspace,
}

fn open(directory: &Path) -> Result<(FjallStore, Keyspaces), StoreError> {
    let store = FjallStore::open(directory, FjallOptions::default())?;
    let parts = store.keyspace("parts", KeyspaceShape::Large)?;
    let heads = store.keyspace("heads", KeyspaceShape::Small)?;
    Ok((store, Keyspaces { parts, heads }))
}

/// How many parts transaction `n` of `thread` has, and what is in each: sizes vary, so that groups straddle pages.
fn parts_of(thread: u64, n: u64) -> u64 {
    1 + mix(thread, n, 0) % 5
}

fn content(thread: u64, n: u64, part: u64) -> Vec<u8> {
    let seed = mix(thread, n, part + 1);
    let length = 16 + seed % largest_part();
    let words = (0..=length / 8).flat_map(|at| mix(seed, at, 0).to_le_bytes());
    words.take(length as usize).collect()
}

/// Large parts fill the log faster than small ones: with a megabyte, log files and tables come and go in each round.
fn largest_part() -> u64 {
    static LARGEST: OnceLock<u64> = OnceLock::new();
    *LARGEST.get_or_init(|| environment("STORE_CRASH_BYTES").unwrap_or(3_000))
}

fn mix(a: u64, b: u64, c: u64) -> u64 {
    let mut x = a.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ b.wrapping_mul(0xC2B2_AE3D_27D4_EB4F) ^ c;
    x = (x ^ (x >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 29)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 32)
}

fn part_key(thread: u64, n: u64, part: u64) -> [u8; 24] {
    let mut key = [0; 24];
    for (slot, number) in key.chunks_exact_mut(8).zip([thread, n, part]) {
        slot.copy_from_slice(&number.to_be_bytes());
    }
    key
}

fn number(bytes: &[u8]) -> u64 {
    u64::from_be_bytes(bytes.try_into().expect("eight bytes"))
}

/// The child: commits as fast as it can, and reports each acknowledgement as 16 bytes on its standard output.
fn write_until_killed(directory: &Path) {
    let (store, keyspaces) = open(directory).expect("the directory opens");
    let reports = Mutex::new(std::io::stdout());
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (store, keyspaces, reports) = (&store, &keyspaces, &reports);
            scope.spawn(move || {
                let snapshot = store.snapshot().expect("a snapshot");
                let head = snapshot.get(&keyspaces.heads, thread.to_be_bytes()).expect("a read");
                let first = head.map_or(0, |head| number(&head) + 1);
                for n in first.. {
                    commit(store, keyspaces, thread, n).expect("nobody else writes this thread's keys");
                    let report = [thread.to_be_bytes(), n.to_be_bytes()].concat();
                    let mut pipe = reports.lock().expect("no thread panics with it");
                    if pipe.write_all(&report).and_then(|()| pipe.flush()).is_err() {
                        return;
                    }
                }
            });
        }
    });
}

/// Odd ones go through a transaction, even ones through a batch.
fn commit(store: &FjallStore, keyspaces: &Keyspaces, thread: u64, n: u64) -> Result<(), StoreError> {
    if n % 2 == 1 {
        let mut transaction = store.begin()?;
        for part in 0..parts_of(thread, n) {
            transaction.put(&keyspaces.parts, part_key(thread, n, part), content(thread, n, part))?;
        }
        transaction.put(&keyspaces.heads, thread.to_be_bytes(), n.to_be_bytes())?;
        return transaction.commit(Durability::Sync);
    }
    let mut batch = WriteBatch::new();
    for part in 0..parts_of(thread, n) {
        batch.put(&keyspaces.parts, part_key(thread, n, part), content(thread, n, part));
    }
    batch.put(&keyspaces.heads, thread.to_be_bytes(), n.to_be_bytes());
    store.write_batch(batch, Durability::Sync)
}

fn start_writer(directory: &Path) -> Child {
    let program = std::env::current_exe().expect("this program has a path");
    let mut command = Command::new(program);
    command.arg(WRITER).arg(directory).stdout(Stdio::piped()).spawn().expect("it can be started again")
}

fn acknowledged_commits_survive_kill_9() {
    let rounds: u64 = environment("STORE_CRASH_ROUNDS").unwrap_or(4);
    let longest = environment("STORE_CRASH_MILLIS").unwrap_or(500);
    let seed: u64 = environment("STORE_SEED").unwrap_or_else(|| RandomState::new().hash_one(0));
    println!("crash test: {rounds} rounds with STORE_SEED={seed}");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut acknowledged: BTreeMap<u64, u64> = BTreeMap::new();
    let mut total = 0;
    for round in 0..rounds {
        let mut child = start_writer(directory.path());
        std::thread::sleep(Duration::from_millis(60 + mix(seed, round, 1) % longest));
        child.kill().expect("the child runs");
        let mut reports = Vec::new();
        child.stdout.take().expect("it is piped").read_to_end(&mut reports).expect("the pipe is readable");
        child.wait().expect("the child ends");
        for report in reports.chunks_exact(16) {
            acknowledged.insert(number(&report[..8]), number(&report[8..]));
            total += 1;
        }
        check(directory.path(), &acknowledged);
    }
    println!("crash test: {total} commits were acknowledged, and all are there");
    assert!(total > 0, "the writers never got to write");
}

fn environment(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{name} is not a number")))
}

fn check(directory: &Path, acknowledged: &BTreeMap<u64, u64>) {
    let (store, keyspaces) = open(directory).expect("the directory opens after the crash");
    let snapshot = store.snapshot().expect("a snapshot");
    for thread in 0..THREADS {
        let head = snapshot.get(&keyspaces.heads, thread.to_be_bytes()).expect("a read");
        let head = head.map(|head| number(&head));
        if let Some(&promised) = acknowledged.get(&thread) {
            assert!(
                head >= Some(promised),
                "thread {thread}: {promised} was acknowledged, {head:?} is there"
            );
        }
        let expected = head.into_iter().flat_map(|head| 0..=head);
        let mut expected = expected.flat_map(|n| (0..parts_of(thread, n)).map(move |part| (n, part)));
        let own = KeyRange::prefix(&thread.to_be_bytes());
        for pair in snapshot.scan(&keyspaces.parts, own, ScanOrder::Ascending).expect("a scan") {
            let (key, value) = pair.expect("the data reads");
            let (n, part) = expected.next().expect("no part of a commit that is not there");
            assert_eq!(key, &part_key(thread, n, part), "thread {thread}: a part is missing");
            assert!(
                value[..] == content(thread, n, part)[..],
                "thread {thread}: part {part} of {n} has other bytes"
            );
        }
        assert_eq!(expected.next(), None, "thread {thread}: the last commit is there in part");
    }
}

fn a_directory_in_use_by_another_process_names_it() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut child = start_writer(directory.path());
    // Its first report tells that the child has opened the directory.
    let mut report = [0; 16];
    child.stdout.as_mut().expect("it is piped").read_exact(&mut report).expect("the child reports");
    let refused = FjallStore::open(directory.path(), FjallOptions::default()).err();
    let pid = child.id();
    child.kill().expect("the child runs");
    child.wait().expect("the child ends");
    match refused {
        Some(StoreError::Locked { path, pid: Some(holder), .. }) => {
            assert_eq!((path.as_path(), holder), (directory.path(), pid));
        }
        other => panic!("expected that the directory is locked by process {pid}, found {other:?}"),
    }
    FjallStore::open(directory.path(), FjallOptions::default())
        .expect("the end of a process frees its directory");
}
