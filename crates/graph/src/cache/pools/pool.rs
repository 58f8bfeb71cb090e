//! One pool: so many loads at a time, and a queue of those who wait for their turn.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::waiter::Waiter;

/// Which pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Light,
    Heavy,
}

/// A pool. Its threads are those of whoever loads: to have a turn is what it means to be one of them.
pub(super) struct Pool {
    /// Loads at a time.
    pub(super) size: usize,
    /// Loads under way: more than `size` after it has shrunk.
    pub(super) running: usize,
    queue: VecDeque<Arc<Waiter>>,
    pub(super) pressure: Pressure,
}

impl Pool {
    pub(super) fn new(size: usize, now: Instant) -> Self {
        Self { size, running: 0, queue: VecDeque::new(), pressure: Pressure::new(now) }
    }

    /// Loads that wait.
    pub(super) fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Takes a turn if one is free.
    pub(super) fn try_take(&mut self) -> bool {
        let free = self.running < self.size && self.queue.is_empty();
        self.running += usize::from(free);
        free
    }

    /// Waits for a turn.
    pub(super) fn enqueue(&mut self, waiter: &Arc<Waiter>) {
        self.queue.push_back(Arc::clone(waiter));
        self.pressure.change(1);
    }

    /// Waits no longer; false if it had a turn by now.
    pub(super) fn leave(&mut self, waiter: &Arc<Waiter>) -> bool {
        let Some(at) = self.queue.iter().position(|other| Arc::ptr_eq(other, waiter)) else { return false };
        self.queue.remove(at);
        self.pressure.change(-1);
        true
    }

    /// Gives a turn back.
    pub(super) fn give_back(&mut self) {
        self.running -= 1;
        self.hand_out();
    }

    /// Gives free turns to those who wait longest.
    pub(super) fn hand_out(&mut self) {
        while self.running < self.size
            && let Some(waiter) = self.queue.pop_front()
        {
            self.running += 1;
            self.pressure.change(-1);
            waiter.wake();
        }
    }
}

/// How many wait, on average over a period.
pub(super) struct Pressure {
    waiting: usize,
    since: Instant,
    /// Waiters times seconds, of the period so far.
    area: f64,
}

impl Pressure {
    fn new(now: Instant) -> Self {
        Self { waiting: 0, since: now, area: 0.0 }
    }

    /// So many more wait, or fewer.
    pub(super) fn change(&mut self, by: isize) {
        self.advance(Instant::now());
        self.waiting = self.waiting.saturating_add_signed(by);
    }

    /// The average over a period that ends now; begins another.
    pub(super) fn average(&mut self, now: Instant, period: Duration) -> f64 {
        self.advance(now);
        std::mem::take(&mut self.area) / period.as_secs_f64().max(1e-9)
    }

    fn advance(&mut self, now: Instant) {
        self.area += self.waiting as f64 * now.saturating_duration_since(self.since).as_secs_f64();
        self.since = self.since.max(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pressure_is_the_average_over_time() {
        let began = Instant::now();
        let at = |millis| began + Duration::from_millis(millis);
        let mut pressure = Pressure::new(began);
        pressure.advance(at(100));
        pressure.waiting = 4;
        pressure.advance(at(150));
        pressure.waiting = 0;
        let average = pressure.average(at(200), Duration::from_millis(200));
        assert!((average - 1.0).abs() < 1e-6, "{average}");
        assert_eq!(pressure.average(at(300), Duration::from_millis(100)), 0.0);
    }

    #[test]
    fn turns_go_to_who_waits_longest_and_to_nobody_while_too_many_run() {
        let mut pool = Pool::new(2, Instant::now());
        assert!(pool.try_take() && pool.try_take() && !pool.try_take());
        let waiters: Vec<Arc<Waiter>> = (0..3).map(|_| Arc::default()).collect();
        waiters.iter().for_each(|waiter| pool.enqueue(waiter));
        pool.size = 1;
        pool.give_back();
        assert_eq!((pool.running, pool.waiting()), (1, 3), "it has shrunk");
        assert!(pool.leave(&waiters[0]));
        pool.give_back();
        assert_eq!((pool.running, pool.waiting()), (1, 1));
        assert!(waiters[1].wait(None) && !pool.leave(&waiters[1]));
        pool.size = 3;
        assert!(!pool.try_take(), "somebody waits");
        pool.hand_out();
        assert_eq!((pool.running, pool.waiting()), (2, 0));
        assert!(waiters[2].wait(None) && pool.try_take());
    }
}
