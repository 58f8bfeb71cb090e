//! Lengths of lists.

use values::VertexRef;

use super::{Blocks, in_memory, within};
use crate::model::{Dir, EdgeLabelId, SLOTS, TABLETS, adjacency_number, slot_of};
use crate::read::reader::Reader;
use crate::sections::Adjacency;

/// Degrees along one edge label, one way. Made by [`Reader::degrees`].
pub struct Degrees<'r> {
    pub(super) reader: &'r Reader<'r>,
    label: EdgeLabelId,
    dir: Dir,
    /// The offsets of a block's lists if they say all, and the section.
    pub(super) blocks: Blocks<&'r [u32], Option<&'r Adjacency>>,
}

/// What is kept of a section.
fn parts(section: Option<&Adjacency>, has_own: bool) -> (&[u32], Option<&Adjacency>) {
    let plain = section.filter(|s| !has_own && s.delta.is_empty() && s.trees().is_empty());
    (plain.map_or(&[], |section| within(section.offsets(), SLOTS + 1)), section)
}

impl<'r> Degrees<'r> {
    /// Adds the numbers of edges of vertices to `degrees`.
    pub fn add_to(&mut self, vertices: &[VertexRef], degrees: &mut [u64]) {
        for (&v, degree) in vertices.iter().zip(degrees) {
            *degree += self.of(v);
        }
    }

    /// The numbers of edges of vertices, all together.
    pub fn sum(&mut self, vertices: &[VertexRef]) -> u64 {
        let (mut sum, mut rest) = (0, vertices);
        if let Some(known) = self.blocks.near_all(vertices) {
            let mut looked_at = 0;
            for &v in vertices {
                let slot = slot_of(v);
                let Some(&[start, end]) = known[v.0 as usize % TABLETS].get(slot..slot + 2) else { break };
                sum += u64::from(end - start);
                looked_at += 1;
            }
            rest = &vertices[looked_at..];
        }
        rest.iter().fold(sum, |sum, &v| sum + self.of(v))
    }

    /// Makes ready for many vertices, most of which are in the stripe of this one.
    pub fn expect_many_near(&mut self, v: VertexRef) {
        let Self { reader, label, dir, blocks } = self;
        let reader: &'r Reader<'r> = reader;
        let number = adjacency_number(*label, *dir);
        blocks.fill(v, reader, |block| {
            let section = block.adjacency.get(number).map_or(Some(None), |cell| in_memory(cell, reader))?;
            Some(parts(section, reader.own.is_some()))
        });
    }

    /// The number of edges of a vertex.
    #[inline(always)]
    pub(super) fn of(&mut self, v: VertexRef) -> u64 {
        let (offsets, slot) = self.blocks.near(v);
        match (offsets.get(slot + 1), offsets.get(slot)) {
            (Some(end), Some(start)) => u64::from(end - start),
            _ => self.of_another(v),
        }
    }

    /// Of a vertex whose block is not known, has changes or trees, or ends before it.
    #[inline(never)]
    fn of_another(&mut self, v: VertexRef) -> u64 {
        let Self { reader, label, dir, blocks } = self;
        let reader: &'r Reader<'r> = reader;
        let look_up = || parts(reader.adjacency(v, *label, *dir), reader.own.is_some());
        match blocks.of(v, look_up).1 {
            Some(section) if reader.own.is_none() => {
                let (start, end) = section.base_range(slot_of(v));
                match section.is_plain((start, end)) {
                    true => (end - start) as u64,
                    false => reader.list_len(v, *label, *dir),
                }
            }
            None if reader.own.is_none() => 0,
            _ => reader.list_len(v, *label, *dir),
        }
    }
}

impl Reader<'_> {
    /// Degrees along one edge label, one way, for many vertices.
    pub fn degrees(&self, label: EdgeLabelId, dir: Dir) -> Degrees<'_> {
        Degrees { reader: self, label, dir, blocks: Blocks::new(&[], None) }
    }
}
