//! The oracle as a dependency graph in memory: a pure state machine.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::{EventId, OracleError, TimelineOracle};
use crate::{TimeOrder, Timestamp};

/// The dependency graph of the timeline oracle.
///
/// Vertices are transactions; an edge is an assigned order. The order of the clocks is not stored: it is an implicit
/// edge between any two events that it orders, and paths run through both kinds.
///
/// ```text
///   a ⟨2,0⟩ ──assigned──▶ b ⟨0,3⟩ ─ ─clocks─ ─▶ c ⟨1,4⟩      so a is before c, though the clocks of
///                                                              a and c say nothing
/// ```
///
/// A path may alternate any number of times, but every assigned edge on it starts at an event with successors, and
/// those are few: so a search visits *sources* (events with assigned successors), and steps from one to the next when
/// the clocks order them.
///
/// ```
/// use timeline::{Epoch, Gatekeeper, GatekeeperId, OracleGraph, TimeOrder, TimelineOracle};
///
/// let mut left = Gatekeeper::new(Epoch(1), GatekeeperId(0), 2);
/// let mut right = Gatekeeper::new(Epoch(1), GatekeeperId(1), 2);
/// let (a, b) = (left.stamp(), right.stamp());
/// let mut oracle = OracleGraph::new(1_000);
/// assert_eq!(oracle.query(&a, &b)?, TimeOrder::Concurrent);
/// assert_eq!(oracle.decide(&b, &a)?, TimeOrder::Before);
/// assert_eq!(oracle.decide(&a, &b)?, TimeOrder::After, "a decision stays");
/// assert_eq!(oracle.query(&b, &left.stamp())?, TimeOrder::Before, "and carries over to what follows");
/// # Ok::<(), timeline::OracleError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct OracleGraph {
    events: BTreeMap<EventId, Event>,
    /// The events that have assigned successors.
    sources: FxHashSet<EventId>,
    edges: usize,
    horizon: Option<Timestamp>,
    limit: usize,
}

#[derive(Clone, Debug)]
struct Event {
    timestamp: Timestamp,
    successors: Vec<EventId>,
}

impl OracleGraph {
    /// An empty graph that holds at most `limit` events, and as many assigned orders.
    pub fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// How many transactions it holds.
    pub fn events(&self) -> usize {
        self.events.len()
    }

    /// How many assigned orders it holds.
    pub fn orders(&self) -> usize {
        self.edges
    }

    /// Whether a path of assigned orders and clocks leads from `from` to `to`, where `from ≠ to`.
    fn reaches(&self, from: &Timestamp, to: &Timestamp) -> bool {
        if from.is_before(to) {
            return true;
        }
        // Events reached by an assigned edge, or the beginning; and what was expanded already.
        let mut reached = vec![from];
        let mut expanded: FxHashSet<EventId> = FxHashSet::default();
        while let Some(here) = reached.pop() {
            for source in &self.sources {
                let event = &self.events[source];
                let follows = *source == EventId::of(here) || here.is_before(&event.timestamp);
                if !follows || !expanded.insert(*source) {
                    continue;
                }
                for successor in &event.successors {
                    let next = &self.events[successor].timestamp;
                    if *successor == EventId::of(to) || next.is_before(to) {
                        return true;
                    }
                    reached.push(next);
                }
            }
        }
        false
    }

    fn order(&self, left: &Timestamp, right: &Timestamp) -> TimeOrder {
        match left.compare(right) {
            TimeOrder::Concurrent if self.reaches(left, right) => TimeOrder::Before,
            TimeOrder::Concurrent if self.reaches(right, left) => TimeOrder::After,
            by_clocks => by_clocks,
        }
    }

    /// Adds one edge unless it is implied; the caller undoes it when a later pair of the same call fails.
    fn assign_one(
        &mut self,
        first: &Timestamp,
        second: &Timestamp,
    ) -> Result<Option<(EventId, EventId)>, OracleError> {
        match self.order(first, second) {
            TimeOrder::Before => return Ok(None),
            TimeOrder::After | TimeOrder::Equal => {
                return Err(OracleError::Cycle { first: first.clone(), second: second.clone() });
            }
            TimeOrder::Concurrent => {}
        }
        self.create(first)?;
        self.create(second)?;
        if self.edges >= self.limit {
            return Err(OracleError::Full { limit: self.limit });
        }
        let (from, to) = (EventId::of(first), EventId::of(second));
        self.link(from, to);
        Ok(Some((from, to)))
    }

