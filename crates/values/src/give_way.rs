//! Who computes for long gives way.
//!
//! A kernel looks at its ticks alone whether a thread has had its core for long enough: every 4 ms on many machines. Whoever wakes
//! may go before it at once; but who was sent from a core, or found all of them taken by its equals, waits for the next tick, and a
//! request of the server waits so several times over. Between two ticks a thread can only give its core up by itself:
//!
//! ```text
//! tick                    tick                    tick
//! │ A A A A A A A A A A A A │ B B B B B B B B B B B B │ …    C waits for 8 ms
//! │ A│B│C│A│B│C│A│B│C│A│B│C │ A│B│C│ …                       C waits for 1 ms: each gives way after [`SPELL`]
//! ```
//!
//! Where nobody waits, the thread goes on at once; to ask costs less than a microsecond.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// For so long a thread keeps its core. What a kernel takes for given up is the rest of the time slice that it has in mind for the
/// thread, so that this is to be no longer (`dataflow::scheduling`).
pub const SPELL: Duration = Duration::from_micros(400);

thread_local! {
    /// Since when the calling thread computes without having given way.
    static SINCE: Cell<Option<Instant>> = const { Cell::new(None) };
    /// What else it does while it gives way.
    static ALSO: Cell<Option<fn()>> = const { Cell::new(None) };
}

/// The calling thread has waited for something, and begins anew: whoever waited for its core has had it.
pub fn begin_spell() {
    set(Instant::now());
}

/// Lets others have the core of the calling thread if it has computed for a spell. To be called again and again by who computes for
/// long, at moments at which others need not wait for what it holds.
pub fn give_way() {
    let now = Instant::now();
    // A thread that ends remembers nothing any more, and is about to give way for good.
    match SINCE.try_with(Cell::get) {
        Ok(Some(since)) if now.duration_since(since) < SPELL => {}
        Ok(Some(_)) => {
            std::thread::yield_now();
            if let Ok(Some(also)) = ALSO.try_with(Cell::get) {
                also();
            }
            set(Instant::now());
        }
        _ => set(now),
    }
}

/// From now on the calling thread also does this whenever it gives way, or nothing else: somebody may wait for more than its core. What
/// was done before.
pub fn also_give_way(also: Option<fn()>) -> Option<fn()> {
    ALSO.try_with(|now| now.replace(also)).unwrap_or_default()
}

/// Does some work in which the calling thread gives up its core alone, and nothing else: it holds what others wait for.
pub fn holding<R>(work: impl FnOnce() -> R) -> R {
    struct Restore(Option<fn()>);
    impl Drop for Restore {
        fn drop(&mut self) {
            also_give_way(self.0);
        }
    }
    let _restore = Restore(also_give_way(None));
    work()
}

fn set(now: Instant) {
    let _ = SINCE.try_with(|since| since.set(Some(now)));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Since when the calling thread has not given way.
    fn since() -> Option<Instant> {
        SINCE.get()
    }

    #[test]
    fn a_thread_gives_way_after_a_spell_and_then_begins_anew() {
        begin_spell();
        let began = since();
        while began.unwrap().elapsed() < SPELL / 8 {
            give_way();
        }
        assert!(since() == began || began.unwrap().elapsed() >= SPELL, "not before");
        while began.unwrap().elapsed() < SPELL {
            std::hint::spin_loop();
        }
        give_way();
        assert!(since() > began);
    }

    #[test]
    fn who_gives_way_may_do_more() {
        thread_local! { static TIMES: Cell<u32> = const { Cell::new(0) } }
        assert!(also_give_way(Some(|| TIMES.set(TIMES.get() + 1))).is_none());
        begin_spell();
        while TIMES.get() < 2 {
            give_way();
        }
        assert!(also_give_way(None).is_some());
        let for_long = || {
            let begun = Instant::now();
            while begun.elapsed() < 3 * SPELL {
                give_way();
            }
        };
        for_long();
        assert_eq!(TIMES.get(), 2);
        also_give_way(Some(|| TIMES.set(TIMES.get() + 1)));
        holding(for_long);
        assert_eq!(TIMES.get(), 2);
        for_long();
        assert!(TIMES.get() > 2);
        also_give_way(None);
    }

    #[test]
    fn who_has_not_begun_begins_when_it_is_asked_first() {
        std::thread::spawn(|| {
            assert_eq!(since(), None);
            give_way();
            assert!(since().is_some());
        })
        .join()
        .unwrap();
    }
}
