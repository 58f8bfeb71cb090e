//! Descriptions of schemas as maps: what services take and give, and what schema files hold.

use std::collections::BTreeMap;

use values::{Map, Value, excerpt};

use super::SchemaMode;
use super::description::{
    EdgeDescription, EdgeKeyDescription, IndexDescription, SchemaDescription, VertexDescription,
    VertexKeyDescription,
};
use super::error::SchemaError;
use super::index::{IndexDefinition, IndexKind};
use super::node_bounds::NodeBounds;
use super::value_type::{ValueType, type_from_name, type_name};
use crate::model::property::Cardinality;

impl SchemaDescription {
    /// Reads a description from a map of strings, booleans, lists and maps:
    ///
    /// ```text
    /// { mode: 'open' | 'strict',
    ///   allow_null_values: BOOLEAN,
    ///   vertices: { LABEL: { keys: { KEY: TYPE | { type: TYPE, cardinality: 'single' | 'list' | 'set',
    ///                                              required: BOOLEAN, meta: { KEY: TYPE } } } } },
    ///   edges:    { LABEL: { sort: KEY, nodes: MAX | { min: MIN, max: MAX },
    ///                         keys: { KEY: TYPE | { type: TYPE, required: BOOLEAN } } } },
    ///   indexes:  [ { label: LABEL, keys: [ KEY… ], kind: 'equality' | 'unique' | 'range' } ] }
    /// ```
    ///
    /// Everything can be left out. A TYPE is the name of a type of Gremlin (`long`, `string`, `datetime`) or `any`.
    ///
    /// # Errors
    /// [`SchemaError::BadDescription`], with the place.
    pub fn from_value(value: &Value) -> Result<Self, SchemaError> {
        let mut description = Self::default();
        for (field, place, value) in fields(value, "")? {
            match field {
                "mode" => description.mode = mode(value, &place)?,
                "allow_null_values" => description.allow_null_values = boolean(value, &place)?,
                "vertices" => description.vertices = named(value, &place, vertex)?,
                "edges" => description.edges = named(value, &place, edge)?,
                "indexes" => {
                    for (number, value) in items(value, &place)?.iter().enumerate() {
                        let index = IndexDescription::read(value, &format!("{place}[{number}]"))?;
                        description.indexes.push(index);
                    }
                }
                _ => return Err(unknown(place, "mode, allow_null_values, vertices, edges and indexes")),
            }
        }
        Ok(description)
    }

    /// The map that [`SchemaDescription::from_value`] reads.
    pub fn to_value(&self) -> Value {
        let vertex =
            |vertex: &VertexDescription| map([("keys", Some(by_name(&vertex.keys, vertex_key_value)))]);
        let edge_key = |declared: &EdgeKeyDescription| {
            map([("type", Some(type_value(&declared.value_type))), ("required", flag(declared.required))])
        };
        let edge = |edge: &EdgeDescription| {
            map([
                ("sort", edge.sort_key.as_deref().map(Value::str)),
                ("nodes", edge.nodes.map(NodeBounds::to_value)),
                ("keys", Some(by_name(&edge.keys, edge_key))),
            ])
        };
        let mode = match self.mode {
            SchemaMode::Open => "open",
            SchemaMode::Strict => "strict",
        };
        map([
            ("mode", Some(Value::str(mode))),
            ("allow_null_values", flag(self.allow_null_values)),
            ("vertices", Some(by_name(&self.vertices, vertex))),
            ("edges", Some(by_name(&self.edges, edge))),
            ("indexes", Some(self.indexes.iter().map(IndexDescription::to_value).collect::<Vec<_>>().into())),
        ])
    }
}

impl IndexDescription {
    /// Reads a description from the map `{label: LABEL, keys: [KEY…], kind: KIND}`; the kind is `equality` where it is
    /// left out, and `key: KEY` may stand for a list of one.
    ///
    /// # Errors
    /// [`SchemaError::BadDescription`], with the place.
    pub fn from_value(value: &Value) -> Result<Self, SchemaError> {
        Self::read(value, "index")
    }

