//! An edge node's place in its tree.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use crossbeam_epoch::Guard;

use super::windows::{Span, Windows};
use crate::cells::{Account, SectionCell, Version};
use crate::model::Tick;
use crate::sections::adjacency::Adjacency;
use crate::sections::order::{OwnPlace, SortPlace};

/// Where the part of the list in a node begins: at this edge or the place where it was.
#[derive(Clone, Debug)]
pub(crate) enum FirstEdge {
    /// Before every edge: the first node. In a list by arrival, every node.
    Least,
    /// At this place in the order of the sort key.
    Place(OwnPlace),
}

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target<'t> {
    /// The end of the list.
    Last,
    Place(SortPlace<'t>),
}

impl FirstEdge {
    /// Whether the node begins behind `target`.
    pub(crate) fn is_after(&self, target: &Target<'_>) -> bool {
        match (self, target) {
            (Self::Place(first), Target::Place(place)) => first.place().order(place).is_gt(),
            _ => false,
        }
    }

    /// A node that begins with this place.
    pub(crate) fn at(place: SortPlace<'_>) -> Self {
        Self::Place(OwnPlace::of(place))
    }
}

/// An edge node: where it is, and what is known of it while it is on disk.
pub(crate) struct EdgeNode {
    /// In the store; 0 before the first flush.
    id: AtomicU32,
    pub(crate) cell: SectionCell<Adjacency>,
    /// Whether it differs from what is stored.
    dirty: AtomicBool,
    /// Whether a flush is writing it.
    flushing: AtomicBool,
    /// Edges that it has on disk.
    stored_len: AtomicU32,
    /// With how many versions to try to merge them: more if an old reader was in the way.
    ripe_at: AtomicUsize,
    pub(crate) first: FirstEdge,
    /// In a list by arrival.
    pub(crate) windows: Option<Windows>,
    pub(crate) span: Span,
}

impl EdgeNode {
    /// A node in memory that was never stored.
    pub(crate) fn fresh(
        section: Adjacency,
        first: FirstEdge,
        windows: Option<Windows>,
        account: &Arc<Account>,
        guard: &Guard,
    ) -> Self {
        let changes = section.delta.head(0).into_iter().flat_map(Version::history);
        let changed = changes.map(|version| version.change().seq);
        let span = Span::of(section.seqs().iter().copied().chain(changed));
        let node = Self {
            id: AtomicU32::new(0),
            cell: SectionCell::empty(),
            dirty: AtomicBool::new(true),
            flushing: AtomicBool::new(false),
            stored_len: AtomicU32::new(0),
            ripe_at: AtomicUsize::new(0),
            first,
            windows,
            span,
        };
        node.cell.replace(section, account, guard);
        node
    }

    /// A node on disk.
    pub(crate) fn stored(id: u32, len: u32, first: FirstEdge, windows: Option<Windows>, span: Span) -> Self {
        let cell = SectionCell::empty();
        cell.set_stored(&crossbeam_epoch::pin());
        let (id, stored_len) = (AtomicU32::new(id), AtomicU32::new(len));
        let (dirty, flushing, ripe_at) =
            (AtomicBool::new(false), AtomicBool::new(false), AtomicUsize::new(0));
        Self { id, cell, dirty, flushing, stored_len, ripe_at, first, windows, span }
    }

    pub(crate) fn id(&self) -> u32 {
        self.id.load(Ordering::Relaxed)
    }

    /// Gives the node an id in the store if it has none; `next` is the first free one.
    pub(crate) fn assign_id(&self, next: &mut u32) -> u32 {
        if self.id() == 0 {
            self.id.store(*next, Ordering::Relaxed);
            *next += 1;
        }
        self.id()
    }

    /// Lets the next flush store it in a new place; the old one, 0 if there was none.
    pub(crate) fn forget_id(&self) -> u32 {
        self.set_dirty(true);
        self.id.swap(0, Ordering::Relaxed)
    }

    /// Bytes without its edges.
    pub(crate) fn own_bytes(&self) -> usize {
        size_of::<Self>() + self.windows.as_ref().map_or(0, Windows::bytes)
    }

    pub(crate) fn is_flushing(&self) -> bool {
        self.flushing.load(Ordering::Relaxed)
    }

    pub(crate) fn set_flushing(&self, flushing: bool) {
        self.flushing.store(flushing, Ordering::Relaxed);
    }

    pub(crate) fn is_dirty(&self) -> bool {
        self.dirty.load(Ordering::Relaxed)
    }

    pub(crate) fn set_dirty(&self, dirty: bool) {
        self.dirty.store(dirty, Ordering::Relaxed);
    }

    /// Whether to try to merge `versions`, more than `least`.
    pub(crate) fn is_ripe(&self, versions: usize, least: usize) -> bool {
        versions > least.max(self.ripe_at.load(Ordering::Relaxed))
    }

    /// Sets with how many versions to try to merge them next, at least.
    pub(crate) fn set_ripe_at(&self, versions: usize) {
        self.ripe_at.store(versions, Ordering::Relaxed);
    }

    pub(crate) fn stored_len(&self) -> u32 {
        self.stored_len.load(Ordering::Relaxed)
    }

    pub(crate) fn set_stored_len(&self, len: u32) {
        self.stored_len.store(len, Ordering::Relaxed);
    }

    /// Edges of the base and versions over it.
    pub(crate) fn bulk(&self, guard: &Guard) -> usize {
        match self.cell.loaded(guard) {
            Some(section) => section.neighbours().len() + section.delta.len(),
            None => self.stored_len() as usize,
        }
    }

    /// The number of edges that a snapshot sees, without loading anything: a node that is on disk has no versions that
    /// some snapshot does not see.
    pub(crate) fn len_at(&self, tick: Tick, guard: &Guard) -> usize {
        match self.cell.loaded(guard) {
            Some(section) => section.degree(0, tick),
            None => self.stored_len() as usize,
        }
    }
}
