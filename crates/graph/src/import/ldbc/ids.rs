//! From LDBC ids to vertices, for one label.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;
use values::VertexRef;

/// The vertices of one label by their LDBC ids.
///
/// A hash map finds any id, at the price of a cache miss or two. But most files about a label's vertices list them in
/// the order in which its own file does (`comment_hasCreator_person` follows `comment`), so a reader that remembers where
/// it found the last id usually finds the next one right behind it.
///
/// They are the one thing besides the edges that an import keeps of every vertex: 18 to 24 bytes, depending on how full the
/// hash table is.
#[derive(Default)]
pub(super) struct Ids {
    /// Positions in `in_order`, by the hash of the id that is there.
    positions: HashTable<u32>,
    in_order: Vec<Known>,
}

/// An id and its vertex, in 12 bytes.
#[derive(Clone, Copy)]
#[repr(C, packed(4))]
struct Known {
    id: i64,
    vertex: VertexRef,
}

fn hash(id: i64) -> u64 {
    FxBuildHasher.hash_one(id)
}

impl Ids {
    /// Enters ids, whose vertices are yet to be made, and says which of them are new.
    pub(super) fn enter(&mut self, ids: &[i64]) -> Vec<bool> {
        let Self { positions, in_order } = self;
        let mut enter = |&id: &i64| {
            let known = |position: &u32| in_order[*position as usize].id;
            match positions.entry(
                hash(id),
                |position| known(position) == id,
                |position| hash(known(position)),
            ) {
                Entry::Vacant(place) => {
                    // A graph has at most 2³² vertices, so the position fits.
                    place.insert(in_order.len() as u32);
                    in_order.push(Known { id, vertex: VertexRef::default() });
                    true
                }
                Entry::Occupied(_) => false,
            }
        };
        ids.iter().map(&mut enter).collect()
    }

    /// Fills in the vertices of the ids that were new in the last [`Ids::enter`], in their order.
    pub(super) fn fill(&mut self, vertices: &[VertexRef]) {
        let first = self.in_order.len().saturating_sub(vertices.len());
        self.in_order[first..].iter_mut().zip(vertices).for_each(|(known, vertex)| known.vertex = *vertex);
    }

    pub(super) fn contains(&self, id: i64) -> bool {
        self.position(id).is_some()
    }

    /// The vertex with an id. `near` is where the last one was found; the search begins there and updates it.
    pub(super) fn get(&self, id: i64, near: &mut usize) -> Option<VertexRef> {
        for position in [*near, *near + 1] {
            if let Some(known) = self.in_order.get(position)
                && known.id == id
            {
                *near = position;
                return Some(known.vertex);
            }
        }
        *near = self.position(id)?;
        Some(self.in_order[*near].vertex)
    }

    fn position(&self, id: i64) -> Option<usize> {
        let found = self.positions.find(hash(id), |position| self.in_order[*position as usize].id == id);
        found.map(|position| *position as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_in_any_order_and_repeated_ones_refused() {
        let mut ids = Ids::default();
        assert_eq!(ids.enter(&[30, 10, 30, 20]), [true, true, false, true]);
        ids.fill(&[VertexRef(3), VertexRef(1), VertexRef(2)]);
        assert_eq!(ids.enter(&[10, 40]), [false, true]);
        ids.fill(&[VertexRef(4)]);
        let mut near = 0;
        let found = |id, near: &mut usize| ids.get(id, near).map(|vertex| vertex.0);
        for (id, vertex) in [(30, 3), (30, 3), (10, 1), (20, 2), (40, 4), (30, 3), (40, 4)] {
            assert_eq!(found(id, &mut near), Some(vertex));
        }
        assert_eq!(found(99, &mut near), None);
        assert!(ids.contains(40) && !ids.contains(99));
    }
}
