//! Pieces of queries that any executor may take.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::memory::reclaim;
use crate::query::{Piece, PieceSource};

/// Exchanges that have pieces to give away, and pieces to go on with.
///
/// ```text
/// sources │ exchange of query 7: pieces │ exchange of query 9: pieces │      the oldest first
/// begun   │ piece of query 7 │                                               nobody's at the moment: taken in their order
/// ```
#[derive(Default)]
pub(super) struct Offers {
    offered: Mutex<Offered>,
    /// How many pieces were begun.
    begun: AtomicUsize,
}

#[derive(Default)]
struct Offered {
    sources: VecDeque<Arc<dyn PieceSource>>,
    begun: VecDeque<Box<dyn Piece>>,
}

impl Offered {
    /// A piece from the oldest source that still has one; those before it are `gone`.
    fn take_first(&mut self, gone: &mut Vec<Arc<dyn PieceSource>>) -> Option<Box<dyn Piece>> {
        while let Some(source) = self.sources.front() {
            if let Some(piece) = Arc::clone(source).take() {
                return Some(piece);
            }
            gone.extend(self.sources.pop_front());
        }
        None
    }
}

impl Offers {
    /// Adds an exchange.
    pub(super) fn add(&self, source: Arc<dyn PieceSource>) {
        self.offered.lock().sources.push_back(source);
    }

    /// Whether there may be a piece to take.
    pub(super) fn are_any(&self) -> bool {
        let offered = self.offered.lock();
        !offered.sources.is_empty() || !offered.begun.is_empty()
    }

    /// Whether there is a piece that was begun and is nobody's at the moment.
    pub(super) fn are_begun(&self) -> bool {
        self.begun.load(Ordering::Relaxed) > 0
    }

    /// Takes a piece back that was begun.
    pub(super) fn give_back(&self, piece: Box<dyn Piece>) {
        let mut offered = self.offered.lock();
        offered.begun.push_back(piece);
        self.begun.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes a piece that was begun and is nobody's at the moment.
    pub(super) fn take_begun(&self) -> Option<Box<dyn Piece>> {
        if !self.are_begun() {
            return None;
        }
        let mut offered = self.offered.lock();
        let piece = offered.begun.pop_front()?;
        self.begun.fetch_sub(1, Ordering::Relaxed);
        Some(piece)
    }

    /// Takes a piece from the oldest offer that still has one.
    pub(super) fn take_piece(&self) -> Option<Box<dyn Piece>> {
        // Whoever has the last of a query that is over frees what it held: not under the lock.
        let mut gone = Vec::new();
        let piece = self.offered.lock().take_first(&mut gone);
        for source in gone {
            let bytes = source.left_behind();
            reclaim::free(source, bytes);
        }
        piece
    }
}
