//! Several threads at once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use store::{Durability, KeyRange, Keyspace, ScanOrder, Snapshot, Store, StoreError, Transaction};

use crate::keyspace;

const THREADS: u64 = 4;

fn number(bytes: Option<store::Bytes>) -> i64 {
    bytes.map_or(0, |bytes| i64::from_be_bytes(bytes[..].try_into().unwrap()))
}

fn read(transaction: &Transaction, keyspace: &Keyspace, key: &str) -> i64 {
    number(transaction.get(keyspace, key).unwrap())
}

/// Runs `work` in a transaction until it commits; returns how often it had to be repeated.
fn retried(store: &dyn Store, durability: Durability, mut work: impl FnMut(&mut Transaction)) -> u64 {
    for attempt in 0.. {
        let mut transaction = store.begin().unwrap();
        work(&mut transaction);
        match transaction.commit(durability) {
            Ok(()) => return attempt,
            Err(error) => assert!(error.is_retryable(), "{error}"),
        }
    }
    unreachable!()
}

pub fn no_increment_is_lost(store: &dyn Store) {
    const INCREMENTS: u64 = 50;
    let things = keyspace(store);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..INCREMENTS {
                    retried(store, Durability::Sync, |transaction| {
                        let counter = read(transaction, &things, "counter") + 1;
                        transaction.put(&things, "counter", counter.to_be_bytes()).unwrap();
                    });
                }
            });
        }
    });
    let counter = number(store.snapshot().unwrap().get(&things, "counter").unwrap());
    assert_eq!(counter, (THREADS * INCREMENTS) as i64);
}

pub fn a_sum_that_every_transaction_keeps_is_kept_in_every_snapshot(store: &dyn Store) {
    const ACCOUNTS: u64 = 8;
    let things = keyspace(store);
    let stop = AtomicBool::new(false);
    let sum = |snapshot: Snapshot| -> i64 {
        let scan = snapshot.scan(&things, KeyRange::all(), ScanOrder::Ascending).unwrap();
        scan.map(|pair| number(Some(pair.unwrap().1))).sum()
    };
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (store, things) = (&store, &things);
                scope.spawn(move || {
                    for step in 0..100 {
                        let (from, to) = ((thread + step) % ACCOUNTS, (thread * 3 + step * 5 + 1) % ACCOUNTS);
                        if from == to {
                            continue;
                        }
                        retried(*store, Durability::Buffered, |transaction| {
                            for (account, change) in [(from, -1), (to, 1)] {
                                let key = format!("account {account}");
                                let value = read(transaction, things, &key) + change;
                                transaction.put(things, key.as_str(), value.to_be_bytes()).unwrap();
                            }
                        });
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                assert_eq!(sum(store.snapshot().unwrap()), 0);
            }
        });
        for writer in writers {
            writer.join().unwrap();
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(sum(store.snapshot().unwrap()), 0);
}

/// Two doctors may leave only while the other one is on call. Each reads both and writes one.
pub fn locks_prevent_write_skew(store: &dyn Store) {
    let things = keyspace(store);
    for _ in 0..20 {
        retried(store, Durability::Buffered, |transaction| {
            for doctor in ["ada", "grace"] {
                transaction.put(&things, doctor, 1_i64.to_be_bytes()).unwrap();
            }
        });
        std::thread::scope(|scope| {
            for (me, other) in [("ada", "grace"), ("grace", "ada")] {
                let (store, things) = (&store, &things);
                scope.spawn(move || {
                    retried(*store, Durability::Buffered, |transaction| {
                        transaction.lock(things, other).unwrap();
                        if read(transaction, things, other) == 1 {
                            transaction.put(things, me, 0_i64.to_be_bytes()).unwrap();
                        }
                    });
                });
            }
        });
        let snapshot = store.snapshot().unwrap();
        let on_call = ["ada", "grace"].map(|doctor| number(snapshot.get(&things, doctor).unwrap()));
        assert_eq!(on_call.iter().sum::<i64>(), 1, "{on_call:?}");
    }
}

pub fn acknowledged_writes_are_visible_to_the_next_snapshot(store: &dyn Store) {
    let things = keyspace(store);
    let newest = AtomicU64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for value in 1..=200_u64 {
                let mut transaction = store.begin().unwrap();
                transaction.put(&things, "newest", value.to_be_bytes()).unwrap();
                transaction.commit(Durability::Sync).unwrap();
                newest.store(value, Ordering::SeqCst);
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let acknowledged = newest.load(Ordering::SeqCst);
                    let snapshot = store.snapshot().unwrap();
                    let seen = number(snapshot.get(&things, "newest").unwrap()) as u64;
                    assert!(seen >= acknowledged, "{acknowledged} was acknowledged, {seen} is seen");
                    if acknowledged == 200 {
                        break;
                    }
                }
            });
        }
    });
    assert!(matches!(store.begin().unwrap().get(&things, "newest"), Ok(Some(_)) | Err(StoreError::Closed)));
}
