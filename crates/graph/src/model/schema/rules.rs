//! What a schema says about one write, or about one element.

use values::{Str, Value};

use super::error::SchemaError;
use super::value_type::{ValueType, fit, retype, type_name};
use super::{EdgeKey, Schema, SchemaMode, VertexKey};
use crate::model::catalog::Catalog;
use crate::model::names::{EdgeLabelId, KeyId, VertexLabelId};
use crate::model::naming::NameSpace;
use crate::model::property::Cardinality;

/// A key as a write names it: its id, if it has one already, and its name.
pub(crate) type NamedKey<'a> = (Option<KeyId>, &'a str);

/// A schema, with the names for its messages.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a> {
    schema: &'a Schema,
    catalog: &'a Catalog,
    /// Whether the values are stored already, and so are not changed, but read as the declared type.
    stored: bool,
}

impl<'a> Rules<'a> {
    pub(crate) fn new(schema: &'a Schema, catalog: &'a Catalog) -> Self {
        Self { schema, catalog, stored: false }
    }

    /// The rules for what is stored already.
    pub(crate) fn of_stored(schema: &'a Schema, catalog: &'a Catalog) -> Self {
        Self { schema, catalog, stored: true }
    }

    fn is_strict(&self) -> bool {
        self.schema.mode == SchemaMode::Strict
    }

    /// Whether vertices may have this label.
    pub(crate) fn admit_vertex_label(&self, label: &str) -> Result<(), SchemaError> {
        let declared = || self.schema.vertex(self.catalog.vertex_label(label)?);
        if !self.is_strict() || declared().is_some() {
            return Ok(());
        }
        Err(SchemaError::UndeclaredLabel { space: NameSpace::VertexLabel, label: shortened(label) })
    }

    /// Whether edges may have this label.
    pub(crate) fn admit_edge_label(&self, label: &str) -> Result<(), SchemaError> {
        let declared = || self.schema.edge(self.catalog.edge_label(label)?);
        if !self.is_strict() || declared().is_some() {
            return Ok(());
        }
        Err(SchemaError::UndeclaredLabel { space: NameSpace::EdgeLabel, label: shortened(label) })
    }

