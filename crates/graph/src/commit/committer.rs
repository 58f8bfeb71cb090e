//! What committing takes.

use super::commit_counts::CommitCounts;
use super::queue::CommitQueue;
use crate::flush::Files;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The files of an open graph, and the commits on their way there.
pub(crate) struct Committer {
    files: Arc<Files>,
    pub(super) commits: CommitQueue,
    /// Where the clock of those that wait for their turn begins.
    opened: Instant,
}

impl std::ops::Deref for Committer {
    type Target = Arc<Files>;
    #[inline]
    fn deref(&self) -> &Arc<Files> {
        &self.files
    }
}

impl Committer {
    /// Nobody commits yet to a graph that was just opened.
    pub(crate) fn new(files: Arc<Files>) -> Self {
        let commits = CommitQueue::new(files.catalog().revision());
        Self { files, commits, opened: Instant::now() }
    }

    /// The time, on the clock on which turns end.
    pub(crate) fn now(&self) -> Duration {
        self.opened.elapsed()
    }

    /// A moment of that clock.
    pub(crate) fn at(&self, time: Duration) -> Instant {
        self.opened + time
    }

    /// What has become of commits since the graph was opened.
    pub(crate) fn commit_counts(&self) -> CommitCounts {
        self.commits.counters.now()
    }
}
