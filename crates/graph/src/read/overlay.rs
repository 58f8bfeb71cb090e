//! What a transaction wrote, laid over the snapshot it reads.
//!
//! The same version chains as in the committed delta, stamped with write numbers in place of commit stamps: a snapshot
//! taken inside the transaction at write number `w` sees the versions up to `w`, whatever is written later.

use crossbeam_skiplist::SkipSet;
use values::{EdgeRef, Value, VertexRef};

use super::computed::Computed;
use super::few_of_many::{FEW_KEYS, FEW_LABELS};
use crate::cells::ChainMap;
use crate::model::{
    Dir, EdgeCells, EdgeLabelId, KeyId, NameSpace, NewNames, PropertyCell, PropertyState, Single, ValueRef,
    VertexLabelId,
};
use crate::sections::{EdgeChange, EntryRef, VertexState};

/// Uncommitted versions by what they are versions of.
#[derive(Default)]
pub(crate) struct Overlay {
    pub(crate) vertices: ChainMap<VertexRef, VertexState>,
    properties: ChainMap<(VertexRef, KeyId), PropertyState>,
    /// Under which keys, from [`FEW_KEYS`] on.
    keys: SkipSet<(VertexRef, KeyId)>,
    lists: ChainMap<(VertexRef, EdgeLabelId, Dir), EdgeChange>,
    /// Of which labels a vertex has changed lists, from [`FEW_LABELS`] on.
    labels: SkipSet<(VertexRef, Dir, EdgeLabelId)>,
    /// The same changes by edge (source and sequence number), for who looks for one edge in a hub.
    pub(crate) edges: ChainMap<(VertexRef, u32), OwnEdge>,
    /// Vertices that got an id, by its hash.
    pub(crate) vertex_ids: ChainMap<u32, VertexRef>,
    /// Edges that got an id, by its hash.
    pub(crate) edge_ids: ChainMap<u32, EdgeRef>,
    /// Vertices that got a value, by label, key and the value's hash.
    pub(crate) values: ChainMap<(VertexLabelId, KeyId, u32), VertexRef>,
    /// Vertices that got a key in a range index: the index's number, the key, the vertex and the write.
    pub(crate) ordered: SkipSet<(u32, Box<[u8]>, VertexRef, u64)>,
}

impl Overlay {
    /// Lays a change over a list.
    pub(crate) fn change_list(
        &self,
        v: VertexRef,
        label: EdgeLabelId,
        dir: Dir,
        write: u64,
        change: EdgeChange,
    ) {
        self.lists.push((v, label, dir), write, change);
        if label.index() >= FEW_LABELS {
            self.labels.insert((v, dir, label));
        }
    }

    /// Lays values over what a vertex has under a key.
    pub(crate) fn set_property(&self, v: VertexRef, key: KeyId, write: u64, state: PropertyState) {
        self.properties.push((v, key), write, state);
        if key.index() >= FEW_KEYS {
            self.keys.insert((v, key));
        }
    }

    /// The first label from one on, from [`FEW_LABELS`] on, of which a list of a vertex was changed.
    pub(crate) fn next_label(&self, v: VertexRef, dir: Dir, from: EdgeLabelId) -> Option<EdgeLabelId> {
        let labels = (v, dir, from)..=(v, dir, EdgeLabelId(u16::MAX));
        self.labels.range(labels).next().map(|entry| entry.2)
    }

    /// The lists of such labels that were changed of any of the vertices from one to another.
    pub(crate) fn lists_between(
        &self,
        first: VertexRef,
        last: VertexRef,
    ) -> impl Iterator<Item = (Dir, EdgeLabelId)> {
        let all = (first, Dir::Out, EdgeLabelId(0))..=(last, Dir::In, EdgeLabelId(u16::MAX));
        self.labels.range(all).map(|entry| (entry.1, entry.2))
    }
}

/// What a transaction did to an edge.
pub(crate) enum OwnEdge {
    /// It is there, to this target, with these properties.
    Exists(VertexRef, EdgeLabelId, EdgeCells),
    Dropped,
}

/// A snapshot's view of an overlay: the writes up to a number.
#[derive(Clone, Copy)]
pub(crate) struct Own<'a> {
    pub(crate) overlay: &'a Overlay,
    pub(crate) writes: u64,
    /// The names that the transaction brings.
    pub(crate) names: Option<&'a NewNames>,
    /// What the query has computed.
    pub(crate) computed: Option<&'a Computed>,
}

impl<'a> Own<'a> {
    /// One past the highest of the edge labels that are new.
    pub(crate) fn edge_label_bound(self) -> usize {
        self.names.map_or(0, |names| names.bound(NameSpace::EdgeLabel))
    }

