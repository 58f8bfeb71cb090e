//! Names that a plan reads and the graph does not know.

use std::cell::RefCell;

use graph::{EdgeLabelId, KeyId, NameSpace, VertexLabelId};
use indexmap::IndexSet;
use values::{Str, watch};

use crate::Schema;

/// What it takes to look a name up, and to keep one that is not known.
const TICKS: usize = 4;

/// A schema that remembers which names were looked up in vain: a traversal that finds nothing for want of a name has read that
/// the name is unknown. Who looks names up cannot forget to say so.
pub(crate) struct Unknown<'a> {
    schema: &'a dyn Schema,
    names: RefCell<IndexSet<(NameSpace, Str)>>,
}

/// Whether a schema still does not know names that were looked up in vain.
pub(crate) fn are_unknown(names: &[(NameSpace, Str)], schema: &dyn Schema) -> bool {
    names.iter().all(|(space, name)| {
        watch::ticks(TICKS);
        match space {
            NameSpace::VertexLabel => schema.vertex_label(name).is_none(),
            NameSpace::EdgeLabel => schema.edge_label(name).is_none(),
            NameSpace::Key => schema.key(name).is_none(),
        }
    })
}

impl<'a> Unknown<'a> {
    pub(crate) fn new(schema: &'a dyn Schema) -> Self {
        Self { schema, names: RefCell::default() }
    }

    /// The names, each once.
    pub(crate) fn into_names(self) -> Vec<(NameSpace, Str)> {
        self.names.into_inner().into_iter().collect()
    }

    fn note<T>(&self, space: NameSpace, name: &str, found: Option<T>) -> Option<T> {
        watch::ticks(TICKS);
        if found.is_none() {
            self.names.borrow_mut().insert((space, name.into()));
        }
        found
    }
}

impl Schema for Unknown<'_> {
    fn vertex_label(&self, name: &str) -> Option<VertexLabelId> {
        self.note(NameSpace::VertexLabel, name, self.schema.vertex_label(name))
    }
    fn edge_label(&self, name: &str) -> Option<EdgeLabelId> {
        self.note(NameSpace::EdgeLabel, name, self.schema.edge_label(name))
    }
    fn key(&self, name: &str) -> Option<KeyId> {
        self.note(NameSpace::Key, name, self.schema.key(name))
    }
    fn vertex_label_name(&self, id: VertexLabelId) -> Str {
        self.schema.vertex_label_name(id)
    }
    fn edge_label_name(&self, id: EdgeLabelId) -> Str {
        self.schema.edge_label_name(id)
    }
    fn key_name(&self, id: KeyId) -> Str {
        self.schema.key_name(id)
    }
    fn has_index(&self, label: VertexLabelId, key: KeyId) -> bool {
        self.schema.has_index(label, key)
    }
    fn range_indexes(&self, label: VertexLabelId) -> Vec<Vec<KeyId>> {
        self.schema.range_indexes(label)
    }
    fn is_single(&self, label: VertexLabelId, key: KeyId) -> bool {
        self.schema.is_single(label, key)
    }
    fn sort_key(&self, label: EdgeLabelId) -> Option<KeyId> {
        self.schema.sort_key(label)
    }
    fn version(&self) -> u64 {
        self.schema.version()
    }
    fn has_new_names(&self) -> bool {
        self.schema.has_new_names()
    }
}
