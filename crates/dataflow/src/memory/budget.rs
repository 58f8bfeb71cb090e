//! What all queries together may hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// How long a query waits for others to give memory back before it is refused.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// Bytes that are taken and given back together, so that queries do not meet here with each batch.
const GRAIN: i64 = 256 << 10;

/// Bytes of a query that need no place of their own: short queries never wait for long ones. When all together have more than the
/// bound, [`GRAIN`] is, since there may be thousands of short ones.
const FREE: i64 = 1 << 20;

/// A bound in bytes that queries share.
///
/// Queries come to hold more and more, and one that has to wait holds what it has, so without a rule all would wait for each
/// other. The rule: up to a *mark* all go on. Beyond it only one does at a time, the *first*, which may be any; between
/// the mark and the bound is room for all that one query may hold.
///
/// ```text
/// 0                               mark                           bound
/// │ ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓ │ ▒▒▒▒▒▒▒▒▒▒▒                   │
///   all queries                       the first, until it ends
/// ```
#[derive(Debug)]
pub struct Budget {
    used: AtomicI64,
    /// The part of it that is kept for queries to come.
    reserved: AtomicI64,
    mark: i64,
    limit: i64,
    /// The query that goes on beyond the mark; 0 for none.
    first: AtomicU64,
    next: AtomicU64,
}

impl Budget {
    /// A budget of `limit` bytes for queries that may hold `per_query` each, or half of it if that is less.
    pub fn new(limit: u64, per_query: u64) -> Self {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let per_query = i64::try_from(per_query).unwrap_or(i64::MAX).min(limit / 2);
        Self {
            used: AtomicI64::new(0),
            reserved: AtomicI64::new(0),
            mark: limit - per_query,
            limit,
            first: AtomicU64::new(0),
            next: AtomicU64::new(1),
        }
    }

    /// The bound.
    pub fn limit(&self) -> u64 {
        self.limit as u64
    }

    /// The most that one query may hold.
    pub fn per_query(&self) -> u64 {
        (self.limit - self.mark) as u64
    }

    /// Keeps about `bytes` for a query to come, which takes them before anybody can run it: while it is read. At most half of what is
    /// in front of the mark is kept so, or what one takes; the rest is for those that run. `None` if there is no room now.
    pub fn reserve(self: &Arc<Self>, bytes: u64) -> Option<Reserved> {
        let bytes = i64::try_from(bytes).map_or(self.mark, |bytes| bytes.min(self.mark));
        let more = |most: i64, alone: bool| {
            move |held: i64| (held + bytes <= most || alone && held == 0).then_some(held + bytes)
        };
        self.reserved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more(self.mark / 2, true)).ok()?;
        if self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more(self.mark, false)).is_err() {
            self.reserved.fetch_sub(bytes, Ordering::Relaxed);
            return None;
        }
        Some(Reserved { budget: Arc::clone(self), bytes })
    }

    /// Bytes held now, roughly.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed).max(0) as u64
    }
}

/// A part of a budget that is kept for a query to come. Given back when it is dropped.
#[derive(Debug)]
pub struct Reserved {
    budget: Arc<Budget>,
    bytes: i64,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Ordering::Relaxed);
        self.budget.reserved.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// A query's part of a budget. Given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Part {
    budget: Arc<Budget>,
    id: u64,
    taken: AtomicI64,
}

impl Part {
    pub(crate) fn new(budget: Arc<Budget>) -> Self {
        let id = budget.next.fetch_add(1, Ordering::Relaxed);
        Self { budget, id, taken: AtomicI64::new(0) }
    }

    pub(crate) fn limit(&self) -> u64 {
        self.budget.limit()
    }

    /// Holds about `bytes` from now on; whether there is room for them.
    #[inline]
    pub(crate) fn hold(&self, bytes: i64) -> bool {
        let taken = self.taken.load(Ordering::Relaxed);
        if bytes <= taken && bytes >= taken - 2 * GRAIN { true } else { self.take(taken, bytes) }
    }

    #[cold]
    fn take(&self, taken: i64, bytes: i64) -> bool {
        let wanted = (bytes.max(0) as u64).next_multiple_of(GRAIN as u64) as i64;
        let change = self.taken.compare_exchange(taken, wanted, Ordering::Relaxed, Ordering::Relaxed);
        if change.is_err() {
            // Somebody who works on the same query is taking.
            return true;
        }
        let used = self.budget.used.fetch_add(wanted - taken, Ordering::Relaxed) + wanted - taken;
        used <= self.budget.limit || wanted < taken || wanted <= self.free(used)
    }

