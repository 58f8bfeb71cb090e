//! Reservations: who has lost a race goes first the next time.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::{Footprint, Stamp};

/// The age of a request that has lost: smaller is older, and older ones go first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ticket(u64);

/// What those that lost have reserved until they have committed: the intents of ByteGraph, section 5.1, with the older one
/// winning as there, so that there is no deadlock.
///
/// A transaction that lost is run again, and what it touched the first time it most likely touches again. While it holds these
/// units, younger commits that would break it are refused, and wait for it; all others go on. So it commits at the second try,
/// however many others are about, unless it comes to touch something else.
///
/// ```text
///   ticket 3   units { a, b }   its turn: until 12 ms     ◀── the oldest that touches a, b
///   ticket 5   units { b, c }   behind 3                      would lose again if it ran now
///   ticket 6   units { d }      its turn: until 15 ms
///   a commit of somebody younger, or of nobody here, that writes b: refused
/// ```
///
/// A turn lasts for a bounded time, which begins when nobody older is in the way and everything that was committed before
/// the reservation is visible. Afterwards the units are free, whether or not the transaction has committed.
#[derive(Clone, Debug)]
pub struct Reservations {
    next: u64,
    held: BTreeMap<Ticket, Reservation>,
    units: usize,
    capacity: Capacity,
}

/// Bounds of [`Reservations`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capacity {
    /// Reservations at a time.
    pub reservations: usize,
    /// Units of all of them together.
    pub units: usize,
}

impl Default for Capacity {
    fn default() -> Self {
        Self { reservations: 256, units: 1 << 20 }
    }
}

#[derive(Clone, Debug)]
struct Reservation {
    footprint: Footprint,
    /// Everything up to here must be visible before it is run again: later commits leave its units alone.
    after: Stamp,
    /// How long its turn lasts.
    term: Duration,
    /// When its turn ends, once it has come.
    until: Option<Duration>,
    /// An older one that was found in the way.
    behind: Option<Ticket>,
}

impl Reservation {
    fn is_over(&self, now: Duration) -> bool {
        self.until.is_some_and(|until| until <= now)
    }
}

/// Whether it is a transaction's turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// It may be run now.
    Come,
    /// Not before something changes: ask again then, and at this moment at the latest.
    Waits(Duration),
}

/// How long whoever waits for something without a known end waits before it asks again.
const RECHECK: Duration = Duration::from_millis(100);

/// Somebody who lost has reserved what the transaction would change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "an older transaction that lost before has reserved what this one changes; run it again when that is done"
)]
pub struct Reserved {
    /// The older one.
    pub by: Ticket,
}

impl Reservations {
    /// Nothing is reserved.
    pub fn new(capacity: Capacity) -> Self {
        Self { next: 0, held: BTreeMap::new(), units: 0, capacity }
    }

    /// Reserves what a transaction touched when it lost, for `term` once its turn has come. `after` is the last stamp that was
    /// given out. Its ticket: the one it has, unless its turn is over, or a new one. `None` if there is no room: then it has
    /// no turn, and what it had reserved is free.
    pub fn reserve(
        &mut self,
        ticket: Option<Ticket>,
        footprint: Footprint,
        after: Stamp,
        (term, now): (Duration, Duration),
    ) -> Option<Ticket> {
        let keeps_its_place = ticket.is_some_and(|own| self.is_in_time(own, now));
        ticket.map(|own| self.release(own, after));
        let ticket = ticket.filter(|_| keeps_its_place);
        let units = self.units + footprint.len();
        if self.held.len() >= self.capacity.reservations || units > self.capacity.units {
            return None;
        }
        let ticket = ticket.unwrap_or_else(|| {
            self.next += 1;
            Ticket(self.next)
        });
        self.units = units;
        self.held.insert(ticket, Reservation { footprint, after, term, until: None, behind: None });
        Some(ticket)
    }

    /// Whether what a ticket has reserved is kept from others.
    fn is_in_time(&self, ticket: Ticket, now: Duration) -> bool {
        self.held.get(&ticket).is_some_and(|own| !own.is_over(now))
    }

    /// Frees what a ticket has reserved, when it has committed or given up; whether that was anything. `after` is the last stamp
    /// that was given out: whoever waited must see that commit.
    pub fn release(&mut self, ticket: Ticket, after: Stamp) -> bool {
        let Some(released) = self.held.remove(&ticket) else { return false };
        self.units -= released.footprint.len();
        for (_, younger) in self.held.range_mut(ticket..).filter(|(_, younger)| younger.until.is_none()) {
            younger.after = younger.after.max(after);
        }
        true
    }

