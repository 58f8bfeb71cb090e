//! Rows by the block of their owner.

use std::ops::Range;

use values::VertexRef;

use crate::model::TABLETS;

/// Row numbers sorted by the block of their owner, in input order within each.
///
/// ```text
/// blocks   │ 3, 0 │ 4, 2 │ 9, 5 │        those that have rows, and where those begin
/// rows     │ · · │ · · · │ · · · · │
/// ```
pub(super) struct BlockOrder {
    blocks: Vec<(u32, u32)>,
    rows: Vec<u32>,
}

impl BlockOrder {
    /// Of rows that have these owners.
    pub(super) fn of(owners: impl Iterator<Item = VertexRef> + Clone) -> Self {
        let block = |v: VertexRef| (v.0 >> 16) as usize * TABLETS + v.tablet() as usize;
        // How many each has, then where its next row goes.
        let mut next = Vec::new();
        for v in owners.clone() {
            if next.len() <= block(v) {
                next.resize(block(v) + 1, 0u32);
            }
            next[block(v)] += 1;
        }
        let (mut blocks, mut start) = (Vec::new(), 0);
        for (block, next) in (0..).zip(&mut next).filter(|(_, count)| **count > 0) {
            blocks.push((block, start));
            start += std::mem::replace(next, start);
        }
        let mut rows = vec![0; start as usize];
        for (row, v) in (0..).zip(owners) {
            let place = &mut next[block(v)];
            rows[*place as usize] = row;
            *place += 1;
        }
        Self { blocks, rows }
    }

    /// The blocks that have rows, ascending, which is the order of the sections' keys, and their rows.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (usize, &[u32])> {
        self.blocks_at(0..self.blocks.len())
    }

    /// As [`Self::blocks`], of those at some places.
    pub(super) fn blocks_at(&self, places: Range<usize>) -> impl Iterator<Item = (usize, &[u32])> {
        places.map(|place| (self.blocks[place].0 as usize, self.rows_at(place)))
    }

    /// The places of all blocks in portions of at least `rows` rows, but for the last one.
    pub(super) fn portions(&self, rows: usize) -> impl Iterator<Item = Range<usize>> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let (_, start) = *self.blocks.get(next)?;
            let ends = &self.blocks[next + 1..];
            let first = next;
            next += 1 + ends.partition_point(|&(_, end)| ((end - start) as usize) < rows);
            Some(first..next)
        })
    }

    /// The rows of a block.
    pub(super) fn rows(&self, block: usize) -> &[u32] {
        let place = self.blocks.binary_search_by_key(&block, |&(block, _)| block as usize);
        place.map_or(&[], |place| self.rows_at(place))
    }

    fn rows_at(&self, place: usize) -> &[u32] {
        let end = self.blocks.get(place + 1).map_or(self.rows.len(), |&(_, start)| start as usize);
        &self.rows[self.blocks[place].1 as usize..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::vertex_at;

    #[test]
    fn rows_are_found_by_block_in_input_order_and_blocks_without_any_have_none() {
        let owner = |&(stripe, tablet): &(u16, u8)| vertex_at(stripe, tablet, 7);
        let owners: Vec<VertexRef> =
            [(2, 1), (0, 3), (2, 1), (0, 0), (5, 63), (0, 3), (2, 1)].iter().map(owner).collect();
        let order = BlockOrder::of(owners.iter().copied());
        let all: Vec<(usize, &[u32])> = order.blocks().collect();
        let (at, last) = (2 * TABLETS + 1, 5 * TABLETS + 63);
        assert_eq!(all, [(0, &[3][..]), (3, &[1, 5]), (at, &[0, 2, 6]), (last, &[4])]);
        assert_eq!(
            (order.rows(at), order.rows(at + 1), order.rows(last + 1)),
            (&[0, 2, 6][..], &[][..], &[][..])
        );
        assert_eq!(BlockOrder::of([].into_iter()).blocks().count(), 0);
    }

    #[test]
    fn portions_have_rows_enough_and_all_blocks() {
        let owners = [(0, 0), (0, 1), (0, 1), (0, 1), (0, 5), (1, 0), (1, 0), (1, 0), (1, 0), (1, 2)];
        let order = BlockOrder::of(owners.iter().map(|&(stripe, tablet)| vertex_at(stripe, tablet, 7)));
        let portions = |rows| order.portions(rows).collect::<Vec<_>>();
        assert_eq!(portions(1), [0..1, 1..2, 2..3, 3..4, 4..5]);
        assert_eq!(portions(2), [0..2, 2..4, 4..5]);
        assert_eq!(portions(4), [0..2, 2..4, 4..5]);
        assert_eq!(portions(9), [0..4, 4..5]);
        assert_eq!(portions(usize::MAX).len(), 1);
        assert_eq!(BlockOrder::of([].into_iter()).portions(1).count(), 0);
    }
}
