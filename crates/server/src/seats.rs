//! Seats for long work, which those who want one have in turns.
//!
//! ```text
//! fresh   ●──●──●  who comes now, in the order of coming       ┐
//!                                                              ├─▶ each second seat that is free to one of either line
//! begun   ●──●     who had a seat for a TERM, and is not done  ┘
//! ```
//!
//! What takes long without an end in sight waits for its seat as often as it had one for a [`TERM`], so that what takes a few
//! milliseconds never waits for it for longer than that: neither waits for all of the other.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{
            AtomicBool,
            Ordering::{Acquire, Release},
        },
    },
    thread::{self, Thread},
    time::{Duration, Instant},
};

use parking_lot::{Mutex, MutexGuard};

/// For so long somebody has a seat for which others wait.
const TERM: Duration = Duration::from_millis(10);

/// For so long somebody waits at a time who is not done: should it hold what the others wait for, they all get on, if slowly.
const PAUSE: Duration = Duration::from_secs(1);

/// So many seats, none of which is anybody's before it is free.
pub(crate) struct Seats {
    count: usize,
    seating: Mutex<Seating>,
    /// How long somebody waits who names no deadline.
    longest_wait: Duration,
}

#[derive(Default)]
struct Seating {
    taken: usize,
    fresh: VecDeque<Arc<Waiting>>,
    begun: VecDeque<Arc<Waiting>>,
    /// Whether the last one who waited and was seated was fresh.
    was_fresh: bool,
}

/// A thread that waits.
struct Waiting {
    thread: Thread,
    is_seated: AtomicBool,
}

/// A seat that is taken; dropping it frees it.
pub(crate) struct Seat<'a> {
    seats: &'a Seats,
    since: Instant,
    deadline: Option<Instant>,
}

impl Seats {
    pub(crate) fn new(count: usize, longest_wait: Duration) -> Self {
        Self { count, seating: Mutex::default(), longest_wait }
    }

    /// How many there are.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Waits for a seat; `None` if none was free in time.
    pub(crate) fn take(&self, deadline: Option<Instant>) -> Option<Seat<'_>> {
        let mut seating = self.seating.lock();
        if seating.taken < self.count {
            seating.taken += 1;
        } else {
            let waiting = Arc::new(Waiting::here());
            seating.fresh.push_back(waiting.clone());
            drop(seating);
            if !self.wait(&waiting, deadline) {
                return None;
            }
        }
        Some(Seat { seats: self, since: Instant::now(), deadline })
    }

    /// The same for somebody who had one before.
    pub(crate) fn take_again(&self, deadline: Option<Instant>) -> Option<Seat<'_>> {
        let mut seating = self.seating.lock();
        if seating.taken < self.count {
            seating.taken += 1;
            return Some(Seat { seats: self, since: Instant::now(), deadline });
        }
        self.come_back(seating, deadline)
    }

    /// Waits among those who are not done.
    fn come_back(&self, mut seating: MutexGuard<'_, Seating>, deadline: Option<Instant>) -> Option<Seat<'_>> {
        let waiting = Arc::new(Waiting::here());
        seating.begun.push_back(waiting.clone());
        drop(seating);
        let pause = Instant::now() + PAUSE;
        let until = deadline.map_or(pause, |deadline| pause.min(deadline));
        self.wait(&waiting, Some(until)).then(|| Seat { seats: self, since: Instant::now(), deadline })
    }

    /// Whether a seat was free in time.
    fn wait(&self, waiting: &Arc<Waiting>, deadline: Option<Instant>) -> bool {
        let deadline = deadline.unwrap_or_else(|| Instant::now() + self.longest_wait);
        while !waiting.is_seated.load(Acquire) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let mut seating = self.seating.lock();
                // One may have been handed over meanwhile.
                return waiting.is_seated.load(Acquire) || seating.leaves(waiting);
            }
            thread::park_timeout(left);
        }
        true
    }
}

impl Seating {
    /// Hands a seat over to whoever waits; whether somebody does.
    fn hand_over(&mut self) -> bool {
        let (first, second) = match self.was_fresh {
            true => (&mut self.begun, &mut self.fresh),
            false => (&mut self.fresh, &mut self.begun),
        };
        let next = match first.pop_front() {
            Some(next) => {
                self.was_fresh = !self.was_fresh;
                next
            }
            None => match second.pop_front() {
                Some(next) => next,
                None => return false,
            },
        };
        next.is_seated.store(true, Release);
        next.thread.unpark();
        true
    }

