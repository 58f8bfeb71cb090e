//! What the handle of a query and its task know of each other.
//!
//! ```text
//!             handle is dropped
//!   ─────────────────┬──────────────────▶ abandoned: the task is woken, and ends
//!                    │ the task has ended
//!                    └──────────────────▶ over: nobody is woken for it any more
//! ```
//!
//! Nearly all queries are over when their handle is dropped, by the connection that has just had the last of their results: to wake the
//! executor for each of them would cost a short query two changes of a core's thread.

use std::sync::atomic::{AtomicU8, Ordering};

const ABANDONED: u8 = 1;
const OVER: u8 = 2;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Tie(AtomicU8);

impl Tie {
    /// Nobody wants the query any more. Whether its task has to be woken to learn of it.
    pub(crate) fn abandon(&self) -> bool {
        self.0.fetch_or(ABANDONED, Ordering::AcqRel) & OVER == 0
    }

    /// Whether nobody wants it any more.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.0.load(Ordering::Acquire) & ABANDONED != 0
    }

    /// The task ends by itself, whatever becomes of the handle. To be said before anybody can learn how the query ended.
    pub(crate) fn end(&self) {
        self.0.fetch_or(OVER, Ordering::AcqRel);
    }

    /// Whether it ends by itself.
    pub(crate) fn is_over(&self) -> bool {
        self.0.load(Ordering::Acquire) & OVER != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_woken_unless_it_is_over() {
        let (early, late) = (Tie::default(), Tie::default());
        assert!(!early.is_abandoned() && !early.is_over());
        assert!(early.abandon() && early.is_abandoned());
        late.end();
        assert!(late.is_over() && !late.is_abandoned());
        assert!(!late.abandon() && late.is_abandoned());
    }
}
