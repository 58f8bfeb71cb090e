//! Which vertices there are, and how many edges each has.

use std::sync::Arc;

use graph::{Reader, VertexRef};

use super::Ground;
use super::numbers::Numbers;
use super::sweep::Visit;

/// Stands for the number of edges of a vertex that is not there.
const ABSENT: u32 = u32::MAX;

/// The number of edges of each vertex, if it is there.
#[derive(Debug)]
pub(super) struct Members {
    degrees: Numbers,
    /// Whether edges may lead to vertices that there are in the graph and not to the algorithm.
    are_some: bool,
}

impl Members {
    /// Bytes of so many.
    pub(super) const BYTES: usize = Numbers::BYTES;

    pub(super) fn none(ground: &Ground) -> Arc<Self> {
        let degrees = Numbers::all(ABSENT, ground.places.len());
        Arc::new(Self { degrees, are_some: ground.within.is_some() })
    }

    /// How many edges the vertex at a place has, if there is one.
    #[inline(always)]
    pub(super) fn degree(&self, place: usize) -> Option<u32> {
        Some(self.degrees.get(place)).filter(|degree| *degree != ABSENT)
    }

    /// Whether there is a vertex at a place.
    #[inline(always)]
    pub(super) fn contain(&self, place: usize) -> bool {
        self.degrees.get(place) != ABSENT
    }

    /// Whether an edge that leads to that place is seen.
    #[inline(always)]
    pub(super) fn see(&self, place: usize) -> bool {
        !self.are_some || self.contain(place)
    }
}

/// Finds them out.
pub(super) struct Count(pub(super) Arc<Members>, pub(super) Ground);

/// What is counted in a piece.
#[derive(Default)]
pub(super) struct Counted {
    degree: u64,
    /// Vertices.
    pub(super) members: u64,
}

impl Visit for Count {
    type Own = Counted;

    fn begin(&self, own: &mut Counted, v: VertexRef, place: usize, reader: &Reader<'_>) -> bool {
        own.degree = 0;
        reader.exists(v) && self.1.admits(place)
    }

    fn along(&self, own: &mut Counted, ends: &[VertexRef]) {
        let Self(_, ground) = self;
        own.degree += match ground.within {
            None => ends.len() as u64,
            Some(_) => {
                let seen = |end: &&VertexRef| ground.admits(ground.places.of_vertex(**end));
                ends.iter().filter(seen).count() as u64
            }
        };
    }

    fn end(&self, own: &mut Counted, _: VertexRef, place: usize, _: &Reader<'_>) {
        own.members += 1;
        self.0.degrees.set(place, own.degree.min(u64::from(ABSENT - 1)) as u32);
    }
}
