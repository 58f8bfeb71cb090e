//! One line of an adjacency list: a vertex with its properties and edges.

use rustc_hash::FxHashSet;
use serde_json::{Map as Object, Value as Json};
use values::{Direction, Str, Value};

use super::typed;
use crate::error::Fault;
use crate::exchange::{FileError, Place, deep_json};
use crate::sides::EdgeKey;

use graph::{BulkCell, NameSpace, check_id, check_name};

/// The label of vertices that have none in the file (TinkerPop's default).
const DEFAULT_LABEL: &str = "vertex";

/// A vertex.
pub(crate) struct VertexLine {
    pub(crate) id: Value,
    pub(crate) label: String,
    /// Every key with its values and their meta-properties.
    pub(crate) properties: Vec<(String, Vec<BulkCell>)>,
}

/// An edge of the line's vertex.
pub(crate) struct EdgeLine {
    pub(crate) id: Option<Value>,
    pub(crate) label: String,
    /// The id of the vertex at its other end.
    pub(crate) other: Value,
    pub(crate) properties: Vec<(String, Value)>,
}

type Result<T> = std::result::Result<T, Fault>;

/// What a vertex has. An object with more is none, and what it has would be lost.
pub(crate) const VERTEX_KEYS: [&str; 5] = ["id", "label", "inE", "outE", "properties"];
/// What to say of more.
pub(crate) const NO_VERTEX_KEY: &str = "`id`, `label`, `inE`, `outE` or `properties` of a vertex of GraphSON expected; JSON lines of \
                                        another kind need a mapping (docs/import.md)";

/// Parses one line.
pub(super) fn parse(line: &[u8]) -> Result<Json> {
    let json = match serde_json::from_slice(line) {
        // It is no deeper than 127, and what can be stored needs more. The other reader of JSON is slower, and knows where it ends.
        Err(error) if is_too_deep(&error) => deep_json(line).map_err(|error| of_deep_json(&error))?,
        parsed => parsed.map_err(|error| Fault::of_json(&error))?,
    };
    match &json {
        Json::Object(object) if object.contains_key("vertices") && !object.contains_key("id") => Err(fault(
            "",
            "one vertex per line expected, found a whole graph in one object (`wrapAdjacencyList`)",
        )),
        Json::Object(object) => match object.keys().find(|key| !VERTEX_KEYS.contains(&key.as_str())) {
            Some(other) => Err(fault(other, NO_VERTEX_KEY)),
            None => Ok(json),
        },
        _ => Err(fault("", "a vertex, a JSON object, expected")),
    }
}

/// Whether it says that arrays and objects are inside one another as deep as its parser does not go. It has no kind of its own.
fn is_too_deep(error: &serde_json::Error) -> bool {
    error.is_syntax() && error.to_string().starts_with("recursion limit exceeded")
}

fn of_deep_json(error: &FileError) -> Fault {
    match error {
        FileError::Malformed { place: Place::Line(_, column), problem } => {
            Fault { column: *column, field: None, problem: format!("JSON expected: {problem}") }
        }
        other => fault("", &other.to_string()),
    }
}

/// The vertex of a line; its properties with the ids that they have there, if these are to be kept.
pub(super) fn vertex(json: &Json, keep_property_ids: bool) -> Result<VertexLine> {
    let id = id_of(json)?;
    let label = match json.get("label") {
        None => DEFAULT_LABEL.to_owned(),
        Some(label) => {
            let label = label.as_str().ok_or_else(|| fault("label", "a string expected"))?;
            name(NameSpace::VertexLabel, label, "label")?.to_owned()
        }
    };
    let mut properties = Vec::new();
    let mut ids = keep_property_ids.then(FxHashSet::default);
    for (key, list) in object(json, "properties")?.into_iter().flatten() {
        let path = format!("properties.{key}");
        name(NameSpace::Key, key, &path)?;
        let list = list.as_array().ok_or_else(|| fault(&path, "an array of vertex properties expected"))?;
        let cells = list.iter().map(|cell| property(cell, &path, ids.as_mut()));
        properties.push((key.clone(), cells.collect::<Result<_>>()?));
    }
    Ok(VertexLine { id, label, properties })
}

impl VertexLine {
    /// What is null is no property.
    pub(crate) fn leave_out_nulls(&mut self) {
        for (_, cells) in &mut self.properties {
            cells.retain(|cell| !cell.value.is_null());
            cells.iter_mut().for_each(|cell| cell.meta.retain(|(_, value)| !value.is_null()));
        }
        self.properties.retain(|(_, cells)| !cells.is_empty());
    }
}

/// The id of a line's vertex.
pub(super) fn id_of(json: &Json) -> Result<Value> {
    let id = json.get("id").ok_or_else(|| fault("id", "an id expected, found none"))?;
    scalar_id(id, "id")
}

