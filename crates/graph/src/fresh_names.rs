//! Names that no commit has used yet.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::NameSpace;

/// A hash of a name, for [`crate::ReadUnit::Name`].
pub fn name_hash(name: &str) -> u64 {
    FxBuildHasher.hash_one(name)
}

/// The names that were given their ids by transactions of which none has committed so far.
///
/// Whoever writes with such a name may be the first who commits with it, and says so
/// ([`units::name`](crate::units::name)): it conflicts with whoever has found the name unknown. Later ones need not: who did not
/// know the name before the first commit conflicts with that, and who begins after it knows the name.
#[derive(Default)]
pub(crate) struct FreshNames {
    names: Mutex<FxHashSet<(NameSpace, u16)>>,
    count: AtomicUsize,
}

impl FreshNames {
    /// A name was given an id. To be called before anybody can find it in the catalog.
    pub(crate) fn add(&self, space: NameSpace, id: u16) {
        let mut names = self.names.lock();
        names.insert((space, id));
        self.count.store(names.len(), Ordering::Release);
    }

    /// Whether no commit has used the name.
    pub(crate) fn contains(&self, space: NameSpace, id: u16) -> bool {
        self.count.load(Ordering::Acquire) > 0 && self.names.lock().contains(&(space, id))
    }

    /// A transaction has got its stamp that used these.
    pub(crate) fn remove(&self, used: &[(NameSpace, u16)]) {
        if used.is_empty() {
            return;
        }
        let mut names = self.names.lock();
        names.retain(|name| !used.contains(name));
        self.count.store(names.len(), Ordering::Release);
    }
}
