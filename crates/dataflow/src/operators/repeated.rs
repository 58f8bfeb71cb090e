//! Each row of a batch so many times.

use std::sync::Arc;

use crate::batch::Batch;

/// The rows of a batch, each as often as it is told; a batch at a time, since that may be enormously often.
///
/// ```text
/// rows    a │ b │ c         out   a a b c │ c c c c │ c
/// times   2 │ 1 │ 6                      ▲ next = (2, 1): of the third row one has left
/// ```
#[derive(Default)]
pub(super) struct Repeated {
    batch: Option<Batch>,
    times: Arc<Vec<u64>>,
    /// The row that is next, and how often it has left.
    next: (usize, u64),
}

impl Repeated {
    /// Each row of a batch with its number of times.
    pub(super) fn new(batch: Batch, times: Arc<Vec<u64>>) -> Self {
        Self { batch: Some(batch), times, next: (0, 0) }
    }

    /// Whether all have left.
    pub(super) fn is_done(&self) -> bool {
        self.batch.is_none()
    }

    /// The next of them, if there are any.
    pub(super) fn next(&mut self) -> Option<Batch> {
        let batch = self.batch.as_ref()?;
        let (mut row, mut left) = self.next;
        let mut rows: Vec<u32> = Vec::new();
        while let Some(&times) = self.times.get(row)
            && rows.len() < Batch::TARGET_ROWS
        {
            let room = (Batch::TARGET_ROWS - rows.len()) as u64;
            let take = (times - left).min(room);
            rows.extend(std::iter::repeat_n(row as u32, take as usize));
            left += take;
            if left == times {
                (row, left) = (row + 1, 0);
            }
        }
        self.next = (row, left);
        let made = batch.gather(&rows);
        if row >= self.times.len() {
            self.batch = None;
        }
        (made.len > 0).then_some(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Column;

    fn of(times: &[u64]) -> Vec<usize> {
        let batch = Batch::new(Column::Longs((0..times.len() as i64).collect()), times.len());
        let mut repeated = Repeated::new(batch, Arc::new(times.to_vec()));
        let batches = std::iter::from_fn(|| repeated.next());
        let lens = batches.map(|batch| batch.len).collect();
        assert!(repeated.is_done() && repeated.next().is_none());
        lens
    }

    #[test]
    fn rows_leave_as_often_as_they_are_told_a_batch_at_a_time() {
        assert_eq!(of(&[2, 0, 1]), [3]);
        assert_eq!(of(&[0, 0]), [0; 0]);
        let most = Batch::TARGET_ROWS;
        assert_eq!(of(&[1, 2 * most as u64, 0]), [most, most, 1]);
    }
}
