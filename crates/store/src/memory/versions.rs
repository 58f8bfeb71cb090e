//! Versions of keys, and views of them.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

use parking_lot::RwLock;

use crate::batch::Write;
use crate::scan::{Pair, ScanSource};
use crate::snapshot::SnapshotSource;
use crate::{ApproximateSize, Bytes, KeyRange, Keyspace, ScanOrder, StoreError};

/// The versions, shared by the store and its views.
pub(crate) type SharedVersions = Arc<RwLock<Versions>>;

/// Every version that somebody may still ask for.
///
/// ```text
///   tables ─▶ "people" ─▶ "ada"   ─▶ [ (commit 3, "1815"), (commit 9, none) ]     newest last
///                         "grace" ─▶ [ (commit 4, "1906") ]
///   superseded ─▶ (9, people, "ada") …   looked at again once no view is older than commit 9
/// ```
#[derive(Default)]
pub(crate) struct Versions {
    tables: Vec<Table>,
    /// The newest commit; a view sees all commits up to the one it was opened at.
    newest: u64,
    /// How many views are open, by the commit they see up to.
    views: BTreeMap<u64, usize>,
    superseded: VecDeque<(u64, usize, Bytes)>,
}

struct Table {
    name: String,
    keys: BTreeMap<Bytes, Vec<Version>>,
    bytes: u64,
}

struct Version {
    commit: u64,
    value: Option<Bytes>,
}

impl Versions {
    /// The position of the table called `name`, which is created when it is not there.
    pub(crate) fn open_table(&mut self, name: &str) -> u32 {
        let index = self.tables.iter().position(|table| table.name == name).unwrap_or_else(|| {
            self.tables.push(Table { name: name.to_owned(), keys: BTreeMap::new(), bytes: 0 });
            self.tables.len() - 1
        });
        u32::try_from(index).expect("a process has no memory for 2^32 tables")
    }

    pub(crate) fn name(&self, index: usize) -> &str {
        self.tables.get(index).map_or("", |table| &table.name)
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.tables.iter().map(|table| table.name.clone()).collect();
        names.sort_unstable();
        names
    }

    pub(crate) fn size(&self, index: usize) -> ApproximateSize {
        let table = &self.tables[index];
        ApproximateSize { keys: table.keys.len() as u64, bytes: table.bytes }
    }

    /// Adds one commit with all of `writes`; of several to one key, the last counts.
    pub(crate) fn apply(&mut self, writes: Vec<Write>) {
        self.newest += 1;
        for Write { keyspace, key, value } in writes {
            let index = keyspace.index as usize;
            let deletes = value.is_none();
            if self.tables[index].write(self.newest, &key, value) || deletes {
                self.superseded.push_back((self.newest, index, key));
            }
        }
        self.prune();
    }

    /// Removes versions that no view can see.
    fn prune(&mut self) {
        let oldest_view = self.views.first_key_value().map_or(self.newest, |(&commit, _)| commit);
        while let Some((commit, _, _)) = self.superseded.front()
            && *commit <= oldest_view
        {
            let Some((_, index, key)) = self.superseded.pop_front() else { break };
            self.tables[index].prune(&key, oldest_view);
        }
    }

    fn open_view(&mut self) -> u64 {
        *self.views.entry(self.newest).or_default() += 1;
        self.newest
    }

    fn close_view(&mut self, commit: u64) {
        if let Some(count) = self.views.get_mut(&commit) {
            *count -= 1;
            if *count == 0 {
                self.views.remove(&commit);
                self.prune();
            }
        }
    }
}

impl Table {
    /// Adds a version; true when it supersedes an older one.
    fn write(&mut self, commit: u64, key: &Bytes, value: Option<Bytes>) -> bool {
        self.bytes += size_of_version(key, value.as_ref());
        let versions = self.keys.entry(key.clone()).or_default();
        if let Some(last) = versions.last_mut()
            && last.commit == commit
        {
            self.bytes -= size_of_version(key, last.value.as_ref());
            last.value = value;
            return false;
        }
        versions.push(Version { commit, value });
        versions.len() > 1
    }

