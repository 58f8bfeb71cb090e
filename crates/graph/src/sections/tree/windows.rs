//! Finds an edge in a list that lies as its edges arrived.
//!
//! Nothing about such an edge says where in the list it is. But the sequence numbers of one source tablet ascend with
//! time, and so do the nodes:
//!
//! ```text
//!                 node 0   node 1   node 2        beyond[t]: above every sequence number of tablet t so far
//! beyond[0]         120      340      500
//! beyond[1]          80      310      470         edge (tablet 1, number 300): node 1, the first beyond it
//! ```
//!
//! In a list by sort key the numbers of a node are in no such order. There [`Span`] says between which two they are: with a
//! key that grows with time few nodes remain to be looked through for an edge whose value is not known.
//!
//! Out-edges all come from one source: one number is enough. Commits that overtake each other may put an edge into a later
//! node. Such a node is marked as having late edges, and the search goes on in those.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use values::VertexRef;

use crate::model::{Dir, TABLETS};

/// By source tablet, or for all sources together: one more than the largest sequence number of this node and all before
/// it, 0 if there is none.
pub(crate) struct Windows {
    beyond: Box<[AtomicU32]>,
    /// Whether it has an edge that the window of the node before reaches already.
    late: AtomicBool,
}

impl Windows {
    /// Bytes that it owns.
    pub(crate) fn bytes(&self) -> usize {
        self.beyond.len() * size_of::<AtomicU32>()
    }

    /// Those of the first node of a list.
    pub(crate) fn first(dir: Dir) -> Self {
        let sources = if dir == Dir::Out { 1 } else { TABLETS };
        Self { beyond: (0..sources).map(|_| AtomicU32::new(0)).collect(), late: AtomicBool::new(false) }
    }

    /// Those of a node that follows one with these, or takes its place.
    pub(crate) fn after(&self) -> Self {
        Self { beyond: self.iter().map(AtomicU32::new).collect(), late: AtomicBool::new(false) }
    }

    /// Those that were stored.
    pub(crate) fn stored(beyond: &[u32], late: bool) -> Self {
        Self { beyond: beyond.iter().copied().map(AtomicU32::new).collect(), late: AtomicBool::new(late) }
    }

    /// Makes room for an edge that is appended; by the writer. `before` are those of the node before.
    pub(crate) fn include(&self, src: VertexRef, seq: u32, before: Option<&Self>) {
        if before.is_some_and(|before| before.reach(src, seq)) {
            self.late.store(true, Ordering::Relaxed);
        }
        self.of(src).fetch_max(seq.saturating_add(1), Ordering::Relaxed);
    }

    /// Whether an edge may be in this node or one before it.
    pub(crate) fn reach(&self, src: VertexRef, seq: u32) -> bool {
        self.of(src).load(Ordering::Relaxed) > seq
    }

    /// Whether it may have edges that an earlier node reaches.
    pub(crate) fn is_late(&self) -> bool {
        self.late.load(Ordering::Relaxed)
    }

    /// Counts it as having late edges if one of the nodes that it takes the place of has.
    pub(crate) fn inherit(self, late: bool) -> Self {
        self.late.fetch_or(late, Ordering::Relaxed);
        self
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = u32> {
        self.beyond.iter().map(|beyond| beyond.load(Ordering::Relaxed))
    }

    fn of(&self, src: VertexRef) -> &AtomicU32 {
        &self.beyond[src.tablet() as usize % self.beyond.len()]
    }
}

/// The smallest and the largest sequence number of a node's edges, now or once.
pub(crate) struct Span {
    least: AtomicU32,
    most: AtomicU32,
}

impl Span {
    /// Of these edges.
    pub(crate) fn of(seqs: impl IntoIterator<Item = u32>) -> Self {
        let span = Self::stored(u32::MAX, 0);
        seqs.into_iter().for_each(|seq| span.include(seq));
        span
    }

    pub(crate) fn stored(least: u32, most: u32) -> Self {
        Self { least: AtomicU32::new(least), most: AtomicU32::new(most) }
    }

    /// Makes room for an edge; by the writer.
    pub(crate) fn include(&self, seq: u32) {
        self.least.fetch_min(seq, Ordering::Relaxed);
        self.most.fetch_max(seq, Ordering::Relaxed);
    }

    pub(crate) fn contains(&self, seq: u32) -> bool {
        let (least, most) = self.ends();
        least <= seq && seq <= most
    }

    pub(crate) fn ends(&self) -> (u32, u32) {
        (self.least.load(Ordering::Relaxed), self.most.load(Ordering::Relaxed))
    }
}
