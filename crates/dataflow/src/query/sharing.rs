//! When and how executors work on one query together.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::caller::Path;
use crate::error::QueryError;
use crate::instance::Progress;
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
}

/// A piece of a query, on the executor that has taken it.
pub trait Piece: Send {
    /// The groups that its query takes turns in.
    fn path(&self) -> Path;

    /// Works on it for the quota. `Complete` when nothing is left to do, also after a failure; `Blocked` when its home must make
    /// room for results first.
    fn run(&mut self, quota: Quota<'_>) -> Progress;

    /// Ends it after a panic in one of its operators.
    fn fail(self: Box<Self>, error: QueryError);
}
