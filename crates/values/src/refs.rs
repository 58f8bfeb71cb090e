//! Handles of elements inside one running graph.

/// Where a vertex lives: the handle by which edges and traversers name it.
///
/// ```text
/// bit 31                                6 5          0
///     ┌──────────────────────────────────┬────────────┐
///     │ slot within the tablet (26 bits) │ tablet (6) │
///     └──────────────────────────────────┴────────────┘
/// ```
///
/// The tablet is in the *low* bits on purpose: tablets fill evenly, so the references of a graph with `n`
/// vertices are nearly dense in `0..n` and a bit set over references is small (one 8 KiB page covers the
/// 1,024-slot blocks of all 64 tablets). A graph holds at most 2³² vertices on one node.
///
/// A reference means nothing outside the process; users see ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct VertexRef(pub u32);

impl VertexRef {
    /// Bits of a reference that name the tablet.
    pub const TABLET_BITS: u32 = 6;
    /// Number of tablets of a graph.
    pub const TABLETS: u32 = 1 << Self::TABLET_BITS;
    /// Largest number of slots a tablet can have.
    pub const MAX_SLOTS: u32 = 1 << (32 - Self::TABLET_BITS);

    /// The reference to `slot` of `tablet`.
    ///
    /// # Panics
    /// In debug builds, if either is out of bounds.
    #[inline]
    pub fn new(tablet: u32, slot: u32) -> Self {
        debug_assert!(tablet < Self::TABLETS && slot < Self::MAX_SLOTS);
        Self(slot << Self::TABLET_BITS | tablet)
    }

    /// The tablet, in `0..TABLETS`.
    #[inline]
    pub fn tablet(self) -> u32 {
        self.0 & (Self::TABLETS - 1)
    }

    /// The slot within the tablet.
    #[inline]
    pub fn slot(self) -> u32 {
        self.0 >> Self::TABLET_BITS
    }
}

/// Where an edge lives: its two ends, its label, and its sequence number among the edges of the source's tablet.
///
/// `(src, seq)` identifies the edge within the graph; it is also its generated id (see [`EdgeRef::generated_id`]),
/// so an edge is found from its id without an index. The other fields make `outV`, `inV` and `label` free.
#[derive(Clone, Copy, Debug)]
pub struct EdgeRef {
    /// The vertex that the edge leaves.
    pub src: VertexRef,
    /// The vertex that the edge enters.
    pub dst: VertexRef,
    /// Sequence number, unique among all edges that leave a vertex of the source's tablet, never reused.
    pub seq: u32,
    /// The edge label's id in the graph's catalog.
    pub label: u16,
}

impl EdgeRef {
    /// The id that the graph generates for an edge whose user supplied none: `src` in the high half, `seq` in the low.
    #[inline]
    pub fn generated_id(self) -> i64 {
        (u64::from(self.src.0) << 32 | u64::from(self.seq)) as i64
    }

    /// The source and sequence number that a generated id names.
    #[inline]
    pub fn split_generated_id(id: i64) -> (VertexRef, u32) {
        (VertexRef((id as u64 >> 32) as u32), id as u32)
    }
}

impl PartialEq for EdgeRef {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.src == other.src && self.seq == other.seq
    }
}
impl Eq for EdgeRef {}
impl std::hash::Hash for EdgeRef {
    #[inline]
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u64(self.generated_id() as u64);
    }
}
impl PartialOrd for EdgeRef {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for EdgeRef {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.src, self.seq).cmp(&(other.src, other.seq))
    }
}
