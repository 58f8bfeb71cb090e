//! The catalog: names of vertex labels, edge labels and property keys, the schema and the indexes.
//!
//! ```text
//!  Catalog ─┬─ as of a stamp ──┐
//!           ├─ Declared ───────┼─▶ Names: shared by all, only growing      what is declared: an immutable version; the writer
//!           └─ NewNames, of the transaction that it is for                publishes the next beside it
//! ```
//!
//! So a snapshot's catalog is two pointers and a stamp.

use std::sync::Arc;

use values::Str;

use super::Tick;
use super::names::{EdgeLabelId, KeyId, VertexLabelId};
use super::naming::{NameSpace, NameTable, Names, NewNames};
use super::schema::{Definitions, Index, IndexState, Schema};

/// The key under which a user-supplied edge id is stored beside the edge's properties. Never shown to users.
pub(crate) const EDGE_ID_KEY: KeyId = KeyId(0);

/// The key under which an id that a vertex property came with is stored beside its meta-properties. Never shown to users.
pub(crate) const PROPERTY_ID_KEY: KeyId = EDGE_ID_KEY;

/// The catalog as somebody sees it: the names that were given out up to its stamp, those that its transaction brings, and what is
/// declared. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Catalog {
    declared: Arc<Declared>,
    /// The last commit of which it knows the names.
    as_of: Tick,
    new: Option<Arc<NewNames>>,
}

/// One version of what is declared.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) names: Arc<Names>,
    pub(crate) definitions: Arc<Definitions>,
    /// The commit that put them in force.
    since: Tick,
    /// A schema that is to be, while existing elements are checked against it. Never stored.
    pending: Option<Arc<Schema>>,
}

impl Declared {
    /// Nothing, over these names.
    pub(crate) fn new(names: Arc<Names>) -> Self {
        Self { names, definitions: Arc::default(), since: 0, pending: None }
    }

    pub(crate) fn schema(&self) -> &Schema {
        &self.definitions.schema
    }

    pub(crate) fn set_pending(&mut self, pending: Option<Arc<Schema>>) {
        self.pending = pending;
    }

    /// Changes schema or indexes: a revision of its own.
    pub(crate) fn define<R>(&mut self, change: impl FnOnce(&mut Definitions) -> R) -> R {
        let definitions = Arc::make_mut(&mut self.definitions);
        definitions.revision += 1;
        change(definitions)
    }

    /// Puts stored definitions in place, as of a commit, unless they are older than those that are there.
    pub(crate) fn restore_definitions(&mut self, stored: Arc<Definitions>, since: Tick) {
        if stored.revision > self.definitions.revision {
            (self.definitions, self.since) = (stored, since);
        }
    }
}

impl Default for Catalog {
    fn default() -> Self {
        Self::newest(Arc::new(Declared::new(Arc::default())))
    }
}

impl Catalog {
    /// With every name that was given out.
    pub(crate) fn newest(declared: Arc<Declared>) -> Self {
        Self { declared, as_of: Tick::MAX, new: None }
    }

    /// With the names as of a stamp. Where what is declared is newer than that, it has the names of that.
    #[must_use]
    pub(crate) fn at(self, stamp: Tick) -> Self {
        Self { as_of: stamp.max(self.declared.since), ..self }
    }

    /// With those that a transaction brings, besides.
    #[must_use]
    pub(crate) fn with_new(&self, new: Option<&Arc<NewNames>>) -> Self {
        Self { new: new.cloned(), ..self.clone() }
    }

    /// The same names with other definitions.
    #[must_use]
    pub(crate) fn with_changed(&self, change: impl FnOnce(&mut Declared)) -> Self {
        let mut declared = Declared::clone(&self.declared);
        change(&mut declared);
        Self { declared: Arc::new(declared), ..self.clone() }
    }

    /// The id of a vertex label, if any vertex ever had it.
    pub fn vertex_label(&self, name: &str) -> Option<VertexLabelId> {
        self.id(NameSpace::VertexLabel, name).map(VertexLabelId)
    }
    /// The id of an edge label, if any edge ever had it.
    pub fn edge_label(&self, name: &str) -> Option<EdgeLabelId> {
        self.id(NameSpace::EdgeLabel, name).map(EdgeLabelId)
    }
    /// The id of a property key, if any element ever had it.
    pub fn key(&self, name: &str) -> Option<KeyId> {
        self.id(NameSpace::Key, name).map(KeyId)
    }
    /// The id of a property key that the transaction itself brings, if it does. All others are those of its beginning.
    #[inline]
    pub fn new_key(&self, name: &str) -> Option<KeyId> {
        self.new.as_ref()?.id(NameSpace::Key, name).map(KeyId)
    }
    /// The name of a vertex label.
    ///
    /// # Panics
    /// If `id` did not come from this graph's catalog, or from what its transaction has written.
    pub fn vertex_label_name(&self, id: VertexLabelId) -> &Str {
        self.name(NameSpace::VertexLabel, id.0).expect("an element's label has a name")
    }
    /// The name of an edge label.
    ///
    /// # Panics
    /// As for [`Catalog::vertex_label_name`].
    pub fn edge_label_name(&self, id: EdgeLabelId) -> &Str {
        self.name(NameSpace::EdgeLabel, id.0).expect("an element's label has a name")
    }
    /// The name of a property key.
    ///
    /// # Panics
    /// As for [`Catalog::vertex_label_name`].
    pub fn key_name(&self, id: KeyId) -> &Str {
        self.name(NameSpace::Key, id.0).expect("a property's key has a name")
    }
    /// All vertex labels, in the order of their ids.
    pub fn vertex_labels(&self) -> impl Iterator<Item = (VertexLabelId, &Str)> {
        self.names(NameSpace::VertexLabel).map(|(id, name)| (VertexLabelId(id), name))
    }
    /// All edge labels, in the order of their ids.
    pub fn edge_labels(&self) -> impl Iterator<Item = (EdgeLabelId, &Str)> {
        self.names(NameSpace::EdgeLabel).map(|(id, name)| (EdgeLabelId(id), name))
    }
    /// All property keys, in the order of their ids.
    pub fn keys(&self) -> impl Iterator<Item = (KeyId, &Str)> {
        let shown = self.names(NameSpace::Key).filter(|(id, _)| *id != EDGE_ID_KEY.0);
        shown.map(|(id, name)| (KeyId(id), name))
    }
    /// One past the highest id of a key. Not every id below it is a key's: ids may have gaps.
    pub(crate) fn key_bound(&self) -> usize {
        self.bound(NameSpace::Key)
    }
    /// One past the highest id of a vertex label. Not every id below it is a label's: ids may have gaps.
    pub fn vertex_label_bound(&self) -> usize {
        self.bound(NameSpace::VertexLabel)
    }
    /// One past the highest id of an edge label. Not every id below it is a label's: ids may have gaps.
    pub fn edge_label_bound(&self) -> usize {
        self.bound(NameSpace::EdgeLabel)
    }
    /// Those that nobody else knows.
    pub(crate) fn new_names(&self) -> Option<&NewNames> {
        self.new.as_deref()
    }

