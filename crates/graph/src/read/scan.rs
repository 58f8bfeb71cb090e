//! Where a scan of vertices or edges stands.

/// The position of a scan: a new one begins at the start, a scan call moves it on.
#[derive(Clone, Debug, Default)]
pub struct ScanCursor {
    /// The next vertex reference to look at.
    pub(crate) next: u64,
    /// Where to stop, if before the end.
    pub(crate) end: Option<u64>,
    /// In a scan of edges: the label of that vertex to go on with.
    pub(crate) label: u32,
    /// And the place in that list.
    pub(crate) edge: crate::read::runs::Place,
}
