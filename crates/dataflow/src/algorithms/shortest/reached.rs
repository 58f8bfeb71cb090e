//! What was reached from somewhere, and how many edges away.
//!
//! ```text
//! levels   0 │ 1 │ 3 │ 0 │ 255 │ …     a byte of each vertex: 0 not reached, 1 the source itself, 255 as `deep` says
//! deep                   │ 700 │ …     a number of each vertex, once something is so far away
//! ```
//!
//! A search jumps to and fro in the levels, which are in the way of each other in the caches: so they are bytes. Hardly anything
//! is more than 250 edges away from something, but in a chain, along which there is not much to jump.

use graph::VertexRef;

use crate::algorithms::Places;

/// The level of what was not reached.
pub(super) const UNREACHED: u32 = u32::MAX;

/// What a byte says of what is too far away for it.
const DEEP: u8 = u8::MAX;

/// See the module.
#[derive(Default)]
pub(super) struct Reached {
    levels: Vec<u8>,
    deep: Vec<u32>,
    /// The vertices that were reached, in the order in which they were.
    pub(super) vertices: Vec<VertexRef>,
}

impl Reached {
    /// Of so many vertices none.
    pub(super) fn new(len: usize) -> Self {
        Self { levels: vec![0; len], deep: Vec::new(), vertices: Vec::new() }
    }

    /// Bytes that it takes for so many vertices, but for [`Reached::deep_bytes`].
    pub(super) fn bytes(len: usize) -> usize {
        len * (size_of::<u8>() + size_of::<VertexRef>())
    }

    /// Bytes for what is far away.
    pub(super) fn deep_bytes(&self) -> usize {
        self.deep.capacity() * size_of::<u32>()
    }

    /// How many edges away a vertex is; [`UNREACHED`] if it was not, and `None` if levels are not what is asked for.
    #[inline(always)]
    pub(super) fn known(&self, place: usize) -> Option<u32> {
        match *self.levels.get(place)? {
            0 => Some(UNREACHED),
            DEEP => self.deep.get(place).copied(),
            level => Some(u32::from(level) - 1),
        }
    }

    /// The same, where levels are.
    #[inline(always)]
    pub(super) fn level(&self, place: usize) -> u32 {
        self.known(place).unwrap_or(UNREACHED)
    }

    /// Whether it is a vertex, and not reached.
    #[inline(always)]
    pub(super) fn is_unreached(&self, place: usize) -> bool {
        self.levels.get(place) == Some(&0)
    }

    /// Reaches a vertex.
    #[inline(always)]
    pub(super) fn reach(&mut self, v: VertexRef, place: usize, level: u32) {
        if let Some(known) = self.levels.get_mut(place) {
            *known = level.saturating_add(1).min(u32::from(DEEP)) as u8;
            if *known == DEEP {
                self.reach_far_away(place, level);
            }
        }
        self.vertices.push(v);
    }

    #[cold]
    fn reach_far_away(&mut self, place: usize, level: u32) {
        self.deep.resize(self.levels.len(), UNREACHED);
        if let Some(known) = self.deep.get_mut(place) {
            *known = level;
        }
    }

    /// Forgets all of it.
    pub(super) fn clear(&mut self, places: &Places) {
        for v in self.vertices.drain(..) {
            if let Some(level) = self.levels.get_mut(places.of_vertex(v)) {
                *level = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_known_however_far_away() {
        let mut reached = Reached::new(1_000);
        assert_eq!((reached.level(7), reached.known(1_000)), (UNREACHED, None));
        for level in [0, 1, 253, 254, 255, 256, 70_000] {
            let place = level as usize % 997;
            assert!(reached.is_unreached(place));
            reached.reach(VertexRef(place as u32), place, level);
            assert_eq!(reached.level(place), level);
            assert!(!reached.is_unreached(place));
        }
        assert_eq!(reached.deep_bytes(), 4_000);
        assert!(!reached.is_unreached(1_000), "there is no such vertex");
    }
}
