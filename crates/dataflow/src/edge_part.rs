//! A part of the edges of one vertex.

use graph::Stretch;

use crate::operators::Viewpoint;

/// What one of several executors that share a long list is to follow:
///
/// ```text
/// lists of the row    out knows │ 12 edges │
///                     out likes │ node │ node │ node │ node │ node │ …
///                                        └── stretch ──┘
/// ```
#[derive(Debug)]
pub struct EdgePart {
    /// Which (direction, label) pair, directions first, as the expansion counts them.
    pub(crate) list: usize,
    /// Which edges of that list.
    pub(crate) stretch: Stretch,
    /// The graph in which they have these positions.
    pub(crate) viewpoint: Viewpoint,
}
