//! Bounding how many committers compute at a time.
//!
//! There are many committers, so that those who wait for one sync of the log are many. They would all compute at once what their
//! requests answer, and where there are two cores, whoever wants one of these for a point read stands behind sixteen threads.

use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};

/// For so long a committer waits for its seat; then it computes beside who has it. So who answers with a million results, or
/// waits for the disk in the midst of it, holds nobody up for long.
const PATIENCE: Duration = Duration::from_millis(5);

/// What a committer holds while it computes, and never while it waits for the log.
#[derive(Default)]
pub(crate) struct Seat(Mutex<()>);

impl Seat {
    /// The seat, as soon as it is free; `None` if it does not get free.
    pub(crate) fn take(&self) -> Option<MutexGuard<'_, ()>> {
        self.0.try_lock_for(PATIENCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_is_held_by_one_and_keeps_nobody_for_long() {
        let seat = Seat::default();
        let held = seat.take();
        let began = std::time::Instant::now();
        assert!(held.is_some() && seat.take().is_none() && began.elapsed() >= PATIENCE);
        drop(held);
        assert!(seat.take().is_some());
    }
}
