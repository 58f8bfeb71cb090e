//! When and how executors work on one query together.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::caller::Path;
use super::state::QueryState;
use super::waker::Waker;
use crate::error::QueryError;
use crate::instance::Progress;
use crate::memory::MemoryMeter;
use crate::quota::{Clock, Quota};

/// When executors work on one query together.
///
/// Whoever helps must be woken, what several executors remember together takes longer to look up and to change, and the
/// last piece must be waited for: some 100 µs that a query loses which is done soon after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// For how long a query works alone, counted from its first batch that might be shared, before others help. One that is
    /// soon done loses a tenth at most by the default of a millisecond. A batch that will take longer in any case is shared at
    /// once.
    pub patience: Duration,
    /// Fewest edges in a piece of work that is given away; 4,096 by default, which take 4 µs to follow, and longer if something
    /// is asked of what they lead to.
    pub piece: u64,
}

impl Default for Sharing {
    fn default() -> Self {
        Self { patience: Duration::from_millis(1), piece: 1 << 12 }
    }
}

impl Sharing {
    /// Whatever can be cut is shared at once: for tests.
    pub const EAGER: Self = Self { patience: Duration::ZERO, piece: 1 << 10 };
}

/// When a query had work for the first time that others might have shared, if it had.
#[derive(Debug, Default)]
pub struct Shareable(OnceLock<Duration>);

impl Shareable {
    /// Notes that it has such work.
    pub(crate) fn note(&self, clock: &dyn Clock) {
        self.0.get_or_init(|| clock.now());
    }

    /// Whether that is at least so long ago.
    pub(crate) fn since(&self, patience: Duration, clock: &dyn Clock) -> bool {
        self.0.get().is_some_and(|first| clock.now() >= first.saturating_add(patience))
    }
}

/// Other executors, as a query sees them.
pub trait Helpers: Send + Sync {
    /// When they are asked.
    fn sharing(&self) -> Sharing;
    /// How many are idle now: a hint for whether splitting pays.
    fn idle(&self) -> usize;
    /// Offers pieces of work to so many of them.
    fn offer(&self, source: Arc<dyn PieceSource>, wanted: usize);
}

/// Work on a query that is in pieces.
pub trait PieceSource: Send + Sync {
    /// A piece for the executor that asks; `None` if there is none for now.
    fn take(self: Arc<Self>) -> Option<Box<dyn Piece>>;

    /// As [`Piece::left_behind`].
    fn left_behind(&self) -> usize;
}

/// A piece of a query, on the executor that has taken it.
pub trait Piece: Send {
    /// The groups that its query takes turns in.
    fn path(&self) -> Path;

    /// Works on it for the quota. `Complete` when nothing is left to do, also after a failure; `Blocked` when its home must make
    /// room for results first, or its query may hold no more memory.
    fn run(&mut self, quota: Quota<'_>) -> Progress;

    /// Bytes that its query holds, if that is over: whoever drops the last of its pieces may free them.
    fn left_behind(&self) -> usize;

    /// Ends it after a panic in one of its operators.
    fn fail(self: Box<Self>, error: QueryError);
}

/// Whether a piece of a query may go on now, on another executor than its home; `has_room` says whether there is room for its results.
///
/// # Errors
/// Why the query is over. Who waits asks for itself: its home may wait, too, or be gone.
pub(crate) fn may_go_on(query: &QueryState, has_room: bool) -> Result<bool, QueryError> {
    // Who cannot go on in any case must not take a place from one that can.
    if has_room && !waits_for_memory(&query.memory, &query.waker) {
        return Ok(true);
    }
    query.check()?;
    Ok(false)
}

/// Its home is told each time: it sleeps until pieces come back, and it is who gives up when that takes too long.
fn waits_for_memory(memory: &MemoryMeter, home: &Waker) -> bool {
    let waits = !memory.may_go_on();
    if waits {
        home.wake();
    }
    waits
}

/// Bytes that a query holds, if it is over.
pub(crate) fn left_behind(query: &QueryState, is_over: bool) -> usize {
    if is_over || query.check().is_err() { query.memory.used() as usize } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Budget;

    #[test]
    fn a_piece_waits_for_memory_as_its_query_does_and_tells_its_home() {
        let budget = Arc::new(Budget::new(100 << 20, 40 << 20));
        let meter = || MemoryMeter::within(40 << 20, [&budget].into_iter());
        let (first, second) = (meter(), meter());
        let home = Waker::new(|| ());
        second.charge(35 << 20).unwrap();
        assert!(!waits_for_memory(&second, &home) && !home.is_woken(), "there is memory");
        first.charge(35 << 20).unwrap();
        assert!(first.may_go_on(), "it is the one that goes on beyond the mark");
        assert!(waits_for_memory(&second, &home) && home.take());
        assert!(waits_for_memory(&second, &home) && home.take(), "it may have forgotten it meanwhile");
        drop(first);
        assert!(!waits_for_memory(&second, &home));
    }
}
