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

mod degrees;
mod lists;
mod properties;

pub use degrees::Degrees;
pub use lists::Lists;
pub use properties::{PropertyColumn, Single};

use values::VertexRef;

use crate::Reader;
use crate::block::{Block, TABLETS, stripe_of};
use crate::memory::{SectionCell, SectionState};

/// The bits of a reference that say which block it is in.
const BLOCK: u32 = 0xffff_0000 | (TABLETS as u32 - 1);

/// What is known of the sections of one kind, a block of each tablet.
struct Blocks<S> {
    entries: Box<[Known<S>; TABLETS]>,
}

/// Parts of the section of a block.
#[derive(Clone, Copy)]
struct Known<S> {
    /// The first vertex of the block; of no block of this tablet if there is none yet.
    first: u32,
    parts: S,
}

impl<S: Copy> Blocks<S> {
    /// Nothing is known. `unknown` must have no slot.
    fn new(unknown: S) -> Self {
        // A tablet is never its own complement, so these are first vertices of other tablets' blocks.
        let unknown = |tablet: u32| Known { first: !tablet, parts: unknown };
        let entries: Box<[Known<S>]> = (0..TABLETS as u32).map(unknown).collect();
        Self { entries: entries.try_into().unwrap_or_else(|_| unreachable!("there are as many")) }
    }

    /// What is known of the tablet of a vertex, and the slot of the vertex: beyond all slots, unless it is of the vertex's
    /// block, or of none.
    #[inline(always)]
    fn near(&self, v: VertexRef) -> (&S, usize) {
        let Known { first, parts } = &self.entries[v.0 as usize % TABLETS];
        (parts, ((v.0 ^ first) >> VertexRef::TABLET_BITS) as usize)
    }

    /// Looks up the sections of all blocks of the stripe of a vertex, but for those that would have to be loaded: one after
    /// another that costs a third of what it costs when each is met. `None` leaves it for later.
    fn fill<'r>(&mut self, v: VertexRef, reader: &'r Reader<'_>, look_up: impl Fn(&'r Block) -> Option<S>) {
        let Some(stripe) = reader.core.blocks.stripe(stripe_of(v)) else { return };
        for (tablet, known) in self.entries.iter_mut().enumerate() {
            if let Some(parts) = look_up(stripe.block(tablet)) {
                *known = Known { first: v.0 & 0xffff_0000 | tablet as u32, parts };
            }
        }
    }

    /// The section of a vertex, looked up if it is not the one that is known.
    #[inline]
    fn of(&mut self, v: VertexRef, look_up: impl FnOnce() -> S) -> S {
        let known = &mut self.entries[v.0 as usize % TABLETS];
        if (v.0 ^ known.first) & BLOCK != 0 {
            *known = Known { first: v.0 & BLOCK, parts: look_up() };
        }
        known.parts
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
        let mut blocks = Blocks::new(&[] as &[u8]);
        let get = |blocks: &Blocks<&[u8]>, v: u32| {
            let (parts, slot) = blocks.near(VertexRef(v));
            parts.get(slot).copied()
        };
        let all = [0, 63, 64, 65_535, 65_536, 3 << 16 | 77, u32::MAX, u32::MAX - 63];
        for v in all {
            assert_eq!(get(&blocks, v), None, "nothing is known");
        }
        for known in all {
            blocks.of(VertexRef(known), || full);
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
            full
        });
        blocks.of(VertexRef(5 + 64), || unreachable!("it is the same block"));
        assert_eq!(asked, 1);
    }
}
