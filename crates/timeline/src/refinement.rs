//! The order of two transactions that must be ordered: clocks first, then what was decided, then the oracle.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::{EventId, OracleError, TimeOrder, TimelineOracle, Timestamp};

/// Orders transactions for one shard (tablet host): mostly by their clocks, else by the oracle, whose decisions it
/// caches, because they are irrevocable (Weaver, section 4.2).
#[derive(Clone, Debug)]
pub struct RefinedOrder {
    decided: FxHashMap<(EventId, EventId), TimeOrder>,
    /// The keys of `decided`, oldest first.
    age: VecDeque<(EventId, EventId)>,
    capacity: usize,
    asked: u64,
}

impl RefinedOrder {
    /// Remembers up to `capacity` decisions, at least one.
    pub fn new(capacity: usize) -> Self {
        Self { decided: FxHashMap::default(), age: VecDeque::new(), capacity: capacity.max(1), asked: 0 }
    }

    /// How `first`, which arrived first, lies to `second`. Never [`TimeOrder::Concurrent`].
    ///
    /// # Errors
    /// Those of [`TimelineOracle::decide`].
    pub fn order(
        &mut self,
        first: &Timestamp,
        second: &Timestamp,
        oracle: &mut impl TimelineOracle,
    ) -> Result<TimeOrder, OracleError> {
        let by_clocks = first.compare(second);
        if by_clocks != TimeOrder::Concurrent {
            return Ok(by_clocks);
        }
        let (left, right) = (EventId::of(first), EventId::of(second));
        let swapped = left > right;
        let key = if swapped { (right, left) } else { (left, right) };
        if let Some(decided) = self.decided.get(&key) {
            return Ok(if swapped { decided.reversed() } else { *decided });
        }
        self.asked += 1;
        let order = oracle.decide(first, second)?;
        self.remember(key, if swapped { order.reversed() } else { order });
        Ok(order)
    }

    /// How often the oracle was asked; what [`AnnouncementPace`](crate::AnnouncementPace) wants to know.
    pub fn asked(&self) -> u64 {
        self.asked
    }

    fn remember(&mut self, key: (EventId, EventId), order: TimeOrder) {
        if self.age.len() >= self.capacity
            && let Some(oldest) = self.age.pop_front()
        {
            self.decided.remove(&oldest);
        }
        self.decided.insert(key, order);
        self.age.push_back(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Epoch, Gatekeeper, GatekeeperId, OracleGraph};

    #[test]
    fn the_oracle_is_asked_once_per_pair_and_never_where_the_clocks_know() {
        let mut left = Gatekeeper::new(Epoch(0), GatekeeperId(0), 2);
        let mut right = Gatekeeper::new(Epoch(0), GatekeeperId(1), 2);
        let (mut oracle, mut order) = (OracleGraph::new(100), RefinedOrder::new(100));
        let (a, b) = (left.stamp(), right.stamp());
        assert_eq!(order.order(&b, &a, &mut oracle), Ok(TimeOrder::Before));
        assert_eq!(order.order(&a, &b, &mut oracle), Ok(TimeOrder::After));
        assert_eq!(order.order(&a, &left.stamp(), &mut oracle), Ok(TimeOrder::Before));
        assert_eq!(order.asked(), 1);
    }

    #[test]
    fn a_decision_that_fell_out_of_the_cache_is_still_the_same() {
        let mut left = Gatekeeper::new(Epoch(0), GatekeeperId(0), 2);
        let mut right = Gatekeeper::new(Epoch(0), GatekeeperId(1), 2);
        let (mut oracle, mut order) = (OracleGraph::new(100), RefinedOrder::new(1));
        let (a, b, c) = (left.stamp(), right.stamp(), right.stamp());
        assert_eq!(order.order(&b, &a, &mut oracle), Ok(TimeOrder::Before));
        assert_eq!(order.order(&a, &c, &mut oracle), Ok(TimeOrder::Before));
        assert_eq!(order.order(&a, &b, &mut oracle), Ok(TimeOrder::After));
        assert_eq!(order.asked(), 3);
    }
}