    fn read(value: &Value, at: &str) -> Result<Self, SchemaError> {
        let (mut label, mut keys, mut kind) = (None, Vec::new(), IndexKind::Equality);
        for (field, place, value) in fields(value, at)? {
            match field {
                "label" => label = Some(text(value, &place)?.to_owned()),
                "key" => keys.push(text(value, &place)?.to_owned()),
                "keys" => {
                    for key in items(value, &place)? {
                        keys.push(text(key, &place)?.to_owned());
                    }
                }
                "kind" => {
                    let name = text(value, &place)?;
                    let found = IndexKind::from_name(name);
                    kind = found.ok_or_else(|| bad(&place, "expected equality, unique or range"))?;
                }
                _ => return Err(unknown(place, "label, keys and kind")),
            }
        }
        let label = label.ok_or_else(|| bad(at, "an index needs a label"))?;
        let index = Self { label, keys, kind };
        index.check(at)?;
        Ok(index)
    }

    /// Refuses what no index can be.
    pub(crate) fn check(&self, at: &str) -> Result<(), SchemaError> {
        let most = if self.kind == IndexKind::Range { IndexDefinition::MAX_KEYS } else { 1 };
        if self.keys.is_empty() || self.keys.len() > most {
            let kind = self.kind.name();
            let problem =
                format!("a {kind} index has from one to {most} keys, this one has {}", self.keys.len());
            return Err(bad(at, &problem));
        }
        match (1..self.keys.len()).find(|&i| self.keys[..i].contains(&self.keys[i])) {
            Some(i) => Err(bad(at, &format!("the key {:?} is there twice", excerpt(&self.keys[i])))),
            None => Ok(()),
        }
    }

    /// The map that [`IndexDescription::from_value`] reads.
    pub fn to_value(&self) -> Value {
        let keys: Vec<Value> = self.keys.iter().map(|key| Value::str(key.as_str())).collect();
        map([
            ("label", Some(Value::str(self.label.as_str()))),
            ("keys", Some(keys.into())),
            ("kind", Some(Value::str(self.kind.name()))),
        ])
    }
}

fn boolean(value: &Value, place: &str) -> Result<bool, SchemaError> {
    match value {
        Value::Bool(is) => Ok(*is),
        _ => Err(bad(place, "expected true or false")),
    }
}

fn mode(value: &Value, place: &str) -> Result<SchemaMode, SchemaError> {
    match text(value, place)? {
        "open" => Ok(SchemaMode::Open),
        "strict" => Ok(SchemaMode::Strict),
        _ => Err(bad(place, "expected open or strict")),
    }
}

fn vertex(value: &Value, at: &str) -> Result<VertexDescription, SchemaError> {
    let mut vertex = VertexDescription::default();
    for (field, place, value) in fields(value, at)? {
        match field {
            "keys" => vertex.keys = named(value, &place, vertex_key)?,
            _ => return Err(unknown(place, "keys")),
        }
    }
    Ok(vertex)
}

fn vertex_key(value: &Value, at: &str) -> Result<VertexKeyDescription, SchemaError> {
    let mut key = VertexKeyDescription::default();
    for (field, place, value) in fields_or_type(value, at)? {
        match field {
            "type" => key.value_type = value_type(value, &place)?,
            "required" => key.required = truth(value, &place)?,
            "cardinality" => {
                let found = Cardinality::from_name(text(value, &place)?);
                key.cardinality = found.ok_or_else(|| bad(&place, "expected single, list or set"))?;
            }
            "meta" => key.meta = named(value, &place, value_type)?,
            _ => return Err(unknown(place, "type, cardinality, required and meta")),
        }
    }
    Ok(key)
}

