//! One adjacency list, or one node of an edge-tree, with changes, put together for one snapshot.

use rustc_hash::{FxHashMap, FxHashSet};
use values::VertexRef;

use super::adjacency::{Adjacency, EdgeChange, EdgeChangeKind, identity};
use super::adjacency_builder::AdjacencyBuilder;
use super::order::{Order, SortPlace};
use crate::cells::Version;
use crate::model::{EdgeCells, KeyId, ValueRef, under_key};

/// A list with changes: base positions and inserted edges, put together for one snapshot.
pub(crate) struct MergedList<'r> {
    base: Option<&'r Adjacency>,
    /// The other ends.
    pub(crate) neighbours: Vec<VertexRef>,
    /// Where each edge is: a base position, or `INSERTED` plus an index into `inserts`.
    sources: Vec<u32>,
    inserts: Vec<&'r EdgeChange>,
    /// Updated properties by identity, the newest only.
    updates: FxHashMap<u64, &'r EdgeCells>,
}

/// Marks a source that is an insert. A section has fewer than 2³¹ edges.
const INSERTED: u32 = 1 << 31;

/// What a chain of versions comes to: newest states by identity, and the inserts, oldest first.
#[derive(Default, Clone)]
pub(crate) struct OwnChanges<'r> {
    deleted: FxHashSet<u64>,
    updates: FxHashMap<u64, &'r EdgeCells>,
    inserts: Vec<&'r EdgeChange>,
}

impl<'r> OwnChanges<'r> {
    /// The changes of a chain, from its newest version on.
    pub(crate) fn of(newest: Option<&'r Version<EdgeChange>>) -> Self {
        let mut changes = Self::default();
        changes.add(newest);
        changes.inserts.reverse();
        changes
    }

    /// Without the inserts: what concerns the nodes of a tree that the inserts do not go to.
    pub(crate) fn without_inserts(&self) -> Self {
        Self { inserts: Vec::new(), ..self.clone() }
    }

    /// The inserts for which `keep` holds, beside everything else.
    pub(crate) fn with_inserts(&self, keep: impl Fn(&EdgeChange, &EdgeCells) -> bool) -> Self {
        let mut part = self.without_inserts();
        let kept = |change: &&&EdgeChange| {
            let cells = self.updates.get(&change.identity()).copied().or(change.kind.cells());
            cells.is_some_and(|cells| keep(change, cells))
        };
        part.inserts.extend(self.inserts.iter().filter(kept));
        part
    }

    /// Adds older versions; the inserts come newest first.
    fn add(&mut self, newest: Option<&'r Version<EdgeChange>>) {
        for version in newest.into_iter().flat_map(Version::history) {
            let change = version.change();
            let identity = change.identity();
            match &change.kind {
                EdgeChangeKind::Delete => drop(self.deleted.insert(identity)),
                _ if !self.deleted.is_empty() && self.deleted.contains(&identity) => {}
                EdgeChangeKind::Update(cells) => drop(self.updates.entry(identity).or_insert(cells)),
                EdgeChangeKind::Insert(_) => self.inserts.push(change),
            }
        }
    }
}

