//! The timeline oracle: the order of what vector clocks leave open (Weaver, section 3.4).

mod graph;

pub use graph::OracleGraph;

use crate::{Epoch, GatekeeperId, TimeOrder, Timestamp};

/// A transaction, as the oracle knows it: which one of which gatekeeper in which epoch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventId {
    /// The epoch in which it was stamped.
    pub epoch: Epoch,
    /// Who stamped it.
    pub issuer: GatekeeperId,
    /// The issuer's own counter at that moment.
    pub count: u64,
}

impl EventId {
    /// The event that `timestamp` stands for.
    pub fn of(timestamp: &Timestamp) -> Self {
        let issuer = timestamp.issuer();
        Self { epoch: timestamp.epoch(), issuer, count: timestamp.clock().of(issuer) }
    }
}

/// Keeps one coherent timeline of the transactions it is asked about. Its answers are irrevocable, acyclic and
/// transitive, and never contradict the vector clocks.
pub trait TimelineOracle {
    /// Makes a transaction known. Again is fine.
    ///
    /// # Errors
    /// [`OracleError::Full`], [`OracleError::Forgotten`].
    fn create(&mut self, event: &Timestamp) -> Result<(), OracleError>;

    /// Establishes that, for every pair, the first happened before the second: all of them, or none. Events that
    /// are not known yet are created.
    ///
    /// # Errors
    /// [`OracleError::Cycle`] when that would contradict what is established, or itself; [`OracleError::Full`] and
    /// [`OracleError::Forgotten`]. Nothing was established then.
    fn assign(&mut self, pairs: &[(&Timestamp, &Timestamp)]) -> Result<(), OracleError>;

    /// The established order of two transactions: by their clocks, by assignment, or by transitivity through both.
    /// [`TimeOrder::Concurrent`] when nothing is established, and it may still become either.
    ///
    /// # Errors
    /// [`OracleError::Forgotten`] when the order may have been established and collected since.
    fn query(&self, left: &Timestamp, right: &Timestamp) -> Result<TimeOrder, OracleError>;

    /// The order of two transactions that must be ordered: the established one or, when there is none, the order
    /// in which they are given, which thereby is established for all time. Callers give arrival order.
    ///
    /// # Errors
    /// As [`assign`](Self::assign), except that there can be no cycle.
    fn decide(&mut self, first: &Timestamp, second: &Timestamp) -> Result<TimeOrder, OracleError> {
        let established = self.query(first, second)?;
        if established != TimeOrder::Concurrent {
            return Ok(established);
        }
        self.assign(&[(first, second)])?;
        Ok(TimeOrder::Before)
    }

    /// Forgets transactions before `horizon` that no order between later ones depends on. `horizon` must be at most
    /// every timestamp of a transaction that is running or to come, and never go back.
    fn collect(&mut self, horizon: &Timestamp);
}

/// Why the oracle gave no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OracleError {
    /// The order asked for contradicts what is established.
    #[error("{first:?} cannot be before {second:?}: the contrary is established")]
    Cycle {
        /// The transaction that was to be first.
        first: Timestamp,
        /// The transaction that was to be second.
        second: Timestamp,
    },
    /// The oracle holds as many transactions or orders as it may.
    #[error(
        "the oracle holds {limit} transactions or orders between them; wait until the oldest running transaction ends, and try again"
    )]
    Full {
        /// The bound.
        limit: usize,
    },
    /// A transaction is so old that what was established about it may have been collected.
    #[error("{event:?} is before the oracle's horizon, where orders are no longer remembered")]
    Forgotten {
        /// The old transaction.
        event: Timestamp,
    },
}
