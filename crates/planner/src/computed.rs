//! Names that a traversal computes properties under.

use graph::{EdgeLabelId, KeyId, VertexLabelId};
use values::Str;

use crate::Schema;

/// A schema without the indexes over keys that a traversal computes: they have what is stored, and not what is computed.
pub(crate) struct WithoutComputed<'a> {
    schema: &'a dyn Schema,
    computed: Vec<KeyId>,
}

impl<'a> WithoutComputed<'a> {
    /// For a traversal that computes properties of these names.
    pub(crate) fn new(schema: &'a dyn Schema, names: &[Str]) -> Self {
        Self { schema, computed: names.iter().filter_map(|name| schema.key(name)).collect() }
    }
}

impl Schema for WithoutComputed<'_> {
    fn vertex_label(&self, name: &str) -> Option<VertexLabelId> {
        self.schema.vertex_label(name)
    }
    fn edge_label(&self, name: &str) -> Option<EdgeLabelId> {
        self.schema.edge_label(name)
    }
    fn key(&self, name: &str) -> Option<KeyId> {
        self.schema.key(name)
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
        !self.computed.contains(&key) && self.schema.has_index(label, key)
    }
    fn range_indexes(&self, label: VertexLabelId) -> Vec<Vec<KeyId>> {
        let mut indexes = self.schema.range_indexes(label);
        indexes.retain(|keys| !keys.iter().any(|key| self.computed.contains(key)));
        indexes
    }
    fn is_single(&self, label: VertexLabelId, key: KeyId) -> bool {
        !self.computed.contains(&key) && self.schema.is_single(label, key)
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
