//! What a schema refuses.

use values::{Str, Value, excerpt};

use crate::model::{Cardinality, NameSpace};

/// Why a write, or a change of the schema, was refused: which label, which key, what was declared and what was found.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// A value is not of the declared type, nor a number that fits it exactly.
    #[error(
        "the property {key:?} of the {space} {label:?} is declared as {expected}, but this value is a {found}; \
         convert the value, or change the schema"
    )]
    WrongType {
        /// Whether the label is one of vertices or of edges.
        space: NameSpace,
        /// The label.
        label: Str,
        /// The key; of a meta-property: `key.meta`.
        key: String,
        /// The declared type.
        expected: String,
        /// The type of the value.
        found: String,
    },
    /// A cardinality was asked for that the declared one does not admit.
    #[error(
        "the property {key:?} of the vertex label {label:?} has cardinality {declared}, so {asked} cannot be used; \
         leave the cardinality out, or change the schema"
    )]
    WrongCardinality {
        /// The label.
        label: Str,
        /// The key.
        key: Str,
        /// The declared one.
        declared: Cardinality,
        /// The one asked for.
        asked: Cardinality,
    },
    /// An element has no value under a key that every element of its label must have.
    #[error(
        "the {element} {id} has no property {key:?}, which the {space} {label:?} requires; set it in the same \
         transaction"
    )]
    Missing {
        /// Vertex or edge.
        element: &'static str,
        /// Its id.
        id: String,
        /// Whether the label is one of vertices or of edges.
        space: NameSpace,
        /// The label.
        label: Str,
        /// The key.
        key: Str,
    },
    /// The schema is strict and does not have this label.
    #[error("the schema is strict and declares no {space} {label:?}; declare it first")]
    UndeclaredLabel {
        /// Of vertices or of edges.
        space: NameSpace,
        /// The label.
        label: String,
    },
    /// The schema is strict and does not have this key.
    #[error(
        "the schema is strict and declares no property {key:?} of the {space} {label:?}; declare it first"
    )]
    UndeclaredKey {
        /// Of vertices or of edges.
        space: NameSpace,
        /// The label.
        label: Str,
        /// The key; of a meta-property: `key.meta`.
        key: String,
    },
    /// Another vertex has this value under a key with a unique index.
    #[error(
        "the property {key:?} of the vertex label {label:?} is unique, and the vertex {holder} already has the value \
         {value}",
        holder = excerpt(holder),
        value = excerpt(value)
    )]
    NotUnique {
        /// The label.
        label: Str,
        /// The key.
        key: Str,
        /// The value.
        value: Value,
        /// The id of the vertex that has it.
        holder: Value,
    },
    /// A description of a schema that makes no sense.
    #[error("{place}: {problem}")]
    BadDescription {
        /// Where in the description: `vertices.person.keys.age.type`.
        place: String,
        /// What is wrong, and what is possible.
        problem: String,
    },
    /// Elements that exist break what is to be declared.
    #[error("the schema was not changed, since the graph has elements that break it: {0}")]
    Broken(Box<SchemaError>),
    /// No such index.
    #[error("there is no {kind} index on {label:?} over {keys}; mangrove.index.list shows those there are")]
    NoSuchIndex {
        /// Its kind.
        kind: &'static str,
        /// The label.
        label: String,
        /// The keys.
        keys: String,
    },
}
