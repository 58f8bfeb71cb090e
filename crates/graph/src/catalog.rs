//! The catalog: names of vertex labels, edge labels and property keys, the schema and the indexes.
//!
//! Names get dense ids when they are first used and keep them for ever; names only grow. A [`Catalog`] is
//! an immutable version: readers hold one without a lock and the writer publishes the next beside it. Two
//! versions share their names, so publishing costs one pointer per name.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use values::Str;

use crate::schema::{Definitions, Index, IndexState, Schema};
use crate::{EdgeLabelId, GraphError, KeyId, VertexLabelId};

/// The key under which a user-supplied edge id is stored beside the edge's properties. Never shown to users.
pub(crate) const EDGE_ID_KEY: KeyId = KeyId(0);

/// The key under which an id that a vertex property came with is stored beside its meta-properties. Never shown to users.
pub(crate) const PROPERTY_ID_KEY: KeyId = EDGE_ID_KEY;

/// Most names that each of the three name spaces can hold (the last id means "none").
pub(crate) const MAX_NAMES: usize = u16::MAX as usize;

/// Longest name in bytes.
pub(crate) const MAX_NAME_BYTES: usize = 4096;

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

/// Names of one kind, both ways.
#[derive(Clone, Debug, Default)]
struct Names {
    by_id: Vec<Str>,
    by_name: FxHashMap<Str, u16>,
}

impl Names {
    fn id(&self, name: &str) -> Option<u16> {
        self.by_name.get(name).copied()
    }

    fn push(&mut self, name: Str) -> u16 {
        let id = self.by_id.len() as u16;
        self.by_name.insert(name.clone(), id);
        self.by_id.push(name);
        id
    }
}

/// One version of the catalog.
#[derive(Clone, Debug)]
pub struct Catalog {
    vertex_labels: Names,
    edge_labels: Names,
    keys: Names,
    definitions: Arc<Definitions>,
    /// A schema that is to be, while existing elements are checked against it. Never stored.
    pending: Option<Arc<Schema>>,
}

impl Default for Catalog {
    fn default() -> Self {
        let mut keys = Names::default();
        // Not a legal key ("~" is TinkerPop's mark of a hidden one), so no user's name can collide with it.
        keys.push(Str::from("~id"));
        Self {
            vertex_labels: Names::default(),
            edge_labels: Names::default(),
            keys,
            definitions: Arc::default(),
            pending: None,
        }
    }
}

impl Catalog {
    /// The id of a vertex label, if any vertex ever had it.
    pub fn vertex_label(&self, name: &str) -> Option<VertexLabelId> {
        self.vertex_labels.id(name).map(VertexLabelId)
    }
    /// The id of an edge label, if any edge ever had it.
    pub fn edge_label(&self, name: &str) -> Option<EdgeLabelId> {
        self.edge_labels.id(name).map(EdgeLabelId)
    }
    /// The id of a property key, if any element ever had it.
    pub fn key(&self, name: &str) -> Option<KeyId> {
        self.id(NameSpace::Key, name).map(KeyId)
    }
    /// The name of a vertex label.
    ///
    /// # Panics
    /// If `id` did not come from this graph's catalog or from a later version of it.
    pub fn vertex_label_name(&self, id: VertexLabelId) -> &Str {
        &self.vertex_labels.by_id[id.index()]
    }
    /// The name of an edge label.
    ///
    /// # Panics
    /// If `id` did not come from this graph's catalog or from a later version of it.
    pub fn edge_label_name(&self, id: EdgeLabelId) -> &Str {
        &self.edge_labels.by_id[id.index()]
    }
    /// The name of a property key.
    ///
    /// # Panics
    /// If `id` did not come from this graph's catalog or from a later version of it.
    pub fn key_name(&self, id: KeyId) -> &Str {
        &self.keys.by_id[id.index()]
    }
    /// All vertex labels, in the order of their ids.
    pub fn vertex_labels(&self) -> impl ExactSizeIterator<Item = (VertexLabelId, &Str)> {
        self.vertex_labels.by_id.iter().enumerate().map(|(id, name)| (VertexLabelId(id as u16), name))
    }
    /// All edge labels, in the order of their ids.
    pub fn edge_labels(&self) -> impl ExactSizeIterator<Item = (EdgeLabelId, &Str)> {
        self.edge_labels.by_id.iter().enumerate().map(|(id, name)| (EdgeLabelId(id as u16), name))
    }
    /// All property keys, in the order of their ids.
    pub fn keys(&self) -> impl Iterator<Item = (KeyId, &Str)> {
        self.keys.by_id.iter().enumerate().skip(1).map(|(id, name)| (KeyId(id as u16), name))
    }
    /// Number of vertex labels.
    pub fn vertex_label_count(&self) -> usize {
        self.vertex_labels.by_id.len()
    }
    /// Number of edge labels.
    pub fn edge_label_count(&self) -> usize {
        self.edge_labels.by_id.len()
    }
    /// What is declared.
    pub fn schema(&self) -> &Schema {
        &self.definitions.schema
    }
    /// The property key by which adjacency lists along a label are ordered; by insertion, if there is none.
    #[inline]
    pub fn sort_key(&self, label: EdgeLabelId) -> Option<KeyId> {
        self.definitions.schema.sort_key(label)
    }
    /// The keys by which lists along a label may lie: the sort key, and others that were sort keys before.
    pub(crate) fn list_keys(&self, label: EdgeLabelId) -> impl Iterator<Item = KeyId> {
        let former = self.definitions.sorting.get(&label).map_or(&[][..], Vec::as_slice);
        self.sort_key(label).into_iter().chain(former.iter().copied())
    }
    /// The indexes, in the order of their creation, unfinished ones included.
    pub fn indexes(&self) -> &[Index] {
        &self.definitions.indexes
    }
    /// Whether an index that is ready finds values of `key` of the vertices with `label` by equality.
    pub fn has_index(&self, label: VertexLabelId, key: KeyId) -> bool {
        self.hash_index(label, key).is_some()
    }
    /// One more with every change of schema or indexes: with the numbers of names it tells any two versions apart.
    pub fn revision(&self) -> u64 {
        self.definitions.revision
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
        &self.definitions
    }

