//! Lists that lie packed in a section.

use values::VertexRef;

use super::ends::Ends;
use super::{Blocks, in_memory, within};
use crate::cells::prefetch;
use crate::model::{Dir, EdgeLabelId, SLOTS, adjacency_number, slot_of};
use crate::read::reader::Reader;
use crate::sections::{Adjacency, Stripes};

/// Neighbours along one edge label, one way. Made by [`Reader::lists`].
pub struct Lists<'r> {
    reader: &'r Reader<'r>,
    label: EdgeLabelId,
    dir: Dir,
    blocks: Blocks<Packed<'r>, Option<&'r Adjacency>>,
    /// Where all of the lists lead that were looked up.
    ends: Stripes,
}

/// Where the lists of a block are.
#[derive(Clone, Copy)]
struct Packed<'r> {
    /// If there are no changes.
    offsets: &'r [u32],
    neighbours: &'r [VertexRef],
}

impl<'r> Packed<'r> {
    const NONE: Self = Self { offsets: &[], neighbours: &[] };

    /// Of a section, whose lists lead to `ends`, too.
    fn of(
        section: Option<&'r Adjacency>,
        has_own: bool,
        ends: &mut Stripes,
    ) -> (Self, Option<&'r Adjacency>) {
        *ends = ends.and(section.map_or(Stripes::None, |section| section.ends));
        let plain = section.filter(|section| !has_own && section.delta.is_empty());
        let parts = plain.map_or(Self::NONE, |section| Self {
            offsets: within(section.offsets(), SLOTS + 1),
            neighbours: section.neighbours(),
        });
        (parts, section)
    }
}

impl<'r> Lists<'r> {
    /// The neighbours of a vertex, if they lie together as they are in its section; else [`Reader::run`] has them.
    #[inline(always)]
    pub fn packed(&mut self, v: VertexRef) -> Option<Ends<'r>> {
        let list = self.slice(v)?;
        let stripe = match self.ends {
            Stripes::One(stripe) => Some(stripe),
            Stripes::None | Stripes::Several => None,
        };
        Some(Ends::new(list, stripe))
    }

    #[inline(always)]
    fn slice(&mut self, v: VertexRef) -> Option<&'r [VertexRef]> {
        let (Packed { offsets, neighbours }, slot) = self.blocks.near(v);
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
        let Self { reader, label, dir, blocks, ends } = self;
        let reader: &'r Reader<'r> = reader;
        let (_, section) =
            blocks.of(v, || Packed::of(reader.adjacency(v, *label, *dir), reader.own.is_some(), ends));
        if reader.own.is_some() {
            return None;
        }
        let Some(section) = section else { return Some(&[]) };
        let slot = slot_of(v);
        let (start, end) = section.base_range(slot);
        let lies_so = || reader.order_of(section, *label) == section.order;
        let is_packed = section.is_plain((start, end))
            || (section.delta.visible(slot, reader.tick).is_none()
                && section.tree(slot).is_none()
                && lies_so());
        is_packed.then(|| &section.neighbours()[start..end])
    }

    /// Makes ready for many vertices, most of which are in the stripe of this one.
    pub fn expect_many_near(&mut self, v: VertexRef) {
        let Self { reader, label, dir, blocks, ends } = self;
        let reader: &'r Reader<'r> = reader;
        let number = adjacency_number(*label, *dir);
        blocks.fill(v, reader, |block| {
            let section = block.adjacency.get(number).map_or(Some(None), |cell| in_memory(cell, reader))?;
            Some(Packed::of(section, reader.own.is_some(), ends))
        });
    }

    /// Has the processor fetch the beginning of the list of a vertex that will be asked for soon. Loads no section.
    #[inline(always)]
    pub fn expect(&mut self, v: VertexRef) {
        let (Packed { offsets, neighbours }, slot) = self.blocks.near(v);
        match offsets.get(slot) {
            Some(&start) => {
                prefetch(neighbours, start as usize);
                prefetch(neighbours, start as usize + LINE);
            }
            None => self.expect_another(v),
        }
    }

    /// Of a vertex whose block is not known.
    #[inline(never)]
    fn expect_another(&mut self, v: VertexRef) {
        let Self { reader, label, dir, blocks, ends } = self;
        let reader: &'r Reader<'r> = reader;
        if blocks.knows(v) {
            return;
        }
        let cell = reader
            .memory
            .blocks
            .block(v)
            .and_then(|block| block.adjacency.get(adjacency_number(*label, *dir)));
        if let Some(Some(section)) = cell.and_then(|cell| in_memory(cell, reader)) {
            let (parts, _) = blocks.of(v, || Packed::of(Some(section), reader.own.is_some(), ends));
            let Packed { offsets, neighbours } = parts;
            if let Some(&start) = offsets.get(slot_of(v)) {
                prefetch(neighbours, start as usize);
                prefetch(neighbours, start as usize + LINE);
            }
        }
    }
}

/// References in a cache line.
const LINE: usize = 64 / size_of::<VertexRef>();

impl Reader<'_> {
    /// Lists along one edge label, one way, for many vertices.
    pub fn lists(&self, label: EdgeLabelId, dir: Dir) -> Lists<'_> {
        Lists { reader: self, label, dir, blocks: Blocks::new(Packed::NONE, None), ends: Stripes::None }
    }
}
