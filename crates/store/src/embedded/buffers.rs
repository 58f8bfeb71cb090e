//! Holds writers back while the engine has too much in memory that is not in tables yet.
//!
//! ```text
//! write ─▶ log, buffer of the keyspace ─▶ sealed at 64 MiB ─▶ table        by the engine's one thread, which compacts as well
//! ```
//!
//! The engine itself waits for nothing but sealed buffers. While its thread compacts, which may take seconds, it seals none,
//! and what is written meanwhile makes the buffer larger and larger.

use std::time::{Duration, Instant};

use fjall::AbstractTree;

use super::gauge::Gauges;
use crate::Durability;

/// The least bound, in bytes.
const LEAST: u64 = 16 << 20;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(1);

/// Looks between two at what takes longer: whether buffers are to be sealed, and whether the write is refused anyway.
const LOOKS: u32 = 8;

/// Who has waited for so long while nothing became less goes on: the engine will say what is wrong with the disk.
const LONGEST: Duration = Duration::from_secs(30);

/// Waits until the buffers take at most `bound` bytes. Writes that need not be durable at once, which come in large numbers from
/// flushes, wait at three quarters of it, so that commits, which somebody waits for, seldom have to. A write that is `refused`
/// however long it waits does not wait: it is told when it is tried.
pub(super) fn make_way(
    gauges: &Gauges,
    keyspaces: impl Fn() -> Vec<fjall::Keyspace>,
    bound: u64,
    durability: Durability,
    refused: impl Fn() -> bool,
) {
    let bound = bound.max(LEAST);
    let bound = match durability {
        Durability::Sync => bound,
        Durability::Buffered => bound - bound / 4,
    };
    let mut least = gauges.bytes();
    if least <= bound {
        return;
    }
    let mut since = Instant::now();
    for look in 0_u32.. {
        if look.is_multiple_of(LOOKS) {
            if refused() {
                return;
            }
            seal(&keyspaces(), bound / 4);
        }
        let size = gauges.bytes();
        if size <= bound || since.elapsed() > LONGEST {
            return;
        }
        if size < least {
            (least, since) = (size, Instant::now());
        }
        std::thread::sleep(PAUSE);
    }
}

/// Bytes that the buffer of a keyspace keeps when nothing is written: a table of less is not worth its file.
const AT_REST: u64 = 1 << 20;

/// Seals what is in buffers though there is room: nothing has been written for a while.
pub(super) fn rest(keyspaces: &[fjall::Keyspace]) {
    for keyspace in keyspaces {
        let (size, sealed) = (keyspace.tree.active_memtable().size(), keyspace.tree.sealed_memtable_count());
        if size > AT_REST && sealed == 0 {
            rotate(keyspace);
        }
    }
}

fn rotate(keyspace: &fjall::Keyspace) {
    if let Err(error) = keyspace.rotate_memtable() {
        tracing::warn!(%error, "what was written stays in memory for now");
    }
}

