//! From validated to visible: transactions are judged, written to the log as a group, and applied in stamp order. What that takes
//! is a [`Committer`]: the files, since a group that finds no room flushes, and the commits on their way there. It must never know
//! what a write means; operations and units are all it sees. (So it stands below the transactions that come to it.)

mod commit_counts;
mod committer;
mod queue;

pub use commit_counts::CommitCounts;
pub(crate) use committer::Committer;
pub(crate) use queue::Commit;
