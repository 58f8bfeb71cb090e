//! The entries of the partitions of a range index, as one sequence in order.
//!
//! ```text
//! partition 0   │3│8│9│…  ┐
//! partition 1   │1│8│…    ├─ a heap of the next of each ─▶ 1 3 8 8 9 …
//! partition 2   │…        ┘
//! ```

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::ordered::EntryRef;

/// Merges sequences all of which ascend, or all of which descend.
pub(crate) struct InOrder<'a, I> {
    heads: BinaryHeap<Head<'a, I>>,
}

/// The next entry of a sequence, and what follows it.
struct Head<'a, I> {
    next: EntryRef<'a>,
    rest: I,
    descending: bool,
}

impl<'a, I: Iterator<Item = EntryRef<'a>>> InOrder<'a, I> {
    pub(crate) fn new(sequences: impl IntoIterator<Item = I>, descending: bool) -> Self {
        let head = |mut rest: I| rest.next().map(|next| Head { next, rest, descending });
        Self { heads: sequences.into_iter().filter_map(head).collect() }
    }
}

impl<'a, I: Iterator<Item = EntryRef<'a>>> Iterator for InOrder<'a, I> {
    type Item = EntryRef<'a>;

    fn next(&mut self) -> Option<EntryRef<'a>> {
        let mut head = self.heads.pop()?;
        match head.rest.next() {
            None => Some(head.next),
            Some(following) => {
                let next = std::mem::replace(&mut head.next, following);
                self.heads.push(head);
                Some(next)
            }
        }
    }
}

impl<I> Ord for Head<'_, I> {
    /// The heap has the greatest on top.
    fn cmp(&self, other: &Self) -> Ordering {
        let ordering = self.next.cmp(&other.next);
        if self.descending { ordering } else { ordering.reverse() }
    }
}

impl<I> PartialOrd for Head<'_, I> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<I> PartialEq for Head<'_, I> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<I> Eq for Head<'_, I> {}

#[cfg(test)]
mod tests {
    use values::VertexRef;

    use super::*;

    #[test]
    fn all_entries_come_in_order_either_way() {
        let sequences = [vec![1u8, 4, 4, 9], vec![], vec![0, 4, 7], vec![2]];
        let entry = |key: u8| (vec![key].into(), VertexRef(key.into()));
        let keys = |sequences: Vec<Vec<u8>>, descending| -> Vec<u8> {
            let sequences = sequences.into_iter().map(|keys| keys.into_iter().map(entry));
            InOrder::new(sequences, descending).map(|(key, _)| key[0]).collect()
        };
        assert_eq!(keys(sequences.to_vec(), false), [0, 1, 2, 4, 4, 4, 7, 9]);
        let backwards = sequences.map(|keys| keys.into_iter().rev().collect()).to_vec();
        assert_eq!(keys(backwards, true), [9, 7, 4, 4, 4, 2, 1, 0]);
    }
}