/// The edges of a line's vertex that leave it ([`Direction::Out`]), or else those that enter it.
pub(super) fn edges(json: &Json, direction: Direction) -> Result<Vec<EdgeLine>> {
    let [list_key, end] = keys_of(direction);
    let mut edges = Vec::new();
    for (label, list) in object(json, list_key)?.into_iter().flatten() {
        let path = format!("{list_key}.{label}");
        name(NameSpace::EdgeLabel, label, &path)?;
        let list = list.as_array().ok_or_else(|| fault(&path, "an array of edges expected"))?;
        for edge in list {
            edges.push(edge_line(edge, label, &path, end)?);
        }
    }
    Ok(edges)
}

/// Where the edges of a direction are, and what they call their other end.
fn keys_of(direction: Direction) -> [&'static str; 2] {
    if direction == Direction::Out { ["outE", "inV"] } else { ["inE", "outV"] }
}

fn edge_line(edge: &Json, label: &str, path: &str, end: &str) -> Result<EdgeLine> {
    let id = edge.get("id").map(|id| scalar_id(id, &format!("{path}.id"))).transpose()?;
    let path_to_end = format!("{path}.{end}");
    let other =
        edge.get(end).ok_or_else(|| fault(&path_to_end, "the id of a vertex expected, found none"))?;
    let other = scalar_id(other, &path_to_end)?;
    let mut properties = Vec::new();
    for (key, json) in object(edge, "properties")?.into_iter().flatten() {
        let path = format!("{path}.properties.{key}");
        properties.push((name(NameSpace::Key, key, &path)?.to_owned(), value(json, &path)?));
    }
    Ok(EdgeLine { id, label: label.to_owned(), other, properties })
}

/// A vertex property: its value, its meta-properties and, if `ids` knows those of the vertex's properties before it, its id.
/// Without them it is left out, as TinkerPop's own readers do for graphs that do not take ids of properties from outside.
fn property(json: &Json, path: &str, ids: Option<&mut FxHashSet<Value>>) -> Result<BulkCell> {
    let inner = json.get("value").ok_or_else(|| fault(path, "`value` expected in a vertex property"))?;
    let mut meta = Vec::new();
    for (key, json) in object(json, "properties")?.into_iter().flatten() {
        let path = format!("{path}.properties.{key}");
        meta.push((Str::from(name(NameSpace::Key, key, &path)?), value(json, &path)?));
    }
    let id = match ids {
        Some(ids) => property_id(json, path, ids)?,
        None => None,
    };
    Ok(BulkCell { value: value(inner, path)?, meta, id })
}

/// The id of a vertex property, if it has one; no other property of the vertex may have it.
fn property_id(json: &Json, path: &str, ids: &mut FxHashSet<Value>) -> Result<Option<Value>> {
    let Some(id) = json.get("id") else { return Ok(None) };
    let path = format!("{path}.id");
    let id = scalar_id(id, &path)?;
    if !ids.insert(id.clone()) {
        return Err(fault(&path, "an id of its own expected, but another property of the vertex has it"));
    }
    Ok(Some(id))
}

fn object<'j>(json: &'j Json, key: &str) -> Result<Option<&'j Object<String, Json>>> {
    match json.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Object(object)) => Ok(Some(object)),
        Some(_) => Err(fault(key, "a JSON object expected")),
    }
}

fn value(json: &Json, path: &str) -> Result<Value> {
    typed::value(json).map_err(|error| fault(path, &error.0))
}

fn scalar_id(json: &Json, path: &str) -> Result<Value> {
    let id = value(json, path)?;
    check_id(&id).map_err(|error| fault(path, &error.to_string()))?;
    Ok(id)
}

/// A label or a property key.
fn name<'n>(space: NameSpace, name: &'n str, path: &str) -> Result<&'n str> {
    check_name(space, name).map_err(|error| fault(path, &error.to_string()))?;
    Ok(name)
}

/// A fault of a value whose place in the line is unknown, but not its path.
fn fault(path: &str, problem: &str) -> Fault {
    Fault { column: 1, field: (!path.is_empty()).then(|| path.to_owned()), problem: problem.to_owned() }
}

/// The fault that an edge ends at a vertex that no line has.
pub(super) fn dangling(edge: &EdgeLine, direction: Direction) -> Fault {
    let id = match &edge.other {
        Value::String(text) => format!("{text:?}"),
        Value::Uuid(uuid) => uuid.to_string(),
        other => other.as_i64().map_or_else(|| format!("{other:?}"), |id| id.to_string()),
    };
    let [list, end] = keys_of(direction);
    fault(
        &format!("{list}.{}.{end}", edge.label),
        &format!("the id of a vertex expected, but none has the id {id}"),
    )
}

impl EdgeLine {
    /// What it is told by, mentioned at the vertex with that id.
    pub(super) fn key(&self, at: Direction, vertex: &Value) -> EdgeKey {
        let (from, to) = if at == Direction::Out { (vertex, &self.other) } else { (&self.other, vertex) };
        EdgeKey::new(self.id.as_ref(), &self.label, from, to)
    }
}