    /// Bytes that need no place, when so many are taken.
    fn free(&self, used: i64) -> i64 {
        if used <= self.budget.limit { FREE } else { GRAIN }
    }

    /// Whether half is held of what all may hold before one has to wait.
    pub(crate) fn is_scarce(&self) -> bool {
        self.budget.used.load(Ordering::Relaxed) > self.budget.mark / 2
    }

    /// Whether the query may go on. If not, it should ask again soon.
    pub(crate) fn may_go_on(&self) -> bool {
        let budget = &self.budget;
        let used = budget.used.load(Ordering::Relaxed);
        if used <= budget.mark || self.taken.load(Ordering::Relaxed) <= self.free(used) {
            return true;
        }
        match budget.first.compare_exchange(0, self.id, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => true,
            Err(first) => first == self.id,
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(*self.taken.get_mut(), Ordering::Relaxed);
        let _ = self.budget.first.compare_exchange(self.id, 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: i64 = 1 << 20;

    #[test]
    fn beyond_the_mark_one_query_goes_on_at_a_time_and_fits() {
        let budget = Arc::new(Budget::new(100 << 20, 40 << 20));
        let parts: Vec<Part> = (0..7).map(|_| Part::new(budget.clone())).collect();
        assert!(parts.iter().all(|part| part.hold(10 * MIB)));
        assert!(parts[3].may_go_on());
        assert!(!parts[4].may_go_on());
        assert!(parts[3].hold(40 * MIB) && parts[3].may_go_on(), "there is room for all that it may hold");
        assert!(Part::new(budget.clone()).may_go_on(), "who holds nothing need not wait");
        drop(parts.into_iter().skip(3).take(1).collect::<Vec<_>>());
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn what_is_to_be_read_leaves_room_for_what_runs() {
        let budget = Arc::new(Budget::new(100 << 20, 40 << 20));
        let reserve = || budget.reserve(20 << 20);
        let first = reserve().expect("there is room");
        assert!(reserve().is_none(), "30 of the 60 in front of the mark");
        let part = Part::new(budget.clone());
        assert!(part.hold(40 * MIB) && part.may_go_on());
        drop(first);
        let again = reserve().expect("20 are left in front of the mark");
        assert_eq!(budget.used(), 60 << 20);
        drop((again, part));
        drop(budget.reserve(u64::MAX).expect("there is room for any when nobody has any"));
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn who_waits_is_next_when_the_first_has_ended() {
        let budget = Arc::new(Budget::new(100 << 20, 40 << 20));
        let (first, second) = (Part::new(budget.clone()), Part::new(budget.clone()));
        assert!(first.hold(35 * MIB) && second.hold(35 * MIB));
        assert!(first.may_go_on() && !second.may_go_on());
        drop(first);
        assert!(second.may_go_on());
        assert!(!second.hold(200 * MIB), "the bound holds for the first too");
    }

    #[test]
    fn thousands_of_short_queries_take_little_more_than_the_bound() {
        let budget = Arc::new(Budget::new(100 << 20, 40 << 20));
        let parts: Vec<Part> = (0..1_000).map(|_| Part::new(budget.clone())).collect();
        assert!(parts.iter().all(|part| part.hold(GRAIN)), "a little is always free");
        assert!(!parts[0].hold(MIB), "and no more than that, past the bound");
        assert!(!parts[0].may_go_on() || parts[0].taken.load(Ordering::Relaxed) > GRAIN);
    }

    #[test]
    fn half_of_it_is_the_most_for_one() {
        assert_eq!(Budget::new(100, 1_000).per_query(), 50);
        assert_eq!(Budget::new(100, 10).per_query(), 10);
    }

    #[test]
    fn memory_is_scarce_from_half_of_the_mark_on() {
        let budget = std::sync::Arc::new(Budget::new(100 << 20, 20 << 20));
        let part = Part::new(budget);
        assert!(part.hold(39 << 20) && !part.is_scarce());
        assert!(part.hold(41 << 20) && part.is_scarce() && part.may_go_on());
    }
}
