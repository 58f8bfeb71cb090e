//! Reads of one kind of section for the many vertices of a batch.
//!
//! A read of one vertex walks stripe, block, cell and section. The vertices of a batch mostly lie in the blocks of a few
//! stripes, so these steps are taken once per block, and what is needed of its section is remembered by stripe and tablet:
//!
//! ```text
//!              stripe 6  │ block, ● │ block, ● │ –, · │ block, ● │ …   64 entries, filled as blocks are met
//! vertex ─▶    stripe 3  │ –, ·     │ block, ● │ –, · │ block, ● │ …
//!                                          │
//!                                          └─▶ parts of the section ─▶ slot
//! ```
//!
//! There is one such row, and twice as many each time that too many entries had to make way for others.
//!
//! Whether an entry is of the block of a vertex need not be asked: the bits in which the vertex differs from the block
//! are its slot, and if it is another block, a number beyond all slots, which the check of bounds refuses that there must
//! be anyway. What is not known is an empty slice and refused by the same check. So a lookup costs one branch.
//!
//! Where all entries of a row are of one stripe and all vertices are in it, which is found out for sixteen vertices in the
//! time of one lookup, the blocks need not even be compared: the slot is some bits of the vertex.

mod blocks;
mod degree_cache;
mod degrees;
mod ends;
mod lists;
mod properties;

pub use blocks::{BlockLists, Extent};
pub use degree_cache::DegreeCache;
pub use degrees::Degrees;
pub use ends::Ends;
pub use lists::Lists;
pub use properties::PropertyColumn;

use values::VertexRef;

use super::reader::Reader;
use crate::cells::{SectionCell, SectionState};
use crate::model::{STRIPE_VERTICES, TABLETS, stripe_of};
use crate::place::Block;
use crate::sections::Stripes;

/// The bits of a reference that say which block it is in.
const BLOCK: u32 = 0xffff_0000 | (TABLETS as u32 - 1);

/// Rows at most: what is known of 16 million vertices takes up to 700 KB, which is as much as the nearer caches hold. It lives
/// for a turn of an operator, so there are few of them at a time, one or two for each executor.
const MOST_ROWS: usize = 256;

/// Entries lost per row from which on there are twice as many: to look them up again costs about as much as to make a row.
const LOST_PER_ROW: usize = 16;

/// What is known of the sections of one kind: of each `S`, what most lookups need, and `O`, what the others need.
///
/// ```text
/// rows    by the last bits of the stripe, a power of two
/// ```
struct Blocks<S, O> {
    rows: Vec<Row<S, O>>,
    /// Entries that had to make way since there are as many rows.
    lost: usize,
    unknown: (S, O),
}

/// What is known of a block of each tablet.
///
/// ```text
/// tablet        0         1         2       …  63
/// parts     │ slices  │ slices  │ slices  │ …         together, so that a lookup computes one address
/// others    │ section │ section │ section │ …
/// firsts    │ vertex  │ vertex  │ ~tablet │ …         the first vertex of the block; of no block of this tablet if none
/// ```
struct Row<S, O> {
    parts: [S; TABLETS],
    others: [O; TABLETS],
    firsts: [u32; TABLETS],
    /// The stripes of the blocks that are known.
    stripes: Stripes,
}

impl<S: Copy, O: Copy> Row<S, O> {
    fn new((parts, other): (S, O)) -> Self {
        let firsts = std::array::from_fn(no_block);
        Self { parts: [parts; TABLETS], others: [other; TABLETS], firsts, stripes: Stripes::None }
    }

    /// Notes what is known of the block of a tablet, whose first vertex this is.
    fn set(&mut self, tablet: usize, first: u32, (parts, other): (S, O)) {
        self.firsts[tablet] = first;
        self.parts[tablet] = parts;
        self.others[tablet] = other;
        self.stripes = self.stripes.and(Stripes::of(&[VertexRef(first)]));
    }

    /// The first vertex of the block of a tablet and what is known of it, if it is of any.
    fn known(&self, tablet: usize) -> Option<(u32, (S, O))> {
        let first = self.firsts[tablet];
        (first != no_block(tablet)).then(|| (first, (self.parts[tablet], self.others[tablet])))
    }
}

/// Stands for no block of a tablet. (A tablet is never its own complement, so it is a first vertex of another tablet's.)
fn no_block(tablet: usize) -> u32 {
    !(tablet as u32)
}