    /// Whether a transaction may commit, as far as those are concerned that are older: all of them if it has no ticket, or its
    /// turn is over.
    ///
    /// # Errors
    /// [`Reserved`] if it would break one of them.
    pub fn check(
        &self,
        footprint: &Footprint,
        ticket: Option<Ticket>,
        now: Duration,
    ) -> Result<(), Reserved> {
        let before = ticket.filter(|own| self.is_in_time(*own, now)).unwrap_or(Ticket(u64::MAX));
        for (&by, older) in self.held.range(..before).filter(|(by, _)| Some(**by) != ticket) {
            if !older.is_over(now) && older.footprint.is_broken_by(footprint) {
                return Err(Reserved { by });
            }
        }
        Ok(())
    }

    /// Whether the turn of a ticket has come; it begins with this answer. A ticket without a reservation need not wait.
    pub fn turn(&mut self, ticket: Ticket, visible: Stamp, now: Duration) -> Turn {
        let Some(own) = self.held.get(&ticket) else { return Turn::Come };
        if own.until.is_some() {
            return Turn::Come;
        }
        let after = own.after;
        if let Some((behind, latest)) = self.in_the_way(ticket, now) {
            if let Some(own) = self.held.get_mut(&ticket) {
                own.behind = Some(behind);
            }
            return Turn::Waits(latest);
        }
        if visible < after {
            return Turn::Waits(now.saturating_add(RECHECK));
        }
        if let Some(own) = self.held.get_mut(&ticket) {
            (own.behind, own.until) = (None, Some(now.saturating_add(own.term)));
        }
        Turn::Come
    }

    /// Whether asking for a turn again may have another answer than before.
    pub fn may_have_come(&self, ticket: Ticket, visible: Stamp) -> bool {
        let Some(own) = self.held.get(&ticket) else { return true };
        match own.behind {
            Some(behind) => !self.held.contains_key(&behind),
            None => visible >= own.after,
        }
    }

