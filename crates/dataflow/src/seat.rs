//! Bounding how many threads compute at a time.
//!
//! ```text
//!   2 executors ── turns ──────────────────────────────── one core each
//!     committers ── what a request answers ─── a seat ──┐
//!     who makes one large text, lent its executor ──────┴─ beside them, one at a time for each seat
//! ```
//!
//! There are many committers, so that those who wait for one sync of the log are many; and many threads whose executors are lent.
//! They would all compute at once, and where there are two cores, whoever wants one of these for a point read, or because its
//! deadline has come, stands behind all of them.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{ArcMutexGuard, Mutex, RawMutex};

/// For so long a committer waits for its seat; then it computes beside who has it. So who answers with a million results, or
/// waits for the disk in the midst of it, holds nobody up for long.
const PATIENCE: Duration = Duration::from_millis(5);

/// How often who waits for a seat for as long as it takes looks whether it still has to.
const LOOK: Duration = Duration::from_millis(1);

/// What a thread holds while it computes.
#[derive(Default)]
pub(crate) struct Seat(Arc<Mutex<()>>);

/// Somebody has the seat.
pub(crate) type Seated = ArcMutexGuard<RawMutex, ()>;

impl Seat {
    /// The seat, if it gets free soon.
    pub(crate) fn take_soon(&self) -> Option<Seated> {
        self.0.try_lock_arc_for(PATIENCE)
    }

    /// The seat, when it is free.
    ///
    /// # Errors
    /// Those of `check`, which is asked again and again meanwhile.
    pub(crate) fn take<E>(&self, mut check: impl FnMut() -> Result<(), E>) -> Result<Seated, E> {
        loop {
            if let Some(seated) = self.0.try_lock_arc_for(LOOK) {
                return Ok(seated);
            }
            check()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_cannot_wait_goes_on_without_a_seat_and_who_must_not_wait_ends() {
        let seat = Seat::default();
        let held = seat.take_soon();
        let began = std::time::Instant::now();
        assert!(held.is_some() && seat.take_soon().is_none() && began.elapsed() >= PATIENCE);
        let mut looks = 0;
        let mut check = || {
            looks += 1;
            if looks < 3 { Ok(()) } else { Err("late") }
        };
        assert_eq!(seat.take(&mut check).err(), Some("late"));
        drop(held);
        assert!(seat.take(|| Err(())).is_ok() && seat.take_soon().is_some());
    }
}
