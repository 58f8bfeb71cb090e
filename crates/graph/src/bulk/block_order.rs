//! Rows by the block of their owner.

use values::VertexRef;

use crate::block::TABLETS;

/// Row numbers sorted by the block of their owner, in input order within each.
pub(super) struct BlockOrder {
    /// Where the rows of each block begin.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl BlockOrder {
    /// Of rows that have these owners.
    pub(super) fn of(owners: impl Iterator<Item = VertexRef> + Clone) -> Self {
        let block = |v: VertexRef| (v.0 >> 16) as usize * TABLETS + v.tablet() as usize;
        let mut starts = vec![0u32];
        for v in owners.clone() {
            let end = block(v) + 1;
            if starts.len() <= end {
                starts.resize(end + 1, 0);
            }
            starts[end] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts[starts.len() - 1] as usize];
        for (row, v) in (0..).zip(owners) {
            let place = &mut next[block(v)];
            rows[*place as usize] = row;
            *place += 1;
        }
        Self { starts, rows }
    }

    /// The blocks that have rows, ascending: the order of the sections' keys.
    pub(super) fn blocks(&self) -> impl Iterator<Item = usize> {
        (0..self.starts.len() - 1).filter(|&block| self.starts[block] < self.starts[block + 1])
    }

    /// The rows of a block.
    pub(super) fn rows(&self, block: usize) -> &[u32] {
        match self.starts.get(block..block + 2) {
            Some(&[start, end]) => &self.rows[start as usize..end as usize],
            _ => &[],
        }
    }
}
