//! The names that commits have given out.

use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use values::Str;

use super::segments::Segments;
use crate::model::Tick;

/// Names of one kind with their ids, for ever. Whoever reads says as of which commit, so one table serves all snapshots.
#[derive(Debug, Default)]
pub(crate) struct NameTable {
    by_id: Segments<Given>,
    by_name: RwLock<FxHashMap<Str, u16>>,
    /// One past the highest id.
    bound: AtomicUsize,
}

#[derive(Debug)]
struct Given {
    name: Str,
    /// The commit that gave it out.
    since: Tick,
}

impl NameTable {
    /// The id of a name, if a commit up to `as_of` has given it one.
    pub(crate) fn id(&self, name: &str, as_of: Tick) -> Option<u16> {
        let id = self.by_name.read().get(name).copied()?;
        self.by_id.get(id.into()).filter(|given| given.since <= as_of).map(|_| id)
    }

    /// The name of an id, whichever commit has given it out.
    #[inline]
    pub(crate) fn name(&self, id: u16) -> Option<&Str> {
        self.by_id.get(id.into()).map(|given| &given.name)
    }

    /// One past the highest id. There may be gaps below it.
    #[inline]
    pub(crate) fn bound(&self) -> usize {
        self.bound.load(Ordering::Acquire)
    }

    /// The name of an id, if a commit up to `as_of` has given it out.
    #[inline]
    pub(crate) fn name_as_of(&self, id: u16, as_of: Tick) -> Option<&Str> {
        self.by_id.get(id.into()).filter(|given| given.since <= as_of).map(|given| &given.name)
    }

    /// Gives a name its id. Neither must be taken; the id comes back with the name that has it, if it is.
    pub(super) fn give(&self, id: u16, name: &Str, since: Tick) -> Result<(), Str> {
        let mut by_name = self.by_name.write();
        let taken = |given: &Given| Err(given.name.clone());
        if let Some(given) = self.by_id.get(id.into()) {
            return if given.name == *name { Ok(()) } else { taken(given) };
        }
        if by_name.contains_key(name) {
            return Err(name.clone());
        }
        // Filled first, so that whoever finds the id finds its name.
        let _ = self.by_id.fill(id.into(), Given { name: name.clone(), since });
        by_name.insert(name.clone(), id);
        self.bound.fetch_max(usize::from(id) + 1, Ordering::AcqRel);
        Ok(())
    }
}
