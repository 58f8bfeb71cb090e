//! The work of going through all vertices with their edges.

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

/// What is done with each vertex.
pub(super) trait Visit: Send + Sync + 'static {
    /// What whoever goes through a piece keeps: of the vertex, and of the piece.
    type Own: Send + Default;

    /// Begins with a vertex; whether its edges are wanted, and the end of it.
    fn begin(&self, own: &mut Self::Own, v: VertexRef, place: usize, reader: &Reader<'_>) -> bool;

    /// Some of its edges lead to these.
    fn along(&self, own: &mut Self::Own, ends: &[VertexRef]);

    /// That was all of it.
    fn end(&self, own: &mut Self::Own, v: VertexRef, place: usize, reader: &Reader<'_>);
}

/// Goes through all vertices, with the edges of some links or without.
pub(super) struct Sweep<V: Visit> {
    visit: V,
    links: Option<Arc<Links>>,
    lists: Vec<(Dir, EdgeLabelId)>,
    /// The extent and first tablet of each piece.
    pieces: Vec<(u32, u32)>,
}

impl<V: Visit> Sweep<V> {
    pub(super) fn new(visit: V, links: Option<&Arc<Links>>, ground: &Ground) -> Self {
        let firsts = (0..VertexRef::TABLETS).step_by(TABLETS_OF_PIECE as usize);
        let pieces = (0..ground.places.extents().len() as u32)
            .flat_map(|extent| firsts.clone().map(move |first| (extent, first)))
            .filter(|(extent, first)| *first < ground.places.extents()[*extent as usize].len);
        let lists = links.map_or(Vec::new(), |links| links.lists());
        Self { visit, lists, pieces: pieces.collect(), links: links.cloned() }
    }
}

/// Where somebody stands in a piece: the vertices of one slot of all its tablets come after each other, as their places do.
#[derive(Clone, Default)]
struct At {
    slot: u32,
    tablet: u32,
    /// Whether the vertex has begun, and which of its lists is next, from where on.
    has_begun: bool,
    list: usize,
    place: Place,
}

/// A piece under way.
pub(super) struct Sweeping<O> {
    extent: u32,
    first_tablet: u32,
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
        let (extent, first_tablet) = self.pieces[piece];
        Ok(Sweeping { extent, first_tablet, at: At::default(), own: V::Own::default() })
    }

    fn go_on(
        &self,
        piece: &mut Self::Piece,
        ground: &Ground,
        quota: &Quota<'_>,
    ) -> Result<Gone<Self::Report>, QueryError> {
        let reader = ground.snapshot.reader();
        let extent = ground.places.extents()[piece.extent as usize];
        let first = extent.first.0 | piece.first_tablet;
        let blocks: Vec<BlockOf<'_>> = (0..TABLETS_OF_PIECE.min(extent.len - piece.first_tablet))
            .map(|tablet| self.lists_of(VertexRef(first | tablet), &reader))
            .collect();
        let base = ground.places.of_vertex(VertexRef(first));
        // Their own while they are worked with, so that they stay in registers.
        let (mut at, mut own) = (std::mem::take(&mut piece.at), std::mem::take(&mut piece.own));
        let has_ended = self.go_through(
            &blocks,
            (extent, piece.first_tablet, base),
            (&mut at, &mut own),
            (&reader, quota),
        );
        if has_ended {
            return Ok(Gone::Ended(own));
        }
        (piece.at, piece.own) = (at, own);
        Ok(Gone::On)
    }
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
                    if !self.go_along((v, place), lists, at, own, (reader, quota)) {
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

    fn lists_of<'r>(&self, first: VertexRef, reader: &'r Reader<'_>) -> BlockOf<'r> {
        let some = |(dir, label): &(Dir, EdgeLabelId)| {
            reader.block_lists(first, *label, *dir).map(|lists| (lists, *dir, *label))
        };
        self.lists.iter().filter_map(some).collect()
    }

    /// Follows the edges of a vertex; whether all of them are done.
    #[inline(always)]
    fn go_along(
        &self,
        (v, place): (VertexRef, usize),
        lists: &BlockOf<'_>,
        at: &mut At,
        own: &mut V::Own,
        (reader, quota): (&Reader<'_>, &Quota<'_>),
    ) -> bool {
        if let Some(Links::Kept(kept)) = self.links.as_deref() {
            self.visit.along(own, kept.ends(place));
            return true;
        }
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
            if ends.is_empty() || run.end() >= run.total() {
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
