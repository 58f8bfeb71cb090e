//! How long an operator takes for its rows, and what it is given for that.

use std::time::Duration;

use planner::physical::OpKind;

use crate::batch::Batch;
use crate::operators;
use crate::quota::TURN;

/// Time beyond which a step of an operator is long for a turn: its next batches are halved, until it is no longer.
const SLOW: Duration = Duration::from_micros(200);

/// Rows that are not divided on account of time.
const FEWEST_ROWS: usize = 16;

/// Parts of an operator from which on it takes long for a batch: see `operators::width`.
const WIDE: usize = 32;

/// Down to that many rows.
const MOST_HALVINGS: u8 = (Batch::TARGET_ROWS / FEWEST_ROWS).ilog2() as u8;

/// The pace of one operator in one instance.
#[derive(Default)]
pub(crate) struct Pace {
    /// Halvings of the batches that it is given: it takes long for its rows.
    halvings: u8,
    /// How many of its last steps have outlasted a turn, one after the other.
    outlasted: u8,
}

impl Pace {
    /// Of an operator that has seen nothing yet. One that does much for each row does not begin with a whole batch.
    pub(crate) fn of(op: &OpKind) -> Self {
        let halvings = match operators::width(op) / WIDE {
            0 => 0,
            times => (times.ilog2() as u8 + 1).min(MOST_HALVINGS),
        };
        Self { halvings, outlasted: 0 }
    }

    /// Most rows that it is given at once.
    pub(crate) fn most(&self) -> usize {
        if self.halvings == 0 { usize::MAX } else { Batch::TARGET_ROWS >> self.halvings }
    }

    /// Whether it takes long, as far as is known.
    pub(crate) fn is_slow(&self) -> bool {
        self.halvings > 0 || self.outlasted > 0
    }

    /// Whether its next step may outlast a turn. One that has may have waited for its core all the while.
    pub(crate) fn outlasts(&self) -> bool {
        self.outlasted > 1
    }

    /// Notes how long it has worked on so many rows.
    pub(crate) fn note(&mut self, rows: usize, took: Duration) {
        self.outlasted = if took > TURN { self.outlasted.saturating_add(1) } else { 0 };
        if took > SLOW && rows > FEWEST_ROWS {
            self.halvings = (self.halvings + 1).min(MOST_HALVINGS);
        } else if took < SLOW / 4 {
            self.halvings = self.halvings.saturating_sub(1);
        }
    }
}