impl<'r> MergedList<'r> {
    /// Puts the base positions, the committed changes up to `committed` and a transaction's own together.
    pub(crate) fn new(
        base: Option<&'r Adjacency>,
        (start, end): (usize, usize),
        committed: Option<&'r Version<EdgeChange>>,
        own: Option<&OwnChanges<'r>>,
        order: Order,
    ) -> Self {
        let own_inserts = own.map_or(&[][..], |own| &own.inserts);
        let mut changes = match own {
            Some(own) => own.without_inserts(),
            None => OwnChanges::default(),
        };
        changes.add(committed);
        let OwnChanges { deleted, updates, mut inserts } = changes;
        inserts.reverse();
        inserts.extend_from_slice(own_inserts);
        let mut list = Self {
            base,
            neighbours: Vec::with_capacity(end - start + inserts.len()),
            sources: Vec::with_capacity(end - start + inserts.len()),
            inserts,
            updates,
        };
        list.take_base(start..end, &deleted);
        list.take_inserts();
        list.arrange(order);
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

    /// Puts the edges in order. Base and inserts each are nearly so, which the sort makes use of; and the base is, unless
    /// something in it was updated, or it lies in another order. What is added in order at the end is looked at alone.
    fn arrange(&mut self, order: Order) {
        let Some(key) = order.key() else { return };
        let place = |i: u32| self.sort_place(i as usize, key);
        let len = self.sources.len() as u32;
        let lies_so = self.base.is_none_or(|base| base.order == order);
        let unsure = match lies_so && self.updates.is_empty() {
            true => (len - self.inserts.len() as u32).saturating_sub(1),
            false => 0,
        };
        if (unsure..len).is_sorted_by(|&a, &b| place(a).order(&place(b)).is_le()) {
            return;
        }
        let mut places: Vec<u32> = (0..len).collect();
        places.sort_by(|&a, &b| place(a).order(&place(b)));
        self.neighbours = places.iter().map(|&i| self.neighbours[i as usize]).collect();
        self.sources = places.iter().map(|&i| self.sources[i as usize]).collect();
    }

    fn sort_place(&self, i: usize, key: KeyId) -> SortPlace<'_> {
        SortPlace { value: self.value(i, key), neighbour: self.neighbours[i], seq: self.seq(i) }
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
    fn override_of(&self, i: usize) -> Option<&'r EdgeCells> {
        let source = self.sources[i];
        if !self.updates.is_empty()
            && let Some(cells) = self.updates.get(&identity(self.neighbours[i], self.seq(i)))
        {
            return Some(cells);
        }
        if source & INSERTED == 0 {
            return None;
        }
        self.inserts[(source & !INSERTED) as usize].kind.cells()
    }

    /// Appends all edges to the current slot of a builder: those that lie together in the base, together.
    pub(crate) fn append_all(&self, builder: &mut AdjacencyBuilder) {
        let mut i = 0;
        while i < self.len() {
            let unchanged = self.unchanged_from(i);
            match self.base {
                Some(base) if unchanged > 0 => {
                    let position = self.sources[i] as usize;
                    builder.copy(base, position..position + unchanged);
                    i += unchanged;
                }
                _ => {
                    self.append_to(i, builder);
                    i += 1;
                }
            }
        }
    }

    /// How many edges from `i` on follow one another in the base and are as they are there.
    fn unchanged_from(&self, i: usize) -> usize {
        let first = self.sources[i];
        let follows = |j: &usize| self.sources[*j] == first + (j - i) as u32;
        let as_there = |j: &usize| self.updates.is_empty() || self.override_of(*j).is_none();
        match first & INSERTED {
            0 => (i..self.len()).take_while(|j| follows(j) && as_there(j)).count(),
            _ => 0,
        }
    }

    /// Appends edge `i` to the current slot of a builder.
    pub(crate) fn append_to(&self, i: usize, builder: &mut AdjacencyBuilder) {
        match (self.override_of(i), self.base) {
            (Some(cells), _) => builder.push(self.neighbours[i], self.seq(i), cells.iter()),
            (None, Some(base)) => {
                let position = self.sources[i] as usize;
                builder.copy(base, position..position + 1);
            }
            (None, None) => unreachable!("what is in no base was inserted"),
        }
    }

    /// Hands out the properties of edge `i`, ascending by key.
    pub(crate) fn each_value(&self, i: usize, visit: &mut dyn FnMut(KeyId, ValueRef<'_>)) {
        match (self.override_of(i), self.base) {
            (Some(cells), _) => cells.iter().for_each(|(key, value)| visit(*key, ValueRef::of(value))),
            (None, Some(base)) => base.each_base_value(self.sources[i] as usize, visit),
            (None, None) => {}
        }
    }

    /// The value of edge `i` under `key`.
    pub(crate) fn value(&self, i: usize, key: KeyId) -> Option<ValueRef<'r>> {
        match self.override_of(i) {
            Some(cells) => under_key(cells, key).map(ValueRef::of),
            None => self.base?.base_value(self.sources[i] as usize, key),
        }
    }
}
