//! Names of labels and keys, and who gets which id.
//!
//! ```text
//!            reserve                    to the log            applied
//!  (nobody) ────────▶ reserved by some ───────────▶ logged ─────────▶ given out, for ever, since that commit
//!      ▲                    │              ◀───────────
//!      └────────────────────┘               disk full
//!        the last one has let go
//! ```
//!
//! A transaction that writes with a name that its snapshot does not know reserves an id. Two that want the same name get the same
//! id. The first commit with it gives the name out; if none comes (all were rolled back, or refused) the id is free again, and
//! the next new name may get it. So a request that is refused leaves nothing behind, and ids may have gaps.
//!
//! What is given out is in tables that only grow ([`NameTable`]): a snapshot takes them as they are with its own stamp, and a new
//! name costs no copy of anything.

mod new_names;
mod reserved;
mod segments;
mod table;

pub(crate) use new_names::NewNames;
pub(crate) use table::NameTable;

use std::hash::BuildHasher;

use parking_lot::Mutex;
use rustc_hash::FxBuildHasher;
use values::Str;

use self::reserved::{Reservation, Reserved};
use super::Tick;
use crate::error::{GraphError, Result};

/// Most names that each of the three name spaces can hold (the last id means "none").
pub(crate) const MAX_NAMES: usize = u16::MAX as usize;

/// Longest name in bytes.
pub(crate) const MAX_NAME_BYTES: usize = 4096;

/// The name of the key of hidden ids: no legal key ("~" is TinkerPop's mark of a hidden one), so no user's name can collide with it.
const HIDDEN_KEY: &str = "~id";

/// Which name space a name belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum NameSpace {
    /// Labels of vertices.
    VertexLabel = 0,
    /// Labels of edges.
    EdgeLabel = 1,
    /// Keys of properties.
    Key = 2,
}

impl NameSpace {
    /// All of them, in the order of their numbers.
    pub(crate) const ALL: [Self; 3] = [Self::VertexLabel, Self::EdgeLabel, Self::Key];
}

impl std::fmt::Display for NameSpace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::VertexLabel => "vertex label",
            Self::EdgeLabel => "edge label",
            Self::Key => "property key",
        })
    }
}

/// A hash of a name, for [`crate::model::ReadUnit::Name`].
pub fn name_hash(name: &str) -> u64 {
    FxBuildHasher.hash_one(name)
}

/// A name with its id.
pub(crate) type Named = (NameSpace, u16, Str);

/// All names of a graph: those given out, and those reserved.
#[derive(Debug)]
pub(crate) struct Names {
    tables: [NameTable; 3],
    reserved: Mutex<[Reserved; 3]>,
}

impl Default for Names {
    fn default() -> Self {
        let names = Self { tables: Default::default(), reserved: Mutex::default() };
        let _ = names.tables[NameSpace::Key as usize].give(0, &Str::from(HIDDEN_KEY), 0);
        names.find_gaps();
        names
    }
}

impl Names {
    /// The names of a kind that are given out.
    #[inline]
    pub(crate) fn table(&self, space: NameSpace) -> &NameTable {
        &self.tables[space as usize]
    }

    /// The id that a name has or is to have, for one more who holds it; and the name, shared.
    fn reserve(&self, space: NameSpace, name: &str) -> Result<(u16, Str)> {
        check_name(space, name)?;
        let mut reserved = self.reserved.lock();
        let reserved = &mut reserved[space as usize];
        if let Some(id) = reserved.by_name.get(name).copied()
            && let Some(reservation) = reserved.by_id.get_mut(&id)
        {
            reservation.holders += 1;
            return Ok((id, reservation.name.clone()));
        }
        let id = match self.table(space).id(name, Tick::MAX) {
            Some(given) => given,
            None => reserved.next_id().ok_or(GraphError::TooManyNames { space, limit: MAX_NAMES })?,
        };
        let name = Str::from(name);
        reserved.by_name.insert(name.clone(), id);
        reserved.by_id.insert(id, Reservation { name: name.clone(), holders: 1, logged: false, kept: false });
        Ok((id, name))
    }

    /// One holder less of each: an id that nobody holds and no commit has given out is free.
    fn release(&self, ids: impl Iterator<Item = (NameSpace, u16)>) {
        let mut reserved = self.reserved.lock();
        for (space, id) in ids {
            let is_given = self.table(space).name(id).is_some();
            reserved[space as usize].release(id, is_given);
        }
        reserved.iter_mut().for_each(Reserved::shrink);
    }

    /// Those of some names that the log does not have. They are the caller's to write to it.
    pub(crate) fn take_to_log(&self, new: &NewNames) -> Vec<Named> {
        let mut reserved = self.reserved.lock();
        let mut taken = Vec::new();
        for (space, id, name) in new.all() {
            if let Some(reservation) = reserved[space as usize].by_id.get_mut(&id)
                && !reservation.logged
                && self.table(space).name(id).is_none()
            {
                reservation.logged = true;
                taken.push((space, id, name.clone()));
            }
        }
        taken
    }

