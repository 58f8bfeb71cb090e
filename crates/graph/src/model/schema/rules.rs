//! What a schema says about one write, or about one element.

use values::{Str, Value};

use super::error::SchemaError;
use super::value_type::{ValueType, fit, retype, type_name};
use super::{Schema, SchemaMode, VertexKey};
use crate::model::{Cardinality, Catalog, EdgeLabelId, KeyId, NameSpace, VertexLabelId};

/// A key as a write names it: its id, if it has one already, and its name.
pub(crate) type NamedKey<'a> = (Option<KeyId>, &'a str);

/// A label of vertices or of edges.
#[derive(Clone, Copy)]
pub(crate) enum LabelOf {
    Vertices(VertexLabelId),
    Edges(EdgeLabelId),
}

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

    /// Whether vertices, or edges if the space is theirs, may have this label.
    pub(crate) fn admit_label(&self, space: NameSpace, label: &str) -> Result<(), SchemaError> {
        let declared = || match space {
            NameSpace::EdgeLabel => self.schema.edge(self.catalog.edge_label(label)?).map(drop),
            _ => self.schema.vertex(self.catalog.vertex_label(label)?).map(drop),
        };
        if !self.is_strict() || declared().is_some() {
            return Ok(());
        }
        Err(SchemaError::UndeclaredLabel { space, label: shortened(label) })
    }

    /// What is declared of a key of the vertices of a label; nothing, if it may be used as it comes.
    fn vertex_key(
        &self,
        label: VertexLabelId,
        key: NamedKey<'_>,
    ) -> Result<Option<&'a VertexKey>, SchemaError> {
        let declared = key.0.and_then(|key| self.schema.vertex(label)?.keys.get(&key));
        self.unless_undeclared(declared, || of_vertices(label, key.1.into()))
    }

    /// What is declared of something; nothing, if it may be used as it comes.
    fn unless_undeclared<T>(
        &self,
        declared: Option<&'a T>,
        place: impl FnOnce() -> KeyPlace,
    ) -> Result<Option<&'a T>, SchemaError> {
        if declared.is_none() && self.is_strict() {
            let (space, label, key) = place();
            let (label, key) = (self.name(space, label), shortened(&key));
            return Err(SchemaError::UndeclaredKey { space, label, key });
        }
        Ok(declared)
    }

    /// The value as it is to be stored under a key of a vertex.
    pub(crate) fn vertex_value(
        &self,
        label: VertexLabelId,
        key: NamedKey<'_>,
        value: Value,
    ) -> Result<Value, SchemaError> {
        let declared = self.vertex_key(label, key)?;
        let (value_type, required) =
            declared.map_or((None, false), |declared| (declared.value_type, declared.required));
        self.typed(value_type, required, value, || of_vertices(label, key.1.into()))
    }

    /// The value as it is to be stored under a key of a vertex property.
    pub(crate) fn meta_value(
        &self,
        label: VertexLabelId,
        key: NamedKey<'_>,
        meta: NamedKey<'_>,
        value: Value,
    ) -> Result<Value, SchemaError> {
        let place = || of_vertices(label, format!("{}.{}", key.1, meta.1));
        let declared = self.vertex_key(label, key)?;
        let known = declared.and_then(|declared| declared.meta.get(&meta.0?));
        let known = self.unless_undeclared(known, place)?;
        self.typed(known.copied().flatten(), false, value, place)
    }

    /// The value as it is to be stored under a key of an edge.
    pub(crate) fn edge_value(
        &self,
        label: EdgeLabelId,
        key: NamedKey<'_>,
        value: Value,
    ) -> Result<Value, SchemaError> {
        let place = || (NameSpace::EdgeLabel, label.0, key.1.into());
        let declared = key.0.and_then(|key| self.schema.edge(label)?.keys.get(&key));
        let declared = self.unless_undeclared(declared, place)?;
        let (value_type, required) = declared.map_or((None, false), |key| (key.value_type, key.required));
        self.typed(value_type, required, value, place)
    }

    /// A null is of every type, where it may be stored; but no value, where there must be one.
    fn typed(
        &self,
        declared: Option<ValueType>,
        required: bool,
        value: Value,
        place: impl FnOnce() -> KeyPlace,
    ) -> Result<Value, SchemaError> {
        let fitting = match declared {
            _ if value.is_null() && required => None,
            None => Some(value.clone()),
            Some(_) if value.is_null() && (self.stored || self.schema.allow_null_values) => Some(Value::Null),
            Some(declared) if self.stored => retype(&value, declared),
            Some(declared) => fit(&value, declared),
        };
        fitting.ok_or_else(|| {
            let (space, label, key) = place();
            let (label, expected) =
                (self.name(space, label), declared.map_or_else(|| "value".to_owned(), type_name));
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
                let (label, key) = (self.name(NameSpace::VertexLabel, label.0), key.1.into());
                Err(SchemaError::WrongCardinality { label, key, declared, asked })
            }
            (declared, asked) => Ok(asked.or(declared).unwrap_or_default()),
        }
    }

    /// Every required key of an element must be there.
    pub(crate) fn require(
        &self,
        label: LabelOf,
        id: impl FnOnce() -> Value,
        has: impl Fn(KeyId) -> bool,
    ) -> Result<(), SchemaError> {
        let lacks = |key: &KeyId, required: bool| (required && !has(*key)).then_some(*key);
        let (missing, element, space, label) = match label {
            LabelOf::Vertices(label) => {
                let mut keys = self.schema.vertex(label).into_iter().flat_map(|declared| &declared.keys);
                let missing = keys.find_map(|(key, declared)| lacks(key, declared.required));
                (missing, "vertex", NameSpace::VertexLabel, label.0)
            }
            LabelOf::Edges(label) => {
                let mut keys = self.schema.edge(label).into_iter().flat_map(|declared| &declared.keys);
                let missing = keys.find_map(|(key, declared)| lacks(key, declared.required));
                (missing, "edge", NameSpace::EdgeLabel, label.0)
            }
        };
        let Some(key) = missing else { return Ok(()) };
        let (label, key) = (self.name(space, label), self.name(NameSpace::Key, key.0));
        Err(SchemaError::Missing { element, id: values::excerpt(&id()), space, label, key })
    }

    /// A name, for messages. One that the transaction brings is not declared.
    fn name(&self, space: NameSpace, id: u16) -> Str {
        self.catalog.name(space, id).cloned().unwrap_or_default()
    }
}

/// Where a key is declared, or is not: the space of its label, the label, and its name.
type KeyPlace = (NameSpace, u16, String);

fn of_vertices(label: VertexLabelId, key: String) -> KeyPlace {
    (NameSpace::VertexLabel, label.0, key)
}

fn shortened(name: &str) -> String {
    name.chars().take(64).collect()
}