    fn link(&mut self, from: EventId, to: EventId) {
        if let Some(event) = self.events.get_mut(&from) {
            event.successors.push(to);
        }
        self.sources.insert(from);
        self.edges += 1;
    }

    fn unlink(&mut self, from: EventId, to: EventId) {
        if let Some(event) = self.events.get_mut(&from) {
            event.successors.retain(|successor| *successor != to);
            if event.successors.is_empty() {
                self.sources.remove(&from);
            }
        }
        self.edges -= 1;
    }

    fn check_remembered(&self, event: &Timestamp) -> Result<(), OracleError> {
        match &self.horizon {
            Some(horizon) if event.is_before(horizon) && !self.events.contains_key(&EventId::of(event)) => {
                Err(OracleError::Forgotten { event: event.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Removes an event that no remaining one has as its successor.
    fn remove(&mut self, id: EventId) {
        let Some(event) = self.events.remove(&id) else { return };
        self.sources.remove(&id);
        self.edges -= event.successors.len();
    }
}

impl TimelineOracle for OracleGraph {
    fn create(&mut self, event: &Timestamp) -> Result<(), OracleError> {
        self.check_remembered(event)?;
        let id = EventId::of(event);
        if self.events.contains_key(&id) {
            return Ok(());
        }
        if self.events.len() >= self.limit {
            return Err(OracleError::Full { limit: self.limit });
        }
        self.events.insert(id, Event { timestamp: event.clone(), successors: Vec::new() });
        Ok(())
    }

    fn assign(&mut self, pairs: &[(&Timestamp, &Timestamp)]) -> Result<(), OracleError> {
        let mut added = Vec::with_capacity(pairs.len());
        for (first, second) in pairs {
            match self.assign_one(first, second) {
                Ok(edge) => added.extend(edge),
                Err(error) => {
                    added.into_iter().for_each(|(from, to)| self.unlink(from, to));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn query(&self, left: &Timestamp, right: &Timestamp) -> Result<TimeOrder, OracleError> {
        let by_clocks = left.compare(right);
        if by_clocks != TimeOrder::Concurrent {
            return Ok(by_clocks);
        }
        self.check_remembered(left)?;
        self.check_remembered(right)?;
        Ok(self.order(left, right))
    }

    /// An event stays when it is not before the horizon, or when it is after one that stays, by assignment or by
    /// clock. The others go: whoever is running, or to come, is after them by its clock, and no path between two that
    /// stay runs through one of them, since such a path would have to enter it from one that stays.
    fn collect(&mut self, horizon: &Timestamp) {
        let mut old: Vec<EventId> = Vec::new();
        let mut staying: Vec<EventId> = Vec::new();
        for (id, event) in &self.events {
            if event.timestamp.is_before(horizon) { old.push(*id) } else { staying.push(*id) }
        }
        let mut kept: FxHashSet<EventId> = FxHashSet::default();
        while let Some(id) = staying.pop() {
            let event = &self.events[&id];
            let assigned = event.successors.iter().filter(|successor| !kept.contains(successor));
            staying.extend(
                assigned.copied().filter(|successor| self.events[successor].timestamp.is_before(horizon)),
            );
            if event.timestamp.is_before(horizon) && kept.insert(id) {
                let later = |old: &&EventId| event.timestamp.is_before(&self.events[old].timestamp);
                staying.extend(old.iter().filter(later).filter(|old| !kept.contains(old)));
            }
        }
        for id in old.into_iter().filter(|id| !kept.contains(id)) {
            self.remove(id);
        }
        self.horizon = Some(horizon.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Epoch, GatekeeperId, VectorClock};

    fn at(issuer: u16, clock: &[u64]) -> Timestamp {
        Timestamp::new(Epoch(0), VectorClock::from_components(clock), GatekeeperId(issuer))
    }

    #[test]
    fn a_decision_is_irrevocable() {
        let (a, b) = (at(0, &[1, 0]), at(1, &[0, 1]));
        let mut oracle = OracleGraph::new(10);
        assert_eq!(oracle.query(&a, &b), Ok(TimeOrder::Concurrent));
        assert_eq!(oracle.decide(&b, &a), Ok(TimeOrder::Before));
        assert_eq!(oracle.decide(&a, &b), Ok(TimeOrder::After));
        assert_eq!(
            oracle.assign(&[(&a, &b)]),
            Err(OracleError::Cycle { first: a.clone(), second: b.clone() })
        );
        assert_eq!(oracle.orders(), 1);
    }

    /// Weaver, section 4.1: ⟨0,1⟩ before ⟨1,0⟩ was established, and ⟨1,0⟩ is before ⟨2,0⟩ by its clock.
    #[test]
    fn an_order_follows_through_the_clocks() {
        let (assigned, first, later) = (at(1, &[0, 1]), at(0, &[1, 0]), at(0, &[2, 0]));
        let mut oracle = OracleGraph::new(10);
        oracle.assign(&[(&assigned, &first)]).unwrap();
        assert_eq!(oracle.query(&assigned, &later), Ok(TimeOrder::Before));
        assert!(matches!(oracle.assign(&[(&later, &assigned)]), Err(OracleError::Cycle { .. })));
    }

    #[test]
    fn several_orders_are_assigned_together_or_not_at_all() {
        let (a, b, c) = (at(0, &[1, 0, 0]), at(1, &[0, 1, 0]), at(2, &[0, 0, 1]));
        let mut oracle = OracleGraph::new(10);
        let cycle = oracle.assign(&[(&a, &b), (&b, &c), (&c, &a)]);
        assert!(matches!(cycle, Err(OracleError::Cycle { .. })));
        assert_eq!(oracle.query(&a, &b), Ok(TimeOrder::Concurrent));
        assert_eq!(oracle.orders(), 0);
        oracle.assign(&[(&a, &b), (&b, &c)]).unwrap();
        assert_eq!(oracle.query(&a, &c), Ok(TimeOrder::Before));
    }

    #[test]
    fn what_the_clocks_know_takes_no_room() {
        let mut oracle = OracleGraph::new(10);
        oracle.assign(&[(&at(0, &[1, 0]), &at(1, &[1, 1]))]).unwrap();
        assert_eq!((oracle.events(), oracle.orders()), (0, 0));
    }

    #[test]
    fn a_full_oracle_says_so_and_collecting_makes_room() {
        let mut oracle = OracleGraph::new(2);
        let (a, b) = (at(0, &[1, 0]), at(1, &[0, 1]));
        oracle.decide(&a, &b).unwrap();
        let (c, d) = (at(0, &[3, 1]), at(1, &[1, 3]));
        assert_eq!(oracle.decide(&c, &d), Err(OracleError::Full { limit: 2 }));
        oracle.collect(&at(0, &[2, 2]));
        assert_eq!((oracle.events(), oracle.orders()), (0, 0));
        assert_eq!(oracle.decide(&c, &d), Ok(TimeOrder::Before));
        assert_eq!(oracle.query(&a, &b), Err(OracleError::Forgotten { event: a }));
    }

    /// p was assigned before x, x is before e by its clock, and e was assigned before s. The horizon passes x and e;
    /// p and s stay, and p must stay before s.
    #[test]
    fn collecting_keeps_what_an_order_between_later_events_depends_on() {
        let p = at(2, &[0, 0, 9]);
        let x = at(0, &[1, 0, 0]);
        let e = at(0, &[2, 0, 0]);
        let s = at(1, &[0, 9, 0]);
        let mut oracle = OracleGraph::new(10);
        oracle.assign(&[(&p, &x), (&e, &s)]).unwrap();
        assert_eq!(oracle.query(&p, &s), Ok(TimeOrder::Before));
        oracle.collect(&at(0, &[3, 0, 0]));
        assert_eq!(oracle.query(&p, &s), Ok(TimeOrder::Before));
    }
}
