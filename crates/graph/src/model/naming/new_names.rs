//! The names that one transaction brings.

use std::sync::Arc;

use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use values::Str;

use super::segments::Segments;
use super::{NameSpace, Names};
use crate::error::Result;

/// Names that somebody has reserved: a transaction, a bulk load, or a change of the schema. It alone knows them until a commit has
/// given them out. As long as anybody holds this (a snapshot with the transaction's writes, say) no id of it becomes another
/// name's.
#[derive(Debug)]
pub(crate) struct NewNames {
    names: Arc<Names>,
    spaces: [Own; 3],
}

#[derive(Debug, Default)]
struct Own {
    /// In the order in which they were reserved.
    list: Segments<(u16, Str)>,
    places: RwLock<Places>,
}

#[derive(Debug, Default)]
struct Places {
    by_name: FxHashMap<Str, u16>,
    /// Where in the list an id is.
    by_id: FxHashMap<u16, usize>,
    /// One past the highest id.
    bound: usize,
}

impl NewNames {
    /// None so far.
    pub(crate) fn new(names: &Arc<Names>) -> Arc<Self> {
        Arc::new(Self { names: Arc::clone(names), spaces: Default::default() })
    }

    /// The id of a name, reserved now if it is not yet; and whether that is so.
    ///
    /// # Errors
    /// If it cannot be a name, or all ids are taken.
    pub(crate) fn intern(&self, space: NameSpace, name: &str) -> Result<(u16, bool)> {
        if let Some(id) = self.id(space, name) {
            return Ok((id, false));
        }
        let own = &self.spaces[space as usize];
        let mut places = own.places.write();
        if let Some(&id) = places.by_name.get(name) {
            return Ok((id, false));
        }
        let (id, name) = self.names.reserve(space, name)?;
        let place = places.by_name.len();
        // Nobody else fills a place while the places are held.
        let _ = own.list.fill(place, (id, name.clone()));
        places.by_name.insert(name, id);
        places.by_id.insert(id, place);
        places.bound = places.bound.max(usize::from(id) + 1);
        Ok((id, true))
    }

    pub(crate) fn id(&self, space: NameSpace, name: &str) -> Option<u16> {
        self.spaces[space as usize].places.read().by_name.get(name).copied()
    }

    pub(crate) fn name(&self, space: NameSpace, id: u16) -> Option<&Str> {
        let own = &self.spaces[space as usize];
        let place = own.places.read().by_id.get(&id).copied()?;
        own.list.get(place).map(|(_, name)| name)
    }

    /// One past the highest id.
    pub(crate) fn bound(&self, space: NameSpace) -> usize {
        self.spaces[space as usize].places.read().bound
    }

    /// The names of a kind, in the order in which they were reserved.
    pub(crate) fn names(&self, space: NameSpace) -> impl Iterator<Item = (u16, &Str)> {
        let own = &self.spaces[space as usize];
        let len = own.places.read().by_name.len();
        (0..len).filter_map(|place| own.list.get(place).map(|(id, name)| (*id, name)))
    }

    /// All names.
    pub(crate) fn all(&self) -> impl Iterator<Item = (NameSpace, u16, &Str)> {
        NameSpace::ALL
            .into_iter()
            .flat_map(|space| self.names(space).map(move |(id, name)| (space, id, name)))
    }

    /// Those that no commit has used.
    pub(crate) fn unused(&self) -> impl Iterator<Item = (NameSpace, u16, &Str)> {
        self.all().filter(|(space, id, _)| self.names.table(*space).name(*id).is_none())
    }

    /// Whether there are some that no commit has used.
    pub(crate) fn has_unused(&self) -> bool {
        self.unused().next().is_some()
    }
}

impl Drop for NewNames {
    fn drop(&mut self) {
        self.names.release(self.all().map(|(space, id, _)| (space, id)));
    }
}
