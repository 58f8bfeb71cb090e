//! A schema by names: what people write and programs change.

use std::collections::{BTreeMap, BTreeSet};

use values::Value;

use super::error::SchemaError;
use super::index::{IndexDefinition, IndexKind};
use super::parse::bad;
use super::value_type::{ValueType, is_storable_type, type_name};
use super::{EdgeKey, EdgeSchema, Schema, SchemaMode, VertexKey, VertexSchema};
use crate::error::Result;
use crate::model::{Catalog, EdgeLabelId, KeyId, NameSpace, VertexLabelId};

/// A schema by names. [`SchemaDescription::from_value`] says how it looks as a map, which is also how it looks in a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SchemaDescription {
    /// Whether what is not declared is refused.
    pub mode: SchemaMode,
    /// Whether a property may have the value null ([`Schema::allow_null_values`]).
    pub allow_null_values: bool,
    /// What is declared of vertices, by label.
    pub vertices: BTreeMap<String, VertexDescription>,
    /// What is declared of edges, by label.
    pub edges: BTreeMap<String, EdgeDescription>,
    /// The indexes.
    pub indexes: Vec<IndexDescription>,
}

/// What is declared of the vertices of a label, by the names of their keys.
pub type VertexDescription = VertexSchema<String>;
/// What is declared of a property key of the vertices of a label, by the names of its meta-properties.
pub type VertexKeyDescription = VertexKey<String>;
/// What is declared of the edges of a label, by the names of their keys.
pub type EdgeDescription = EdgeSchema<String>;
/// What is declared of a property key of the edges of a label. It names nothing.
pub type EdgeKeyDescription = EdgeKey;

/// An index by names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct IndexDescription {
    /// The label of the vertices it covers.
    pub label: String,
    /// The keys whose values it finds.
    pub keys: Vec<String>,
    /// What it can answer.
    pub kind: IndexKind,
}

impl SchemaDescription {
    /// The schema and the indexes of a catalog, by names.
    pub(crate) fn of(catalog: &Catalog) -> Self {
        let schema = catalog.schema();
        let key = |key: &KeyId| catalog.key_name(*key).to_string();
        let vertex_key = |declared: &VertexKey| VertexKeyDescription {
            value_type: declared.value_type,
            cardinality: declared.cardinality,
            required: declared.required,
            meta: declared.meta.iter().map(|(name, value_type)| (key(name), *value_type)).collect(),
        };
        let vertex = |(label, declared): (&VertexLabelId, &VertexSchema)| {
            let keys = declared.keys.iter().map(|(name, declared)| (key(name), vertex_key(declared)));
            (catalog.vertex_label_name(*label).to_string(), VertexDescription { keys: keys.collect() })
        };
        let edge = |(label, declared): (&EdgeLabelId, &EdgeSchema)| {
            let keys = declared.keys.iter().map(|(name, declared)| (key(name), *declared));
            let sort_key = declared.sort_key.as_ref().map(key);
            (
                catalog.edge_label_name(*label).to_string(),
                EdgeDescription { keys: keys.collect(), sort_key, nodes: declared.nodes },
            )
        };
        Self {
            mode: schema.mode(),
            allow_null_values: schema.allow_null_values(),
            vertices: schema.vertices.iter().map(vertex).collect(),
            edges: schema.edges.iter().map(edge).collect(),
            indexes: catalog
                .indexes()
                .iter()
                .map(|index| IndexDescription::of(&index.definition, catalog))
                .collect(),
        }
    }

    /// Takes over what `other` says of labels, keys, sort keys and nodes; what it does not mention stays. Mode, null values and indexes stay.
    pub fn extend(&mut self, other: &Self) {
        for (label, declared) in &other.vertices {
            let keys = &mut self.vertices.entry(label.clone()).or_default().keys;
            keys.extend(declared.keys.iter().map(|(key, declared)| (key.clone(), declared.clone())));
        }
        for (label, declared) in &other.edges {
            let edge = self.edges.entry(label.clone()).or_default();
            edge.keys.extend(declared.keys.iter().map(|(key, declared)| (key.clone(), *declared)));
            if declared.sort_key.is_some() {
                edge.sort_key.clone_from(&declared.sort_key);
            }
            edge.nodes = declared.nodes.or(edge.nodes);
        }
    }

