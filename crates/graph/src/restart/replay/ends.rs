//! What the changes of a stretch of the log are sorted by.

use values::VertexRef;

use crate::model::Dir;

/// Changes of edges of one stretch at most: a place is 25 bits of an [`End`].
pub(super) const MOST_CHANGES: usize = 1 << 25;

/// One end of an edge that changes, as a number to sort by.
///
/// ```text
/// tablet 6 │ stripe 16 │ edge label 16 │ direction 1 │ place in the stretch 25
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct End(u64);

impl End {
    pub(super) fn new(v: VertexRef, label: u16, dir: Dir, place: usize) -> Self {
        let (tablet, stripe) = (u64::from(v.tablet()), u64::from(v.0 >> 16));
        let list = (tablet << 16 | stripe) << 17 | u64::from(label) << 1 | dir as u64;
        Self(list << 25 | place as u64)
    }

    /// Which block the list is in: blocks are in the order of tablets, and of stripes within each.
    pub(super) fn block(self) -> u64 {
        self.0 >> 42
    }

    /// Likewise, of any vertex of the block.
    pub(super) fn block_of(v: VertexRef) -> u64 {
        Self::new(v, 0, Dir::Out, 0).block()
    }

    /// Which section the list is in.
    pub(super) fn section(self) -> u64 {
        self.0 >> 25
    }

    pub(super) fn dir(self) -> Dir {
        if self.0 >> 25 & 1 == 0 { Dir::Out } else { Dir::In }
    }

    pub(super) fn place(self) -> usize {
        self.0 as usize & (MOST_CHANGES - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_sort_by_block_section_and_place_whatever_the_slot() {
        let v = |stripe: u32, slot: u32, tablet: u32| VertexRef(stripe << 16 | slot << 6 | tablet);
        let sorted = [
            End::new(v(65_535, 9, 0), 65_535, Dir::In, 7),
            End::new(v(2, 1_023, 63), 4, Dir::Out, 1),
            End::new(v(2, 0, 63), 4, Dir::Out, 2),
            End::new(v(2, 5, 63), 4, Dir::In, 0),
            End::new(v(2, 5, 63), 5, Dir::Out, 0),
            End::new(v(3, 5, 63), 0, Dir::Out, MOST_CHANGES - 1),
        ];
        assert!(sorted.is_sorted(), "{sorted:?}");
        let block = |tablet: u64, stripe: u64| tablet << 16 | stripe;
        let blocks = [block(0, 65_535), block(63, 2), block(63, 2), block(63, 2), block(63, 2), block(63, 3)];
        assert_eq!(sorted.map(End::block), blocks);
        assert_eq!(End::block_of(v(3, 5, 63)), blocks[5]);
        assert_eq!(sorted.map(End::place), [7, 1, 2, 0, 0, MOST_CHANGES - 1]);
        assert_eq!(sorted.map(End::dir), [Dir::In, Dir::Out, Dir::Out, Dir::In, Dir::Out, Dir::Out]);
        let sections = sorted.chunk_by(|a, b| a.section() == b.section());
        assert_eq!(sections.map(<[End]>::len).collect::<Vec<_>>(), [1, 2, 1, 1, 1]);
    }
}
