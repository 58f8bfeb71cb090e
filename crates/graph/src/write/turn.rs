//! A request's place among those that lost against others.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use timeline::{Footprint, Standing, Ticket};

use crate::commit::Committer;

/// What a request holds over all its attempts, so that it does not lose for ever.
///
/// An attempt that loses reserves what it touched: as soon as those that lost before it are done, and for a bounded time, no
/// other transaction may change that, while all that touch something else go on. So the next attempt commits, unless it comes
/// to touch something that the first did not.
///
/// ```
/// # use std::sync::Arc;
/// # use graph::{Cardinality, Graph, GraphOptions, ReadUnit};
/// # let graph = Graph::open(Arc::new(store::MemoryStore::new()), GraphOptions::default())?;
/// # let setup = graph.begin();
/// # let v = setup.add_vertex(None, "counter")?;
/// # setup.commit()?;
/// let turn = graph.turn();
/// loop {
///     turn.wait(None);
///     let transaction = graph.begin_in(graph.snapshot(), &turn);
///     transaction.note_read(ReadUnit::VertexRecord(v));
///     transaction.set_vertex_property(v, Cardinality::Single, "seen", true.into(), &[])?;
///     match transaction.commit() {
///         Err(error) if error.is_retryable() => {}
///         committed => break committed?,
///     }
/// }
/// # ;
/// # Ok::<(), graph::GraphError>(())
/// ```
pub struct Turn {
    committer: Arc<Committer>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    ticket: Option<Ticket>,
    /// How long it has kept others waiting at most, all its turns together.
    had: Duration,
}

/// Whether a request may be tried again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TurnAnswer {
    /// It is its turn: now.
    Come,
    /// Not yet. What was given is called when it is worth asking again; ask again by this moment in any case.
    Waits(Instant),
    /// It has reserved nothing: it has not lost, or there was no room.
    None,
}

/// A turn lasts four times as long as the attempt that lost, but at least and at most so long.
const SHORTEST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(10);
/// How long all turns of one request last together.
const ALL_TURNS: Duration = Duration::from_secs(30);

impl Turn {
    pub(crate) fn new(committer: &Arc<Committer>) -> Self {
        Self { committer: Arc::clone(committer), state: Mutex::default() }
    }

    /// An attempt that took so long has lost with this footprint.
    pub(crate) fn lost(&self, footprint: Footprint, took: Duration) {
        let mut state = self.state.lock();
        let term = (took * 4).clamp(SHORTEST, LONGEST).min(ALL_TURNS.saturating_sub(state.had));
        state.had += term;
        let before = state.ticket.take();
        state.ticket = match term.is_zero() {
            true => {
                before.into_iter().for_each(|ticket| self.committer.timeline.release(ticket));
                None
            }
            false => self.committer.timeline.reserve(before, footprint, term, self.committer.now()),
        };
    }

    /// How it stands to others at a commit.
    pub(crate) fn standing(&self) -> Standing {
        Standing::Ordinary(self.state.lock().ticket, self.committer.now())
    }

    /// Asks whether it may be tried again. If it must wait, `wake` is called when it is worth asking again: on any thread,
    /// which it must not hold up.
    pub fn ask(&self, wake: impl FnOnce() + Send + 'static) -> TurnAnswer {
        let Some(ticket) = self.state.lock().ticket else { return TurnAnswer::None };
        match self.committer.timeline.turn(ticket, self.committer.now(), wake) {
            timeline::Turn::Come => TurnAnswer::Come,
            timeline::Turn::Waits(latest) => TurnAnswer::Waits(self.committer.at(latest)),
        }
    }

    /// Waits until it may be tried again, or until a moment; false if it has reserved nothing.
    pub fn wait(&self, until: Option<Instant>) -> bool {
        let thread = std::thread::current();
        loop {
            let woken = thread.clone();
            let latest = match self.ask(move || woken.unpark()) {
                TurnAnswer::Come => return true,
                TurnAnswer::None => return false,
                TurnAnswer::Waits(latest) => latest,
            };
            let now = Instant::now();
            if until.is_some_and(|until| until <= now) {
                return true;
            }
            let wait = until.map_or(latest, |until| until.min(latest)).saturating_duration_since(now);
            std::thread::park_timeout(wait);
        }
    }

    /// Gives back what it has reserved, before it is dropped: the request has ended.
    pub fn release(&self) {
        if let Some(ticket) = self.state.lock().ticket.take() {
            self.committer.timeline.release(ticket);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.release();
    }
}

impl std::fmt::Debug for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turn").field("ticket", &self.state.lock().ticket).finish_non_exhaustive()
    }
}
