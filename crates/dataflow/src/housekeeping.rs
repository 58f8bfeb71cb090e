//! What a thread does once when it has had nothing to do for a while.
//!
//! An allocator keeps pages for each thread: what others have freed of them since, and what the thread has not taken again, only
//! that thread can give back, and a thread that sleeps does not. A server has dozens of threads, of which each kept some megabytes
//! of the largest query that it ever took part in. The program knows its allocator, and says here what is to be done.

use std::cell::Cell;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// How long a thread has had nothing to do before it does so.
pub(crate) const IDLE: Duration = Duration::from_millis(500);

/// Where it takes long, there is a pause of so many times as long: a thread that is woken meanwhile is late.
const PAUSES: u32 = 1_000;

static DUTY: OnceLock<fn()> = OnceLock::new();

thread_local! {
    /// Until when the thread has done enough.
    static ENOUGH_UNTIL: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Has every thread of this crate do something once when it is idle, for the whole process. The first to say so is heard.
pub fn when_a_thread_is_idle(duty: fn()) {
    let _ = DUTY.set(duty);
}

/// The calling thread has been idle for [`IDLE`].
pub(crate) fn be_idle() {
    let Some(duty) = DUTY.get() else { return };
    let began = Instant::now();
    if ENOUGH_UNTIL.get().is_some_and(|until| began < until) {
        return;
    }
    duty();
    ENOUGH_UNTIL.set(pause(began, Instant::now()));
}

/// Until when it need not be done again, if it took that long.
fn pause(began: Instant, ended: Instant) -> Option<Instant> {
    ended.checked_add(ended.saturating_duration_since(began) * PAUSES)
}

/// How long a thread that sleeps a little at a time has been idle.
#[derive(Debug, Default)]
pub(crate) struct Slept {
    /// `None` when it has done its duty.
    since: Option<Duration>,
}

impl Slept {
    /// It has slept for so long, and nothing has come.
    pub(crate) fn note(&mut self, time: Duration) {
        let Some(since) = &mut self.since else { return };
        *since += time;
        if *since >= IDLE {
            self.since = None;
            be_idle();
        }
    }

    /// It has something to do.
    pub(crate) fn begin(&mut self) {
        self.since = Some(Duration::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    thread_local! {
        static DONE: Cell<usize> = const { Cell::new(0) };
    }

    /// How often the calling thread does its duty meanwhile, if nothing is done already.
    fn done(act: impl FnOnce()) -> usize {
        when_a_thread_is_idle(|| DONE.set(DONE.get() + 1));
        DONE.set(0);
        ENOUGH_UNTIL.set(None);
        act();
        DONE.get()
    }

    fn sleep(slept: &mut Slept, times: u32) {
        (0..times).for_each(|_| slept.note(IDLE / 10));
    }

    #[test]
    fn a_thread_does_its_duty_once_after_each_time_that_it_worked() {
        let mut slept = Slept::default();
        assert_eq!(done(|| sleep(&mut slept, 100)), 0, "it has done nothing yet");
        slept.begin();
        assert_eq!(done(|| sleep(&mut slept, 9)), 0);
        assert_eq!(done(|| sleep(&mut slept, 1)), 1);
        assert_eq!(done(|| sleep(&mut slept, 100)), 0);
    }

    #[test]
    fn work_in_between_begins_anew() {
        let mut slept = Slept::default();
        let twice = |slept: &mut Slept| {
            (0..2).for_each(|_| {
                slept.begin();
                sleep(slept, 9);
            });
        };
        assert_eq!(done(|| twice(&mut slept)), 0);
    }

    #[test]
    fn a_long_duty_is_done_seldom() {
        let began = Instant::now();
        let ended = began + Duration::from_millis(20);
        assert_eq!(pause(began, ended), Some(ended + Duration::from_secs(20)));
        assert_eq!(pause(ended, began), Some(began), "a clock that goes back");
        let enough = || {
            ENOUGH_UNTIL.set(pause(began, ended));
            be_idle();
        };
        assert_eq!(done(enough), 0, "twenty seconds have not passed");
        assert_eq!(done(be_idle), 1);
    }
}