    pub(crate) fn vertex(self, v: VertexRef) -> Option<&'a VertexState> {
        self.overlay.vertices.visible(&v, self.writes).map(|version| version.change())
    }

    fn property(self, v: VertexRef, key: KeyId) -> Option<&'a PropertyState> {
        self.overlay.properties.visible(&(v, key), self.writes).map(|version| version.change())
    }

    /// The first key from one on, from [`FEW_KEYS`] on, under which a vertex was given values, or any vertex computed ones.
    pub(crate) fn next_key(self, v: VertexRef, from: KeyId) -> Option<KeyId> {
        let mut written = self.overlay.keys.range((v, from)..=(v, KeyId(u16::MAX)));
        let computed = self.computed.and_then(|computed| computed.next_key(from));
        written.next().map(|entry| entry.1).into_iter().chain(computed).min()
    }

    fn computed(self, v: VertexRef, key: KeyId) -> Option<ValueRef<'a>> {
        self.computed?.get(v, key)
    }

    /// The first value of a vertex under a key, if what is stored there does not count.
    pub(crate) fn first(self, v: VertexRef, key: KeyId) -> Option<Option<ValueRef<'a>>> {
        let computed = self.computed(v, key).map(Some);
        computed.or_else(|| self.property(v, key).map(PropertyState::first))
    }

    /// What a vertex has under a key, if what is stored there does not count.
    pub(crate) fn single(self, v: VertexRef, key: KeyId) -> Option<Single<'a>> {
        let computed = self.computed(v, key).map(Single::Value);
        computed.or_else(|| self.property(v, key).map(PropertyState::single))
    }

    /// What a vertex has under a key, if that is a value and nothing more and what is stored there does not count.
    pub(crate) fn plain(self, v: VertexRef, key: KeyId) -> Option<Single<'a>> {
        let computed = self.computed(v, key).map(Single::Value);
        computed.or_else(|| self.property(v, key).map(PropertyState::plain))
    }

    /// All values of a vertex under a key, if what is stored there does not count.
    pub(crate) fn cells(self, v: VertexRef, key: KeyId) -> Option<Vec<PropertyCell>> {
        let computed = self.computed(v, key).map(|value| vec![PropertyCell::first(value.to_value())]);
        computed.or_else(|| self.property(v, key).map(PropertyState::to_cells))
    }

    pub(crate) fn list(
        self,
        v: VertexRef,
        label: EdgeLabelId,
        dir: Dir,
    ) -> Option<&'a crate::cells::Version<EdgeChange>> {
        self.overlay.lists.visible(&(v, label, dir), self.writes)
    }

    pub(crate) fn edge(self, src: VertexRef, seq: u32) -> Option<&'a OwnEdge> {
        self.overlay.edges.visible(&(src, seq), self.writes).map(|version| version.change())
    }

    /// What an edge of the transaction's own was before it was dropped, if it is.
    pub(crate) fn edge_before(self, src: VertexRef, seq: u32) -> Option<&'a OwnEdge> {
        let mut version = self.overlay.edges.visible(&(src, seq), self.writes);
        while let Some(seen) = version {
            if !matches!(seen.change(), OwnEdge::Dropped) {
                return Some(seen.change());
            }
            version = seen.older();
        }
        None
    }

    /// Appends the vertices or edges that one of the hash maps has under `key`.
    pub(crate) fn candidates<K: std::hash::Hash + Eq, E: Copy>(
        self,
        map: &'a ChainMap<K, E>,
        key: &K,
        out: &mut Vec<E>,
    ) {
        let mut version = map.visible(key, self.writes);
        while let Some(seen) = version {
            out.push(*seen.change());
            version = seen.older();
        }
    }

    /// Appends the vertices that got a key from `from` to below `to` in a range index.
    pub(crate) fn ordered_candidates(self, index: u32, from: &[u8], to: &[u8], out: &mut Vec<VertexRef>) {
        if from >= to {
            return;
        }
        let end = |key: &[u8]| (index, Box::from(key), VertexRef(0), 0);
        let entries = self.overlay.ordered.range(end(from)..end(to));
        out.extend(entries.filter(|entry| entry.3 <= self.writes).map(|entry| entry.2));
    }

    /// The same entries, ascending or descending; perhaps one more than once.
    pub(crate) fn ordered_between(
        self,
        index: u32,
        from: &[u8],
        to: &[u8],
        descending: bool,
    ) -> impl Iterator<Item = EntryRef<'a>> + use<'a> {
        let end = |key: &[u8]| (index, Box::from(key), VertexRef(0), 0);
        let mut entries = (from < to).then(|| self.overlay.ordered.range(end(from)..end(to)));
        std::iter::from_fn(move || {
            let entries = entries.as_mut()?;
            loop {
                let entry = if descending { entries.next_back() } else { entries.next() }?;
                if entry.3 <= self.writes {
                    return Some((entry.1.to_vec().into(), entry.2));
                }
            }
        })
    }

    /// The id that a user gave to a vertex of this transaction; also if it was dropped again.
    pub(crate) fn user_id(self, v: VertexRef) -> Option<Option<&'a Value>> {
        let version = self.overlay.vertices.visible(&v, self.writes)?;
        version.history().find_map(|version| match version.change() {
            VertexState::Exists(id) => Some(id.as_ref()),
            VertexState::Dropped => None,
        })
    }
}
