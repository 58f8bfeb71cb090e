//! Ending long work on values in the middle.
//!
//! A hash, a comparison or the text of a value can take seconds, and none of `Hash`, `Eq` and `Display` can return early or
//! say why. So who runs a query sets a *watch* for its thread ([`watched`]). Work on values looks at it after every so
//! many collections ([`tick`]), and, when the query must end, unwinds to where the watch was set. The state in between is
//! that of the query, which ends. This is no panic: no hook runs, nothing is printed.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use crate::give_way;

/// Says whether work must end.
pub trait Watch: Send + Sync {
    /// Whether it must end now. Called every 100 µs or so.
    fn must_end(&self) -> bool;
}

/// The work was ended by its watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended;

/// Ticks between two looks: a tick is 10 to 100 ns of work.
const TICKS_PER_LOOK: u32 = 1 << 10;

thread_local! {
    static WATCH: RefCell<Option<Arc<dyn Watch>>> = const { RefCell::new(None) };
    static LEFT: Cell<u32> = const { Cell::new(TICKS_PER_LOOK) };
}

/// Puts the watch back that was there before.
struct Restore(Option<Arc<dyn Watch>>);

impl Drop for Restore {
    fn drop(&mut self) {
        let before = self.0.take();
        WATCH.with(|watch| drop(watch.replace(before)));
    }
}

/// Does some work under a watch.
///
/// # Errors
/// [`Ended`] if the watch said so; what the work has changed is then as it was left.
///
/// # Panics
/// As the work does.
pub fn watched<R>(watch: Arc<dyn Watch>, work: impl FnOnce() -> R) -> Result<R, Ended> {
    let restore = Restore(WATCH.with(|current| current.replace(Some(watch))));
    let outcome = catch_unwind(AssertUnwindSafe(work));
    drop(restore);
    outcome.or_else(|payload| match payload.downcast::<Ended>() {
        Ok(ended) => Err(*ended),
        Err(panic) => resume_unwind(panic),
    })
}

/// Notes a little work, and ends it if the watch says so.
#[inline]
pub fn tick() {
    ticks(1);
}

/// Notes as much work as `count` ticks.
#[inline]
pub fn ticks(count: usize) {
    // A thread that ends has no watch any more.
    let left = LEFT.try_with(|left| {
        let after = left.get().checked_sub(u32::try_from(count).unwrap_or(u32::MAX));
        left.set(after.unwrap_or(TICKS_PER_LOOK));
        after.is_some()
    });
    if left == Ok(false) {
        look();
    }
}

/// Ends the work now if the watch says so. Otherwise whoever waits for the core may have it first.
#[cold]
pub fn look() {
    end_if_told();
    give_way();
}

fn end_if_told() {
    let watch = WATCH.with(|watch| watch.borrow().clone());
    // While something is dropped because of an unwinding, another one would end the process.
    if watch.is_some_and(|watch| watch.must_end()) && !std::thread::panicking() {
        resume_unwind(Box::new(Ended));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    struct After(AtomicUsize);

    impl Watch for After {
        fn must_end(&self) -> bool {
            self.0.fetch_sub(1, Ordering::Relaxed) == 0
        }
    }

    #[test]
    fn work_ends_when_the_watch_says_so_and_only_then() {
        let mut rounds = 0;
        let watch = Arc::new(After(AtomicUsize::new(3)));
        let ended = watched(watch, || {
            for _ in 0..100_000 {
                rounds += 1;
                tick();
            }
        });
        assert_eq!(ended, Err(Ended));
        assert!((2_000..10_000).contains(&rounds), "{rounds}");
        assert_eq!(watched(Arc::new(After(AtomicUsize::new(usize::MAX))), || 7), Ok(7));
        ticks(usize::MAX);
    }

    #[test]
    fn a_panic_stays_a_panic() {
        let watch = Arc::new(After(AtomicUsize::new(9)));
        let panicking = AssertUnwindSafe(|| watched(watch, || resume_unwind(Box::new("mine"))));
        let payload = catch_unwind(panicking).map(|never: Result<(), Ended>| never).unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"mine"));
    }
}