/// Seals buffers of more than `large` bytes, but of keyspaces that have a sealed one already; and the largest of all if there
/// is no sealed one then, so that something is always under way. What is large in all need not be full: of several keyspaces
/// none may be.
fn seal(keyspaces: &[fjall::Keyspace], large: u64) {
    let size = |keyspace: &fjall::Keyspace| keyspace.tree.active_memtable().size();
    let is_under_way = |keyspace: &fjall::Keyspace| keyspace.tree.sealed_memtable_count() > 0;
    keyspaces.iter().filter(|keyspace| !is_under_way(keyspace) && size(keyspace) > large).for_each(rotate);
    if !keyspaces.iter().any(is_under_way) {
        keyspaces.iter().max_by_key(|keyspace| size(keyspace)).into_iter().for_each(rotate);
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use fjall::AbstractTree;

    use crate::{
        Durability, FjallOptions, FjallStore, Keyspace, KeyspaceShape, Store, StoreError, WriteBatch,
    };

    /// Far less than who waits in vain does.
    const SOON: Duration = Duration::from_secs(10);

    fn small() -> FjallOptions {
        FjallOptions { buffer_bytes: 16 << 20, ..FjallOptions::default() }
    }

    /// 20 MiB into the buffer of a keyspace, for which nobody waits.
    fn fill(keyspace: &fjall::Keyspace) {
        (0..20_u32).for_each(|n| keyspace.insert(n.to_be_bytes(), vec![n as u8; 1 << 20]).unwrap());
    }

    fn opened(store: &FjallStore, name: &str) -> (Keyspace, fjall::Keyspace) {
        let keyspace = store.keyspace(name, KeyspaceShape::Large).unwrap();
        let inner = store.engine().unwrap().engine_keyspace(&keyspace).unwrap();
        (keyspace, inner)
    }

    fn write(store: &FjallStore, keyspace: &Keyspace) -> (Result<(), StoreError>, Duration) {
        let began = Instant::now();
        let mut batch = WriteBatch::new();
        batch.put(keyspace, *b"key", *b"value");
        (store.write_batch(batch, Durability::Sync), began.elapsed())
    }

    #[test]
    fn at_rest_what_was_written_leaves_memory() {
        let directory = tempfile::tempdir().unwrap();
        let store = FjallStore::open(directory.path(), FjallOptions::default()).unwrap();
        let (_, inner) = opened(&store, "log");
        let (keyspace, few) = opened(&store, "few");
        fill(&inner);
        write(&store, &keyspace).0.unwrap();
        assert!(store.buffered_bytes().unwrap() >= 20 << 20);
        store.rest();
        let began = Instant::now();
        while store.buffered_bytes().unwrap() > 1 << 20 {
            assert!(began.elapsed() < SOON, "{} bytes", store.buffered_bytes().unwrap());
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(few.tree.active_memtable().size() > 0, "too little for a table");
        assert_eq!(inner.get(7_u32.to_be_bytes()).unwrap().map(|value| value.len()), Some(1 << 20));
    }

    #[test]
    fn the_seals_of_many_groups_do_not_fill_memory() {
        let directory = tempfile::tempdir().unwrap();
        let store = FjallStore::open(directory.path(), small()).unwrap();
        let (keyspace, _) = opened(&store, "log");
        let engine = store.engine().unwrap();
        let mut groups = 0_u64;
        // Twice as many as the buffer may hold.
        while groups * 100 < 2 * crate::embedded::MOST_SEALS_BYTES {
            let mut batch = WriteBatch::new();
            batch.put(&keyspace, *b"key", *b"value");
            store.write_batch(batch, Durability::Buffered).unwrap();
            groups += 1;
        }
        let size = engine.seals.tree.active_memtable().size();
        assert!(size < crate::embedded::MOST_SEALS_BYTES * 5 / 4, "{size} bytes of {groups} seals");
        let synced = engine.groups.lock().synced;
        assert!(synced > 0, "what a table knows of was not synced");
        drop(store);
        let store = FjallStore::open(directory.path(), small()).unwrap();
        assert_eq!(store.engine().unwrap().groups.lock().last, groups);
    }

    #[test]
    fn seals_are_not_sealed_again_while_the_engine_has_no_time_for_those_before() {
        let directory = tempfile::tempdir().unwrap();
        let store = FjallStore::open(directory.path(), small()).unwrap();
        let (keyspace, _) = opened(&store, "log");
        write(&store, &keyspace).0.unwrap();
        let engine = store.engine().unwrap();
        let _flushing = engine.seals.tree.get_flush_lock();
        for first in [true, false, false, false, false] {
            *engine.gave_back.lock() = None;
            assert_eq!(engine.give_back().unwrap(), first);
            // With four of them the engine would let this wait for ever.
            write(&store, &keyspace).0.unwrap();
        }
        assert_eq!(engine.seals.tree.sealed_memtable_count(), 1);
    }

    #[test]
    fn what_is_large_when_the_sealed_ones_are_tables_is_sealed_then() {
        let directory = tempfile::tempdir().unwrap();
        let store = FjallStore::open(directory.path(), small()).unwrap();
        let (log, inner) = opened(&store, "log");
        let flushing = inner.tree.get_flush_lock();
        fill(&inner);
        store.buffered_bytes().unwrap();
        inner.rotate_memtable().unwrap();
        fill(&inner);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| write(&store, &log));
            std::thread::sleep(Duration::from_millis(100));
            assert!(!writer.is_finished(), "there is a sealed buffer, and another that is too large");
            drop(flushing);
            let (outcome, waited) = writer.join().unwrap();
            outcome.unwrap();
            assert!(waited < SOON, "{waited:?}");
        });
        assert!(store.buffered_bytes().unwrap() < 1 << 20);
    }

    #[test]
    fn buffers_of_which_none_is_large_are_sealed_as_well() {
        let directory = tempfile::tempdir().unwrap();
        let store = FjallStore::open(directory.path(), small()).unwrap();
        let all: Vec<_> = (0..6).map(|n| opened(&store, &format!("keyspace {n}"))).collect();
        for (_, inner) in &all {
            (0..3_u32).for_each(|n| inner.insert(n.to_be_bytes(), vec![n as u8; 1 << 20]).unwrap());
        }
        let (outcome, waited) = write(&store, &all[0].0);
        outcome.unwrap();
        assert!(waited < SOON, "{waited:?}");
        assert!(store.buffered_bytes().unwrap() <= 16 << 20);
    }

    #[test]
    fn nobody_waits_for_room_in_memory_who_has_none_on_disk() {
        let directory = tempfile::tempdir().unwrap();
        let options = FjallOptions { reserve_bytes: u64::MAX, ..small() };
        let store = FjallStore::open(directory.path(), options).unwrap();
        let (keyspace, inner) = opened(&store, "log");
        let _flushing = inner.tree.get_flush_lock();
        fill(&inner);
        let (outcome, waited) = write(&store, &keyspace);
        assert!(matches!(outcome, Err(StoreError::DiskFull { .. })), "{outcome:?}");
        assert!(waited < SOON, "{waited:?}");
    }

    #[test]
    fn nobody_waits_for_an_engine_that_has_failed() {
        let directory = tempfile::tempdir().unwrap();
        let store = FjallStore::open(directory.path(), small()).unwrap();
        let (keyspace, inner) = opened(&store, "log");
        let flushing = inner.tree.get_flush_lock();
        fill(&inner);
        std::fs::remove_dir_all(inner.path().join("tables")).unwrap();
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| write(&store, &keyspace));
            std::thread::sleep(Duration::from_millis(100));
            assert!(!writer.is_finished());
            // The engine's thread finds no place for the table.
            drop(flushing);
            let (outcome, waited) = writer.join().unwrap();
            assert!(outcome.is_err() && waited < SOON, "{outcome:?} after {waited:?}");
        });
        let (outcome, waited) = write(&store, &keyspace);
        assert!(matches!(outcome, Err(StoreError::Halted { .. })), "{outcome:?}");
        assert!(waited < SOON, "{waited:?}");
    }

    #[test]
    fn nobody_waits_for_a_store_that_halts_meanwhile() {
        let directory = tempfile::tempdir().unwrap();
        let store = FjallStore::open(directory.path(), small()).unwrap();
        let (keyspace, inner) = opened(&store, "log");
        let _flushing = inner.tree.get_flush_lock();
        fill(&inner);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| write(&store, &keyspace));
            std::thread::sleep(Duration::from_millis(100));
            assert!(!writer.is_finished());
            store.halt(&StoreError::Closed);
            let (outcome, waited) = writer.join().unwrap();
            assert!(matches!(outcome, Err(StoreError::Halted { .. })), "{outcome:?}");
            assert!(waited < SOON, "{waited:?}");
        });
    }

    #[test]
    fn writers_faster_than_the_disk_take_no_more_memory_than_they_may() {
        let directory = tempfile::tempdir().unwrap();
        let store = FjallStore::open(directory.path(), small()).unwrap();
        let keyspace = store.keyspace("sections", KeyspaceShape::Large).unwrap();
        let mut most = 0;
        for n in 0..100u32 {
            let mut batch = WriteBatch::new();
            batch.put(&keyspace, n.to_be_bytes(), vec![n as u8; 1 << 20]);
            store.write_batch(batch, Durability::Buffered).unwrap();
            most = most.max(store.buffered_bytes().unwrap());
        }
        assert!(most > 8 << 20, "{most} bytes: buffers are made tables when there are some");
        assert!(most <= 17 << 20, "{most} bytes in buffers");
        let snapshot = store.snapshot().unwrap();
        for n in 0..100u32 {
            assert_eq!(
                &snapshot.get(&keyspace, n.to_be_bytes()).unwrap().unwrap()[..],
                vec![n as u8; 1 << 20]
            );
        }
    }
}
