//! The edges that an algorithm goes along.

use graph::{Dir, Direction, EdgeLabelId, EdgeRef, VertexRef};
use values::watch;

use super::places::Places;
use super::{Ground, hold};
use crate::error::QueryError;
use crate::memory::StateMemory;

/// The edges that an algorithm goes along.
#[derive(Debug)]
pub(crate) enum Links {
    /// All of some labels, read from the graph.
    Stored {
        /// The labels.
        labels: Vec<EdgeLabelId>,
        /// One way, or both.
        direction: Direction,
    },
    /// Those that a subquery has found: only they are kept.
    Kept(Kept),
}

impl Links {
    /// The lists of each vertex, if they are read from the graph, ascending.
    pub(crate) fn lists(&self) -> Vec<(Dir, EdgeLabelId)> {
        match self {
            Self::Stored { labels, direction } => {
                let dirs = Dir::of(*direction).iter();
                let mut lists: Vec<_> =
                    dirs.flat_map(|dir| labels.iter().map(|label| (*dir, *label))).collect();
                lists.sort_unstable();
                lists
            }
            Self::Kept(_) => Vec::new(),
        }
    }

    /// The same against their direction.
    ///
    /// # Errors
    /// If what is kept has no room twice.
    pub(super) fn against(&self, ground: &Ground) -> Result<Self, QueryError> {
        Ok(match self {
            Self::Stored { labels, direction } => {
                let direction = match direction {
                    Direction::Out => Direction::In,
                    Direction::In => Direction::Out,
                    Direction::Both => Direction::Both,
                };
                Self::Stored { labels: labels.clone(), direction }
            }
            Self::Kept(kept) => Self::Kept(kept.against(ground)?),
        })
    }
}

/// An edge that a subquery has found from a vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// The place of that vertex.
    pub(crate) from: u32,
    /// The place of the vertex at the other end.
    pub(crate) to: u32,
    /// The edge.
    pub(crate) edge: EdgeRef,
    /// How long it is.
    pub(crate) length: f64,
}

/// Edges by the places of their vertices.
///
/// ```text
/// offsets  │ 0 │ 2 │ 2 │ 5 │ …      one for each place, and one
/// found    │ ● │ ● │ ● │ ● │ ● │ …
/// ```
#[derive(Debug)]
pub(crate) struct Kept {
    offsets: Vec<u32>,
    found: Vec<Found>,
    ends: Vec<VertexRef>,
    _held: StateMemory,
}

impl Kept {
    /// Takes edges, at most 2³² of them, which come in the order of the vertices that they were found from.
    pub(crate) fn of(found: Vec<Found>, places: &Places, held: StateMemory) -> Self {
        debug_assert!(found.is_sorted_by_key(|one| one.from));
        let offsets = offsets(&found, |one| one.from, places);
        let ends = found.iter().map(|one| end(one, places)).collect();
        Self { offsets, found, ends, _held: held }
    }

    /// Bytes for so many edges.
    pub(crate) fn bytes(edges: usize, places: &Places) -> usize {
        edges * (size_of::<Found>() + size_of::<VertexRef>()) + places.len() * 4
    }

    fn range(&self, place: usize) -> std::ops::Range<usize> {
        match self.offsets.get(place..place + 2) {
            Some(range) => range[0] as usize..range[1] as usize,
            None => 0..0,
        }
    }

    /// Where the edges of a vertex lead.
    pub(super) fn ends(&self, place: usize) -> &[VertexRef] {
        self.ends.get(self.range(place)).unwrap_or(&[])
    }

    /// The edges of a vertex.
    pub(super) fn found(&self, place: usize) -> &[Found] {
        self.found.get(self.range(place)).unwrap_or(&[])
    }

    /// The same from their ends: each goes to the place that it has there.
    fn against(&self, ground: &Ground) -> Result<Self, QueryError> {
        let held = hold(ground, Self::bytes(self.found.len(), &ground.places))?;
        let offsets = offsets(&self.found, |one| one.to, &ground.places);
        let (mut next, mut found) = (offsets.clone(), self.found.clone());
        for one in &self.found {
            watch::tick();
            if let Some(at) = next.get_mut(one.to as usize) {
                found[*at as usize] = Found { from: one.to, to: one.from, ..*one };
                *at += 1;
            }
        }
        Ok(Self::of(found, &ground.places, held))
    }
}

/// Where the edges of each place begin, and those of the last end.
fn offsets(found: &[Found], place: impl Fn(&Found) -> u32, places: &Places) -> Vec<u32> {
    let mut offsets = vec![0u32; places.len() + 1];
    for one in found {
        watch::tick();
        if let Some(offset) = offsets.get_mut(place(one) as usize + 1) {
            *offset += 1;
        }
    }
    let mut sum = 0;
    for offset in &mut offsets {
        sum += *offset;
        *offset = sum;
    }
    offsets
}

fn end(one: &Found, places: &Places) -> VertexRef {
    watch::tick();
    places.vertex(one.to as usize)
}