    /// What was taken did not get to the log, and must come with another commit, if it comes at all.
    pub(crate) fn take_back(&self, taken: &[Named]) {
        let mut reserved = self.reserved.lock();
        for (space, id, _) in taken {
            if let Some(reservation) = reserved[*space as usize].by_id.get_mut(id) {
                reservation.logged = false;
            }
        }
    }

    /// Whether the disk may have some names that no commit has given out: then their ids stay theirs, whoever lets go.
    pub(crate) fn keep(&self, new: &NewNames, kept: bool) {
        let mut reserved = self.reserved.lock();
        for (space, id, _) in new.all() {
            if let Some(reservation) = reserved[space as usize].by_id.get_mut(&id) {
                reservation.kept = kept;
            }
        }
    }

    /// Gives names out that the log has, before the commit that brought them is visible.
    pub(crate) fn give_out(&self, names: &[Named], since: Tick) {
        for (space, id, name) in names {
            let given = self.table(*space).give(*id, name, since);
            debug_assert!(given.is_ok(), "{space} {name:?} has the id {id} of {given:?}");
        }
    }

    /// Gives a name the id that it was stored with, as of a commit.
    pub(crate) fn restore(&self, (space, id, name): (NameSpace, u16, &str), since: Tick) -> Result<()> {
        let wrong = |problem: String| GraphError::corrupt(format!("{space} {name:?}"), problem);
        let is_hidden = space == NameSpace::Key && id == 0 && name == HIDDEN_KEY;
        if !is_hidden {
            check_name(space, name).map_err(|error| wrong(error.to_string()))?;
        }
        if usize::from(id) >= MAX_NAMES {
            return Err(wrong(format!("its id is {id}, which means \"none\"")));
        }
        let given = self.table(space).give(id, &Str::from(name), since);
        given.map_err(|other| wrong(format!("it has the id {id}, and {other:?} has an id or that one")))
    }

    /// Finds the ids that no name has, when all that is stored was restored.
    pub(crate) fn find_gaps(&self) {
        let mut reserved = self.reserved.lock();
        for (table, reserved) in self.tables.iter().zip(reserved.iter_mut()) {
            reserved.next = table.bound();
            reserved.free = (0..table.bound() as u16).filter(|id| table.name(*id).is_none()).collect();
        }
    }
}

