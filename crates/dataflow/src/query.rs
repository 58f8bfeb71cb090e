//! What all operators of one running query share.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use graph::{Request, Snapshot, Transaction};
use planner::physical::Plan;
use values::Value;
use values::watch::Watch;

use crate::cancel::CancelToken;
use crate::error::QueryError;
use crate::memory::MemoryMeter;
use crate::profile::Profile;
use crate::quota::Clock;
use crate::scope::PieceSource;
use crate::side_effects::SideEffects;
use crate::turns::{Caller, Path};
use crate::waker::Waker;

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
    fn offer(&self, source: Arc<PieceSource>, wanted: usize);
}

/// The graph as one query sees it.
pub enum Access {
    /// A consistent view; reads never block and never abort.
    Read(Snapshot),
    /// A transaction, whose uncommitted writes the query sees too.
    Write(Arc<Transaction>),
}

impl Access {
    /// Makes the reads those of a request of their own, over at `deadline` at the latest; the request.
    pub(crate) fn serve(&mut self, deadline: Option<Instant>) -> Arc<Request> {
        match self {
            Self::Read(snapshot) => {
                let request = snapshot.new_request(deadline);
                *snapshot = snapshot.clone().on_behalf_of(&request);
                request
            }
            Self::Write(transaction) => transaction.new_request(deadline),
        }
    }
}

/// The state of a running query that is not an operator's.
pub struct QueryState {
    /// The plan it runs.
    pub plan: Arc<Plan>,
    /// The values of the plan's parameters.
    pub params: Vec<Value>,
    /// The graph as it sees it.
    pub access: Access,
    /// On whose behalf it runs.
    pub caller: Caller,
    /// Its side-effects.
    pub side_effects: SideEffects,
    /// What it may hold in memory.
    pub memory: Arc<MemoryMeter>,
    /// Counters per operator.
    pub profile: Profile,
    /// Ends it.
    pub cancel: CancelToken,
    /// The moment it has run too long, and its evaluation timeout.
    pub deadline: Option<(Duration, Duration)>,
    /// Where time comes from.
    pub clock: Arc<dyn Clock>,
    /// Executors that may help with pieces of this query; `None` where it runs on one executor only.
    pub helpers: Option<Arc<dyn Helpers>>,
    /// Wakes the executor that runs the query's root.
    pub waker: Waker,
    /// When it had work for the first time that others might have shared.
    pub shareable: Shareable,
    /// Its number, and the seed for `shuffle`, `sample` and `coin`.
    pub seed: u64,
}

impl QueryState {
    /// The current view of the graph. In a transaction it includes the writes made so far, so ask anew for each batch.
    #[inline]
    pub fn snapshot(&self) -> Cow<'_, Snapshot> {
        match &self.access {
            Access::Read(snapshot) => Cow::Borrowed(snapshot),
            Access::Write(transaction) => Cow::Owned(match self.cancel.request() {
                Some(request) => transaction.snapshot().on_behalf_of(request),
                None => transaction.snapshot(),
            }),
        }
    }

    /// The groups that it takes turns in.
    pub(crate) fn path(&self) -> Path {
        self.caller.path(self.seed)
    }

    /// The transaction, if the query runs in one.
    pub fn transaction(&self) -> Option<&Transaction> {
        match &self.access {
            Access::Read(_) => None,
            Access::Write(transaction) => Some(transaction),
        }
    }

    /// Why the query ends whose loads were not waited for.
    pub(crate) fn interrupted(&self) -> QueryError {
        match self.deadline {
            Some((_, timeout)) if !self.cancel.is_cancelled() => QueryError::TimedOut(timeout),
            _ => QueryError::Cancelled,
        }
    }

    /// Whether something in it has met an error that it could not hand on.
    ///
    /// # Errors
    /// That error.
    #[inline]
    pub(crate) fn check_failure(&self) -> Result<(), QueryError> {
        self.cancel.failure().map_or(Ok(()), |failure| Err(failure.clone()))
    }

    /// Why the query ends whose work its watch has ended.
    pub(crate) fn ended(&self) -> QueryError {
        self.check().err().unwrap_or(QueryError::Cancelled)
    }

    /// Whether the query must end now.
    ///
    /// # Errors
    /// [`QueryError::Cancelled`], [`QueryError::TimedOut`], or the error that something in it has met.
    #[inline]
    pub fn check(&self) -> Result<(), QueryError> {
        self.check_failure()?;
        if self.cancel.is_cancelled() {
            return Err(QueryError::Cancelled);
        }
        match self.deadline {
            Some((deadline, timeout)) if self.clock.now() >= deadline => Err(QueryError::TimedOut(timeout)),
            _ => Ok(()),
        }
    }
}

impl Watch for QueryState {
    fn must_end(&self) -> bool {
        self.check().is_err()
    }
}
