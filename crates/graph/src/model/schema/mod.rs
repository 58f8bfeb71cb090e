//! What a graph's elements must look like: declared labels, keys, types, cardinalities, sort keys and constraints.
//!
//! ```text
//!  SchemaDescription (names) ─ change_schema ─▶ Schema (ids) ─ in every Catalog ─▶ Rules: what a write may do
//!          ▲                                       │
//!          └── a file, a service, a program        └─▶ catalog blob and log, as one numbered version
//! ```
//!
//! * *Open by default.* What is not declared is taken as it comes; what is declared is enforced. A strict schema also
//!   refuses what is not declared.
//! * *Versions.* Every change makes a new version with the next number. A change is checked against the elements that
//!   exist while writes go on (`define/change.rs`); it takes effect as a whole, or not at all (`apply/adopt.rs`). Stored values are left as
//!   they are, and are read as the types of the version in force (`retypes.rs`).
//! * *Indexes* are declared beside the schema ([`Definitions`]): they are numbered and stored together.

mod definitions;
mod description;
mod error;
mod index;
mod node_bounds;
mod parse;
mod retypes;
mod rules;
mod value_type;

pub(crate) use definitions::Definitions;
pub use description::{
    EdgeDescription, EdgeKeyDescription, IndexDescription, SchemaDescription, VertexDescription,
    VertexKeyDescription,
};
pub use error::SchemaError;
pub use index::{Index, IndexDefinition, IndexKind, IndexState};
pub use node_bounds::NodeBounds;
pub(crate) use retypes::{Conversions, Retypes};
pub(crate) use rules::{LabelOf, Rules};
pub use value_type::{ValueType, is_storable_type};
pub(crate) use value_type::{embeds, retype};

use std::collections::BTreeMap;

use super::names::{EdgeLabelId, KeyId, VertexLabelId};
use super::property::Cardinality;

/// Whether labels and keys appear on first use, or must be declared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SchemaMode {
    /// What is not declared is taken as it comes.
    #[default]
    Open,
    /// What is not declared is refused.
    Strict,
}

/// One version of a graph's schema.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schema {
    pub(crate) version: u64,
    pub(crate) mode: SchemaMode,
    pub(crate) allow_null_values: bool,
    pub(crate) vertices: BTreeMap<VertexLabelId, VertexSchema>,
    pub(crate) edges: BTreeMap<EdgeLabelId, EdgeSchema>,
}

/// What is declared of the vertices of a label.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VertexSchema<K = KeyId> {
    /// The declared keys.
    pub keys: BTreeMap<K, VertexKey<K>>,
}

/// What is declared of a property key of the vertices of a label.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VertexKey<K = KeyId> {
    /// The type of its values; any, if there is none.
    pub value_type: Option<ValueType>,
    /// How many values a vertex can have, and how a further one is taken.
    pub cardinality: Cardinality,
    /// Whether every vertex of the label must have a value when its transaction commits.
    pub required: bool,
    /// Meta-properties and the types of their values.
    pub meta: BTreeMap<K, Option<ValueType>>,
}

/// What is declared of the edges of a label.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EdgeSchema<K = KeyId> {
    /// The declared keys.
    pub keys: BTreeMap<K, EdgeKey>,
    /// The property key by which adjacency lists along this label are ordered; by insertion, if there is none.
    pub sort_key: Option<K>,
    /// How large the nodes of edge-trees along this label get; as the graph is configured, if there is nothing.
    pub nodes: Option<NodeBounds>,
}

/// What is declared of a property key of the edges of a label.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EdgeKey {
    /// The type of its values; any, if there is none.
    pub value_type: Option<ValueType>,
    /// Whether every edge of the label must have a value when its transaction commits.
    pub required: bool,
}

impl Schema {
    /// The number of this version: 0 before anything was declared, one more with every change.
    pub fn version(&self) -> u64 {
        self.version
    }
    /// Whether what is not declared is refused.
    pub fn mode(&self) -> SchemaMode {
        self.mode
    }
    /// Whether a property may have the value null. If not, a step that sets it to null removes it.
    pub fn allow_null_values(&self) -> bool {
        self.allow_null_values
    }
    /// What is declared of the vertices of a label.
    pub fn vertex(&self, label: VertexLabelId) -> Option<&VertexSchema> {
        self.vertices.get(&label)
    }
    /// What is declared of the edges of a label.
    pub fn edge(&self, label: EdgeLabelId) -> Option<&EdgeSchema> {
        self.edges.get(&label)
    }
    /// The property key by which adjacency lists along a label are ordered, if not by insertion.
    pub fn sort_key(&self, label: EdgeLabelId) -> Option<KeyId> {
        self.edges.get(&label)?.sort_key
    }
    /// The declared sizes of the nodes of edge-trees, with their labels.
    pub(crate) fn node_bounds(&self) -> impl Iterator<Item = (EdgeLabelId, NodeBounds)> {
        self.edges.iter().filter_map(|(label, declared)| Some((*label, declared.nodes?)))
    }
    /// Whether it says nothing at all, so that nothing needs to be enforced.
    pub fn is_empty(&self) -> bool {
        self.mode == SchemaMode::Open && self.vertices.is_empty() && self.edges.is_empty()
    }
}
