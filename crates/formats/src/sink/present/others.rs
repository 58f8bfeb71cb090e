//! Vertices of the graph that edges of a file lead to.
//!
//! What a reader calls them counts down from the largest number, while the vertices of the file count up from 0.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use values::{Value, VertexRef};

/// See the module.
#[derive(Default)]
pub(super) struct Others {
    /// Of each the ids that it may have, the likeliest first.
    ids: Vec<Box<[Value]>>,
    known: FxHashMap<Value, VertexRef>,
}

impl Others {
    /// What one is called that has one of these ids; none if there are none.
    pub(super) fn name(&mut self, ids: &[Value]) -> Option<VertexRef> {
        let first = ids.first()?;
        let next = VertexRef(u32::MAX - u32::try_from(self.ids.len()).ok()?);
        match self.known.entry(first.clone()) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(place) => {
                self.ids.push(ids.into());
                Some(*place.insert(next))
            }
        }
    }

    /// The ids of one that is called so, if it is one of them and not the file's.
    pub(super) fn ids(&self, name: VertexRef) -> Option<&[Value]> {
        self.ids.get((u32::MAX - name.0) as usize).map(|ids| &**ids)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_name_of_its_own_that_no_vertex_of_the_file_has() {
        let mut others = Others::default();
        let [one, text, again] =
            [Value::Long(1), Value::str("1"), Value::Long(1)].map(|id| others.name(&[id]).unwrap());
        assert!(one != text && one == again && others.name(&[]).is_none());
        assert_eq!(others.ids(text), Some(&[Value::str("1")][..]));
        assert_eq!(others.ids(VertexRef(0)), None);
    }
}
