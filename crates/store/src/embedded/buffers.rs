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

/// Who has waited for so long while nothing became less goes on: the engine will say what is wrong with the disk.
const LONGEST: Duration = Duration::from_secs(30);

/// Waits until the buffers take at most `bound` bytes. Writes that need not be durable at once, which come in large numbers from
/// flushes, wait at three quarters of it, so that commits, which somebody waits for, seldom have to.
pub(super) fn make_way(
    gauges: &Gauges,
    keyspaces: impl FnOnce() -> Vec<fjall::Keyspace>,
    bound: u64,
    durability: Durability,
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
    // What is large need not be full: of several keyspaces none may be.
    for keyspace in keyspaces() {
        if keyspace.tree.sealed_memtable_count() == 0 && keyspace.tree.active_memtable().size() > bound / 4 {
            // A failure is told to the next write.
            let _ = keyspace.rotate_memtable();
        }
    }
    let mut since = Instant::now();
    loop {
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

#[cfg(test)]
mod tests {
    use crate::{Durability, FjallOptions, FjallStore, KeyspaceShape, Store, WriteBatch};

    #[test]
    fn writers_faster_than_the_disk_take_no_more_memory_than_they_may() {
        let directory = tempfile::tempdir().unwrap();
        let options = FjallOptions { buffer_bytes: 16 << 20, ..FjallOptions::default() };
        let store = FjallStore::open(directory.path(), options).unwrap();
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
