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
//! spread evenly over the tablets. A reference finds its block by two shifts and one pointer, or two: only the first is there
//! from the beginning; the next three and twelve, and then sixteen at a time, come when one of them is needed, since a graph may have
//! thousands of labels of a few vertices each, and 64 blocks take 27 KB: so a vertex has at most four blocks, of 430 bytes, and two
//! where there are more than sixteen.

use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use crossbeam_epoch::Guard;
use once_cell::race::OnceBox;
use parking_lot::RwLock;
use values::VertexRef;

use super::ranked::Ranked;
use crate::cells::{CellTable, SectionCell};
use crate::model::{Dir, EdgeLabelId, STRIPES, TABLETS, VertexLabelId, list_of, stripe_of};
use crate::sections::{Adjacency, Column, Presence};

/// Blocks that a stripe has before it has more of them.
const FEW: usize = 4;

/// Those that it has before it has as many more, again and again.
const SOME: usize = 16;

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
    first: Block,
    few: OnceBox<[Block; FEW - 1]>,
    some: OnceBox<[Block; SOME - FEW]>,
    rest: [OnceBox<[Block; SOME]>; TABLETS / SOME - 1],
    /// By key id, made from the columns of all blocks.
    pub(crate) ranked: CellTable<Ranked, 16>,
}

impl Stripe {
    fn new(label: VertexLabelId) -> Box<Self> {
        let (few, some, rest) = (OnceBox::new(), OnceBox::new(), [const { OnceBox::new() }; _]);
        let (first, allocated) = (Block::new(), AtomicU32::new(0));
        Box::new(Self { label, allocated, first, few, some, rest, ranked: CellTable::new() })
    }

    /// The block of a tablet, if it was ever needed.
    #[inline]
    pub(crate) fn get(&self, tablet: usize) -> Option<&Block> {
        match tablet {
            SOME.. => self.rest.get(tablet / SOME - 1)?.get()?.get(tablet % SOME),
            FEW.. => self.some.get()?.get(tablet - FEW),
            0 => Some(&self.first),
            _ => self.few.get()?.get(tablet - 1),
        }
    }

    /// The block of a tablet, made now if need be: who goes through all asks for [`tablets`](Self::tablets).
    #[inline]
    pub(crate) fn block(&self, tablet: usize) -> &Block {
        match tablet {
            SOME.. => {
                let blocks = &self.rest[tablet / SOME - 1];
                &blocks.get_or_init(|| Box::new([const { Block::new() }; _]))[tablet % SOME]
            }
            FEW.. => &self.some.get_or_init(|| Box::new([const { Block::new() }; _]))[tablet - FEW],
            0 => &self.first,
            _ => &self.few.get_or_init(|| Box::new([const { Block::new() }; _]))[tablet - 1],
        }
    }

    /// The tablets that may have something here.
    pub(crate) fn tablets(&self) -> std::ops::Range<usize> {
        let of_rest = self.rest.iter().rposition(|blocks| blocks.get().is_some());
        0..match (self.few.get(), self.some.get(), of_rest) {
            (_, _, Some(place)) => SOME * (place + 2),
            (_, Some(_), None) => SOME,
            (Some(_), None, None) => FEW,
            (None, None, None) => 1,
        }
    }

    /// The lists that vertices here may have edges in, whether in memory or not.
    pub(crate) fn lists(&self, guard: &Guard) -> BTreeSet<(Dir, EdgeLabelId)> {
        let blocks = self.tablets().filter_map(|tablet| self.get(tablet));
        let cells = blocks.flat_map(|block| block.adjacency.iter());
        cells.filter(|(_, cell)| cell.is_there(guard)).map(|(number, _)| list_of(number)).collect()
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
    /// The numbers of a label's stripes, ascending: of tens of thousands of labels, each may have one.
    by_label: RwLock<Vec<Vec<u32>>>,
}

impl BlockTable {
    pub(crate) fn new() -> Self {
        let stripes = (0..STRIPES).map(|_| OnceLock::new()).collect();
        Self { stripes, end: AtomicUsize::new(0), by_label: RwLock::default() }
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
        let stripe = self.stripes[number].get_or_init(|| {
            self.note_label(number, label);
            Stripe::new(label)
        });
        self.end.fetch_max(number + 1, Ordering::AcqRel);
        stripe
    }

    fn note_label(&self, number: usize, label: VertexLabelId) {
        let mut by_label = self.by_label.write();
        if by_label.len() <= label.index() {
            by_label.resize(label.index() + 1, Vec::new());
        }
        let (numbers, number) = (&mut by_label[label.index()], number as u32);
        numbers.insert(numbers.partition_point(|known| *known < number), number);
    }

    /// The first stripe from one on that is of a label (of any label), and its number.
    pub(crate) fn next(&self, label: Option<VertexLabelId>, from: usize) -> Option<(usize, &Stripe)> {
        let Some(label) = label else {
            return (from..self.end()).find_map(|number| Some((number, self.stripe(number)?)));
        };
        let by_label = self.by_label.read();
        let numbers = by_label.get(label.index())?;
        let numbers = &numbers[numbers.partition_point(|number| (*number as usize) < from)..];
        // One that is noted may be about to be there.
        numbers.iter().find_map(|&number| Some((number as usize, self.stripe(number as usize)?)))
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
        assert_eq!(stripe.tablets(), 0..1);
        assert!(size_of::<Stripe>() < 700, "{} bytes", size_of::<Stripe>());
        assert!(stripe.get(0).is_some() && stripe.get(1).is_none());
        stripe.block(FEW - 1).columns.get_or_grow(3);
        assert_eq!(stripe.tablets(), 0..FEW);
        assert!(stripe.get(FEW).is_none() && stripe.get(FEW - 1).is_some());
        stripe.block(SOME - 1).columns.get_or_grow(3);
        assert_eq!(stripe.tablets(), 0..SOME);
        assert!(stripe.get(SOME).is_none() && stripe.get(SOME - 1).is_some() && stripe.get(FEW).is_some());
        let last = std::ptr::from_ref(stripe.block(TABLETS - 1));
        assert_eq!(stripe.tablets(), 0..TABLETS);
        assert!(stripe.get(TABLETS - 1).is_some_and(|block| std::ptr::eq(last, block)));
        assert!(!std::ptr::eq(last, stripe.block(FEW)) && !std::ptr::eq(last, stripe.block(SOME)));
    }

    #[test]
    fn the_stripes_of_a_label_are_found_among_those_of_all() {
        let table = BlockTable::new();
        let label = |number: usize| VertexLabelId((number % 7) as u16);
        for number in [5, 12, 3, 19, 701, 700, 20, 40_000, 0, 8] {
            table.stripe_for(number, label(number));
        }
        let all = |of: Option<VertexLabelId>| -> Vec<usize> {
            let after = |from| table.next(of, from).map(|(number, _)| number);
            std::iter::successors(after(0), |number| after(number + 1)).collect()
        };
        assert_eq!(all(None), [0, 3, 5, 8, 12, 19, 20, 700, 701, 40_000]);
        assert_eq!(all(Some(VertexLabelId(5))), [5, 12, 19]);
        assert_eq!(all(Some(VertexLabelId(1))), [8, 701]);
        assert!(table.next(Some(VertexLabelId(99)), 0).is_none());
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