    /// Whether nothing is reserved.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// How many have reserved something.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// An older one whose commit would break that of `ticket`, or be broken by it; and when to look again.
    fn in_the_way(&self, ticket: Ticket, now: Duration) -> Option<(Ticket, Duration)> {
        let own = self.held.get(&ticket)?;
        let mut older = self.held.range(..ticket).filter(|(_, older)| !older.is_over(now));
        let (by, older) = older.find(|(_, older)| {
            let (one, other) = (&own.footprint, &older.footprint);
            one.is_broken_by(other) || other.is_broken_by(one)
        })?;
        Some((*by, older.until.unwrap_or_else(|| now.saturating_add(RECHECK))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Unit, UnitKind};

    fn unit(key: u64) -> Unit {
        Unit::new(UnitKind::Vertex, 0, key)
    }

    fn changing(key: u64) -> Footprint {
        let mut footprint = Footprint::new();
        footprint.reads(unit(key));
        footprint.replaces(unit(key)).unwrap();
        footprint
    }

    const MS: Duration = Duration::from_millis(1);

    fn at(ms: u32) -> Duration {
        MS * ms
    }

    /// Reservations with one on a unit, whose turn lasts 10 ms.
    fn with_one(key: u64) -> (Reservations, Ticket) {
        let mut reservations = Reservations::new(Capacity::default());
        let ticket = reserve(&mut reservations, changing(key)).unwrap();
        (reservations, ticket)
    }

    fn reserve(reservations: &mut Reservations, footprint: Footprint) -> Option<Ticket> {
        reservations.reserve(None, footprint, Stamp::ZERO, (MS * 10, at(0)))
    }

    #[test]
    fn commits_that_touch_nothing_reserved_proceed_and_others_wait() {
        let (reservations, first) = with_one(1);
        assert_eq!(reservations.check(&changing(2), None, at(0)), Ok(()));
        assert_eq!(reservations.check(&changing(1), None, at(0)), Err(Reserved { by: first }));
        assert_eq!(reservations.check(&changing(1), Some(first), at(0)), Ok(()), "its own");
        let mut reader = Footprint::new();
        reader.reads(unit(1));
        reader.adds(unit(9)).unwrap();
        assert_eq!(reservations.check(&reader, None, at(0)), Ok(()), "it breaks nobody");
    }

    #[test]
    fn older_ones_go_first_and_their_end_is_the_turn_of_the_next() {
        let (mut reservations, first) = with_one(1);
        let second = reserve(&mut reservations, changing(1)).unwrap();
        assert_eq!(reservations.turn(second, Stamp::ZERO, at(0)), Turn::Waits(RECHECK));
        assert_eq!(reservations.turn(first, Stamp::ZERO, at(0)), Turn::Come);
        assert_eq!(reservations.turn(second, Stamp::ZERO, at(1)), Turn::Waits(at(10)));
        assert!(!reservations.may_have_come(second, Stamp::ZERO));
        assert!(reservations.check(&changing(1), Some(second), at(1)).is_err());
        assert!(
            reservations.check(&changing(1), Some(first), at(1)).is_ok(),
            "the younger one is no obstacle"
        );
        assert!(reservations.release(first, Stamp::ZERO) && !reservations.release(first, Stamp::ZERO));
        assert!(reservations.may_have_come(second, Stamp::ZERO));
        assert_eq!(reservations.turn(second, Stamp::ZERO, at(2)), Turn::Come);
    }

    #[test]
    fn a_turn_ends_after_its_term_and_does_not_begin_before_it_has_come() {
        let (mut reservations, first) = with_one(1);
        let second = reserve(&mut reservations, changing(1)).unwrap();
        assert!(reservations.check(&changing(1), None, at(1_000)).is_err(), "nobody has had a turn");
        assert_eq!(reservations.turn(first, Stamp::ZERO, at(1_000)), Turn::Come);
        assert!(reservations.check(&changing(1), Some(second), at(1_009)).is_err());
        assert_eq!(reservations.check(&changing(1), Some(second), at(1_010)), Ok(()));
        assert_eq!(reservations.turn(second, Stamp::ZERO, at(1_010)), Turn::Come);
        assert!(reservations.check(&changing(1), Some(first), at(1_011)).is_err(), "its turn is over");
        let again = reservations.reserve(Some(first), changing(1), Stamp::ZERO, (MS, at(1_011))).unwrap();
        assert!(again > second && reservations.len() == 2, "it goes to the end of the line");
        reservations.release(again, Stamp::ZERO);
        assert_eq!(reservations.check(&changing(1), None, at(1_020)), Ok(()), "both have had theirs");
    }

    #[test]
    fn a_turn_does_not_come_before_what_was_committed_is_visible() {
        let mut reservations = Reservations::new(Capacity::default());
        let (before, after) = (Stamp::from_bits(6), Stamp::from_bits(7));
        let ticket = reservations.reserve(None, changing(1), after, (MS, at(0))).unwrap();
        assert_eq!(reservations.turn(ticket, before, at(5)), Turn::Waits(at(5) + RECHECK));
        assert!(!reservations.may_have_come(ticket, before) && reservations.may_have_come(ticket, after));
        assert_eq!(reservations.turn(ticket, after, at(6)), Turn::Come);
    }

    #[test]
    fn whoever_would_only_lose_against_an_older_one_waits_for_it() {
        let mut reservations = Reservations::new(Capacity::default());
        let mut adds = Footprint::new();
        adds.adds(unit(1)).unwrap();
        reserve(&mut reservations, adds.clone()).unwrap();
        let reader = reserve(&mut reservations, changing(1)).unwrap();
        assert!(matches!(reservations.turn(reader, Stamp::ZERO, at(0)), Turn::Waits(_)));
        reservations.release(reader, Stamp::ZERO);
        let other = reserve(&mut reservations, adds).unwrap();
        assert_eq!(reservations.turn(other, Stamp::ZERO, at(0)), Turn::Come, "additions commute");
    }

    #[test]
    fn there_is_an_end_to_what_is_reserved() {
        let mut reservations = Reservations::new(Capacity { reservations: 2, units: 3 });
        let of_units = |count: u64| {
            let mut footprint = Footprint::new();
            (0..count).for_each(|key| footprint.adds(unit(key)).unwrap());
            footprint
        };
        assert_eq!(reserve(&mut reservations, of_units(4)), None);
        let first = reserve(&mut reservations, of_units(2)).unwrap();
        assert_eq!(reserve(&mut reservations, of_units(2)), None, "no room for its units");
        assert!(reserve(&mut reservations, of_units(1)).is_some());
        assert_eq!(reserve(&mut reservations, of_units(0)), None, "no room for another");
        let second = reservations.reserve(Some(first), of_units(1), Stamp::ZERO, (MS, at(0)));
        assert_eq!((second, reservations.len()), (Some(first), 2), "in place of what it had");
        assert_eq!(reservations.reserve(second, of_units(3), Stamp::ZERO, (MS, at(0))), None);
        assert_eq!(reservations.len(), 1, "what it had is free");
    }
}
