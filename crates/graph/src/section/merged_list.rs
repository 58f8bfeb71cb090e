//! One adjacency list with changes, put together for one snapshot.

use rustc_hash::{FxHashMap, FxHashSet};
use values::VertexRef;

use super::adjacency::{Adjacency, EdgeCells, EdgeChange, EdgeChangeKind, identity};
use crate::memory::Version;
use crate::{KeyId, ValueRef};

/// A list with changes: base positions and inserted edges, put together for one snapshot.
pub(crate) struct MergedList<'r> {
    base: Option<&'r Adjacency>,
    /// The other ends.
    pub(crate) neighbours: Vec<VertexRef>,
    /// Where each edge is: a base position, or `INSERTED` plus an index into `inserts`.
    pub(super) sources: Vec<u32>,
    inserts: Vec<&'r EdgeChange>,
    /// Updated properties by identity, the newest only.
    updates: FxHashMap<u64, &'r EdgeCells>,
}

/// Marks a source that is an insert. A section has fewer than 2³¹ edges.
const INSERTED: u32 = 1 << 31;

impl<'r> MergedList<'r> {
    /// Puts the base positions, the committed changes up to `committed` and a transaction's own up to `own` together.
    pub(crate) fn new(
        base: &'r Adjacency,
        range: (usize, usize),
        committed: Option<&'r Version<EdgeChange>>,
        own: Option<&'r Version<EdgeChange>>,
    ) -> Self {
        Self::build(Some(base), range, committed, own)
    }

    /// The list of a vertex whose section has no base: a transaction's own changes alone.
    pub(crate) fn own(own: Option<&'r Version<EdgeChange>>) -> Self {
        Self::build(None, (0, 0), None, own)
    }

    fn build(
        base: Option<&'r Adjacency>,
        (start, end): (usize, usize),
        committed: Option<&'r Version<EdgeChange>>,
        own: Option<&'r Version<EdgeChange>>,
    ) -> Self {
        let mut deleted = FxHashSet::default();
        let mut updates = FxHashMap::default();
        let mut inserts = Vec::new();
        for version in own.into_iter().chain(committed).flat_map(Version::history) {
            let change = version.change();
            let identity = change.identity();
            match &change.kind {
                EdgeChangeKind::Delete => drop(deleted.insert(identity)),
                _ if deleted.contains(&identity) => {}
                EdgeChangeKind::Update(cells) => drop(updates.entry(identity).or_insert(cells)),
                EdgeChangeKind::Insert(_) => inserts.push(change),
            }
        }
        inserts.reverse();
        let mut list = Self {
            base,
            neighbours: Vec::with_capacity(end - start + inserts.len()),
            sources: Vec::with_capacity(end - start + inserts.len()),
            inserts,
            updates,
        };
        list.take_base(start..end, &deleted);
        list.take_inserts();
        list
    }

    fn take_base(&mut self, range: std::ops::Range<usize>, deleted: &FxHashSet<u64>) {
        let Some(base) = self.base else { return };
        if deleted.is_empty() {
            self.neighbours.extend_from_slice(&base.neighbours()[range.clone()]);
            self.sources.extend(range.map(|position| position as u32));
            return;
        }
        for position in range {
            let neighbour = base.neighbours()[position];
            if !deleted.contains(&identity(neighbour, base.seqs()[position])) {
                self.neighbours.push(neighbour);
                self.sources.push(position as u32);
            }
        }
    }

    fn take_inserts(&mut self) {
        self.neighbours.extend(self.inserts.iter().map(|change| change.neighbour));
        self.sources.extend((0..self.inserts.len() as u32).map(|index| INSERTED | index));
    }

    pub(crate) fn len(&self) -> usize {
        self.neighbours.len()
    }

    /// The sequence number of edge `i`.
    pub(crate) fn seq(&self, i: usize) -> u32 {
        let source = self.sources[i];
        match self.base {
            Some(base) if source & INSERTED == 0 => base.seqs()[source as usize],
            _ => self.inserts[(source & !INSERTED) as usize].seq,
        }
    }

    /// The properties of edge `i` where they are not those at its base position.
    pub(super) fn override_of(&self, i: usize) -> Option<&'r EdgeCells> {
        let source = self.sources[i];
        if !self.updates.is_empty()
            && let Some(cells) = self.updates.get(&identity(self.neighbours[i], self.seq(i)))
        {
            return Some(cells);
        }
        if source & INSERTED == 0 {
            return None;
        }
        match &self.inserts[(source & !INSERTED) as usize].kind {
            EdgeChangeKind::Insert(cells) => Some(cells),
            _ => None,
        }
    }

    /// The value of edge `i` under `key`.
    pub(crate) fn value(&self, i: usize, key: KeyId) -> Option<ValueRef<'r>> {
        match self.override_of(i) {
            Some(cells) => cells.iter().find(|(k, _)| *k == key).map(|(_, value)| ValueRef::of(value)),
            None => self.base?.base_value(self.sources[i] as usize, key),
        }
    }
}
