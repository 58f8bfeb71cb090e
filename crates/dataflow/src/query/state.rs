//! What all operators of one running query share.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use graph::{Computed, Snapshot, Transaction};
use planner::physical::Plan;
use values::Value;
use values::watch::Watch;

use super::access::Access;
use super::caller::{Caller, Path};
use super::cancel::CancelToken;
use super::draws::Draws;
use super::profile::Profile;
use super::sharing::{Helpers, Shareable};
use super::side_effects::SideEffects;
use super::waker::Waker;
use crate::error::QueryError;
use crate::files::GraphFiles;
use crate::memory::MemoryMeter;
use crate::quota::Clock;

/// The state of a running query that is not an operator's.
pub struct QueryState {
    /// The plan it runs.
    pub plan: Arc<Plan>,
    /// The values of the plan's parameters.
    pub params: Vec<Value>,
    /// The graph as it sees it.
    pub access: Access,
    /// The files that it may read and write, if any.
    pub files: Option<Arc<dyn GraphFiles>>,
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
    /// The properties that it computes.
    pub computed: Option<Arc<Computed>>,
    /// What its steps draw by chance.
    pub draws: Draws,
}

impl QueryState {
    /// The current view of the graph. In a transaction it includes the writes made so far, so ask anew for each batch.
    #[inline]
    pub fn snapshot(&self) -> Cow<'_, Snapshot> {
        match &self.access {
            Access::Read(snapshot) => Cow::Borrowed(snapshot),
            Access::Write(transaction) | Access::Within(transaction) => {
                let snapshot = self.of_transaction(transaction);
                Cow::Owned(match &self.computed {
                    Some(computed) => snapshot.with_computed(computed),
                    None => snapshot,
                })
            }
        }
    }

    /// The same without what the query has computed.
    pub(crate) fn stored(&self) -> Snapshot {
        match &self.access {
            Access::Read(snapshot) => snapshot.without_computed(),
            Access::Write(transaction) | Access::Within(transaction) => self.of_transaction(transaction),
        }
    }

    fn of_transaction(&self, transaction: &Transaction) -> Snapshot {
        match self.cancel.request() {
            Some(request) => transaction.snapshot().on_behalf_of(request),
            None => transaction.snapshot(),
        }
    }

    /// The groups that it takes turns in.
    pub(crate) fn path(&self) -> Path {
        self.caller.path(self.seed)
    }

    /// The transaction, if the query runs in one.
    pub fn transaction(&self) -> Option<&Transaction> {
        self.access.transaction().map(|transaction| &**transaction)
    }

    /// Whether the transaction that it runs in goes on when it ends.
    pub(crate) fn is_part(&self) -> bool {
        matches!(self.access, Access::Within(_))
    }

    /// Whether all results are kept until the end. They are where it is not known before what they show: where it writes, or what
    /// it answers is as of its commit.
    pub(crate) fn answers_at_end(&self) -> bool {
        match self.access {
            Access::Read(_) => false,
            Access::Write(_) => true,
            Access::Within(_) => self.plan.writes,
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
