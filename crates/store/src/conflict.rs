//! Who wrote what lately: the memory that conflict detection needs, bounded.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::BuildHasher;

use crate::Bytes;
use crate::keyspace::KeyspaceId;

/// Remembers the keys that were committed while transactions were open, and by which commit.
///
/// Commits are numbered. A transaction knows the number of the last commit that its snapshot surely contains; it
/// conflicts when one of its keys was written by a later one. Keys are remembered as 64-bit hashes: a collision
/// refuses a transaction that need not have been refused, which is safe.
///
/// ```text
///   order:  (4,k1) (4,k7) (5,k1) (6,k3)      oldest open transaction began at 4
///             └──────┴── forgotten, since nobody who is open began before commit 4
///   floor:  4   a transaction that began before the floor cannot be judged any more
/// ```
pub(crate) struct ConflictWindow {
    hasher: RandomState,
    /// The last commit that is visible.
    current: u64,
    /// The last commit of which something was forgotten.
    floor: u64,
    last_write: HashMap<u64, u64>,
    order: VecDeque<(u64, u64)>,
    /// How many transactions are open, by the commit they began after.
    open: BTreeMap<u64, usize>,
    capacity: usize,
}

/// Why a transaction may not commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    /// A key of it was written by a later commit.
    Changed,
    /// It began before the window's floor.
    TooOld,
}

impl ConflictWindow {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            hasher: RandomState::new(),
            current: 0,
            floor: 0,
            last_write: HashMap::new(),
            order: VecDeque::new(),
            open: BTreeMap::new(),
            capacity,
        }
    }

    /// Registers a transaction and returns the number it began at. Its snapshot must be taken after this call: then
    /// the snapshot contains that commit, and perhaps later ones, which at worst refuses it for nothing.
    pub(crate) fn begin(&mut self) -> u64 {
        *self.open.entry(self.current).or_default() += 1;
        self.current
    }

    /// Forgets one transaction that began at `began`.
    pub(crate) fn end(&mut self, began: u64) {
        if let Some(count) = self.open.get_mut(&began) {
            *count -= 1;
            if *count == 0 {
                self.open.remove(&began);
            }
        }
        self.forget();
    }

    /// The number that the next commit gets.
    pub(crate) fn next(&self) -> u64 {
        self.current + 1
    }

    /// Whether a transaction that began at `began` may commit at all.
    pub(crate) fn check_age(&self, began: u64) -> Result<(), Refused> {
        if began < self.floor { Err(Refused::TooOld) } else { Ok(()) }
    }

    /// Whether `key` is as a transaction that began at `began` saw it.
    pub(crate) fn check(&self, began: u64, keyspace: KeyspaceId, key: &Bytes) -> Result<(), Refused> {
        match self.last_write.get(&self.hash(keyspace, key)) {
            Some(&commit) if commit > began => Err(Refused::Changed),
            _ => Ok(()),
        }
    }

    /// Remembers that the commit numbered [`next`](Self::next) writes `key`.
    pub(crate) fn record(&mut self, keyspace: KeyspaceId, key: &Bytes) {
        let (hash, commit) = (self.hash(keyspace, key), self.next());
        if self.last_write.insert(hash, commit) != Some(commit) {
            self.order.push_back((commit, hash));
        }
    }

    /// Declares the commit numbered [`next`](Self::next) visible.
    pub(crate) fn publish(&mut self) {
        self.current += 1;
        self.forget();
    }

    /// Drops what no open transaction can conflict with, and the oldest beyond the capacity.
    fn forget(&mut self) {
        let needed_after = self.open.first_key_value().map_or(self.current, |(&began, _)| began);
        while let Some(&(commit, hash)) = self.order.front() {
            if commit > needed_after && self.order.len() <= self.capacity {
                break;
            }
            self.order.pop_front();
            if self.last_write.get(&hash) == Some(&commit) {
                self.last_write.remove(&hash);
            }
            self.floor = self.floor.max(commit);
        }
    }

    fn hash(&self, keyspace: KeyspaceId, key: &Bytes) -> u64 {
        self.hasher.hash_one((keyspace.index, &**key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYSPACE: KeyspaceId = KeyspaceId { store: 1, index: 0 };

    fn commit(window: &mut ConflictWindow, keys: &[&str]) {
        for &key in keys {
            window.record(KEYSPACE, &key.into());
        }
        window.publish();
    }

    #[test]
    fn a_write_after_the_beginning_is_a_conflict_and_one_before_is_not() {
        let mut window = ConflictWindow::new(100);
        let _elder = window.begin();
        commit(&mut window, &["a"]);
        let began = window.begin();
        commit(&mut window, &["b"]);
        assert_eq!(window.check(began, KEYSPACE, &"a".into()), Ok(()));
        assert_eq!(window.check(began, KEYSPACE, &"b".into()), Err(Refused::Changed));
        assert_eq!(window.check(began, KEYSPACE, &"c".into()), Ok(()));
    }

    #[test]
    fn nothing_is_remembered_while_no_transaction_is_open() {
        let mut window = ConflictWindow::new(100);
        commit(&mut window, &["a", "b"]);
        assert!(window.order.is_empty() && window.last_write.is_empty());
        let began = window.begin();
        assert_eq!(window.check_age(began), Ok(()));
        commit(&mut window, &["a"]);
        window.end(began);
        assert!(window.order.is_empty() && window.last_write.is_empty());
    }

    #[test]
    fn a_transaction_that_begins_while_a_commit_is_applied_conflicts_with_it() {
        let mut window = ConflictWindow::new(100);
        window.record(KEYSPACE, &"a".into());
        let began = window.begin();
        window.publish();
        assert_eq!(window.check(began, KEYSPACE, &"a".into()), Err(Refused::Changed));
    }

    #[test]
    fn beyond_the_capacity_old_transactions_are_refused_and_young_ones_are_not() {
        let mut window = ConflictWindow::new(2);
        let old = window.begin();
        commit(&mut window, &["a"]);
        commit(&mut window, &["b"]);
        assert_eq!(window.check_age(old), Ok(()));
        commit(&mut window, &["c"]);
        assert_eq!(window.check_age(old), Err(Refused::TooOld));
        let young = window.begin();
        assert_eq!(window.check_age(young), Ok(()));
        assert_eq!(window.order.len(), 2);
    }
}