    /// A schema that existing elements are being checked against.
    pub(crate) fn pending(&self) -> Option<&Arc<Schema>> {
        self.pending.as_ref()
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

    /// Puts stored definitions in place, unless they are older than those that are there.
    pub(crate) fn restore_definitions(&mut self, stored: Arc<Definitions>) {
        if stored.revision > self.definitions.revision {
            self.definitions = stored;
        }
    }

    /// How many names a space holds, hidden ones included.
    pub(crate) fn len(&self, space: NameSpace) -> usize {
        self.names(space).by_id.len()
    }

    /// The names of `space` from number `from` on.
    pub(crate) fn names_from(&self, space: NameSpace, from: usize) -> &[Str] {
        &self.names(space).by_id[from.min(self.len(space))..]
    }

    /// The id of `name`, given to it now if it has none. The caller publishes the grown catalog.
    pub(crate) fn intern(&mut self, space: NameSpace, name: &str) -> Result<u16, GraphError> {
        if let Some(id) = self.id(space, name) {
            return Ok(id);
        }
        check_name(space, name)?;
        let names = match space {
            NameSpace::VertexLabel => &mut self.vertex_labels,
            NameSpace::EdgeLabel => &mut self.edge_labels,
            NameSpace::Key => &mut self.keys,
        };
        if names.by_id.len() >= MAX_NAMES {
            return Err(GraphError::TooManyNames { space, limit: MAX_NAMES });
        }
        Ok(names.push(Str::from(name)))
    }

    /// Gives `name` the id that it had when it was stored. Ids must come in order; one that is there is compared.
    pub(crate) fn restore(&mut self, space: NameSpace, id: u16, name: &str) -> Result<(), GraphError> {
        let wrong = |problem| GraphError::Corrupt { what: format!("{space} {name:?}"), problem };
        if let Some(known) = self.names(space).by_id.get(usize::from(id)) {
            let same = known.as_str() == name;
            return if same { Ok(()) } else { Err(wrong(format!("its id {id} belongs to {known:?}"))) };
        }
        if self.len(space) != usize::from(id) || self.intern(space, name)? != id {
            return Err(wrong(format!("its id is {id}, but the next would be {}", self.len(space))));
        }
        Ok(())
    }

    /// The id of `name` in `space`. The key of ids has none: nobody may write, declare or index what is under it.
    pub(crate) fn id(&self, space: NameSpace, name: &str) -> Option<u16> {
        let is_hidden = |id: &u16| space == NameSpace::Key && *id == EDGE_ID_KEY.0;
        self.names(space).id(name).filter(|id| !is_hidden(id))
    }

    /// The same names with the schema and indexes of an older version.
    pub(crate) fn with_definitions_of(&self, older: &Self) -> Self {
        Self { definitions: Arc::clone(&older.definitions), pending: older.pending.clone(), ..self.clone() }
    }

    fn names(&self, space: NameSpace) -> &Names {
        match space {
            NameSpace::VertexLabel => &self.vertex_labels,
            NameSpace::EdgeLabel => &self.edge_labels,
            NameSpace::Key => &self.keys,
        }
    }
}

/// A label or key must be non-empty, not hidden (`~…`) and of bounded length.
pub(crate) fn check_name(space: NameSpace, name: &str) -> Result<(), GraphError> {
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
    use super::*;

    #[test]
    fn a_name_keeps_the_id_it_was_given_first() {
        let mut catalog = Catalog::default();
        let person = catalog.intern(NameSpace::VertexLabel, "person").unwrap();
        let software = catalog.intern(NameSpace::VertexLabel, "software").unwrap();
        assert_eq!(catalog.intern(NameSpace::VertexLabel, "person").unwrap(), person);
        assert_ne!(person, software);
        assert_eq!(catalog.vertex_label_name(VertexLabelId(software)).as_str(), "software");
        assert_eq!(catalog.vertex_label("nobody"), None);
    }

    #[test]
    fn hidden_and_empty_names_are_refused_by_name() {
        let mut catalog = Catalog::default();
        assert_eq!(catalog.key("~id"), None);
        for name in ["~x", "~id"] {
            assert!(
                matches!(catalog.intern(NameSpace::Key, name), Err(GraphError::HiddenName { .. })),
                "{name}"
            );
        }
        assert!(matches!(catalog.intern(NameSpace::EdgeLabel, ""), Err(GraphError::BadName { .. })));
    }
}