fn edge(value: &Value, at: &str) -> Result<EdgeDescription, SchemaError> {
    let mut edge = EdgeDescription::default();
    for (field, place, value) in fields(value, at)? {
        match field {
            "sort" => edge.sort_key = Some(text(value, &place)?.to_owned()),
            "nodes" => edge.nodes = Some(NodeBounds::from_value(value, &place)?),
            "keys" => edge.keys = named(value, &place, edge_key)?,
            _ => return Err(unknown(place, "sort, nodes and keys")),
        }
    }
    Ok(edge)
}

fn edge_key(value: &Value, at: &str) -> Result<EdgeKeyDescription, SchemaError> {
    let mut key = EdgeKeyDescription::default();
    for (field, place, value) in fields_or_type(value, at)? {
        match field {
            "type" => key.value_type = value_type(value, &place)?,
            "required" => key.required = truth(value, &place)?,
            _ => return Err(unknown(place, "type and required")),
        }
    }
    Ok(key)
}

fn value_type(value: &Value, place: &str) -> Result<Option<ValueType>, SchemaError> {
    let name = text(value, place)?;
    if name == "any" {
        return Ok(None);
    }
    let known = || {
        let storable = ValueType::ALL.iter().filter(|known| super::value_type::is_storable_type(**known));
        storable.map(|known| type_name(*known)).collect::<Vec<_>>().join(", ")
    };
    let found = type_from_name(name);
    found.map(Some).ok_or_else(|| {
        bad(place, &format!("no type is called {:?}; there are any, {}", excerpt(name), known()))
    })
}

/// What is described of each name in a map.
fn named<T>(
    value: &Value,
    at: &str,
    read: impl Fn(&Value, &str) -> Result<T, SchemaError>,
) -> Result<BTreeMap<String, T>, SchemaError> {
    let described = fields(value, at)?.into_iter();
    described.map(|(name, place, value)| Ok((name.to_owned(), read(value, &place)?))).collect()
}

/// The fields of a key, of which a type alone is one.
fn fields_or_type<'v>(value: &'v Value, at: &str) -> Result<Vec<(&'v str, String, &'v Value)>, SchemaError> {
    match value.as_map() {
        Some(_) => fields(value, at),
        None => Ok(vec![("type", at.to_owned(), value)]),
    }
}

/// The entries of a map whose keys are strings, with the place of each.
pub(super) fn fields<'v>(
    value: &'v Value,
    at: &str,
) -> Result<Vec<(&'v str, String, &'v Value)>, SchemaError> {
    let map =
        value.as_map().ok_or_else(|| bad(at, &format!("expected a map, found a {}", value.type_name())))?;
    let entry = |(key, value): (&'v Value, &'v Value)| {
        let key = key.as_str().ok_or_else(|| bad(at, "the keys of this map must be strings"))?;
        // What is beside it has a place of its own, each with all the names on the way.
        let name = excerpt(key);
        let place = if at.is_empty() { name } else { format!("{at}.{name}") };
        Ok((key, place, value))
    };
    map.iter().map(entry).collect()
}

fn items<'v>(value: &'v Value, at: &str) -> Result<&'v [Value], SchemaError> {
    value.as_list().ok_or_else(|| bad(at, &format!("expected a list, found a {}", value.type_name())))
}

fn text<'v>(value: &'v Value, at: &str) -> Result<&'v str, SchemaError> {
    value.as_str().ok_or_else(|| bad(at, &format!("expected a string, found a {}", value.type_name())))
}

fn truth(value: &Value, at: &str) -> Result<bool, SchemaError> {
    value.as_bool().ok_or_else(|| bad(at, &format!("expected true or false, found a {}", value.type_name())))
}

pub(super) fn bad(place: &str, problem: &str) -> SchemaError {
    let place = if place.is_empty() { "the schema" } else { place };
    SchemaError::BadDescription { place: place.into(), problem: problem.into() }
}

pub(super) fn unknown(place: String, possible: &str) -> SchemaError {
    SchemaError::BadDescription { place, problem: format!("there is no such field; possible are {possible}") }
}

fn vertex_key_value(key: &VertexKeyDescription) -> Value {
    map([
        ("type", Some(type_value(&key.value_type))),
        ("cardinality", Some(Value::str(key.cardinality.name()))),
        ("required", flag(key.required)),
        ("meta", (!key.meta.is_empty()).then(|| by_name(&key.meta, type_value))),
    ])
}

