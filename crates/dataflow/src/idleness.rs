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
    let ended = Instant::now();
    ENOUGH_UNTIL.set(ended.checked_add((ended - began) * PAUSES));
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
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    thread_local! {
        static DONE: Cell<usize> = const { Cell::new(0) };
    }

    static LONG: AtomicUsize = AtomicUsize::new(0);

    fn done(act: impl FnOnce()) -> usize {
        when_a_thread_is_idle(|| {
            DONE.set(DONE.get() + 1);
            std::thread::sleep(Duration::from_millis(LONG.load(Ordering::Relaxed) as u64));
        });
        DONE.set(0);
        ENOUGH_UNTIL.set(None);
        act();
        DONE.get()
    }

    #[test]
    fn a_thread_does_its_duty_once_after_each_time_that_it_worked() {
        let mut slept = Slept::default();
        let mut sleep = |times: u32| (0..times).for_each(|_| slept.note(IDLE / 10));
        assert_eq!(done(|| sleep(100)), 0, "it has done nothing yet");
        slept.begin();
        let mut sleep = |times: u32| (0..times).for_each(|_| slept.note(IDLE / 10));
        assert_eq!(done(|| sleep(9)), 0);
        assert_eq!(done(|| sleep(1)), 1);
        assert_eq!(done(|| sleep(100)), 0);
    }

    #[test]
    fn work_in_between_begins_anew_and_a_long_duty_is_done_seldom() {
        let mut slept = Slept::default();
        let nine = |slept: &mut Slept| (0..9).for_each(|_| slept.note(IDLE / 10));
        let twice = |slept: &mut Slept| {
            slept.begin();
            nine(slept);
            slept.begin();
            nine(slept);
        };
        assert_eq!(done(|| twice(&mut slept)), 0);
        LONG.store(20, Ordering::Relaxed);
        let both = done(|| {
            be_idle();
            be_idle();
        });
        LONG.store(0, Ordering::Relaxed);
        assert_eq!(both, 1, "twenty seconds have not passed");
    }
}
