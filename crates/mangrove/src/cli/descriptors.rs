//! How many files and sockets the process may have open.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Files and sockets beside the connections that are counted: those of the graphs, and connections that wait.
const OTHERS: u64 = 1_024;

/// Raises the bound to as many as the system lets the process have, and says so where that is too few for so many
/// connections. Shells set it low (to 1,024, often), and it would be reached before `server.max_connections` is.
pub(super) fn raise(connections: usize) {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let before = std::mem::replace(&mut limit.current, limit.maximum);
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            tracing::debug!(%error, "the bound on open files and sockets stays as it is");
            limit.current = before;
        }
    }
    let wanted = OTHERS.saturating_add(connections as u64);
    if let Some(open) = limit.current.filter(|open| *open < wanted) {
        tracing::warn!(
            open,
            wanted,
            "the system lets this process open few files and sockets (ulimit -n): raise that, or lower \
             server.max_connections"
        );
    }
}