    /// Keeps, of the versions up to `oldest_view`, only the newest, and not even that when it is a deletion.
    fn prune(&mut self, key: &Bytes, oldest_view: u64) {
        let Some(versions) = self.keys.get_mut(key) else { return };
        let seen = versions.partition_point(|version| version.commit <= oldest_view);
        let dead = match seen {
            0 => 0,
            seen if versions[seen - 1].value.is_none() => seen,
            seen => seen - 1,
        };
        for version in versions.drain(..dead) {
            self.bytes -= size_of_version(key, version.value.as_ref());
        }
        if versions.is_empty() {
            self.keys.remove(key);
        }
    }

    fn get(&self, key: &[u8], at: u64) -> Option<Bytes> {
        visible(self.keys.get(key)?, at).cloned()
    }
}

fn visible(versions: &[Version], at: u64) -> Option<&Bytes> {
    versions.iter().rev().find(|version| version.commit <= at)?.value.as_ref()
}

fn size_of_version(key: &Bytes, value: Option<&Bytes>) -> u64 {
    (key.len() + value.map_or(0, |value| value.len())) as u64
}

/// A view of the commits up to one of them.
pub(crate) struct View {
    versions: SharedVersions,
    store: u32,
    at: u64,
}

impl View {
    /// A view of everything that is there now.
    pub(crate) fn open(versions: &SharedVersions, store: u32) -> Self {
        let at = versions.write().open_view();
        Self { versions: Arc::clone(versions), store, at }
    }

    /// Another view of the same commits.
    fn again(&self) -> Self {
        *self.versions.write().views.entry(self.at).or_default() += 1;
        Self { versions: Arc::clone(&self.versions), store: self.store, at: self.at }
    }
}

impl Drop for View {
    fn drop(&mut self) {
        self.versions.write().close_view(self.at);
    }
}

impl SnapshotSource for View {
    fn get(&self, keyspace: &Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        let index = keyspace.index_in(self.store)?;
        Ok(self.versions.read().tables[index].get(key, self.at))
    }

    fn multi_get(
        &self,
        keyspace: &Keyspace,
        keys: &[&[u8]],
        values: &mut Vec<Option<Bytes>>,
    ) -> Result<(), StoreError> {
        let index = keyspace.index_in(self.store)?;
        let versions = self.versions.read();
        values.extend(keys.iter().map(|key| versions.tables[index].get(key, self.at)));
        Ok(())
    }

    fn scan(
        &self,
        keyspace: &Keyspace,
        range: KeyRange,
        order: ScanOrder,
    ) -> Result<Box<dyn ScanSource>, StoreError> {
        let table = keyspace.index_in(self.store)?;
        Ok(Box::new(ViewScan { view: self.again(), table, rest: range, order }))
    }
}

/// A scan of a view; it takes the lock once per batch and remembers how far it came.
struct ViewScan {
    view: View,
    table: usize,
    rest: KeyRange,
    order: ScanOrder,
}

impl ScanSource for ViewScan {
    fn fill(&mut self, pairs: &mut VecDeque<Pair>, limit: usize) -> Result<(), StoreError> {
        if self.rest.is_empty() {
            return Ok(());
        }
        let versions = self.view.versions.read();
        let bounds: (Bound<&Bytes>, Bound<&Bytes>) = (self.rest.start().as_ref(), self.rest.end().as_ref());
        let within = versions.tables[self.table].keys.range::<Bytes, _>(bounds);
        let live = |(key, versions): (&Bytes, &Vec<Version>)| {
            Some((key.clone(), visible(versions, self.view.at)?.clone()))
        };
        match self.order {
            ScanOrder::Ascending => pairs.extend(within.filter_map(live).take(limit)),
            ScanOrder::Descending => pairs.extend(within.rev().filter_map(live).take(limit)),
        }
        drop(versions);
        if let Some((key, _)) = pairs.back() {
            self.rest = self.rest.clone().after(key.clone(), self.order);
        }
        Ok(())
    }
}