    /// Waits no longer; `false`, since it has no seat.
    fn leaves(&mut self, waiting: &Arc<Waiting>) -> bool {
        for line in [&mut self.fresh, &mut self.begun] {
            line.retain(|other| !Arc::ptr_eq(other, waiting));
        }
        false
    }
}

impl Waiting {
    fn here() -> Self {
        Self { thread: thread::current(), is_seated: AtomicBool::new(false) }
    }
}

impl Seat<'_> {
    /// Lets others have it first, if they wait and it was taken for a [`TERM`]; `None` if it did not come back before the deadline, or for
    /// a while.
    pub(crate) fn pass(self) -> Option<Self> {
        if self.since.elapsed() < TERM {
            return Some(self);
        }
        let (seats, deadline) = (self.seats, self.deadline);
        let mut seating = seats.seating.lock();
        if !seating.hand_over() {
            return Some(self);
        }
        // It is another's now.
        std::mem::forget(self);
        seats.come_back(seating, deadline)
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        let mut seating = self.seats.seating.lock();
        if !seating.hand_over() {
            seating.taken -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(seats: &Seats) -> usize {
        let seating = seats.seating.lock();
        seating.fresh.len() + seating.begun.len()
    }

    #[test]
    fn who_waits_has_whichever_seat_is_free_first() {
        let seats = Seats::new(2, Duration::from_secs(30));
        for last in [false, true] {
            let (one, other) = (seats.take(None).unwrap(), seats.take(None).unwrap());
            let (leaves, stays) = if last { (other, one) } else { (one, other) };
            thread::scope(|scope| {
                let waits = scope.spawn(|| seats.take(None).is_some());
                while waiting(&seats) == 0 {
                    thread::yield_now();
                }
                drop(leaves);
                assert!(waits.join().unwrap());
            });
            drop(stays);
        }
        assert_eq!(seats.seating.lock().taken, 0);
    }

    #[test]
    fn nobody_waits_for_a_seat_without_an_end() {
        let seats = Seats::new(1, Duration::from_millis(20));
        let taken = seats.take(None);
        let soon = Some(Instant::now() + Duration::from_millis(5));
        assert!(taken.is_some() && seats.take(soon).is_none() && seats.take(None).is_none());
        drop(taken);
        // Those who went away have left none behind for themselves.
        assert!(seats.take(soon).is_some());
        assert_eq!(waiting(&seats), 0);
    }

    #[test]
    fn a_seat_is_passed_on_after_a_term_and_comes_back() {
        let seats = Seats::new(1, Duration::from_secs(30));
        let seat = seats.take(None).unwrap();
        let begun = Instant::now();
        let mut seat = seat.pass();
        assert!(seat.is_some(), "nobody waits");
        thread::scope(|scope| {
            let others: Vec<_> = (0..3).map(|_| scope.spawn(|| drop(seats.take(None).unwrap()))).collect();
            while !others.iter().all(|other| other.is_finished()) {
                seat = seat.take().and_then(Seat::pass);
                assert!(seat.is_some(), "it comes back");
                thread::yield_now();
            }
        });
        assert!(begun.elapsed() >= TERM, "not before");
        drop(seat);
        assert_eq!(seats.seating.lock().taken, 0);
    }

    #[test]
    fn who_passes_a_seat_on_that_does_not_come_back_has_none() {
        let seats = Seats::new(1, Duration::from_secs(30));
        let mut seat = seats.take(Some(Instant::now() + 5 * TERM)).unwrap();
        seat.since -= TERM;
        let stays = thread::scope(|scope| {
            let other = scope.spawn(|| seats.take(None).unwrap());
            while waiting(&seats) == 0 {
                thread::yield_now();
            }
            assert!(seat.pass().is_none());
            other.join().unwrap()
        });
        assert_eq!(waiting(&seats), 0);
        drop(stays);
        assert_eq!(seats.seating.lock().taken, 0);
    }

    #[test]
    fn who_comes_now_waits_for_no_line_of_those_who_take_long() {
        let mut seating = Seating::default();
        let came: [_; 6] = std::array::from_fn(|_| Arc::new(Waiting::here()));
        seating.begun.extend(came[..4].iter().cloned());
        seating.fresh.extend(came[4..].iter().cloned());
        let order: Vec<_> = (0..6)
            .map(|_| {
                let before: Vec<_> = came.iter().map(|one| one.is_seated.load(Acquire)).collect();
                assert!(seating.hand_over());
                (0..6).find(|&at| came[at].is_seated.load(Acquire) && !before[at]).unwrap()
            })
            .collect();
        assert_eq!(order, [4, 0, 5, 1, 2, 3]);
        assert!(!seating.hand_over());
    }
}