    /// Whether it is of a transaction that has written with names which its snapshot did not know. Nobody else may know them.
    pub fn has_new_names(&self) -> bool {
        self.new.is_some()
    }
    /// What is declared.
    pub fn schema(&self) -> &Schema {
        self.declared.schema()
    }
    /// The property key by which adjacency lists along a label are ordered; by insertion, if there is none.
    #[inline]
    pub fn sort_key(&self, label: EdgeLabelId) -> Option<KeyId> {
        self.schema().sort_key(label)
    }
    /// The keys by which lists along a label may lie: the sort key, and others that were sort keys before.
    pub(crate) fn list_keys(&self, label: EdgeLabelId) -> impl Iterator<Item = KeyId> {
        let former = self.definitions().sorting.get(&label).map_or(&[][..], Vec::as_slice);
        self.sort_key(label).into_iter().chain(former.iter().copied())
    }
    /// The indexes, in the order of their creation, unfinished ones included.
    pub fn indexes(&self) -> &[Index] {
        &self.definitions().indexes
    }
    /// Whether an index that is ready finds values of `key` of the vertices with `label` by equality.
    pub fn has_index(&self, label: VertexLabelId, key: KeyId) -> bool {
        self.hash_index(label, key).is_some()
    }
    /// One more with every change of schema or indexes.
    pub fn revision(&self) -> u64 {
        self.definitions().revision
    }

    /// The index that finds values of `key` by equality, if one is ready.
    pub(crate) fn hash_index(&self, label: VertexLabelId, key: KeyId) -> Option<&Index> {
        let fits =
            |index: &&Index| index.state == IndexState::Ready && index.definition.is_hash_of(label, key);
        self.indexes().iter().find(fits)
    }

    /// The indexes, ready or not, that a value under `key` of a vertex with `label` belongs in.
    pub(crate) fn indexes_over(&self, label: VertexLabelId, key: KeyId) -> impl Iterator<Item = &Index> {
        let over =
            move |index: &&Index| index.definition.label == label && index.definition.keys.contains(&key);
        self.indexes().iter().filter(over)
    }

    /// Schema and indexes.
    pub(crate) fn definitions(&self) -> &Arc<Definitions> {
        &self.declared.definitions
    }

    /// A schema that existing elements are being checked against.
    pub(crate) fn pending(&self) -> Option<&Arc<Schema>> {
        self.declared.pending.as_ref()
    }

    /// The names of a kind in the order of their ids, the hidden key among them.
    pub(crate) fn names(&self, space: NameSpace) -> impl Iterator<Item = (u16, &Str)> {
        let table = self.table(space);
        let new = move |id| self.new.as_ref()?.name(space, id);
        let named = move |id| Some((id, table.name_as_of(id, self.as_of).or_else(|| new(id))?));
        (0..self.bound(space) as u16).filter_map(named)
    }

    /// The name of an id. What the transaction brings comes first: where it has ended and was refused, an id may be another
    /// name's by now.
    #[inline]
    pub(crate) fn name(&self, space: NameSpace, id: u16) -> Option<&Str> {
        let new = self.new.as_ref().and_then(|new| new.name(space, id));
        new.or_else(|| self.table(space).name(id))
    }

    /// The id of `name` in `space`. The key of ids has none: nobody may write, declare or index what is under it.
    pub(crate) fn id(&self, space: NameSpace, name: &str) -> Option<u16> {
        let is_hidden = |id: &u16| space == NameSpace::Key && *id == EDGE_ID_KEY.0;
        let given = self.table(space).id(name, self.as_of).filter(|id| !is_hidden(id));
        given.or_else(|| self.new.as_ref()?.id(space, name))
    }

    fn bound(&self, space: NameSpace) -> usize {
        let new = self.new.as_ref().map_or(0, |new| new.bound(space));
        self.table(space).bound().max(new)
    }

    fn table(&self, space: NameSpace) -> &NameTable {
        self.declared.names.table(space)
    }
}
