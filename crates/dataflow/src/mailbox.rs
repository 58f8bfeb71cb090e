//! What waits for one operator.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::batch::{Batch, Weight};
use crate::error::QueryError;
use crate::memory::{Charge, MemoryMeter};

/// What a large batch is charged while it waits, and while an operator works on it.
pub(crate) struct Load {
    pub(crate) charge: Charge,
    /// How much of it is for large values.
    pub(crate) of_large: usize,
}

impl Load {
    /// Charges a batch of this weight to a query.
    ///
    /// # Errors
    /// [`QueryError::MemoryExceeded`] past the query's bound.
    pub(crate) fn take(meter: &Arc<MemoryMeter>, weight: &Weight) -> Result<Self, QueryError> {
        Ok(Self { charge: Charge::take(meter, weight.bytes)?, of_large: weight.of_large })
    }

    /// What is charged for its rows, and for values that are not large.
    pub(crate) fn without_large(mut self) -> Charge {
        self.charge.give_back(self.of_large);
        self.charge
    }
}

/// A batch, with what it is charged, if it is large.
pub(crate) type Mail = (Batch, Option<Load>);

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
    pub(crate) fn push(&mut self, batch: Batch, load: Option<Load>) {
        match &self.first {
            None => self.first = Some((batch, load)),
            Some(_) => self.rest.push_back((batch, load)),
        }
    }

    /// Puts a batch before the others.
    pub(crate) fn push_front(&mut self, batch: Batch) {
        if let Some(second) = self.first.replace((batch, None)) {
            self.rest.push_front(second);
        }
    }

    /// Takes the first batch out, with what it is charged.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Mail> {
        let mail = self.first.take()?;
        if !self.rest.is_empty() {
            self.first = self.rest.pop_front();
        }
        Some(mail)
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
                _ => assert_eq!(mailbox.pop().map(|(batch, _)| batch.len), queue.pop_front()),
            }
            assert_eq!((mailbox.len(), mailbox.is_empty()), (queue.len(), queue.is_empty()));
        }
    }
}
