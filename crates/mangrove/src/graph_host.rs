//! The graphs of a server, for the services that make, list and drop some while it runs.

use std::{fmt::Debug, path::PathBuf};

use graph::GraphStats;

/// A graph that a server has.
#[derive(Clone, Debug)]
pub struct GraphInfo {
    /// What it is called, and reached by: the name of its traversal source.
    pub name: String,
    /// Its directory; none if it is in memory.
    pub directory: Option<PathBuf>,
    /// Whether the configuration has it, so that it cannot be dropped while the server runs.
    pub is_configured: bool,
    /// Its sizes.
    pub stats: GraphStats,
}

/// Makes, lists and drops the graphs of a server. Behind it are directories today; on several nodes it is what they agree on.
pub trait GraphHost: Debug + Send + Sync {
    /// All graphs, in the order of their names.
    fn list(&self) -> Vec<GraphInfo>;

    /// Makes an empty graph, which is reached by its name from now on, also after a new start.
    ///
    /// # Errors
    /// Why not, in words; then there is none.
    fn create(&self, name: &str) -> Result<(), String>;

    /// Ends what runs on a graph, and removes it with everything in it.
    ///
    /// # Errors
    /// Why not, in words.
    fn remove(&self, name: &str) -> Result<(), String>;
}