    /// What would have to change for this to become `other`, a line for each label, key, field and index: `+` for what
    /// is new, `-` for what goes.
    pub fn difference(&self, other: &Self) -> Vec<String> {
        let (before, after) = (self.lines(), other.lines());
        let gone = before.difference(&after).map(|line| (line, "-"));
        let new = after.difference(&before).map(|line| (line, "+"));
        let all: BTreeSet<(&String, &str)> = gone.chain(new).collect();
        all.into_iter().map(|(line, sign)| format!("{sign} {line}")).collect()
    }

    fn lines(&self) -> BTreeSet<String> {
        let mut lines = BTreeSet::new();
        lines.extend(self.indexes.iter().map(|index| format!("index {index}")));
        flatten(&Self { indexes: Vec::new(), ..self.clone() }.to_value(), String::new(), &mut lines);
        lines
    }

    /// The same schema by ids, as the next version; `intern` gives names their ids. Indexes are not part of it.
    ///
    /// # Errors
    /// If a name cannot be one, or properties cannot have a type.
    pub(crate) fn to_schema(
        &self,
        version: u64,
        mut intern: impl FnMut(NameSpace, &str) -> Result<u16>,
    ) -> Result<Schema> {
        let Self { mode, allow_null_values, .. } = *self;
        let mut schema = Schema { version, mode, allow_null_values, ..Schema::default() };
        for (label, declared) in &self.vertices {
            let id = VertexLabelId(intern(NameSpace::VertexLabel, label)?);
            let mut keys = BTreeMap::new();
            for (key, declared) in &declared.keys {
                check_type(declared.value_type, || format!("vertices.{label}.keys.{key}.type"))?;
                let mut meta = BTreeMap::new();
                for (name, value_type) in &declared.meta {
                    check_type(*value_type, || format!("vertices.{label}.keys.{key}.meta.{name}"))?;
                    meta.insert(KeyId(intern(NameSpace::Key, name)?), *value_type);
                }
                let VertexKeyDescription { value_type, cardinality, required, .. } = *declared;
                let declared = VertexKey { value_type, cardinality, required, meta };
                keys.insert(KeyId(intern(NameSpace::Key, key)?), declared);
            }
            schema.vertices.insert(id, VertexSchema { keys });
        }
        for (label, declared) in &self.edges {
            let id = EdgeLabelId(intern(NameSpace::EdgeLabel, label)?);
            let mut keys = BTreeMap::new();
            for (key, declared) in &declared.keys {
                check_type(declared.value_type, || format!("edges.{label}.keys.{key}.type"))?;
                keys.insert(KeyId(intern(NameSpace::Key, key)?), *declared);
            }
            let sort_key = declared.sort_key.as_ref().map(|key| intern(NameSpace::Key, key)).transpose()?;
            declared.nodes.map_or(Ok(()), |nodes| nodes.check(&format!("edges.{label}.nodes")))?;
            schema
                .edges
                .insert(id, EdgeSchema { keys, sort_key: sort_key.map(KeyId), nodes: declared.nodes });
        }
        Ok(schema)
    }
}

/// A line for each leaf of a map of maps: its place and its value.
fn flatten(value: &Value, place: String, lines: &mut BTreeSet<String>) {
    match value.as_map() {
        Some(map) if !map.is_empty() => {
            for (key, value) in map.iter() {
                let dot = if place.is_empty() { "" } else { "." };
                flatten(value, format!("{place}{dot}{key}"), lines);
            }
        }
        Some(_) => _ = lines.insert(place),
        None if value.as_list().is_some_and(<[Value]>::is_empty) => {}
        None => _ = lines.insert(format!("{place} = {value}")),
    }
}

fn check_type(value_type: Option<ValueType>, place: impl FnOnce() -> String) -> Result<(), SchemaError> {
    let refused = value_type.filter(|value_type| !is_storable_type(*value_type)).map(type_name);
    refused.map_or(Ok(()), |name| Err(bad(&place(), &format!("properties cannot have the type {name}"))))
}

impl IndexDescription {
    /// An index by names.
    pub fn of(definition: &IndexDefinition, catalog: &Catalog) -> Self {
        Self {
            label: catalog.vertex_label_name(definition.label).to_string(),
            keys: definition.keys.iter().map(|key| catalog.key_name(*key).to_string()).collect(),
            kind: definition.kind,
        }
    }
}

impl std::fmt::Display for IndexDescription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}({})", self.kind.name(), self.label, self.keys.join(", "))
    }
}
