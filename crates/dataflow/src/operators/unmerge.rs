//! Merged traversers as many: where a subquery has to run for each of them.

use crate::batch::Batch;
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

/// Emits each traverser as often as its bulk says, each with a bulk of one. A bulk may be enormous, so rows are made a batch
/// at a time.
#[derive(Default)]
pub(super) struct Unmerge {
    batch: Option<Batch>,
    /// The row that is next, and how many of it have left.
    next: (usize, u64),
}

impl Operator for Unmerge {
    fn step(&mut self, input: Option<Batch>, _: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        if let Some(batch) = input {
            if batch.bulk.is_none() {
                out.emit(batch);
                return Ok(Step::Idle);
            }
            (self.batch, self.next) = (Some(batch), (0, 0));
        }
        let Some(batch) = &self.batch else { return Ok(Step::Idle) };
        let (mut row, mut left) = self.next;
        let mut rows: Vec<u32> = Vec::new();
        while row < batch.len && rows.len() < Batch::TARGET_ROWS {
            let room = (Batch::TARGET_ROWS - rows.len()) as u64;
            let take = (batch.bulk(row) - left).min(room);
            rows.extend(std::iter::repeat_n(row as u32, take as usize));
            left += take;
            if left == batch.bulk(row) {
                (row, left) = (row + 1, 0);
            }
        }
        let mut made = batch.gather(&rows);
        made.bulk = None;
        out.emit(made);
        self.next = (row, left);
        if row < batch.len {
            return Ok(Step::More);
        }
        self.batch = None;
        Ok(Step::Idle)
    }

    fn reset(&mut self) {
        (self.batch, self.next) = (None, (0, 0));
    }
}