/// A label or key must be non-empty, not hidden (`~…`) and of bounded length.
///
/// # Errors
/// [`GraphError::HiddenName`] or [`GraphError::BadName`] otherwise.
pub fn check_name(space: NameSpace, name: &str) -> Result<(), GraphError> {
    let shortened = || name.chars().take(64).collect();
    if name.starts_with('~') {
        return Err(GraphError::HiddenName { space, name: shortened() });
    }
    let problem = if name.is_empty() {
        "it is empty"
    } else if name.len() > MAX_NAME_BYTES {
        "it is longer than 4096 bytes"
    } else {
        return Ok(());
    };
    Err(GraphError::BadName { space, name: shortened(), problem })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use NameSpace::{EdgeLabel, Key, VertexLabel};

    #[test]
    fn hidden_and_empty_names_are_refused_by_name() {
        let new = NewNames::new(&Arc::default());
        for name in ["~x", "~id"] {
            assert!(matches!(new.intern(Key, name), Err(GraphError::HiddenName { .. })), "{name}");
        }
        assert!(matches!(new.intern(EdgeLabel, ""), Err(GraphError::BadName { .. })));
    }

    #[test]
    fn an_id_is_free_again_when_the_last_who_reserved_it_lets_go() {
        let names = Arc::new(Names::default());
        let (one, other) = (NewNames::new(&names), NewNames::new(&names));
        assert_eq!(one.intern(VertexLabel, "a").unwrap(), (0, true));
        assert_eq!(other.intern(VertexLabel, "a").unwrap(), (0, true));
        assert_eq!(other.intern(VertexLabel, "a").unwrap(), (0, false));
        drop(one);
        let third = NewNames::new(&names);
        assert_eq!(third.intern(VertexLabel, "b").unwrap(), (1, true), "it is still reserved");
        drop(other);
        assert_eq!(third.intern(VertexLabel, "c").unwrap(), (0, true));
        assert_eq!(names.table(VertexLabel).id("c", Tick::MAX), None, "only a commit gives it out");
    }

    #[test]
    fn the_first_commit_with_a_name_takes_it_to_the_log_and_gives_it_out() {
        let names = Arc::new(Names::default());
        let (one, other) = (NewNames::new(&names), NewNames::new(&names));
        let (a, _) = one.intern(EdgeLabel, "a").unwrap();
        other.intern(EdgeLabel, "a").unwrap();
        let taken = names.take_to_log(&one);
        assert_eq!(taken, [(EdgeLabel, a, Str::from("a"))]);
        assert_eq!(names.take_to_log(&other), [], "it is on its way");
        // The disk is full. The other one commits.
        names.take_back(&taken);
        drop(one);
        assert_eq!(names.take_to_log(&other), taken);
        names.give_out(&taken, 7);
        drop(other);
        let table = names.table(EdgeLabel);
        assert_eq!((table.id("a", 6), table.id("a", 7), table.name(a)), (None, Some(a), Some(&"a".into())));
        let later = NewNames::new(&names);
        assert_eq!(later.intern(EdgeLabel, "a").unwrap(), (a, true));
        assert_eq!(names.take_to_log(&later), []);
        drop(later);
        assert_eq!(NewNames::new(&names).intern(EdgeLabel, "b").unwrap(), (a + 1, true), "that is for ever");
    }

    #[test]
    fn a_name_that_the_disk_may_have_keeps_its_id_and_the_next_commit_with_it_logs_it() {
        let names = Arc::new(Names::default());
        let load = NewNames::new(&names);
        load.intern(Key, "a").unwrap();
        names.keep(&load, true);
        drop(load);
        let other = NewNames::new(&names);
        assert_eq!(other.intern(Key, "b").unwrap(), (2, true));
        assert_eq!(other.intern(Key, "a").unwrap(), (1, true));
        let taken = names.take_to_log(&other);
        assert_eq!(taken.len(), 2);
        names.give_out(&taken, 3);
        drop(other);
        assert_eq!(names.table(Key).id("a", 3), Some(1));
        assert!(names.reserved.lock()[Key as usize].by_id.is_empty());
    }

    #[test]
    fn what_is_restored_may_have_gaps_and_they_are_filled() {
        let names = Arc::new(Names::default());
        names.restore((Key, 3, "c"), 5).unwrap();
        names.restore((Key, 1, "a"), 6).unwrap();
        names.restore((Key, 1, "a"), 9).unwrap();
        for wrong in [(Key, 3, "d"), (Key, 4, "c"), (Key, 5, "~x"), (Key, 6, ""), (Key, u16::MAX, "e")] {
            assert!(matches!(names.restore(wrong, 7), Err(GraphError::Corrupt { .. })), "{wrong:?}");
        }
        names.find_gaps();
        let new = NewNames::new(&names);
        let ids = ["x", "c", "y", "z"].map(|name| new.intern(Key, name).unwrap().0);
        assert_eq!(ids, [2, 3, 4, 5]);
    }

    #[test]
    fn all_ids_in_use_are_an_error_that_passes_when_some_are_given_back() {
        let names = Arc::new(Names::default());
        let all = NewNames::new(&names);
        for n in 0..MAX_NAMES {
            all.intern(VertexLabel, &format!("l{n}")).unwrap();
        }
        let one = NewNames::new(&names);
        let full = one.intern(VertexLabel, "m").unwrap_err();
        assert!(matches!(full, GraphError::TooManyNames { space: VertexLabel, limit: 65_535 }), "{full}");
        one.intern(VertexLabel, "l7").unwrap();
        drop(all);
        assert_eq!(one.intern(VertexLabel, "m").unwrap(), (0, true));
        assert_eq!(one.id(VertexLabel, "l7"), Some(7));
    }

    #[test]
    fn threads_that_reserve_give_out_and_let_go_never_share_an_id_between_two_names() {
        let names = Arc::new(Names::default());
        std::thread::scope(|scope| {
            for thread in 0..4_u64 {
                let names = &names;
                scope.spawn(move || {
                    let mut random = thread + 1;
                    for round in 0..2_000_u64 {
                        let new = NewNames::new(names);
                        for _ in 0..4 {
                            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                            let name = format!("n{}", (random >> 33) % 97);
                            let (id, _) = new.intern(Key, &name).unwrap();
                            assert_eq!(new.name(Key, id).unwrap(), name.as_str());
                            if let Some(given) = names.table(Key).name(id) {
                                assert_eq!(given, name.as_str());
                            }
                        }
                        match random >> 40 & 7 {
                            0 => names.give_out(&names.take_to_log(&new), round),
                            1 => names.take_back(&names.take_to_log(&new)),
                            _ => {}
                        }
                    }
                });
            }
        });
        let table = names.table(Key);
        let given = (0..table.bound() as u16).filter_map(|id| Some((id, table.name(id)?)));
        assert!(names.reserved.lock()[Key as usize].by_id.is_empty());
        for (id, name) in given {
            assert!(name == HIDDEN_KEY || table.id(name, Tick::MAX) == Some(id));
        }
    }
}
