//! What the executors of an engine share: an inbox each, and the pieces of queries that any of them may take.
//!
//! ```text
//! inbox of executor 0 │ queries, bell, load │      offers │ exchange of query 7: pieces │ pieces that were begun │
//! inbox of executor 1 │ queries, bell, load │
//! ```

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::idle::{AtWork, Idleness};
use super::inbox::Inbox;
use super::pin;
use super::steal::Offers;
use crate::query::{Helpers, Party, Piece, PieceSource, Sharing};
use crate::quota::Clock;

/// See the module.
pub(crate) struct Peers {
    pub(crate) inboxes: Vec<Arc<Inbox>>,
    sharing: Sharing,
    offers: Offers,
    idleness: Idleness,
    placed: Placed,
}

/// How many queries each tenant has on each executor.
#[derive(Default)]
struct Placed(Mutex<FxHashMap<Party, Vec<usize>>>);

impl Peers {
    pub(crate) fn new(executors: usize, sharing: Sharing, clock: Arc<dyn Clock>) -> Self {
        Self {
            sharing,
            inboxes: (0..executors).map(|_| Arc::default()).collect(),
            offers: Offers::default(),
            idleness: Idleness::new(executors, clock),
            placed: Placed::default(),
        }
    }

    /// The executor where a query of that tenant is to live: one that has few queries; of a tenant, first of all, few of its own, so
    /// that what it gets does not depend on where the others happen to be.
    pub(crate) fn place_for(&self, party: Party) -> usize {
        let load = |at: usize| self.inboxes[at].load.load(Ordering::Relaxed);
        let all = 0..self.inboxes.len();
        if !matches!(party, Party::Tenant(..)) {
            return all.min_by_key(|at| load(*at)).unwrap_or(0);
        }
        let mut placed = self.placed.0.lock();
        let own = placed.entry(party).or_insert_with(|| vec![0; self.inboxes.len()]);
        let at = all.min_by_key(|at| (own[*at], load(*at))).unwrap_or(0);
        own[at] += 1;
        at
    }

    /// A query that was placed so is over.
    fn displace(&self, inbox: &Inbox, party: Party) {
        if !matches!(party, Party::Tenant(..)) {
            return;
        }
        let at = self.inboxes.iter().position(|other| std::ptr::eq(&**other, inbox));
        let mut placed = self.placed.0.lock();
        let Some((at, own)) = at.zip(placed.get_mut(&party)) else { return };
        own[at] = own[at].saturating_sub(1);
        if own.iter().all(|count| *count == 0) {
            placed.remove(&party);
        }
    }

    /// Counts the calling thread as one that takes a core, for as long as what this returns lives.
    pub(crate) fn at_work(&self) -> AtWork<'_> {
        self.idleness.at_work()
    }

    /// One query less lives in an inbox, which ran for so long.
    pub(super) fn retire(&self, inbox: &Inbox, party: Party, ran: Duration) {
        self.idleness.note_end(ran);
        inbox.load.fetch_sub(1, Ordering::Relaxed);
        self.displace(inbox, party);
    }

    /// Counts an executor as one that helps, for as long as `work` takes.
    pub(super) fn while_helping<R>(&self, work: impl FnOnce() -> R) -> R {
        self.idleness.while_helping(work)
    }

    /// Counts the executor of an inbox as idle, for as long as `wait` takes.
    pub(super) fn while_idle<R>(&self, inbox: &Inbox, wait: impl FnOnce() -> R) -> R {
        self.idleness.while_sleeping(|| {
            inbox.idle.store(true, Ordering::Release);
            let waited = wait();
            inbox.idle.store(false, Ordering::Release);
            waited
        })
    }

    /// Number of executors that sleep or are about to.
    pub(crate) fn sleeping(&self) -> usize {
        self.idleness.sleeping()
    }

    /// Whether there may be a piece to take.
    pub(super) fn has_offers(&self) -> bool {
        self.offers.are_begun() || self.idleness.has_core() && self.offers.are_any()
    }

    /// Whether there may be one for an executor that is about to sleep.
    pub(super) fn has_offers_for_sleeper(&self) -> bool {
        self.offers.are_begun() || self.idleness.has_core_for_sleeper() && self.offers.are_any()
    }

    /// Takes a piece back that was begun.
    pub(super) fn give_back(&self, piece: Box<dyn Piece>) {
        self.offers.give_back(piece);
    }

    /// Takes a piece that was begun and is nobody's at the moment.
    pub(super) fn take_begun(&self) -> Option<Box<dyn Piece>> {
        self.offers.take_begun()
    }

    /// Takes a piece that was begun, or, while there is a core to work on it, one from the oldest offer that still has one.
    pub(super) fn take_piece(&self) -> Option<Box<dyn Piece>> {
        match self.offers.take_begun() {
            None if self.idleness.has_core() => self.offers.take_piece(),
            begun => begun,
        }
    }
}

impl Helpers for Peers {
    fn sharing(&self) -> Sharing {
        self.sharing
    }

    fn idle(&self) -> usize {
        self.idleness.idle()
    }

    fn offer(&self, source: Arc<dyn PieceSource>, wanted: usize) {
        self.offers.add(source);
        // Not whoever would take this very core from the query, unless there is nobody else.
        let here = pin::current_core().map_or(0, |core| core + 1);
        let idle = |inbox: &&Arc<Inbox>| inbox.idle.load(Ordering::Acquire);
        let near = |inbox: &&Arc<Inbox>| here > 0 && inbox.core.load(Ordering::Relaxed) == here;
        let (local, elsewhere): (Vec<_>, Vec<_>) = self.inboxes.iter().filter(idle).partition(near);
        elsewhere.into_iter().chain(local).take(wanted).for_each(|inbox| inbox.wake());
    }
}