    /// What is declared of a key of the vertices of a label; nothing, if it may be used as it comes.
    fn vertex_key(
        &self,
        label: VertexLabelId,
        key: NamedKey<'_>,
    ) -> Result<Option<&'a VertexKey>, SchemaError> {
        let declared = key.0.and_then(|key| self.schema.vertex(label)?.keys.get(&key));
        if declared.is_none() && self.is_strict() {
            return Err(self.undeclared_key(NameSpace::VertexLabel, self.vertex_label(label), key.1.into()));
        }
        Ok(declared)
    }

    fn edge_key(&self, label: EdgeLabelId, key: NamedKey<'_>) -> Result<Option<&'a EdgeKey>, SchemaError> {
        let declared = key.0.and_then(|key| self.schema.edge(label)?.keys.get(&key));
        if declared.is_none() && self.is_strict() {
            return Err(self.undeclared_key(NameSpace::EdgeLabel, self.edge_label(label), key.1.into()));
        }
        Ok(declared)
    }

    fn undeclared_key(&self, space: NameSpace, label: Str, key: String) -> SchemaError {
        SchemaError::UndeclaredKey { space, label, key: shortened(&key) }
    }

    /// The value as it is to be stored under a key of a vertex.
    pub(crate) fn vertex_value(
        &self,
        label: VertexLabelId,
        key: NamedKey<'_>,
        value: Value,
    ) -> Result<Value, SchemaError> {
        let declared = self.vertex_key(label, key)?;
        self.typed(declared.and_then(|key| key.value_type), value, || {
            (NameSpace::VertexLabel, self.vertex_label(label), key.1.into())
        })
    }

    /// The value as it is to be stored under a key of a vertex property.
    pub(crate) fn meta_value(
        &self,
        label: VertexLabelId,
        key: NamedKey<'_>,
        meta: NamedKey<'_>,
        value: Value,
    ) -> Result<Value, SchemaError> {
        let place = || format!("{}.{}", key.1, meta.1);
        let declared = self.vertex_key(label, key)?;
        let known = declared.and_then(|declared| declared.meta.get(&meta.0?));
        if known.is_none() && self.is_strict() {
            return Err(self.undeclared_key(NameSpace::VertexLabel, self.vertex_label(label), place()));
        }
        self.typed(known.copied().flatten(), value, || {
            (NameSpace::VertexLabel, self.vertex_label(label), place())
        })
    }

    /// The value as it is to be stored under a key of an edge.
    pub(crate) fn edge_value(
        &self,
        label: EdgeLabelId,
        key: NamedKey<'_>,
        value: Value,
    ) -> Result<Value, SchemaError> {
        let declared = self.edge_key(label, key)?;
        self.typed(declared.and_then(|key| key.value_type), value, || {
            (NameSpace::EdgeLabel, self.edge_label(label), key.1.into())
        })
    }

    fn typed(
        &self,
        declared: Option<ValueType>,
        value: Value,
        place: impl FnOnce() -> (NameSpace, Str, String),
    ) -> Result<Value, SchemaError> {
        let Some(declared) = declared else { return Ok(value) };
        let fitting = if self.stored { retype(&value, declared) } else { fit(&value, declared) };
        fitting.ok_or_else(|| {
            let (space, label, key) = place();
            let expected = type_name(declared);
            let found = value.gtype().map_or_else(|| value.type_name().to_owned(), type_name);
            SchemaError::WrongType { space, label, key, expected, found }
        })
    }

    /// How a further value under a key of a vertex is taken: as asked, or else as declared.
    pub(crate) fn cardinality(
        &self,
        label: VertexLabelId,
        key: NamedKey<'_>,
        asked: Option<Cardinality>,
    ) -> Result<Cardinality, SchemaError> {
        let declared = self.vertex_key(label, key)?.map(|key| key.cardinality);
        let admitted = |declared, asked| match asked {
            Cardinality::Single => true,
            Cardinality::Set => declared != Cardinality::Single,
            Cardinality::List => declared == Cardinality::List,
        };
        match (declared, asked) {
            (Some(declared), Some(asked)) if !admitted(declared, asked) => {
                let (label, key) = (self.vertex_label(label), key.1.into());
                Err(SchemaError::WrongCardinality { label, key, declared, asked })
            }
            (declared, asked) => Ok(asked.or(declared).unwrap_or_default()),
        }
    }

    /// Every required key of a vertex must be there.
    pub(crate) fn require_of_vertex(
        &self,
        label: VertexLabelId,
        id: impl FnOnce() -> Value,
        has: impl Fn(KeyId) -> bool,
    ) -> Result<(), SchemaError> {
        let Some(declared) = self.schema.vertex(label) else { return Ok(()) };
        let missing = declared.keys.iter().find(|(key, declared)| declared.required && !has(**key));
        missing.map_or(Ok(()), |(key, _)| {
            Err(self.missing("vertex", id(), NameSpace::VertexLabel, self.vertex_label(label), *key))
        })
    }

    /// Every required key of an edge must be there.
    pub(crate) fn require_of_edge(
        &self,
        label: EdgeLabelId,
        id: impl FnOnce() -> Value,
        has: impl Fn(KeyId) -> bool,
    ) -> Result<(), SchemaError> {
        let Some(declared) = self.schema.edge(label) else { return Ok(()) };
        let missing = declared.keys.iter().find(|(key, declared)| declared.required && !has(**key));
        missing.map_or(Ok(()), |(key, _)| {
            Err(self.missing("edge", id(), NameSpace::EdgeLabel, self.edge_label(label), *key))
        })
    }

    fn missing(
        &self,
        element: &'static str,
        id: Value,
        space: NameSpace,
        label: Str,
        key: KeyId,
    ) -> SchemaError {
        SchemaError::Missing { element, id: id.to_string(), space, label, key: self.key(key) }
    }

    // Names, for messages. A name that the transaction brings is not declared.

    fn vertex_label(&self, label: VertexLabelId) -> Str {
        self.catalog.name(NameSpace::VertexLabel, label.0).cloned().unwrap_or_default()
    }

    fn edge_label(&self, label: EdgeLabelId) -> Str {
        self.catalog.name(NameSpace::EdgeLabel, label.0).cloned().unwrap_or_default()
    }

    fn key(&self, key: KeyId) -> Str {
        self.catalog.name(NameSpace::Key, key.0).cloned().unwrap_or_default()
    }
}

fn shortened(name: &str) -> String {
    name.chars().take(64).collect()
}
