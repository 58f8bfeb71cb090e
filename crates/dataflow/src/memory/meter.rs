//! How much memory a query may hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use values::Value;

use super::budget::{Budget, Part};
use super::by_operator::{self, ByOperator};
use crate::batch::Weight;
use crate::error::QueryError;

/// Counts the bytes of a query's intermediate results against a bound.
#[derive(Debug)]
pub struct MemoryMeter {
    used: AtomicI64,
    peak: AtomicI64,
    /// Of results that wait for their client: they count for all queries together, not for the query's own bound.
    waiting: AtomicI64,
    limit: u64,
    /// What it takes of what all queries may hold, and those of its tenant.
    parts: Vec<Part>,
    /// Whose it is, if somebody will ask.
    by_operator: Option<Arc<ByOperator>>,
}

impl MemoryMeter {
    /// A meter with a bound in bytes.
    pub fn new(limit: u64) -> Self {
        Self {
            used: AtomicI64::new(0),
            peak: AtomicI64::new(0),
            waiting: AtomicI64::new(0),
            limit,
            parts: Vec::new(),
            by_operator: None,
        }
    }

    /// The same, which says of the state of operators whose it is.
    pub(crate) fn watched(self, by_operator: Arc<ByOperator>) -> Self {
        Self { by_operator: Some(by_operator), ..self }
    }

    /// The operator whose call this thread is in, if somebody will ask.
    pub(super) fn operator(&self) -> u32 {
        self.by_operator.as_ref().map_or(by_operator::NOBODY, |_| by_operator::current())
    }

    /// Counts bytes of the state of an operator, which are charged, or given back.
    pub(super) fn count(&self, op: u32, bytes: i64) {
        if let Some(by_operator) = &self.by_operator {
            by_operator.charge(op, bytes);
        }
    }

    /// A meter with a bound in bytes that takes what it counts from each of these budgets.
    pub fn within<'a>(limit: u64, budgets: impl Iterator<Item = &'a Arc<Budget>>) -> Self {
        let mut meter = Self::new(limit);
        for budget in budgets {
            meter.limit = meter.limit.min(budget.per_query());
            meter.parts.push(Part::new(budget.clone()));
        }
        meter
    }

    /// Holds so many bytes from now on.
    ///
    /// # Errors
    /// The first part that has no room for them.
    fn hold(&self, bytes: i64) -> Result<(), &Part> {
        // Each is told, whatever the others say.
        let mut full = Ok(());
        for part in &self.parts {
            if !part.hold(bytes) {
                full = full.and(Err(part));
            }
        }
        full
    }

    /// Adds `bytes` (negative to give back).
    ///
    /// # Errors
    /// [`QueryError::MemoryExceeded`] past the bound; the charge stands, since the query ends.
    pub fn charge(&self, bytes: isize) -> Result<(), QueryError> {
        let used = self.used.fetch_add(bytes as i64, Ordering::Relaxed) + bytes as i64;
        if bytes > 0 {
            self.peak.fetch_max(used, Ordering::Relaxed);
            if used > 0 && used as u64 > self.limit {
                return Err(QueryError::MemoryExceeded { limit: self.limit });
            }
        }
        self.hold(self.with_waiting(used)).map_err(|part| QueryError::Busy { limit: part.limit() })
    }

    /// Whether the query may go on: whether there is room for what it will come to hold. If not, it should ask again soon.
    pub(crate) fn may_go_on(&self) -> bool {
        self.parts.iter().all(Part::may_go_on)
    }

    /// Why a query is refused that has waited long enough.
    pub(crate) fn busy(&self) -> QueryError {
        let full = self.parts.iter().find(|part| !part.may_go_on()).or(self.parts.first());
        QueryError::Busy { limit: full.map_or(self.limit, Part::limit) }
    }

    /// Adds `bytes` if there is room for them: for what a query can do without. Whether there was.
    pub fn charge_if_room(&self, bytes: usize) -> bool {
        let room = |used: i64| {
            let with = used + bytes as i64;
            (with.max(0) as u64 <= self.limit).then_some(with)
        };
        let Ok(before) = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room) else {
            return false;
        };
        let used = before + bytes as i64;
        self.peak.fetch_max(used, Ordering::Relaxed);
        if self.hold(self.with_waiting(used)).is_err() {
            self.used.fetch_sub(bytes as i64, Ordering::Relaxed);
            return false;
        }
        true
    }

    fn with_waiting(&self, used: i64) -> i64 {
        used + self.waiting.load(Ordering::Relaxed)
    }

    /// Counts results until they have left the process, if they are worth it. A query whose client takes nothing is suspended
    /// before it has many, so nothing is refused here; but others wait for what they take of the budget.
    pub fn hold_results(self: &Arc<Self>, results: &[(Value, u64)]) -> Option<WaitingResults> {
        let mut weight = Weight::default();
        results.iter().for_each(|(value, _)| weight.add(value));
        let bytes = (weight.bytes + size_of_val(results)) as i64;
        if bytes < SMALL_RESULTS {
            return None;
        }
        self.wait(bytes);
        Some(WaitingResults { meter: Arc::clone(self), bytes })
    }

    fn wait(&self, bytes: i64) {
        self.waiting.fetch_add(bytes, Ordering::Relaxed);
        // Whether there is room, the query is told when it wants to go on.
        let _ = self.hold(self.with_waiting(self.used.load(Ordering::Relaxed)));
    }

    /// Whether half of what may be held is.
    pub(crate) fn is_half_used(&self) -> bool {
        self.used() > self.limit / 2
    }

    /// Whether what runs by turns, though it need not, had better go on one after the other: half is held of what the query may hold, or
    /// of what all may before the first has to wait.
    pub(crate) fn is_scarce(&self) -> bool {
        self.is_half_used() || self.parts.iter().any(Part::is_scarce)
    }

    /// The bound in bytes.
    #[inline]
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Bytes held now.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed).max(0) as u64
    }

    /// Most bytes held at once.
    pub fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed).max(0) as u64
    }
}

