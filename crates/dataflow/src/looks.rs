//! Looks at the clock: one for some steps, not one for each.

use std::cell::Cell;

/// Small batches that may pass between two looks at the clock, in all instances that a thread works on: if each counted its own,
/// sixteen in each of sixteen inside one another would be 2⁶⁴.
const STEPS_PER_CLOCK: u32 = 16;

thread_local! {
    /// Steps since the last look at the clock.
    static STEPS: Cell<u32> = const { Cell::new(0) };
}

/// Has the clock be looked at after this step.
pub(crate) fn make_due() {
    STEPS.set(STEPS_PER_CLOCK);
}

/// Counts a step; whether the clock is to be looked at.
pub(crate) fn is_due() -> bool {
    let steps = STEPS.get() + 1;
    let due = steps >= STEPS_PER_CLOCK;
    STEPS.set(if due { 0 } else { steps });
    due
}