impl<S: Copy, O: Copy> Blocks<S, O> {
    /// Nothing is known. `unknown` must have no slot.
    fn new(unknown: S, other: O) -> Self {
        Self { rows: vec![Row::new((unknown, other))], lost: 0, unknown: (unknown, other) }
    }

    /// The number of the row for a vertex.
    #[inline(always)]
    fn row_of(&self, v: VertexRef) -> usize {
        stripe_of(v) & (self.rows.len() - 1)
    }

    /// What is known of the tablet of a vertex, and the slot of the vertex: beyond all slots, unless it is of the vertex's
    /// block, or of none.
    #[inline(always)]
    fn near(&self, v: VertexRef) -> (&S, usize) {
        let (row, tablet) = (&self.rows[self.row_of(v)], v.0 as usize % TABLETS);
        let slot = (v.0 ^ row.firsts[tablet]) >> VertexRef::TABLET_BITS;
        (&row.parts[tablet], slot as usize)
    }

    /// What is known of the tablets, if that is of the blocks of all of these vertices, or of none: then the slot of a vertex
    /// is [`slot_of`](crate::model::slot_of) it.
    #[inline(always)]
    fn near_all(&self, vertices: &[VertexRef]) -> Option<&[S; TABLETS]> {
        let row = &self.rows[self.row_of(*vertices.first()?)];
        let Stripes::One(stripe) = row.stripes else { return None };
        let first = u32::from(stripe) * STRIPE_VERTICES;
        let differ = vertices.iter().fold(0, |differ, v| differ | (v.0 ^ first));
        (differ < STRIPE_VERTICES).then_some(&row.parts)
    }

    /// Looks up the sections of all blocks of the stripe of a vertex, but for those that would have to be loaded: one after
    /// another that costs a third of what it costs when each is met. `None` leaves it for later.
    fn fill<'r>(
        &mut self,
        v: VertexRef,
        reader: &'r Reader<'_>,
        mut look_up: impl FnMut(&'r Block) -> Option<(S, O)>,
    ) {
        let Some(stripe) = reader.memory.blocks.stripe(stripe_of(v)) else { return };
        let (first, unknown) = (v.0 & !(STRIPE_VERTICES - 1), self.unknown);
        let row = self.row_of(v);
        let row = &mut self.rows[row];
        for tablet in 0..TABLETS {
            let found = stripe.get(tablet).and_then(&mut look_up);
            row.firsts[tablet] = found.map_or(no_block(tablet), |_| first | tablet as u32);
            (row.parts[tablet], row.others[tablet]) = found.unwrap_or(unknown);
        }
        row.stripes = Stripes::One(stripe_of(v) as u16);
    }

    /// Whether it is known what there is of the block of a vertex.
    #[inline]
    fn knows(&self, v: VertexRef) -> bool {
        let first = self.rows[self.row_of(v)].firsts[v.0 as usize % TABLETS];
        (v.0 ^ first) & BLOCK == 0
    }

    /// The section of a vertex, looked up if it is not one that is known.
    #[inline]
    fn of(&mut self, v: VertexRef, look_up: impl FnOnce() -> (S, O)) -> (S, O) {
        if !self.knows(v) {
            self.learn(v, look_up());
        }
        let (row, tablet) = (&self.rows[self.row_of(v)], v.0 as usize % TABLETS);
        (row.parts[tablet], row.others[tablet])
    }

    /// Notes what was found for the block of a vertex.
    fn learn(&mut self, v: VertexRef, found: (S, O)) {
        let (mut row, tablet) = (self.row_of(v), v.0 as usize % TABLETS);
        if self.rows[row].known(tablet).is_some() {
            self.lost += 1;
            if self.lost > LOST_PER_ROW * self.rows.len() && self.rows.len() < MOST_ROWS {
                self.grow();
                row = self.row_of(v);
            }
        }
        self.rows[row].set(tablet, v.0 & BLOCK, found);
    }

    /// Makes twice as many rows.
    #[cold]
    fn grow(&mut self) {
        let rows = (0..self.rows.len() * 2).map(|_| Row::new(self.unknown)).collect();
        let before = std::mem::replace(&mut self.rows, rows);
        for (tablet, row) in before.iter().flat_map(|row| (0..TABLETS).map(move |tablet| (tablet, row))) {
            if let Some((first, known)) = row.known(tablet) {
                let place = self.row_of(VertexRef(first));
                self.rows[place].set(tablet, first, known);
            }
        }
        self.lost = 0;
    }
}

