//! Where vertices live: stripes of blocks.
//!
//! ```text
//! VertexRef   │ stripe (16) │ slot in block (10) │ tablet (6) │
//!
//! stripes     ┌───┬───┬───┬───        stripe 1, one vertex label, blocks of all 64 tablets
//!             │ ● │ ● │ · │ …  ──▶   ┌───────┬─────────┬─────────┬──────────┐
//!             └───┴───┴───┴───        │ label │ block 0 │   …     │ block 63 │
//!                                     └───────┴─────────┴─────────┴──────────┘
//! block       presence │ one column per property key │ one adjacency per (edge label, direction)
//! ```
//!
//! A stripe is filled in the order of its references, so the vertices of a label are dense in `stripe << 16 ..` and
//! spread evenly over the tablets. A reference finds its block by two shifts and one pointer, or two: the blocks behind the
//! first few come together when the first of them is needed, since a graph may have thousands of labels of one vertex each,
//! and 64 blocks take 27 KB.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use values::VertexRef;

use super::ranked::Ranked;
use crate::cells::{CellTable, SectionCell};
use crate::model::{STRIPES, TABLETS, VertexLabelId, stripe_of};
use crate::sections::{Adjacency, Column, Presence};

/// Blocks that a stripe has from the beginning.
const FEW: usize = 4;

/// The sections of up to 1,024 vertices of one tablet and one label.
pub(crate) struct Block {
    pub(crate) presence: SectionCell<Presence>,
    /// By key id.
    pub(crate) columns: CellTable<Column, 16>,
    /// By [`adjacency_number`](crate::model::adjacency_number).
    pub(crate) adjacency: CellTable<Adjacency, 32>,
}

impl Block {
    const fn new() -> Self {
        Self { presence: SectionCell::empty(), columns: CellTable::new(), adjacency: CellTable::new() }
    }
}

/// The blocks of 65,536 consecutive references.
pub(crate) struct Stripe {
    pub(crate) label: VertexLabelId,
    /// How many references were given out, from the first on.
    allocated: AtomicU32,
    few: [Block; FEW],
    rest: OnceLock<Box<[Block; TABLETS - FEW]>>,
    /// By key id, made from the columns of all blocks.
    pub(crate) ranked: CellTable<Ranked, 16>,
}

impl Stripe {
    fn new(label: VertexLabelId) -> Box<Self> {
        let few = [const { Block::new() }; FEW];
        let allocated = AtomicU32::new(0);
        Box::new(Self { label, allocated, few, rest: OnceLock::new(), ranked: CellTable::new() })
    }

    /// The block of a tablet, if it was ever needed.
    #[inline]
    pub(crate) fn get(&self, tablet: usize) -> Option<&Block> {
        self.few.get(tablet).or_else(|| self.rest.get()?.get(tablet - FEW))
    }

    /// The block of a tablet, made now if need be: who goes through all asks for [`tablets`](Self::tablets).
    #[inline]
    pub(crate) fn block(&self, tablet: usize) -> &Block {
        match self.few.get(tablet) {
            Some(block) => block,
            None => {
                &self.rest.get_or_init(|| Box::new([const { Block::new() }; TABLETS - FEW]))[tablet - FEW]
            }
        }
    }

    /// The tablets that may have something here.
    pub(crate) fn tablets(&self) -> std::ops::Range<usize> {
        0..if self.rest.get().is_some() { TABLETS } else { FEW }
    }

    /// References given out.
    pub(crate) fn allocated(&self) -> u32 {
        self.allocated.load(Ordering::Acquire)
    }

    /// Counts the first `allocated` references as given out.
    pub(crate) fn allocate_up_to(&self, allocated: u32) {
        self.allocated.fetch_max(allocated, Ordering::AcqRel);
    }
}

/// All stripes. A stripe that is there never moves and never goes.
pub(crate) struct BlockTable {
    stripes: Box<[OnceLock<Box<Stripe>>]>,
    /// One past the last stripe there is.
    end: AtomicUsize,
}

impl BlockTable {
    pub(crate) fn new() -> Self {
        Self { stripes: (0..STRIPES).map(|_| OnceLock::new()).collect(), end: AtomicUsize::new(0) }
    }

    #[inline]
    pub(crate) fn stripe(&self, number: usize) -> Option<&Stripe> {
        self.stripes.get(number)?.get().map(|stripe| &**stripe)
    }

    /// The block of a vertex, if it was ever needed.
    #[inline]
    pub(crate) fn block(&self, v: VertexRef) -> Option<&Block> {
        self.stripe(stripe_of(v))?.get(v.tablet() as usize)
    }

    /// The stripe, made now for `label` if it is not there.
    ///
    /// # Panics
    /// If `number` is not below [`STRIPES`].
    pub(crate) fn stripe_for(&self, number: usize, label: VertexLabelId) -> &Stripe {
        let stripe = self.stripes[number].get_or_init(|| Stripe::new(label));
        self.end.fetch_max(number + 1, Ordering::AcqRel);
        stripe
    }

    /// One past the number of the last stripe.
    pub(crate) fn end(&self) -> usize {
        self.end.load(Ordering::Acquire)
    }

    /// All stripes there are, with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &Stripe)> {
        self.stripes[..self.end()]
            .iter()
            .enumerate()
            .filter_map(|(number, stripe)| Some((number, &**stripe.get()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{STRIPE_VERTICES, slot_of};

    #[test]
    fn a_stripe_of_few_vertices_has_few_blocks() {
        let stripe = Stripe::new(VertexLabelId(1));
        assert_eq!(stripe.tablets(), 0..FEW);
        assert!(size_of::<Stripe>() < 3_000, "{} bytes", size_of::<Stripe>());
        stripe.block(FEW - 1).columns.get_or_grow(3);
        assert_eq!(stripe.tablets(), 0..FEW);
        assert!(stripe.get(FEW).is_none() && stripe.get(FEW - 1).is_some());
        let last = std::ptr::from_ref(stripe.block(TABLETS - 1));
        assert_eq!(stripe.tablets(), 0..TABLETS);
        assert!(stripe.get(TABLETS - 1).is_some_and(|block| std::ptr::eq(last, block)));
        assert!(!std::ptr::eq(last, stripe.block(FEW)));
    }

    #[test]
    fn consecutive_references_of_a_stripe_fill_all_tablets_evenly() {
        let first = 3 << 16;
        for n in 0..STRIPE_VERTICES {
            let v = VertexRef(first + n);
            assert_eq!(stripe_of(v), 3);
            assert_eq!((v.tablet(), slot_of(v)), (n % 64, (n / 64) as usize));
        }
    }
}
