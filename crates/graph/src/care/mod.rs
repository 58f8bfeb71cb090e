//! Is a graph sound, and can it be brought back: a check of every stored pair and element, and backups. It must never know
//! who asks; it changes nothing in the graph, and takes a store: it opens the files itself, without the threads of a handle.

mod backup;
mod check;

pub(crate) use backup::backup;
pub use backup::{BackupSummary, restore};
pub use check::{CheckProgress, Finding, check, check_within};
