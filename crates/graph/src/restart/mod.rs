//! From files to a graph, after a stop or a crash: the checkpoint, then the log since, replayed list by list on several
//! threads. It must never know of readers, commits or transactions: there are none yet.

mod recovery;
mod replay;

pub(crate) use recovery::open;
