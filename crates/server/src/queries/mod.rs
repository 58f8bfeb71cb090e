//! The queries of a server: who asks what, how far each is, and what becomes of them.
//!
//! ```text
//!   submit ──▶ waits for its tenant ──▶ runs ──▶ its results are sent ──▶ over: counted, and logged if it was slow or failed
//!      └────────── seen and stopped by whoever looks after the server ────────┘
//! ```
//!
//! It must never know what a query means, nor over which protocol it came.

mod info;
mod journal;
mod said;
mod tally;
mod ticket;

use std::{
    collections::HashMap,
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::{Mutex, RwLock};
use values::Str;

pub use info::{QueryInfo, QueryPhase, UnderWay};
pub use journal::QueryLog;
pub(crate) use said::Said;
pub(crate) use tally::Tally;
pub(crate) use ticket::{Asking, submit};

use crate::Tracer;
use ticket::Ticket;

/// The queries of a server. Cheap to clone; clones are the same.
#[derive(Clone, Default)]
pub struct Queries(Arc<Inner>);

#[derive(Default)]
struct Inner {
    tickets: Mutex<HashMap<u64, Weak<Ticket>>>,
    next: AtomicU64,
    tally: Tally,
    log: RwLock<QueryLog>,
    tracer: OnceLock<Tracer>,
}

impl std::fmt::Debug for Queries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Queries").field(&self.0.tickets.lock().len()).finish()
    }
}

impl Queries {
    /// Says what is logged from now on.
    pub fn log_as(&self, log: QueryLog) {
        *self.0.log.write() = log;
    }

    /// Says who is told what becomes of them; what is said first counts.
    pub fn trace_with(&self, tracer: Tracer) {
        _ = self.0.tracer.set(tracer);
    }

    /// All that wait, run, or are being sent, the oldest first.
    pub fn all(&self) -> Vec<QueryInfo> {
        self.those(|_| true).iter().map(UnderWay::info).collect()
    }

    /// Those that are `meant`, the oldest first.
    pub fn those(&self, meant: impl Fn(&UnderWay) -> bool) -> Vec<UnderWay> {
        let all = self.tickets().into_iter().map(Ticket::under_way);
        let mut those: Vec<_> = all.filter(meant).collect();
        those.sort_by_key(|query| std::cmp::Reverse(query.age));
        those
    }

    /// Stops those that are `meant`, and tells their clients that it was `by` somebody; their ids.
    pub fn stop(&self, by: &str, meant: impl Fn(&UnderWay) -> bool) -> Vec<Str> {
        let those = self.tickets().into_iter().map(Ticket::under_way);
        those.filter(|query| meant(query) && query.ticket.stop(by)).map(|query| query.id).collect()
    }

    pub(crate) fn tally(&self) -> &Tally {
        &self.0.tally
    }

    pub(crate) fn tracer(&self) -> Option<&Tracer> {
        self.0.tracer.get()
    }

    fn log(&self) -> QueryLog {
        *self.0.log.read()
    }

    fn tickets(&self) -> Vec<Arc<Ticket>> {
        self.0.tickets.lock().values().filter_map(Weak::upgrade).collect()
    }

    fn add(&self, ticket: &Arc<Ticket>) -> u64 {
        let number = self.0.next.fetch_add(1, Ordering::Relaxed);
        self.0.tickets.lock().insert(number, Arc::downgrade(ticket));
        number
    }

    fn remove(&self, number: u64) {
        self.0.tickets.lock().remove(&number);
    }
}
