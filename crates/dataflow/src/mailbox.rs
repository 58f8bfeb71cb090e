//! What waits for one operator.

use std::collections::VecDeque;

use crate::batch::Batch;
use crate::memory::Charge;

/// A batch, with what it is charged while it waits, if it is large.
type Mail = (Batch, Option<Charge>);

/// Batches in the order in which they came. Mostly there is one or none, and then nothing is allocated:
///
/// ```text
/// first │ ▪ │   rest │ ▪ │ ▪ │ …        without a first there is no rest
/// ```
#[derive(Default)]
pub(crate) struct Mailbox {
    first: Option<Mail>,
    rest: VecDeque<Mail>,
}

impl Mailbox {
    /// Batches that wait.
    pub(crate) fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.rest.len()
    }

    /// Whether none waits.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// Puts a batch behind the others.
    #[inline]
    pub(crate) fn push(&mut self, batch: Batch, charge: Option<Charge>) {
        match &self.first {
            None => self.first = Some((batch, charge)),
            Some(_) => self.rest.push_back((batch, charge)),
        }
    }

    /// Puts a batch before the others.
    pub(crate) fn push_front(&mut self, batch: Batch) {
        if let Some(second) = self.first.replace((batch, None)) {
            self.rest.push_front(second);
        }
    }

    /// Bytes that the first batch is charged with, if it is large.
    #[inline]
    pub(crate) fn next_charge(&self) -> Option<usize> {
        self.first.as_ref().and_then(|(_, charge)| charge.as_ref()).map(Charge::bytes)
    }

    /// Takes the first batch out.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Batch> {
        let (batch, _) = self.first.take()?;
        if !self.rest.is_empty() {
            self.first = self.rest.pop_front();
        }
        Some(batch)
    }

    /// Drops all batches.
    pub(crate) fn clear(&mut self) {
        self.first = None;
        self.rest.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::batch::Column;

    #[test]
    fn it_is_a_queue() {
        let (mut mailbox, mut queue, mut state) = (Mailbox::default(), VecDeque::new(), 7_u64);
        for len in 1..2000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            match (state >> 33) % 20 {
                0 => {
                    mailbox.clear();
                    queue.clear();
                }
                1..=9 => {
                    mailbox.push(Batch::new(Column::Uniform(values::Value::Null), len), None);
                    queue.push_back(len);
                }
                _ => assert_eq!(mailbox.pop().map(|batch| batch.len), queue.pop_front()),
            }
            assert_eq!((mailbox.len(), mailbox.is_empty()), (queue.len(), queue.is_empty()));
        }
    }
}
