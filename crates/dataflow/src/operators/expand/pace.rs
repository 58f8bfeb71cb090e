//! When an expansion looks at the clock.

use crate::operator::Context;

/// Edges that finding and beginning a list counts for, even if it is empty.
const PER_LIST: usize = 8;

/// Edges between two looks: a tenth of a turn or two.
const STRETCH: usize = 1 << 12;

/// Work of one call of an expansion.
#[derive(Debug, Default)]
pub(super) struct Pace {
    lists: usize,
    /// The work at the last look.
    last: usize,
}

impl Pace {
    /// Whether the turn is over, now that another list, or a part of it, and so many edges in all were looked at.
    #[inline]
    pub(super) fn turn_is_over(&mut self, edges: usize, cx: &Context<'_>) -> bool {
        self.lists += 1;
        let work = edges + self.lists * PER_LIST;
        if work < self.last + STRETCH {
            return false;
        }
        self.last = work;
        cx.quota.is_spent()
    }
}
