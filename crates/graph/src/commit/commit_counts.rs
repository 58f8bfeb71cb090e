//! How often transactions come through.

use std::sync::atomic::{AtomicU64, Ordering};

use timeline::CommitRefused;

/// What has become of the commits of writing transactions since the graph was opened.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct CommitCounts {
    /// Transactions that were to commit; each try of one that is run again.
    pub attempts: u64,
    /// Those of them that had read something that another one changed.
    pub changed: u64,
    /// Those of them that touched what an older loser had reserved.
    pub reserved: u64,
}

/// Counts them.
#[derive(Default)]
pub(crate) struct CommitCounters {
    attempts: AtomicU64,
    changed: AtomicU64,
    reserved: AtomicU64,
}

impl CommitCounters {
    /// One more, and what became of it.
    pub(crate) fn note<T>(&self, outcome: &Result<T, CommitRefused>) {
        self.attempts.fetch_add(1, Ordering::Relaxed);
        match outcome {
            Err(CommitRefused::Reserved(_)) => self.reserved.fetch_add(1, Ordering::Relaxed),
            Err(_) => self.changed.fetch_add(1, Ordering::Relaxed),
            Ok(_) => 0,
        };
    }

    pub(crate) fn now(&self) -> CommitCounts {
        CommitCounts {
            attempts: self.attempts.load(Ordering::Relaxed),
            changed: self.changed.load(Ordering::Relaxed),
            reserved: self.reserved.load(Ordering::Relaxed),
        }
    }
}