/// Bytes of results that are not counted.
const SMALL_RESULTS: i64 = 16 << 10;

/// Results on their way out, counted until this is dropped.
#[derive(Debug)]
pub struct WaitingResults {
    meter: Arc<MemoryMeter>,
    bytes: i64,
}

impl Drop for WaitingResults {
    fn drop(&mut self) {
        self.meter.wait(-self.bytes);
    }
}

/// Bytes charged to a query that are given back when this is dropped: with the message they were charged for, whether
/// it was processed or its scope instance terminated.
#[derive(Debug)]
pub struct Charge {
    meter: Arc<MemoryMeter>,
    bytes: isize,
}

impl Charge {
    /// Charges `bytes` to a query.
    ///
    /// # Errors
    /// [`QueryError::MemoryExceeded`] past the query's bound.
    pub fn take(meter: &Arc<MemoryMeter>, bytes: usize) -> Result<Self, QueryError> {
        let charge = Self { meter: meter.clone(), bytes: bytes as isize };
        charge.meter.charge(charge.bytes)?;
        Ok(charge)
    }

    /// Gives a part of it back.
    pub(crate) fn give_back(&mut self, bytes: usize) {
        let bytes = (bytes as isize).min(self.bytes);
        if bytes > 0 {
            self.bytes -= bytes;
            // Giving back cannot exceed a bound.
            let _ = self.meter.charge(-bytes);
        }
    }

    /// How much is charged.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.unsigned_abs()
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        // Giving back cannot exceed a bound.
        let _ = self.meter.charge(-self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_wait_count_for_all_queries_and_not_for_the_bound_of_theirs() {
        let budget = Arc::new(Budget::new(64 << 20, 8 << 20));
        let meter = Arc::new(MemoryMeter::within(8 << 20, [&budget].into_iter()));
        let large = vec![(Value::from("x".repeat(16 << 20)), 3)];
        let waiting = meter.hold_results(&large).expect("they are large");
        assert!(budget.used() >= 16 << 20);
        assert!(meter.charge(6 << 20).is_ok(), "its bound is about what it works with");
        drop(waiting);
        assert!(budget.used() <= 8 << 20);
        assert!(meter.hold_results(&[(Value::Int(1), 1)]).is_none(), "a few are not counted");
        drop(meter);
        assert_eq!(budget.used(), 0);
    }
}
