//! What may be decided about secondary edge-trees beforehand.

use std::time::Duration;

/// When secondary edge-trees are built, and by how many threads.
#[derive(Clone, Debug, PartialEq)]
pub struct SecondaryOptions {
    /// Threads that build trees; none builds any, and those that are there are kept up to date.
    pub builders: usize,
    /// The part of a processor core that one of these threads takes while it builds: from above 0 to 1.
    pub share: f64,
    /// How long the benefit of a tree is measured before something is decided.
    pub period: Duration,
    /// The part of all edge nodes read in a period that a tree must have saved for it to be built (equation 2 of ByteGraph).
    /// Below a quarter of it, for [`SecondaryOptions::patience`] periods, a tree is dropped.
    pub threshold: f64,
    /// Periods that a tree may not pay before it is dropped.
    pub patience: u32,
    /// Edges that are sorted in memory at once.
    pub sort_edges: usize,
}

impl Default for SecondaryOptions {
    /// One thread with half a core; periods of ten seconds; a twentieth of the nodes; five minutes of patience; half a
    /// million edges.
    fn default() -> Self {
        Self {
            builders: 1,
            share: 0.5,
            period: Duration::from_secs(10),
            threshold: 0.05,
            patience: 30,
            sort_edges: 1 << 19,
        }
    }
}
