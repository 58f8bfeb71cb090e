//! Reads of one kind of section for the many vertices of a batch.
//!
//! A read of one vertex walks stripe, block, cell and section. The vertices of a batch mostly lie in the 64 blocks of
//! one stripe, so these steps are taken once per block, and what is needed of its section is remembered by tablet:
//!
//! ```text
//! vertex ─▶ tablet ─▶ │ block, ● │ block, ● │ –, · │ block, ● │ …   64 entries, filled as blocks are met
//!                              │
//!                              └─▶ parts of the section ─▶ slot
//! ```
//!
//! Whether an entry is of the block of a vertex need not be asked: the bits in which the vertex differs from the block
//! are its slot, and if it is another block, a number beyond all slots, which the check of bounds refuses that there must
//! be anyway. What is not known is an empty slice and refused by the same check. So a lookup costs one branch.
//!
//! Where all entries are of one stripe and all vertices are in it, which is found out for sixteen vertices in the time of
//! one lookup, the blocks need not even be compared: the slot is some bits of the vertex.

mod degree_cache;
mod degrees;
mod ends;
mod lists;
mod properties;

pub use degree_cache::DegreeCache;
pub use degrees::Degrees;
pub use ends::Ends;
pub(crate) use ends::Stripes;
pub use lists::Lists;
pub use properties::{PropertyColumn, Single};

use values::VertexRef;

use crate::Reader;
use crate::block::{Block, STRIPE_VERTICES, TABLETS, stripe_of};
use crate::memory::{SectionCell, SectionState};

/// The bits of a reference that say which block it is in.
const BLOCK: u32 = 0xffff_0000 | (TABLETS as u32 - 1);

/// What is known of the sections of one kind, a block of each tablet: of each `S`, what most lookups need, and `O`, what
/// the others need.
///
/// ```text
/// tablet        0         1         2       …  63
/// parts     │ slices  │ slices  │ slices  │ …         together, so that a lookup computes one address
/// others    │ section │ section │ section │ …
/// firsts    │ vertex  │ vertex  │ ~tablet │ …         the first vertex of the block; of no block of this tablet if none
/// ```
struct Blocks<S, O> {
    tables: Box<Tables<S, O>>,
    /// The first vertex of the stripe that all known blocks are of, if they are all of one.
    stripe: Option<u32>,
    unknown: (S, O),
}

struct Tables<S, O> {
    parts: [S; TABLETS],
    others: [O; TABLETS],
    firsts: [u32; TABLETS],
}

impl<S: Copy, O: Copy> Blocks<S, O> {
    /// Nothing is known. `unknown` must have no slot.
    fn new(unknown: S, other: O) -> Self {
        // A tablet is never its own complement, so these are first vertices of other tablets' blocks.
        let firsts = std::array::from_fn(|tablet| !(tablet as u32));
        let tables = Box::new(Tables { parts: [unknown; TABLETS], others: [other; TABLETS], firsts });
        Self { tables, stripe: None, unknown: (unknown, other) }
    }

    /// What is known of the tablet of a vertex, and the slot of the vertex: beyond all slots, unless it is of the vertex's
    /// block, or of none.
    #[inline(always)]
    fn near(&self, v: VertexRef) -> (&S, usize) {
        let tablet = v.0 as usize % TABLETS;
        let slot = (v.0 ^ self.tables.firsts[tablet]) >> VertexRef::TABLET_BITS;
        (&self.tables.parts[tablet], slot as usize)
    }

    /// What is known of the tablets, if that is of the blocks of all of these vertices, or of none: then the slot of a vertex
    /// is [`slot_of`] it.
    #[inline(always)]
    fn near_all(&self, vertices: &[VertexRef]) -> Option<&[S; TABLETS]> {
        let first = self.stripe?;
        let differ = vertices.iter().fold(0, |differ, v| differ | (v.0 ^ first));
        (differ < STRIPE_VERTICES).then_some(&self.tables.parts)
    }

    /// Looks up the sections of all blocks of the stripe of a vertex, but for those that would have to be loaded: one after
    /// another that costs a third of what it costs when each is met. `None` leaves it for later.
    fn fill<'r>(
        &mut self,
        v: VertexRef,
        reader: &'r Reader<'_>,
        mut look_up: impl FnMut(&'r Block) -> Option<(S, O)>,
    ) {
        let Some(stripe) = reader.core.blocks.stripe(stripe_of(v)) else { return };
        let first = v.0 & !(STRIPE_VERTICES - 1);
        for tablet in 0..TABLETS {
            let found = look_up(stripe.block(tablet));
            self.set(
                tablet,
                found.map_or(!(tablet as u32), |_| first | tablet as u32),
                found.unwrap_or(self.unknown),
            );
        }
        self.stripe = Some(first);
    }

    fn set(&mut self, tablet: usize, first: u32, (parts, other): (S, O)) {
        self.tables.firsts[tablet] = first;
        self.tables.parts[tablet] = parts;
        self.tables.others[tablet] = other;
    }

    /// Whether it is known what there is of the block of a vertex.
    #[inline]
    fn knows(&self, v: VertexRef) -> bool {
        (v.0 ^ self.tables.firsts[v.0 as usize % TABLETS]) & BLOCK == 0
    }

    /// The section of a vertex, looked up if it is not the one that is known.
    #[inline]
    fn of(&mut self, v: VertexRef, look_up: impl FnOnce() -> (S, O)) -> (S, O) {
        let tablet = v.0 as usize % TABLETS;
        if !self.knows(v) {
            let found = look_up();
            self.set(tablet, v.0 & BLOCK, found);
            self.stripe = self.stripe.filter(|first| v.0 ^ first < STRIPE_VERTICES);
        }
        (self.tables.parts[tablet], self.tables.others[tablet])
    }
}

/// The section in a cell, if there is one; `None` if it would have to be loaded.
fn in_memory<'r, T>(cell: &SectionCell<T>, reader: &'r Reader<'_>) -> Option<Option<&'r T>> {
    match cell.read(reader.core.cache.account.era(), &reader.guard) {
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
    use crate::block::{slot_of, stripe_of};

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
}