/// The section in a cell, if there is one; `None` if it would have to be loaded.
fn in_memory<'r, T>(cell: &SectionCell<T>, reader: &'r Reader<'_>) -> Option<Option<&'r T>> {
    match cell.read(reader.memory.cache.account.era(), &reader.guard) {
        SectionState::Loaded(section) => Some(Some(section)),
        SectionState::Empty => Some(None),
        SectionState::Stored => None,
    }
}

/// The first elements, at most so many: a section that were damaged must not have slots that no vertex has.
fn within<T>(elements: &[T], most: usize) -> &[T] {
    elements.get(..most).unwrap_or(elements)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{SLOTS, slot_of};

    #[test]
    fn what_is_known_of_a_block_answers_for_its_vertices_alone() {
        let full = &[7u8; 1024][..];
        let mut blocks = Blocks::new(&[] as &[u8], ());
        let get = |blocks: &Blocks<&[u8], ()>, v: u32| {
            let (parts, slot) = blocks.near(VertexRef(v));
            parts.get(slot).copied()
        };
        let all = [0, 63, 64, 65_535, 65_536, 3 << 16 | 77, u32::MAX, u32::MAX - 63];
        for v in all {
            assert_eq!(get(&blocks, v), None, "nothing is known");
        }
        for known in all {
            blocks.of(VertexRef(known), || (full, ()));
            for v in all.into_iter().chain([known ^ 64, known ^ 1, known ^ 1 << 16, known ^ 1 << 31]) {
                let v = VertexRef(v);
                let same =
                    stripe_of(v) == stripe_of(VertexRef(known)) && v.tablet() == VertexRef(known).tablet();
                if v.tablet() == VertexRef(known).tablet() {
                    assert_eq!(get(&blocks, v.0).is_some(), same, "{known} {v:?}");
                    assert!(!same || blocks.near(v).1 == slot_of(v), "{known} {v:?}");
                }
            }
        }
        let mut asked = 0;
        blocks.of(VertexRef(5), || {
            asked += 1;
            (full, ())
        });
        blocks.of(VertexRef(5 + 64), || unreachable!("it is the same block"));
        assert_eq!(asked, 1);
    }

    #[test]
    fn blocks_of_many_stripes_are_known_at_the_same_time() {
        let full = [7u8; SLOTS];
        let mut blocks = Blocks::new(&[] as &[u8], 0);
        let v = |stripe: u32, tablet: u32| VertexRef(stripe << 16 | 5 << 6 | tablet);
        let mut looked_up = 0;
        for round in 0..20 {
            for stripe in (0..300).step_by(7) {
                for tablet in [0, 1, 40, 63] {
                    let found = blocks.of(v(stripe, tablet), || {
                        looked_up += 1;
                        (&full[..], stripe)
                    });
                    assert_eq!(found.1, stripe, "{tablet} {round}");
                    assert_eq!(blocks.near(v(stripe, tablet)).0.len(), SLOTS);
                    let others = [v(stripe ^ 1, tablet), v(stripe, tablet ^ 2), v(stripe ^ 0x8000, tablet)];
                    for other in others {
                        let (parts, slot) = blocks.near(other);
                        assert_eq!(parts.get(slot), None, "{other:?} is not known");
                    }
                }
            }
        }
        let met = 43 * 4;
        assert!(looked_up < 8 * met, "{looked_up} times something was looked up, for {met} blocks");
        let all = [v(7, 0), v(7, 1), v(7, 40)];
        assert!(blocks.near_all(&all).is_some_and(|parts| parts[40].len() == SLOTS));
        assert!(blocks.near_all(&[v(7, 0), v(14, 1)]).is_none());
        assert!(blocks.near_all(&[]).is_none());
    }

    #[test]
    fn there_is_an_end_to_how_much_is_known() {
        let full = [7u8; SLOTS];
        let mut blocks = Blocks::new(&[] as &[u8], 0);
        for n in 0..200_000_u32 {
            let v = VertexRef(n.wrapping_mul(0x9e37_79b9));
            assert_eq!(blocks.of(v, || (&full[..], v.0 >> 16)).1, v.0 >> 16);
        }
        assert_eq!(blocks.rows.len(), MOST_ROWS);
    }
}
