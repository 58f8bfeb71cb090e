//! The work of going through all vertices with their edges.
//!
//! ```text
//! extent with edges      │ tablets 0–7 │ tablets 8–15 │ …      lists are read block by block
//! extent without any     │ 0 … 8,191 │ 8,192 … 16,383 │ …     one after another, as their numbers lie
//! ```

use std::sync::Arc;

use graph::{BlockLists, Dir, EdgeLabelId, Extent, Place, Reader, VertexRef};

use super::Ground;
use super::links::Links;
use super::work::{Gone, Work};
use crate::error::QueryError;
use crate::quota::Quota;

/// Tablets of a piece: their numbers share cache lines with each other and with nobody else's.
const TABLETS_OF_PIECE: u32 = 8;

/// Slots between two looks at the clock, each with a vertex of every tablet of the piece.
const BETWEEN_LOOKS: u32 = 8;

/// References of an extent.
const EXTENT: u32 = 1 << 16;

/// Vertices of a piece of an extent without edges, and between two looks at the clock.
const ROW: u32 = 1 << 13;
const ROW_BETWEEN_LOOKS: u32 = 1 << 9;

/// What is done with each vertex.
pub(super) trait Visit: Send + Sync + 'static {
    /// What whoever goes through a piece keeps: of the vertex, and of the piece.
    type Own: Send + Default;

    /// Whether vertices without edges are of no interest: those of an extent that has none at all may be left out.
    const OF_EDGES: bool = false;

    /// Begins with a vertex; whether its edges are wanted, and the end of it.
    fn begin(&self, own: &mut Self::Own, v: VertexRef, place: usize, reader: &Reader<'_>) -> bool;

    /// Some of its edges lead to these.
    fn along(&self, own: &mut Self::Own, ends: &[VertexRef]);

    /// Whether the rest of its edges is of no interest.
    #[inline(always)]
    fn has_enough(&self, _: &Self::Own) -> bool {
        false
    }

    /// That was all of it.
    fn end(&self, own: &mut Self::Own, v: VertexRef, place: usize, reader: &Reader<'_>);
}

/// Goes through all vertices, with the edges of some links or without.
pub(super) struct Sweep<V: Visit> {
    visit: V,
    links: Option<Arc<Links>>,
    /// By extent: the lists that its vertices may have edges in.
    lists: Vec<Vec<(Dir, EdgeLabelId)>>,
    pieces: Vec<Part>,
}

/// What a piece consists of.
#[derive(Clone, Copy)]
struct Part {
    extent: u32,
    of: Of,
}

#[derive(Clone, Copy)]
enum Of {
    /// Tablets, from this one on.
    Tablets(u32),
    /// Vertices that have no edges to be read from the graph, from this one of the extent on.
    Row(u32),
}

impl<V: Visit> Sweep<V> {
    pub(super) fn new(visit: V, links: Option<&Arc<Links>>, ground: &Ground) -> Self {
        let (reader, extents) = (ground.snapshot.reader(), ground.places.extents());
        let all = links.map_or(Vec::new(), |links| links.lists());
        let lists: Vec<_> = extents.iter().map(|extent| reader.lists_near(extent.first, &all)).collect();
        let leaves_out = V::OF_EDGES && matches!(links.map(|links| &**links), Some(Links::Stored { .. }));
        let with_pieces =
            (0..).zip(extents).zip(&lists).filter(|(_, lists)| !(leaves_out && lists.is_empty()));
        let pieces = with_pieces.flat_map(|((extent, range), lists)| {
            let (len, step) = match lists.is_empty() {
                true => (range.len, ROW),
                false => (range.len.min(VertexRef::TABLETS), TABLETS_OF_PIECE),
            };
            let of = if lists.is_empty() { Of::Row } else { Of::Tablets };
            (0..len).step_by(step as usize).map(move |first| Part { extent, of: of(first) })
        });
        Self { visit, pieces: pieces.collect(), lists, links: links.cloned() }
    }
}

/// Where somebody stands in a piece: the vertices of one slot of all its tablets come after each other, as their places do.
#[derive(Clone, Default)]
struct At {
    /// In a row: how many are done.
    done: u32,
    slot: u32,
    tablet: u32,
    /// Whether the vertex has begun, and which of its lists is next, from where on.
    has_begun: bool,
    list: usize,
    place: Place,
}

/// A piece under way.
pub(super) struct Sweeping<O> {
    part: Part,
    at: At,
    own: O,
}

/// The lists of one block.
type BlockOf<'r> = Vec<(BlockLists<'r>, Dir, EdgeLabelId)>;

impl<V: Visit> Work for Sweep<V> {
    type Piece = Sweeping<V::Own>;
    type Report = V::Own;

    fn pieces(&self) -> usize {
        self.pieces.len()
    }

    fn begin(&self, piece: usize, _: &Ground) -> Result<Self::Piece, QueryError> {
        Ok(Sweeping { part: self.pieces[piece], at: At::default(), own: V::Own::default() })
    }

