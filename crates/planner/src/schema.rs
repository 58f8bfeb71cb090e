//! What the planner asks about the graph: its names, and which indexes there are.

use graph::{Cardinality, Catalog, EdgeLabelId, Index, IndexKind, IndexState, KeyId, VertexLabelId};
use values::Str;

/// Names of the graph and their ids, both ways, and which indexes there are.
///
/// The planner asks through a trait so that rules can be tested on a graph that is a table of names.
pub trait Schema {
    /// The id of a vertex label, if it has one.
    fn vertex_label(&self, name: &str) -> Option<VertexLabelId>;
    /// The id of an edge label, if it has one.
    fn edge_label(&self, name: &str) -> Option<EdgeLabelId>;
    /// The id of a property key, if it has one.
    fn key(&self, name: &str) -> Option<KeyId>;
    /// The name of a vertex label.
    fn vertex_label_name(&self, id: VertexLabelId) -> Str;
    /// The name of an edge label.
    fn edge_label_name(&self, id: EdgeLabelId) -> Str;
    /// The name of a property key.
    fn key_name(&self, id: KeyId) -> Str;
    /// Whether an equality index covers the key of the vertices with that label.
    fn has_index(&self, label: VertexLabelId, key: KeyId) -> bool;
    /// The keys of each range index over the vertices with that label.
    fn range_indexes(&self, _label: VertexLabelId) -> Vec<Vec<KeyId>> {
        Vec::new()
    }
    /// Whether no vertex with that label can have several values of the key.
    fn is_single(&self, _label: VertexLabelId, _key: KeyId) -> bool {
        false
    }
    /// The property by whose values the lists of an edge label are ordered, if they are.
    fn sort_key(&self, _label: EdgeLabelId) -> Option<KeyId> {
        None
    }
    /// Changes whenever the schema or the indexes change: plans made under another version must not be used. Names that it has
    /// keep their ids, and of those that it has not a plan says which it looked up ([`crate::physical::Plan::unknown`]).
    fn version(&self) -> u64;
    /// Whether it has names that others cannot know, and that may never be: plans made under it are for nobody else.
    fn has_new_names(&self) -> bool {
        false
    }
}

impl Schema for Catalog {
    fn vertex_label(&self, name: &str) -> Option<VertexLabelId> {
        Catalog::vertex_label(self, name)
    }
    fn edge_label(&self, name: &str) -> Option<EdgeLabelId> {
        Catalog::edge_label(self, name)
    }
    fn key(&self, name: &str) -> Option<KeyId> {
        Catalog::key(self, name)
    }
    fn vertex_label_name(&self, id: VertexLabelId) -> Str {
        Catalog::vertex_label_name(self, id).clone()
    }
    fn edge_label_name(&self, id: EdgeLabelId) -> Str {
        Catalog::edge_label_name(self, id).clone()
    }
    fn key_name(&self, id: KeyId) -> Str {
        Catalog::key_name(self, id).clone()
    }
    fn has_index(&self, label: VertexLabelId, key: KeyId) -> bool {
        Catalog::has_index(self, label, key)
    }
    fn is_single(&self, label: VertexLabelId, key: KeyId) -> bool {
        let declared = self.schema().vertex(label).and_then(|vertex| vertex.keys.get(&key));
        declared.is_some_and(|declared| declared.cardinality == Cardinality::Single)
    }
    fn sort_key(&self, label: EdgeLabelId) -> Option<KeyId> {
        Catalog::sort_key(self, label)
    }
    fn range_indexes(&self, label: VertexLabelId) -> Vec<Vec<KeyId>> {
        let ready = |index: &&Index| {
            let definition = &index.definition;
            definition.label == label
                && definition.kind == IndexKind::Range
                && index.state == IndexState::Ready
        };
        self.indexes().iter().filter(ready).map(|index| index.definition.keys.to_vec()).collect()
    }

    fn version(&self) -> u64 {
        self.revision()
    }
    fn has_new_names(&self) -> bool {
        Catalog::has_new_names(self)
    }
}