/// A map of what is described of each name.
fn by_name<T>(described: &BTreeMap<String, T>, value: impl Fn(&T) -> Value) -> Value {
    let entries = described.iter().map(|(name, described)| (Value::str(name.as_str()), value(described)));
    entries.collect::<Map>().into()
}

fn type_value(value_type: &Option<ValueType>) -> Value {
    Value::from(value_type.map_or_else(|| "any".to_owned(), type_name))
}

fn flag(on: bool) -> Option<Value> {
    on.then_some(Value::Bool(true))
}

pub(super) fn map<const N: usize>(entries: [(&str, Option<Value>); N]) -> Value {
    let present = entries.into_iter().filter_map(|(key, value)| Some((Value::str(key), value?)));
    present.collect::<Map>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described() -> SchemaDescription {
        let meta = [("since".to_owned(), Some(ValueType::DateTime)), ("note".to_owned(), None)].into();
        let key = VertexKeyDescription {
            value_type: Some(ValueType::String),
            cardinality: Cardinality::Set,
            required: true,
            meta,
        };
        let edge_key = EdgeKeyDescription { value_type: Some(ValueType::Long), required: true };
        SchemaDescription {
            mode: SchemaMode::Strict,
            allow_null_values: true,
            vertices: [("person".into(), VertexDescription { keys: [("email".into(), key)].into() })].into(),
            edges: [(
                "knows".into(),
                EdgeDescription {
                    keys: [("since".into(), edge_key)].into(),
                    sort_key: Some("since".into()),
                    nodes: Some(NodeBounds { min: 100, max: 900 }),
                },
            )]
            .into(),
            indexes: vec![IndexDescription {
                label: "person".into(),
                keys: vec!["city".into(), "age".into()],
                kind: IndexKind::Range,
            }],
        }
    }

    #[test]
    fn a_description_comes_back_from_its_map() {
        let described = described();
        assert_eq!(SchemaDescription::from_value(&described.to_value()).unwrap(), described);
        let empty = SchemaDescription::default();
        assert_eq!(SchemaDescription::from_value(&empty.to_value()).unwrap(), empty);
    }

    #[test]
    fn a_mistake_is_reported_with_its_place() {
        let refused = |value: Value| SchemaDescription::from_value(&value).unwrap_err().to_string();
        let nested = |fields: &[&str], value: Value| {
            fields.iter().rev().fold(value, |value, field| map([(field, Some(value))]))
        };
        let text = refused(nested(&["vertices", "person", "keys", "age"], "lnog".into()));
        assert!(text.starts_with("vertices.person.keys.age: no type is called \"lnog\""), "{text}");
        let text = refused(nested(&["edges", "knows", "sorted"], "since".into()));
        assert_eq!(text, "edges.knows.sorted: there is no such field; possible are sort, nodes and keys");
        let nodes = |value| refused(nested(&["edges", "knows", "nodes"], value));
        assert_eq!(nodes("many".into()), "edges.knows.nodes: expected a number of edges, found many");
        let text = nodes(map([("least", Some(Value::Int(3)))]));
        assert_eq!(text, "edges.knows.nodes.least: there is no such field; possible are min and max");
        let text = nodes(map([("min", Some(Value::Int(3)))]));
        assert_eq!(text, "edges.knows.nodes: the bounds of edge nodes need a max");
        let text = refused(nested(&["allow_null_values"], 1.into()));
        assert_eq!(text, "allow_null_values: expected true or false");
        let text = refused(nested(&["mode"], true.into()));
        assert_eq!(text, "mode: expected a string, found a Boolean");
        let index = map([("label", Some("person".into())), ("kind", Some("unique".into()))]);
        let text = refused(map([("indexes", Some(vec![index].into()))]));
        assert_eq!(text, "indexes[0]: a unique index has from one to 1 keys, this one has 0");
    }
}
