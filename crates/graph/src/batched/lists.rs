//! Lists that lie packed in a section.

use values::VertexRef;

use super::{Blocks, in_memory, within};
use crate::block::{adjacency_number, slot_of};
use crate::memory::prefetch;
use crate::section::{Adjacency, SLOTS};
use crate::{Dir, EdgeLabelId, Reader};

/// Neighbours along one edge label, one way. Made by [`Reader::lists`].
pub struct Lists<'r> {
    reader: &'r Reader<'r>,
    label: EdgeLabelId,
    dir: Dir,
    blocks: Blocks<Packed<'r>>,
}

/// Where the lists of a block are.
#[derive(Clone, Copy)]
struct Packed<'r> {
    /// If there are no changes.
    offsets: &'r [u32],
    neighbours: &'r [VertexRef],
    section: Option<&'r Adjacency>,
}

impl<'r> Packed<'r> {
    const NONE: Self = Self { offsets: &[], neighbours: &[], section: None };

    fn of(section: Option<&'r Adjacency>, has_own: bool) -> Self {
        let Some(section) = section else { return Self::NONE };
        let is_plain = !has_own && section.delta.is_empty();
        Self {
            offsets: if is_plain { within(section.offsets(), SLOTS + 1) } else { &[] },
            neighbours: section.neighbours(),
            section: Some(section),
        }
    }
}

impl<'r> Lists<'r> {
    /// The neighbours of a vertex, if they lie together as they are in its section; else [`Reader::run`] has them.
    #[inline(always)]
    pub fn packed(&mut self, v: VertexRef) -> Option<&'r [VertexRef]> {
        let (Packed { offsets, neighbours, .. }, slot) = self.blocks.near(v);
        if let (Some(&end), Some(&start)) = (offsets.get(slot + 1), offsets.get(slot))
            && let Some(list) = neighbours.get(start as usize..end as usize)
            // One without edges may have a tree.
            && !list.is_empty()
        {
            return Some(list);
        }
        self.of_another(v)
    }

    /// Of a vertex whose block is not known, has changes, or ends before it, or whose list is empty.
    #[inline(never)]
    fn of_another(&mut self, v: VertexRef) -> Option<&'r [VertexRef]> {
        let Self { reader, label, dir, blocks } = self;
        let reader: &'r Reader<'r> = reader;
        let parts = blocks.of(v, || Packed::of(reader.adjacency(v, *label, *dir), reader.own.is_some()));
        if reader.own.is_some() {
            return None;
        }
        let Some(section) = parts.section else { return Some(&[]) };
        let slot = slot_of(v);
        let (start, end) = section.base_range(slot);
        let is_packed = section.is_plain((start, end))
            || (section.delta.visible(slot, reader.tick).is_none() && section.tree(slot).is_none());
        is_packed.then(|| &section.neighbours()[start..end])
    }

    /// Makes ready for many vertices, most of which are in the stripe of this one.
    pub fn expect_many_near(&mut self, v: VertexRef) {
        let Self { reader, label, dir, blocks } = self;
        let reader: &'r Reader<'r> = reader;
        let number = adjacency_number(*label, *dir);
        blocks.fill(v, reader, |block| {
            let section = block.adjacency.get(number).map_or(Some(None), |cell| in_memory(cell, reader))?;
            Some(Packed::of(section, reader.own.is_some()))
        });
    }

    /// Has the processor fetch the beginning of the list of a vertex that will be asked for soon.
    #[inline(always)]
    pub fn expect(&self, v: VertexRef) {
        let (Packed { offsets, neighbours, .. }, slot) = self.blocks.near(v);
        if let Some(&start) = offsets.get(slot) {
            prefetch(neighbours, start as usize);
            prefetch(neighbours, start as usize + LINE);
        }
    }
}

/// References in a cache line.
const LINE: usize = 64 / size_of::<VertexRef>();

impl Reader<'_> {
    /// Lists along one edge label, one way, for many vertices.
    pub fn lists(&self, label: EdgeLabelId, dir: Dir) -> Lists<'_> {
        Lists { reader: self, label, dir, blocks: Blocks::new(Packed::NONE) }
    }
}
