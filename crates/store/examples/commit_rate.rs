//! Measures durable small commits a second with one and with many writers, and what bulk loading reaches.
//!
//! `cargo run --release -p store --example commit_rate [DIRECTORY]`; the directory should be on the disk in question.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use store::{
    Bytes, Durability, FjallOptions, FjallStore, Keyspace, KeyspaceShape, Store, StoreError, WriteBatch,
};

const SPAN: Duration = Duration::from_secs(2);

fn main() -> Result<(), StoreError> {
    let parent = std::env::args().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let directory = tempfile::tempdir_in(parent).expect("a directory that can be written");
    let store = FjallStore::open(directory.path(), FjallOptions::default())?;
    let small = store.keyspace("small", KeyspaceShape::Small)?;
    for writers in [1, 2, 4, 8, 16, 32] {
        let transactions = rate(writers, |thread, n| transaction(&store, &small, thread, n));
        let batches = rate(writers, |thread, n| batch(&store, &small, thread, n));
        println!(
            "{writers:>3} writers: {transactions:>7.0} transactions/s, {batches:>7.0} batches/s, durable"
        );
    }
    let begins = rate(1, |_, _| store.begin().map(drop));
    println!("  1 thread : {begins:>7.0} transactions begun and dropped a second");
    ingest(&store)?;
    store.close()
}

fn transaction(store: &FjallStore, keyspace: &Keyspace, thread: u64, n: u64) -> Result<(), StoreError> {
    let mut transaction = store.begin()?;
    transaction.put(keyspace, key(thread, n), [7; 100])?;
    transaction.commit(Durability::Sync)
}

fn batch(store: &FjallStore, keyspace: &Keyspace, thread: u64, n: u64) -> Result<(), StoreError> {
    let mut batch = WriteBatch::new();
    batch.put(keyspace, key(thread, n), [7; 100]);
    store.write_batch(batch, Durability::Sync)
}

fn key(thread: u64, n: u64) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&thread.to_be_bytes());
    key[8..].copy_from_slice(&n.to_be_bytes());
    key
}

fn rate(threads: u64, work: impl Fn(u64, u64) -> Result<(), StoreError> + Sync) -> f64 {
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (stop, done, work) = (&stop, &done, &work);
            scope.spawn(move || {
                for n in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    work(thread, n).expect("the store works");
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        std::thread::sleep(SPAN);
        stop.store(true, Ordering::Relaxed);
    });
    done.into_inner() as f64 / begin.elapsed().as_secs_f64()
}

fn ingest(store: &FjallStore) -> Result<(), StoreError> {
    for (name, shape, pairs, bytes) in [
        ("indexes", KeyspaceShape::Small, 4_000_000, 8),
        ("sections", KeyspaceShape::Large, 20_000, 32 << 10),
    ] {
        let keyspace = store.keyspace(name, shape)?;
        let value =
            |n: u64| Bytes::from((0..bytes).map(|at| ((at as u64 * n) >> 3) as u8).collect::<Vec<u8>>());
        let mut input = (0..pairs).map(|n: u64| Ok((Bytes::from(n.to_be_bytes()), value(n))));
        let begin = Instant::now();
        let ingested = store.ingest(&keyspace, &mut input)?;
        let seconds = begin.elapsed().as_secs_f64();
        let megabytes = ingested.bytes as f64 / 1e6;
        println!(
            "ingest of {} pairs of {bytes} bytes: {:.0} pairs/s, {:.0} MB/s; {:.0} MB on disk",
            ingested.pairs,
            ingested.pairs as f64 / seconds,
            megabytes / seconds,
            store.approximate_size(&keyspace)?.bytes as f64 / 1e6,
        );
    }
    Ok(())
}
