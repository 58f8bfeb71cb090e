//! Elements as users see them: detached from the graph, complete with id, label and properties.

use crate::{Str, Value};

/// A vertex detached from its graph.
///
/// Equality, order and hash look at the id alone, as TinkerPop's `ElementHelper.areEqual` does.
#[derive(Clone, Debug)]
pub struct Vertex {
    /// The id: any scalar a user may choose, or a generated long.
    pub id: Value,
    /// The label.
    pub label: Str,
    /// Its properties, grouped by nothing: one entry per vertex property. Empty when not materialised.
    pub properties: Vec<VertexProperty>,
}

/// An edge detached from its graph.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The id.
    pub id: Value,
    /// The label.
    pub label: Str,
    /// The vertex it leaves: id and label only.
    pub out_v: Vertex,
    /// The vertex it enters: id and label only.
    pub in_v: Vertex,
    /// Its properties. Empty when not materialised.
    pub properties: Vec<Property>,
}

/// A property of a vertex: it has an id of its own and may carry meta-properties.
#[derive(Clone, Debug)]
pub struct VertexProperty {
    /// The id.
    pub id: Value,
    /// The key (TinkerPop calls it the label).
    pub key: Str,
    /// The value.
    pub value: Value,
    /// Meta-properties.
    pub properties: Vec<Property>,
    /// The id and label of the vertex it belongs to, where known.
    pub vertex: Option<(Value, Str)>,
    /// The handle of that vertex inside a running query, where there is one.
    pub owner: Option<crate::VertexRef>,
}

/// A property of an edge, or a meta-property of a vertex property.
#[derive(Clone, Debug)]
pub struct Property {
    /// The key.
    pub key: Str,
    /// The value.
    pub value: Value,
    /// The element it belongs to inside a running query (an edge or a vertex property), where known.
    pub owner: Option<Value>,
}

impl Vertex {
    /// A vertex of which only id and label are known, as the ends of an edge are.
    pub fn reference(id: impl Into<Value>, label: impl Into<Str>) -> Self {
        Self { id: id.into(), label: label.into(), properties: Vec::new() }
    }
}