    fn go_on(
        &self,
        piece: &mut Self::Piece,
        ground: &Ground,
        quota: &Quota<'_>,
    ) -> Result<Gone<Self::Report>, QueryError> {
        let reader = ground.snapshot.reader();
        let Part { extent: number, of } = piece.part;
        let extent = ground.places.extents()[number as usize];
        // Their own while they are worked with, so that they stay in registers.
        let (mut at, mut own) = (std::mem::take(&mut piece.at), std::mem::take(&mut piece.own));
        let has_ended = match of {
            Of::Tablets(first_tablet) => {
                let first = VertexRef(extent.first.0 | first_tablet);
                let blocks: Vec<BlockOf<'_>> = (0..TABLETS_OF_PIECE.min(extent.len - first_tablet))
                    .map(|tablet| {
                        lists_of(&self.lists[number as usize], VertexRef(first.0 | tablet), &reader)
                    })
                    .collect();
                let base = ground.places.of_vertex(first);
                let place = (extent, first_tablet, base);
                self.go_through(&blocks, place, (&mut at, &mut own), (&reader, quota))
            }
            Of::Row(first) => {
                let base = ground.places.of_vertex(extent.first);
                self.go_along_row((extent, first, base), (&mut at, &mut own), (&reader, quota))
            }
        };
        if has_ended {
            return Ok(Gone::Ended(own));
        }
        (piece.at, piece.own) = (at, own);
        Ok(Gone::On)
    }
}

fn lists_of<'r>(lists: &[(Dir, EdgeLabelId)], first: VertexRef, reader: &'r Reader<'_>) -> BlockOf<'r> {
    let some = |(dir, label): &(Dir, EdgeLabelId)| {
        reader.block_lists(first, *label, *dir).map(|lists| (lists, *dir, *label))
    };
    lists.iter().filter_map(some).collect()
}

impl<V: Visit> Sweep<V> {
    /// Goes through the blocks of a piece; whether all of them are done.
    #[inline]
    fn go_through(
        &self,
        blocks: &[BlockOf<'_>],
        (extent, first_tablet, base): (Extent, u32, usize),
        (at, own): (&mut At, &mut V::Own),
        (reader, quota): (&Reader<'_>, &Quota<'_>),
    ) -> bool {
        loop {
            let offset = at.slot << VertexRef::TABLET_BITS;
            while let Some(lists) = blocks.get(at.tablet as usize) {
                let of_extent = offset + first_tablet + at.tablet;
                if of_extent >= extent.len {
                    return true;
                }
                let (v, place) =
                    (VertexRef(extent.first.0 + of_extent), base + (offset + at.tablet) as usize);
                if at.has_begun || self.visit.begin(own, v, place, reader) {
                    at.has_begun = true;
                    if !self.go_along(v, lists, at, own, (reader, quota)) {
                        return false;
                    }
                    self.visit.end(own, v, place, reader);
                }
                at.tablet += 1;
                (at.has_begun, at.list) = (false, 0);
            }
            (at.slot, at.tablet) = (at.slot + 1, 0);
            if at.slot << VertexRef::TABLET_BITS >= EXTENT {
                return true;
            }
            if at.slot.is_multiple_of(BETWEEN_LOOKS) && quota.is_spent() {
                return false;
            }
        }
    }

    /// Goes through a row; whether all of it is done.
    #[inline]
    fn go_along_row(
        &self,
        (extent, first, base): (Extent, u32, usize),
        (at, own): (&mut At, &mut V::Own),
        (reader, quota): (&Reader<'_>, &Quota<'_>),
    ) -> bool {
        let len = ROW.min(extent.len - first);
        while at.done < len {
            let until = len.min(at.done + ROW_BETWEEN_LOOKS);
            for of_extent in first + at.done..first + until {
                let (v, place) = (VertexRef(extent.first.0 + of_extent), base + of_extent as usize);
                if self.visit.begin(own, v, place, reader) {
                    if let Some(Links::Kept(kept)) = self.links.as_deref() {
                        self.visit.along(own, kept.ends(place));
                    }
                    self.visit.end(own, v, place, reader);
                }
            }
            at.done = until;
            if quota.is_spent() {
                return at.done == len;
            }
        }
        true
    }

    /// Follows the edges of a vertex; whether all of them are done.
    #[inline(always)]
    fn go_along(
        &self,
        v: VertexRef,
        lists: &BlockOf<'_>,
        at: &mut At,
        own: &mut V::Own,
        (reader, quota): (&Reader<'_>, &Quota<'_>),
    ) -> bool {
        while let Some((lists, dir, label)) = lists.get(at.list) {
            match lists.packed(v) {
                Some([]) => {}
                Some(ends) => self.visit.along(own, ends),
                None => {
                    if !self.go_along_tree((v, *label, *dir), at, own, reader, quota) {
                        return false;
                    }
                }
            }
            if self.visit.has_enough(own) {
                return true;
            }
            at.list += 1;
        }
        true
    }

    /// Follows a list that does not lie together, a run at a time.
    fn go_along_tree(
        &self,
        (v, label, dir): (VertexRef, EdgeLabelId, Dir),
        at: &mut At,
        own: &mut V::Own,
        reader: &Reader<'_>,
        quota: &Quota<'_>,
    ) -> bool {
        loop {
            let run = reader.run(v, label, dir, &mut at.place);
            let from = at.place.position.saturating_sub(run.first());
            let ends = run.neighbours().get(from..).unwrap_or(&[]);
            self.visit.along(own, ends);
            if ends.is_empty() || run.end() >= run.total() || self.visit.has_enough(own) {
                at.place = Place::default();
                return true;
            }
            at.place.position = run.end();
            if quota.is_spent() {
                return false;
            }
        }
    }
}
