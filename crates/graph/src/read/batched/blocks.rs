//! Lists of whole blocks, for who goes through all vertices of the graph.

use std::collections::BTreeSet;

use values::VertexRef;

use crate::cells::SectionState;
use crate::model::{
    Dir, EdgeLabelId, STRIPE_VERTICES, Tick, VertexLabelId, adjacency_number, slot_of, stripe_of,
};
use crate::read::few_of_many::FEW_LABELS;
use crate::read::reader::Reader;
use crate::sections::Adjacency;

/// References that were given out to vertices of one label, one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The first of them. The next 65,535 are of the same label.
    pub first: VertexRef,
    /// How many were given out.
    pub len: u32,
    /// The label.
    pub label: VertexLabelId,
}

/// The lists of the vertices of a block along one label, one way. Made by [`Reader::block_lists`].
#[derive(Clone, Copy)]
pub struct BlockLists<'r> {
    /// `None` if all that there may be are a transaction's own edges.
    section: Option<&'r Adjacency>,
    offsets: &'r [u32],
    neighbours: &'r [VertexRef],
    has_trees: bool,
    /// Whether lists may have changes.
    is_changed: bool,
    tick: Tick,
}

impl<'r> BlockLists<'r> {
    /// The neighbours of a vertex of the block, in no order that one may rely on, if they lie together; else [`Reader::list`] has
    /// them.
    #[inline(always)]
    pub fn packed(&self, v: VertexRef) -> Option<&'r [VertexRef]> {
        let slot = slot_of(v);
        let (Some(&start), Some(&end)) = (self.offsets.get(slot), self.offsets.get(slot + 1)) else {
            return self.of_another(slot, &[]);
        };
        let list = self.neighbours.get(start as usize..end as usize).unwrap_or(&[]);
        if self.is_changed || list.is_empty() && self.has_trees {
            self.of_another(slot, list)
        } else {
            Some(list)
        }
    }

    /// Of a vertex whose list may have changes or a tree, or which is newer than the section.
    #[inline(never)]
    fn of_another(&self, slot: usize, list: &'r [VertexRef]) -> Option<&'r [VertexRef]> {
        let section = self.section?;
        (section.delta.visible(slot, self.tick).is_none() && section.tree(slot).is_none()).then_some(list)
    }
}

impl Reader<'_> {
    /// Where all vertices are, ascending. Those of references that were given out and have come to nothing are in it, too.
    pub fn extents(&self) -> Vec<Extent> {
        let extent = |(number, stripe): (usize, &crate::place::Stripe)| {
            let len = stripe.allocated().min(STRIPE_VERTICES);
            Extent { first: VertexRef((number as u32) << 16), len, label: stripe.label }
        };
        self.memory.blocks.iter().map(extent).filter(|extent| extent.len > 0).collect()
    }

    /// Those of some lists, ascending, that vertices of the extent of this one may have edges in. Loads nothing.
    pub fn lists_near(&self, v: VertexRef, lists: &[(Dir, EdgeLabelId)]) -> Vec<(Dir, EdgeLabelId)> {
        if lists.len() > 2 * FEW_LABELS {
            return self.lists_among_many(v, lists);
        }
        let Some(stripe) = self.memory.blocks.stripe(stripe_of(v)).filter(|_| self.own.is_none()) else {
            return lists.to_vec();
        };
        let has_some = |(dir, label): &&(Dir, EdgeLabelId)| {
            let blocks = stripe.tablets().filter_map(|tablet| stripe.get(tablet));
            let mut cells = blocks.filter_map(|block| block.adjacency.get(adjacency_number(*label, *dir)));
            cells.any(|cell| {
                !matches!(cell.read(self.memory.cache.account.era(), &self.guard), SectionState::Empty)
            })
        };
        lists.iter().filter(has_some).copied().collect()
    }

    /// The same, from the sections that are there: they are fewer than the lists.
    fn lists_among_many(&self, v: VertexRef, lists: &[(Dir, EdgeLabelId)]) -> Vec<(Dir, EdgeLabelId)> {
        let mut found = BTreeSet::new();
        if let Some(own) = self.own {
            let first = VertexRef(v.0 & !(STRIPE_VERTICES - 1));
            let last = VertexRef(first.0 | (STRIPE_VERTICES - 1));
            let few = (0..FEW_LABELS as u16).map(EdgeLabelId);
            found.extend(few.flat_map(|label| [(Dir::Out, label), (Dir::In, label)]));
            found.extend(own.overlay.lists_between(first, last));
        }
        if let Some(stripe) = self.memory.blocks.stripe(stripe_of(v)) {
            found.extend(stripe.lists(&self.guard));
        }
        found.into_iter().filter(|list| lists.binary_search(list).is_ok()).collect()
    }

    /// The lists of the vertices of the block that this one is in; `None` if there are none.
    pub fn block_lists(&self, v: VertexRef, label: EdgeLabelId, dir: Dir) -> Option<BlockLists<'_>> {
        let (section, tick) = (self.adjacency(v, label, dir), self.tick);
        if self.own.is_some() {
            let (offsets, neighbours): (&[u32], &[VertexRef]) = (&[], &[]);
            let (has_trees, is_changed) = (true, true);
            return Some(BlockLists { section: None, offsets, neighbours, has_trees, is_changed, tick });
        }
        section.map(|section| BlockLists {
            section: Some(section),
            offsets: section.offsets(),
            neighbours: section.neighbours(),
            has_trees: !section.trees().is_empty(),
            is_changed: !section.delta.is_empty(),
            tick,
        })
    }
}
