//! The ways that paths go on, where they were found out when the paths were marked.
//!
//! ```text
//! pairs    (from, to) │ (from, to) │ …      in order, each once
//! ```

use graph::VertexRef;

/// Ways that are kept, at most. Where there are more, the walk looks for them once more.
const MOST: usize = 1 << 16;

/// See the module.
#[derive(Default)]
pub(super) struct Ways {
    pairs: Vec<(VertexRef, VertexRef)>,
    /// Whether there were too many.
    are_too_many: bool,
}

impl Ways {
    /// Bytes that they may take.
    pub(super) const BYTES: usize = MOST * size_of::<(VertexRef, VertexRef)>();

    #[inline]
    pub(super) fn add(&mut self, from: VertexRef, to: VertexRef) {
        if self.pairs.len() < MOST {
            self.pairs.push((from, to));
        } else {
            self.are_too_many = true;
        }
    }

    /// All have been added.
    pub(super) fn sort(&mut self) {
        self.pairs.sort_unstable();
        self.pairs.dedup();
    }

    /// Where paths go on to from a vertex, in order, if that is known.
    pub(super) fn of(&self, from: VertexRef) -> Option<impl DoubleEndedIterator<Item = VertexRef> + '_> {
        if self.are_too_many {
            return None;
        }
        let first = self.pairs.partition_point(|pair| pair.0 < from);
        let len = self.pairs[first..].iter().take_while(|pair| pair.0 == from).count();
        Some(self.pairs[first..first + len].iter().map(|pair| pair.1))
    }

    pub(super) fn clear(&mut self) {
        self.pairs.clear();
        self.are_too_many = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ways: &Ways, from: u32) -> Option<Vec<u32>> {
        ways.of(VertexRef(from)).map(|to| to.map(|v| v.0).collect())
    }

    #[test]
    fn ways_of_a_vertex_are_each_once_in_order_until_there_are_too_many() {
        let mut ways = Ways::default();
        for (from, to) in [(2, 9), (1, 5), (2, 3), (2, 9)] {
            ways.add(VertexRef(from), VertexRef(to));
        }
        ways.sort();
        assert_eq!([1, 2, 3].map(|from| of(&ways, from)), [Some(vec![5]), Some(vec![3, 9]), Some(vec![])]);
        (0..MOST as u32).for_each(|to| ways.add(VertexRef(7), VertexRef(to)));
        ways.sort();
        assert_eq!(of(&ways, 1), None);
        ways.clear();
        assert_eq!(of(&ways, 1), Some(vec![]));
    }
}
